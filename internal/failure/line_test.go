package failure

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"
)

// TestErrorLine holds the line that is quoted of an output to the one that says what is wrong:
// testdata/error_line.txtar has what test tools print, on standard error (.err) and on standard
// output (.out), and the line (.want).
func TestErrorLine(t *testing.T) {
	archive, err := txtar.ParseFile("testdata/error_line.txtar")
	if err != nil {
		t.Fatal(err)
	}
	printed := map[string]string{}
	for _, f := range archive.Files {
		printed[f.Name] = string(f.Data)
	}
	for file, want := range printed {
		name, ok := strings.CutSuffix(file, ".want")
		if !ok {
			continue
		}
		t.Run(name, func(t *testing.T) {
			got := errorLine(linesOf([]byte(printed[name+".err"])), linesOf([]byte(printed[name+".out"])))
			if want := strings.TrimSuffix(want, "\n"); got != want {
				t.Errorf("%q is quoted, want %q", got, want)
			}
		})
	}
}

// Of the errors of a compiler the first is quoted, and of a linker what it lacks.
func TestErrorLineOfCompilers(t *testing.T) {
	for output, want := range map[string]string{
		"In file included from a.h:3:\nb.h:1:2: warning: not used\nb.h:2:3:   required from here\nb.h:9:5: error: 'x' is missing\nb.h:9:7: note: here\nb.h:12:1: error: expected '}' at end of input\n": "b.h:9:5: error: 'x' is missing",
		"A.java:3: error: cannot find symbol\n    f();\n    ^\nB.java:7: error: incompatible types\n2 errors\n":                                                                                         "A.java:3: error: cannot find symbol",
		"a.ts(1,10): error TS2305: no such member\na.ts(3,8): error TS2554: too many\n":                                                                                                                 "a.ts(1,10): error TS2305: no such member",
		"/usr/bin/ld: a.o: in function `main':\na.c:2: undefined reference to `f'\ncollect2: error: ld returned 1 exit status\n":                                                                        "a.c:2: undefined reference to `f'",
		"t.c:1:2: error: in the sample\nt_test.go:4: FAIL: 3 differs\n":                                                                                                                                 "t_test.go:4: FAIL: 3 differs",
	} {
		name := filepath.Join(t.TempDir(), "err")
		if err := os.WriteFile(name, []byte(output), 0o666); err != nil {
			t.Fatal(err)
		}
		if _, got := FirstAndErrorLine(true, name); got != want {
			t.Errorf("%q is quoted, want %q, of\n%s", got, want, output)
		}
	}
}

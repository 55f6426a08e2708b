package failure

import (
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

package grouping_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/gitdd/gitdd/grouping"
)

// scratch is what differs between two runs of the same tool: the names of temporary
// files, addresses and times.
var scratch = regexp.MustCompile(`/tmp/[\w.-]+/?[\w.-]*\.o\b|0x[0-9a-f]{6,}|\b\d+\.\d+s\b|\+0x[0-9a-f]+`)

// Each testdata/remarks/*.txtar holds cases: the files NAME/in/..., the command
// NAME/run, what it really printed in NAME/log, and the remarks in this, NAME/want: each
// text with its places, the likeliest first, and after "|" the lines that belong to it. A log
// without a command is from the tool's documentation. With -record, the commands
// are run again, and the remarks become what is wanted: read the difference.
func TestRemarks(t *testing.T) {
	archives, err := filepath.Glob("testdata/remarks/*.txtar")
	if err != nil || len(archives) == 0 {
		t.Fatalf("no testdata: %v", err)
	}
	for _, file := range archives {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) { remarksArchive(t, file) })
	}
}

func remarksArchive(t *testing.T, file string) {
	archive, err := txtar.ParseFile(file)
	if err != nil {
		t.Fatal(err)
	}
	cases := map[string]map[string]string{}
	var names []string
	for _, f := range archive.Files {
		top, rest, _ := strings.Cut(f.Name, "/")
		if cases[top] == nil {
			cases[top] = map[string]string{}
			names = append(names, top)
		}
		cases[top][rest] = string(f.Data)
	}
	put := func(name, text string) {
		for i := range archive.Files {
			if archive.Files[i].Name == name {
				archive.Files[i].Data = []byte(text)
				return
			}
		}
		t.Errorf("no %s to record in", name)
	}
	for _, name := range names {
		t.Run(name, func(t *testing.T) {
			c := cases[name]
			if *record && c["run"] != "" {
				in := map[string]string{}
				for path, content := range c {
					if path, ok := strings.CutPrefix(path, "in/"); ok {
						in[path] = content
					}
				}
				c["log"] = fails(t, in, c["run"])
				put(name+"/log", c["log"])
			}
			got := grouping.Remarks([]byte(c["log"]))
			if *record {
				put(name+"/want", got)
				return
			}
			if diff := cmp.Diff(c["want"], got); diff != "" {
				t.Errorf("remarks (-want +got):\n%s\nof\n%s", diff, c["log"])
			}
		})
	}
	if *record {
		if err := os.WriteFile(file, txtar.Format(archive), 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

// fails runs a command that has to fail among some files and returns what it prints, as
// if it had run in /home/me/p.
func fails(t *testing.T, in map[string]string, command string) string {
	t.Helper()
	dir := t.TempDir()
	writeAll(t, in, dir)
	cmd := exec.CommandContext(t.Context(), "sh", "-c", command)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "PWD="+dir, "LC_ALL=C.UTF-8", "PYTHONDONTWRITEBYTECODE=1", "GOFLAGS=-mod=mod", "GOPROXY=off", "NO_COLOR=1", "RUST_BACKTRACE=0")
	out, err := cmd.CombinedOutput()
	if err == nil {
		t.Errorf("%q went through:\n%s", command, out)
	}
	text := strings.ReplaceAll(string(out), dir, "/home/me/p")
	return scratch.ReplaceAllStringFunc(text, func(s string) string {
		switch {
		case strings.HasPrefix(s, "/tmp/"):
			return "/tmp/ccAbCdEf.o"
		case strings.HasPrefix(s, "+"):
			return "+0x1d"
		case strings.HasSuffix(s, "s"):
			return "0.00s"
		}
		return "0xc000012345"
	})
}

// What is no remark, and forms that the tools of testdata/remarks do not have.
func TestRemarksOfLines(t *testing.T) {
	for _, test := range []struct{ name, output, want string }{
		{"empty", "", ""},
		{"blank lines", "\n \n\t\n", ""},
		{"lines", "----\n_ _ _ _\n^^^^\n====\n", ""},
		{"a clock is no place", "12:30:01 starting server\n", "12:30:01 starting server\n"},
		{"an address is no place", "127.0.0.1:8080: connection refused by peer\n", "127.0.0.1:8080: connection refused by peer\n"},
		{"a single word", "ok\nFAIL\n", ""},
		{"a warning and what belongs to it", "a.c:3:1: warning: unused x\n    3 | int x;\n      | ^\na.c:1:1: note: declared here\nb.c:2:1: error: bad thing\n", "error: bad thing\n  b.c:2\n"},
		{"a warning without a place", "warning: unused variable\n --> a.rs:3:1\n\nerror: a bad thing\n --> b.rs:4:1\n", "error: a bad thing\n  b.rs:4\n"},
		{"two indented messages", "--- FAIL: TestX (0.00s)\n    x_test.go:5: got one, want two\n    x_test.go:9: got nothing\n", "--- FAIL: TestX (0.00s)\ngot one, want two\n  x_test.go:5\ngot nothing\n  x_test.go:9\n"},
		{"on Windows", "C:\\w\\0\\a.go:4:10: undefined: fresh\r\n", "undefined: fresh\n  C:\\w\\0\\a.go:4\n"},
		{"a place in the middle", "Failed to parse /w/a.conf:3: no such key\n", "Failed to parse : no such key\n  /w/a.conf:3\n"},
		{"a file without a dot", "Makefile:3: *** missing separator.  Stop.\n", "*** missing separator.  Stop.\n  Makefile:3\n"},
		{"a number that is too large", "a.c:99999999999999999999: too far away\n", "too far away\n  a.c:9223372036854775807\n"},
		{"the URL of a module", "TypeError: f is not a function\n    at file:///home/me/p/main.mjs:3:5\n", "TypeError: f is not a function\n  /home/me/p/main.mjs:3\n"},
		{"a heading", "the following things are wrong:\na.c:1: a bad thing\n", "a bad thing\n  a.c:1\n"},
		{"in color", "\x1b[1ma.c:1:2:\x1b[m \x1b[31merror:\x1b[m bad thing\n", "error: bad thing\n  a.c:1\n"},
		{"an error of Ruby", "/w/a.rb:3:in `f': undefined method `g' for nil (NoMethodError)\n\n    x.g\n     ^^\nDid you mean?  gg\n\tfrom /w/b.rb:5:in `<main>'\n",
			"undefined method 'g' for nil (NoMethodError)\n  /w/a.rb:3\n  /w/b.rb:5\n  | f\n  | x.g\n  | Did you mean?  gg\n  | from :in '<main>'\n"},
		{"an object of Ruby", "/w/a.rb:3:in `f': undefined method `g' for #<A::B:0x00007f21 @name=\"h\", @c=#<C:0x00007f>> (NoMethodError)\n", "undefined method 'g' for A::B\n  /w/a.rb:3\n  | f\n"},
		{"a file that Ruby cannot load", "<internal:/usr/lib/ruby/kernel_require.rb>:85:in `require': /w/a.rb:88: syntax error, unexpected `end' (SyntaxError)\n\tfrom /w/b.rb:2:in `<main>'\n",
			"syntax error, unexpected 'end' (SyntaxError)\n  /w/a.rb:88\n  /w/b.rb:2\n  | require\n  | from :in '<main>'\n"},
		{"the same place twice", "a.c:1: a bad thing\n  at f (a.c:1:3)\n", "a bad thing\n  a.c:1\n  | at f ()\n"},
	} {
		if diff := cmp.Diff(test.want, grouping.Remarks([]byte(test.output))); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.name, diff)
		}
	}
}

// What two texts have in common is the same for a message that two workspaces print,
// and differs for messages of two names.
func TestAlike(t *testing.T) {
	for _, test := range []struct {
		a, b string
		same bool
	}{
		{"cannot open /tmp/1/x.o", "cannot open /tmp/2/x.o", true},
		{"index 3 out of range [0:3]", "index 4 out of range [0:4]", true},
		{"at 0xc000012345", "at 0xc0000abcde", true},
		{`cannot open 'C:\w\0\x.o'`, `cannot open 'C:\w\1\x.o'`, true},
		{"no ../../tmp/1/a here", "no ../../tmp/2/a here", true},
		{"undefined: f1", "undefined: f2", false},
		{"undefined: f", "undefined: g", false},
		{"package m/a is not in std", "package m/b is not in std", false},
		{"cannot find module './lib/a'", "cannot find module './lib/b'", false},
	} {
		if got := grouping.Alike(test.a) == grouping.Alike(test.b); got != test.same {
			t.Errorf("%q and %q alike: %v", test.a, test.b, got)
		}
	}
}

package suite

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/gitdd/gitdd/isolate"
	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// read reads a text in a format, and holds the report to what every report is.
func TestFound(t *testing.T) {
	for _, c := range []struct{ format, output, command, found, whole string }{
		{"auto", "TAP version 13\nok 1 - a\n1..1\n", "prove -v", "tap", ""},
		{"auto", `{"Action":"start","Package":"p"}`, "go test -json {tests}", "go", "./..."},
		{"auto", "nothing", "cd p && go test -json {tests}", "auto", "./..."},
		{"auto", "nothing", "cargo test", "auto", ""},
		{"tap", `{"Action":"start","Package":"p"}`, "go test -json {tests}", "tap", ""},
		{"go", "", "./test {tests}", "go", "./..."},
	} {
		f, err := ParseFormat(c.format)
		if err != nil {
			t.Fatal(err)
		}
		r, err := f.Read(strings.NewReader(c.output), "")
		if err != nil {
			t.Fatal(err)
		}
		whole := strings.Join(f.Whole([]string{"sh", "-c", c.command}), " ")
		if found := f.Found(r).String(); found != c.found || whole != c.whole {
			t.Errorf("%s, %s: found %s, all tests are %q", c.format, c.command, found, whole)
		}
	}
	if (Format{}).Found(Report{Format: "go"}) != (Format{}) {
		t.Error("no format has found one")
	}
}

func read(t testing.TB, format, text, dir string) Report {
	t.Helper()
	f, err := ParseFormat(format)
	if err != nil {
		t.Fatal(err)
	}
	r, err := f.Read(strings.NewReader(text), dir)
	if err != nil {
		t.Fatal(err)
	}
	for i, test := range r.Tests {
		if i > 0 && r.Tests[i-1].Name >= test.Name {
			t.Errorf("%s: %q is not sorted behind %q", format, test.Name, r.Tests[i-1].Name)
		}
		if test.Outcome != isolate.Fail && test.Message != "" || len(test.Message) > mostMessage {
			t.Errorf("%s: test %q is %v with %d bytes of message", format, test.Name, test.Outcome, len(test.Message))
		}
	}
	if !slices.IsSorted(r.NotRun) || len(r.NotRun) > 0 && r.Incomplete == "" {
		t.Errorf("%s: not run %q, incomplete %q", format, r.NotRun, r.Incomplete)
	}
	return r
}

// golden is a report as text: what each test did, and behind it with > what is said of a failure.
func golden(r Report) []byte {
	var text bytes.Buffer
	for _, t := range r.Tests {
		fmt.Fprintf(&text, "%-10s %s", t.Outcome, t.Name)
		if t.Parent != "" {
			fmt.Fprintf(&text, " [part of %s]", t.Parent)
		}
		if t.File != "" {
			fmt.Fprintf(&text, " [%s]", strings.TrimSuffix(fmt.Sprintf("%s:%d", t.File, t.Line), ":0"))
		}
		text.WriteString("\n")
		if t.Message != "" {
			fmt.Fprintf(&text, "  > %s\n", strings.ReplaceAll(t.Message, "\n", "\n  > "))
		}
	}
	for _, name := range r.NotRun {
		fmt.Fprintf(&text, "not run    %s\n", name)
	}
	if r.Incomplete != "" {
		fmt.Fprintf(&text, "incomplete %s\n", r.Incomplete)
	}
	return text.Bytes()
}

// apart moves what cargo itself prints, to standard error, behind what the tests print.
func apart(text string) string {
	var out, err strings.Builder
	for line := range strings.Lines(text) {
		if cargoRuns().MatchString(strings.TrimSpace(line)) || cargoDocs().MatchString(strings.TrimSpace(line)) || strings.HasPrefix(line, "error: ") {
			err.WriteString(line)
		} else {
			out.WriteString(line)
		}
	}
	return out.String() + "\n" + err.String()
}

// Reports that real runners made, but for those of surefire, nextest, prove and TAP 14, read as the golden files say.
// The format of a report is the first word of its name.
func TestRecorded(t *testing.T) {
	names, err := filepath.Glob("testdata/recorded/*")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		if strings.HasSuffix(name, ".golden") {
			continue
		}
		t.Run(filepath.Base(name), func(t *testing.T) {
			text, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			format, _, _ := strings.Cut(filepath.Base(name), "-")
			got := golden(read(t, format, string(text), "/home/ada/shop"))
			if format == "cargo" { // the streams may be read one after another
				if apart := golden(read(t, format, apart(string(text)), "/home/ada/shop")); !bytes.Equal(apart, got) {
					t.Errorf("standard error behind standard output:\n%s", cmp.Diff(string(got), string(apart)))
				}
			}
			if found, ok := Detect(text); !ok || found.String() != format {
				t.Errorf("it is taken for %q", found)
			}
			if *update {
				if err := os.WriteFile(name+".golden", got, 0o666); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(name + ".golden")
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(want), string(got)); diff != "" {
				t.Errorf("-want +got\n%s", diff)
			}
		})
	}
}

package suite

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// fuzz holds the reader of a format to what read checks, and to one report for one text. Seeds are the recorded
// reports.
func fuzz(f *testing.F, format string) {
	short, _, _ := strings.Cut(format, ":")
	names, err := filepath.Glob("testdata/recorded/" + short + "-*")
	if err != nil {
		f.Fatal(err)
	}
	for _, name := range names {
		if strings.HasSuffix(name, ".golden") {
			continue
		}
		text, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(text)
	}
	f.Add([]byte(reports[format]))
	f.Fuzz(func(t *testing.T, text []byte) {
		r := read(t, format, string(text), "/home/ada/shop")
		if again := read(t, format, string(text), "/home/ada/shop"); !cmp.Equal(r, again) {
			t.Errorf("read again it is another report:\n%s", cmp.Diff(r, again))
		}
		for _, test := range r.Tests {
			if strings.ContainsAny(test.Name+test.Parent, "\n\x00\x1b") {
				t.Errorf("a name is not printable: %q", test.Name)
			}
		}
		Detect(text)
	})
}

func FuzzGo(f *testing.F)       { fuzz(f, "go") }
func FuzzJUnit(f *testing.F)    { fuzz(f, "junit") }
func FuzzTAP(f *testing.F)      { fuzz(f, "tap") }
func FuzzPytest(f *testing.F)   { fuzz(f, "pytest") }
func FuzzJest(f *testing.F)     { fuzz(f, "jest") }
func FuzzCargo(f *testing.F)    { fuzz(f, "cargo") }
func FuzzUnittest(f *testing.F) { fuzz(f, "unittest") }
func FuzzLines(f *testing.F)    { fuzz(f, `lines:^(?P<status>ok|FAIL) (?P<test>.+)$`) }

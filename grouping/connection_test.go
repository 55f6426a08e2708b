package grouping_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gitdd/gitdd/grouping"
	"github.com/gitdd/gitdd/internal/seed"
)

// shopFiles are the files of a shop; in the bad one total has a tax, and a line more stands above it.
func shopFiles(bad bool) map[string]string {
	shop := "import rates\n\n\ndef total(price):\n    return price\n\n\ndef tax(price):\n    return price // 5\n\n\ndef other():\n    return 1\n\n\nBASE = 3\n"
	if bad {
		shop = strings.Replace(shop, "return price\n", "return price + tax(price) + LEVY\n", 1)
		shop = strings.Replace(shop, "import rates\n", "import rates\nimport levies\n", 1)
	}
	return map[string]string{
		"app/shop.py":           shop,
		"app/rates.py":          "KNOWN = 5\ndef rate():\n    return KNOWN\nLEVY = 2\n",
		"app/print.py":          "print(LEVY)\n",
		"app/till.py":           "def pay():\n    return total(4)\n",
		"tests/test_shop.py":    "def test_total():\n    wanted = 5\n    assert total(4) == wanted\n\ndef test_none():\n    assert 1\n",
		"tests/test_levy.py":    "def test_levy():\n    print(LEVY)\n",
		"vendor/lib/decimal.py": "def add():\n    return 1\n",
		"lib/a/util.py":         "x = 1\n",
		"lib/b/util.py":         "x = 1\n",
	}
}

// shopFailure is a failure with the tax, which is the cause, and with the line above, which is the context.
func shopFailure(t testing.TB) (*grouping.Plan, grouping.Failure) {
	good, bad := shopFiles(false), shopFiles(true)
	s := between(t, repository(t, edit{"good", good}, edit{"bad", bad}), "r0", "r1")
	f := grouping.Failure{
		Applied: all(s.Len()),
		Paths:   func() []string { return slices.Sorted(maps.Keys(bad)) },
		Content: func(path string) ([]byte, bool) { text, ok := bad[path]; return []byte(text), ok },
		Own:     func(path string) bool { return path == "tests/test_shop.py" },
	}
	for i := range s.Changes {
		if strings.Contains(string(s.Changes[i].New), "tax") {
			f.Cause = append(f.Cause, i)
		} else {
			f.Context = append(f.Context, i)
		}
	}
	if len(f.Cause) != 1 || len(f.Context) != 1 {
		t.Fatalf("%d changes in the cause, %d in the context", len(f.Cause), len(f.Context))
	}
	return plan(t, s), f
}

func TestPlace(t *testing.T) {
	p, f := shopFailure(t)
	f.Dir = "app"
	f.Passing = []byte("rates.py:1: noise 17\n")
	tests := []struct{ name, output, want string }{
		{"nothing", "", ""},
		{"no place", "AssertionError\n", ""},
		{"no file of the tree", "nowhere.py:3: no\n", ""},
		{"no line of the file", "shop.py:300: no\nshop.py:0: no\n", ""},
		{"too large a number", "shop.py:99999999999999999999: no\n", ""},
		{"the cause", "shop.py:6: no\n", "app/shop.py:6 (6) total changed-lines"},
		{"the context", "shop.py:2: no\n", "app/shop.py:2 (2)  same-file, context"},
		{"the function", "shop.py:5: no\n", "app/shop.py:5 (5) total same-function"},
		{"a function that it calls", "shop.py:10: no\n", "app/shop.py:10 (10) tax used-by-cause, unchanged"},
		{"a function that calls it", "till.py:2: no\n", "app/till.py:2 (2) pay uses-cause total, unchanged"},
		{"a variable that it uses", "rates.py:4: no\n", "app/rates.py:4 (4) LEVY used-by-cause, unchanged"},
		{"a name", "print.py:1: no\n", "app/print.py:1 (1)  same-name LEVY, unchanged"},
		{"the file", "shop.py:14: no\n", "app/shop.py:14 (14) other same-file, unchanged"},
		{"nothing in common", "rates.py:3: no\n", "app/rates.py:3 (3) rate none, unchanged"},
		{"what passes, too", "rates.py:1: noise 3\n", ""},
		{"an absolute path", "/tmp/w/0/app/shop.py:6: no\n", "app/shop.py:6 (6) total changed-lines"},
		{"a panic that was recovered and raised again", "panic: no [recovered]\n\tpanic: no\n\ngoroutine 7 [running]:\nmain.pay.func1()\n\t/w/app/till.py:2 +0x1d\n" +
			"panic({0x1, 0x2})\n\t/usr/local/go/src/runtime/panic.go:914 +0x21\nmain.tax()\n\t/w/app/shop.py:10 +0x1d\nmain.total()\n\t/w/app/till.py:1 +0x1d\n", "app/shop.py:10 (10) tax used-by-cause, unchanged"},
		{"from the top", "app/shop.py:6: no\n", "app/shop.py:6 (6) total changed-lines"},
		{"of Windows", `C:\w\app\shop.py(6): error` + "\n", "app/shop.py:6 (6) total changed-lines"},
		{"installed code", "/usr/lib/python3.11/app/shop.py:6: no\n", ""},
		{"a tail", "decimal.py:2: no\n", "vendor/lib/decimal.py:2 (2) add none"},
		{"one of two", "util.py:1: no\n", "lib/a/util.py:1 (1) x none, unchanged"},
		{"escapes", "\x1b[31mshop.py\x1b[0m:6: no\n", "app/shop.py:6 (6) total changed-lines"},
		{"of a shell", "shop.py: line 6: no\n", "app/shop.py:6 (6) total changed-lines"},
		{"of another shell", "shop.py: 6: no\n", "app/shop.py:6 (6) total changed-lines"},
		{"of JavaScript", "    at total (/w/app/shop.py:6:3)\n", "app/shop.py:6 (6) total changed-lines"},
		{"of Go", "goroutine 1 [running]:\nmain.total(0x1)\n\t/w/app/shop.py:6 +0x1d\n", "app/shop.py:6 (6) total changed-lines"},
		{"a stack of Go", "goroutine 7 [running]:\ntesting.tRunner.func1.2({0x574440, 0x11})\n\t/usr/local/go/src/testing/testing.go:1974 +0x232\nexample.com/app/rates.Rate(...)\n\t/w/app/rates.py:3\n" +
			"example.com/app/shop.Total(0x11)\n\t/w/app/shop.py:5 +0xa\nexample.com/tests/test_shop.TestTotal(0x110ad8c4e488?)\n\t/w/tests/test_shop.py:3 +0xa\n", "app/rates.py:3 (3) rate stack total, unchanged"},
		{"of Perl", "died at shop.py line 6.\n", "app/shop.py:6 (6) total changed-lines"},
		{"the closest of two", "rates.py:3: no\nshop.py:6: no\n", "app/shop.py:6 (6) total changed-lines, 2 places"},
		{"rather than a test", "../tests/test_shop.py:3: no\nshop.py:10: no\n", "app/shop.py:10 (10) tax used-by-cause, unchanged, 2 places"},
		{"a test that calls it", "tests/test_shop.py:3: no\nshop.py:14: no\n", "tests/test_shop.py:3 (3) test_total uses-cause total, 2 places"},
		{"rather than a test with a name of it", "tests/test_levy.py:2: no\nrates.py:3: no\n", "app/rates.py:3 (3) rate none, unchanged, 2 places"},
		{"rather than of others", "lib/decimal.py:2: no\nrates.py:3: no\n", "app/rates.py:3 (3) rate none, unchanged, 2 places"},
		{"rather than a warning", "shop.py:6: warning: no\nrates.py:3: no\n", "app/rates.py:3 (3) rate none, unchanged"},
		{"a warning", "shop.py:6: warning: no\n", "app/shop.py:6 (6) total changed-lines"},
		{"a passed test", "--- PASS: TestA\n    shop.py:6: fine\nFAIL\n", ""},
		{"a test that tells of itself before it fails", "=== RUN   TestA\n    shop.py:6: got 1\n--- FAIL: TestA\n", "app/shop.py:6 (6) total changed-lines"},
		{"a stack of Python", python("tests/test_shop.py", 3, "app/shop.py", 6, "app/rates.py", 3, "vendor/lib/decimal.py", 2), "app/rates.py:3 (3) rate stack total, unchanged"},
		{"a stack of JavaScript", "    at add (/w/vendor/lib/decimal.py:2:1)\n    at rate (/w/app/rates.py:3:1)\n    at total (/w/app/shop.py:5:1)\n", "app/rates.py:3 (3) rate stack total, unchanged"},
		{"a frame without a place", "#0 0x1 in total () from shop.so\nrates.py:3: no\n", "app/rates.py:3 (3) rate stack total, unchanged"},
		{"two stacks", python("app/till.py", 2) + python("app/rates.py", 3, "app/shop.py", 10), "app/till.py:2 (2) pay uses-cause total, unchanged, 2 places"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if _, parsed := grouping.Parses("a.py", nil); !parsed && (tt.name == "a variable that it uses" || tt.name == "one of two") {
				t.Skip("needs the grammar of Python, and so cgo")
			}
			f.Output = []byte(tt.output)
			if got := placeString(p.Place(f)); got != tt.want {
				t.Errorf("got  %s\nwant %s", got, tt.want)
			}
		})
	}
}

// Without the changes the lines are those of good, and those at bad are told.
func TestPlaceWithoutCause(t *testing.T) {
	p, f := shopFailure(t)
	good := shopFiles(false)
	f.Applied = all(0)
	f.Content = func(path string) ([]byte, bool) { text, ok := good[path]; return []byte(text), ok }
	for output, want := range map[string]string{
		"app/shop.py:5: no\n": "app/shop.py:5 (0) total changed-lines",
		"app/shop.py:9: no\n": "app/shop.py:9 (10) tax used-by-cause, unchanged",
		"app/shop.py:1: no\n": "app/shop.py:1 (1)  same-file",
	} {
		f.Output = []byte(output)
		if got := placeString(p.Place(f)); got != want {
			t.Errorf("%sgot  %s\nwant %s", output, got, want)
		}
	}
}

// python is a stack trace of files and lines in turn, as Python prints it.
func python(frames ...any) string {
	var b strings.Builder
	b.WriteString("Traceback (most recent call last):\n")
	for i := 0; i < len(frames); i += 2 {
		fmt.Fprintf(&b, "  File \"/w/%s\", line %d, in f\n    code\n", frames[i], frames[i+1])
	}
	return b.String() + "ValueError\n"
}

func placeString(at grouping.Place, ok bool) string {
	if !ok {
		return ""
	}
	text := fmt.Sprintf("%s:%d (%d) %s %s", at.Path, at.Line, at.BadLine, at.Symbol, at.Connection)
	if at.Name != "" {
		text += " " + at.Name
	}
	if at.Context {
		text += ", context"
	}
	if at.Unchanged {
		text += ", unchanged"
	}
	if at.Named > 1 {
		text += fmt.Sprintf(", %d places", at.Named)
	}
	return text
}

// Of an output of any size, and of a tree of any number of files of one name, a bounded part is
// read.
func TestPlaceBounded(t *testing.T) {
	seed.SkipLong(t, 4)
	good, bad := map[string]string{"index.js": "function f() {\n\treturn 1\n}\n"}, map[string]string{"index.js": "function f() {\n\treturn 2\n}\n"}
	s := between(t, repository(t, edit{"good", good}, edit{"bad", bad}), "r0", "r1")
	p := plan(t, s)
	var paths []string
	for i := range 100_000 {
		paths = append(paths, fmt.Sprintf("pkg/%d/index.js", i))
	}
	large := []byte(strings.Repeat("function f() { return f(f) }\n", 30_000))
	files, bytes := 0, 0
	f := grouping.Failure{
		Applied: all(s.Len()), Cause: []int{0},
		Paths:   func() []string { return paths },
		Content: func(string) ([]byte, bool) { files++; bytes += len(large); return large, true },
		Own:     func(string) bool { return false },
	}
	random := rand.New(rand.NewPCG(1, 2))
	var output strings.Builder
	for output.Len() < 4<<20 {
		i := random.IntN(1000)
		fmt.Fprintf(&output, "    at f (/w/pkg/%d/index.js:%d:1)\npkg/%d/index.js:%d: x\n\x1b]0;", i, random.IntN(30_000), i, random.IntN(30_000))
	}
	f.Output = []byte(output.String())
	at, ok := p.Place(f)
	if !ok || at.Named < 100 || files > 80 || bytes > 17<<20 {
		t.Errorf("%v, %v, and %d files of %d bytes were read", at, ok, files, bytes)
	}
}

// Any output is read without a panic, and what is found is in the tree.
func FuzzPlace(f *testing.F) {
	p, failure := shopFailure(f)
	f.Add([]byte("app/shop.py:6: no\n"), []byte(""))
	f.Add([]byte("  File \"app/shop.py\", line 6, in x\n\tat y(app/till.py:2)\n#0 z () at app/rates.py:3\n"), []byte("app/shop.py:7\n"))
	f.Fuzz(func(t *testing.T, output, passing []byte) {
		failure.Output, failure.Passing = output, passing
		at, ok := p.Place(failure)
		if !ok {
			if diff := cmp.Diff(grouping.Place{}, at); diff != "" {
				t.Error(diff)
			}
			return
		}
		text, known := failure.Content(at.Path)
		if !known || at.Line < 1 || at.Line > strings.Count(string(text), "\n") {
			t.Errorf("%+v is not in the tree", at)
		}
	})
}

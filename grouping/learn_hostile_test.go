package grouping_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gitdd/gitdd/changes"
	"github.com/gitdd/gitdd/grouping"
	"github.com/gitdd/gitdd/internal/seed"
)

// story is a difference in which a.go uses what b.go and new/n.go define.
func story(t testing.TB) (*changes.Set, *grouping.Plan) {
	good := edit{"good", map[string]string{
		"a.go": "package a\n\nfunc f() {\n\tprintln()\n}\n",
		"b.go": "package a\n\nfunc g() {}\n",
	}}
	bad := edit{"bad", map[string]string{
		"a.go": "package a\n\nfunc f() {\n\tprintln(fresh)\n}\n",
		"b.go": "package a\n\nfunc g() {}\n\nvar fresh = 1\n",
	}}
	s := between(t, repository(t, good, bad), "r0", "r1")
	return s, plan(t, s)
}

// Around a message may be anything: other bytes, long lines, escape codes.
func TestLearnFromHostileOutput(t *testing.T) {
	seed.SkipLong(t, 4)
	s, p := story(t)
	const message = "./a.go:4:10: undefined: fresh\n"
	long := strings.Repeat("x", 1<<20)
	random := rand.New(rand.NewPCG(1, 2))
	noise := make([]byte, 100_000)
	for i := range noise {
		noise[i] = byte(random.Uint32())
	}
	const one = "text a.go:4 -> text b.go:4"
	for _, test := range []struct{ name, output, want string }{
		{"plain", message, one},
		{"empty", "", ""},
		{"no line feed", strings.TrimSpace(message), one},
		{"a carriage return before", "\r\n\r\n" + message, one},
		{"progress before", "10%\r50%\r100%\r" + message, one},
		{"color", "\x1b[1m./a.go:4:10:\x1b[0m \x1b[31mundefined\x1b[0m: \x1b]8;;http://x\x07fresh\x1b]8;;\x07\n", one},
		{"cut escape", message + "\x1b[", one},
		{"NUL before", "\x00\x00\x00\n" + message, one},
		{"binary before", string(noise) + "\n" + message, one},
		{"a long line before", long + "\n" + message, one},
		{"the place in a long line", "./a.go:4:10: " + long + "undefined: fresh\n", ""},
		{"in the middle of 2 MB", strings.Repeat(strings.Repeat("y", 99)+"\n", 10_000) + message + strings.Repeat(strings.Repeat("y", 99)+"\n", 10_000), ""},
		{"at the end of 2 MB", strings.Repeat(strings.Repeat("y", 99)+"\n", 20_000) + message, one},
		{"many times", strings.Repeat(message, 10_000), one},
		{"not UTF-8", "\xff\xfe" + "\n" + "./a.go:4:10: undefined: fresh \xff\n", one},
		{"a huge line number", "./a.go:99999999999999999999: undefined: fresh\n./a.go:9223372036854775807:1: undefined: fresh\n", ""},
		{"line 0", "./a.go:0: undefined: fresh\n", one}, // as if it had none
		{"another line", "./a.go:1: undefined: fresh\n", ""},
		{"another file", "./c.go:4:10: undefined: fresh\n", ""},
		{"another name", "./a.go:4:10: undefined: g\n", ""},
		{"outside", "../../../../a.go:4:10: undefined: fresh\n", one}, // the workspace may be anywhere
		{"no file", ":4:10: undefined: fresh\n", ""},
		{"only dots", "../..:4:10: undefined: fresh\n.:4: undefined: fresh\n", ""},
		{"on Windows", "C:\\w\\0\\a.go:4:10: undefined: fresh\r\n", one},
		{"a warning", "a.go:4:10: warning: undefined: fresh\n", ""},
		{"quotes of another tool", "a.go:4: something is wrong with \u2018fresh\u2019\n", one},
		{"an open quote", "a.go:4: something is wrong with 'fresh\n", ""},
	} {
		got := taught(s, p.Learn(slices.Values([]int{0}), []byte(test.output)))
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.name, diff)
		}
	}
	if got := p.Learn(slices.Values([]int{-1, 7, 0, 0}), []byte(message)); len(got) != 1 {
		t.Errorf("numbers of no change: %v", got)
	}
	var none grouping.Plan
	if got := none.Learn(slices.Values([]int{0}), []byte(message)); got != nil {
		t.Errorf("a plan of nothing learned %v", got)
	}
}

// What is learned is bounded, whatever is printed.
func TestLearnIsBounded(t *testing.T) {
	good, bad := edit{"good", map[string]string{}}, edit{"bad", map[string]string{}}
	var output strings.Builder
	for i := range 40 {
		user, definer := fmt.Sprintf("u%02d.go", i), fmt.Sprintf("d%02d.go", i)
		good.files[user], good.files[definer] = "package a\n", "package a\n"
		bad.files[user] = fmt.Sprintf("package a\n\nvar _ = name%d\n", i)
		bad.files[definer] = fmt.Sprintf("package a\n\nvar name%d = 1\n", i)
		fmt.Fprintf(&output, "%s:3:9: undefined: name%d\n", user, i)
	}
	s := between(t, repository(t, good, bad), "r0", "r1")
	p := plan(t, s)
	got := p.Learn(slices.Values(upTo(s.Len())[40:]), []byte(output.String()))
	if len(got) != 32 {
		t.Errorf("learned %d requirements, want 32", len(got))
	}
	for i, r := range got {
		if want := (grouping.Requirement{Change: 40 + i, Requires: i}); r != want {
			t.Errorf("requirement %d is %v, want %v", i, r, want)
		}
	}
}

// FuzzLearn feeds any output: what is learned is always about an applied change
// and one that is not, and the same twice.
func FuzzLearn(f *testing.F) {
	s, p := story(f)
	for _, seed := range []string{
		"./a.go:4:10: undefined: fresh\n", "a.go:4: 'fresh'", "File \"a.go\", line 4\nNameError: name 'fresh' is not defined",
		"error[E1]: cannot find value `fresh` in this scope\n --> a.go:4:1\n", "make[1]: Entering directory '/x'\n",
		"a.go:4: error: cannot find symbol\n  symbol: variable fresh\n  location: class b\n", "a.go:(.text+0x1): undefined reference to `fresh'\n",
		"a.go(4,1): error TS2554: Expected 1 arguments, but got 2.\n", "a.go:4: too many return values\n",
	} {
		f.Add([]byte(seed), true, false)
	}
	f.Fuzz(func(t *testing.T, output []byte, a, b bool) {
		applied := those(a, b)
		before := bytes.Clone(output)
		list := p.Learn(slices.Values(applied), output)
		for _, r := range list {
			if !slices.Contains(applied, r.Change) || slices.Contains(applied, r.Requires) || r.Requires < 0 || r.Requires >= s.Len() {
				t.Errorf("learned %v with %v applied", r, applied)
			}
		}
		if !slices.Equal(list, p.Learn(slices.Values(applied), output)) || !bytes.Equal(before, output) {
			t.Error("not the same twice, or the output was written to")
		}
	})
}

// those returns the indices of the arguments that are true.
func those(is ...bool) (list []int) {
	for i, is := range is {
		if is {
			list = append(list, i)
		}
	}
	return list
}

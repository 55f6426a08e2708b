package grouping_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/gitdd/gitdd/grouping"
	"github.com/gitdd/gitdd/internal/seed"
)

// allocated returns how many bytes f allocates.
func allocated(f func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

// Whatever is printed, and however much of it, is read with bounded memory, and says no
// more than is documented.
func TestDiagnosisOfHostileOutput(t *testing.T) {
	seed.SkipLong(t, 4)
	good, bad := edit{"good", map[string]string{}}, edit{"bad", map[string]string{}}
	for i := range 2000 {
		path := fmt.Sprintf("d%d/f%04d.go", i%20, i)
		good.files[path] = "package d\n"
		bad.files[path] = fmt.Sprintf("package d\n\nvar name%d = name%d\n", i, (i+1)%2000)
	}
	s := between(t, repository(t, good, bad), "r0", "r1")
	d := plan(t, s).Diagnosis()
	applied := everySecond(s.Len())
	var distinct, files, places, stack bytes.Buffer
	for i := range 1_000_000 {
		fmt.Fprintf(&distinct, "d%d/f%04d.go:3:1: undefined: name%d or other%d\n", i%20, i%2000, i%2000, i)
	}
	for i := range 2000 {
		fmt.Fprintf(&files, "./d%d/f%04d.go:3:12: undefined: name%d\n", i%20, i, (i+1)%2000)
		fmt.Fprintf(&places, "d%d/f%04d.go:3 ", i%20, i)
		fmt.Fprintf(&stack, "\tat f (d%d/f%04d.go:3:1)\n", i%20, i)
	}
	noise := make([]byte, 1<<20)
	random := rand.New(rand.NewPCG(seed.New(t), 3))
	for i := range noise {
		noise[i] = byte(random.Uint32())
	}
	long := strings.Repeat("x", 1<<20)
	for _, test := range []struct {
		name   string
		output []byte
	}{
		{"nothing", nil},
		{"100 MB", bytes.Repeat([]byte(strings.Repeat("y", 99)+"\n"), 1<<20)},
		{"100 MB in one line", bytes.Repeat([]byte("a.go:1 "), 100<<20/7)},
		{"a million messages", distinct.Bytes()},
		{"every file", files.Bytes()},
		{"every file in one line", places.Bytes()},
		{"every file in a stack", append([]byte("Error: it is all wrong\n"), stack.Bytes()...)},
		{"escapes", bytes.Repeat([]byte("\x1b[1m\x1b]8;;http://x\x07\x1b[31m./d0/f0000.go:3:12:\x1b[m undefined: \x1b[K name1\r\n"), 1000)},
		{"an open escape", []byte("\x1b[" + long)},
		{"NUL bytes", make([]byte, 1<<20)},
		{"NUL bytes in a message", []byte("d0/f0000.go:3:12: undef\x00ined: name1\x00\n")},
		{"noise", noise},
		{"not UTF-8", bytes.Repeat([]byte("d0/f0000.go:3:12: \xff\xfe undefined: name1 \xc3\n"), 1000)},
		{"lines of 1 MB", []byte(long + "\nd0/f0000.go:3: " + long + "\n" + strings.Repeat("d0/f0000.go:3: ", 1<<16) + "\n")},
		{"brackets and quotes", bytes.Repeat([]byte("([{'\"`<|d0/f0000.go(3,1"), 10_000)},
		{"colons and digits", bytes.Repeat([]byte("a:1:2:3:4:5:6.7/8:9(0)"), 10_000)},
		{"line feeds", bytes.Repeat([]byte("\n"), 1<<20)},
	} {
		t.Run(test.name, func(t *testing.T) {
			before := bytes.Clone(test.output)
			var got []grouping.Message
			// 256 messages of 512 explanations of 24 bytes are 3 MB, an output is read up to 256 KB.
			if used := allocated(func() { got = d.Read(slices.Values(applied), test.output) }); used > 256<<20 {
				t.Errorf("%d MB were allocated", used>>20)
			}
			checkMessages(t, s.Len(), applied, got)
			for _, m := range got {
				if !utf8.ValidString(m.Text) || strings.ContainsAny(m.Text, "\n\r\x1b") || len(m.Text) > 4<<10 {
					t.Errorf("text %q", m.Text)
				}
			}
			if !bytes.Equal(before, test.output) {
				t.Error("the output was written to")
			}
			if again := d.Read(slices.Values(applied), test.output); !reflect.DeepEqual(got, again) {
				t.Error("not the same twice")
			}
		})
	}
	if got := d.Read(slices.Values(applied), files.Bytes()); len(got) != grouping.MaxMessages {
		t.Errorf("%d messages of an output with 2,000", len(got))
	}
	if got := d.Read(slices.Values([]int{-1, 7, 1 << 40, 0, 0}), files.Bytes()); len(got) == 0 {
		t.Error("numbers of no change, and nothing was read")
	}
	var none grouping.Plan
	if got := none.Diagnosis().Read(slices.Values(applied), files.Bytes()); got != nil {
		t.Errorf("a plan of nothing read %v", got)
	}
}

// What an end prints, too, is no message, wherever it ran.
func TestDiagnosisOfTheEnds(t *testing.T) {
	s, p := story(t)
	const message = "./a.go:4:10: undefined: fresh\n"
	applied := slices.Values([]int{0})
	if got := p.Diagnosis([]byte("ok\n")).Read(applied, []byte(message)); len(got) != 1 {
		t.Fatalf("%v", got)
	}
	checkMessages(t, s.Len(), []int{0}, p.Diagnosis().Read(applied, []byte(message)))
	for _, end := range []string{message, "/w/7/a.go:9:1: undefined: fresh\n", "undefined: fresh\n"} {
		if got := p.Diagnosis(nil, []byte(end)).Read(applied, []byte(message)); got != nil {
			t.Errorf("an end prints %q, and there is a message: %v", end, got)
		}
	}
	if got := p.Diagnosis([]byte("./a.go:4:10: undefined: stale\n")).Read(applied, []byte(message)); len(got) != 1 {
		t.Errorf("an end misses another name: %v", got)
	}
}

// A key is that of what is said of which place, in whatever configuration and workspace.
func TestDiagnosisKeys(t *testing.T) {
	body := strings.Repeat("// a line\n", 8)
	good := edit{"good", map[string]string{"a.go": "package p\n\nvar a = 1\n" + body + "var b = 1\n" + body + "var c = 1\n" + body}}
	bad := edit{"bad", map[string]string{
		"a.go": "package p\n\nvar top = 0\n\nvar a = one\n" + body + "var b = one\n" + body + "var c = 1\n" + body + "var one = 1\n", "b.go": "package p\n\nvar x = one\n"}}
	s := between(t, repository(t, good, bad), "r0", "r1")
	d := plan(t, s).Diagnosis()
	key := func(output string, names ...string) uint64 {
		t.Helper()
		got := d.Read(slices.Values(changesNamed(t, s, strings.Join(names, "\n"))), []byte(output))
		if len(got) != 1 {
			t.Fatalf("%q: %v", output, got)
		}
		return got[0].Key
	}
	const a, b, c = "text a.go:3", "text a.go:14", "created b.go"
	at := key("./a.go:14:9: undefined: one\n", b)
	for _, test := range []struct {
		name, output string
		applied      []string
		same         bool
	}{
		{"in another configuration, two lines below", "./a.go:16:9: undefined: one\n", []string{a, b}, true},
		{"in another workspace", "/w/3/a.go:16:9: undefined: one\n", []string{a, b, c}, true},
		{"at another change", "./a.go:5:9: undefined: one\n", []string{a, b}, false},
		{"in another file", "./b.go:3:9: undefined: one\n", []string{a, b, c}, false},
		{"in a line that no change touches", "./a.go:8:9: undefined: one\n", []string{b}, false},
		{"other words", "./a.go:14:9: undeclared: one\n", []string{b}, false},
	} {
		if got := key(test.output, test.applied...) == at; got != test.same {
			t.Errorf("%s: the same key: %v", test.name, got)
		}
	}
	common := key("./a.go:8:9: undefined: one\n", b)
	if key("./a.go:10:9: undefined: one\n", a, b) != common || key("./a.go:9:9: undefined: one\n", b) == common {
		t.Error("the key of a line that no change touches is not that of its place in good")
	}
}

// FuzzRead feeds any output: explanations are pairs of an applied change and one that is
// not, few enough, and the same twice.
func FuzzRead(f *testing.F) {
	s, p := story(f)
	d := p.Diagnosis([]byte("ok\n"))
	for _, seed := range []string{
		"./a.go:4:10: undefined: fresh\n", "a.go:4: 'fresh'", "File \"a.go\", line 4\nNameError: name 'fresh' is not defined",
		"error[E1]: cannot find value `fresh` in this scope\n --> a.go:4:1\n  |\n4 | fresh\n  | ^^^^^\nnote: here\n --> b.go:1:1\n",
		"a.go:4\nx\n^\n\nError: fresh\n    at f (a.go:4:1)\n", "In file included from b.go:1,\n                 from a.go:2:\na.go:4:5: error: 'x' undeclared\n",
		"panic: fresh is wrong\n\ngoroutine 1 [running]:\nmain.f(...)\n\ta.go:4 +0x1d\n", "Error: x in a.go on line 4\nStack trace:\n#0 b.go(3): f()\n",
	} {
		f.Add([]byte(seed), true, false)
	}
	f.Fuzz(func(t *testing.T, output []byte, a, b bool) {
		applied := those(a, b)
		before := bytes.Clone(output)
		list := d.Read(slices.Values(applied), output)
		checkMessages(t, s.Len(), applied, list)
		if !reflect.DeepEqual(list, p.Diagnosis([]byte("ok\n")).Read(slices.Values(applied), output)) || !bytes.Equal(before, output) {
			t.Error("not the same twice, or the output was written to")
		}
	})
}

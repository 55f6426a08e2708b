package grouping_test

import (
	"fmt"
	"iter"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// priorStory differs in four directories; lines of lib/net/dial.go are moved by
// what stands above them.
func priorStory() []edit {
	text := func(n int, changed map[int]string) string {
		var b strings.Builder
		for i := 1; i <= n; i++ {
			if s, ok := changed[i]; ok {
				b.WriteString(s)
			} else {
				fmt.Fprintf(&b, "// line %d\n", i)
			}
		}
		return b.String()
	}
	good := edit{"good", map[string]string{
		"lib/net/dial.go":  "package net\n" + text(40, map[int]string{29: "\n"}),
		"lib/text/wrap.go": "package text\n" + text(9, nil), "lib/text/wrap_test.go": "package text\n" + text(9, nil),
		"main.go": "package main\n" + text(9, nil), "web/app.py": text(9, nil),
	}}
	bad := edit{"bad", map[string]string{
		"lib/net/dial.go":  "package net\n" + text(40, map[int]string{2: "// line 2a\n// line 2b\n// line 2c\n", 29: "\n", 30: "func Connect() {}\n"}),
		"lib/text/wrap.go": "package text\n" + text(9, map[int]string{5: "var wide = 1\n"}), "lib/text/wrap_test.go": "package text\n" + text(9, map[int]string{5: "// changed\n"}),
		"main.go": "package main\n" + text(9, map[int]string{5: "// changed\n"}), "web/app.py": text(9, map[int]string{5: "x = 1\n"}),
	}}
	return []edit{good, bad}
}

func all(n int) iter.Seq[int] { return slices.Values(upTo(n)) }

func TestPrior(t *testing.T) {
	s := between(t, repository(t, priorStory()...), "r0", "r1")
	p := plan(t, s)
	short := func(weights []float64) string {
		var list []string
		for i, w := range weights {
			list = append(list, fmt.Sprintf("%s %.3g", strings.TrimPrefix(s.Changes[i].String(), "text "), w))
		}
		return strings.Join(list, ", ")
	}
	const (
		dial2  = "lib/net/dial.go:3"
		dial30 = "lib/net/dial.go:33"
		wrap   = "lib/text/wrap.go:6"
		test   = "lib/text/wrap_test.go:6"
		start  = "main.go:6"
		app    = "web/app.py:5"
	)
	none := map[string]string{}
	for _, row := range []struct {
		name, output string
		want         map[string]string // the weights that are not 1, before size: all hunks but one have a line
	}{
		{"nothing", "", none},
		{"nothing of the difference", "panic: runtime error\n\tother/file.go:12\nexit status 2\n", none},
		{"a passed test", "ok  \texample.com/m/lib/net\t0.1s\n--- PASS: TestDial\n    dial.go:33: fine\n", none},
		{"a line", "goroutine 1:\n\t/w/0/lib/net/dial.go:33 +0x1d\n", map[string]string{dial2: "5.09", dial30: "36"}},
		{"near a line", "/w/0/lib/net/dial.go:36: bad\n", map[string]string{dial2: "5.09", dial30: "36"}},
		{"a file", "see lib/net/dial.go for more\n", map[string]string{dial2: "5.09", dial30: "4.5"}},
		{"a package", "FAIL\texample.com/m/lib/net\t0.1s\n", map[string]string{dial2: "1.7", dial30: "1.5"}},
		{"a test", "--- FAIL: TestWrap (0.00s)\n    wrap_test.go:90: got 1\n", map[string]string{test: "3", wrap: "2"}},
		{"a traceback", "Traceback (most recent call last):\n  File \"/w/0/web/app.py\", line 5, in <module>\nZeroDivisionError\n", map[string]string{app: "36"}},
		{"a symbol", "panic in Connect\n", map[string]string{dial30: "2", dial2: "1.13"}},
		{"all of them", "lib/net/dial.go:33: 'Connect' broke in lib/net\n", map[string]string{dial2: "5.09", dial30: "50"}},
		{"msbuild", "main.go(6,1): error X1: no\n", map[string]string{start: "24"}},
	} {
		got := p.Prior(all(s.Len()), []byte(row.output))
		var want []string
		for i := range s.Changes {
			name := strings.TrimPrefix(s.Changes[i].String(), "text ")
			w := row.want[name]
			if w == "" {
				w = "1"
				if name == dial2 && len(row.want) > 0 {
					w = "1.13" // three lines
				}
			}
			want = append(want, name+" "+w)
		}
		if diff := cmp.Diff(strings.Join(want, ", "), short(got)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", row.name, diff)
		}
	}
	// At the good end the lines are good's: dial.go:31 is what 33 is in bad.
	got := p.Prior(slices.Values([]int(nil)), []byte("lib/net/dial.go:31: bad\n"))
	if i := slices.Index(got, slices.Max(got)); strings.TrimPrefix(s.Changes[i].String(), "text ") != dial30 || got[i] != 36 {
		t.Errorf("at the good end: %s", short(got))
	}
}

// The youngest commit weighs half as much again.
func TestPriorRecency(t *testing.T) {
	s := between(t, repository(t, manyFiles()...), "r0", "r3")
	if err := s.Blame(t.Context(), upTo(s.Len())); err != nil {
		t.Fatal(err)
	}
	p := plan(t, s)
	got := p.Prior(all(s.Len()), []byte("FAIL\tx/lib\t1s\n"))
	for i, w := range got {
		c := &s.Changes[i]
		want := map[string]float64{"first": 1, "second": 1.25, "third": 1.5}[c.Commits[0].Subject]
		if c.Path == "lib/top.go" {
			want *= 1.5
		}
		if w != want {
			t.Errorf("%v of %s weighs %v, want %v", c, c.Commits[0].Subject, w, want)
		}
	}
	if got := p.Prior(all(s.Len()), []byte("nothing\n")); slices.Max(got) != 1 || slices.Min(got) != 1 {
		t.Errorf("uniform weights: %v", got)
	}
}

// Whatever is printed, weights stay between 1 and 50, and are the same twice.
func TestPriorIsBounded(t *testing.T) {
	s := between(t, repository(t, priorStory()...), "r0", "r1")
	p := plan(t, s)
	seed := [2]uint64{4, 2}
	random := rand.New(rand.NewPCG(seed[0], seed[1]))
	pieces := []string{"lib/net/dial.go:33", "Connect", "FAIL\tm/lib/text", "wrap_test.go", "\x1b[31m", "\r", "\n", " ", ":", "'wide'", "error: ", "\xff", "main.go(6", "app.py\", line 5", strings.Repeat("a.go:1 ", 3000), "../.."}
	for range 300 {
		var b strings.Builder
		for range random.IntN(20) {
			b.WriteString(pieces[random.IntN(len(pieces))])
		}
		got := p.Prior(all(s.Len()), []byte(b.String()))
		if len(got) != s.Len() || slices.Min(got) < 1 || slices.Max(got) > 50 {
			t.Fatalf("weights %v from %q (seed %v)", got, b.String(), seed)
		}
		if again := p.Prior(all(s.Len()), []byte(b.String())); !slices.Equal(got, again) {
			t.Fatalf("not the same twice from %q (seed %v)", b.String(), seed)
		}
	}
}

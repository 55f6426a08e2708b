//go:build unix

package hunt

import (
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gitdd/gitdd/graph"
	"github.com/gitdd/gitdd/trial"
)

func TestMain(m *testing.M) {
	os.Setenv("GORACE", "atexit_sleep_ms=0")
	trial.Supervisor()
	os.Exit(m.Run())
}

// newTestSolvers returns solvers of commands, each a line of shell.
func newTestSolvers(t *testing.T, limits trial.Limits, lines ...string) *solvers {
	t.Helper()
	solving := Solving{Command: []string{"sh", "-c", lines[0], "sh", Here}, Against: lines[1:], Limits: limits, Start: t.TempDir()}
	s, err := newSolvers(filepath.Join(t.TempDir(), "work"), 1, solving, nil,
		func(*graph.Graph) ([]byte, error) { return []byte("(check-sat)\n"), nil })
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

var small = Case{Seed: 7, Text: []byte("1 var 1\n2 root 1 1\n"), Graph: &graph.Graph{}}

// What real processes do, and what it is called.
func TestClasses(t *testing.T) {
	for _, test := range []struct {
		name  string
		lines []string // of shell: of the solver, and of others
		want  Failure
		words string
	}{
		{"sat", []string{"echo sat; exit 10"}, Failure{}, "no failure"},
		{"unsat", []string{"echo unsat; exit 20"}, Failure{}, "no failure"},

		{"a signal", []string{"kill -SEGV $$"}, Failure{Class: Killed, Signal: "SIGSEGV"}, "killed by SIGSEGV"},
		{"another signal", []string{"echo about to abort; kill -ABRT $$"}, Failure{Class: Killed, Signal: "SIGABRT", Line: "about to abort"}, "killed by SIGABRT"},
		{"a shell's word of a rarer signal", []string{"exit 152"}, Failure{Class: Killed, Signal: "SIGXCPU"}, "killed by SIGXCPU"},
		{"a shell's word of a signal without a name", []string{"exit 168"}, Failure{Class: Killed, Signal: "SIG40"}, "killed by SIG40"},
		{"a signal comes before words", []string{"echo an assertion, out of memory >&2; kill -FPE $$"}, Failure{Class: Killed, Signal: "SIGFPE", Line: "an assertion, out of memory"}, "killed by SIGFPE"},
		{"a shell's word of a signal", []string{"sh -c 'kill -SEGV $$' 2>&1; exit $?"}, Failure{Class: Killed, Signal: "SIGSEGV", Line: "*"}, "killed by SIGSEGV"},

		{"caught", []string{"echo '[btormain] CAUGHT SIGNAL 11'; echo unknown; exit 11"}, Failure{Class: Caught, Exit: 11, Seen: "caught signal", Line: "[btormain] CAUGHT SIGNAL 11"}, "caught a signal, exit 11"},
		{"caught in silence", []string{"exit 6"}, Failure{Class: Caught, Exit: 6}, "caught a signal, exit 6"},
		{"caught another", []string{"echo one; echo '[btormain] caught signal 2' >&2; exit 2"}, Failure{Class: Caught, Exit: 2, Seen: "caught signal", Line: "[btormain] caught signal 2"}, "caught a signal, exit 2"},

		{"segmentation", []string{"echo first; echo 'a Segmentation fault' >&2; exit 1"}, Failure{Class: Segmentation, Exit: 1, Seen: "segmentation", Line: "a Segmentation fault"}, `printed "segmentation", exit 1`},
		{"segmentation, and a good exit status", []string{"echo SEGMENTATION; exit 10"}, Failure{Class: Segmentation, Exit: 10, Seen: "segmentation", Line: "SEGMENTATION"}, `printed "segmentation", exit 10`},
		{"assertion", []string{"echo \"a.c:3: f: Assertion \\`x > 0' failed.\" >&2; exit 1"},
			Failure{Class: Assertion, Exit: 1, Seen: "assertion", Line: "assert: x > 0", Signature: "assert: x > 0"}, `printed "assertion", exit 1`},

		{"out of memory", []string{"echo '[btormem] out of memory in x'; exit 1"}, Failure{Class: Memory, Exit: 1, Seen: "out of memory", Line: "[btormem] out of memory in x"}, `printed "out of memory", exit 1`},
		{"no end", []string{"echo some output; sleep 60"}, Failure{Class: Timeout}, "timed out"},
		{"no end, and a caught signal", []string{"trap 'echo CAUGHT SIGNAL 15; exit 15' TERM; while :; do sleep 0.02; done"}, Failure{Class: Timeout}, "timed out"},
		{"exit 0", []string{"echo sat"}, Failure{Class: Exit, Line: "sat"}, "exit 0"},
		{"exit 1", []string{`echo "$1:1: what is this"; exit 1`}, Failure{Class: Exit, Exit: 1, Line: "*/seed-7.btor:1: what is this"}, "exit 1"},

		{"two agree", []string{"exit 10", "echo sat"}, Failure{}, "no failure"},
		{"two differ", []string{"exit 10", "echo ' unsat '; echo more"}, Failure{Class: Disagreement, Line: "sh sat, echo unsat"}, "the answers differ: sh sat, echo unsat"},
		{"two of three differ", []string{"exit 20", "exit 0", "printf 'sat\nunsat\n'"}, Failure{Class: Disagreement, Line: "sh unsat, printf sat"}, "the answers differ: sh unsat, printf sat"},
		{"others that crash have no answer", []string{"exit 10", "kill -SEGV $$", "echo unsat; exit 1", "echo timeout", "echo unsat; sleep 60"}, Failure{}, "no failure"},
		{"a crash comes before a disagreement", []string{"exit 11", "echo sat", "echo unsat"}, Failure{Class: Caught, Exit: 11}, "caught a signal, exit 11"},
		{"the files", []string{`grep -q root "$1" && exit 10`, "grep -q check-sat {smt2} && grep -q root {} && grep -q root {btor} && echo unsat"}, Failure{Class: Disagreement, Line: "sh sat, grep unsat"}, "the answers differ: sh sat, grep unsat"},
	} {
		t.Run(test.name, func(t *testing.T) {
			// A command that ends is given time to, on a busy machine too.
			limits := trial.Limits{Timeout: time.Minute}
			if hangs := regexp.MustCompile("sleep 60|while :"); hangs.MatchString(test.lines[0]) {
				limits.Timeout = 300 * time.Millisecond
			} else if hangs.MatchString(strings.Join(test.lines, "\n")) {
				limits.Timeout = 3 * time.Second
			}
			s := newTestSolvers(t, limits, test.lines...)
			all, err := s.Run(t.Context(), 0, small)
			if err != nil {
				t.Fatal(err)
			}
			got := Judge(all, []int{10, 20}, labelsOf(s.commands))
			if suffix, ok := strings.CutPrefix(test.want.Line, "*"); ok && strings.HasSuffix(got.Line, suffix) {
				test.want.Line = got.Line
			}
			if got != test.want {
				t.Errorf("got  %+v\nwant %+v\nof %+v", got, test.want, all)
			}
			if got.String() != test.words {
				t.Errorf("in words %q", got.String())
			}
		})
	}
}

func TestMemory(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("nobody looks at memory here")
	}
	s := newTestSolvers(t, trial.Limits{Memory: 64 << 20, Timeout: time.Minute}, `exec awk 'BEGIN { s = "x"; while (length(s) < 500000000) s = s s; system("sleep 60") }'`)
	all, err := s.Run(t.Context(), 0, small)
	if err != nil {
		t.Fatal(err)
	}
	if f := Judge(all, []int{10, 20}, labelsOf(s.commands)); f != (Failure{Class: Memory}) || f.String() != "took more memory than --max-memory" {
		t.Errorf("%+v", f)
	}
}

func TestMissing(t *testing.T) {
	for _, lines := range [][]string{{"exit 10", "no-such-solver {}"}, {"exec no-such-solver"}} {
		s := newTestSolvers(t, trial.Limits{}, lines...)
		_, err := s.Run(t.Context(), 0, small)
		if missing, ok := err.(*MissingError); !ok || missing.Exit != 127 {
			t.Errorf("%v: %v", lines, err)
		}
	}
}

// With other good exit statuses, these are none.
func TestGood(t *testing.T) {
	for _, test := range []struct {
		exit int
		good []int
		want Class
	}{{0, []int{0}, Passed}, {10, []int{0}, Exit}, {11, []int{0, 11}, Passed}, {139, []int{139}, Passed}, {139, nil, Killed}, {200, nil, Exit}, {128, nil, Exit}} {
		if f := Judge([]trial.Execution{{Exit: test.exit}}, test.good, []string{"x"}); f.Class != test.want {
			t.Errorf("exit %d of good %v: %v", test.exit, test.good, f)
		}
	}
}

func TestLabels(t *testing.T) {
	got := labelsOf([]Command{{Argv: []string{"/usr/bin/boolector", "-rwl", "0"}}, {Line: "z3 {smt2}"}, {Line: " boolector {}"}, {Line: ""}})
	if want := []string{"boolector#1", "z3", "boolector#2", "sh"}; !slices.Equal(got, want) {
		t.Errorf("got %v", got)
	}
}

func TestSame(t *testing.T) {
	f := Failure{Class: Exit, Exit: 1, Line: "/tmp/x/seed-12.btor:3: node 0x7ffe at 12 is odd"}
	for _, line := range []string{"/otherplace/in/seed-9.btor:3: node 0x7ffe at 12 is odd", "in/seed-9.reduced.btor:77: node 0x8000 at 13 is odd"} {
		if g := (Failure{Class: Exit, Exit: 1, Line: line}); !f.Same(g) {
			t.Errorf("%q and %q differ", f.Line, g.Line)
		}
	}
	for _, g := range []Failure{{Class: Exit, Exit: 2, Line: f.Line}, {Class: Assertion, Exit: 1, Line: f.Line}, {Class: Exit, Exit: 1, Line: "/tmp/x/seed-12.btor:3: node 0x7ffe at 12 is even"}} {
		if f.Same(g) {
			t.Errorf("%+v is the same", g)
		}
		if alike := g.Class == f.Class && g.Exit == f.Exit; f.Alike(g) != alike {
			t.Errorf("%+v is alike: %v", g, !alike)
		}
	}
	one := Failure{Class: Disagreement, Line: "a sat, b unsat"}
	if other := (Failure{Class: Disagreement, Line: "a unsat, b sat"}); one.Alike(other) || !one.Alike(one) {
		t.Errorf("%+v and %+v", one, other)
	}
}

func TestPrinted(t *testing.T) {
	for line, want := range map[string]string{
		"/tmp/h/runs/0/in/seed-1.btor:4: literal '-2'":        "seed-1.btor:4: literal '-2'",
		"cannot read '/h/seed-12.reduced.smt2' of /tmp/other": "cannot read 'seed-12.reduced.smt2' of /tmp/other",
		"seed-1.btor: bad":                        "seed-1.btor: bad",
		"assertion at /src/seed-1.c:4":            "assertion at /src/seed-1.c:4",
		"a.c:3: Assertion `x' failed, /b/y.btor.": "a.c:3: Assertion `x' failed, /b/y.btor.",
	} {
		if got := (Failure{Line: line}).Printed(); got != want {
			t.Errorf("%q is shown as %q, want %q", line, got, want)
		}
	}
}

func TestPattern(t *testing.T) {
	line := "/tmp/gitdd-aa49b4fc/0/x.btor:23: NO {} (0x1f): literal '21' has length 33"
	pattern := regexp.MustCompile(Failure{Class: Exit, Exit: 1, Line: line}.Pattern())
	for _, test := range []struct {
		text string
		want bool
	}{
		{line, true},
		{"two\n/var/cache/a/b/x.btor:7: NO {} (0xabc): literal '1' has length 9\n", true},
		{"/tmp/gitdd-aa49b4fc/0/x.btor:23: NO {} (0x1f): literal '21' has width 33", false},
		{"/tmp/gitdd-aa49b4fc/0/x.btor:23: 7 {} (0x1f): literal '21' has length 33", false},
	} {
		if got := pattern.MatchString(test.text); got != test.want {
			t.Errorf("%s matches %q: %v", pattern, test.text, got)
		}
	}
	for _, f := range []Failure{{Class: Exit, Line: "sat"}, {Class: Exit}, {Class: Killed, Signal: "SIGSEGV", Line: "some output"}, {Class: Exit, Line: "odd \uFFFD"}, {Class: Timeout}} {
		if p := f.Pattern(); p != "" {
			t.Errorf("%+v: %q", f, p)
		}
	}
	if p := (Failure{Class: Memory, Seen: "out of memory", Line: "x: Out of memory"}).Pattern(); !regexp.MustCompile(p).MatchString("x: Out of memory") {
		t.Error(p)
	}
}

func TestGroups(t *testing.T) {
	crash, other := Failure{Class: Killed, Signal: "SIGSEGV"}, Failure{Class: Exit, Exit: 1, Line: "x"}
	finding := func(seed uint64, f Failure, shape string, nodes int) Finding {
		return Finding{Run: Run{Seed: seed, Failure: &f, Nodes: 100}, Reduction: &Reduction{Seed: seed, Failure: &f, Shape: shape, Nodes: nodes}}
	}
	plain := Finding{Run: Run{Seed: 5, Failure: &crash, Nodes: 4}}
	lost := finding(6, crash, "mul", 3)
	lost.Reduction.Failure = nil // what is left does not fail
	stopped := finding(7, crash, "mul", 5)
	stopped.Reduction.Reason = "after 3 trials"
	groups := Groups([]Finding{finding(1, crash, "mul", 7), finding(2, other, "mul", 7), finding(3, crash, "mul", 5), finding(4, crash, "write", 5), plain, lost, stopped, finding(8, crash, "mul", 5)})
	var got [][]uint64
	var smallest []uint64
	for _, g := range groups {
		got = append(got, seedsOf(g.Findings))
		smallest = append(smallest, g.Smallest().Seed)
	}
	if want := [][]uint64{{1, 3, 8}, {2}, {4}, {5, 6, 7}}; !slices.EqualFunc(got, want, slices.Equal) || !slices.Equal(smallest, []uint64{3, 2, 4, 5}) {
		t.Errorf("groups %v, smallest %v", got, smallest)
	}
}

func TestAlike(t *testing.T) {
	killed, before := Failure{Class: Killed, Signal: "SIGSEGV"}, Failure{Class: Killed, Signal: "SIGSEGV", Exit: 139} // as earlier manifests have it
	if !killed.Alike(before) || killed.Alike(Failure{Class: Killed, Signal: "SIGABRT"}) || (Failure{Class: Exit, Exit: 1}).Alike(Failure{Class: Exit, Exit: 2}) {
		t.Error("what was killed is told by its signal alone, and other failures by their exit status")
	}
}

func TestShape(t *testing.T) {
	node := func(op string, sort graph.Sort, args ...graph.Ref) graph.Node {
		return graph.Node{Op: op, Sort: sort, Args: args}
	}
	to := func(n int) graph.Ref { return graph.Ref{To: n} }
	bit, vector, array := graph.Sort{Width: 1}, graph.Sort{Width: 4}, graph.Sort{Width: 4, Index: 3}
	not := graph.Ref{To: 0, Not: true}
	leaves := []graph.Node{node("array", array), node("var", vector)}
	for _, test := range []struct {
		nodes []graph.Node
		want  string
	}{
		{[]graph.Node{node("read", vector, not, to(1)), node("redor", bit, to(2))}, "-read"},
		{[]graph.Node{node("read", vector, to(0), graph.Ref{To: 1, Not: true}), node("redor", bit, to(2))}, "read"},
		{[]graph.Node{node("mul", vector, to(1), to(1)), node("read", vector, to(0), to(1)), node("ult", bit, to(2), to(3)), node("add", vector, to(1), to(2)), node("mul", vector, to(1), to(2))}, "add mul"},
		{[]graph.Node{node("ult", bit, to(1), to(1)), node("and", bit, to(2), to(2)), node("read", vector, to(0), to(1))}, "read ult"},
		{[]graph.Node{node("nor", vector, to(1), to(1)), node("and", vector, to(2), to(2))}, "and nor"},
		{[]graph.Node{node("redor", bit, to(1)), node("root", bit, to(2))}, "array redor root var"},
	} {
		if got := Shape(&graph.Graph{Nodes: slices.Concat(leaves, test.nodes)}); got != test.want {
			t.Errorf("shape %q, want %q", got, test.want)
		}
	}
}

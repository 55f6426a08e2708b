package tui

import (
	"bytes"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/gitdd/gitdd/internal/git"
	"github.com/gitdd/gitdd/internal/prose"
	"github.com/gitdd/gitdd/isolate"
	"github.com/gitdd/gitdd/reduce"
	"github.com/gitdd/gitdd/reduction"
	"github.com/gitdd/gitdd/trial"
)

// tell plays a reduction of 1000 bytes: the input, a success, many failures, and
// the answer once more.
func tell(v Reduction) {
	event := func(n int, purpose trial.Purpose, tree string, size int64, o isolate.Outcome) {
		e := trial.Event{Kind: trial.Started, Trial: n, Attempt: 1, Purpose: purpose, Tree: git.ID(tree), Size: size}
		v.Trial(e)
		e.Kind, e.Verdict = trial.Finished, trial.Verdict{Outcome: o, Reason: "exit 1", LastLine: "boom"}
		v.Trial(e)
	}
	event(1, trial.End, "in", 1000, isolate.Fail)
	event(2, trial.Search, "a", 500, isolate.Fail)
	event(3, trial.Search, "ahead", 400, isolate.Pass) // by speculation, and not needed
	v.Event(reduction.Step{Step: reduce.Step{Trial: 1, Outcome: isolate.Fail, Pass: "structure", Best: 500, Size: 500, Digest: "a"}})
	for i := range 150 {
		tree := strings.Repeat("x", i+1)
		event(4+i, trial.Search, tree, 450, isolate.Pass)
		v.Event(reduction.Step{Step: reduce.Step{Trial: 2 + i, Outcome: isolate.Pass, Pass: "structure", Best: 500, Size: 450, Digest: tree}})
	}
	v.Event(reduction.Step{Step: reduce.Step{Trial: 151, Outcome: isolate.Pass, Pass: "names", Best: 500, Size: 450, Digest: "x"}}) // known
	event(154, trial.Confirm, "a", 500, isolate.Fail)
}

func TestShrinkingPlain(t *testing.T) {
	var out bytes.Buffer
	o := ReductionOptions{Options: Options{Out: &out}, Size: 1000, Unit: Bytes, Total: 1000}
	tell(NewReduction(o))
	want := `gitdd: trial 1: the input ... fail
gitdd: trial 2: structure, 500 bytes ... fail
gitdd: trial 103: structure, 450 bytes ... pass, 500 left
gitdd: trial 154: the answer in a fresh directory ... fail
`
	if out.String() != want {
		t.Errorf("got\n%s\nwant\n%s", &out, want)
	}
	out.Reset()
	o.Verbose = true
	tell(NewReduction(o))
	if n := strings.Count(out.String(), "\n"); n != 153 {
		t.Errorf("verbose: %d lines, want one for each trial on the path, 153", n)
	}
	if !strings.Contains(out.String(), "(exit 1, 0.0 s)") {
		t.Error("verbose: no reason")
	}
}

func TestShrinkingLive(t *testing.T) {
	c := newClock()
	v := newLiveReduction(func() (int, int, error) { return 80, 24, nil }, ReductionOptions{Options: Options{Out: io.Discard, Jobs: 1, Now: c.now}, Size: 1000, Unit: Bytes, Total: 1000})
	s := v.model
	tell(v)
	v.Trial(trial.Event{Kind: trial.Started, Trial: 155, Attempt: 1, Purpose: trial.Search, Size: 450})
	v.Close()
	v.Close()
	for _, width := range []int{30, 80, 200} {
		var lines []string
		for _, l := range s.render(width, 24, c.now().Add(3*time.Second)) {
			if n := l.Columns(); n >= width {
				t.Errorf("%d columns of %d", n, width)
			}
			lines = append(lines, l.Render(false))
		}
		if width != 80 {
			continue
		}
		want := `size      ██████████████████████░░░░░░░░░░░░░░░░░░░░░  500 of 1,000 bytes, 50 %
trials    154 run: 151 pass, 3 fail, 0 unresolved
outcomes  pppppppppppppppppppppppppppppppppppppppppppppppppppppppppppF
pass      names; smaller once, the last 151 trials ago
to go     not known: 0 of the last 50 trials made it smaller
now       trial 155, 3 s: 450 bytes
last      trial 154: fail, boom`
		if got := strings.Join(lines, "\n"); got != want {
			t.Errorf("got\n%s\nwant\n%s", got, want)
		}
	}
	v.Event(reduction.Step{Step: reduce.Step{Trial: 152, Outcome: isolate.Pass, Pass: "names", Best: 500, Size: 450, Digest: "y", Left: 38}})
	if got, want := s.expected(), "up to 38 trials of this pass, a few seconds, if nothing goes"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got := s.summary(c.now()); !strings.HasPrefix(got, "gitdd: 154 trials: 151 pass, 3 fail, 0 unresolved; ") {
		t.Error(got)
	}
	if n := prose.Columns(s.sizeLine(20).Render(false)); n > 60 {
		t.Errorf("%d columns", n)
	}
}

// tellNodes plays a reduction of a graph of 40 nodes and 1000 bytes: a success, one
// that takes no bytes, a trial that is about no graph, and a failure.
func tellNodes(v Reduction) {
	for n, step := range []reduce.Step{
		{Outcome: isolate.Fail, Pass: "nodes", Best: 300, Size: 300, Nodes: 12},
		{Outcome: isolate.Fail, Pass: "nodes", Best: 301, Size: 301, Nodes: 11},
		{Outcome: isolate.Pass, Pass: "files", Best: 301, Size: 0},
		{Outcome: isolate.Pass, Pass: "nodes", Best: 301, Size: 280, Nodes: 11},
	} {
		tree := strings.Repeat("x", n+1)
		e := trial.Event{Kind: trial.Started, Trial: n + 1, Attempt: 1, Purpose: trial.Search, Tree: git.ID(tree), Size: step.Size}
		v.Trial(e)
		e.Kind, e.Verdict = trial.Finished, trial.Verdict{Outcome: step.Outcome, Reason: "exit 1", LastLine: "boom"}
		v.Trial(e)
		step.Trial, step.Digest = n+1, tree
		v.Event(reduction.Step{Step: step})
	}
}

func TestShrinkingNodes(t *testing.T) {
	var out bytes.Buffer
	tellNodes(NewReduction(ReductionOptions{Options: Options{Out: &out}, Size: 1000, Unit: Nodes, Total: 40}))
	want := `gitdd: trial 1: nodes, 300 bytes ... fail, 12 nodes left
gitdd: trial 2: nodes, 301 bytes ... fail, 11 nodes left
`
	if out.String() != want {
		t.Errorf("got\n%s\nwant\n%s", &out, want)
	}
	c := newClock()
	v := newLiveReduction(func() (int, int, error) { return 80, 24, nil }, ReductionOptions{Options: Options{Out: io.Discard, Jobs: 1, Now: c.now}, Size: 1000, Unit: Nodes, Total: 40})
	s := v.model
	tellNodes(v)
	v.Close()
	var lines []string
	for _, l := range s.render(80, 24, c.now()) {
		lines = append(lines, l.Render(false))
	}
	got := strings.Join(lines, "\n")
	for _, want := range []string{"  11 of 40 nodes, 28 %", "pass      nodes; smaller 2 times, the last 2 trials ago"} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
}

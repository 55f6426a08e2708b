package reduction_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gitdd/gitdd/internal/seed"
	"github.com/gitdd/gitdd/isolate"
	"github.com/gitdd/gitdd/reduce"
	"github.com/gitdd/gitdd/reduction"
	"github.com/gitdd/gitdd/testcase"
	"github.com/gitdd/gitdd/trial"
)

func TestMain(m *testing.M) {
	// With the race detector each process that ends would sleep for a second.
	os.Setenv("GORACE", "atexit_sleep_ms=0")
	trial.Supervisor()
	os.Exit(m.Run())
}

func file(name, content string) testcase.Input {
	return testcase.Input{Files: []testcase.File{{Path: name, Mode: 0o644, Content: []byte(content)}}}
}

// newSession makes a session below a directory of its own.
func newSession(t *testing.T) *trial.Session {
	t.Helper()
	session, err := trial.CreateSession(t.TempDir(), trial.Header{Name: "reduction", Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { session.Close() })
	return session
}

// newRunner makes a runner of a script of sh, in which $1 is the input.
func newRunner(t *testing.T, input testcase.Input, script string, change func(*trial.InputOptions)) *trial.Inputs {
	t.Helper()
	o := trial.InputOptions{Original: input}
	o.Command = []string{"sh", "-c", script, "test", "{}"}
	if change != nil {
		change(&o)
	}
	if o.Session == nil {
		o.Session = newSession(t)
	}
	runner, err := trial.NewInputs(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { runner.Close() })
	return runner
}

const letters = "alpha\nbeta\ngamma\ndelta\nepsilon\nzeta\neta\ntheta\n"

// betaEta fails on a text that has the lines beta and eta.
const betaEta = `grep -qx beta "$1" && grep -qx eta "$1" && { echo both; exit 3; }; exit 0`

// readyBetaEta is like betaEta, but it also fails, in other words, on a text without the line alpha.
const readyBetaEta = `grep -qx alpha "$1" || { echo FAIL not ready; exit 3; }; grep -qx beta "$1" && grep -qx eta "$1" && { echo FAIL $(grep -c . "$1"); exit 3; }; exit 0`

func text(f reduction.Found) string { return string(f.Result.Output.Files[0].Content) }

func TestRun(t *testing.T) {
	t.Parallel()
	var improved []string
	var events []string
	runner := newRunner(t, file("a.txt", letters), betaEta, nil)
	found, err := reduction.Run(t.Context(), reduction.Options{
		Runner: runner,
		Reduce: reduce.Options{Improved: func(in testcase.Input) error {
			improved = append(improved, string(in.Files[0].Content))
			return nil
		}},
		Observe: func(e reduction.Event) {
			if step, ok := e.(reduction.Step); ok {
				events = append(events, step.Pass)
			}
		},
	})
	if err != nil || text(found) != "beta\neta" || !found.Failed || !found.Verified || !found.Result.Minimal || found.Original.Exit != 3 {
		t.Fatalf("found %+v, error %v", found, err)
	}
	if len(improved) == 0 || improved[len(improved)-1] != text(found) {
		t.Errorf("the last smaller input was %q", improved)
	}
	if len(events) < len(improved) {
		t.Errorf("%d events of %d smaller inputs", len(events), len(improved))
	}
	first, last := found.Curve[0], found.Curve[len(found.Curve)-1]
	if first != (reduction.Point{Bytes: int64(len(letters))}) || last.Bytes != 8 {
		t.Errorf("the curve goes from %v to %v", first, last)
	}
	if kept := found.Trails.Kept("a.txt", []byte("beta\neta")); !slices.Equal(kept, [][2]int{{6, 11}, {36, 39}}) {
		t.Errorf("kept are %v", kept)
	}
	if found.Passes[found.Result.Output.Digest()] == "" {
		t.Error("no pass asked about the output")
	}
}

// Each function from the 16 subsets of four lines to pass and fail, for which all lines fail and none
// passes, is a test once. The output fails, and no line can be left out of it.
func TestRunEveryTest(t *testing.T) {
	seed.SkipLong(t, 8)
	t.Parallel()
	lines := []string{"a\n", "b\n", "c\n"}
	n := len(lines)
	full := 1<<n - 1
	for table := range 1 << (full - 1) { // bit i: the subset i+1 fails
		fails := func(subset int) bool { return subset == full || subset > 0 && table>>(subset-1)&1 == 1 }
		script := "s=0\n"
		for i, line := range lines {
			script += fmt.Sprintf("case $(cat \"$1\") in *%s*) s=$((s + %d));; esac\n", strings.TrimSpace(line), 1<<i)
		}
		script += "case $s in"
		for subset := range full + 1 {
			if fails(subset) {
				script += fmt.Sprintf(" %d) exit 1;;", subset)
			}
		}
		script += " esac\n"
		runner := newRunner(t, file("x", strings.Join(lines, "")), script, nil)
		found, err := reduction.Run(t.Context(), reduction.Options{Runner: runner, Reduce: reduce.Options{Format: "lines", Passes: []string{"structure"}}})
		if err != nil || !found.Verified || !found.Result.Minimal {
			t.Fatalf("table %06b: %+v, error %v", table, found, err)
		}
		subset := 0
		for i, line := range lines {
			if strings.Contains(text(found), line) {
				subset |= 1 << i
			}
		}
		if !fails(subset) {
			t.Errorf("table %06b: the output %q does not fail", table, text(found))
		}
		for i := range n {
			if subset>>i&1 == 1 && fails(subset&^(1<<i)) {
				t.Errorf("table %06b: of the output %q line %d can be left out", table, text(found), i)
			}
		}
		runner.Close()
	}
}

// whenConfirming creates a file in the directory of the session's start before the answer is confirmed.
func whenConfirming(name string) func(*trial.InputOptions) {
	return func(o *trial.InputOptions) {
		dir := o.Session.Header().Dir
		o.Observe = func(e trial.Event) {
			if e.Kind == trial.Started && e.Purpose == trial.Confirm {
				os.WriteFile(filepath.Join(dir, name), nil, 0o666)
			}
		}
	}
}

func TestRunEnds(t *testing.T) {
	t.Parallel()
	var ends *trial.EndsError
	var flaky *trial.FlakyError
	var oracle *reduction.OracleError
	graph := file("a.btor", "1 var 8\n2 var 8\n3 add 8 1 2\n4 constd 8 3\n5 eq 1 3 4\n6 root 1 5\n")
	for name, c := range map[string]struct {
		input  testcase.Input
		script string
		change func(*trial.InputOptions)
		check  func(found reduction.Found, err error) bool
	}{
		"passes": {file("a", letters), "exit 0", nil, func(f reduction.Found, err error) bool {
			return errors.As(err, &ends) && !f.Failed && f.Original.Outcome == isolate.Pass
		}},
		"always fails": {file("a", letters), "echo no; exit 1", nil, func(f reduction.Found, err error) bool {
			return errors.Is(err, reduction.ErrIndistinct) && f.Empty &&
				f.Withheld == `the command fails on an empty input as it does on the input: exit 1, output line "no"`
		}},
		"fails on nothing in other words": {file("a", letters), readyBetaEta, nil, func(f reduction.Found, err error) bool {
			return err == nil && text(f) == "alpha\nbeta\neta" && f.Verified && f.Result.Minimal
		}},
		"always fails, in other words each time": {file("a", letters), "echo FAIL $(echo $$ | tr 0-9 a-j); exit 1", nil, func(f reduction.Found, err error) bool {
			return errors.Is(err, reduction.ErrIndistinct) && f.Empty
		}},
		"always fails, and repeats the input": {file("a", letters), `echo "got: $(cat "$1")"; exit 1`, nil, func(f reduction.Found, err error) bool {
			return errors.Is(err, reduction.ErrIndistinct) && f.Empty
		}},
		"always interesting": {file("a", letters), "exit 0", func(o *trial.InputOptions) { o.Interesting = true }, func(f reduction.Found, err error) bool {
			return err == nil && len(text(f)) == 0 && f.Verified
		}},
		"too many trials": {file("a", letters), betaEta, func(o *trial.InputOptions) { o.MaxTrials = 6 }, func(f reduction.Found, err error) bool {
			return errors.Is(err, isolate.ErrBudget) && f.Failed && !f.Verified && strings.Contains(text(f), "beta\n") && len(text(f)) < len(letters)
		}},
		"repeatedly passes when confirmed": {file("a", letters), `test -e "$GITDD_DIR/late" && exit 0; ` + betaEta, func(o *trial.InputOptions) {
			whenConfirming("late")(o)
			o.Confidence = 0.9
		}, func(f reduction.Found, err error) bool {
			return errors.Is(err, reduction.ErrWithheld) && strings.HasPrefix(f.Withheld, "what was found does not fail again: ") && !f.Verified
		}},
		"passes when confirmed": {file("a", letters), `test -e "$GITDD_DIR/late" && exit 0; ` + betaEta, whenConfirming("late"), func(f reduction.Found, err error) bool {
			return errors.As(err, &flaky) && !f.Verified
		}},
		"a solver's answer": {graph, "echo sat; exit 2", nil, func(f reduction.Found, err error) bool {
			return errors.As(err, &oracle) && oracle.Problem == reduction.Answered && !f.Failed
		}},
		"not read": {graph, `echo "$1:3: unknown operator"; exit 1`, nil, func(f reduction.Found, err error) bool {
			return errors.As(err, &oracle) && oracle.Problem == reduction.NotRead &&
				strings.Contains(err.Error(), `exit 1, "a.btor:3: unknown operator"`)
		}},
		"a hang at first": {graph, `test -e "$GITDD_DIR/once" && exit 0; : >"$GITDD_DIR/once"; sleep 600`,
			func(o *trial.InputOptions) { o.Timeout = time.Second },
			func(f reduction.Found, err error) bool {
				return errors.As(err, &oracle) && oracle.Problem == reduction.OnceInTwo
			}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			runner := newRunner(t, c.input, c.script, func(o *trial.InputOptions) {
				o.Session = newSession(t)
				if c.change != nil {
					c.change(o)
				}
			})
			found, err := reduction.Run(t.Context(), reduction.Options{Runner: runner})
			if !c.check(found, err) {
				t.Errorf("found %+v, error %v", found, err)
			}
		})
	}
}

// What the empty input says tells failures apart, however often it is asked about.
func TestEmptyAskedTwice(t *testing.T) {
	t.Parallel()
	runner := newRunner(t, file("a", letters), readyBetaEta, nil)
	if _, err := runner.Original(t.Context()); err != nil {
		t.Fatal(err)
	}
	empty := file("a", letters).Empty()
	for _, c := range []struct {
		in   testcase.Input
		want isolate.Outcome
	}{
		{empty, isolate.Unresolved},
		{empty, isolate.Unresolved},
		{file("a", "eta\n"), isolate.Unresolved},
		{file("a", "alpha\nbeta\neta\n"), isolate.Fail},
		{file("a", "alpha\n"), isolate.Pass},
	} {
		if v, err := runner.Test(t.Context(), c.in); err != nil || v.Outcome != c.want {
			t.Errorf("%q: %v, %v, want %v", c.in.Files, v.Outcome, err, c.want)
		}
	}
}

// A reduction that was cut short asks the journal first.
func TestRunResumes(t *testing.T) {
	seed.SkipLong(t, 8)
	t.Parallel()
	for _, script := range []string{betaEta, readyBetaEta} {
		resumes(t, script)
	}
}

func resumes(t *testing.T, script string) {
	t.Helper()
	whole := newRunner(t, file("a", letters), script, nil)
	want, err := reduction.Run(t.Context(), reduction.Options{Runner: whole})
	if err != nil {
		t.Fatal(err)
	}
	session := newSession(t)
	for cut := 1; ; cut++ {
		ctx, cancel := context.WithCancel(t.Context())
		trials := 0
		runner := newRunner(t, file("a", letters), script, func(o *trial.InputOptions) {
			o.Session = session
			o.Observe = func(e trial.Event) {
				if e.Kind == trial.Finished {
					if trials++; trials == 3 {
						cancel()
					}
				}
			}
		})
		found, err := reduction.Run(ctx, reduction.Options{Runner: runner})
		runner.Close()
		cancel()
		if err == nil {
			if text(found) != text(want) || len(session.Records()) != whole.Stats().Run {
				t.Errorf("cut short every 3 trials, it found %q in %d trials, not %q in %d", text(found), len(session.Records()), text(want), whole.Stats().Run)
			}
			return
		}
		if !errors.Is(err, context.Canceled) || cut > whole.Stats().Run {
			t.Fatalf("part %d: %v", cut, err)
		}
	}
}

func TestIsolate(t *testing.T) {
	t.Parallel()
	passing := file("a", "alpha\ngamma\ndelta\neta\ntheta\n")
	run := func(t *testing.T, script string, passing *testcase.Input) (reduction.Found, error) {
		runner := newRunner(t, file("a", letters), script, func(o *trial.InputOptions) { o.Passing = passing })
		return reduction.Isolate(t.Context(), reduction.Options{Runner: runner})
	}
	found, err := run(t, betaEta, &passing)
	if d := found.Difference; err != nil || d == nil || !d.Minimal || d.Left != 2 || d.Units != "tokens" || !found.Verified {
		t.Fatalf("found %+v of %+v, error %v", d, found, err)
	}
	patch, err := reduction.UnifiedDiff(t.Context(), found.Difference.Passing.Files[0].Content, found.Difference.Failing.Files[0].Content, "passes", "fails")
	if err != nil || !bytes.HasPrefix(patch, []byte("--- passes\n+++ fails\n@@ ")) || !bytes.Contains(patch, []byte("\n+beta\n")) || bytes.Count(patch, []byte("\n+")) != 2 {
		t.Errorf("the difference is\n%s, error %v", patch, err)
	}
	if _, err := run(t, betaEta, nil); err == nil || !strings.Contains(err.Error(), "Passing") {
		t.Errorf("without a passing input: %v", err)
	}
	also := file("a", "beta\neta\n")
	var ends *trial.EndsError
	if _, err := run(t, betaEta, &also); !errors.As(err, &ends) || !strings.Contains(err.Error(), "does not pass on the passing input: exit 3") {
		t.Errorf("with a passing input that fails: %v", err)
	}
}

// Repeated until it is sure, the answer is that of a test that is not flaky, and no more attempts are made
// than the limit allows.
func TestRunFlaky(t *testing.T) {
	seed.SkipLong(t, 8)
	t.Parallel()
	// One attempt in six says the opposite.
	script := `n=$(cat "$GITDD_DIR/n" 2>/dev/null || echo 0); echo $((n + 1)) >"$GITDD_DIR/n"
bad=0; grep -qx beta "$1" && grep -qx eta "$1" && bad=1
test $((n * 7 % 6)) -eq 5 && bad=$((1 - bad)); exit $bad`
	runner := newRunner(t, file("a", "alpha\nbeta\ngamma\neta\n"), script, func(o *trial.InputOptions) { o.Confidence = 0.99 })
	found, err := reduction.Run(t.Context(), reduction.Options{Runner: runner})
	if err != nil || text(found) != "beta\neta" || !found.Settled.Holds || found.Settled.Total > 0.01 {
		t.Errorf("found %q, settled %+v, error %v", text(found), found.Settled, err)
	}
	attempts := runner.Stats().Run

	limited := newRunner(t, file("a", "alpha\nbeta\ngamma\neta\n"), script, func(o *trial.InputOptions) {
		o.Confidence, o.MaxTrials = 0.99, attempts/2
	})
	if found, err := reduction.Run(t.Context(), reduction.Options{Runner: limited}); !errors.Is(err, isolate.ErrBudget) || found.Verified {
		t.Errorf("with a limit of %d attempts of %d: %v", attempts/2, attempts, err)
	}
}

// With confidence, too, the difference of two inputs is searched for in no more attempts than the limit allows.
func TestIsolateFlaky(t *testing.T) {
	t.Parallel()
	passing := file("a", "alpha\ngamma\ndelta\neta\ntheta\n")
	run := func(most int) (reduction.Found, int, error) {
		runner := newRunner(t, file("a", letters), betaEta, func(o *trial.InputOptions) {
			o.Passing, o.Confidence, o.MaxTrials = &passing, 0.99, most
		})
		found, err := reduction.Isolate(t.Context(), reduction.Options{Runner: runner})
		return found, runner.Stats().Run, err
	}
	found, attempts, err := run(0)
	if err != nil || !found.Verified || !found.Settled.Holds || found.Difference.Left != 2 {
		t.Fatalf("found %+v, error %v", found.Difference, err)
	}
	for _, most := range []int{attempts / 3, attempts / 2, attempts - 1} {
		found, made, err := run(most)
		if !errors.Is(err, isolate.ErrBudget) || found.Verified || made > most {
			t.Errorf("with a limit of %d attempts of %d: %d were made, error %v", most, attempts, made, err)
		}
	}
}

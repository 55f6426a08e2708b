package trial

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/gitdd/gitdd/internal/seed"
	"github.com/gitdd/gitdd/isolate"
)

// flakyBench is a runner on n files, of which culprit makes the test fail, but for
// percent of the attempts, which pass. Which ones depends on the seed, the files
// and the number of the attempt alone.
func flakyBench(t *testing.T, h history, s *Session, seed, percent int, set func(*Options)) *bench {
	t.Helper()
	return h.benchIn(s, func(o *Options) {
		o.Command = []string{"sh", "-c", fmt.Sprintf(`grep -q 1 culprit || exit 0
luck=$( { echo %d $GITDD_ATTEMPT; cat a b c d culprit; } | cksum | cut -d' ' -f1)
test $((luck / 7 %% 100)) -ge %d && exit 1
exit 0`, seed, percent)}
		o.Confidence = 0.99
		set(o)
	})
}

func flakyHistory(t *testing.T) history {
	h := newHistory(t)
	h.commit("good", "a", "0\n", "b", "0\n", "c", "0\n", "culprit", "0\n", "d", "0\n")
	h.commit("bad", "a", "1\n", "b", "1\n", "c", "1\n", "culprit", "1\n", "d", "1\n")
	return h
}

// surely searches until the answer holds.
func (b *bench) surely(ctx context.Context) (isolate.Result, Settled, error) {
	p := isolate.Problem{N: b.set.Len()}
	for {
		result, err := isolate.Search(ctx, p, b.Test(b.set), isolate.Options{
			Jobs: b.opts.Jobs,
			Doubt: func(ctx context.Context, c isolate.Configuration, o isolate.Outcome, odds float64) (bool, error) {
				return b.Doubt(ctx, b.set, c, o, odds)
			},
		})
		if errors.Is(err, isolate.ErrTurned) {
			continue
		}
		if err != nil {
			return result, Settled{}, err
		}
		var claims []Claim
		for _, w := range result.Evidence {
			claims = append(claims, Claim{b.set, w.Config, w.Outcome})
		}
		settled, err := b.Settle(ctx, claims)
		if err != nil || settled.Holds {
			return result, settled, err
		}
	}
}

// path is what attempts came to, by their question and number, without those that
// were run ahead of the path of the one with fewer.
func attempts(records []Record) map[string]string {
	all := map[string]string{}
	for _, r := range records {
		all[fmt.Sprintf("%s %s %d", r.Tree, r.Key, r.Attempt)] = isolate.Outcome(r.Outcome).String()
	}
	return all
}

// TestBelief: with a test that is wrong at times the answer is right and the same
// for any number of jobs, and each attempt is in the journal.
func TestBelief(t *testing.T) {
	seed.SkipLong(t, 6)
	h := flakyHistory(t)
	for seed := range 4 {
		var first isolate.Result
		var risk []float64
		var path map[string]string
		for _, jobs := range []int{1, 2, 4} {
			b := flakyBench(t, h, h.session(t.TempDir()), seed, 25, func(o *Options) { o.Jobs = jobs })
			e := b.ends()
			if e.Direction != Break || e.Good.Outcome != isolate.Pass || e.Bad.Outcome != isolate.Fail || e.Bad.Exit != 1 {
				t.Errorf("ends: %+v", e)
			}
			result, settled, err := b.surely(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if result.Cause != b.config("culprit") {
				t.Errorf("seed %d, -j %d: cause %v", seed, jobs, result.Cause)
			}
			sum := 0.0
			for _, r := range settled.Risk {
				sum += r
			}
			if sum > 0.01 {
				t.Errorf("seed %d: risk %v", seed, settled.Risk)
			}
			f := b.Flakiness()
			if f.Good.Fail > 0 || f.Bad.Pass+f.Bad.Fail < 4 || f.WrongPass < 0.05 {
				t.Errorf("seed %d: %+v", seed, f)
			}
			now := attempts(b.sess.Records())
			if jobs == 1 {
				first, risk, path = result, settled.Risk, now
				if s := b.Stats(); s.Run != len(now) {
					t.Errorf("%d trials, %d attempts in the journal", s.Run, len(now))
				}
				t.Logf("seed %d: %d trials, bad passes %d of %d, torn %d", seed, len(now), f.Bad.Pass, f.Bad.Total(), len(f.Torn))
			} else {
				if result.Cause != first.Cause || result.Passing != first.Passing || !slices.Equal(risk, settled.Risk) {
					t.Errorf("seed %d, -j %d: %+v %v; -j 1: %+v %v", seed, jobs, result, settled.Risk, first, risk)
				}
				for key, outcome := range path {
					if now[key] != outcome {
						t.Errorf("seed %d, -j %d: attempt %s: %q, with -j 1 %q", seed, jobs, key, now[key], outcome)
					}
				}
			}
			b.close()
		}
	}
}

// TestBeliefResumed: a search that is resumed after each attempt takes the path of
// one that is not interrupted, and makes no attempt twice.
func TestBeliefResumed(t *testing.T) {
	seed.SkipLong(t, 6)
	h := flakyHistory(t)
	const seed = 3
	whole := flakyBench(t, h, h.session(t.TempDir()), seed, 25, func(*Options) {})
	whole.ends()
	want, wantSettled, err := whole.surely(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	records := whole.sess.Records()

	s := h.session(t.TempDir())
	dir := s.Dir()
	for stops := 0; ; stops++ {
		ctx, stop := context.WithCancel(t.Context())
		made := 0
		b := flakyBench(t, h, s, seed, 25, func(o *Options) {
			o.Observe = func(e Event) {
				if e.Kind == Finished {
					if made++; made == 3 {
						stop()
					}
				}
			}
		})
		var result isolate.Result
		var settled Settled
		_, err := b.Ends(ctx, b.set)
		if err == nil {
			result, settled, err = b.surely(ctx)
		}
		stop()
		got := b.sess.Records()
		b.close()
		if err == nil {
			if result.Cause != want.Cause || !slices.Equal(settled.Risk, wantSettled.Risk) {
				t.Errorf("resumed: %+v, %v; want %+v, %v", result, settled, want, wantSettled)
			}
			if len(got) != len(records) {
				t.Errorf("%d trials in %d pieces, %d at once", len(got), stops+1, len(records))
			}
			for i := range min(len(got), len(records)) {
				if g, w := got[i], records[i]; g.Tree != w.Tree || g.Attempt != w.Attempt || g.Outcome != w.Outcome || g.Purpose != w.Purpose {
					t.Errorf("record %d: %+v, want %+v", i, g, w)
				}
			}
			if stops == 0 {
				t.Error("it was never stopped")
			}
			return
		}
		if !errors.Is(err, context.Canceled) {
			t.Fatal(err)
		}
		if s, err = OpenSession(dir); err != nil {
			t.Fatal(err)
		}
	}
}

// TestBeliefEnds: ends that cannot be told apart are no ends.
func TestBeliefEnds(t *testing.T) {
	h := flakyHistory(t)
	for _, test := range []struct{ name, line, want string }{
		{"steady", "exit 0", "the test passes at both ends: good: exit 0; bad: exit 0 (16 tries at good and 16 at bad)"},
		{"coin", "exit $((GITDD_ATTEMPT % 2))", "the ends cannot be told apart: good passes "},
		{"unresolved", "grep -q 0 culprit || exit 125", "the bad end cannot be judged: exit 125"},
	} {
		b := h.bench(func(o *Options) {
			script(test.line)(o)
			o.Confidence = 0.9
		})
		_, err := b.Ends(t.Context(), b.set)
		var ends *EndsError
		if !errors.As(err, &ends) || !strings.HasPrefix(err.Error(), test.want) {
			t.Errorf("%s: %v", test.name, err)
		}
		t.Logf("%s: %v; %d trials", test.name, err, b.Stats().Run)
	}
	// The end that fails may be the good one.
	b := flakyBench(t, h, h.session(t.TempDir()), 1, 20, func(o *Options) {
		o.Command[2] = strings.Replace(o.Command[2], "grep -q 1", "grep -q 0", 1)
	})
	if e := b.ends(); e.Direction != Fix || e.Good.Outcome != isolate.Fail || e.Bad.Outcome != isolate.Pass {
		t.Errorf("%+v", e)
	}
}

// TestBeliefFresh: with a sequential test a single attempt that disagrees is no
// contradiction, and a stale product is one.
func TestBeliefFresh(t *testing.T) {
	h := flakyHistory(t)
	b := flakyBench(t, h, h.session(t.TempDir()), 1, 25, func(*Options) {})
	b.ends()
	full := isolate.Full(b.set.Len())
	v, err := b.Confirm(t.Context(), b.set, full, isolate.Fail)
	if err != nil || v.Outcome != isolate.Fail {
		t.Errorf("%+v, %v", v, err)
	}
	before := b.Stats().Run
	if v, err = b.Confirm(t.Context(), b.set, full, isolate.Fail); err != nil || b.Stats().Run != before {
		t.Errorf("again: %d more trials, %v", b.Stats().Run-before, err)
	}
}

// TestBeliefFreshEnds: a confirmation that disagrees makes the ends be tried again, and they may turn out to be no ends.
func TestBeliefFreshEnds(t *testing.T) {
	seed.SkipLong(t, 6)
	h := flakyHistory(t)
	coin := filepath.Join(t.TempDir(), "coin") // once this file is there, the test tosses a coin
	b := h.bench(func(o *Options) {
		script(fmt.Sprintf("if test -e %s; then exit $((GITDD_ATTEMPT %% 2)); fi; grep -q 0 culprit", coin))(o)
		o.Confidence = 0.9
	})
	b.ends()
	if err := os.WriteFile(coin, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	_, err := b.Confirm(t.Context(), b.set, isolate.Empty(b.set.Len()), isolate.Pass)
	var ends *EndsError
	if !errors.As(err, &ends) || !ends.Flaky {
		t.Errorf("%v", err)
	}
	t.Logf("%v; %d trials", err, b.Stats().Run)
}

// TestBeliefOutput: what stands for all tries is the first that had their outcome,
// not one that was wrong.
func TestBeliefOutput(t *testing.T) {
	h := flakyHistory(t)
	b := h.bench(func(o *Options) {
		script("echo try $GITDD_ATTEMPT", "grep -q 1 culprit || exit 0", "test $GITDD_ATTEMPT = 1 || exit 7")(o)
		o.Confidence = 0.9
	})
	e := b.ends()
	if e.Bad.Outcome != isolate.Fail || e.Bad.Exit != 7 || read(t, e.Bad.Stdout) != "try 2\n" {
		t.Errorf("bad: %+v", e.Bad)
	}
	output, ok := b.Output(b.set, isolate.Full(b.set.Len()))
	if !ok || string(output) != "try 2\n" {
		t.Errorf("output %q, %v", output, ok)
	}
	if _, ok := b.Output(b.set, b.config("culprit")); ok {
		t.Error("there is output of what was never asked")
	}
}

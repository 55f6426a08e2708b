package trial

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/gitdd/gitdd/internal/seed"
	"github.com/gitdd/gitdd/isolate"
	"github.com/gitdd/gitdd/testcase"
)

// luckyScript fails on a file with the lines c and f, but for percent of the
// attempts, which pass. Which ones depends on the seed, the file and the number of
// the attempt alone.
func luckyScript(seed, percent int) string {
	return fmt.Sprintf(`grep -q c in && grep -q f in || exit 0
luck=$( { echo %d $GITDD_ATTEMPT; cat in; } | cksum | cut -d' ' -f1)
test $((luck / 7 %% 100)) -ge %d && exit 1
exit 0`, seed, percent)
}

// subset is the input of some of the lines a to h.
func lines(c isolate.Configuration) testcase.Input {
	var text strings.Builder
	for i := range c.All() {
		fmt.Fprintf(&text, "%c\n", 'a'+i)
	}
	return file("in", text.String())
}

// surely reduces the lines until the answer holds.
func (r *reducer) surely(ctx context.Context) (testcase.Input, error) {
	if _, err := r.Original(ctx); err != nil {
		return testcase.Input{}, err
	}
	for {
		min, err := isolate.Minimize(ctx, isolate.List{N: 8}, func(ctx context.Context, c isolate.Configuration) (isolate.Outcome, error) {
			v, err := r.Test(ctx, lines(c))
			return v.Outcome, err
		}, isolate.MinimizeOptions{Jobs: r.opts.Jobs})
		if err != nil {
			return lines(min.Kept), err
		}
		claims := []InputClaim{{lines(min.Kept), isolate.Fail}}
		for i := range min.Kept.All() { // that it is minimal
			smaller := lines(min.Kept.Minus(isolate.Empty(8).With(i)))
			v, err := r.Test(ctx, smaller)
			if err != nil {
				return smaller, err
			}
			claims = append(claims, InputClaim{smaller, v.Outcome})
		}
		settled, err := r.Settle(ctx, claims)
		if err != nil || settled.Holds {
			return lines(min.Kept), err
		}
	}
}

func (r *reducer) text(in testcase.Input) string {
	return strings.ReplaceAll(string(in.Files[0].Content), "\n", "")
}

// TestInputBelief: with a test that is wrong at times the answer is right and the
// same for any number of jobs, and a session that was interrupted makes no attempt
// again.
func TestInputBelief(t *testing.T) {
	seed.SkipLong(t, 6)
	random := rand.New(rand.NewPCG(seed.New(t), 0))
	for _, percent := range []int{0, 30} {
		number := random.IntN(1000)
		script := luckyScript(number, percent)
		sure := func(jobs int) func(*InputOptions) {
			return func(o *InputOptions) { o.Confidence, o.Jobs = 0.9999, jobs }
		}
		original := lines(isolate.Full(8))
		one := reducing(t, original, script, sure(1))
		answer, err := one.surely(context.Background())
		if err != nil {
			t.Fatalf("seed %d, %d%%: %v", number, percent, err)
		}
		if got := one.text(answer); got != "cf" {
			t.Errorf("seed %d, %d%%: %q is left", number, percent, got)
		}
		if v, err := one.Confirm(context.Background(), answer); err != nil || v.Outcome != isolate.Fail {
			t.Errorf("seed %d, %d%%: confirm: %+v, %v", number, percent, v, err)
		}
		f := one.Flakiness()
		if f.Good.Pass < 4 || f.Good.Fail > 0 || f.Failing.Fail < 8 {
			t.Errorf("seed %d, %d%%: %+v", number, percent, f)
		}
		if percent == 0 && one.Stats().Run > 60 {
			t.Errorf("%d attempts with a steady test", one.Stats().Run)
		}

		// The same again, ended early and resumed, with several jobs.
		s := inputSession(t, t.TempDir())
		ctx, cancel := context.WithCancel(context.Background())
		cut := reducingIn(t, s, original, script, func(o *InputOptions) {
			sure(3)(o)
			o.Observe = func(e Event) {
				if e.Trial > 14 {
					cancel()
				}
			}
		})
		if _, err := cut.surely(ctx); !errors.Is(err, context.Canceled) {
			t.Fatalf("not cancelled: %v", err)
		}
		cut.close()
		if s, err = OpenSession(s.Dir()); err != nil {
			t.Fatal(err)
		}
		before := attempts(s.Records())
		again := reducingIn(t, s, original, script, sure(3))
		resumed, err := again.surely(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		if resumed.Digest() != answer.Digest() {
			t.Errorf("seed %d, %d%%: %q is left, with three jobs %q", number, percent, one.text(answer), one.text(resumed))
		}
		if all := s.Records(); len(all) != len(attempts(all)) || len(before) < 5 {
			t.Errorf("seed %d, %d%%: an attempt was made twice: %d of %d, %d before", number, percent, len(attempts(all)), len(all), len(before))
		}
		others := attempts(s.Records())
		for a, o := range attempts(slices.DeleteFunc(one.session.Records(), func(r Record) bool { return r.Purpose == Confirm })) {
			if others[a[:64]+" "+again.key+a[strings.LastIndex(a, " "):]] != o {
				t.Errorf("seed %d, %d%%: %s is not there with three jobs, of %v", number, percent, a, slices.Collect(maps.Keys(others)))
			}
		}
	}
}

// TestInputBeliefFreshEnds: a confirmation that disagrees makes the ends be tried again, and the original may turn out to fail
// too seldom.
func TestInputBeliefFreshEnds(t *testing.T) {
	original := lines(isolate.Full(8))
	coin := filepath.Join(t.TempDir(), "coin") // once this file is there, the test tosses a coin
	r := reducing(t, original, fmt.Sprintf("if test -e %s; then exit $(((GITDD_ATTEMPT+1) %% 2)); fi; ! grep -q c in", coin), func(o *InputOptions) { o.Confidence = 0.9 })
	if _, err := r.Original(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(coin, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	_, err := r.Confirm(t.Context(), lines(isolate.Of(8, 2)))
	var ends *EndsError
	if !errors.As(err, &ends) || !ends.Flaky {
		t.Errorf("%v", err)
	}
	t.Logf("%v; %d trials", err, r.Stats().Run)
}

// TestInputBeliefEnds: what the original and the empty input do.
func TestInputBeliefEnds(t *testing.T) {
	for _, test := range []struct {
		name, script string
		most         int    // trials
		want         string // the error, "" if a candidate that passes is one that does
	}{
		{"never fails", "exit 0", 44, "the command does not fail on the input: exit 0 (44 tries)"},
		{"never judged", "exit 125", 3, "the input cannot be judged: exit 125: the test cannot judge this (3 tries)"},
		{"fails once", "test $GITDD_ATTEMPT != 3", 88, "the command fails too seldom on the input to reduce it: passes 43 of 44 times, fails 1 of 44 times"},
		{"the empty input fails, too", "grep -q x in || test ! -s in", 20, ""},
		{"the empty input cannot be judged", "test -s in || exit 125; grep -q x in && exit 0; exit 1", 20, ""},
		{"the empty input fails otherwise", "test -s in || exit 3; grep -q x in && exit 0; exit 1", 20, ""},
		{"an input that passes is known", "test -s in || exit 1; grep -q x in && exit $((GITDD_ATTEMPT == 2)); exit 1", 25, ""},
		{"no such command", "no-such-command", 2, "the command cannot run: sh: 1: no-such-command: not found (exit 127 with the input)"},
	} {
		t.Run(test.name, func(t *testing.T) {
			r := reducing(t, file("in", "y"), test.script, func(o *InputOptions) {
				o.Confidence = 0.99
				if strings.Contains(test.name, "is known") {
					passing := file("in", "x")
					o.Passing = &passing
				}
			})
			v, err := r.Original(context.Background())
			if n := r.Stats().Run; n > test.most {
				t.Errorf("%d trials, want %d at most", n, test.most)
			}
			if test.want != "" {
				if err == nil || err.Error() != test.want {
					t.Errorf("got %v, want %s", err, test.want)
				}
				return
			}
			if err != nil || v.Outcome != isolate.Fail {
				t.Fatalf("%+v, %v", v, err)
			}
			if f := r.Flakiness(); strings.Contains(test.name, "is known") && (f.Good.Fail != 1 || f.Good.Pass < 3) {
				t.Errorf("the input that passes: %+v", f)
			}
			if v := r.verdict(file("in", "x")); v.Outcome != isolate.Pass {
				t.Errorf("x: %+v", v)
			}
			if v := r.verdict(file("in", "z")); v.Outcome != isolate.Fail {
				t.Errorf("z: %+v", v)
			}
		})
	}
}

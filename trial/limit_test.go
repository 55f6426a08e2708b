package trial

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/gitdd/gitdd/internal/seed"
	"github.com/gitdd/gitdd/isolate"
)

// TestLimitsOf: which limit a trial gets after others.
func TestLimitsOf(t *testing.T) {
	const ms, s = time.Millisecond, time.Second
	pass, fail, unresolved := Outcome(isolate.Pass), Outcome(isolate.Fail), Outcome(isolate.Unresolved)
	test := func(purpose Purpose, o Outcome, d time.Duration, set ...func(*Record)) Record {
		rec := Record{Purpose: purpose, Outcome: o, Seconds: seconds(d), Built: true, Key: "k"}
		for _, f := range set {
			f(&rec)
		}
		return rec
	}
	cold := func(rec *Record) { rec.Cold = true }
	late := func(rec *Record) { rec.TimedOut = true }
	short := func(rec *Record) { rec.TimedOut, rec.Shortened = true, true }
	commit := func(rec *Record) { rec.Commit = "c" }
	built := func(d time.Duration) func(*Record) {
		return func(rec *Record) { rec.BuildSeconds = seconds(d) }
	}
	unbuilt := func(rec *Record) { rec.Built = false }
	ends := func(good, bad time.Duration) []Record {
		return []Record{test(End, pass, good, cold), test(End, fail, bad)}
	}
	and := func(list []Record, more ...Record) []Record { return append(list, more...) }
	quick := []Record{test(Search, pass, 40*ms), test(Search, fail, 40*ms)}

	type limited struct {
		test, build           time.Duration
		shortTest, shortBuild bool
	}
	for _, row := range []struct {
		name    string
		set     func(*pool)
		records []Record
		q       question
		cold    bool
		want    limited
	}{
		{"only the ends are known", nil, ends(50*ms, 50*ms), question{}, false, limited{test: 10 * s, build: 10 * s}},
		{"one mixture is known", nil, and(ends(50*ms, 50*ms), quick[0]), question{}, false, limited{test: 10 * s, build: 10 * s}},
		{"two are", nil, and(ends(50*ms, 50*ms), quick...), question{}, false, limited{test: 2 * s, build: 10 * s, shortTest: true}},
		{"two hang", nil, and(ends(50*ms, 50*ms), test(Search, unresolved, 10*s, late), test(Search, unresolved, 10*s, late)), question{}, false,
			limited{test: 2 * s, build: 10 * s, shortTest: true}},
		{"two that could not be judged say nothing", nil, and(ends(50*ms, 50*ms), test(Search, unresolved, 40*ms), test(Search, unresolved, 40*ms)), question{}, false,
			limited{test: 10 * s, build: 10 * s}},
		{"nor do two that were cut short", nil, and(ends(50*ms, 50*ms), test(Search, unresolved, 2*s, short), test(Search, unresolved, 2*s, short)), question{}, false,
			limited{test: 10 * s, build: 10 * s}},
		{"nor do commits", nil, and(ends(50*ms, 50*ms), test(Search, pass, 40*ms, commit), test(Search, pass, 40*ms, commit)), question{}, false,
			limited{test: 10 * s, build: 10 * s}},
		{"five times slower than the ends", nil, and(ends(20*s, 20*s), quick...), question{}, false, limited{test: 101 * s, build: 10 * s, shortTest: true}},
		{"a slow mixture lengthens it", nil, and(ends(50*ms, 50*ms), quick[0], test(Search, pass, 1500*ms)), question{}, false,
			limited{test: 8500 * ms, build: 10 * s, shortTest: true}},
		{"beyond what the ends say", nil, and(ends(50*ms, 50*ms), quick[0], test(Search, pass, 9*s)), question{}, false, limited{test: 46 * s, build: 10 * s}},
		{"a cold end does not", nil, and(ends(3*s, 50*ms), quick...), question{}, false, limited{test: 2 * s, build: 10 * s, shortTest: true}},
		{"a cold trial", nil, and(ends(3*s, 50*ms), quick...), question{}, true, limited{test: 30 * s, build: 10 * s}},
		{"a commit", nil, and(ends(50*ms, 50*ms), quick...), question{commit: "c"}, false, limited{test: 10 * s, build: 10 * s}},
		{"one to confirm", nil, and(ends(50*ms, 50*ms), quick...), question{purpose: Confirm}, true, limited{test: 10 * s, build: 10 * s}},
		{"one that is repeated", nil, and(ends(50*ms, 50*ms), quick...), question{purpose: Again}, false, limited{test: 10 * s, build: 10 * s}},
		{"builds", nil, []Record{
			test(End, pass, 50*ms, cold, built(60*s)), test(End, fail, 50*ms, built(2*s)),
			test(Search, unresolved, 40*ms, built(s)), test(Search, unresolved, 40*ms, built(1500*ms)),
		}, question{}, false, limited{test: 10 * s, build: 11 * s, shortBuild: true}},
		{"builds that failed say nothing", nil, []Record{
			test(End, pass, 50*ms, cold, built(60*s)), test(End, fail, 50*ms, built(2*s)),
			test(Search, unresolved, 0, built(s), unbuilt), test(Search, unresolved, 0, built(s), unbuilt),
		}, question{}, false, limited{test: 10 * s, build: 600 * s}},
		{"builds that hang", nil, []Record{
			test(End, pass, 50*ms, cold, built(60*s)), test(End, fail, 50*ms, built(2*s)),
			test(Search, unresolved, 0, built(600*s), unbuilt, late), test(Search, unresolved, 0, built(600*s), unbuilt, late),
		}, question{}, false, limited{test: 10 * s, build: 11 * s, shortBuild: true}},
		{"a cold build", nil, []Record{
			test(End, pass, 50*ms, cold, built(60*s)), test(End, fail, 50*ms, built(2*s)),
			test(Search, pass, 40*ms, built(s)), test(Search, pass, 40*ms, built(s)),
		}, question{}, true, limited{test: 10 * s, build: 600 * s}},
		{"other settings say nothing", func(r *pool) { r.key = "other" }, and(ends(50*ms, 50*ms), quick...), question{}, false, limited{test: 10 * s, build: 10 * s}},
		{"each trial is cold", func(r *pool) { r.clean = true },
			[]Record{test(End, pass, s, cold), test(End, fail, s, cold), test(Search, pass, s, cold), test(Search, pass, s, cold)}, question{}, true,
			limited{test: 6 * s, build: 10 * s, shortTest: true}},
		{"four at once", func(r *pool) { r.opts.Jobs = 4 }, and(ends(200*ms, 200*ms), quick...), question{}, false, limited{test: 5 * s, build: 10 * s, shortTest: true}},
		{"many at once", func(r *pool) { r.opts.Jobs = 64 }, and(ends(200*ms, 200*ms), quick...), question{}, false, limited{test: 10 * s, build: 10 * s}},
		{"--timeout", func(r *pool) { r.opts.Timeout, r.limits.test = s, s }, and(ends(50*ms, 50*ms), quick...), question{}, false, limited{test: s, build: 10 * s}},
		{"--repeat", func(r *pool) { r.opts.Repeat = 2 }, and(ends(50*ms, 50*ms), quick...), question{}, false, limited{test: 10 * s, build: 10 * s}},
		{"--confidence", func(r *pool) { r.sequential = isolate.NewSequentialTest(0.9) }, and(ends(50*ms, 50*ms), quick...), question{}, false, limited{test: 10 * s, build: 10 * s}},
		{"on other machines", func(r *pool) {
			r.opts.Remote = func(context.Context, Task) (TaskResult, error) { return TaskResult{}, nil }
		}, and(ends(50*ms, 50*ms), quick...), question{}, false, limited{test: 10 * s, build: 10 * s}},
		{"the failing end hangs", func(r *pool) { r.limits.failure.class = hangs }, and(ends(50*ms, 50*ms), quick...), question{}, false, limited{test: 10 * s, build: 10 * s}},
		{"before the ends", func(r *pool) { r.limits = limits{} }, quick, question{}, false, limited{}},
	} {
		r := &pool{opts: Options{Jobs: 1, Repeat: 1}, key: "k", phases: map[beginning]phases{}}
		var verdicts Ends
		for i, rec := range row.records {
			if rec.Purpose == End {
				v := Verdict{Duration: duration(rec.Seconds), build: duration(rec.BuildSeconds)}
				if i == 0 {
					verdicts.Good = v
				}
				verdicts.Bad = v
			}
			r.measure(rec)
		}
		r.limits = (&Runner{pool: r}).timeLimits(verdicts)
		r.limits.settled = true
		if row.set != nil {
			row.set(r)
		}
		if row.q.purpose == "" {
			row.q.purpose = Search
		}
		l := r.limitsOf(row.q, row.cold)
		if got := (limited{l.test, l.build, l.shortTest, l.shortBuild}); got != row.want {
			t.Errorf("%s: %+v, want %+v", row.name, got, row.want)
		}
	}
}

// TestCold: the first trial of a workspace is cold, and so is the next one if the first
// could not be judged.
func TestCold(t *testing.T) {
	h := newHistory(t)
	h.commit("good", "a", "0\n", "b", "0\n", "c", "0\n")
	h.commit("bad", "a", "1\n", "b", "1\n", "c", "1\n")
	b := h.bench(func(o *Options) {
		script("exit $(cat a)")(o)
		o.Build = "test $(cat b) = $(cat c)"
	})
	b.ends()
	b.verdict(b.config("b"))
	if err := b.workers[0].space.(*site).renew(t.Context(), b.workers[0]); err != nil {
		t.Fatal(err)
	}
	b.verdict(b.config("c"))
	b.verdict(b.config("a"))
	b.verdict(b.config("b", "c"))
	if _, err := b.Confirm(t.Context(), b.set, b.config("a"), isolate.Fail); err != nil {
		t.Fatal(err)
	}
	for i, want := range []bool{true, false, false, true, true, false, true} {
		if rec := b.sess.Records()[i]; rec.Cold != want {
			t.Errorf("trial %d: cold %v", rec.Trial, rec.Cold)
		}
	}
}

// TestRerun: mixtures that hang are ended by a shortened limit; one that only took longer
// passes when it is run again, one that hangs stays unresolved, and a resumed session
// takes both as they are.
func TestRerun(t *testing.T) {
	seed.SkipLong(t, 6)
	h := newHistory(t)
	h.commit("good", "a", "0\n", "b", "0\n", "c", "0\n", "d", "0\n")
	h.commit("bad", "a", "1\n", "b", "1\n", "c", "1\n", "d", "1\n")
	log, now := filepath.Join(t.TempDir(), "log"), filepath.Join(t.TempDir(), "now")
	set := script("cat a b c d | tr -d '\\n' >> "+log, "echo >> "+log,
		"case $(cat a b c d | tr -d '\\n') in 0100) test -e "+now+" || exec sleep 1000;; 0110) exec sleep 1000;; esac", "exit $(cat a)")
	s := h.session(t.TempDir())
	b := h.benchIn(s, set)
	full := func(limit float64) {
		b.mu.Lock()
		b.limits.test = duration(limit)
		b.mu.Unlock()
	}
	b.ends()
	full(600)
	b.verdict(b.config("c"))
	b.verdict(b.config("d"))
	slow, hanging := b.config("b"), b.config("b", "c")
	for _, c := range []isolate.Configuration{slow, hanging} {
		if v := b.verdict(c); !v.TimedOut || v.Outcome != isolate.Unresolved {
			t.Errorf("%+v", v)
		}
	}
	if err := os.WriteFile(now, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	short := s.Records()[5].Limit
	full(short + 1)
	again := func(c isolate.Configuration, want isolate.Outcome, trial int) {
		t.Helper()
		v, ran, err := b.Rerun(t.Context(), b.set, c)
		if err != nil || ran != (trial > 0) || v.Outcome != want || v.Trial != trial {
			t.Errorf("%+v, %v, %v", v, ran, err)
		}
	}
	again(hanging, isolate.Unresolved, 7)
	again(slow, isolate.Pass, 8)
	check := func() {
		t.Helper()
		if v := b.verdict(hanging); v.Outcome != isolate.Unresolved || v.Trial != 6 {
			t.Errorf("%+v", v)
		}
		if v := b.verdict(slow); v.Outcome != isolate.Pass || v.Trial != 8 {
			t.Errorf("%+v", v)
		}
		for _, c := range []isolate.Configuration{hanging, slow, b.config("c")} {
			again(c, isolate.Unresolved, 0)
		}
		if f := b.Flakiness(); len(f.Torn) > 0 {
			t.Errorf("%+v", f.Torn)
		}
	}
	check()
	b.close()

	s, err := OpenSession(s.Dir())
	if err != nil {
		t.Fatal(err)
	}
	b = h.benchIn(s, set)
	b.ends()
	check()
	if n := strings.Count(read(t, log), "\n"); n != 8 {
		t.Errorf("%d trials", n)
	}
	for i, rec := range s.Records() {
		limited, shortened := i >= 4 && i <= 6, i == 4 || i == 5
		if (rec.Limit > 0) != limited || rec.Shortened != shortened {
			t.Errorf("trial %d: %+v", i+1, rec)
		}
	}
	if last := s.Records()[6].Limit; last <= short {
		t.Errorf("limits of %v and %v s", short, last)
	}
}

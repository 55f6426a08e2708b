package tui

import (
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/gitdd/gitdd/changes"
	"github.com/gitdd/gitdd/grouping"
	"github.com/gitdd/gitdd/internal/events"
	"github.com/gitdd/gitdd/internal/prose"
	"github.com/gitdd/gitdd/isolate"
	"github.com/gitdd/gitdd/search"
	"github.com/gitdd/gitdd/trial"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// clock is a time that only the test moves.
type clock struct {
	mu sync.Mutex
	t  time.Time
}

func newClock() *clock { return &clock{t: time.Date(2024, 3, 5, 14, 15, 0, 0, time.UTC)} }

func (c *clock) now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.t
}

func (c *clock) pass(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.t = c.t.Add(d)
}

// searchOn are the options of a view on out of a search by so many workers.
func searchOn(out io.Writer, jobs int, c *clock) Options {
	return Options{Out: out, Jobs: jobs, Now: c.now}
}

// A stream is that of a search. It passes on what a runner and a search would tell.
type stream struct {
	*events.Observer
	begun map[*changes.Set]bool // stages among these have begun
}

// streamTo begins the stream of a search by so many workers among so many changes, whose events go to take.
func streamTo(t testing.TB, n, jobs int, c *clock, take func(*events.Event)) *stream {
	t.Helper()
	session, err := trial.CreateSession(t.TempDir(), trial.Header{Started: c.now()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { session.Close() })
	s := &stream{events.NewObserver(c.now, take), make(map[*changes.Set]bool)}
	s.Begin(events.Begun{Jobs: jobs, Changes: n}, session)
	return s
}

// step tells a step, behind the begin of its stage.
func (s *stream) step(a search.Answer, step isolate.Step) {
	if !s.begun[a.Set] {
		number := len(s.begun)
		s.begun[a.Set] = true
		s.Event(search.ChangesBegun{Answer: a, SetNumber: number, Stage: number + 1})
	}
	s.Event(search.ChangesStep{Step: step, Answer: a, Outcome: step.Outcome})
}

// modelOn is the model of a search by so many workers among so many changes, and its stream.
func modelOn(t testing.TB, n, jobs int, c *clock) (*searchModel, *stream) {
	t.Helper()
	m := newSearchModel(searchOn(nil, jobs, c))
	return m, streamTo(t, n, jobs, c, func(e *events.Event) { m.take(e, c.now()) })
}

// story is an answer over n changes, three in a file; the search takes the
// files from last to first.
func story(n int) search.Answer {
	a := search.Answer{Set: &changes.Set{}, Plan: &grouping.Plan{}}
	for i := range n {
		path := fmt.Sprintf("internal/part%02d/file.go", i/3)
		a.Set.Changes = append(a.Set.Changes, changes.Change{ID: fmt.Sprint(i), Path: path, OldPath: path})
		a.Plan.Order = append(a.Plan.Order, (n-i-1)/3*3+i%3)
	}
	return a
}

// started and finished are the events of one trial.
func started(worker, number int, purpose trial.Purpose, c isolate.Configuration) trial.Event {
	return trial.Event{Kind: trial.Started, Worker: worker, Trial: number, Attempt: 1, Purpose: purpose, Config: c}
}

func finished(worker, number int, purpose trial.Purpose, c isolate.Configuration, o isolate.Outcome, last string) trial.Event {
	e := started(worker, number, purpose, c)
	e.Kind = trial.Finished
	e.Verdict = trial.Verdict{Outcome: o, Trial: number, Duration: 2 * time.Second, Reason: "exit " + map[isolate.Outcome]string{isolate.Pass: "0", isolate.Fail: "1", isolate.Unresolved: "125"}[o], LastLine: last}
	return e
}

// tellSearch tells the story of a search over 48 changes, up to a moment: what a
// runner and the engine would call. At each moment look is called with its
// name.
func tellSearch(p *stream, c *clock, look func(moment string)) {
	const n = 48
	a := story(n)
	from := func(low, high int) isolate.Configuration {
		var members []int
		for i := low; i < high; i++ {
			members = append(members, i)
		}
		return isolate.Of(n, members...)
	}
	number := 0
	run := func(purpose trial.Purpose, config isolate.Configuration, o isolate.Outcome, last string) {
		number++
		p.Trial(started(0, number, purpose, config))
		c.pass(2 * time.Second)
		p.Trial(finished(0, number, purpose, config, o, last))
	}
	step := func(at int, config isolate.Configuration, o isolate.Outcome, passing, failing isolate.Configuration, estimate int) {
		p.step(a, isolate.Step{
			Trial: at, Config: config, Outcome: o, Passing: passing, Failing: failing,
			Suspects: failing.Len() - passing.Len(), Estimate: estimate, Least: estimate * 3 / 4, Most: 2 * estimate,
		})
	}
	p.Trial(trial.Event{Kind: trial.Preparing, Worker: 0, Purpose: trial.End})
	c.pass(3 * time.Second)
	look("preparing")
	run(trial.End, isolate.Empty(n), isolate.Pass, "ok")
	number++
	p.Trial(started(0, number, trial.End, isolate.Full(n)))
	c.pass(75 * time.Second)
	look("ends")
	p.Trial(finished(0, number, trial.End, isolate.Full(n), isolate.Fail, "--- FAIL: TestParse (0.00s)"))
	p.Event(search.EndsTested{Ends: trial.Ends{Direction: trial.Break}})
	step(1, isolate.Empty(n), isolate.Pass, isolate.Empty(n), isolate.Full(n), 12) // these two are known
	step(2, isolate.Full(n), isolate.Fail, isolate.Empty(n), isolate.Full(n), 12)
	run(trial.Search, from(0, 24), isolate.Pass, "ok")
	step(3, from(0, 24), isolate.Pass, from(0, 24), isolate.Full(n), 10)
	number++
	p.Trial(started(0, number, trial.Search, from(0, 36)))
	c.pass(12 * time.Second)
	look("first half")
	p.Trial(finished(0, number, trial.Search, from(0, 36), isolate.Unresolved, "parse.go:12:3: undefined: \x1b[31mlookup\x1b[0m"))
	step(4, from(0, 36), isolate.Unresolved, from(0, 24), isolate.Full(n), 11)
	run(trial.Search, from(0, 40), isolate.Fail, "--- FAIL: TestParse (0.00s)")
	step(5, from(0, 40), isolate.Fail, from(0, 24), from(0, 40), 6)
	run(trial.Search, from(0, 39), isolate.Fail, "--- FAIL: TestParse (0.00s)")
	run(trial.Search, from(0, 25), isolate.Fail, "run ahead, never asked for")
	step(6, from(0, 39), isolate.Fail, from(0, 24), from(0, 39), 5)
	run(trial.Search, from(0, 38), isolate.Pass, "ok")
	step(7, from(0, 38), isolate.Pass, from(0, 38), from(0, 39), 0)
	look("found")
	a.Result = isolate.Result{Passing: from(0, 38), Failing: from(0, 39), Cause: isolate.Of(n, 38)}
	p.Event(search.Settled{Answer: a})
	number++
	p.Trial(started(0, number, trial.Confirm, from(0, 38)))
	c.pass(5 * time.Second)
	look("confirming")
	p.Trial(finished(0, number, trial.Confirm, from(0, 38), isolate.Pass, "ok"))
	run(trial.Confirm, from(0, 39), isolate.Fail, "--- FAIL: TestParse (0.00s)")
	look("over")
}

func drawn(s *searchModel, width, height int, now time.Time, color bool) string {
	var b strings.Builder
	for _, l := range s.render(width, height, now) {
		b.WriteString(l.Render(color) + "\n")
	}
	return b.String()
}

func TestRender(t *testing.T) {
	c := newClock()
	s, told := modelOn(t, 48, 1, c)
	var got strings.Builder
	tellSearch(told, c, func(moment string) {
		for _, width := range []int{80, 40} {
			fmt.Fprintf(&got, "-- %s, %d columns --\n%s", moment, width, drawn(s, width, 24, c.now(), false))
		}
	})
	fmt.Fprintf(&got, "-- over, colour --\n%s", strings.ReplaceAll(drawn(s, 80, 24, c.now(), true), "\x1b", "␛"))
	fmt.Fprintf(&got, "-- summary --\n%s\n", s.summary(c.now()))
	goldenProgress(t, "view.txt", got.String())
}

func TestRenderWorkers(t *testing.T) {
	c := newClock()
	s, told := modelOn(t, 5000, 12, c)
	for w := range 10 {
		told.Trial(started(w, w+1, trial.Search, isolate.Of(5000, 1, 2, w+3)))
		c.pass(7 * time.Second)
	}
	told.Trial(finished(3, 4, trial.Search, isolate.Of(5000, 1), isolate.Fail, ""))
	told.step(story(5000), isolate.Step{
		Config: isolate.Of(5000, 1), Outcome: isolate.Fail, Passing: isolate.Empty(5000), Failing: isolate.Full(5000),
		Suspects: 5000, Estimate: 1200, Least: 900, Most: 2400,
	})
	var got strings.Builder
	for _, width := range []int{100, 40} {
		fmt.Fprintf(&got, "-- %d columns --\n%s", width, drawn(s, width, 24, c.now(), false))
	}
	fmt.Fprintf(&got, "-- 6 rows --\n%s", drawn(s, 80, 6, c.now(), false))
	goldenProgress(t, "workers.txt", got.String())
}

// A search among 10,000 changes with 64 workers, of which the first have printed
// something, and with the panel of one of them.
func TestRenderMany(t *testing.T) {
	const n, jobs = 10_000, 64
	c := newClock()
	s, told := modelOn(t, n, jobs, c)
	s.output = func(trial int, kind string) string { return fmt.Sprintf("trials/%d.%s", trial, kind) }
	for w := range jobs - 4 {
		told.Trial(started(w, w+1, trial.Search, isolate.Of(n, 1, 2, w+3)))
		c.pass(time.Second)
	}
	for w, said := range []string{"=== RUN   TestParse", "", "日本語 \x1b[2J\a\u202e", strings.Repeat("long ", 100)} {
		s.workers[w].said, s.printed = said, true
	}
	prefix := func(k int) isolate.Configuration {
		var members []int
		for i := range k {
			members = append(members, i)
		}
		return isolate.Of(n, members...)
	}
	for k := range 100 {
		o := []isolate.Outcome{isolate.Pass, isolate.Pass, isolate.Fail, isolate.Unresolved, isolate.Pass}[k*7/3%5]
		number := 10 // which runs
		if k > 0 {
			number = k + 100
			told.Trial(started(9, number, trial.Search, prefix(1)))
		}
		told.Trial(finished(9, number, trial.Search, prefix(1), o, "ok \x1b[32mall\x1b[m"))
	}
	told.step(story(n), isolate.Step{
		Config: prefix(1200), Outcome: isolate.Fail, Passing: prefix(1100), Failing: prefix(3500),
		Suspects: 2400, Estimate: 20, Least: 12, Most: 60,
	})
	canvas := &canvas{model: s, keys: alwaysTaken()}
	var got strings.Builder
	frame := func(name string, width, height int) {
		fmt.Fprintf(&got, "-- %s, %d columns, %d rows --\n", name, width, height)
		for _, l := range canvas.compose(width, height, c.now()) {
			got.WriteString(l.Render(false) + "\n")
		}
	}
	sizes := [][2]int{{80, 24}, {40, 24}, {40, 8}, {80, 3}}
	for _, size := range sizes {
		frame("view", size[0], size[1])
	}
	canvas.panel.press('2', s.running())
	canvas.panel.take(tail{file: "trials/3.err", size: 123_456, text: []byte(strings.Repeat("--- FAIL: TestParse (0.00s)\n", 30) + "the last line")}, "trial 3")
	for _, size := range sizes {
		frame("panel", size[0], size[1])
	}
	goldenProgress(t, "many.txt", got.String())
}

// A search with 300 workers on other machines: what they are at is counted, the slowest
// are shown, and what was run ahead is told from what was asked.
func TestRenderCluster(t *testing.T) {
	const n, jobs = 1000, 300
	c := newClock()
	s, told := modelOn(t, n, jobs, c)
	moved := func(w int, state, machine string) {
		e := started(w, w+1, trial.Search, isolate.Of(n, w))
		e.Kind, e.State, e.Machine = trial.Moved, state, machine
		told.Trial(e)
	}
	for w := range jobs - 7 {
		told.Trial(started(w, w+1, trial.Search, isolate.Of(n, w)))
		c.pass(time.Second / 10)
		switch w % 10 {
		case 0:
			moved(w, "uploading", "")
		case 1, 2:
			moved(w, "queued", "")
		case 3:
			moved(w, "queued", "")
			moved(w, "running", fmt.Sprintf("node%d\x1b[2J", w%40))
		default:
			moved(w, "running", fmt.Sprintf("node%d", w%40))
		}
	}
	moved(3, "lost", "node3")
	moved(4, "copied", "node9")
	a := story(n)
	for w := 20; w < 72; w++ {
		e := finished(w, w+1, trial.Search, isolate.Of(n, w), isolate.Pass, "ok")
		e.Verdict.Cached = w == 30
		told.Trial(e)
		if w%5 == 0 {
			told.step(a, isolate.Step{
				Config: isolate.Of(n, w), Outcome: isolate.Pass, Passing: isolate.Of(n, w), Failing: isolate.Full(n),
				Suspects: n - 1, Estimate: 20, Least: 12, Most: 60,
			})
		}
	}
	var got strings.Builder
	for _, size := range [][2]int{{80, 24}, {40, 24}, {80, 8}} {
		fmt.Fprintf(&got, "-- %d columns, %d rows --\n%s", size[0], size[1], drawn(s, size[0], size[1], c.now(), false))
	}
	goldenProgress(t, "cluster.txt", got.String())
}

// What a trial is about, or prints, is worth more than where it runs.
func TestWorkerAt(t *testing.T) {
	c := newClock()
	at := func(doing, on, brief, state, machine string) worker {
		return worker{busy: true, doing: doing, on: on, brief: brief, state: state, machine: machine, since: c.now().Add(-12 * time.Second)}
	}
	running := at("trial 10", ": 24 of 1,000 changes", ": 24 of 1,000", "running", "node-117")
	commit := at("trial 10", ": commit 3f2a91c7e (Accept empty keys)", ": 3f2a91c7e (Accept empty keys)", "running", "node-117")
	for _, test := range []struct {
		w     worker
		width int
		said  string
		want  string
	}{
		{running, 69, "", "trial 10, 12 s on node-117: 24 of 1,000 changes"},
		{running, 40, "", "trial 10, 12 s: 24 of 1,000 changes"},
		{running, 29, "", "trial 10, 12 s: 24 of 1,000"},
		{running, 20, "", "trial 10: 24 of 1,0…"},
		{running, 69, "=== RUN   TestParse", "trial 10, 12 s on node-117: === RUN   TestParse"},
		{running, 35, "=== RUN   TestParse", "trial 10, 12 s: === RUN   TestParse"},
		{running, 29, "=== RUN   TestParse", "trial 10, 12 s: === RUN   Te…"},
		{commit, 69, "", "trial 10, 12 s on node-117: commit 3f2a91c7e (Accept empty keys)"},
		{commit, 54, "", "trial 10, 12 s: commit 3f2a91c7e (Accept empty keys)"},
		{commit, 32, "", "trial 10, 12 s: 3f2a91c7e (Acce…"},
		{at("trial 7", ": bad", ": bad", "queued", "node-117"), 69, "", "trial 7, 12 s, queued on node-117: bad"},
		{at("trial 7", ": bad", ": bad", "queued", "node-117"), 29, "", "trial 7, 12 s, queued: bad"},
		{at("trial 7", ": bad", ": bad", "copied", "node-117"), 29, "", "trial 7, running twice: bad"},
		{at("trial 7", ": bad", ": bad", "lost", "node-117"), 29, "", "trial 7, 12 s, lost: bad"},
		{at("trial 7", ": bad", ": bad", "running", ""), 69, "", "trial 7, 12 s, running: bad"},
		{at("preparing a workspace", "", "", "", ""), 29, "", "preparing a workspace, 12 s"},
	} {
		if got := test.w.at(test.width, test.said, c.now()).Cut(test.width).Render(false); got != test.want {
			t.Errorf("in %d columns: %q, want %q", test.width, got, test.want)
		}
	}
}

// No line of the view may reach the last column, where terminals differ, nor
// carry what a test printed to the terminal.
func TestRenderFits(t *testing.T) {
	for width := 20; width <= 220; width += 9 {
		for height := 2; height < 12; height++ {
			c := newClock()
			s, told := modelOn(t, 48, 3, c)
			tellSearch(told, c, func(moment string) {
				v := &canvas{model: s, keys: alwaysTaken()}
				v.panel = panel{shown: height%2 == 0, tail: tail{text: []byte(strings.Repeat("\x1b[2J\r\n", 100))}}
				var lines []string
				for _, l := range v.compose(width, height, c.now()) {
					lines = append(lines, l.Render(false))
				}
				if len(lines) >= max(height, 3) {
					t.Errorf("%s at %dx%d: %d lines", moment, width, height, len(lines))
				}
				for _, line := range lines {
					if prose.Columns(line) >= width || strings.ContainsAny(line, "\x1b\r\a") {
						t.Errorf("%s at %dx%d: %q", moment, width, height, line)
					}
				}
			})
		}
	}
}

// A finer round that did not end leaves the answer in coarser changes, and
// that is the one to show while it is confirmed.
func TestFoundIsShown(t *testing.T) {
	for _, direction := range []trial.Direction{trial.Break, trial.Fix} {
		c := newClock()
		s, told := modelOn(t, 12, 1, c)
		told.Event(search.EndsTested{Ends: trial.Ends{Direction: direction}})
		coarse, finer := story(12), story(30)
		told.step(finer, isolate.Step{
			Config: isolate.Of(30, 1), Passing: isolate.Of(30, 1), Failing: isolate.Of(30, 1, 2, 3, 4), Suspects: 3, Estimate: 7, Least: 5, Most: 14,
		})
		coarse.Result = isolate.Result{Passing: isolate.Of(12, 0), Failing: isolate.Of(12, 0, 1, 2, 6), Cause: isolate.Of(12, 1, 2, 6)}
		told.Event(search.Settled{Answer: coarse, SetNumber: 5})
		told.Trial(started(0, 3, trial.Confirm, coarse.Result.Passing))
		got := drawn(s, 80, 24, c.now(), false)
		best := "best      passes with 1, fails with 4\n"
		if direction == trial.Fix {
			best = "best      passes with 4, fails with 1\n"
		}
		for _, want := range []string{best, "where     internal/part00/file.go, internal/part02/file.go\n", "  3 of 12 changes\n"} {
			if !strings.Contains(got, want) {
				t.Errorf("direction %v: no %q in\n%s", direction, want, got)
			}
		}
	}
}

// The view says when the search looks for what a few suspects need, until it has settled.
func TestRenderPhase(t *testing.T) {
	c := newClock()
	s, told := modelOn(t, 4, 1, c)
	a := story(4)
	told.step(a, isolate.Step{Config: isolate.Of(4, 3), Outcome: isolate.Unresolved, Passing: isolate.Of(4, 0, 1, 2), Failing: isolate.Full(4), Suspects: 1, Estimate: 2, Least: 1, Most: 2})
	if got, want := drawn(s, 80, 24, c.now(), false), "phase     finding which other changes the cause needs\n"; !strings.Contains(got, want) {
		t.Errorf("no %q in\n%s", want, got)
	}
	a.Result = isolate.Result{Passing: isolate.Of(4, 0), Failing: isolate.Of(4, 0, 1), Cause: isolate.Of(4, 1)}
	told.Event(search.Settled{Answer: a})
	if got := drawn(s, 80, 24, c.now(), false); strings.Contains(got, "phase") {
		t.Errorf("a search that is over has a phase:\n%s", got)
	}
}

// Trials that were run ahead may end when the view is closed: under -race.
func TestLiveEventsWhileClosing(t *testing.T) {
	c := newClock()
	var out screen
	v := newLiveSearch(func() (int, int, error) { return 80, 24, nil }, searchOn(&out, 2, c))
	told := streamTo(t, 4, 2, c, v.Take)
	told.Trial(finished(0, 1, trial.Search, isolate.Of(4, 1), isolate.Pass, ""))
	var late sync.WaitGroup
	late.Go(func() {
		for i := range 1000 {
			told.Trial(finished(1, i+2, trial.Search, isolate.Of(4, 2), isolate.Fail, ""))
		}
	})
	v.Close()
	late.Wait()
	if got := out.text(); !strings.HasPrefix(got, "gitdd: ") || strings.Count(got, "\n") != 1 {
		t.Errorf("the screen shows\n%s", got)
	}
}

func TestPlain(t *testing.T) {
	var got strings.Builder
	for _, verbose := range []bool{false, true} {
		var out strings.Builder
		p, c := NewSearch(Options{Out: &out, Jobs: 1, Verbose: verbose}), newClock()
		told := streamTo(t, 48, 1, c, p.Take)
		tellSearch(told, c, func(string) {})
		told.Note("see \x1b[2Jthis")
		p.Close()
		p.Close()
		fmt.Fprintf(&got, "-- verbose %v --\n%s", verbose, out.String())
	}
	goldenProgress(t, "plain.txt", got.String())
}

func TestPlainFix(t *testing.T) {
	var out strings.Builder
	told := streamTo(t, 4, 1, newClock(), NewSearch(Options{Out: &out, Jobs: 1, Verbose: true}).Take)
	told.Event(search.EndsTested{Ends: trial.Ends{Direction: trial.Fix}})
	config := isolate.Of(4, 1)
	told.Event(search.ChangesBegun{Stage: 1, Answer: story(4)})
	told.Event(search.ChangesStep{Step: isolate.Step{Config: config, Outcome: isolate.Pass, Known: true, Suspects: 3}, Outcome: isolate.Fail})
	want := "gitdd: good fails and bad passes: looking for the changes that fix it\n" +
		"gitdd: no trial: 1 of 4 changes ... fail, 3 suspects\n"
	if diff := cmp.Diff(want, out.String()); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// A trial that is compared with the failing end only when its line is written gets a line that
// says what has changed, and one that is not told yet tells it at once.
func TestPlainAmended(t *testing.T) {
	var out strings.Builder
	p := streamTo(t, 4, 1, newClock(), NewSearch(Options{Out: &out, Jobs: 1}).Take)
	amended := func(e trial.Event) trial.Event {
		e.Kind, e.Verdict.Outcome = trial.Amended, isolate.Unresolved
		return e
	}
	config := isolate.Of(4, 1)
	again := started(0, 23, trial.Again, config)
	again.Attempt = 2
	p.Trial(again)
	again = finished(0, 23, trial.Again, config, isolate.Fail, "")
	again.Attempt = 2
	p.Trial(again)
	p.Trial(amended(again))
	p.Trial(amended(again))
	p.Trial(started(0, 24, trial.Search, config))
	asked := finished(0, 24, trial.Search, config, isolate.Fail, "")
	p.Trial(asked)
	p.Trial(amended(asked))
	p.step(story(4), isolate.Step{Config: config, Outcome: isolate.Unresolved, Suspects: 3})
	p.Trial(amended(asked))
	want := "gitdd: trial 23, try 2: 1 of 4 changes ... fail\n" +
		"gitdd: trial 23, try 2: now unresolved: it fails otherwise than the failing end (gitdd log --trial 23)\n" +
		"gitdd: trial 24: 1 of 4 changes ... unresolved, 3 suspects\n"
	if diff := cmp.Diff(want, out.String()); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// A trial that another machine has lost gets a line at once, with the reason.
func TestPlainLost(t *testing.T) {
	var out strings.Builder
	told := streamTo(t, 4, 1, newClock(), NewSearch(Options{Out: &out, Jobs: 1}).Take)
	e := started(0, 7, trial.Search, isolate.Of(4, 1))
	e.Attempt = 2
	told.Trial(e)
	for _, state := range []string{"queued", "lost"} {
		e.Kind, e.State, e.Machine, e.Loss = trial.Moved, state, "node1", "out of memory\x1b[2J"
		told.Trial(e)
	}
	if got, want := out.String(), "gitdd: trial 7, try 2 was lost on node1, and begins again: out of memory\\x1b[2J\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// A trial of an earlier process that is amended was not counted, so no failure is taken back.
func TestAmendedBefore(t *testing.T) {
	c := newClock()
	s := newSearchModel(searchOn(nil, 1, c))
	for _, e := range []*events.Event{
		{Begun: &events.Begun{Jobs: 1, Changes: 4, Replayed: 1}},
		{TrialEnded: &events.TrialEnded{Trial: 3, Outcome: "fail", Replayed: &events.TrialStarted{Trial: 3}}},
		{TrialEnded: &events.TrialEnded{Trial: 3, Outcome: "unresolved", Amended: &events.TrialStarted{Trial: 3}}},
	} {
		s.take(e, c.now())
	}
	if want := "0 run: 0 pass, 0 fail, 0 unresolved"; !strings.Contains(drawn(s, 80, 24, c.now(), false), want) {
		t.Errorf("no %q in\n%s", want, drawn(s, 80, 24, c.now(), false))
	}
}

// A live view leaves a note, one summary, and nothing of itself.
func TestLiveScreen(t *testing.T) {
	c := newClock()
	var out screen
	width := 80
	v := newLiveSearch(func() (int, int, error) { return width, 24, nil }, searchOn(&out, 1, c))
	draw := func() {
		v.mu.Lock()
		v.draw()
		v.mu.Unlock()
	}
	tellSearch(streamTo(t, 48, 1, c, v.Take), c, func(moment string) {
		draw()
		draw() // twice must not move it
		v.mu.Lock()
		want := drawn(v.model, width, 24, c.now(), false)
		v.mu.Unlock()
		if got := out.text(); !strings.HasSuffix(got, want) || strings.Count(got, "suspects") != 1 {
			t.Errorf("%s: the screen shows\n%s\nwant at its end\n%s", moment, got, want)
		}
		if moment == "first half" {
			v.Note("a note\x1b[5A")
		}
		if moment == "found" {
			width = 50
			out.resize(width)
		}
	})
	v.Close()
	v.Close()
	want := "gitdd: a note\\x1b[5A\n" + v.model.summary(c.now()) + "\n"
	if got := out.text(); got != want {
		t.Errorf("afterwards the screen shows\n%s\nwant\n%s", got, want)
	}
}

func TestLiveSilent(t *testing.T) {
	var out screen
	v := newLiveSearch(func() (int, int, error) { return 0, 0, os.ErrInvalid }, searchOn(&out, 1, newClock()))
	v.Close()
	if got := out.text(); got != "" {
		t.Errorf("a search that never began leaves %q", got)
	}
}

// A screen does what a terminal of endless height does with the few sequences
// that a live view uses. Lines that are too long for it are an error of the
// view, checked in TestRenderFits.
type screen struct {
	mu    sync.Mutex
	lines []string
	row   int
}

var sequence = regexp.MustCompile(`^\x1b\[(\d*)([A-Za-z])`)

func (s *screen) Write(b []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	column := 0 // of the text written since the last \r or \n, in bytes
	for text := string(b); text != ""; {
		for s.row >= len(s.lines) {
			s.lines = append(s.lines, "")
		}
		if m := sequence.FindStringSubmatch(text); m != nil {
			switch m[2] {
			case "A":
				up, _ := strconv.Atoi(m[1])
				s.row = max(s.row-up, 0)
			case "K":
				s.lines[s.row] = s.lines[s.row][:column]
			case "J":
				s.lines[s.row] = s.lines[s.row][:column]
				s.lines = s.lines[:s.row+1]
			default:
				return 0, fmt.Errorf("unexpected sequence %q", m[0])
			}
			text = text[len(m[0]):]
			continue
		}
		switch text[0] {
		case '\r':
			column = 0
		case '\n':
			s.row++
			column = 0
		default:
			line := s.lines[s.row]
			s.lines[s.row] = line[:column] + text[:1] + line[min(column+1, len(line)):]
			column++
		}
		text = text[1:]
	}
	return len(b), nil
}

// resize breaks the lines that are too long, as terminals do.
func (s *screen) resize(width int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var lines []string
	at := s.row
	for row, line := range s.lines {
		broken := 0
		for runes := []rune(line); ; broken++ {
			n := min(len(runes), width)
			lines = append(lines, string(runes[:n]))
			if runes = runes[n:]; len(runes) == 0 {
				break
			}
		}
		if row < at {
			s.row += broken
		}
	}
	s.lines = lines
}

func (s *screen) text() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	text := strings.Join(s.lines, "\n")
	return strings.TrimRight(text, "\n") + map[bool]string{true: "\n"}[strings.TrimRight(text, "\n") != ""]
}

func goldenProgress(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(got), 0o666); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s differs (-want +got; -update rewrites it):\n%s", path, diff)
	}
}

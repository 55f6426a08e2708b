package report_test

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/gitdd/gitdd/report"
)

// outcomes of trials, as a story has them.
var outcomes = []string{"pass", "fail", "unresolved"}

// searched is a search among n changes in trials trials, with how it went: a result
// that is of one piece, the same for the same numbers. The cause are members changes
// in a row, and all trials but the ends belong to one stage.
func searched(n, trials, members int) (report.Result, report.Story) {
	rnd := rand.New(rand.NewPCG(uint64(n), uint64(trials)))
	files := max(1, n/12)
	path := func(i int) string {
		f := i * files / n
		return fmt.Sprintf("%s/pkg%d/file%d.go", []string{"cmd", "internal", "lib", "third_party"}[f*4/files], f/20, f)
	}
	at := min(n*2/3, n-members)
	var cause []report.Change
	for i := range members {
		c := hunk(fmt.Sprintf("%016x", at+i), path(at+i), fmt.Sprintf("Symbol%d", (at+i)/3), 10*(at+i), "\treturn old(x)\n", fmt.Sprintf("\treturn renewed(x, %d)\n", i), ada)
		cause = append(cause, c)
	}
	r := base(cause...)
	r.Changes = report.Extent{Total: n, Files: files}
	r.Passing.Changes, r.Failing.Changes = at, at+members
	if len(r.Commits) > 0 {
		r.Commit = &r.Commits[0]
	}

	s := report.Story{
		Schema: report.StorySchema,
		Environment: report.Environment{
			Gitdd: "0.7.0", Git: "2.47.3", System: "linux/amd64, Debian GNU/Linux 12 (bookworm)", CPUs: 2, Parser: "tree-sitter",
			Started: "2024-03-05T14:15:00Z",
			Repeat:  [][]string{{"gitdd", "run", "--good", "v1.16.0", "--bad", "HEAD", "--", "make", "test"}},
		},
	}
	stage := report.Stage{Of: "changes", Elements: n, Groups: groups(n, path)}
	low, high := 0, n
	ended := 0.0
	counts := report.Trials{Run: trials, Cached: trials / 5}
	for t := 1; t <= trials; t++ {
		one := report.Trial{
			Number: t, Purpose: "search", Tree: fmt.Sprintf("%040x", rnd.Uint64()), Attempt: 1, Worker: t % 2, Process: 1,
			Seconds: 0.2 + 3*rnd.Float64(), BuildSeconds: rnd.Float64(),
		}
		switch {
		case t <= 2:
			one.Purpose, one.Stage, one.Applied, one.Outcome = "end", -1, (t-1)*n, outcomes[t-1]
		case t > trials-2 && trials > 4:
			one.Purpose, one.Stage, one.Applied, one.Outcome = "confirm", -1, at+members*(t-trials+1), outcomes[t-trials+1]
		default:
			// Each trial narrows a little, so that all of them have something to show.
			outcome := outcomes[rnd.IntN(3)]
			left := trials - t
			switch step := max(0, (high-low-members)/max(left, 1)); {
			case outcome == "pass" && low+step <= at:
				low += step
			case outcome == "fail" && high-step >= at+members:
				high -= step
			default:
				outcome = "unresolved"
			}
			one.Outcome, one.Applied = outcome, (low+high)/2
			if t == trials || trials > 4 && t == trials-2 { // it ends with what it found
				low, high, outcome = at, at+members, "fail"
				one.Outcome, one.Applied = outcome, high
			}
			step := report.Step{Trial: t, Outcome: outcome, Applied: one.Applied, Suspects: fmt.Sprintf("%d-%d", low, high-1), Count: high - low}
			if outcome == "unresolved" && t%7 == 0 {
				step.Learned = [][2]int{{min(low+1, n-1), low}}
			}
			stage.Steps = append(stage.Steps, step)
		}
		switch one.Outcome {
		case "pass":
			counts.Pass++
			one.Reason = "exit status 0"
		case "fail":
			counts.Fail++
			one.Reason = "exit status 1"
		default:
			counts.Unresolved++
			one.Reason = "the build ended with exit status 2"
			one.Diagnostics = fmt.Sprintf("%s:%d:7: undefined: renewed\n%s:%d:9: undefined: x\nmake: *** [Makefile:3: all] Error 2", path(low), t, path(min(low+1, n-1)), t)
		}
		ended += one.Seconds + one.BuildSeconds
		one.Ended = ended
		s.Trials = append(s.Trials, one)
	}
	for i := range min(members, 300) {
		from := report.Reference{ID: fmt.Sprintf("%016x", at+i), Kind: "text", Path: path(at + i), Symbol: "Symbol", Line: 10 * (at + i)}
		to := report.Reference{ID: fmt.Sprintf("%016x", at-1-i), Kind: "text", Path: path(max(at-1-i, 0)), Symbol: "renewed", Line: 3}
		stage.Requires = append(stage.Requires, report.Edge{From: from, To: to, Kind: []string{"structural", "predicted", "learned"}[i%3]})
	}
	s.Stages = []report.Stage{stage}
	for _, c := range cause {
		s.Needed = append(s.Needed, report.Needed{Change: c.ID, Trials: []int{min(trials, 3)}})
	}
	r.Trials = counts
	r.Seconds = report.Seconds{Total: ended, Testing: ended * 0.9}
	return r, s
}

// groups are the levels directory, file, symbol and hunk over n changes.
func groups(n int, path func(int) string) []report.Group {
	var list []report.Group
	run := func(from int, key func(int) string) int {
		to := from + 1
		for to < n && key(to) == key(from) {
			to++
		}
		return to
	}
	directory := func(i int) string { return path(i)[:strings.LastIndex(path(i), "/")] }
	symbol := func(i int) string { return fmt.Sprint(path(i), "#", i/3) }
	for d, end := 0, 0; d < n; d = end {
		end = run(d, directory)
		list = append(list, report.Group{Level: "directory", Name: directory(d), From: d, To: end})
		for f, end := d, end; f < end; {
			to := run(f, path)
			list = append(list, report.Group{Level: "file", Name: path(f), From: f, To: to})
			for f < to {
				y := run(f, symbol)
				list = append(list, report.Group{Level: "symbol", Name: fmt.Sprintf("(*Config).Symbol%d", f/3), From: f, To: y})
				f = y
			}
		}
	}
	return list
}

// minimised is a reduction of one text in trials trials.
func minimised(trials int) (report.Reduction, report.Story) {
	rnd := rand.New(rand.NewPCG(uint64(trials), 7))
	r := reduced()
	s := report.Story{Schema: report.StorySchema, Environment: report.Environment{
		Gitdd: "0.7.0", System: "linux/amd64", CPUs: 2, Started: "2024-03-05T14:15:00Z",
		Repeat: [][]string{{"gitdd", "reduce", "crash.c", "--", "cc", "-O2", "-c", "{}"}},
	}}
	size := r.Input.Bytes
	r.Curve = []report.Point{{Trial: 0, Bytes: size}}
	r.Trials = report.Trials{Run: trials, Cached: trials / 4}
	ended := 0.0
	of, removed := make([]int, len(r.Passes)), make([]int64, len(r.Passes))
	for t := 1; t <= trials; t++ {
		asked := size - 1 - size*rnd.Int64N(30)/100
		one := report.Trial{
			Number: t, Purpose: "search", Stage: -1, Tree: fmt.Sprintf("%064x", rnd.Uint64()), Applied: int(asked), Attempt: 1,
			Worker: t % 2, Process: 1, Seconds: 0.01 + rnd.Float64()/5, Outcome: "pass", Reason: "exit status 0",
		}
		pass := (t - 2) * len(r.Passes) / trials
		if t > 1 && t < trials {
			one.Pass = r.Passes[pass].Name
			of[pass]++
		}
		switch chance := rnd.IntN(10); {
		case t == 1:
			one.Purpose, one.Outcome, one.Reason, one.Applied = "end", "fail", "exit status 1", int(size)
		case t == trials && trials > 2:
			one.Purpose, one.Outcome, one.Reason, one.Applied = "confirm", "fail", "exit status 1", int(size)
		case chance < 3 && asked > r.Output.Bytes:
			one.Outcome, one.Reason = "fail", "exit status 1"
			removed[pass] += size - asked
			size = asked
			r.Curve = append(r.Curve, report.Point{Trial: t, Bytes: size})
		case chance < 5:
			one.Outcome, one.Reason = "unresolved", "exit status 2 where the input ends with 1"
			one.Other = chance == 4
			one.Diagnostics = fmt.Sprintf("crash.c:%d:1: error: expected ';'", t)
		}
		switch one.Outcome {
		case "pass":
			r.Trials.Pass++
		case "fail":
			r.Trials.Fail++
		default:
			r.Trials.Unresolved++
		}
		ended += one.Seconds
		one.Ended = ended
		s.Trials = append(s.Trials, one)
	}
	r.Output.Bytes = size
	r.Seconds = report.Seconds{Total: ended, Testing: ended}
	for i := range r.Passes {
		r.Passes[i].Trials, r.Passes[i].Removed = of[i], removed[i]
	}
	var text strings.Builder
	for i := 0; int64(text.Len()) < r.Input.Bytes; i++ {
		fmt.Fprintf(&text, "int g%d(int a) { return a + %d; }\n", i, i)
		if i == 500 {
			text.WriteString(r.Shown.Text)
		}
	}
	s.Files = []report.File{{Path: "crash.c", Format: "c", Before: int64(text.Len()), After: r.Output.Bytes, Was: text.String(), Is: r.Shown.Text, Kept: [][2]int{{100, 130}, {4000, 4001}, {18000, 18090}}}}
	return r, s
}

// manyFiles is a reduction of a directory to files files.
func manyFiles(files int) (report.Reduction, report.Story) {
	r, s := minimised(40)
	r.Input = report.Content{Paths: []string{"src", "build.conf"}, Files: files * 3, Bytes: int64(files) * 3000, Tokens: files * 700, Lines: files * 90}
	r.Output = report.Content{Paths: []string{"src.reduced", "build.conf.reduced"}, Files: files, Bytes: int64(files) * 20, Tokens: files * 5, Lines: files}
	r.Format = "go"
	r.Formats = slices.Repeat([]string{"go", "lines", "json", "c"}, files/4+1)[:files]
	r.Curve[0].Bytes, r.Curve[len(r.Curve)-1].Bytes = r.Input.Bytes, r.Output.Bytes
	r.Shown = nil
	s.Files = nil
	for i := range min(files*3, 500) {
		f := report.File{Path: fmt.Sprintf("src/pkg%d/file%d.go", i/20, i), Before: int64(3000 - i), After: -1}
		if i < files {
			f.Format, f.After, f.Is = r.Formats[i], 20, fmt.Sprintf("func f%d() {}\n", i)
			f.Was = strings.Repeat("// words\n", 20) + f.Is + "more\n"
			f.Kept = [][2]int{{180, 180 + len(f.Is)}}
		}
		s.Files = append(s.Files, f)
	}
	return r, s
}

// long is text that finds each place where a page is not prepared for it.
var long = strings.Repeat("averyveryverylongname", 40)

// strange are names and lines of an attacker, and of a language of wide letters.
var strange = "a\x1b[31m\u202egpj.c </title></style></script><script>alert(1)</script><img src=http://example.invalid/x onerror=alert(1)> 'x' \"y\" {{.}} \x00\xff\u2066 漢字かな🎉 " + long

// attackedSearch is a search whose every text is long and strange.
func attackedSearch() (report.Result, report.Story) {
	r, s := searched(60, 40, 3)
	for i := range r.Cause {
		c := &r.Cause[i]
		c.Path, c.OldPath, c.Symbol = strange, strange, strange
		c.RawPath, c.RawOldPath = []byte(strange), []byte(strange)
		c.Old, c.New = strange+"\n", long+strange+"\n\n\tlast "+strange
	}
	// The commits are those of all cases: these are others.
	r.Commits = slices.Clone(r.Commits)
	for i := range r.Commits {
		r.Commits[i].Subject, r.Commits[i].Author, r.Commits[i].Date = strange, strange, strange
	}
	r.Commit = &r.Commits[0]
	r.Good.Rev, r.Bad.Rev = strange, strange
	r.Command, r.Why, r.Algorithm, r.Session = []string{strange, long}, strange, strange, strange
	r.Hints = []string{strange, "do this:\n" + strange}
	r.Present = []report.Reference{{ID: "p", Kind: "text", Path: strange, Symbol: strange, Line: 7}}
	r.Learned = []report.LearnedRequirement{{Change: r.Present[0], Requires: report.Reference{ID: "q", Kind: "created", Path: long}}}
	r.Others = report.OtherFailures{Trials: 4, First: 5, Reason: strange, Line: strange}
	r.Signature, r.Reason = strange, strange
	r.Suspicions = nil
	s.Environment = report.Environment{
		Gitdd: strange, Git: strange, System: strange, CPUs: 2, Parser: strange, Started: strange, Subdir: strange,
		Repeat: [][]string{{"gitdd", "run", strange, long}},
	}
	for i := range s.Trials {
		s.Trials[i].Reason, s.Trials[i].Diagnostics = strange, strange+"\n"+long
	}
	for i := range s.Stages[0].Groups {
		s.Stages[0].Groups[i].Name = strange
	}
	for i := range s.Stages[0].Requires {
		e := &s.Stages[0].Requires[i]
		e.From.Path, e.From.Symbol, e.To.Path, e.To.Symbol = strange, strange, long, ""
	}
	return r, s
}

// attackedReduction is a reduction whose every text is long and strange.
func attackedReduction() (report.Reduction, report.Story) {
	r, s := minimised(40)
	r.Input.Paths, r.Output.Paths = []string{strange, long, "x", "y"}, []string{strange, long, "x", "y"}
	r.Command, r.Failure, r.Reason, r.Session = []string{strange, long}, strange, strange, strange
	r.Format, r.Formats, r.Algorithm, r.Signature = strange, []string{strange}, strange, strange
	for i := range r.Passes {
		r.Passes[i].Name = strange
	}
	r.Notes, r.Hints = []string{strange, long, "c", "d", "e", "f"}, []string{strange, "do this:\n" + strange}
	r.Others = report.OtherFailures{Trials: 4, First: 5, Reason: strange, Line: strange}
	r.SavedOthers = strange
	r.Shown = report.NewExcerpt(strange, []byte(strange+"\n"+long+"\r\n\x00\x7f\n"+strings.Repeat(strange, 200)), 1<<20)
	r.Regression = &report.Regression{
		Good: report.Revision{Rev: strange, Commit: ada}, Bad: report.Revision{Rev: long, Commit: linus},
		Build: strange, Next: []string{"gitdd", "run", strange, long},
	}
	s.Environment = report.Environment{Gitdd: strange, System: strange, CPUs: 2, Started: strange, Subdir: strange, Repeat: [][]string{{"gitdd", strange, long}}}
	was := strings.ToValidUTF8(strange+"\n"+long+"\ngone\ngone\ngone\n"+r.Shown.Text, "\ufffd")
	s.Files = []report.File{{Path: strange, Format: strange, Before: int64(len(was)), After: int64(len(r.Shown.Text)), Was: was, Is: r.Shown.Text, Kept: [][2]int{{0, 5}, {7, 90}, {200, len(was)}}}}
	for i := range s.Trials {
		s.Trials[i].Reason, s.Trials[i].Diagnostics = strange, strange+"\n"+long
	}
	return r, s
}

// The parts of what is made for tests fit each other, and are the same each time.
func TestStoriesForTests(t *testing.T) {
	for _, size := range [][3]int{{1, 3, 1}, {5000, 1000, 5000}, {100_000, 1000, 3}} {
		r, s := searched(size[0], size[1], size[2])
		if got := len(s.Trials); got != r.Trials.Run || r.Trials.Pass+r.Trials.Fail+r.Trials.Unresolved != got {
			t.Errorf("%v: %d trials of %+v", size, got, r.Trials)
		}
		for _, stage := range s.Stages {
			for _, g := range stage.Groups {
				if g.From < 0 || g.From >= g.To || g.To > stage.Elements {
					t.Fatalf("%v: group %+v", size, g)
				}
			}
			for _, step := range stage.Steps {
				if step.Count < len(r.Cause) {
					t.Fatalf("%v: step %+v", size, step)
				}
			}
		}
		again, story := searched(size[0], size[1], size[2])
		if !reflect.DeepEqual(r, again) || !reflect.DeepEqual(s, story) {
			t.Errorf("%v: another one the second time", size)
		}
	}
	r, s := minimised(1000)
	if len(s.Trials) != 1000 || r.Trials.Pass+r.Trials.Fail+r.Trials.Unresolved != 1000 || len(r.Curve) < 10 {
		t.Errorf("%+v with %d points", r.Trials, len(r.Curve))
	}
	if last := r.Curve[len(r.Curve)-1]; last.Bytes != r.Output.Bytes {
		t.Errorf("the curve ends with %d of %d bytes", last.Bytes, r.Output.Bytes)
	}
}

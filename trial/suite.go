package trial

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/gitdd/gitdd/changes"
	"github.com/gitdd/gitdd/internal/git"
	"github.com/gitdd/gitdd/internal/prose"
	"github.com/gitdd/gitdd/isolate"
	"github.com/gitdd/gitdd/suite"
)

// With Options.Tests the command runs a test suite, and a trial has an outcome for each test of it. The Runner of
// the suite performs the trials and keeps the report of each. ForTest returns Runners that ask it: each judges the
// trials by one test, in a session of its own. So a trial that one search has asked for is there for all others.

// testsKind is the kind of the output of a trial, as Session.Output has it, that holds its report.
const testsKind = "tests"

// askedKind is the kind of the file that TestsFileWord names.
const askedKind = "asked"

// hasTests reports whether a trial has an outcome for each test of a suite.
func (r *pool) hasTests() bool { return r.opts.Tests != suite.Format{} }

// enterTests enters into rec what a test suite that p has run, and that ended as x, reports of its tests. A trial of a
// suite fails if one of the tests in its report fails, and passes if all that have run pass.
func (r *pool) enterTests(rec *Record, x exit, p process) error {
	report, err := r.readTests(p)
	if err != nil {
		return err
	}
	tests, failed, passed := suite.Innermost(report.Tests), 0, 0
	for _, t := range tests {
		switch t.Outcome {
		case isolate.Fail:
			if failed++; failed == 1 { // which says more than a line of JSON
				said, _, _ := strings.Cut(t.Message, "\n")
				rec.First, rec.Last = "", trimLine([]byte(strings.TrimSuffix(t.Name+": "+strings.TrimSpace(said), ": ")))
			}
		case isolate.Pass:
			passed++
		}
	}
	switch {
	case failed > 0:
		rec.Outcome, rec.Reason = Outcome(isolate.Fail), tally(failed, len(tests), "fails", "fail")
	case passed > 0:
		rec.Outcome, rec.Reason = Outcome(isolate.Pass), tally(passed, len(tests), "passes", "pass")
	default:
		rec.Outcome, rec.Reason = Outcome(isolate.Unresolved), "no test has an outcome"
	}
	if report.Incomplete != "" {
		rec.Reason += ", and " + report.Incomplete
	}
	if !x.Started || x.TimedOut || x.Over != "" {
		rec.Reason += "; " + describe(x, p.Timeout)
	}
	report = r.only(report)
	text, err := json.Marshal(report)
	if err == nil {
		err = writeAtomically(r.session.Output(rec.Trial, testsKind), text)
	}
	if err != nil {
		return machineError("keep the report of the tests", err)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.reports[rec.Trial] = report
	return nil
}

// tally says that so many of all tests fail, or pass.
func tally(n, all int, one, many string) string {
	if n == 1 {
		many = one
	}
	return fmt.Sprintf("%s of %s %s", prose.Number(n), prose.Count(all, "test"), many)
}

// readTests reads the report of what p has run.
func (r *pool) readTests(p process) (report suite.Report, err error) {
	dir := p.Dir
	if real, err := filepath.EvalSymlinks(dir); err == nil { // as runners name it
		dir = real
	}
	if r.opts.Tests.ReadsFiles() {
		root, err := os.OpenRoot(dir)
		if err != nil {
			return suite.Report{Incomplete: err.Error()}, nil
		}
		defer root.Close()
		return r.opts.Tests.ReadFiles(root.FS(), dir, func(name string, info fs.FileInfo) bool {
			before, there := p.reports[name]
			return there && os.SameFile(before, info) && before.ModTime().Equal(info.ModTime()) && before.Size() == info.Size()
		}), nil
	}
	var outputs []io.Reader
	for _, name := range []string{p.Stdout, p.Stderr} {
		f, err := os.Open(name)
		if errors.Is(err, os.ErrNotExist) {
			continue
		}
		if err != nil {
			return report, err
		}
		defer f.Close()
		outputs = append(outputs, f, strings.NewReader("\n"))
	}
	return r.opts.Tests.Read(io.MultiReader(outputs...), dir)
}

// reportFiles returns the files in the directory of a command that its suite could report in. Those that it has not written
// since are of an earlier trial, or of the configuration: they are no report of this trial.
func (r *pool) reportFiles(dir string) map[string]fs.FileInfo {
	if !r.opts.Tests.ReadsFiles() {
		return nil
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil // readTests says so
	}
	defer root.Close()
	names, _ := r.opts.Tests.Files(root.FS()) // likewise
	files := map[string]fs.FileInfo{}
	for _, name := range names {
		if info, err := root.Lstat(name); err == nil {
			files[name] = info
		}
	}
	return files
}

// only returns a report without the tests that Only has left out.
func (r *pool) only(report suite.Report) suite.Report {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.tests == nil {
		return report
	}
	var tests []suite.Result
	for _, t := range report.Tests {
		if r.tests[t.Name] {
			tests = append(tests, t)
		}
	}
	report.Tests = tests
	return report
}

// Only says which tests count from now on: the reports of later trials have no others.
func (r *Runner) Only(tests []string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.tests = map[string]bool{}
	for _, name := range tests {
		r.tests[name] = true
	}
}

// What stands in Options.Command, with Options.Tests, for the arguments that choose tests: themselves, or the name of a
// file that has one on each line.
const (
	TestsWord     = "{tests}"
	TestsFileWord = "{tests-file}"
)

// mostSelected is how many bytes the arguments may have that choose tests, where they are in the command: systems bound
// the length of one, and of all together.
const mostSelected = 100_000

// Select says which tests are asked for from now on. Where Options.Command has TestsWord or TestsFileWord, trials of a
// search run these tests only, as far as the format can choose them. Both ends, and trials that confirm an answer, run the
// whole suite. A test that was not asked for must not be asked for later.
func (r *Runner) Select(tests []string) {
	chosen, ok := r.opts.Tests.Select(tests)
	if !ok || len(strings.Join(chosen, " ")) > mostSelected && containsWord(r.opts.Command, TestsWord) {
		chosen = nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.chosen = chosen
}

func containsWord(command []string, word string) bool {
	return slices.ContainsFunc(command, func(argument string) bool { return strings.Contains(argument, word) })
}

// command returns what a trial runs. If file is not "", it is where the arguments that choose tests may be written.
func (r *pool) command(purpose Purpose, file string) ([]string, error) {
	if !r.hasTests() || !containsWord(r.opts.Command, TestsWord) && !containsWord(r.opts.Command, TestsFileWord) {
		return r.opts.Command, nil
	}
	arguments := r.opts.Tests.Whole()
	r.mu.Lock()
	if r.chosen != nil && (purpose == Search || purpose == Again) {
		arguments = r.chosen
	}
	r.mu.Unlock()
	if file != "" && containsWord(r.opts.Command, TestsFileWord) {
		var lines strings.Builder
		for _, argument := range arguments {
			lines.WriteString(argument + "\n")
		}
		if err := os.WriteFile(file, []byte(lines.String()), 0o666); err != nil {
			return nil, machineError("write down which tests are asked for", err)
		}
	}
	var quoted []string
	for _, argument := range arguments {
		quoted = append(quoted, shellWord(argument))
	}
	words := strings.NewReplacer(TestsWord, strings.Join(quoted, " "), TestsFileWord, file)
	var command []string
	for _, word := range r.opts.Command {
		if word == TestsWord {
			command = append(command, arguments...)
		} else {
			command = append(command, words.Replace(word))
		}
	}
	return command, nil
}

// Tests returns the report of a trial, which an earlier process of the session may have run. A trial whose build
// failed has an empty report.
func (r *Runner) Tests(trial int) (suite.Report, error) {
	r.mu.Lock()
	report, ok := r.reports[trial]
	r.mu.Unlock()
	if ok {
		return report, nil
	}
	text, err := os.ReadFile(r.session.Output(trial, testsKind))
	if errors.Is(err, os.ErrNotExist) && r.unreported(trial) {
		return report, nil
	}
	if err == nil {
		err = json.Unmarshal(text, &report)
	}
	if err != nil {
		return report, fmt.Errorf("read the report of the tests of trial %d: %w", trial, err)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.reports[trial] = report
	return report, nil
}

// unreported reports whether a trial has no report, because its build failed or other machines have lost it.
func (r *Runner) unreported(trial int) bool {
	for _, rec := range r.session.Records() {
		if rec.Trial == trial {
			return !rec.Built || rec.gaveUp()
		}
	}
	return false
}

// TestEnds runs the suite at good and then at bad, and learns from them how long trials may take. Tests has the
// reports of the verdicts. The error is a *CommandError if the command cannot be run at good.
func (r *Runner) TestEnds(ctx context.Context, s *changes.Set) (e Ends, err error) {
	for _, end := range []struct {
		config  isolate.Configuration
		verdict *Verdict
	}{{isolate.Empty(s.Len()), &e.Good}, {isolate.Full(s.Len()), &e.Bad}} {
		q, err := r.question(s, end.config, End)
		if err != nil {
			return e, err
		}
		if *end.verdict, err = r.end(ctx, q); err != nil {
			return e, err
		}
		v := e.Good
		if end.config.IsEmpty() && !v.unbuilt && v.Outcome == isolate.Unresolved && (v.Exit == exitCannotRun || v.Exit == exitNotFound) {
			return e, r.cannotRun(v)
		}
	}
	r.limitTime(e)
	return e, nil
}

// Answered returns the number of the trial that a search has made of a configuration of s; false if there was none with the
// present settings.
func (r *Runner) Answered(s *changes.Set, c isolate.Configuration) (trial int, ok bool) {
	rec, ok := r.finishedTrial(s, c)
	return rec.Trial, ok
}

// Judged returns the outcome of a test in a report, where a failure counts only if the report says of it what it says at the
// failing end, as far as failures are told apart, see failure.go.
func Judged(test, atFailingEnd suite.Result) isolate.Outcome {
	if test.Outcome != isolate.Fail {
		return test.Outcome
	}
	nothing := passingOutputOf(nil)
	if failureTextOf(1, []byte(test.Message), nothing).other(failureTextOf(1, []byte(atFailingEnd.Message), nothing)) {
		return isolate.Unresolved
	}
	return isolate.Fail
}

// Disagreement returns a *FlakyError if a test had different outcomes in trials of one tree that began in clean
// workspaces, nil if it had not.
func (r *Runner) Disagreement(test string) error {
	for _, recs := range r.repeatedTrials() {
		var told []Record
		for _, rec := range recs {
			report, err := r.Tests(rec.Trial)
			if err != nil {
				return err
			}
			outcome := report.Outcome(test)
			if outcome == isolate.Unresolved {
				continue // it was not asked for, or something else went wrong
			}
			rec.Outcome = Outcome(outcome)
			told = append(told, rec)
		}
		if len(told) < 2 {
			continue
		}
		err := r.disagreement(question{}, told)
		if flaky := (*FlakyError)(nil); errors.As(err, &flaky) && told[0].Commit == "" {
			flaky.what = "one mixture"
			if told[0].Purpose == End {
				flaky.what = "one end"
			}
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// repeatedTrials returns, for each tree on which there are several of them, the trials that began in clean workspaces.
func (r *Runner) repeatedTrials() (repeated [][]Record) {
	records := r.session.InOrder()
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.repeatedOf == len(records) {
		return r.repeated
	}
	begun, trees := map[git.ID][]Record{}, []git.ID(nil)
	for _, rec := range records {
		if !rec.Built || rec.saysNothing() || rec.Purpose != Confirm && rec.Key != r.cleanKey {
			continue
		}
		if begun[rec.Tree] == nil {
			trees = append(trees, rec.Tree)
		}
		begun[rec.Tree] = append(begun[rec.Tree], rec)
	}
	for _, tree := range trees {
		if len(begun[tree]) > 1 {
			repeated = append(repeated, begun[tree])
		}
	}
	r.repeated, r.repeatedOf = repeated, len(records)
	return repeated
}

// ForTest returns a Runner that judges the trials of r, which has Options.Tests, by one test. Its session gets a
// record of each that is asked for: whether the test passed, and of a failure what the report says of it. What
// has no outcome for the test is unresolved, and has the output of the command. A trial that r has not made yet is made
// by r. The Runner has to be closed before r.
func (r *Runner) ForTest(ctx context.Context, session *Session, test string) (*Runner, error) {
	opts := r.given
	opts.Session, opts.Observe = session, nil
	opts.Tests, opts.Setup, opts.Build, opts.WorkspaceRoot = suite.Format{}, "", "", ""
	opts.Remote, opts.Shared, opts.Upload = nil, false, nil
	opts.MaxTrials, opts.MaxDisk, opts.MaxMemory = 0, 0, 0
	base, err := newPool(opts)
	if err != nil {
		return nil, err
	}
	one := &Runner{
		pool: base, given: opts, ground: r.ground,
		rounds: map[any]int{}, whole: r.whole, names: map[asked]question{}, told: map[asked]int{},
	}
	one.ground.library = nil // which r closes
	one.untested = true
	one.lasting, one.stop = context.WithCancel(context.WithoutCancel(ctx))
	one.newPlace = func(_ context.Context, _ *worker, q question, _ string) (place, error) {
		return &testPlace{one: one, all: r, test: test}, nil
	}
	return one, one.begin(ctx, one.digest(one.clean), one.digest(true))
}

// A testPlace is the place of a Runner of one test: what it tries is a trial of the suite.
type testPlace struct {
	one, all *Runner
	test     string
}

func (*testPlace) distance(question) int                         { return 0 }
func (*testPlace) worn() bool                                    { return false }
func (*testPlace) renew(context.Context, *worker) error          { return nil }
func (*testPlace) show(context.Context, *worker, question) error { return nil }
func (*testPlace) done(question, *Record) error                  { return nil }
func (*testPlace) usage() int64                                  { return 0 }
func (*testPlace) remove() error                                 { return nil }

func (p *testPlace) try(ctx context.Context, _ *worker, q question, rec *Record) error {
	of, err := p.perform(ctx, q, rec)
	if err != nil {
		return err
	}
	rec.Suite = of.Trial
	rec.Cold, rec.Cleaned, rec.Memory, rec.Cut = of.Cold, of.Cleaned, of.Memory, of.Cut
	rec.Seconds, rec.BuildSeconds = of.Seconds, of.BuildSeconds
	if !of.Built {
		rec.Built, rec.Outcome, rec.Reason = false, of.Outcome, of.Reason
		rec.Exit, rec.Signal, rec.TimedOut, rec.Limit, rec.Over, rec.Missing = of.Exit, of.Signal, of.TimedOut, of.Limit, of.Over, of.Missing
		rec.First, rec.Last = of.First, of.Last
		return p.write(rec, "build.out", p.printed(of))
	}
	if of.gaveUp() { // a search that is resumed asks again
		rec.Outcome, rec.Reason, rec.Remote = of.Outcome, of.Reason, of.Remote
		return nil
	}
	report, err := p.all.Tests(of.Trial)
	if err != nil {
		return err
	}
	test := report.Find(p.test)
	x := exit{Started: true}
	text := []byte(test.Message)
	switch test.Outcome {
	case isolate.Fail:
		x.Code = 1
	case isolate.Unresolved:
		x.Code = exitUnresolved
		if text = []byte(report.Build); len(text) == 0 {
			text = p.printed(of)
		}
	}
	if err := p.write(rec, "out", text); err != nil {
		return err
	}
	output := process{Stdout: p.one.session.Output(rec.Trial, "out"), Stderr: p.one.session.Output(rec.Trial, "err")}
	rec.enter(x, output)
	rules := p.one.rules()
	j, err := rules.judge(x, output.Stdout)
	rec.judged(j, rules)
	switch {
	case test.Outcome == isolate.Fail && j.outcome == isolate.Fail:
		rec.Reason = "it fails"
	case test.Outcome == isolate.Pass:
		rec.Reason = "it passes"
	case test.Outcome == isolate.Unresolved && test.Name == "":
		rec.Reason = "it is not in the report"
		if report.Incomplete != "" {
			rec.Reason += ": " + report.Incomplete
		}
	case test.Outcome == isolate.Unresolved:
		rec.Reason = "it was skipped, or did not come to its end"
	}
	p.one.compareNew(rec)
	return err
}

// perform returns the record of the trial of the suite that answers q.
func (p *testPlace) perform(ctx context.Context, q question, rec *Record) (Record, error) {
	if p.one.cleans() {
		p.all.distrust()
	}
	p.all.mu.Lock()
	same := question{
		set: q.set, round: p.all.round(q.set), config: q.config, commit: q.commit, tree: q.tree,
		purpose: q.purpose, key: memoKey{tree: q.key.tree, settings: p.all.key},
	}
	p.all.mu.Unlock()
	if q.purpose != Confirm {
		if !p.all.mayRun(same.key, rec.Attempt) {
			return Record{}, isolate.ErrBudget
		}
		of, _, err := p.all.attempted(ctx, same, rec.Attempt, p.all.shared)
		return of, err
	}
	before := rec.Attempt - 1
	if p.one.sequential == nil {
		before = 0
		for _, r := range p.one.session.Records() {
			if r.Purpose == Confirm && r.Tree == rec.Tree && r.Key == rec.Key {
				before++
			}
		}
	}
	return p.all.confirmation(ctx, same, rec.Attempt, before)
}

// mayRun reports whether Options.MaxTrials leaves a trial for an attempt, or it needs none.
func (r *Runner) mayRun(key memoKey, attempt int) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.opts.MaxTrials == 0 || r.memo.stats.Run+len(r.memo.inFlight) < r.opts.MaxTrials {
		return true
	}
	_, known := r.memo.attempt(key, attempt)
	return known || r.memo.inFlight[callKey{key, attempt}] != nil
}

// distrust makes the workspace as new before each trial from now on, as Distrust does, and keeps the limits of time.
func (r *Runner) distrust() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.clean, r.key = true, r.cleanKey
}

// confirmation returns the record of a trial that confirms q, in a fresh or a cleaned workspace, after the
// first `before` ones.
func (r *Runner) confirmation(ctx context.Context, q question, attempt, before int) (Record, error) {
	r.confirming.Lock()
	defer r.confirming.Unlock()
	r.mu.Lock()
	recs := r.memo.confirms[q.key]
	r.mu.Unlock()
	if before < len(recs) {
		return recs[before], nil
	}
	if !r.mayRun(memoKey{}, 0) {
		return Record{}, isolate.ErrBudget
	}
	q.cleaned = before == 0 && r.confirmsCleaned(q, isolate.Unresolved)
	w, err := r.take(ctx, q)
	if err != nil {
		return Record{}, err
	}
	defer r.release(w)
	space, leave, err := r.confirmSpace(ctx, w, q)
	if err != nil {
		return Record{}, err
	}
	rec, err := r.trial(ctx, w, space, q, attempt)
	if err = errors.Join(err, leave()); err != nil {
		return Record{}, err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.memo.confirms[q.key] = append(r.memo.confirms[q.key], rec)
	return rec, nil
}

// printed is what a trial of the suite printed.
func (p *testPlace) printed(of Record) []byte {
	text, _ := p.all.session.Printed(of)
	return text
}

// write makes a text an output of a trial of one test.
func (p *testPlace) write(rec *Record, kind string, text []byte) error {
	if err := os.WriteFile(p.one.session.Output(rec.Trial, kind), text, 0o666); err != nil {
		return machineError("keep what is said of a test", err)
	}
	return nil
}

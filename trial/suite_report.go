package trial

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/gitdd/gitdd/internal/disk"
	"github.com/gitdd/gitdd/internal/failure"
	"github.com/gitdd/gitdd/internal/process"
	"github.com/gitdd/gitdd/internal/prose"
	"github.com/gitdd/gitdd/isolate"
	"github.com/gitdd/gitdd/suite"
)

// testsKind is the kind of the output of a trial, as Session.Output has it, that holds its report.
const testsKind = "tests"

// enterTests enters into rec what a test suite that p has run, and that ended as x, reports of its tests. A trial of a
// suite fails if one of the tests in its report fails, and passes if all that have run pass.
func (r *pool) enterTests(rec *Record, x process.Exit, p execution) error {
	report, err := r.readTests(p)
	if err != nil {
		return err
	}
	if err := r.came(rec, report); err != nil {
		return err
	}
	switch n := report.Count(); {
	case n.Fail > 0:
		rec.Outcome, rec.Reason = Outcome(isolate.Fail), share(n.Fail, n.Total(), "fails", "fail")
		rec.First, rec.Last = "", firstFailure(report) // which says more than a line of JSON
	case n.Pass > 0:
		rec.Outcome, rec.Reason = Outcome(isolate.Pass), share(n.Pass, n.Total(), "passes", "pass")
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
		err = disk.WriteFile(r.session.Output(rec.Trial, testsKind), text)
	}
	if err != nil {
		return disk.Wrap("keep the report of the tests", err)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.reports[rec.Trial] = report
	return nil
}

// share says that so many of all tests fail, or pass.
func share(n, all int, one, many string) string {
	if n == 1 {
		many = one
	}
	return fmt.Sprintf("%s of %s %s", prose.Number(n), prose.Count(all, "test"), many)
}

// firstFailure names the first test that fails, with the first line of what is said of it.
func firstFailure(report suite.Report) string {
	for _, t := range suite.Innermost(report.Tests) {
		if t.Outcome == isolate.Fail {
			said, _, _ := strings.Cut(t.Message, "\n")
			return failure.TrimLine([]byte(strings.TrimSuffix(t.Name+": "+strings.TrimSpace(said), ": ")))
		}
	}
	return ""
}

// readTests reads the report of what p has run.
func (r *pool) readTests(p execution) (report suite.Report, err error) {
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

// AllTests returns the reports of all trials that had one, in their order.
func (r *Runner) AllTests() (reports []suite.Report, err error) {
	for _, rec := range r.session.InOrder() {
		report, err := r.Tests(rec.Trial)
		if err != nil {
			return nil, err
		}
		if len(report.Tests) > 0 {
			reports = append(reports, report)
		}
	}
	return reports, nil
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

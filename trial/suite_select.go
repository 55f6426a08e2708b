package trial

import (
	"errors"
	"os"
	"slices"
	"strings"

	"github.com/gitdd/gitdd/internal/disk"
	"github.com/gitdd/gitdd/internal/git"
	"github.com/gitdd/gitdd/internal/prose"
	"github.com/gitdd/gitdd/isolate"
	"github.com/gitdd/gitdd/suite"
)

// askedKind is the kind of the file that TestsFileWord names.
const askedKind = "asked"

// What stands in Options.Command, with Options.Tests, for the arguments that choose tests: themselves, or the name of a
// file that has one on each line.
const (
	TestsWord     = "{tests}"
	TestsFileWord = "{tests-file}"
)

// mostSelected is how many bytes the arguments may have that choose tests, where they are in the command: systems bound
// the length of one, and of all together.
const mostSelected = 100_000

// A choice is which tests trials of a search ask for.
type choice struct {
	arguments []string        // that choose them; nil = the whole suite runs
	tests     []string        // their names
	sure      map[string]bool // tests that were asked for and came, or that the whole suite lacked where they did not
	whole     map[git.ID]bool // trees in which the whole suite runs
	missed    string          // a test that came only when the whole suite ran: the arguments do not choose it
}

// Select says which tests are asked for from now on. Where Options.Command has TestsWord or TestsFileWord, trials of a
// search run these tests only, as far as the format can choose them. Both ends, and trials that confirm an answer, run the
// whole suite. So does a trial without one of the tests, once for each test, and wherever the runner does not know a test
// and runs none because of that. If a test came only when the whole suite ran, all later trials run the whole suite; see
// Missed. A test that was not asked for must not be asked for later.
func (r *Runner) Select(tests []string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	format := r.opts.Tests
	if r.format != (suite.Format{}) {
		format = r.format
	}
	chosen, ok := format.Select(tests)
	inCommand := containsWord(r.opts.Command, TestsWord)
	if !ok || r.choice.missed != "" || !inCommand && !containsWord(r.opts.Command, TestsFileWord) || inCommand && len(strings.Join(chosen, " ")) > mostSelected {
		chosen = nil
	}
	r.choice.arguments, r.choice.tests = chosen, tests
}

// Missed returns a test that did not run in a trial that had asked for it, but did when the whole suite ran on the same
// files; "" if there is none.
func (r *Runner) Missed() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.choice.missed
}

func containsWord(command []string, word string) bool {
	return slices.ContainsFunc(command, func(argument string) bool { return strings.Contains(argument, word) })
}

// errAbsent says that a trial lacks a test that was asked for: for the whole suite to tell why.
var errAbsent = errors.New("a test that was asked for did not run")

// asksFor returns the arguments that choose tests in a trial of a tree; nil if it runs the whole suite.
func (r *pool) asksFor(purpose Purpose, tree git.ID) []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	if purpose != Search && purpose != Again || r.choice.whole[tree] {
		return nil
	}
	return r.choice.arguments
}

// came looks which of the tests that were asked for are in the report of a trial. It returns errAbsent if the trial has to
// be run again, with the whole suite.
func (r *pool) came(rec *Record, report suite.Report) error {
	chosen := r.asksFor(rec.Purpose, rec.Tree) != nil
	r.mu.Lock()
	defer r.mu.Unlock()
	c := &r.choice
	if !chosen && !c.whole[rec.Tree] || c.arguments == nil || rec.Purpose != Search && rec.Purpose != Again {
		return nil
	}
	outcomes := report.Count()
	missing := ""
	for _, test := range c.tests {
		is := report.Find(test)
		switch {
		case chosen && is.Name != "", !chosen && is.Name == "" && outcomes.Pass+outcomes.Fail > 0:
			c.sure[test] = true
		case c.sure[test]:
		case chosen && missing == "":
			missing = test
		case !chosen && is.Outcome != isolate.Unresolved:
			c.missed, c.arguments = test, nil
			return nil
		}
	}
	if report.NotFound == "" && (missing == "" || len(report.NotRun) > 0) || !chosen {
		return nil
	}
	c.whole[rec.Tree] = true
	return errAbsent
}

// command returns what a trial of a tree runs. If file is not "", it is where the arguments that choose tests may be written.
func (r *pool) command(purpose Purpose, tree git.ID, file string) ([]string, error) {
	if !r.hasTests() || !containsWord(r.opts.Command, TestsWord) && !containsWord(r.opts.Command, TestsFileWord) {
		return r.opts.Command, nil
	}
	arguments := r.opts.Tests.Whole(r.opts.Command)
	if chosen := r.asksFor(purpose, tree); chosen != nil {
		arguments = chosen
	}
	if file != "" && containsWord(r.opts.Command, TestsFileWord) {
		var lines strings.Builder
		for _, argument := range arguments {
			lines.WriteString(argument + "\n")
		}
		if err := os.WriteFile(file, []byte(lines.String()), 0o666); err != nil {
			return nil, disk.Wrap("write down which tests are asked for", err)
		}
	}
	var quoted []string
	for _, argument := range arguments {
		quoted = append(quoted, prose.ShellWord(argument))
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

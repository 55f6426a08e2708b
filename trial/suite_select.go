package trial

import (
	"errors"
	"os"
	"slices"
	"strings"

	"github.com/gitdd/gitdd/internal/disk"
	"github.com/gitdd/gitdd/internal/git"
	"github.com/gitdd/gitdd/internal/prose"
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

// Select says which tests are asked for from now on. Where Options.Command has TestsWord or TestsFileWord, trials of a
// search run these tests only, as far as the format can choose them. Both ends, and trials that confirm an answer, run the
// whole suite. So does a trial of a configuration that lacks one of the tests, if the runner then runs none. A test that was not asked for must not be asked for later.
func (r *Runner) Select(tests []string) {
	r.mu.Lock()
	format := r.opts.Tests
	if r.format != (suite.Format{}) {
		format = r.format
	}
	r.mu.Unlock()
	chosen, ok := format.Select(tests)
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

// errAbsent says that a configuration lacks a test that was asked for, for which the runner has run no test.
var errAbsent = errors.New("a test that was asked for is not there")

// asksFor returns the arguments that choose tests in a trial of a tree; nil if it runs the whole suite.
func (r *pool) asksFor(purpose Purpose, tree git.ID) []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	if purpose != Search && purpose != Again || r.whole[tree] {
		return nil
	}
	return r.chosen
}

// asksForAll lets further trials of a tree run the whole suite, if rec is of a trial that has asked for a test which the
// tree lacks, according to its report, and has run none. Then it returns errAbsent.
func (r *pool) asksForAll(rec *Record, report suite.Report) error {
	if report.NotFound == "" || r.asksFor(rec.Purpose, rec.Tree) == nil {
		return nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.whole[rec.Tree] = true
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

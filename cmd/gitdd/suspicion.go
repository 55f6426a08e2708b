package main

import (
	"fmt"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/gitdd/gitdd/changes"
	"github.com/gitdd/gitdd/grouping"
	"github.com/gitdd/gitdd/report"
	"github.com/gitdd/gitdd/trial"
)

// tellFlaky is what may be wrong with any unlikely culprit.
const tellFlaky = "is the test flaky (--confidence 0.99 tells)"

// doubt adds to facts what speaks against the cause of a confirmed answer.
func doubt(a answer, prefix string, facts *report.Facts) (err error) {
	direction := trial.Break
	if facts.Direction == report.Fix {
		direction = trial.Fix
	}
	facts.Artifacts = a.built.report(direction)
	found, err := suspicions(a, facts.Command, prefix, a.built)
	facts.Suspicions = append(facts.Suspicions, found...)
	return err
}

// beganAgain says that the answer comes from a second search, and why there was one.
func beganAgain(why string) report.Suspicion {
	return report.Suspicion{Kind: report.BeganAgain, Changes: []string{}, Text: "the search began again, with every trial in a clean workspace: " + why +
		"; either a trial leaves something behind that changes the next one, which --clean prevents, or the test is flaky, which --confidence 0.99 copes with"}
}

// otherMessage says that with the cause the test prints another error, or another value, than at
// the failing end: then the failure may be another one.
func otherMessage(runner *trial.Runner, direction trial.Direction, a answer) ([]report.Suspicion, error) {
	got, want, number, err := runner.OtherMessage(a.set, failingOf(a, direction))
	if err != nil || got == "" {
		return nil, err
	}
	end := "bad"
	if direction == trial.Fix {
		end = "good"
	}
	return []report.Suspicion{{Kind: report.OtherMessage, Changes: []string{}, Text: fmt.Sprintf(
		"this may be another failure: with the cause the test prints %s, but at %s %s (`gitdd log --trial %d` has more); --match with what only %s prints leaves other failures out",
		trial.QuoteLine(brief(got)), end, trial.QuoteLine(brief(want)), number, end)}}, nil
}

// suspicions are reasons to doubt the cause of a confirmed answer: what it
// consists of, and what was built. prefix is where the command runs.
func suspicions(a answer, command []string, prefix string, built artifacts) ([]report.Suspicion, error) {
	var list []report.Suspicion
	cause := slices.Collect(a.result.Cause.All())
	without, err := a.set.Compose(a.result.Passing.All())
	if err != nil {
		return nil, err
	}
	with, err := a.set.Compose(a.result.Failing.All())
	if err != nil {
		return nil, err
	}
	natures, err := grouping.Natures(a.set, without, with, cause)
	if err != nil {
		return nil, err
	}
	members := func(which func(*changes.Change) bool) (ids []string) {
		for _, i := range cause {
			if c := &a.set.Changes[i]; which(c) {
				ids = append(ids, c.ID)
			}
		}
		return ids
	}
	all := members(func(*changes.Change) bool { return true })
	if kind, text := idle(natures); kind != "" {
		list = append(list, report.Suspicion{Kind: kind, Text: text, Changes: all})
	}
	var names []string
	for _, i := range cause {
		names = append(names, a.set.Changes[i].Path, a.set.Changes[i].OldPath)
	}
	own := ownFiles(command, prefix, names)
	isOwn := func(c *changes.Change) bool { return slices.Contains(own, c.Path) || slices.Contains(own, c.OldPath) }
	isTest := func(c *changes.Change) bool { return grouping.IsTest(c.Path) && grouping.IsTest(c.OldPath) }
	if ids := members(isOwn); len(ids) > 0 {
		list = append(list, report.Suspicion{Kind: report.OwnTest, Changes: ids, Text: ownText(a.set, cause, own, prefix)})
	}
	if ids := members(func(c *changes.Change) bool { return isTest(c) || isOwn(c) }); len(ids) == len(all) && len(members(isOwn)) < len(all) {
		list = append(list, report.Suspicion{Kind: report.OnlyTests, Changes: all,
			Text: "the cause touches nothing but tests: perhaps a test has changed, not what it tests"})
	}
	return append(list, built.suspicions(all)...), nil
}

// idle is what to say of a cause that consists of nothing that counts; kind is
// "" when some of it does.
func idle(natures []grouping.Nature) (kind report.Doubt, text string) {
	has := map[grouping.Nature]bool{}
	for _, n := range natures {
		has[n] = true
	}
	comments, space, layout, documents := has[grouping.Comments], has[grouping.Space], has[grouping.Layout], has[grouping.Documentation]
	switch {
	case has[grouping.Code], len(natures) == 0:
		return "", ""
	case documents && !comments && !space && !layout:
		return report.OnlyDocumentation, "the cause is only documentation: does the command read it, or " + tellFlaky + "?"
	case layout && !comments && !documents:
		return report.OnlySpace, "the cause is only white space. That has a meaning in some places, as in strings, Python, YAML and makefiles; if not in this one, " + tellFlaky + "?"
	case space && !comments && !documents:
		return report.OnlySpace, "the cause is only white space, which has no meaning there: " + tellFlaky + ", or does it count lines?"
	}
	what := []string{"comments"}
	if space || layout {
		what = append(what, "white space")
	}
	if documents {
		what = append(what, "documentation")
		if !comments {
			what = []string{"white space", "documentation"}
		}
	}
	return report.OnlyComments, "the cause is only " + strings.Join(what, " and ") + ", which programs seldom notice: " + tellFlaky + ", or does something read them, or count lines?"
}

// ownText says which files of the cause the command itself runs.
func ownText(set *changes.Set, cause []int, own []string, prefix string) string {
	name := own[0]
	text := fmt.Sprintf("the test's own file %s is in the cause", name)
	if len(own) > 1 {
		text = fmt.Sprintf("%s of the test's own files are in the cause, as %s", report.Number(len(own)), name)
	}
	text += ": perhaps the test has changed, not what it tests"
	gone := slices.ContainsFunc(cause, func(i int) bool { return set.Changes[i].Kind == changes.Deleted && set.Changes[i].OldPath == name })
	if relative, err := filepath.Rel(filepath.FromSlash("/"+prefix), filepath.FromSlash("/"+name)); err == nil && !gone {
		text += fmt.Sprintf("; --overlay %s lays yours over every configuration", report.Words([]string{filepath.ToSlash(relative)}))
	}
	return text
}

// ownFiles returns those of the changed files names that belong to the test itself: the script that
// command runs, directly or with a shell, and the files that command names and that are tests by
// their names. A word of command names a file by its path, by a test in it (a_test.py::TestA,
// a_spec.rb:12), as a module of python -m, as a test of cargo, as a package of go test, or by a
// directory of tests that contains it. Any other file that command names is what it tests
// (./prog input, grep x file). prefix is the directory, below the top of the repository, in which
// command runs.
func ownFiles(command []string, prefix string, names []string) (own []string) {
	words := wordsOf(command)
	for _, name := range names {
		if name != "" && !slices.Contains(own, name) && namesFile(words, prefix, name) {
			own = append(own, name)
		}
	}
	return own
}

// A word is one of a command.
type word struct {
	text string
	runs bool // as a program, or as a shell's script
}

// wordsOf are the words of a command, and those of a shell's script in it.
func wordsOf(argv []string) (words []word) {
	program, shell := true, false // which comes next
	for i, text := range argv {
		switch {
		case i > 0 && argv[i-1] == "-c" && shell:
			for _, simple := range strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune("\n;&|()`{}", r) }) {
				var fields []string
				for _, f := range strings.Fields(simple) {
					fields = append(fields, strings.Trim(f, `"'<>`))
				}
				words = append(words, wordsOf(fields)...)
			}
			continue
		case program && (before[text] || assignment.MatchString(text)), shell && strings.HasPrefix(text, "-"):
			words = append(words, word{text: text})
			continue
		}
		words = append(words, word{text: text, runs: program || shell})
		program, shell = false, program && shells[path.Base(text)]
	}
	return words
}

var (
	shells = map[string]bool{"sh": true, "bash": true, "dash": true, "zsh": true, "ksh": true, ".": true, "source": true}
	// before has the words after which the name of a program may follow.
	before     = map[string]bool{"!": true, "exec": true, "env": true, "time": true, "nice": true, "nohup": true, "if": true, "then": true, "else": true, "elif": true, "while": true, "do": true}
	assignment = regexp.MustCompile(`^\w+=`)
)

// testLike matches the base names of what is written to test something.
var testLike = regexp.MustCompile(`(?i)test|check|repro|verify`)

// namesFile reports whether the words name the file as a test.
func namesFile(words []word, prefix, name string) bool {
	test := grouping.IsTest(name) || testLike.MatchString(path.Base(name))
	program := func(base string) bool {
		return slices.ContainsFunc(words, func(w word) bool { return strings.HasPrefix(path.Base(w.text), base) })
	}
	for i, w := range words {
		text := w.text
		if strings.HasPrefix(text, "-") {
			_, text, _ = strings.Cut(text, "=")
		}
		text, _, _ = strings.Cut(text, "::")
		text = lineNumber.ReplaceAllString(text, "")
		if text == "" || path.IsAbs(text) || !w.runs && !test {
			continue
		}
		at := path.Join(prefix, text)
		switch {
		case at == name:
			return true
		case strings.HasPrefix(name, at+"/") && grouping.IsTest(path.Join(at, "x")) && grouping.IsTest(name):
			return true
		case i > 0 && words[i-1].text == "--test" && program("cargo") && path.Join(prefix, "tests", text+".rs") == name:
			return true
		case module.MatchString(text) && program("py") && modulePath(prefix, text, name):
			return true
		}
	}
	return goTests(words, prefix, name)
}

var (
	lineNumber = regexp.MustCompile(`(:\d+)+$`)
	module     = regexp.MustCompile(`^[A-Za-z_]\w*(\.\w+)*$`)
)

// modulePath reports whether a dotted name is that of a Python test, or of what
// is in it.
func modulePath(prefix, dotted, name string) bool {
	if !grouping.IsTest(name) {
		return false
	}
	for {
		if path.Join(prefix, strings.ReplaceAll(dotted, ".", "/")+".py") == name {
			return true
		}
		end := strings.LastIndexByte(dotted, '.')
		if end < 0 {
			return false
		}
		dotted = dotted[:end]
	}
}

// goTests reports whether go test runs the file, or its tests read it, as far as
// the packages say that it is told.
func goTests(words []word, prefix, name string) bool {
	at := slices.IndexFunc(words, func(w word) bool { return w.text == "test" })
	if at < 1 || path.Base(words[at-1].text) != "go" {
		return false
	}
	dir, data := path.Dir(name), false
	if i := strings.Index("/"+name, "/testdata/"); i >= 0 {
		dir, data = path.Clean("./"+name[:max(i-1, 0)]), true
	}
	if !data && !strings.HasSuffix(name, "_test.go") {
		return false
	}
	var patterns []string
	for _, w := range words[at+1:] {
		if w.text == "." || strings.HasPrefix(w.text, "./") || strings.HasPrefix(w.text, "../") {
			patterns = append(patterns, w.text)
		}
	}
	if len(patterns) == 0 {
		patterns = []string{"."}
	}
	for _, p := range patterns {
		root, below := strings.CutSuffix(p, "...")
		root = path.Join(prefix, root, ".")
		if root == dir || below && (root == "." || root == "" || strings.HasPrefix(dir, root+"/")) {
			return true
		}
	}
	return false
}

// artifacts are what the ends of an answer were built to, in fresh workspaces:
// without the cause and with it.
type artifacts struct{ without, with []trial.Artifact }

// report names the ends by what the command does there.
func (b artifacts) report(direction trial.Direction) (list []report.Artifact) {
	for i := range min(len(b.without), len(b.with)) {
		one := report.Artifact{Path: b.without[i].Path, Passing: b.without[i].Digest, Failing: b.with[i].Digest}
		if direction == trial.Fix {
			one.Passing, one.Failing = one.Failing, one.Passing
		}
		list = append(list, one)
	}
	return list
}

// suspicions returns a warning for each artifact that cannot be compared, and one if all others are
// identical at both ends: then the changes of the cause have no effect on what is built.
func (b artifacts) suspicions(all []string) (list []report.Suspicion) {
	var same []string
	differ := false
	for i := range min(len(b.without), len(b.with)) {
		x, y := b.without[i], b.with[i]
		problem := x.Problem
		if problem == "" {
			problem = y.Problem
		}
		switch {
		case problem != "":
			list = append(list, report.Suspicion{Kind: report.NoArtifact, Changes: all,
				Text: fmt.Sprintf("--artifact %s: nothing to compare: after the build and the command, %s", report.Words([]string{x.Path}), problem)})
		case x.Digest == y.Digest:
			same = append(same, x.Path)
		default:
			differ = true
		}
	}
	if len(same) > 0 && !differ {
		list = append(list, report.Suspicion{Kind: report.SameArtifact, Changes: all,
			Text: fmt.Sprintf("the passing and the failing configuration build to identical %s: it was not these changes; %s?", strings.Join(same, " and "), tellFlaky)})
	}
	return list
}

package doubt

import (
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/gitdd/gitdd/changes"
	"github.com/gitdd/gitdd/grouping"
	"github.com/gitdd/gitdd/internal/prose"
	"github.com/gitdd/gitdd/isolate"
	"github.com/gitdd/gitdd/report"
)

// tellFlaky is what may be wrong with any unlikely cause.
const tellFlaky = "is the test flaky (--confidence 0.99 tells)"

// Reasons returns what speaks against the cause of a confirmed answer, a result over the changes of a
// set: what the cause consists of, and what was built at both ends of the answer. command is what was
// run, in the directory prefix below the top of the repository. The cost is that of composing both ends.
func Reasons(set *changes.Set, result isolate.Result, command []string, prefix string, built []Artifact) ([]report.Suspicion, error) {
	var list []report.Suspicion
	cause := slices.Collect(result.Cause.All())
	without, err := set.Compose(result.Passing.All())
	if err != nil {
		return nil, err
	}
	with, err := set.Compose(result.Failing.All())
	if err != nil {
		return nil, err
	}
	natures, err := grouping.Natures(set, without, with, cause)
	if err != nil {
		return nil, err
	}
	members := func(which func(*changes.Change) bool) (ids []string) {
		for _, i := range cause {
			if c := &set.Changes[i]; which(c) {
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
		names = append(names, set.Changes[i].Path, set.Changes[i].OldPath)
	}
	own := ownFiles(command, prefix, names)
	isOwn := func(c *changes.Change) bool { return slices.Contains(own, c.Path) || slices.Contains(own, c.OldPath) }
	isTest := func(c *changes.Change) bool { return grouping.IsTest(c.Path) && grouping.IsTest(c.OldPath) }
	if ids := members(isOwn); len(ids) > 0 {
		list = append(list, report.Suspicion{Kind: report.OwnTest, Changes: ids, Text: ownText(set, cause, own, prefix)})
	}
	if ids := members(func(c *changes.Change) bool { return isTest(c) || isOwn(c) }); len(ids) == len(all) && len(members(isOwn)) < len(all) {
		list = append(list, report.Suspicion{Kind: report.OnlyTests, Changes: all,
			Text: "the cause touches nothing but tests: perhaps a test has changed, not what it tests"})
	}
	return append(list, builtAlike(built, all)...), nil
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
		text = fmt.Sprintf("%s of the test's own files are in the cause, as %s", prose.Number(len(own)), name)
	}
	text += ": perhaps the test has changed, not what it tests"
	gone := slices.ContainsFunc(cause, func(i int) bool { return set.Changes[i].Kind == changes.Deleted && set.Changes[i].OldPath == name })
	if relative, err := filepath.Rel(filepath.FromSlash("/"+prefix), filepath.FromSlash("/"+name)); err == nil && !gone {
		text += fmt.Sprintf("; --overlay %s lays yours over every configuration", prose.Words([]string{filepath.ToSlash(relative)}))
	}
	return text
}

// ownFiles returns those of the changed files names that belong to the test itself; see grouping.OwnTest.
func ownFiles(command []string, prefix string, names []string) (own []string) {
	isOwn := grouping.OwnTest(command, prefix)
	for _, name := range names {
		if name != "" && !slices.Contains(own, name) && isOwn(name) {
			own = append(own, name)
		}
	}
	return own
}

// BeganAgain says that the answer comes from a second search, and why there was one.
func BeganAgain(why string) report.Suspicion {
	return report.Suspicion{Kind: report.BeganAgain, Changes: []string{}, Text: "the search began again, with every trial in a clean workspace: " + why +
		"; either a trial leaves something behind that changes the next one, which --clean prevents, or the test is flaky, which --confidence 0.99 copes with"}
}

// OtherMessage says that with the cause the test prints got, another error, message or value than at the
// failing end, where trial number printed want: then the failure may be another one. end is "good" or
// "bad", whichever of them fails.
func OtherMessage(got, want, end string, number int) report.Suspicion {
	match := "--match with what only " + end + " prints"
	if expression := matchOnly(want, got); expression != "" {
		match = prose.Words([]string{"--match", expression})
	}
	here, there := prose.BriefApart(got, want)
	return report.Suspicion{Kind: report.OtherMessage, Changes: []string{}, Text: fmt.Sprintf(
		"this may be another failure: with the cause the test prints %s, but at %s %s (`gitdd log --trial %d` has more); %s leaves other failures out",
		prose.Quote(here), end, prose.Quote(there), number, match)}
}

// matchOnly returns a regular expression that matches the line want, but not the line got: the beginning of want, with anything in
// place of paths and numbers, which may vary from run to run. It is "" if the lines differ in nothing else.
func matchOnly(want, got string) string {
	const least = 40                                                    // characters of want
	parts := regexp.MustCompile(`[^\s'"()]*[/\\][^\s'"()]*|[0-9]\w*|.`) // a path, a number, or another character
	expression, length := "", 0
	for _, part := range parts.FindAllString(strings.TrimSpace(want), -1) {
		switch first := part[0]; {
		case strings.ContainsAny(part, `/\`):
			expression += `\S+`
		case '0' <= first && first <= '9':
			expression += `\w+`
		case part == "'" || prose.Printable(part) != part: // hard to type in a shell
			expression += "."
		default:
			expression += regexp.QuoteMeta(part)
		}
		if length += len(part); length >= least && !regexp.MustCompile(expression).MatchString(got) {
			return expression
		}
	}
	if expression = "(?m)" + expression + `\s*$`; !regexp.MustCompile(expression).MatchString(got) {
		return expression
	}
	return ""
}

// PassingError says that a trial of the passing end of the answer printed a line with an error that neither end of the search prints: the
// command may take a crash for a pass.
func PassingError(line string, number int) report.Suspicion {
	return report.Suspicion{Kind: report.PassingError, Changes: []string{}, Text: fmt.Sprintf(
		"trial %d passes, but prints %s, which neither end prints (`gitdd log --trial %d` has more): if it passes only because the program crashed, let the command exit with 125 there, and search again",
		number, prose.Quote(prose.Brief(line)), number)}
}

package main

import (
	"bytes"
	"fmt"
	"os"
	"strings"

	"github.com/gitdd/gitdd/hunt"
	"github.com/gitdd/gitdd/internal/prose"
	"github.com/gitdd/gitdd/internal/tui"
)

// shownKinds is how many groups of findings are shown, and shownGraph how many lines
// of what is left of one.
const (
	shownKinds = 20
	shownGraph = 16
)

// printHunt says what a hunt has found. spent: --max-time was.
func (a *app) printHunt(s hunting, sum hunt.Summary, spent bool) error {
	var page bytes.Buffer
	color, width := a.colored(a.stdout), tui.Width(a.stdout)
	line := func(style prose.Style, format string, args ...any) {
		page.WriteString((&prose.Line{}).Add(style, fmt.Sprintf(format, args...)).Cut(width).Render(color) + "\n")
	}
	paragraph := func(style prose.Style, indent int, text string) {
		for _, row := range prose.Wrap(prose.Printable(text), max(width-indent, 1)) {
			line(style, "%s%s", strings.Repeat(" ", indent), row)
		}
	}
	groups := hunt.Groups(sum.Findings)
	paragraph(prose.Headline, 0, huntHeadline(sum, len(groups)))
	for i, g := range groups[:min(len(groups), shownKinds)] {
		page.WriteByte('\n')
		line(prose.Headline, "%d  %v", i+1, g.Failure)
		if g.Failure.Line != "" && g.Failure.Class != hunt.Disagreement {
			line(prose.Plain, "   printed  %s", g.Failure.Printed())
		}
		line(prose.Plain, "   seeds    %s", seedList(g.Findings, width-12))
		printSmallest(s, g, line, paragraph)
	}
	if more := len(groups) - shownKinds; more > 0 {
		line(prose.Note, "\n... and %s more; the files are in %s", prose.Count(more, "kind"), shown(s.output))
	}
	page.WriteByte('\n')
	for i, command := range s.commands() {
		if i > 0 && len(sum.Unanswered) > i {
			line(prose.Plain, "%-9s  %s: no answer to %s of %s", "against", command, prose.Number(sum.Unanswered[i]), prose.Count(sum.Runs, "file"))
		}
	}
	line(prose.Plain, "%-9s  %s", "files", shown(s.output))
	switch {
	case sum.Done:
		line(prose.Plain, "%-9s  %s", "ended", s.why(sum))
	case spent:
		line(prose.Plain, "%-9s  by --max-time; the same command goes on here", "ended")
	default:
		line(prose.Plain, "%-9s  by a signal; the same command goes on here", "stopped")
	}
	for _, hint := range s.huntHints(sum) {
		paragraph(prose.Plain, 0, "hint: "+a.named(hint))
	}
	_, err := a.stdout.Write(page.Bytes())
	return err
}

func huntHeadline(sum hunt.Summary, kinds int) string {
	runs := prose.Count(sum.Runs, "run")
	seeds := fmt.Sprintf(" (seeds %d to %d)", sum.First, sum.First+uint64(max(sum.Runs, 1))-1)
	switch {
	case sum.Runs == 0:
		seeds = ""
	case uint64(sum.Runs) != sum.Next-sum.First: // some were run ahead
		seeds = fmt.Sprintf(" (from seed %d on)", sum.First)
	}
	switch n := len(sum.Findings); {
	case n == 0:
		return fmt.Sprintf("No findings in %s%s.", runs, seeds)
	case kinds == n && n > 1:
		return fmt.Sprintf("%s in %s%s, each of another kind.", prose.Count(n, "finding"), runs, seeds)
	default:
		return fmt.Sprintf("%s of %s in %s%s.", prose.Count(n, "finding"), prose.Count(kinds, "kind"), runs, seeds)
	}
}

// seedList is as many seeds as fit.
func seedList(findings []hunt.Finding, width int) string {
	text := ""
	for i, f := range findings {
		next := fmt.Sprint(f.Seed)
		if i > 0 {
			next = ", " + next
		}
		more := fmt.Sprintf(" and %s more", prose.Number(len(findings)-i))
		if i > 0 && len(text)+len(next)+len(more) > width {
			return text + more
		}
		text += next
	}
	return text
}

// printSmallest shows the smallest finding of a group.
func printSmallest(s hunting, g hunt.Group, line func(prose.Style, string, ...any), paragraph func(prose.Style, int, string)) {
	f := g.Smallest()
	name, size := hunt.FileName(f.Seed)+".btor", prose.Count(f.Nodes, "node")
	switch {
	case f.Reduced():
		name, size = hunt.FileName(f.Seed)+".reduced.btor", f.Remainder()
	case f.Reduction == nil && !s.noReduce:
		size += ", not reduced yet"
	}
	name = s.output + string(os.PathSeparator) + name
	line(prose.Plain, "   file     %s", shown(name))
	paragraph(prose.Plain, 12, size)
	switch {
	case f.Reduction == nil:
	case !f.Reduced():
		paragraph(prose.Plain, 12, "not reduced: "+f.Reduction.Reason)
	case f.Reduction.Reason != "":
		paragraph(prose.Plain, 12, "stopped "+f.Reduction.Reason)
	}
	if !f.Reduced() {
		return
	}
	text, err := os.ReadFile(name)
	if err != nil {
		line(prose.Note, "            it cannot be read: %v", err)
		return
	}
	rows := strings.Split(strings.TrimRight(string(text), "\n"), "\n")
	for _, row := range rows[:min(len(rows), shownGraph)] {
		line(prose.Added, "   %s", row)
	}
	if more := len(rows) - shownGraph; more > 0 {
		line(prose.Note, "   ... %s more", prose.Count(more, "line"))
	}
}

// why says by which rule a hunt that is done has ended.
func (s *hunting) why(sum hunt.Summary) string {
	if s.findings > 0 && len(sum.Findings) == s.findings {
		return "by --findings"
	}
	return "by --runs"
}

func (s *hunting) huntHints(sum hunt.Summary) (hints []string) {
	const enough = 5
	for i, command := range s.commands() {
		if i > 0 && sum.Runs >= enough && len(sum.Unanswered) > i && sum.Unanswered[i] == sum.Runs {
			hints = append(hints, fmt.Sprintf("%s has not answered once: `gitdd btor compare` shows what it prints", command))
		}
	}
	if len(sum.Findings) >= enough && len(sum.Findings) == sum.Runs {
		hints = append(hints, "every file is a finding: is the command right? --good-exit names the exit statuses that mean nothing bad")
	}
	return hints
}

package hunt

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/gitdd/gitdd/internal/prose"
)

// shownKinds is how many groups of findings are shown, and shownGraph how many lines
// of what is left of one.
const (
	shownKinds = 20
	shownGraph = 16
)

// TextOptions say where the text of a hunt is going.
type TextOptions struct {
	Color bool // style it with terminal escapes; without, it says the same
	Width int  // columns; 0 = 80

	// Named puts the name that the reader calls gitdd by into the commands that a
	// sentence names; nil leaves them.
	Named func(string) string
	// Shown is a file as the reader would name it; nil = by its absolute name.
	Shown func(name string) string
}

// Text writes what a hunt with the options o has found: the groups of findings with the
// smallest of each, and how the hunt ended. spent says that the error of Search was ErrTime.
func (s Summary) Text(w io.Writer, o Options, spent bool, as TextOptions) error {
	o, err := o.completed()
	if err != nil {
		return err
	}
	as.Width = cmp.Or(as.Width, 80)
	same := func(text string) string { return text }
	if as.Named == nil {
		as.Named = same
	}
	if as.Shown == nil {
		as.Shown = same
	}
	p := &page{TextOptions: as, options: o}
	groups := Groups(s.Findings)
	p.paragraph(prose.Headline, 0, s.headline(len(groups)))
	for i, g := range groups[:min(len(groups), shownKinds)] {
		p.text.WriteByte('\n')
		p.line(prose.Headline, "%d  %v", i+1, g.Failure)
		if g.Failure.Line != "" && g.Failure.Class != Disagreement {
			p.line(prose.Plain, "   printed  %s", g.Failure.Printed())
		}
		p.line(prose.Plain, "   seeds    %s", seedList(g.Findings, as.Width-12))
		p.smallest(g)
	}
	if more := len(groups) - shownKinds; more > 0 {
		p.line(prose.Note, "\n... and %s more; the files are in %s", prose.Count(more, "kind"), as.Shown(o.Dir))
	}
	p.text.WriteByte('\n')
	for i, command := range o.commands() {
		if i > 0 && len(s.Unanswered) > i {
			p.line(prose.Plain, "%-9s  %s: no answer to %s of %s", "against", command, prose.Number(s.Unanswered[i]), prose.Count(s.Runs, "file"))
		}
	}
	if s.Lost > 0 {
		p.line(prose.Plain, "%-9s  %s by machines each time: no findings; the same command runs them again", "lost", prose.Count(s.Lost, "file"))
	}
	p.line(prose.Plain, "%-9s  %s", "files", as.Shown(o.Dir))
	switch {
	case s.Done:
		p.line(prose.Plain, "%-9s  %s", "ended", o.why(s))
	case spent:
		p.line(prose.Plain, "%-9s  by --max-time; the same command goes on here", "ended")
	default:
		p.line(prose.Plain, "%-9s  by a signal; the same command goes on here", "stopped")
	}
	for _, hint := range o.hints(s) {
		p.paragraph(prose.Plain, 0, "hint: "+as.Named(hint))
	}
	_, err = w.Write(p.text.Bytes())
	return err
}

// A page is the text of a hunt as it is written.
type page struct {
	TextOptions
	options Options // completed
	text    bytes.Buffer
}

func (p *page) line(style prose.Style, format string, args ...any) {
	p.text.WriteString((&prose.Line{}).Add(style, fmt.Sprintf(format, args...)).Cut(p.Width).Render(p.Color) + "\n")
}

func (p *page) paragraph(style prose.Style, indent int, text string) {
	for _, row := range prose.Wrap(prose.Printable(text), max(p.Width-indent, 1)) {
		p.line(style, "%s%s", strings.Repeat(" ", indent), row)
	}
}

func (s Summary) headline(kinds int) string {
	runs := prose.Count(s.Runs, "run")
	seeds := fmt.Sprintf(" (seeds %d to %d)", s.First, s.First+uint64(max(s.Runs, 1))-1)
	switch {
	case s.Runs == 0:
		seeds = ""
	case uint64(s.Runs) != s.Next-s.First: // some were run ahead
		seeds = fmt.Sprintf(" (from seed %d on)", s.First)
	}
	switch n := len(s.Findings); {
	case n == 0:
		return fmt.Sprintf("No findings in %s%s.", runs, seeds)
	case kinds == n && n > 1:
		return fmt.Sprintf("%s in %s%s, each of another kind.", prose.Count(n, "finding"), runs, seeds)
	default:
		return fmt.Sprintf("%s of %s in %s%s.", prose.Count(n, "finding"), prose.Count(kinds, "kind"), runs, seeds)
	}
}

// seedList is as many seeds as fit.
func seedList(findings []Finding, width int) string {
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

// smallest shows the smallest finding of a group.
func (p *page) smallest(g Group) {
	f := g.Smallest()
	name, size := FileName(f.Seed)+".btor", prose.Count(f.Nodes, "node")
	switch {
	case f.Reduced():
		name, size = FileName(f.Seed)+reducedEnding, f.Remainder()
	case f.Reduction == nil && !p.options.NoReduce:
		size += ", not reduced yet"
	}
	name = filepath.Join(p.options.Dir, name)
	p.line(prose.Plain, "   file     %s", p.Shown(name))
	p.paragraph(prose.Plain, 12, size)
	switch {
	case f.Reduction == nil:
	case !f.Reduced():
		p.paragraph(prose.Plain, 12, "not reduced: "+f.Reduction.Reason)
	case f.Reduction.Reason != "":
		p.paragraph(prose.Plain, 12, "stopped "+f.Reduction.Reason)
	}
	if !f.Reduced() {
		return
	}
	text, err := os.ReadFile(name)
	if err != nil {
		p.line(prose.Note, "            it cannot be read: %v", err)
		return
	}
	rows := strings.Split(strings.TrimRight(string(text), "\n"), "\n")
	for _, row := range rows[:min(len(rows), shownGraph)] {
		p.line(prose.Added, "   %s", row)
	}
	if more := len(rows) - shownGraph; more > 0 {
		p.line(prose.Note, "   ... %s more", prose.Count(more, "line"))
	}
}

// why says by which rule a hunt that is done has ended.
func (o Options) why(s Summary) string {
	if o.Findings > 0 && len(s.Findings) == o.Findings {
		return "by --findings"
	}
	return "by --runs"
}

func (o Options) hints(s Summary) (hints []string) {
	const enough = 5
	for i, command := range o.commands() {
		if i > 0 && s.Runs >= enough && len(s.Unanswered) > i && s.Unanswered[i] == s.Runs {
			hints = append(hints, fmt.Sprintf("%s has not answered once: `gitdd btor compare` shows what it prints", command))
		}
	}
	if len(s.Findings) >= enough && len(s.Findings) == s.Runs {
		hints = append(hints, "every file is a finding: is the command right? --good-exit names the exit statuses that mean nothing bad")
	}
	return hints
}

package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/gitdd/gitdd/internal/prose"
)

const (
	shownChanges = 10 // a longer cause is counted by file
	shownFiles   = 12
	suspectFiles = 6  // of a search that was cut short: its headline says most
	shownCommits = 3  // of one change
	shownSubject = 2  // lines
	shownLines   = 12 // of one side, shared by all changes
	fewestLines  = 4  // of one side of one change
	fewestHidden = 6  // lines of one side, if the changes are few: to hide less saves little
	fewChanges   = 3
)

// cause shows the changes: as a diff by file and symbol, or, when they are
// many, as a count for each file.
func (p *page) cause() {
	list := p.r.Cause
	if len(list) == 0 {
		return
	}
	if len(list) > shownChanges && !p.full {
		p.blank()
		p.countByFile(list)
		return
	}
	limit := max(shownLines/len(list), fewestLines)
	hidden := 3 // one line of note saves nothing for two
	if len(list) <= fewChanges {
		hidden = fewestHidden
	}
	unproven := make(map[string]bool, len(p.r.Unproven))
	if len(p.r.Unproven) < len(p.r.Cause) { // else the page says it of all of them
		for _, id := range p.r.Unproven {
			unproven[id] = true
		}
	}
	var path string
	var commits []string
	for n := 0; len(list) > 0; list = list[n:] {
		n = oneLine(list)
		c := &list[0]
		if c.path() != path {
			path = c.path()
			p.blank()
			p.path(path)
			commits = nil
		}
		if p.r.Commit == nil && !slices.Equal(c.Commits, commits) {
			commits = c.Commits
			p.commits(commits)
		}
		p.change(list[:n], slices.ContainsFunc(list[:n], func(c Change) bool { return unproven[c.ID] }), limit, hidden)
	}
}

func (p *page) commits(ids []string) {
	if len(ids) == 0 {
		p.line((&prose.Line{}).Add(prose.Note, "commit not known"))
	}
	for i, id := range ids {
		if i == shownCommits && len(ids) > shownCommits+1 && !p.full {
			p.leftOut(prose.Count(len(ids)-i, "more commit"))
			return
		}
		p.commit(p.r.commit(id))
	}
}

// commit writes a commit, with its subject the first time.
func (p *page) commit(c Commit) {
	day, _, _ := strings.Cut(c.Date, "T")
	name := "commit " + short(c.ID)
	if p.r.recorded(c.ID) {
		name = "uncommitted"
	}
	l := (&prose.Line{}).Add(prose.Hash, name)
	if day != "" {
		l.Add(prose.Plain, "  "+day)
	}
	if c.Author != "" && !p.r.recorded(c.ID) {
		l.Add(prose.Plain, "  "+c.Author)
	}
	p.line(l)
	if p.told[c.ID] {
		return
	}
	p.told[c.ID] = true
	if c.Subject == "" {
		return
	}
	subject := prose.Wrap(prose.Printable(c.Subject), p.width-4)
	if len(subject) > shownSubject && !p.full {
		subject[shownSubject-1] = strings.Join(subject[shownSubject-1:], " ") // to be cut
		subject = subject[:shownSubject]
	}
	for _, s := range subject {
		p.line((&prose.Line{}).Add(prose.Plain, "    "+s))
	}
}

// change writes one change, or several of one line: what kind of change it is, then its text, limit
// lines of either side if at least hidden are left.
func (p *page) change(list []Change, unproven bool, limit, hidden int) {
	c, l := &list[0], &prose.Line{}
	if c.Kind == "text" {
		l.Add(prose.Place, fmt.Sprintf("@@ -%s +%s @@", lines(c.OldStart, c.OldLines), lines(c.NewStart, c.NewLines)))
	} else {
		l.Add(prose.Place, describe(c))
	}
	if c.Symbol != "" {
		l.Add(prose.Plain, " "+c.Symbol)
	}
	h := newHunkOf(list)
	if h.whitespace {
		l.Add(prose.Note, "  white space only")
	}
	if unproven {
		l.Add(prose.Note, "  unproven")
	}
	p.code(l)
	if limit < len(h.old.lines) || limit < len(h.new.lines) {
		// Room that one side does not need goes to the other.
		limit = max(limit, 2*limit-min(len(h.old.lines), len(h.new.lines)))
	}
	place, first := -1, c.BadLine
	if c.Kind == "created" {
		first = 1
	}
	if at := p.r.Place; at != nil && at.Path == c.path() && at.BadLine > 0 && first > 0 {
		place = at.BadLine - first
	}
	p.side(h, prose.Removed, limit, hidden, -1)
	p.side(h, prose.Added, limit, hidden, place)
}

// lines is a range of lines as in git's hunk headers.
func lines(start, n int) string {
	if n == 1 {
		return fmt.Sprint(start)
	}
	return fmt.Sprintf("%d,%d", start, n)
}

// describe names a change that is not a hunk of text.
func describe(c *Change) string {
	switch c.Kind {
	case "created":
		return c.Kind + unlessFile(c.NewMode, c.NewBlob)
	case "deleted":
		return c.Kind + unlessFile(c.OldMode, c.OldBlob)
	case "renamed", "copied":
		return c.Kind + " from " + c.oldPath()
	case "mode":
		text := fmt.Sprintf("mode %s → %s", c.OldMode, c.NewMode)
		switch {
		case c.NewMode == "100755" && c.OldMode == "100644":
			text += ", now executable"
		case c.NewMode == "100644" && c.OldMode == "100755":
			text += ", no longer executable"
		}
		return text
	case "symlink":
		return "symlink target"
	case "binary":
		return fmt.Sprintf("binary content %s → %s", blob(c.OldBlob), blob(c.NewBlob))
	case "submodule":
		return fmt.Sprintf("submodule pin %s → %s", blob(c.OldBlob), blob(c.NewBlob))
	case "type":
		return fmt.Sprintf("type: %s → %s", fileType(c.OldMode), fileType(c.NewMode))
	}
	return c.Kind
}

func blob(id string) string {
	if id == "" {
		return "none"
	}
	return short(id)
}

// unlessFile names what is created or deleted if it is not just a file.
func unlessFile(mode, id string) string {
	switch mode {
	case "", "100644":
		return ""
	case "160000":
		return ", submodule at " + blob(id)
	}
	return ", " + fileType(mode)
}

func fileType(mode string) string {
	switch mode {
	case "":
		return "nothing"
	case "100644":
		return "file"
	case "100755":
		return "executable file"
	case "120000":
		return "symlink"
	case "160000":
		return "submodule"
	case "040000":
		return "directory"
	}
	return "mode " + mode
}

// side writes the removed or the added lines of h: limit of them if at least hidden are left. Below a
// line of which only parts matter stands a line that points to them. place is the index of the line that
// the command failed at, negative if it is none of them.
func (p *page) side(h *hunk, style prose.Style, limit, hidden, place int) {
	mark, s := "-", &h.old
	if style == prose.Added {
		mark, s = "+", &h.new
	}
	from, to := 0, len(s.lines)
	if !p.full {
		from, to = window(p.weights(s, place), limit, hidden)
	}
	if from > 0 {
		p.leftOut(prose.Count(from, "line"))
	}
	for i := from; i < to; i++ {
		l, below := (&prose.Line{}).Add(style, mark), &prose.Line{}
		parts, text, at := s.parts, s.lines[i], 0
		if parts == nil {
			begin, end := h.differing(i, s)
			parts = []part{{begin, end}}
		}
		if at = skipped(text, text[:parts[0].from], p.columns); at > 0 {
			l.Add(prose.Note, "…")
		}
		for _, m := range parts {
			addContent(l, style, text[at:m.from], h.whitespace)
			column := l.Columns()
			addContent(l, style|prose.Strong, text[m.from:m.to], h.whitespace)
			if at = m.to; s.parts != nil && m.from < m.to {
				below.Add(style, strings.Repeat(" ", column-below.Columns()))
				below.Add(style|prose.Strong, strings.Repeat("^", l.Columns()-column))
			}
		}
		addContent(l, style, text[at:], h.whitespace)
		p.code(l)
		if below.Columns() > 0 {
			p.code(below)
		}
	}
	if left := len(s.lines) - to; left > 0 {
		p.leftOut(prose.Count(left, "more line"))
	} else if s.unended {
		p.line((&prose.Line{}).Add(prose.Note, `\ No newline at end of file`))
	}
}

// A fileCount says how many changes of a cause are in a file, and of how many lines.
type fileCount struct {
	path        string
	n           int
	minus, plus int
}

// countFiles counts changes by file, those with the most first.
func countFiles(list []Change) []fileCount {
	var files []fileCount // in order of path, as the cause is
	for n := 0; len(list) > 0; list = list[n:] {
		n = oneLine(list)
		c := &list[0]
		if n := len(files); n == 0 || files[n-1].path != c.path() {
			files = append(files, fileCount{path: c.path()})
		}
		f := &files[len(files)-1]
		f.n += n
		minus, plus := c.lineCounts()
		f.minus += minus
		f.plus += plus
	}
	slices.SortStableFunc(files, func(a, b fileCount) int { return cmp.Compare(b.n, a.n) })
	return files
}

// lineCounts is how many lines a change takes away, and brings.
func (c *Change) lineCounts() (minus, plus int) {
	if c.Kind == "text" {
		return c.OldLines, c.NewLines
	}
	return len(cut(c.oldText()).lines), len(cut(c.newText()).lines)
}

// countByFile lists the files with the most changes.
func (p *page) countByFile(list []Change) {
	files := countFiles(list)
	summary := prose.Count(len(list), "change") + " in " + prose.Count(len(files), "file")
	if n := len(p.r.Commits); n > 1 {
		summary += ", made by " + prose.Count(n, "commit")
	}
	p.line((&prose.Line{}).Add(prose.Plain, summary))
	shown := files
	most := shownFiles
	if p.r.Status != Isolated {
		most = suspectFiles
	}
	if len(files) > most+1 {
		shown = files[:most]
	}
	longest := 0
	for _, f := range shown {
		longest = max(longest, prose.Columns(prose.Printable(f.path)))
	}
	const figures = 26 // columns of counts
	longest = min(longest, p.width-figures)
	for _, f := range shown {
		name := prose.Tail(prose.Printable(f.path), longest)
		l := (&prose.Line{}).Add(prose.Headline, name).Add(prose.Plain, strings.Repeat(" ", longest-prose.Columns(name)))
		l.Add(prose.Plain, fmt.Sprintf("%*s", 15, prose.Count(f.n, "change")))
		if f.minus+f.plus > 0 {
			l.Add(prose.Plain, "  ").Add(prose.Removed, "-"+prose.Number(f.minus)).Add(prose.Plain, " ").Add(prose.Added, "+"+prose.Number(f.plus))
		}
		p.line(l)
	}
	if rest := len(files) - len(shown); rest > 0 {
		p.leftOut(prose.Count(rest, "more file"))
	} else {
		p.leftOut("their lines")
	}
}

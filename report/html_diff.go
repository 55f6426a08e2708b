package report

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/gitdd/gitdd/internal/lexical"
	"github.com/gitdd/gitdd/internal/prose"
)

// How much of a cause a page shows.
const (
	pageLines  = 3000     // of all changes together
	pageSide   = 400      // of one side of a change
	pageColumn = 1500     // bytes of one line
	pageOpen   = 12       // files that are shown unfolded
	pagePatch  = 64 << 10 // bytes
)

// An htmlFile is the part of a cause or of a context that is in one file.
type htmlFile struct {
	Path        string
	Counts      string // "2 changes, 1 line removed, 26 added"
	Open        bool
	Changes     []htmlChange
	Minus, Plus string
}

// count enters how many changes are in the file, and how many lines they remove and add.
func (f *htmlFile) count(n, minus, plus int) {
	f.Counts = prose.Count(n, "change")
	if minus > 0 {
		f.Minus = "−" + prose.Number(minus)
	}
	if plus > 0 {
		f.Plus = "+" + prose.Number(plus)
	}
}

// An htmlChange is one change, old and new beside each other.
type htmlChange struct {
	Place   string // what git writes between @@ and @@, or what kind of change it is
	Symbol  string
	Notes   []string
	Commits []htmlCommit // that made it; none when the page has named them
	Layout  string       // "both", "one" = only one side has lines, "none"
	Cells   []htmlCell   // of both sides in turn, or of the one
	Cut     string       // what is not shown; "" = nothing
	Label   string       // for who does not see it
	Digits  int          // of the largest line number
}

// An htmlCell is a line of one side, or the gap beside a line.
type htmlCell struct {
	Class  string // "old" or "new"; "gap" or "end", a note, before it
	Number string
	Pieces []piece
}

// A piece is text of one look. Its text is printable, or a tab.
type piece struct{ Class, Text string }

// Part reports whether a piece is what matters of its line.
func (p piece) Part() bool { return slices.Contains(strings.Fields(p.Class), "p") }

// An htmlCommit is a commit as a page shows it.
type htmlCommit struct{ ID, Whole, Date, Author, Subject string }

func newHTMLCommit(r *Result, c Commit) htmlCommit {
	day, _, _ := strings.Cut(c.Date, "T")
	h := htmlCommit{Date: prose.Printable(day), Subject: prose.Printable(c.Subject)}
	if !r.recorded(c.ID) { // else git knows no such commit, and its subject says what it is
		h.ID, h.Whole, h.Author = short(c.ID), prose.Printable(c.ID), prose.Printable(c.Author)
	}
	return h
}

// htmlByFile are changes of r by file, and a note on what is left out. Lines it
// shows come off left.
func htmlByFile(r *Result, list []Change, left *int) (files []htmlFile, note string) {
	var named []string // commits that the page has named
	if r.Commit != nil {
		named = []string{r.Commit.ID}
	}
	hidden, shownFiles := 0, 0
	for begin := 0; begin < len(list); {
		end := begin + 1
		for end < len(list) && list[end].path() == list[begin].path() {
			end++
		}
		if *left <= 0 {
			hidden += len(list) - begin
			break
		}
		f := htmlFile{Path: prose.Printable(list[begin].path()), Open: shownFiles < pageOpen}
		var minus, plus int
		commits := named
		for i, n := begin, 0; i < end; i += n {
			n = oneLine(list[i:end])
			m, p := list[i].lineCounts()
			minus, plus = minus+m, plus+p
			if *left <= 0 {
				hidden += n
				continue
			}
			c := newHTMLChange(r, list[i:i+n], left)
			if !slices.Equal(list[i].Commits, commits) {
				commits = list[i].Commits
				c.Commits = commitsOf(r, commits)
			}
			f.Changes = append(f.Changes, c)
		}
		f.count(end-begin, minus, plus)
		files = append(files, f)
		shownFiles++
		begin = end
	}
	if hidden > 0 {
		note = "The lines of " + prose.Count(hidden, "more change") + " are not shown on this page."
	}
	return files, note
}

// commit is the commit of an id; of one that r does not know, as in a result of another hand, there is nothing else.
func (r *Result) commit(id string) Commit {
	if known := slices.IndexFunc(r.Commits, func(c Commit) bool { return c.ID == id }); known >= 0 {
		return r.Commits[known]
	}
	return Commit{ID: id}
}

// commitsOf are commits that r knows, by their ids; at most a few.
func commitsOf(r *Result, ids []string) []htmlCommit {
	var list []htmlCommit
	for _, id := range ids[:min(len(ids), 2*shownCommits)] {
		list = append(list, newHTMLCommit(r, r.commit(id)))
	}
	if more := len(ids) - len(list); more > 0 {
		list = append(list, htmlCommit{Subject: "and " + prose.Count(more, "more commit")})
	}
	return list
}

// newHTMLChange lays out one change, or several of one line.
func newHTMLChange(r *Result, list []Change, left *int) htmlChange {
	c, h := &list[0], newHunkOf(list)
	out := htmlChange{Symbol: prose.Printable(c.Symbol)}
	if c.Kind == "text" {
		out.Place = fmt.Sprintf("@@ -%s +%s @@", lines(c.OldStart, c.OldLines), lines(c.NewStart, c.NewLines))
	} else {
		out.Place = prose.Printable(describe(c))
	}
	if h.whitespace {
		out.Notes = append(out.Notes, "white space only")
	}
	if slices.ContainsFunc(list, func(c Change) bool { return slices.Contains(r.Unproven, c.ID) }) && len(r.Unproven) < len(r.Cause) {
		out.Notes = append(out.Notes, "unproven")
	}
	if c.Confidence > 0 && c.Confidence < 1 {
		out.Notes = append(out.Notes, "confidence "+prose.Percent(c.Confidence))
	}
	if titles := r.updatesOf(c.ID); len(titles) > 0 {
		out.Notes = append(out.Notes, theUpdates(titles))
	}
	out.Label = fmt.Sprintf("%s: %s removed, %s added", prose.Printable(c.path()), prose.Count(len(h.old.lines), "line"), prose.Count(len(h.new.lines), "line"))

	before, after := h.old.lines, h.new.lines
	limit := max(1, min(pageSide, *left))
	hidden := max(0, len(before)-limit) + max(0, len(after)-limit)
	before, after = before[:min(len(before), limit)], after[:min(len(after), limit)]
	*left -= max(1, len(before)+len(after))
	if hidden > 0 {
		out.Cut = "… " + prose.Count(hidden, "more line")
	}
	l := lexical.RulesOf(c.path())
	o := sideOf(h, &h.old, before, l, "old", first(c.OldStart))
	n := sideOf(h, &h.new, after, l, "new", first(c.NewStart))
	switch {
	case len(before) > 0 && len(after) > 0:
		out.Layout = "both"
		for _, pair := range align(before, after) {
			i, j := pair[0], pair[1]
			if i >= 0 && j >= 0 {
				if h.old.parts != nil || h.new.parts != nil {
					o.part, n.part = marks(before[i], h.old.parts), marks(after[j], h.new.parts)
				} else {
					o.mark[i], n.mark[j] = differences(before[i], after[j])
				}
			}
			out.Cells = append(out.Cells, o.cell(i), n.cell(j))
		}
		if o.unended(hidden) || n.unended(hidden) {
			out.Cells = append(out.Cells, o.ending(hidden), n.ending(hidden))
		}
	case len(before)+len(after) > 0:
		out.Layout = "one"
		side := n
		if len(before) > 0 {
			side = o
		}
		for i := range side.lines {
			out.Cells = append(out.Cells, side.cell(i))
		}
		if side.unended(hidden) {
			out.Cells = append(out.Cells, side.ending(hidden))
		}
	default:
		out.Layout = "none"
	}
	out.Digits = len(strconv.Itoa(max(o.start+len(before), n.start+len(after))))
	return out
}

// first is the number of the first line of a side: a file that comes or goes has
// none in its change.
func first(start int) int { return max(start, 1) }

// A htmlSide is one side of a change that is laid out.
type htmlSide struct {
	class      string
	start      int
	lines      []string
	tokens     [][]token
	mark       [][]bool // of each line its bytes that the other side does not have; nil = none in particular
	part       []bool   // of the only line the bytes that matter; nil = all of it
	whitespace bool
	open       bool // the last line has no newline
}

func sideOf(h *hunk, s *side, lines []string, l *lexical.Rules, class string, start int) *htmlSide {
	out := &htmlSide{class: class, start: start, lines: lines, whitespace: h.whitespace, open: s.unended, mark: make([][]bool, len(lines))}
	if l != nil && !h.whitespace {
		out.tokens = tokens(l, lines)
	}
	return out
}

func (s *htmlSide) unended(hidden int) bool { return s.open && hidden == 0 }

func (s *htmlSide) ending(hidden int) htmlCell {
	if !s.unended(hidden) {
		return htmlCell{Class: "gap " + s.class}
	}
	return htmlCell{Class: "end " + s.class, Pieces: []piece{{Text: `\ No newline at end of file`}}}
}

// cell is line i, or a gap for -1.
func (s *htmlSide) cell(i int) htmlCell {
	if i < 0 {
		return htmlCell{Class: "gap " + s.class}
	}
	c := htmlCell{Class: s.class, Number: strconv.Itoa(s.start + i)}
	line, mark, how := s.lines[i], s.mark[i], " d"
	if s.part != nil {
		mark, how = s.part, " p"
	}
	tokens := []token{{"", line}}
	if s.tokens != nil {
		tokens = s.tokens[i]
	}
	from, to := shownPart(line, mark)
	if from > 0 {
		c.Pieces = append(c.Pieces, piece{"more", "… " + prose.Count(from, "byte") + " "})
	}
	at := 0
	for _, t := range tokens {
		for begin := max(0, from-at); begin < len(t.text) && at+begin < to; {
			end := begin + 1
			marked := mark != nil && mark[at+begin]
			for end < len(t.text) && at+end < to && (mark != nil && mark[at+end]) == marked {
				end++
			}
			class := t.class
			if marked {
				class = strings.TrimSpace(class + how)
			}
			c.Pieces = pieces(c.Pieces, class, t.text[begin:end], s.whitespace)
			begin = end
		}
		at += len(t.text)
	}
	if to < len(line) {
		c.Pieces = append(c.Pieces, piece{"more", " … " + prose.Count(len(line)-to, "byte")})
	}
	return c
}

// shownPart is what of a line is shown: all of it, or so much around the first
// difference as is readable.
func shownPart(line string, mark []bool) (from, to int) {
	if len(line) <= pageColumn {
		return 0, len(line)
	}
	if first := slices.Index(mark, true); first > pageColumn/2 {
		from = first - pageColumn/4
	}
	to = min(len(line), from+pageColumn)
	// To the begins of characters; what is no UTF-8 has none.
	for k := 1; k < utf8.UTFMax && from > 0 && !utf8.RuneStart(line[from]); k++ {
		from--
	}
	for k := 1; k < utf8.UTFMax && to < len(line) && !utf8.RuneStart(line[to]); k++ {
		to++
	}
	return from, to
}

// pieces appends text of a class, with all that is not printable spelled out, and
// with white space made visible if that is the point.
func pieces(list []piece, class, text string, whitespace bool) []piece {
	add := func(class, text string) {
		if text == "" {
			return
		}
		if n := len(list); n > 0 && list[n-1].Class == class {
			list[n-1].Text += text
			return
		}
		list = append(list, piece{class, text})
	}
	begin := 0
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRuneInString(text[i:])
		show := ""
		where := class
		switch {
		case whitespace && r == ' ':
			show = "·"
		case whitespace && r == '\t':
			show = "→\t"
		case r != '\t' && !prose.IsPrintable(r, size):
			show, where = prose.Literal(r, size, text[i]), strings.TrimSpace(class+" x")
		}
		if show != "" {
			add(class, text[begin:i])
			add(where, show)
			begin = i + size
		}
		i += size
	}
	add(class, text[begin:])
	return list
}

// patchText is the cause as git diff -U0 would print it: to be read and copied. It
// is cut behind pagePatch bytes, and each line behind a quarter of that.
func patchText(list []Change) (text string, whole bool) {
	const longest = pagePatch / 4
	var b strings.Builder
	whole = true
	path := ""
	for n := 0; len(list) > 0; list = list[n:] {
		n = oneLine(list)
		c := &list[0]
		if b.Len() > pagePatch {
			return b.String(), false
		}
		if b.Len() == 0 || c.path() != path {
			path = c.path()
			before, after := "a/"+prose.Printable(c.oldPath()), "b/"+prose.Printable(c.path())
			switch c.Kind {
			case "created":
				before = "/dev/null"
			case "deleted":
				after = "/dev/null"
			}
			if c.OldPath == "" {
				before = "/dev/null"
			}
			fmt.Fprintf(&b, "--- %s\n+++ %s\n", before, after)
		}
		h := newHunk(c)
		if c.within() {
			h.new = cut(applied(list[:n]))
		}
		if c.Kind == "text" {
			fmt.Fprintf(&b, "@@ -%s +%s @@ %s\n", lines(c.OldStart, c.OldLines), lines(c.NewStart, c.NewLines), prose.Printable(c.Symbol))
		} else {
			fmt.Fprintf(&b, "@@ %s @@\n", prose.Printable(describe(c)))
		}
		for _, s := range []struct {
			sign string
			side
		}{{"-", h.old}, {"+", h.new}} {
			for i, line := range s.lines {
				if b.Len() > pagePatch {
					return b.String(), false
				}
				b.WriteString(s.sign)
				whole = whole && len(line) <= longest
				for k, part := range strings.Split(line[:min(len(line), longest)], "\t") {
					if k > 0 {
						b.WriteByte('\t')
					}
					b.WriteString(prose.Printable(part))
				}
				b.WriteByte('\n')
				if s.unended && i == len(s.lines)-1 {
					b.WriteString("\\ No newline at end of file\n")
				}
			}
		}
	}
	return b.String(), whole
}

package report

import (
	"strconv"
	"strings"

	"github.com/gitdd/gitdd/internal/lexical"
	"github.com/gitdd/gitdd/internal/prose"
)

// How much text a page of a reduction shows.
const (
	pageListing = 400  // lines of one text
	pageTexts   = 1200 // lines of all of them
	pageFiles   = 300  // files of the table
	pageBeside  = 60   // lines of a file that stand beside those of its rest
	pageOrigin  = 600  // lines of the input
)

// A listing is a text of which each line has its number.
type listing struct {
	Path   string
	Extra  string // how large it is
	Digits int    // of the largest number
	Cells  []htmlCell
	Note   string // what is not shown, and how it ends
}

// newListing lays out a text that has so many lines, -1 if text is only its begin, and
// bytes in all. Lines that it shows come off left.
func newListing(path, text string, total int, bytes int64, left *int) listing {
	s := cut(text)
	out := listing{Path: prose.Printable(path), Extra: prose.Count(int(bytes), "byte")}
	if total >= 0 {
		out.Extra = prose.Count(total, "line") + ", " + out.Extra
	}
	shown := s.lines[:min(len(s.lines), pageListing, max(*left, 0))]
	*left -= len(shown)
	out.Cells = plainCells(path, shown, nil)
	out.Digits = digitsOf(out.Cells)
	switch hidden := total - len(shown); {
	case total < 0:
		out.Note = "… more lines"
	case hidden > 0:
		out.Note = "… " + prose.Count(hidden, "more line")
	case s.unended && total == len(s.lines):
		out.Note = `\ No newline at end of file`
	}
	return out
}

// plainCells are the lines of a text, numbered from 1, in the colours of the
// language that its name says; mark has the bytes of each line that stand out.
func plainCells(path string, lines []string, mark [][]bool) []htmlCell {
	s := &htmlSide{class: "kept", start: 1, lines: lines, mark: mark}
	if mark == nil {
		s.mark = make([][]bool, len(lines))
	}
	if l := lexical.RulesOf(original(path)); l != nil {
		s.tokens = tokens(l, lines)
	}
	cells := make([]htmlCell, len(lines))
	for i := range lines {
		cells[i] = s.cell(i)
	}
	return cells
}

// digitsOf is how wide the numbers of lines are.
func digitsOf(cells []htmlCell) int {
	n := 1
	for i := range cells {
		n = max(n, len(cells[i].Number))
	}
	return n
}

// original is a name without what was put behind it: it says the language.
func original(path string) string {
	for _, end := range []string{".reduced", ".passing", ".failing"} {
		path = strings.TrimSuffix(path, end)
	}
	return path
}

// texts are what is left, where these are texts: that of the result, or those that
// the story kept of several files.
func texts(r *Reduction, s *Story) []listing {
	if r.Isolation != nil {
		return nil
	}
	left := pageTexts
	if x := r.Shown; x != nil {
		return []listing{newListing(x.Path, exact(x.Text, x.Raw), x.Lines, r.Output.Bytes, &left)}
	}
	if r.Output.Files < 2 || r.Status == NotReduced || r.Status == Failed {
		return nil
	}
	var list []listing
	for i := range s.Files {
		f := &s.Files[i]
		if f.After <= 0 || f.Is == "" || left <= 0 {
			continue
		}
		lines := len(cut(f.Is).lines)
		if int64(len(f.Is)) < f.After {
			lines = -1
		}
		list = append(list, newListing(f.Path, f.Is, lines, f.After, &left))
	}
	return list
}

// A fileRow is a line of the table of files.
type fileRow struct {
	Path, Format, Before, After string
	Gone                        bool
	Part                        float64 // of Before that is left, in per cent
}

// fileRows are the files of an input of several.
func fileRows(r *Reduction, s *Story) (rows []fileRow, note string) {
	if r.Input.Files < 2 || r.Isolation != nil {
		return nil, ""
	}
	for i := range s.Files[:min(len(s.Files), pageFiles)] {
		f := &s.Files[i]
		row := fileRow{Path: prose.Printable(f.Path), Format: prose.Printable(f.Format), Before: prose.Size(f.Before), After: "gone", Gone: f.After < 0}
		if f.After >= 0 {
			row.After = prose.Size(f.After)
			if f.Before > 0 {
				row.Part = hundredths(100 * float64(f.After) / float64(f.Before))
			}
		}
		rows = append(rows, row)
	}
	if more := r.Input.Files - len(rows); more > 0 && len(rows) > 0 {
		note = "… " + prose.Count(more, "more file")
	}
	return rows, note
}

// A htmlDifference is a part of a diff, both sides beside each other.
type htmlDifference struct {
	Place  string
	Digits int
	Cells  []htmlCell
	Cut    string
}

// differenceOf is the diff of the nearest inputs that pass and fail.
func differenceOf(r *Reduction) []htmlDifference {
	if r.Isolation == nil || r.Isolation.Diff == "" {
		return nil
	}
	s := cut(exact(r.Isolation.Diff, r.Isolation.RawDiff))
	left := pageTexts
	l := lexical.RulesOf(original(r.Isolation.NearFailing))
	var parts []htmlDifference
	for i := 0; i < len(s.lines) && left > 0; {
		if !strings.HasPrefix(s.lines[i], "@@") {
			i++
			continue
		}
		d := htmlDifference{Place: prose.Printable(s.lines[i])}
		old, new := begins(s.lines[i])
		from := i + 1
		for i++; i < len(s.lines) && !strings.HasPrefix(s.lines[i], "@@"); i++ {
		}
		body := s.lines[from:min(i, from+left)]
		if hidden := i - from - len(body); hidden > 0 {
			d.Cut = "… " + prose.Count(hidden, "more line")
		}
		left -= len(body)
		d.Cells = bothSides(body, old, new, l)
		d.Digits = digitsOf(d.Cells)
		parts = append(parts, d)
	}
	return parts
}

// begins are the numbers of the first lines of a hunk, by its header.
func begins(header string) (old, new int) {
	for _, field := range strings.Fields(header) {
		number, _, _ := strings.Cut(field[1:], ",")
		switch field[0] {
		case '-':
			old, _ = strconv.Atoi(number)
		case '+':
			new, _ = strconv.Atoi(number)
		}
	}
	return max(old, 1), max(new, 1)
}

// bothSides lays out the body of a hunk as diff -u has it.
func bothSides(body []string, old, new int, l *lexical.Rules) []htmlCell {
	var cells []htmlCell
	for i := 0; i < len(body); {
		if sign := first1(body[i]); sign == '\\' {
			cells = append(cells, htmlCell{Class: "old end", Pieces: []piece{{Text: prose.Printable(body[i])}}}, htmlCell{Class: "new gap"})
			i++
			continue
		} else if sign != '-' && sign != '+' {
			line := []string{strings.TrimPrefix(body[i], " ")}
			for _, n := range []*int{&old, &new} {
				side := &htmlSide{class: "kept", start: *n, lines: line, mark: [][]bool{nil}}
				if l != nil {
					side.tokens = tokens(l, line)
				}
				cells = append(cells, side.cell(0))
				*n++
			}
			i++
			continue
		}
		var a, b []string
		for i < len(body) && first1(body[i]) == '-' {
			a = append(a, body[i][1:])
			i++
		}
		note := ""
		if i < len(body) && first1(body[i]) == '\\' {
			note, i = prose.Printable(body[i]), i+1
		}
		for i < len(body) && first1(body[i]) == '+' {
			b = append(b, body[i][1:])
			i++
		}
		o := &htmlSide{class: "old", start: old, lines: a, mark: make([][]bool, len(a))}
		n := &htmlSide{class: "new", start: new, lines: b, mark: make([][]bool, len(b))}
		if l != nil {
			o.tokens, n.tokens = tokens(l, a), tokens(l, b)
		}
		for _, row := range align(a, b) {
			if row[0] >= 0 && row[1] >= 0 {
				o.mark[row[0]], n.mark[row[1]] = differences(a[row[0]], b[row[1]])
			}
			cells = append(cells, o.cell(row[0]), n.cell(row[1]))
		}
		if note != "" {
			cells = append(cells, htmlCell{Class: "old end", Pieces: []piece{{Text: note}}}, htmlCell{Class: "new gap"})
		}
		old, new = old+len(a), new+len(b)
	}
	return cells
}

func first1(line string) byte {
	if line == "" {
		return ' '
	}
	return line[0]
}

// An origin shows a file of the input with what is left of it.
type origin struct {
	Path   string
	Layout string // "one", or "both" with what is left beside it
	Extra  string
	Digits int
	Cells  []htmlCell
}

// newOrigins mark what is left in the files of the input, where that is known.
func newOrigins(r *Reduction, s *Story) (list []origin) {
	if r.Isolation != nil {
		return nil
	}
	left := pageOrigin
	for i := range s.Files {
		f := &s.Files[i]
		if len(f.Kept) == 0 || f.After >= f.Before || left <= 0 {
			continue
		}
		lines := cut(f.Was).lines
		o := origin{Path: prose.Printable(f.Path), Layout: "one", Extra: prose.Count(len(lines), "line") + ", " + prose.Count(int(f.Before), "byte")}
		marks := marksOf(f, lines)
		if after := cut(f.Is).lines; len(lines) <= pageBeside && len(after) <= pageBeside && int64(len(f.Is)) == f.After {
			o.Layout = "both sides"
			o.Cells = besideRest(f.Path, lines, marks, after)
			left -= len(lines)
		} else {
			o.Cells = keptLines(f.Path, lines, marks, &left)
		}
		o.Digits = digitsOf(o.Cells)
		list = append(list, o)
	}
	return list
}

// marksOf are the bytes of each line that are left; nil for a line of which only white
// space is, or nothing.
func marksOf(f *File, lines []string) [][]bool {
	marks := make([][]bool, len(lines))
	at, k := 0, 0
	for i, line := range lines {
		end := at + len(line)
		for k < len(f.Kept) && f.Kept[k][1] <= at {
			k++
		}
		for n := k; n < len(f.Kept) && f.Kept[n][0] < end; n++ {
			from, to := max(f.Kept[n][0], at)-at, min(f.Kept[n][1], end)-at
			if from >= to || strings.TrimSpace(line[from:to]) == "" {
				continue
			}
			if marks[i] == nil {
				marks[i] = make([]bool, len(line))
			}
			set(marks[i], from, to)
		}
		at = end + 1
	}
	return marks
}

// besideRest are the lines of a file, with those that are left beside them: each beside
// a line of which something is left, in their order.
func besideRest(path string, lines []string, marks [][]bool, after []string) []htmlCell {
	before, rest := plainCells(path, lines, marks), plainCells(path, after, nil)
	var cells []htmlCell
	for i, c := range before {
		beside := htmlCell{Class: "gap"}
		switch {
		case marks[i] == nil:
			c.Class = "beside"
		case len(rest) > 0:
			beside, rest = rest[0], rest[1:]
		}
		cells = append(cells, c, beside)
	}
	for _, c := range rest { // lines that were broken
		cells = append(cells, htmlCell{Class: "gap"}, c)
	}
	return cells
}

// keptLines are the lines with a mark, and what is between them as a count. Lines that
// it shows come off left.
func keptLines(path string, lines []string, marks [][]bool, left *int) []htmlCell {
	all := plainCells(path, lines, marks)
	has := func(i int) bool { return i >= 0 && i < len(lines) && marks[i] != nil }
	var cells []htmlCell
	gone := 0
	flush := func() {
		if gone > 0 {
			cells = append(cells, htmlCell{Class: "went", Pieces: []piece{{Text: "… " + prose.Count(gone, "line")}}})
		}
		gone = 0
	}
	const around = 1 // lines without a mark beside one with
	for i := range lines {
		near := has(i)
		for d := 1; d <= around; d++ {
			near = near || has(i-d) || has(i+d)
		}
		if !near || *left <= 0 {
			gone++
			continue
		}
		flush()
		*left--
		c := all[i]
		if !has(i) {
			c.Class = "beside"
		}
		cells = append(cells, c)
	}
	flush()
	return cells
}

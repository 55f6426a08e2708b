package grouping

import (
	"go/parser"
	gotoken "go/token"

	"github.com/gitdd/gitdd/changes"
)

// How much is parsed to see which hunks of a file need each other, in bytes.
// Every file with several hunks is allowed syntaxFactor times its two sides,
// and at least syntaxLeast, until the plan has allowed syntaxBytes in all.
const (
	syntaxFactor = 16
	syntaxLeast  = 128 << 10
	syntaxBytes  = 64 << 20
	maxWindow    = 8 // neighbouring hunks that are tried together
)

// A layout is one side of a file with its hunks: put in (good) or taken out
// (bad) is the same operation, the replacement of lines.
type layout struct {
	language language
	content  []byte
	starts   []int   // offset of every line, and of the end
	hunks    []patch // in order, disjoint
	units    []lines // the pieces that parse on their own, in order, disjoint
}

// Lines is a range of lines counted from 0, without its end.
type lines struct{ from, to int }

// A patch replaces lines of a side by the text of the other side.
type patch struct {
	lines
	text []byte
}

// syntax finds hunks of one file that do not parse without their neighbours:
// put into good alone, or taken out of bad alone. The smallest window of
// neighbours that does parse tells what they require. Only the declarations
// around a window are parsed, not the file, and only where they parse without
// it. No more than f.allowed bytes are parsed.
func (r *reader) syntax(all []facts, list []changes.Change, f *file, sides [2]side, contents [2][]byte) {
	budget := f.allowed
	for which, content := range contents {
		name := f.name(which)
		l := layout{language: languageOf(name, content), content: content, starts: lineStarts(content)}
		if !r.checksSyntax(l.language) {
			return
		}
		l.findUnits(sides[which].declarations)
		for _, i := range f.text {
			c := &list[i]
			p := patch{lines{before(c.OldStart, c.OldLines), after(c.OldStart, c.OldLines)}, c.New}
			if which == bad {
				p = patch{lines{before(c.NewStart, c.NewLines), after(c.NewStart, c.NewLines)}, c.Old}
			}
			if c.Part != (changes.Part{}) || p.to >= len(l.starts) || len(l.hunks) > 0 && p.from < l.hunks[len(l.hunks)-1].to {
				return // not hunks of this content, of whole lines and in order
			}
			l.hunks = append(l.hunks, p)
		}
		parses := func(text []byte) bool {
			budget -= len(text)
			return budget >= 0 && r.parses(l.language, text)
		}
		together := func(window []int) bool { return parses(l.fragment(window)) }
		clean := make(map[lines]bool)
		for k := range l.hunks {
			if budget < 0 {
				return
			}
			if together([]int{k}) { // as most do
				continue
			}
			around, text := l.unpatched(k)
			if _, ok := clean[around]; !ok {
				clean[around] = parses(text)
			}
			if !clean[around] {
				continue
			}
			for _, other := range smallest(k, len(l.hunks), together) {
				if which == good {
					all[f.text[k]].requires = append(all[f.text[k]].requires, f.text[other])
				} else {
					all[f.text[other]].requires = append(all[f.text[other]].requires, f.text[k])
				}
			}
		}
	}
}

// smallest returns what else is in the smallest window of neighbours around k
// that parses; nil if none of up to maxWindow does.
func smallest(k, n int, parses func([]int) bool) []int {
	for size := 2; size <= min(maxWindow, n); size++ {
		for first := max(0, k-size+1); first <= min(k, n-size); first++ {
			window := make([]int, size)
			for i := range window {
				window[i] = first + i
			}
			if !parses(window) {
				continue
			}
			// Invariant: window parses, and k is in it.
			for i := len(window) - 1; i >= 0; i-- {
				if window[i] == k || len(window) == 2 {
					continue
				}
				fewer := append(append([]int(nil), window[:i]...), window[i+1:]...)
				if parses(fewer) {
					window = fewer
				}
			}
			for i, w := range window {
				if w == k {
					return append(window[:i], window[i+1:]...)
				}
			}
		}
	}
	return nil
}

// findUnits keeps the ranges of the top-level declarations, joined where they
// share a line; of a namespace, those of what is in it.
func (l *layout) findUnits(list []declaration) {
	for i := range list {
		d := &list[i]
		if !d.unit || holdsUnit(d, list[i+1:]) {
			continue
		}
		u := lines{max(d.doc-1, 0), min(d.end, len(l.starts)-1)}
		if n := len(l.units); n > 0 && u.from < l.units[n-1].to {
			l.units[n-1].to = max(l.units[n-1].to, u.to)
		} else {
			l.units = append(l.units, u)
		}
	}
}

// holdsUnit reports whether there is a top-level declaration within d; list has what comes behind d.
func holdsUnit(d *declaration, list []declaration) bool {
	for i := range list {
		if list[i].doc > d.end {
			return false
		}
		if list[i].unit && list[i].end <= d.end {
			return true
		}
	}
	return false
}

// around widens a range to the declarations that it touches; head reports
// whether that includes the beginning of the file, what stands before its
// first declaration and belongs together.
func (l *layout) around(r lines) (wide lines, head bool) {
	end := len(l.starts) - 1
	if len(l.units) == 0 || wholeOnly(l.language) {
		return lines{0, end}, true
	}
	wide = r
	for _, u := range l.units {
		if u.from < r.to && u.to > r.from {
			wide.from, wide.to = min(wide.from, u.from), max(wide.to, u.to)
		}
	}
	if wide.from < l.units[0].from {
		return lines{0, max(wide.to, l.units[0].from)}, true
	}
	return wide, false
}

// wholeOnly tells the languages in which a piece of a file is no file.
func wholeOnly(l language) bool {
	switch l {
	case html, jsonText, yaml, toml, xml, css:
		return true
	}
	return false
}

// fragment is the text around a window of hunks with these replaced.
func (l *layout) fragment(window []int) []byte {
	r, head := l.around(lines{l.hunks[window[0]].from, l.hunks[window[len(window)-1]].to})
	text := l.preamble(head)
	at := r.from
	for _, k := range window {
		p := &l.hunks[k]
		text = append(text, l.content[l.starts[at]:l.starts[p.from]]...)
		text = append(text, p.text...)
		at = p.to
	}
	return append(text, l.content[l.starts[at]:l.starts[r.to]]...)
}

func (l *layout) preamble(head bool) []byte {
	switch {
	case head:
		return nil
	case l.language == golang:
		return []byte("package p\n")
	case l.language == php:
		return []byte("<?php\n")
	}
	return nil
}

// unpatched is the text around hunk k as it is, and its lines.
func (l *layout) unpatched(k int) (lines, []byte) {
	r, head := l.around(l.hunks[k].lines)
	return r, append(l.preamble(head), l.content[l.starts[r.from]:l.starts[r.to]]...)
}

// parses reports whether text is free of syntax errors.
func (r *reader) parses(l language, text []byte) bool {
	if l == golang {
		_, err := parser.ParseFile(gotoken.NewFileSet(), "", text, parser.SkipObjectResolution)
		return err == nil
	}
	return r.parsers.clean(l, text) && misindented(l, text, false) == 0
}

func (r *reader) checksSyntax(l language) bool {
	return l == golang || r.parsers.reads(l)
}

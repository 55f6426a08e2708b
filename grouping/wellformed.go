package grouping

import (
	"bytes"
	"cmp"
	"encoding/json"
	"go/parser"
	goscanner "go/scanner"
	gotoken "go/token"
	"iter"
	"slices"

	"github.com/gitdd/gitdd/changes"
)

// How much a Wellformed parses.
const (
	wellformedFile  = 1 << 20  // bytes of a file at most
	wellformedBytes = 64 << 20 // of all files, each time that they are parsed
	moreScanned     = 8        // so many times more are read by the other checks, which are quicker
	wellformedPairs = 8        // changes on either side of a fault that may be the reason
	maxFaults       = 32       // that the parser may find in a file as it is on a side of the difference
)

// A Wellformed tells which configurations do not parse, or use names that nothing declares, without a test. It
// remembers what it has read; one goroutine at a time may use it.
type Wellformed struct {
	*index
	parsers *parsers
	ends    map[int][]func(language, []byte) fault // by file: the checks that find no fault in either of its sides
	known   map[mixture]fault
	spent   int // bytes that were parsed, or read for their names
	scanned int // bytes that were read by the other checks

	golang *goChecks // see Compile; nil before the first time
}

// A fault is the first reason why a tool will refuse a text.
type fault struct {
	line int    // 0 = there is none
	name string // that is declared twice, or not at all; or ""
	text string // what is wrong; "" = the text does not parse
}

// A mixture is a file with some of its hunks.
type mixture struct {
	file int
	hash uint64
}

// Wellformed returns a check of the plan's configurations. Close frees what it holds.
func (p *Plan) Wellformed() *Wellformed {
	if p.index == nil {
		return nil
	}
	return &Wellformed{index: p.index, parsers: newParsers(), ends: map[int][]func(language, []byte) fault{}, known: map[mixture]fault{}}
}

// Close frees what C holds.
func (w *Wellformed) Close() {
	if w != nil {
		w.parsers.close()
	}
}

// Check returns a message for each file that does not parse with the given changes
// applied, although it does on both sides of the difference; likewise for one that uses a name that it does not
// declare, declares a name twice in a block, or leaves a loop outside of loops. A fault of a side, which may
// be a construct that the parser does not know, is none in a mixture. The explanations are the
// pairs of an applied hunk and one that is not of this file, those nearest to the fault
// first; of a fault of a name, those that declare the name, and those that have it. It is advice: a parser here
// may see a fault where a tool sees none.
//
// Cost: each file of which some hunks and not all are applied is parsed, and read for its names, once for each
// set of these, and no more than wellformedBytes in all; beyond that scans of the files,
// moreScanned times as many.
func (w *Wellformed) Check(applied iter.Seq[int]) (list []Message) {
	if w == nil {
		return nil
	}
	has := w.composed(applied)
	for n := range w.files {
		f := &w.files[n]
		if l := languageOf(f.path, nil); wholeOnly(l) || syntaxOf(l).family == "" || !w.mixes(f, has) {
			continue
		}
		if found := w.fault(n, has); found.line > 0 {
			if m := w.message(n, found, has); len(m.Explanations) > 0 {
				list = append(list, m)
			}
		}
	}
	return list
}

// Broken reports whether a file does not parse although it does on both sides of the difference. Files of
// data count, too: JSON, and other formats of which this build has the grammar. What Check says of names
// does not count, because code that never runs may use names that nothing declares. Its cost is that of Check.
func (w *Wellformed) Broken(applied iter.Seq[int]) bool {
	if w == nil {
		return false
	}
	has := w.composed(applied)
	for n := range w.files {
		if f := &w.files[n]; w.mixes(f, has) {
			if found := w.fault(n, has); found.line > 0 && found.text == "" {
				return true
			}
		}
	}
	return false
}

// mixes reports whether a file has some of its hunks and not all.
func (w *Wellformed) mixes(f *file, has []bool) bool {
	some, all := false, true
	for _, i := range f.text {
		some, all = some || has[i], all && has[i]
	}
	return some && !all && f.path == f.oldPath && w.pathIn(f, has) != ""
}

// fault returns the first fault of a mixture, if there is one and it is known.
func (w *Wellformed) fault(n int, has []bool) (found fault) {
	f := &w.files[n]
	l := languageOf(f.path, nil)
	faults := []func(language, []byte) int{w.unmatched, unconditioned, misindentedFile}
	switch {
	case wholeOnly(l):
		faults = []func(language, []byte) int{notJSON}
	case syntaxOf(l).family == "":
		return fault{}
	}
	key := mixture{n, offset64}
	for _, i := range f.text {
		b := uint64(0)
		if has[i] {
			b = 1
		}
		key.hash = (key.hash ^ (b + 1)) * prime64
	}
	if found, ok := w.known[key]; ok {
		return found
	}
	old, err := w.set.OldContent(f.oldPath)
	if err != nil || len(old) > wellformedFile || w.scanned > moreScanned*wellformedBytes {
		return fault{}
	}
	if _, ok := w.ends[n]; !ok {
		new, err := w.set.NewContent(f.path)
		w.ends[n] = nil
		if err == nil && len(new) <= wellformedFile {
			add := func(line func(language, []byte) int) {
				w.ends[n] = append(w.ends[n], func(l language, text []byte) fault { return fault{line: line(l, text)} })
			}
			if parse := w.parse(l, old, new); parse != nil {
				add(parse)
			}
			for _, line := range faults {
				if line(l, old) == 0 && line(l, new) == 0 {
					add(line)
				}
			}
			if !wholeOnly(l) && l != golang {
				misnamed := scopeFault(l, f.path, old, new)
				w.ends[n] = append(w.ends[n], func(l language, text []byte) fault {
					if w.spent += len(text); w.spent > wellformedBytes {
						return fault{}
					}
					return misnamed(l, text)
				})
			}
		}
	}
	if len(w.ends[n]) > 0 {
		text := w.mixed(f, old, has)
		w.scanned += len(text)
		for _, first := range w.ends[n] {
			if found.line == 0 {
				found = first(l, text)
			}
		}
	}
	w.known[key] = found
	return found
}

// mixed returns the content of a file with some of its hunks.
func (w *Wellformed) mixed(f *file, old []byte, has []bool) []byte {
	starts := lineStarts(old)
	if starts[len(starts)-1] != len(old) {
		starts = append(starts, len(old))
	}
	var text []byte
	at := 0 // bytes of old so far
	for _, i := range f.text {
		c := &w.set.Changes[i]
		if !has[i] {
			continue
		}
		first, end := before(c.OldStart, c.OldLines), after(c.OldStart, c.OldLines)
		if end >= len(starts) {
			return old // not hunks of this content
		}
		from, to, new := starts[first], starts[end], c.New
		if p := c.Part; p != (changes.Part{}) {
			from, to, new = starts[first]+p.OldFrom, starts[first]+p.OldTo, c.New[p.NewFrom:p.NewTo]
		}
		if from < at {
			return old // not in order
		}
		text = append(append(text, old[at:from]...), new...)
		at = to
	}
	return append(text, old[at:]...)
}

// parse returns a function that returns the line of the first fault that a parser finds in a text and not on one of two sides
// of a file, in a line that reads alike; 0 if it finds none. It is nil where a side has too many faults, or there is no parser.
func (w *Wellformed) parse(l language, sides ...[]byte) func(language, []byte) int {
	known := map[string]bool{}
	lineOf := func(text []byte, line int) string {
		starts := lineStarts(text)
		if line > len(starts) {
			return ""
		}
		row, _, _ := bytes.Cut(text[starts[line-1]:], []byte("\n"))
		return string(bytes.TrimSpace(row))
	}
	for _, side := range sides {
		lines := w.faults(l, side)
		if len(lines) >= maxFaults || len(lines) > 0 && l == golang {
			return nil
		}
		for _, line := range lines {
			known[lineOf(side, line)] = true
		}
	}
	return func(l language, text []byte) int {
		for _, line := range w.faults(l, text) {
			if len(known) == 0 || !known[lineOf(text, line)] {
				return line
			}
		}
		return 0
	}
}

// faults returns the lines of faults that a parser finds in a text, in Go that of the first one; none once the budget is spent.
func (w *Wellformed) faults(l language, text []byte) []int {
	if w.spent += len(text); w.spent > wellformedBytes {
		return nil
	}
	if l != golang {
		return w.parsers.faults(l, text)
	}
	_, err := parser.ParseFile(gotoken.NewFileSet(), "", text, parser.SkipObjectResolution)
	if list, ok := err.(goscanner.ErrorList); ok && len(list) > 0 {
		return []int{list[0].Pos.Line}
	}
	return nil
}

// unmatched is the function of this name, with the macros of the difference.
func (w *Wellformed) unmatched(l language, text []byte) int {
	return unmatched(l, text, w.macros.in(l))
}

// notJSON returns 1 if a text should be JSON and is not.
func notJSON(l language, text []byte) int {
	if l == jsonText && !json.Valid(text) {
		return 1
	}
	return 0
}

// message says of a file that a mixture of it has a fault. A fault about a name is explained by the hunks that have this name.
func (w *Wellformed) message(n int, found fault, has []bool) Message {
	f := &w.files[n]
	at := w.holder(f, has, found.line)
	place := at.line
	if at.change >= 0 {
		place = w.set.Changes[at.change].OldStart
	}
	away := func(i int) int {
		c := &w.set.Changes[i]
		return max(0, c.OldStart-place, place-c.OldStart-c.OldLines)
	}
	var sides [2][]int
	for _, i := range f.text {
		if w.set.Changes[i].Kind == changes.Text {
			k := 0
			if has[i] {
				k = 1
			}
			sides[k] = append(sides[k], i)
		}
	}
	for k := range sides {
		slices.SortStableFunc(sides[k], func(a, b int) int { return cmp.Compare(away(a), away(b)) })
	}
	if found.name != "" {
		w.naming(&sides, found.name)
	}
	for k := range sides {
		sides[k] = sides[k][:min(len(sides[k]), wellformedPairs)]
	}
	text := cmp.Or(found.text, "does not parse")
	key := hashBytes(offset64, text)
	key = hashBytes(key*prime64, f.path)
	m := Message{Key: (key ^ uint64(place)) * prime64, Text: text}
	for a, i := range sides[1] {
		for b, j := range sides[0] {
			m.Explanations = append(m.Explanations, Explanation{Requirement{i, j}, 1 / float64((1+a)*(1+b))})
		}
	}
	slices.SortStableFunc(m.Explanations, func(a, b Explanation) int { return cmp.Compare(b.Weight, a.Weight) })
	return m
}

// naming takes the changes away that do not have a name in their lines, if changes on both sides have it. Those that
// declare it come first.
func (w *Wellformed) naming(sides *[2][]int, name string) {
	var with [2][]int
	for k, list := range sides {
		var declaring, using []int
		for _, i := range list {
			c := &w.set.Changes[i]
			uses, declares := false, false
			for _, text := range [2][]byte{c.Old, c.New} {
				for t := range tokens(text, languageOf(c.Path, nil), 1) {
					is := string(t.text) == name
					uses, declares = uses || is, declares || is && t.binds
				}
			}
			switch {
			case declares:
				declaring = append(declaring, i)
			case uses:
				using = append(using, i)
			}
		}
		with[k] = append(declaring, using...)
	}
	if len(with[0]) > 0 && len(with[1]) > 0 {
		*sides = with
	}
}

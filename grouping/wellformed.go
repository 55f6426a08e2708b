package grouping

import (
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
	wellformedPairs = 8        // changes on either side of a fault that may be the reason
)

// A Wellformed tells which configurations do not parse, without a test. It remembers
// what it has parsed; one goroutine at a time may use it.
type Wellformed struct {
	*index
	parsers *parsers
	ends    map[int][]func(language, []byte) int // by file: the checks that find no fault in either of its sides
	known   map[mixture]int                      // the line of the fault; 0 = it parses
	spent   int                                  // bytes that were parsed
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
	return &Wellformed{index: p.index, parsers: newParsers(), ends: map[int][]func(language, []byte) int{}, known: map[mixture]int{}}
}

// Close frees what C holds.
func (w *Wellformed) Close() {
	if w != nil {
		w.parsers.close()
	}
}

// Check returns a message for each file that does not parse with the given changes
// applied, although it does on both sides of the difference. The explanations are the
// pairs of an applied hunk and one that is not of this file, those nearest to the fault
// first. It is advice: a parser here may see a fault where a tool sees none.
//
// Cost: a parse of each file of which some hunks and not all are applied, once for each
// set of these, and no more than wellformedBytes in all.
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
		if line := w.fault(n, has); line > 0 {
			if m := w.message(n, line, has); len(m.Explanations) > 0 {
				list = append(list, m)
			}
		}
	}
	return list
}

// Broken reports whether Check has something to say, or a file of data is not what it is on both
// sides of the difference: JSON, or another format of which this build has the grammar. Its cost
// is that of Check.
func (w *Wellformed) Broken(applied iter.Seq[int]) bool {
	if w == nil {
		return false
	}
	has := w.composed(applied)
	for n := range w.files {
		if f := &w.files[n]; w.mixes(f, has) && w.fault(n, has) > 0 {
			return true
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

// fault returns the line of the first fault of a mixture; 0 = there is none, or it is not
// known.
func (w *Wellformed) fault(n int, has []bool) int {
	f := &w.files[n]
	l := languageOf(f.path, nil)
	faults := []func(language, []byte) int{w.parse, unmatched, unconditioned, misindentedFile}
	switch {
	case wholeOnly(l):
		faults = []func(language, []byte) int{w.parse, notJSON}
	case syntaxOf(l).family == "":
		return 0
	}
	key := mixture{n, offset64}
	for _, i := range f.text {
		b := uint64(0)
		if has[i] {
			b = 1
		}
		key.hash = (key.hash ^ (b + 1)) * prime64
	}
	if line, ok := w.known[key]; ok {
		return line
	}
	old, err := w.set.OldContent(f.oldPath)
	if err != nil || len(old) > wellformedFile || w.spent > wellformedBytes {
		return 0
	}
	if _, ok := w.ends[n]; !ok {
		new, err := w.set.NewContent(f.path)
		w.ends[n] = nil
		if err == nil && len(new) <= wellformedFile {
			for _, fault := range faults {
				if fault(l, old) == 0 && fault(l, new) == 0 {
					w.ends[n] = append(w.ends[n], fault)
				}
			}
		}
	}
	line := 0
	if len(w.ends[n]) > 0 {
		text := w.mixed(f, old, has)
		for _, fault := range w.ends[n] {
			if line == 0 {
				line = fault(l, text)
			}
		}
	}
	w.known[key] = line
	return line
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

// parse returns the line of the first fault that a parser finds in a text; 0 if it finds
// none, or there is no parser.
func (w *Wellformed) parse(l language, text []byte) int {
	w.spent += len(text)
	if l != golang {
		return w.parsers.fault(l, text)
	}
	_, err := parser.ParseFile(gotoken.NewFileSet(), "", text, parser.SkipObjectResolution)
	if list, ok := err.(goscanner.ErrorList); ok && len(list) > 0 {
		return list[0].Pos.Line
	}
	return 0
}

// notJSON returns 1 if a text should be JSON and is not.
func notJSON(l language, text []byte) int {
	if l == jsonText && !json.Valid(text) {
		return 1
	}
	return 0
}

// message says of a file that it has a fault at a line of a mixture.
func (w *Wellformed) message(n, line int, has []bool) Message {
	f := &w.files[n]
	at := w.holder(f, has, line)
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
		sides[k] = sides[k][:min(len(sides[k]), wellformedPairs)]
	}
	key := hashBytes(offset64, "does not parse")
	key = hashBytes(key*prime64, f.path)
	m := Message{Key: (key ^ uint64(place)) * prime64, Text: "does not parse"}
	for a, i := range sides[1] {
		for b, j := range sides[0] {
			m.Explanations = append(m.Explanations, Explanation{Requirement{i, j}, 1 / float64((1+a)*(1+b))})
		}
	}
	slices.SortStableFunc(m.Explanations, func(a, b Explanation) int { return cmp.Compare(b.Weight, a.Weight) })
	return m
}

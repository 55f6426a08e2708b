package changes

import (
	"bytes"
	"slices"

	"github.com/gitdd/gitdd/internal/git"
)

// longHunk is the length up to which a hunk, as Between found it, is usually not cut: the number
// of lines of its longer side. Split cuts such a hunk only into EveryLine, or if the hunk replaces
// lines one by one. If lines were added or removed together, a part of them that fails alone is
// seldom the part that a reader looks for.
const longHunk = 40

// fewLines is the length up to which a hunk that replaces lines one by one is not cut: a reader
// sees at a glance which of two lines matters. To find one line of 40 takes 7 trials.
const fewLines = 2

// Declarations returns the lines of content, counted from 1, on which the
// top-level declarations of the file of that path start.
type Declarations func(path string, content []byte) []int

// A Fineness says what Split cuts.
type Fineness uint8

const (
	LongHunks   Fineness = iota // hunks of more than 40 lines, and those of more than two lines that have as many new lines as old ones
	EveryLine                   // all hunks of more than one line
	WithinLines                 // hunks of which lines have a counterpart on the other side, at Set.Nodes
)

// Split cuts the changes with the given indices further: created and deleted text files, and
// the hunks that its fineness names. It cuts a change at declarations. If no declaration divides
// the change, it cuts it into lines. A piece from an earlier Split is cut into lines however short
// it is. With WithinLines it cuts only between and within lines that the two sides of a hunk have
// alike. A piece within a line has a Part; a piece of whole lines between two such lines has none.
// Change i of s becomes the changes starts[i] to starts[i+1]-1
// of finer, and keeps its ID if it is not cut. If no change can be cut, ok is false and finer is s.
//
// A created file becomes the creation of an empty file and insertions that require the creation. A
// deleted file becomes removals and a deletion that requires all of them. Each piece of a hunk
// replaces a part of the old lines by a part of the new lines, so that any piece can be applied
// without the others.
//
// s is not changed; trees composed from it remain valid for finer.
func (s *Set) Split(ids []int, how Fineness) (finer *Set, starts []int, ok bool) {
	chosen := make([]bool, len(s.Changes))
	for _, i := range ids {
		if i >= 0 && i < len(chosen) {
			chosen[i] = true
		}
	}
	cutter := cutter{set: s, how: how, starts: make(map[side][]int), nodes: make(map[side][]int)}
	out := *s
	out.Changes, out.spots = nil, nil
	out.files = slices.Clone(s.files)
	starts = make([]int, 0, len(s.Changes)+1)
	for n, f := range s.files {
		out.files[n].first = len(out.Changes)
		for i := f.first; i < f.end; i++ {
			starts = append(starts, len(out.Changes))
			if chosen[i] {
				if changes, spots := cutter.cut(i); len(changes) > 1 {
					out.Changes, out.spots = append(out.Changes, changes...), append(out.spots, spots...)
					ok = true
					continue
				}
			}
			out.Changes, out.spots = append(out.Changes, s.Changes[i]), append(out.spots, s.spots[i])
		}
		out.files[n].end = len(out.Changes)
	}
	starts = append(starts, len(out.Changes))
	if !ok {
		return s, starts, false
	}
	name(out.Changes)
	out.Requires = requires(out.files, out.Changes)
	return &out, starts, true
}

// A cutter remembers where declarations start and nodes are during one Split.
type cutter struct {
	set    *Set
	how    Fineness
	starts map[side][]int
	nodes  map[side][]int
}

// cut returns what change i is cut into, at most one change if it cannot be cut.
func (k cutter) cut(i int) ([]Change, []spot) {
	c, at := &k.set.Changes[i], k.set.spots[i]
	f := &k.set.files[at.file]
	head := *c
	if k.how == WithinLines {
		if c.Kind != Text || k.set.Nodes == nil {
			return nil, nil
		}
		return k.within(f, at, c)
	}
	switch c.Kind {
	case Created:
		head.ID, head.NewBlob, head.Commits = "", k.set.empty, nil
	case Deleted:
		head.ID, head.OldBlob, head.Commits = "", k.set.empty, nil
	case Text:
		longer := max(c.OldLines, c.NewLines)
		most := longHunk
		switch {
		case k.how == EveryLine:
			most = 1
		case c.OldLines == c.NewLines:
			most = fewLines
		}
		if at.depth == uncut && longer <= most || at.depth >= line || longer <= 1 {
			return nil, nil
		}
		old := part{text: c.Old, off: at.span.oldOff, line: c.OldStart - start(0, c.OldLines)}
		new := part{text: c.New, off: at.span.newOff, line: c.NewStart - start(0, c.NewLines)}
		return k.pieces(f, at, old, new, c.Heading)
	default:
		return nil, nil
	}
	// A file that comes or goes as a whole.
	content, ok := k.text(f)
	if !ok || f.end-f.first > 1 {
		return nil, nil
	}
	var old, new part
	if c.Kind == Created {
		new.text = content
	} else {
		old.text = content
	}
	changes, spots := k.pieces(f, at, old, new, "")
	at.span = span{}
	return append([]Change{head}, changes...), append([]spot{at}, spots...)
}

// text returns the content of a created or deleted file if it can be cut.
func (k cutter) text(f *file) ([]byte, bool) {
	v := f.new
	if f.deleted() {
		v = f.old
	}
	if !v.mode.IsFile() || v.id == k.set.empty {
		return nil, false
	}
	content, err := k.set.blob(v.id)
	if err != nil || len(content) > maxText || isBinary(content) {
		return nil, false // unreadable now: composing will say so, with the path
	}
	return bytes.Clone(content), true
}

// A part is a run of whole lines of one side: its text, the offset and the
// number (from 0) of its first line in the file.
type part struct {
	text      []byte
	off, line int
}

// pieces cuts a replacement of old by new, below heading, at the declarations of
// both sides, else into lines.
func (k cutter) pieces(f *file, from spot, old, new part, heading string) ([]Change, []spot) {
	var oldCuts, newCuts []int
	depth := declared
	if from.depth == uncut {
		oldCuts, newCuts = k.declarations(f.old, old), k.declarations(f.new, new)
	}
	var spans []span
	if len(oldCuts) <= 2 && len(newCuts) <= 2 { // no declaration divides either
		depth = line
		spans = lineByLine(old.text, new.text)
	} else {
		spans = shares(oldCuts, newCuts)
	}
	path, oldPath := f.paths()
	var changes []Change
	var spots []spot
	oldLine, newLine := old.line, new.line
	heads := headings{headline{text: old.text, heading: heading}, headline{text: new.text, heading: heading}}
	var before span
	for _, at := range spans {
		o0, o1, n0, n1 := at.oldOff, at.oldEnd, at.newOff, at.newEnd
		oldLine += len(lines(old.text[before.oldEnd:o0])) // equal lines between two pieces
		newLine += len(lines(new.text[before.newEnd:n0]))
		before = at
		h := hunk{
			oldOff: o0, oldEnd: o1, oldLine: oldLine, oldLines: len(lines(old.text[o0:o1])),
			newOff: n0, newEnd: n1, newLine: newLine, newLines: len(lines(new.text[n0:n1])),
		}
		oldLine, newLine = oldLine+h.oldLines, newLine+h.newLines
		c := Change{
			Kind: Text, Path: path, OldPath: oldPath,
			OldStart: start(h.oldLine, h.oldLines), OldLines: h.oldLines,
			NewStart: start(h.newLine, h.newLines), NewLines: h.newLines,
			Old: old.text[o0:o1:o1], New: new.text[n0:n1:n1],
			Heading: heads.of(span{o0, o1, n0, n1}),
		}
		changes = append(changes, c)
		spots = append(spots, spot{
			file:  from.file,
			span:  span{old.off + o0, old.off + o1, new.off + n0, new.off + n1},
			depth: depth,
		})
	}
	return changes, spots
}

// shares pairs the parts between the cuts of two texts: pair j has the j-th share of each side's parts,
// which is exactly one part of the side that has more of them.
func shares(oldCuts, newCuts []int) (list []span) {
	oldParts, newParts := max(len(oldCuts)-1, 0), max(len(newCuts)-1, 0)
	n := max(oldParts, newParts)
	for j := range n {
		list = append(list, span{
			pick(oldCuts, j*oldParts/n), pick(oldCuts, (j+1)*oldParts/n),
			pick(newCuts, j*newParts/n), pick(newCuts, (j+1)*newParts/n),
		})
	}
	return list
}

// lineByLine cuts a replacement of one text by another into lines. A line of either text that is like
// one of the other replaces it, or is replaced by it; see pairs. Of the lines between two such pairs
// those of equally many on both sides replace each other one by one. Otherwise each of them is removed
// or added by itself, so that the new ones can be applied without the removal of the old ones.
func lineByLine(old, new []byte) (list []span) {
	oldCuts, newCuts := everyLine(old), everyLine(new)
	if len(oldCuts) == 0 || len(newCuts) == 0 || len(old)+len(new) > 2*maxWithin {
		return shares(oldCuts, newCuts)
	}
	oldLines, newLines := wordsByLine(old, oldCuts), wordsByLine(new, newCuts)
	i, j := 0, 0
	for _, p := range append(pairs(oldLines, newLines), [2]int{len(oldLines), len(newLines)}) {
		if p[0]-i == p[1]-j {
			for ; i < p[0]; i, j = i+1, j+1 {
				list = append(list, span{oldCuts[i], oldCuts[i+1], newCuts[j], newCuts[j+1]})
			}
		}
		for ; i < p[0]; i++ {
			list = append(list, span{oldCuts[i], oldCuts[i+1], newCuts[j], newCuts[j]})
		}
		for ; j < p[1]; j++ {
			list = append(list, span{oldCuts[i], oldCuts[i], newCuts[j], newCuts[j+1]})
		}
		if i < len(oldLines) {
			if pair := (span{oldCuts[i], oldCuts[i+1], newCuts[j], newCuts[j+1]}); !bytes.Equal(old[pair.oldOff:pair.oldEnd], new[pair.newOff:pair.newEnd]) {
				list = append(list, pair)
			}
			i, j = i+1, j+1
		}
	}
	return list
}

// wordsByLine cuts the lines of a text into words, and what is between them into single bytes.
func wordsByLine(text []byte, cuts []int) (lines [][][]byte) {
	isWord := func(c byte) bool {
		return c == '_' || c >= 0x80 || '0' <= c && c <= '9' || 'a' <= c|0x20 && c|0x20 <= 'z'
	}
	for l := range len(cuts) - 1 {
		var words [][]byte
		for at := cuts[l]; at < cuts[l+1]; {
			end := at + 1
			for isWord(text[at]) && end < cuts[l+1] && isWord(text[end]) {
				end++
			}
			words = append(words, text[at:end:end])
			at = end
		}
		lines = append(lines, words)
	}
	return lines
}

func pick(cuts []int, i int) int {
	if len(cuts) == 0 {
		return 0
	}
	return cuts[i]
}

// everyLine returns the offsets in text at which a line starts, and its end; nil
// for no text.
func everyLine(text []byte) []int {
	var cuts []int
	for i := 0; i < len(text); i = lineEnd(text, i) {
		cuts = append(cuts, i)
	}
	if cuts != nil {
		cuts = append(cuts, len(text))
	}
	return cuts
}

// declarations returns the offsets in a part of the side's file at which it is
// to be cut: its start, each declaration in it, its end; nil for no text.
func (k cutter) declarations(v side, p part) []int {
	if len(p.text) == 0 {
		return nil
	}
	cuts := []int{0}
	if k.set.Declarations != nil && v.path != "" && v.mode != git.Gitlink {
		starts, ok := k.starts[v]
		if !ok {
			if content, err := k.set.blob(v.id); err == nil {
				starts = slices.Clone(k.set.Declarations(v.path, content))
			}
			slices.Sort(starts)
			k.starts[v] = starts
		}
		each := everyLine(p.text)
		for _, number := range starts {
			n := number - 1 - p.line
			if n > 0 && n < len(each)-1 && each[n] != cuts[len(cuts)-1] {
				cuts = append(cuts, each[n])
			}
		}
	}
	return append(cuts, len(p.text))
}

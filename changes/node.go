package changes

import (
	"bytes"
	"cmp"
	"maps"
	"slices"
	"unicode"
	"unicode/utf8"

	"github.com/gitdd/gitdd/internal/sequence"
)

// Nodes returns the byte offsets in content at which the smallest pieces of the file of that path
// begin or end, such as names, operators and strings, in any order. An offset may be repeated.
type Nodes func(path string, content []byte) []int

// A Part is the piece of two texts that a change within a line is about: it replaces the
// bytes OldFrom to OldTo of Change.Old by the bytes NewFrom to NewTo of Change.New.
type Part struct{ OldFrom, OldTo, NewFrom, NewTo int }

// maxWithin is the size of one side of a hunk up to which the hunk is cut within its lines.
const maxWithin = 1 << 20

// within cuts a hunk within its lines. Lines of both sides that have as much in common as not
// are pairs, and each run of nodes in which a pair differs becomes a change of its own. The
// lines between two pairs stay one change, which Split can cut into lines.
//
// Cost: that of sequence.Blocks for all nodes of the hunk, and once more for those of each pair.
func (k cutter) within(f *file, at spot, c *Change) ([]Change, []spot) {
	if at.depth == inner || len(c.Old) == 0 || len(c.New) == 0 || max(len(c.Old), len(c.New)) > maxWithin {
		return nil, nil
	}
	old := k.sheet(f.old, part{c.Old, at.span.oldOff, c.OldStart - 1})
	new := k.sheet(f.new, part{c.New, at.span.newOff, c.NewStart - 1})
	var list []Change
	var spots []spot
	heads := headings{headline{text: c.Old, heading: c.Heading}, headline{text: c.New, heading: c.Heading}}
	path, oldPath := f.paths()
	add := func(i, iEnd, j, jEnd int, part Part) {
		o0, o1, n0, n1 := old.starts[i], old.starts[iEnd], new.starts[j], new.starts[jEnd]
		span := span{o0, o1, n0, n1}
		depth := at.depth
		list = append(list, Change{
			Kind: Text, Path: path, OldPath: oldPath,
			OldStart: start(old.line+i, iEnd-i), OldLines: iEnd - i,
			NewStart: start(new.line+j, jEnd-j), NewLines: jEnd - j,
			Old: c.Old[o0:o1:o1], New: c.New[n0:n1:n1], Part: part,
			Heading: heads.of(span),
		})
		if part != (Part{}) {
			depth = inner
			span.oldOff, span.oldEnd = o0+part.OldFrom, o0+part.OldTo
			span.newOff, span.newEnd = n0+part.NewFrom, n0+part.NewTo
		}
		span.oldOff, span.oldEnd = old.off+span.oldOff, old.off+span.oldEnd
		span.newOff, span.newEnd = new.off+span.newOff, new.off+span.newEnd
		spots = append(spots, spot{at.file, span, depth})
	}
	i, j := 0, 0
	// Invariant: with all changes of the list, the lines before i are the new lines before j.
	for _, p := range append(pairs(old.nodes, new.nodes), [2]int{len(old.nodes), len(new.nodes)}) {
		if !bytes.Equal(c.Old[old.starts[i]:old.starts[p[0]]], c.New[new.starts[j]:new.starts[p[1]]]) {
			add(i, p[0], j, p[1], Part{})
		}
		if i, j = p[0]+1, p[1]+1; i > len(old.nodes) {
			break
		}
		a, b := old.nodes[p[0]], new.nodes[p[1]]
		for _, r := range differing(a, b) {
			add(p[0], i, p[1], j, Part{size(a[:r.A0]), size(a[:r.A1]), size(b[:r.B0]), size(b[:r.B1])})
		}
	}
	return list, spots
}

// A sheet is a part with its nodes.
type sheet struct {
	part
	starts []int      // everyLine of the text
	nodes  [][][]byte // by line: they make up the line, with its newline
}

// sheet finds the nodes of a part of a file.
func (k cutter) sheet(v side, p part) sheet {
	cuts, ok := k.nodes[v]
	if !ok {
		if content, err := k.set.blob(v.id); err == nil { // else composing says so
			cuts = slices.Clone(k.set.Nodes(v.path, content))
		}
		slices.Sort(cuts)
		k.nodes[v] = cuts
	}
	from, _ := slices.BinarySearch(cuts, p.off)
	to, _ := slices.BinarySearch(cuts, p.off+len(p.text))
	s := sheet{part: p, starts: everyLine(p.text)}
	for l := range len(s.starts) - 1 {
		at, end := s.starts[l], s.starts[l+1]
		var line [][]byte
		for ; from < to && cuts[from] < p.off+end; from++ {
			if cut := cuts[from] - p.off; cut > at && utf8.RuneStart(p.text[cut]) {
				line = append(line, p.text[at:cut:cut])
				at = cut
			}
		}
		s.nodes = append(s.nodes, append(line, p.text[at:end:end]))
	}
	return s
}

// pairs returns the lines of two texts that belong together, in increasing order on both
// sides: those that have as much in common as not, the pairs with most in common first. Names that
// such pairs give new names count as the same. If both texts have exactly one line, these two are a pair.
func pairs(a, b [][][]byte) [][2]int {
	if len(a) == 1 && len(b) == 1 {
		return [][2]int{{0, 0}}
	}
	list, known := alike(a, b), 0
	for range mostRenamed {
		names := renamed(a, b, list)
		if len(names) <= known {
			break
		}
		list, known = alike(withNames(a, names), b), len(names)
	}
	return list
}

// mostRenamed is how often lines are paired anew, with the names that the pairs before give new names.
const mostRenamed = 4

// renamed returns the names that pairs of lines give new names: in place of one name there is always the same other one.
func renamed(a, b [][][]byte, list [][2]int) map[string][]byte {
	names := map[string][]byte{}
	for _, p := range list {
		x, y := wordsOf(a[p[0]:p[0]+1]), wordsOf(b[p[1]:p[1]+1])
		for _, k := range sequence.Blocks(x.words, y.words) {
			for i := k.A0; i < k.A1 && k.A1-k.A0 == k.B1-k.B0; i++ {
				from, to := x.words[i], y.words[k.B0+i-k.A0]
				if !isName(from) || !isName(to) {
					continue
				}
				if before, ok := names[string(from)]; ok && !bytes.Equal(before, to) {
					to = nil // not always the same one
				}
				names[string(from)] = to
			}
		}
	}
	maps.DeleteFunc(names, func(_ string, to []byte) bool { return to == nil })
	return names
}

// withNames returns lines with new names.
func withNames(lines [][][]byte, names map[string][]byte) [][][]byte {
	lines = slices.Clone(lines)
	for l, line := range lines {
		line = slices.Clone(line)
		for i, n := range line {
			if to, ok := names[string(n)]; ok {
				line[i] = to
			}
		}
		lines[l] = line
	}
	return lines
}

// isName reports whether a node begins as a name does.
func isName(n []byte) bool {
	c, _ := utf8.DecodeRune(n)
	return c == '_' || unicode.IsLetter(c)
}

// alike returns the pairs of lines that have as much in common as not, see pairs.
func alike(a, b [][][]byte) (list [][2]int) {
	x, y := wordsOf(a), wordsOf(b)
	common := make(map[[2]int]int) // bytes, by lines; no two of these pairs cross
	i, j := 0, 0
	same := func(n int) {
		for ; n > 0; n-- {
			common[[2]int{x.line[i], y.line[j]}] += len(x.words[i])
			i, j = i+1, j+1
		}
	}
	for _, k := range sequence.Blocks(x.words, y.words) {
		same(k.A0 - i)
		i, j = k.A1, k.B1
	}
	same(len(x.words) - i)
	taken := [2]map[int]bool{{}, {}}
	for _, p := range slices.SortedFunc(maps.Keys(common), func(p, q [2]int) int {
		return cmp.Or(cmp.Compare(common[q], common[p]), cmp.Compare(p[0], q[0]), cmp.Compare(p[1], q[1]))
	}) {
		if 4*common[p] >= x.size[p[0]]+y.size[p[1]] && !taken[0][p[0]] && !taken[1][p[1]] {
			taken[0][p[0]], taken[1][p[1]] = true, true
			list = append(list, p)
		}
	}
	slices.SortFunc(list, func(p, q [2]int) int { return cmp.Compare(p[0], q[0]) })
	return list
}

// Words are those nodes of some lines that are not blank.
type words struct {
	words [][]byte
	line  []int // of each word
	size  []int // of each line: bytes of its words
}

func wordsOf(lines [][][]byte) words {
	w := words{size: make([]int, len(lines))}
	for l, line := range lines {
		for _, n := range line {
			if !isBlank(n) {
				w.words, w.line = append(w.words, n), append(w.line, l)
				w.size[l] += len(n)
			}
		}
	}
	return w
}

// differing returns the runs of nodes in which two lines differ, in order. Lines that differ in
// words alone are compared word by word, so that each keeps its place. In others, where a run
// opens a bracket that a later one closes, the two and what is between them are one run. Where
// such runs cross each other, brackets are compared first, and then what is in them. A run of
// several elements of a list is cut into these.
func differing(a, b [][]byte) (out []sequence.Block) {
	if list, ok := wordByWord(a, b); ok {
		return list
	}
	list, whole := joined(sequence.Blocks(a, b), a, b)
	if !whole {
		list = levels(itemsOf(a), itemsOf(b), len(a), len(b))
	}
	for _, run := range list {
		out = append(out, elements(run, a, b)...)
	}
	return out
}

// joined joins runs of which one opens what the other closes, and what is between them; whole is
// false if a run is left in which brackets do not match.
func joined(list []sequence.Block, a, b [][]byte) (out []sequence.Block, whole bool) {
	whole = true
	for k := 0; k < len(list); k++ {
		run, found := list[k], false
		for m := k; m < min(k+mostJoined, len(list)) && !found; m++ {
			run.A1, run.B1 = list[m].A1, list[m].B1
			if found = balanced(a[run.A0:run.A1]) && balanced(b[run.B0:run.B1]); found {
				list[m], k = run, m
			}
		}
		out, whole = append(out, list[k]), whole && found
	}
	return out, whole
}

// An item is a node, or a pair of brackets with what is in it.
type item struct {
	from, to int    // nodes of the line
	key      []byte // nodeKey of the node, or the two brackets
	within   []item
}

// itemsOf arranges the nodes of a line by its brackets. One that matches no other is a node like
// any. Cost O(nodes).
func itemsOf(nodes [][]byte) []item {
	stack := [][]item{nil} // what is in the brackets that are open
	var open []int
	for i, n := range nodes {
		top := len(stack) - 1
		switch change := bracketOf(n); {
		case change > 0 && top < mostLevels:
			stack, open = append(stack, nil), append(open, i)
		case change < 0 && top > 0 && closes[nodes[open[top-1]][0]] == n[0]:
			from := open[top-1]
			group := item{from, i + 1, slices.Concat(nodes[from], n), stack[top]}
			stack, open = stack[:top], open[:top-1]
			stack[top-1] = append(stack[top-1], group)
		default:
			stack[top] = append(stack[top], item{from: i, to: i + 1, key: nodeKey(n)})
		}
	}
	for top := len(stack) - 1; top > 0; top-- { // brackets that stay open
		stack[top-1] = append(append(stack[top-1], item{from: open[top-1], to: open[top-1] + 1, key: nodeKey(nodes[open[top-1]])}), stack[top]...)
	}
	return stack[0]
}

// nodeKey returns a text for a node that no other node has, and no pair of brackets: a node may be "()", too.
func nodeKey(n []byte) []byte {
	if bracketOf(n[:1]) == 0 && n[0] != 0 {
		return n
	}
	return append([]byte{0}, n...)
}

var closes = map[byte]byte{'(': ')', '[': ']', '{': '}'}

// mostLevels is how many brackets are told apart that are in each other.
const mostLevels = 200

// levels returns the runs in which items differ, and those in pairs of brackets that are alike.
// The items end before the nodes aEnd and bEnd.
func levels(a, b []item, aEnd, bEnd int) (out []sequence.Block) {
	keys := func(list []item) (keys [][]byte) {
		for _, i := range list {
			keys = append(keys, i.key)
		}
		return keys
	}
	begin := func(list []item, i, end int) int {
		if i < len(list) {
			return list[i].from
		}
		return end
	}
	i, j := 0, 0
	alike := func(n int) {
		for ; n > 0; n-- {
			out = append(out, levels(a[i].within, b[j].within, a[i].to-1, b[j].to-1)...)
			i, j = i+1, j+1
		}
	}
	for _, k := range sequence.Blocks(keys(a), keys(b)) {
		alike(k.A0 - i)
		out = append(out, sequence.Block{A0: begin(a, k.A0, aEnd), A1: begin(a, k.A1, aEnd), B0: begin(b, k.B0, bEnd), B1: begin(b, k.B1, bEnd)})
		i, j = k.A1, k.B1
	}
	alike(len(a) - i)
	return out
}

// wordByWord returns the nodes in which two lines differ, if only words do: nodes that hold a
// letter or a digit.
func wordByWord(a, b [][]byte) (list []sequence.Block, ok bool) {
	if len(a) != len(b) {
		return nil, false
	}
	isWord := func(n []byte) bool {
		return bytes.ContainsFunc(n, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) })
	}
	for i := range a {
		switch {
		case bytes.Equal(a[i], b[i]):
		case isWord(a[i]) && isWord(b[i]):
			list = append(list, sequence.Block{A0: i, A1: i + 1, B0: i, B1: i + 1})
		default:
			return nil, false
		}
	}
	return list, true
}

// mostJoined is how many runs are joined at most for their brackets.
const mostJoined = 16

// bracketOf returns how a node that is a bracket changes the number of open ones.
func bracketOf(n []byte) int {
	switch string(n) {
	case "(", "[", "{":
		return 1
	case ")", "]", "}":
		return -1
	}
	return 0
}

// balanced reports whether each bracket among some nodes is opened and closed there. It does
// not tell kinds of brackets apart.
func balanced(nodes [][]byte) bool {
	open := 0
	for _, n := range nodes {
		if open += bracketOf(n); open < 0 {
			return false
		}
	}
	return open == 0
}

// elements cuts a run at the commas and semicolons that are in no bracket: behind each of them
// if its sides end with one, else before each. The elements of the two sides are compared one by
// one, and those that one side has more are added or removed.
func elements(run sequence.Block, a, b [][]byte) (list []sequence.Block) {
	a, b = a[run.A0:run.A1], b[run.B0:run.B1]
	if !balanced(a) || !balanced(b) {
		return []sequence.Block{run}
	}
	behind := endsInSeparator(a) && endsInSeparator(b)
	x, y := elementCuts(a, behind), elementCuts(b, behind)
	for j := range max(len(x), len(y)) - 1 {
		list = append(list, sequence.Block{
			A0: run.A0 + x[min(j, len(x)-1)], A1: run.A0 + x[min(j+1, len(x)-1)],
			B0: run.B0 + y[min(j, len(y)-1)], B1: run.B0 + y[min(j+1, len(y)-1)],
		})
	}
	return list
}

// elementCuts returns where the elements among some nodes begin, and where the last one ends.
func elementCuts(nodes [][]byte, behind bool) []int {
	cuts := []int{0}
	open := 0
	written, separated := false, false // something stands before node i; the last of it is a separator
	for i, n := range nodes {
		if isBlank(n) {
			continue
		}
		open += bracketOf(n)
		separates := open == 0 && isSeparator(n)
		if behind && separated || !behind && written && separates {
			cuts = append(cuts, i)
		}
		written, separated = true, separates
	}
	if len(nodes) > 0 {
		cuts = append(cuts, len(nodes))
	}
	return cuts
}

// endsInSeparator reports whether the last of some nodes that is not blank is a separator, or
// there is none.
func endsInSeparator(nodes [][]byte) bool {
	for _, n := range slices.Backward(nodes) {
		if !isBlank(n) {
			return isSeparator(n)
		}
	}
	return true
}

func isSeparator(n []byte) bool { return string(n) == "," || string(n) == ";" }

func isBlank(n []byte) bool { return len(bytes.TrimSpace(n)) == 0 }

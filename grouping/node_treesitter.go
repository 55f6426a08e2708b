//go:build cgo

package grouping

// nodes returns the offsets in content at which the leaves of its tree begin and end, and the
// nodes in which white space counts, such as strings. ok is false without a grammar, or when
// content does not read as one at all.
func (p *parsers) nodes(l language, content []byte) (cuts []int, ok bool) {
	ok = p.leaves(l, content, func(from, to int, _ extentKind) { cuts = append(cuts, from, to) })
	return cuts, ok
}

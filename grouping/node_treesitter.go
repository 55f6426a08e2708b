//go:build cgo

package grouping

// nodes returns the offsets in content at which the leaves of its tree begin and end, and the
// nodes in which white space counts, such as strings. ok is false without a grammar, or when
// content does not read as one at all.
func (p *parsers) nodes(l language, content []byte) (cuts []int, ok bool) {
	ok = p.leaves(l, content, func(from, to int, _ extentKind) { cuts = append(cuts, from, to) })
	return cuts, ok
}

// constructs returns the lines of the nodes of content that go over several lines, and its declarations; nil without
// a grammar, or when content does not read as one at all.
func (p *parsers) constructs(l language, content []byte) (list [][2]int, declared []declaration) {
	tree := p.parse(l, content)
	if tree == nil {
		return nil, nil
	}
	defer tree.Close()
	declared, ok := declarationsOf(tree, l, content)
	if !ok {
		return nil, nil
	}
	cursor := tree.RootNode().Walk()
	defer cursor.Close()
	for {
		// Invariant: the nodes of several lines that the cursor has left behind are in the list.
		if start, end := rows(cursor.Node()); start < end {
			list = append(list, [2]int{start - 1, end})
			if cursor.GotoFirstChild() {
				continue
			}
		}
		for !cursor.GotoNextSibling() {
			if !cursor.GotoParent() {
				return list, declared
			}
		}
	}
}

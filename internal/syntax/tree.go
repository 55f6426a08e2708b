package syntax

// A Tree is what a parser made of a text: its nodes before their children, in
// the order of the text. The first is the root, which need not begin at 0 nor
// end at the end of the text.
type Tree struct {
	Language Language
	Nodes    []Node
}

// A Node is a node of a Tree.
type Node struct {
	Kind     string // of the grammar; "ERROR" = what could not be read
	From, To int32  // bytes of the text
	Parent   int32  // index, -1 for the root
	End      int32  // index behind the last node within it
	Named    bool   // has a rule of its own; others are what the text says, like "{"
	Extra    bool   // may stand anywhere, like a comment
	Error    bool
	Missing  bool // was not there: the parser went on as if; it has no width
}

// Children returns the indexes of the children of node i.
func (t *Tree) Children(i int32) []int32 {
	var list []int32
	for c := i + 1; c < t.Nodes[i].End; c = t.Nodes[c].End {
		list = append(list, c)
	}
	return list
}

// Faults returns how many bytes stand within what could not be read, and how
// many nodes were made up for what is missing.
func (t *Tree) Faults() (bytes, missing int) {
	for i := 0; i < len(t.Nodes); i++ {
		switch n := &t.Nodes[i]; {
		case n.Error:
			bytes += int(n.To - n.From)
			i = int(n.End) - 1
		case n.Missing:
			missing++
		}
	}
	return bytes, missing
}

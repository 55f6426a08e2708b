package git

import (
	"encoding/hex"
	"slices"
	"strings"
	"testing"
)

// node is a tree to be, for names that no file system takes.
type node struct {
	blob ID
	kids map[string]*node
}

func (n *node) add(path []string, blob ID) {
	if len(path) == 0 {
		n.blob = blob
		return
	}
	if n.kids == nil {
		n.kids = map[string]*node{}
	}
	if n.kids[path[0]] == nil {
		n.kids[path[0]] = new(node)
	}
	n.kids[path[0]].add(path[1:], blob)
}

// put stores the tree and all below it.
func (n *node) put(t *testing.T, s *Scratch) ID {
	t.Helper()
	if n.kids == nil {
		return n.blob
	}
	// git sorts directories as if their names ended in a slash.
	var sorted []string
	for name, kid := range n.kids {
		if kid.kids != nil {
			name += "/"
		}
		sorted = append(sorted, name)
	}
	slices.Sort(sorted)
	var content []byte
	for _, name := range sorted {
		mode := "100644"
		if strings.HasSuffix(name, "/") {
			mode, name = "40000", strings.TrimSuffix(name, "/")
		}
		content = append(content, mode+" "+name+"\x00"...)
		content = append(content, raw(t, n.kids[name].put(t, s))...)
	}
	id, err := s.Put("tree", content)
	if err != nil {
		t.Fatal(err)
	}
	return id
}

// raw returns the bytes of an id, as trees hold them.
func raw(t *testing.T, id ID) []byte {
	t.Helper()
	b, err := hex.DecodeString(string(id))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

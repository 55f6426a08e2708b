package reduce

import (
	"cmp"
	"context"
	"io/fs"
	"slices"
	"strings"

	"github.com/gitdd/gitdd/testcase"
)

// trivial asks first whether the input fails even with nothing in it: then what
// the command fails on is elsewhere, and whoever reads the answer should know.
func (r *reduction) trivial(ctx context.Context) (bool, error) {
	if !r.best.Dir && r.readsGraph(0) {
		return false, nil // an empty file is no graph
	}
	r.enter("empty")
	in := testcase.Input{Dir: r.best.Dir}
	what := "an empty directory"
	for _, f := range r.best.Files {
		keep := !r.wholeFiles
		if !r.best.Dir && len(in.Files) == 0 {
			keep, what = true, "an empty file"
			if r.archives.isMark(f.Path) {
				what = "an empty archive"
			}
		}
		if keep {
			if f.Mode&fs.ModeSymlink == 0 {
				f.Content = nil
			}
			in.Files = append(in.Files, f)
		}
	}
	if r.best.Dir && len(in.Files) > 0 {
		what = "empty files"
	}
	if !smaller(in, r.best) || !r.keepsFiles(in) {
		return false, nil
	}
	for _, f := range in.Files {
		if !r.keeps(f.Path, f.Content) {
			return false, nil
		}
	}
	if ok, err := r.ask(ctx, in); !ok {
		return false, err
	}
	r.note("the command fails the same way on " + what + ": what it fails on is not in the input")
	r.accept(in)
	return true, r.err(ctx)
}

// byFiles takes whole directories and files out, by the tree algorithm.
func (r *reduction) byFiles(ctx context.Context) error {
	if !r.wholeFiles || len(r.best.Files) < 2 {
		return nil
	}
	r.enter(filesPass)
	return r.structure(ctx, r.files())
}

// files is the search whose elements are directories and files.
func (r *reduction) files() *search {
	base := r.best
	tree, leaves := fileTree(base.Files, r.archives.isMark)
	s := &search{reduction: r, tree: tree, made: Edits{}}
	s.into = func(edits Edits) (testcase.Input, bool) {
		in := testcase.Input{Dir: base.Dir}
		left := standing(tree.Root, edits)
		for i, f := range base.Files {
			if left[leaves[i]] {
				in.Files = append(in.Files, f)
			}
		}
		return in, (in.Dir || len(in.Files) > 0) && r.keepsFiles(in)
	}
	return s
}

// fileTree makes files the leaves of a tree whose inner nodes are directories:
// the text of a file is its path and what it holds. Of siblings the largest
// comes last, which is where list algorithms begin. leaves are by file.
//
// A directory in which there is one entry alone is not a node of its own. The
// mark of an archive is in the directory that stands for the archive, and goes
// with it.
func fileTree(files []testcase.File, isMark func(path string) bool) (tree *Tree, leaves []*Node) {
	type directory struct {
		path     string
		files    []int
		children map[string]*directory
		names    []string // in the order in which they came
		size     int
	}
	top := &directory{children: map[string]*directory{}}
	for i, f := range files {
		d := top
		size := len(f.Path) + 1 + len(f.Content)
		d.size += size
		for at := 0; ; {
			k := strings.IndexByte(f.Path[at:], '/')
			if k < 0 {
				break
			}
			at += k + 1
			child, ok := d.children[f.Path[:at]]
			if !ok {
				child = &directory{path: f.Path[:at], children: map[string]*directory{}}
				d.children[f.Path[:at]] = child
				d.names = append(d.names, f.Path[:at])
			}
			d = child
			d.size += size
		}
		d.files = append(d.files, i)
	}
	leaves = make([]*Node, len(files))
	var source []byte
	var build func(d *directory) []*Node
	build = func(d *directory) []*Node {
		type entry struct {
			size int
			dir  *directory
			file int
		}
		var entries []entry
		for _, i := range d.files {
			entries = append(entries, entry{size: len(files[i].Content), file: i})
		}
		for _, name := range d.names {
			entries = append(entries, entry{size: d.children[name].size, dir: d.children[name]})
		}
		slices.SortStableFunc(entries, func(a, b entry) int { return cmp.Compare(a.size, b.size) })
		var nodes []*Node
		for _, e := range entries {
			n := &Node{From: len(source)}
			if e.dir == nil {
				f := files[e.file]
				source = append(append(append(source, f.Path...), '\n'), f.Content...)
				n.Kind, n.Fixed = "file", isMark(f.Path)
				leaves[e.file] = n
			} else {
				n.Kind = "directory"
				if n.Children = build(e.dir); len(n.Children) == 1 && !n.Children[0].Fixed {
					n = n.Children[0]
				}
			}
			n.To = len(source)
			nodes = append(nodes, n)
		}
		return nodes
	}
	nodes := build(top)
	return wholeTree(source, nodes), leaves
}

// standing returns the leaves that no edit takes out, with those above them.
func standing(root *Node, edits Edits) map[*Node]bool {
	left := map[*Node]bool{}
	var walk func(n *Node)
	walk = func(n *Node) {
		if e, ok := edits[n]; ok {
			if e.By != nil {
				walk(e.By)
			}
			return
		}
		left[n] = true
		for _, c := range n.Children {
			walk(c)
		}
	}
	walk(root)
	return left
}

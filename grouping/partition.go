package grouping

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/gitdd/gitdd/changes"
)

// A partition puts every change into one class of a level. Its classes are
// intersected with the groups above.
type partition struct {
	level  Level
	class  []int    // by change
	names  []string // by class
	ranked bool     // the classes' numbers are their order
}

// partitions returns the partitions of a level: several for Directory, two for Hunk where hunks were cut
// into lines that are removed or added by themselves, else one.
func (v *survey) partitions(level Level, s *changes.Set, history []changes.Commit) []partition {
	list := s.Changes
	switch level {
	case Commit:
		return []partition{byCommit(list, history)}
	case Directory:
		return byDirectory(list)
	case File:
		return []partition{classify(File, list, func(i int) (string, string) { return list[i].Path, list[i].Path })}
	case Symbol:
		return []partition{classify(Symbol, list, func(i int) (string, string) {
			if symbol := v.facts[i].symbol; symbol != "" {
				return list[i].Path + "\x00" + symbol, symbol
			}
			return list[i].Path, list[i].Path
		})}
	case Identifier:
		return []partition{v.byIdentifier(list)}
	case Hunk:
		hunks := byHunk(list)
		if sides := bySide(list, hunks); len(sides.names) > len(hunks.names) {
			return []partition{hunks, sides}
		}
		return []partition{hunks}
	}
	return []partition{classify(Line, list, func(i int) (string, string) { return fmt.Sprint(i), place(&list[i]) })}
}

func place(c *changes.Change) string {
	if c.Part != (changes.Part{}) {
		return fmt.Sprintf("%s:%d:%d", c.Path, c.NewStart, c.Part.NewFrom+1)
	}
	if c.Kind == changes.Text {
		return fmt.Sprintf("%s:%d", c.Path, max(c.NewStart, 1))
	}
	return c.Path
}

// classify makes a partition of what has the same id; classes are numbered as
// they appear.
func classify(level Level, list []changes.Change, of func(i int) (id, name string)) partition {
	p := partition{level: level, class: make([]int, len(list))}
	seen := make(map[string]int)
	for i := range list {
		id, name := of(i)
		c, ok := seen[id]
		if !ok {
			c = len(p.names)
			seen[id] = c
			p.names = append(p.names, name)
		}
		p.class[i] = c
	}
	return p
}

// byCommit groups changes by the last commit that had a part in them: from
// there on the change is whole. Those that no commit is known for come last.
func byCommit(list []changes.Change, history []changes.Commit) partition {
	p := partition{level: Commit, class: make([]int, len(list)), ranked: true}
	at := make(map[string]int, len(history))
	for n, c := range history {
		at[string(c.ID)] = n
		p.names = append(p.names, c.Subject)
	}
	p.names = append(p.names, "")
	for i := range list {
		p.class[i] = -1
		for _, c := range list[i].Commits {
			if n, ok := at[string(c.ID)]; ok {
				p.class[i] = max(p.class[i], n)
			}
		}
		if p.class[i] < 0 {
			p.class[i] = len(history)
		}
	}
	return p
}

// byHunk puts the pieces of one hunk together: pieces follow each other
// without a gap on both sides, hunks never do.
func byHunk(list []changes.Change) partition {
	hunk := -1
	return classify(Hunk, list, func(i int) (string, string) {
		c := &list[i]
		if i == 0 || !adjoins(&list[i-1], c) {
			hunk = i
		}
		return fmt.Sprint(hunk), place(c)
	})
}

// bySide tells the pieces of each hunk apart that only remove lines, replace lines, and only add lines:
// all of one kind may be needed without the others.
func bySide(list []changes.Change, hunks partition) partition {
	return classify(Hunk, list, func(i int) (string, string) {
		c, side := &list[i], "replaced"
		if c.Kind == changes.Text && c.OldLines == 0 {
			side = "added"
		} else if c.Kind == changes.Text && c.NewLines == 0 {
			side = "removed"
		}
		hunk := hunks.class[i]
		return fmt.Sprint(hunk, side), hunks.names[hunk] + " " + side
	})
}

func adjoins(a, b *changes.Change) bool {
	if a.Kind != changes.Text || b.Kind != changes.Text || a.Path != b.Path || a.OldPath != b.OldPath {
		return false
	}
	if a.Part != (changes.Part{}) && b.Part != (changes.Part{}) && a.NewStart == b.NewStart {
		return true // parts of one line
	}
	return after(a.OldStart, a.OldLines) == before(b.OldStart, b.OldLines) &&
		after(a.NewStart, a.NewLines) == before(b.NewStart, b.NewLines)
}

// before and after give the number of lines in front of a range and up to its
// end; git names an empty range after the line in front of it.
func before(start, lines int) int {
	if lines == 0 {
		return start
	}
	return start - 1
}

func after(start, lines int) int { return before(start, lines) + lines }

// byIdentifier connects changes that define or use a name which the
// difference introduces or retires, however long the chain.
func (v *survey) byIdentifier(list []changes.Change) partition {
	parent := make([]int, len(list))
	for i := range parent {
		parent[i] = i
	}
	find := func(i int) int {
		for parent[i] != i {
			parent[i] = parent[parent[i]]
			i = parent[i]
		}
		return i
	}
	type best struct {
		size int
		name string
	}
	links := slices.Concat(v.links(bad), v.links(good))
	for _, l := range links {
		for _, i := range slices.Concat(l.definers, l.users) {
			a, b := find(l.definers[0]), find(i)
			parent[max(a, b)] = min(a, b)
		}
	}
	names := make(map[int]best) // by root: the name that most changes share
	for _, l := range links {
		root := find(l.definers[0])
		if n := len(l.users); n > names[root].size {
			names[root] = best{n, l.key.name}
		}
	}
	return classify(Identifier, list, func(i int) (string, string) {
		root := find(i)
		if b, ok := names[root]; ok {
			return fmt.Sprint(root), b.name
		}
		return fmt.Sprint(root), place(&list[i])
	})
}

// maxDirectoryLevels bounds the directory levels of a plan; the last one
// always tells all directories apart.
const maxDirectoryLevels = 6

// byDirectory returns one partition per depth below the common directory.
// Directories in which nothing but one directory lies count as one with it. A
// directory's own files are a group beside its subdirectories.
func byDirectory(list []changes.Change) []partition {
	children := make(map[string]map[string]bool) // directory -> what lies in it: directories, "" for files
	for i := range list {
		dir, entry := path.Dir(list[i].Path), ""
		for {
			if children[dir] == nil {
				children[dir] = make(map[string]bool)
			}
			if children[dir][entry] {
				break
			}
			children[dir][entry] = true
			if dir == "." || dir == "/" {
				break
			}
			dir, entry = path.Dir(dir), dir
		}
	}
	chains := make(map[string][]string) // directory -> the branching ones above it and itself, outermost first
	var chain func(dir string) []string
	chain = func(dir string) []string {
		if c, ok := chains[dir]; ok {
			return c
		}
		var c []string
		if dir != "." && dir != "/" {
			c = chain(path.Dir(dir))
		}
		if len(children[dir]) > 1 || children[dir][""] {
			c = append(slices.Clip(c), dir)
		}
		chains[dir] = c
		return c
	}
	depth := 1
	for i := range list {
		depth = max(depth, len(chain(path.Dir(list[i].Path))))
	}
	var all []partition
	for d := min(1, depth-1); d <= depth; d++ {
		if len(all) == maxDirectoryLevels-1 {
			d = depth
		}
		p := classify(Directory, list, func(i int) (string, string) {
			c := chain(path.Dir(list[i].Path))
			if d < len(c) {
				return c[d], c[d]
			}
			return c[len(c)-1] + "/.", c[len(c)-1]
		})
		if len(all) == 0 || len(p.names) > len(all[len(all)-1].names) {
			all = append(all, p)
		}
	}
	return all
}

// printable keeps a name on one line.
func printable(name string) string {
	if strings.ContainsAny(name, "\n\r\t") {
		return fmt.Sprintf("%q", name)
	}
	return name
}

package grouping

import (
	"bytes"
	"cmp"
	"iter"
	"path"
	"slices"
	"strings"
	"sync"

	"github.com/gitdd/gitdd/changes"
)

// An index is what a plan keeps of its changes to read the output of a
// configuration: which file each is in, and what each defines.
type index struct {
	set    *changes.Set
	files  []file
	fileOf []int                   // by change: the file it is of
	byBase map[string][]int        // last element of a path, old or new -> files, increasing
	names  map[string][]definition // last name -> who defines or retires it, by change
	paths  []definition            // files and modules that changes bring or take away

	packages packageNames
	macros   bracketMacros

	mentioned sync.Once        // for what follows, see mentions
	saying    map[string][]int // name -> the changes in whose lines it stands
	altering  map[string][]int // name -> those that alter how often it occurs
}

// A definition is a name that a change brings (in its new lines) or, retired,
// takes away (in its old ones).
type definition struct {
	key     key
	change  int
	retired bool
	fresh   bool // the name occurs in no content of good that was read
}

func newIndex(s *changes.Set, v *survey) *index {
	x := &index{
		set: s, files: files(s.Changes), fileOf: make([]int, s.Len()),
		byBase: make(map[string][]int), names: make(map[string][]definition), packages: v.packages, macros: v.macros,
	}
	for n := range x.files {
		f := &x.files[n]
		for _, i := range f.members {
			x.fileOf[i] = n
		}
		x.byBase[path.Base(f.path)] = append(x.byBase[path.Base(f.path)], n)
		if base := path.Base(f.oldPath); base != path.Base(f.path) {
			x.byBase[base] = append(x.byBase[base], n)
		}
	}
	for i := range v.facts {
		for which, list := range v.facts[i].defines {
			for _, k := range list {
				d := definition{k, i, which == good, !v.occurs[good].has(k.occurrence())}
				name := k.name
				switch k.space {
				case fileSpace, goRequire:
					x.paths = append(x.paths, d)
					continue
				case goSum, goChain:
					continue
				case symbolSpace:
					name = lastName(name)
				}
				x.names[name] = append(x.names[name], d)
			}
		}
	}
	return x
}

// composed is a configuration: which changes are applied.
func (x *index) composed(applied iter.Seq[int]) []bool {
	has := make([]bool, x.set.Len())
	for i := range applied {
		if i >= 0 && i < len(has) {
			has[i] = true
		}
	}
	return has
}

// pathIn returns the path of f in a configuration, "" if it is absent there.
func (x *index) pathIn(f *file, has []bool) string {
	name := f.oldPath
	for _, i := range f.members {
		switch x.set.Changes[i].Kind {
		case changes.Created, changes.Copied:
			if !has[i] {
				return ""
			}
			name = f.path
		case changes.Deleted:
			if has[i] {
				return ""
			}
		case changes.Renamed:
			if has[i] {
				name = f.path
			}
		}
	}
	return name
}

// named returns the files of a configuration that a tool may mean by a path,
// the likeliest first. A tool prints paths from the workspace's directory or
// from one inside it, or absolute ones, and where the workspace stands is not
// known: so the file's path is a tail of the printed one (the longest first),
// or the printed one is a tail of the file's (at most maxPlaces of these, else
// none). dirs are directories that the tool said it is in, the last one last.
func (x *index) named(printed string, dirs []string, has []bool) (list []int) {
	printed = path.Clean(strings.ReplaceAll(printed, "\\", "/"))
	if at := len(dirs); at > 0 && !path.IsAbs(printed) {
		if inside := x.named(path.Join("/", dirs[at-1], printed), nil, has); len(inside) > 0 {
			return inside
		}
	}
	for strings.HasPrefix(printed, "../") {
		printed = printed[3:]
	}
	var tails []int
	for _, n := range x.byBase[path.Base(printed)] {
		p := x.pathIn(&x.files[n], has)
		switch {
		case p == "":
		case p == printed || strings.HasSuffix(printed, "/"+p):
			list = append(list, n)
		case strings.HasSuffix(p, "/"+printed):
			tails = append(tails, n)
		}
	}
	slices.SortStableFunc(list, func(a, b int) int {
		return cmp.Compare(len(x.pathIn(&x.files[b], has)), len(x.pathIn(&x.files[a], has)))
	})
	if len(tails) <= maxPlaces {
		list = append(list, tails...)
	}
	return list
}

// maxPlaces is how many files a path may mean before it means none.
const maxPlaces = 4

// A holding says whose a line of a composed file is.
type holding struct {
	change  int  // -1: good's own, which no change touches
	applied bool // the line is one of the change's new ones; else one of its old ones
	line    int  // its number in bad if applied, else in good
}

// ends returns the change whose line it is as what a message about the line is about: an applied change that brings the line,
// or one that is not applied and takes it away.
func (h holding) ends() (users, leavers []int) {
	switch {
	case h.change < 0:
		return nil, nil
	case h.applied:
		return []int{h.change}, nil
	}
	return nil, []int{h.change}
}

// holder maps a line of f (from 1), as it is in a configuration, to whose it
// is. Cost: one step per change of the file.
func (x *index) holder(f *file, has []bool, line int) holding {
	if len(f.text) == 0 {
		for _, i := range f.members {
			switch c := &x.set.Changes[i]; c.Kind {
			case changes.Created:
				return holding{i, true, line}
			case changes.Deleted:
				return holding{i, false, line}
			}
		}
		return holding{-1, false, line}
	}
	// Invariant: the changes so far end before line, and moved what is below
	// them by shift lines.
	shift := 0
	for _, i := range f.text {
		c := &x.set.Changes[i]
		first, lines := c.OldStart+shift, c.OldLines
		if c.OldLines == 0 {
			first++ // the line before the place
		}
		if has[i] {
			lines = c.NewLines
		}
		switch {
		case line < first:
			return holding{-1, false, line - shift}
		case line < first+lines && has[i]:
			return holding{i, true, c.NewStart + line - first}
		case line < first+lines:
			return holding{i, false, line - shift}
		case has[i]:
			shift += c.NewLines - c.OldLines
		}
	}
	return holding{-1, false, line - shift}
}

// text returns the new or the old lines of a change; nil if they cannot be had.
func (x *index) text(i int, new bool) []byte {
	c := &x.set.Changes[i]
	var content []byte
	switch {
	case c.Kind == changes.Text && new:
		return c.New
	case c.Kind == changes.Text:
		return c.Old
	case c.Kind == changes.Created && new && len(x.files[x.fileOf[i]].text) == 0 && c.NewMode.IsFile():
		content, _ = x.set.NewContent(c.Path)
	case c.Kind == changes.Deleted && !new && len(x.files[x.fileOf[i]].text) == 0 && c.OldMode.IsFile():
		content, _ = x.set.OldContent(c.OldPath)
	}
	return content
}

// line returns the text of a held line of f; nil if there is no such line.
func (x *index) line(f *file, h holding) []byte {
	var content []byte
	if h.applied {
		content, _ = x.set.NewContent(f.path)
	} else {
		content, _ = x.set.OldContent(f.oldPath)
	}
	for n := 1; len(content) > 0; n++ {
		text, rest, _ := bytes.Cut(content, []byte{'\n'})
		if n == h.line {
			return text
		}
		content = rest
	}
	return nil
}

// says reports whether the new (or old) lines of a change have the word.
func (x *index) says(i int, new bool, word string) bool { return hasWord(x.text(i, new), word) }

// gains and loses report whether a change brings the first mention of a word,
// or takes the last one away.
func (x *index) gains(i int, word string) bool {
	return x.says(i, true, word) && !x.says(i, false, word)
}
func (x *index) loses(i int, word string) bool {
	return x.says(i, false, word) && !x.says(i, true, word)
}

// hasWord reports whether text has the word with no letter or digit beside it.
func hasWord(text []byte, word string) bool { return wordIndex(text, word) >= 0 }

// wordIndex is where the word first stands in text with no letter or digit beside
// it, or -1.
func wordIndex(text []byte, word string) int {
	for at := 0; word != ""; {
		i := bytes.Index(text[at:], []byte(word))
		if i < 0 {
			return -1
		}
		i += at
		end := i + len(word)
		if (i == 0 || !wordByte(text[i-1])) && (end == len(text) || !wordByte(text[end])) {
			return i
		}
		at = i + 1
	}
	return -1
}

func wordByte(c byte) bool { return isLetter(c) || isDigit(c) }
func isDigit(c byte) bool  { return '0' <= c && c <= '9' }
func isBlank(c byte) bool  { return c == ' ' || c == '\t' || c == '\r' }

// isLetter reports whether a name may begin with a byte; each beyond ASCII counts.
func isLetter(c byte) bool { return c == '_' || 'a' <= c|0x20 && c|0x20 <= 'z' || c >= 0x80 }

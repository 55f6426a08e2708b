package grouping

import (
	"bytes"
	"cmp"
	"math"
	"path"
	"slices"
	"sort"

	"github.com/gitdd/gitdd/changes"
)

// facts is what one change says: in its new lines (bad) it defines and uses names,
// in its old lines (good) it retires definitions and drops uses.
type facts struct {
	symbol        string
	defines, uses [2][]key
	requires      []int   // changes of the same file, from its syntax
	renamed       [][]int // the changes of renamings that begin with this one, see renamings
	made          bool    // in a file that a program made
}

// A side of a file is what it says before (old) or after (new) the changes.
type side struct {
	declarations []declaration
	defines      []occurrence
	uses         []occurrence // at least those in the changed lines
	typed        []typed
}

// A span is the lines of one side that one change replaces or writes.
type span struct {
	first, last int
	change      int
}

// A reach says how much of a file is read.
type reach uint8

const (
	parsed  reach = iota // by its grammar, and every identifier of it
	scanned              // lexically, every identifier of it
	skimmed              // lexically, and only its changed lines, each hunk below its heading
)

// A reader turns contents into facts. It belongs to one goroutine.
type reader struct {
	parsers  *parsers
	occurs   [2]presence       // keys that occur in the good and in the bad contents read
	declared [2]map[uint64]int // how often a symbol key is declared there
	packages packageNames
	members  map[string]int // Go: name -> fields and methods declared in bad
	retyped  []retyped      // Go
}

func newReader() *reader {
	return &reader{
		parsers:  newParsers(),
		occurs:   [2]presence{{}, {}},
		declared: [2]map[uint64]int{{}, {}},
		packages: packageNames{},
		members:  make(map[string]int),
	}
}

const good, bad = 0, 1

// read looks at one side of a file.
func (r *reader) read(which int, name string, content []byte, spans []span, how reach) side {
	l := languageOf(name, content)
	var s side
	switch l {
	case golang:
		if how == skimmed {
			break
		}
		if f, ok := parseGo(name, content, false); ok {
			s = side{f.declarations, f.defines, f.uses, f.typed}
			sortDeclarations(s.declarations)
			r.packages.add(path.Dir(name), f.packageName)
			r.noteGo(which, s)
			r.noteSymbols(which, l, name, s.declarations)
			return s
		}
	case goModule, goSums:
		s.defines, s.uses = moduleLines(l, content, 1)
		for _, o := range s.defines {
			r.occurs[which].add(o.key)
		}
		return s
	}
	s.declarations = outline(r.parsers, name, content, how == parsed)
	r.noteSymbols(which, l, name, s.declarations)
	if family := syntaxOf(l).family; family != "" && l != golang {
		s.defines = r.nameDefinitions(which, l, name, content, s.declarations)
		s.typed = signatures(l, content, s.declarations, s.defines)
		s.uses = r.names(which, l, name, content, 1, spans)
		if hasPrivate(l) {
			s.uses = meantPrivately(s.uses, s.defines)
		}
	}
	return s
}

// noteGo records what occurs in a Go file: package-level names where they are
// declared (the scope is exact), members wherever they are named.
func (r *reader) noteGo(which int, s side) {
	for _, o := range s.defines {
		r.occurs[which].add(o.key)
		if which == bad && o.key.space == goMember {
			r.members[o.key.name]++
		}
	}
	for _, o := range s.uses {
		if o.key.space == goMember || o.key.space == goChain {
			r.occurs[which].add(o.key)
		}
	}
}

// owner returns the change whose span holds line, or -1. Spans are sorted and
// disjoint.
func owner(spans []span, line int) int {
	i := sort.Search(len(spans), func(i int) bool { return spans[i].last >= line })
	if i < len(spans) && spans[i].first <= line {
		return spans[i].change
	}
	return -1
}

// owners returns the changes whose spans hold lines from first to last.
func owners(spans []span, first, last int) (list []int) {
	for _, s := range spans {
		if s.first <= last && s.last >= first {
			list = append(list, s.change)
		}
	}
	return list
}

// attribute gives the occurrences of a side to the changes whose lines hold
// them.
func attribute(all []facts, spans []span, list []occurrence, into func(*facts) *[]key) {
	for _, o := range list {
		if i := owner(spans, o.line); i >= 0 {
			f := into(&all[i])
			*f = append(*f, o.key)
		}
	}
}

// A file is one path of the difference with its changes.
type file struct {
	path, oldPath string
	members       []int // all its changes
	text          []int // those of kind Text, in order
	old, new      bool  // which sides there are to read
	whole         bool  // created or deleted in one piece
	allowed       int   // bytes to parse for its syntax
}

// name returns the path of the file on one side.
func (f *file) name(which int) string { return [2]string{f.oldPath, f.path}[which] }

// files sorts the changes into files, in the order of the set.
func files(list []changes.Change) (all []file) {
	at := make(map[[2]string]int)
	for i := range list {
		c := &list[i]
		id := [2]string{c.Path, c.OldPath}
		n, ok := at[id]
		if !ok {
			n = len(all)
			at[id] = n
			all = append(all, file{path: c.Path, oldPath: c.OldPath})
		}
		f := &all[n]
		f.members = append(f.members, i)
		switch c.Kind {
		case changes.Text:
			f.text = append(f.text, i)
			f.old, f.new = true, true
		}
	}
	for n := range all {
		f := &all[n]
		for _, i := range f.members {
			switch list[i].Kind {
			case changes.Created:
				f.old, f.new, f.whole = false, list[i].NewMode.IsFile(), len(f.text) == 0
			case changes.Deleted:
				f.old, f.new, f.whole = list[i].OldMode.IsFile(), false, len(f.text) == 0
			}
		}
	}
	return all
}

// spans returns the changed lines of one side of f. Which names of a line belong to a part of
// it is not told: such changes have none.
func (f *file) spans(list []changes.Change, which int) (spans []span) {
	if f.whole {
		return []span{{1, math.MaxInt, f.members[0]}}
	}
	for _, i := range f.text {
		c := &list[i]
		if c.Part != (changes.Part{}) {
			continue
		}
		start, lines := c.NewStart, c.NewLines
		if which == good {
			start, lines = c.OldStart, c.OldLines
		}
		if lines > 0 {
			spans = append(spans, span{start, start + lines - 1, i})
		}
	}
	slices.SortFunc(spans, func(a, b span) int { return cmp.Compare(a.first, b.first) })
	return spans
}

// facts reads f as far as how says and completes all[i] for its changes i.
func (r *reader) facts(all []facts, list []changes.Change, f *file, how reach, old, new []byte) {
	var sides [2]side
	var spans [2][]span
	for which, content := range [2][]byte{old, new} {
		name := f.name(which)
		spans[which] = f.spans(list, which)
		exists := which == good && f.old || which == bad && f.new
		switch {
		case !exists || bytes.IndexByte(content[:min(len(content), 8000)], 0) >= 0: // absent or binary
		case how != skimmed || f.whole:
			sides[which] = r.read(which, name, content, spans[which], how)
			importLines(name, content, 1, spans[which], &sides[which])
		default:
			sides[which] = r.skim(which, name, list, spans[which])
		}
	}
	for which := range sides {
		r.attributeSide(all, f, which, &sides[which], spans[which])
	}
	for _, i := range f.members {
		all[i].symbol = f.symbol(&list[i], sides)
	}
	r.retype(f, sides, spans)
	if how != skimmed {
		f.bindings(all, list, sides, old, new)
		f.renamings(all, list, sides, old, new)
		f.overrides(all, sides, spans, old, new)
	}
	if f.allowed > 0 {
		r.syntax(all, list, f, sides, [2][]byte{old, new})
	}
}

// skim reads the changed lines hunk by hunk, each below its heading: that says
// which symbol they are in, and what they declare members of. The file itself is
// not needed.
func (r *reader) skim(which int, name string, list []changes.Change, spans []span) (all side) {
	l := languageOf(name, nil)
	for _, sp := range spans {
		text := list[sp.change].New
		if which == good {
			text = list[sp.change].Old
		}
		importLines(name, text, sp.first, []span{sp}, &all)
		if l == goModule || l == goSums {
			defines, uses := moduleLines(l, text, sp.first)
			for _, o := range defines {
				r.occurs[which].add(o.key)
			}
			all.defines, all.uses = append(all.defines, defines...), append(all.uses, uses...)
			continue
		}
		// The heading is line 1 here, and in the file some line before sp.first.
		headed := slices.Concat([]byte(list[sp.change].Heading), []byte{'\n'}, text)
		declarations := outline(r.parsers, name, headed, false)
		own := declarations
		if len(own) > 0 && own[0].at == 1 {
			own = own[1:]
			if _, last := written(text, 2); declarations[0].end < last {
				declarations = own // ends in the hunk
			} else {
				d := &declarations[0] // is around the hunk, not in it
				d.name, d.doc, d.start = "", 2, 2
			}
		}
		r.noteSymbols(which, l, name, own)
		if syntaxOf(l).family != "" && l != golang {
			all.defines = append(all.defines, shift(r.nameDefinitions(which, l, name, headed, own), sp.first-2)...)
			all.uses = append(all.uses, r.names(which, l, name, text, sp.first, []span{sp})...)
		}
		for _, d := range declarations {
			d.doc, d.start, d.end, d.at = d.doc+sp.first-2, d.start+sp.first-2, d.end+sp.first-2, d.at+sp.first-2
			all.declarations = append(all.declarations, d)
		}
	}
	return all
}

// shift moves what was found in a piece of a file to its place there.
func shift(list []occurrence, by int) []occurrence {
	for i := range list {
		list[i].line += by
	}
	return list
}

func (r *reader) attributeSide(all []facts, f *file, which int, s *side, spans []span) {
	defines := func(f *facts) *[]key { return &f.defines[which] }
	uses := func(f *facts) *[]key { return &f.uses[which] }
	name := f.name(which)
	attribute(all, spans, s.defines, defines)
	attribute(all, spans, s.uses, uses)
	l := languageOf(name, nil)
	var symbols []occurrence
	for i := range s.declarations {
		if k, ok := symbolKey(l, name, &s.declarations[i]); ok {
			symbols = append(symbols, occurrence{k, s.declarations[i].at})
		}
	}
	attribute(all, spans, symbols, defines)
}

// symbol names the symbol that c lies in.
func (f *file) symbol(c *changes.Change, sides [2]side) string {
	if c.Kind != changes.Text {
		return ""
	}
	symbol := ""
	if first, last := written(c.New, c.NewStart); c.NewLines > 0 && first <= last {
		symbol = symbolAt(sides[bad].declarations, first, last)
	}
	if first, last := written(c.Old, c.OldStart); symbol == "" && c.OldLines > 0 && first <= last {
		symbol = symbolAt(sides[good].declarations, first, last)
	}
	if symbol == "" && c.NewLines == 0 && len(sides[good].declarations) == 0 {
		symbol = symbolAt(sides[bad].declarations, c.NewStart, c.NewStart)
	}
	return symbol
}

// written returns the first and last line of text that is not blank.
func written(text []byte, start int) (first, last int) {
	first, last = start, start-1
	line, seen := start, false
	for piece := range bytes.Lines(text) {
		if len(bytes.TrimSpace(piece)) > 0 {
			if !seen {
				first, seen = line, true
			}
			last = line
		}
		line++
	}
	return first, last
}

package reduce

import (
	"bytes"
	"cmp"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/gitdd/gitdd/internal/lazyregexp"
	"github.com/gitdd/gitdd/internal/lexical"
	"github.com/gitdd/gitdd/internal/syntax"
)

// A Declaration is a named piece of a source file, such as a function, a type, a method, or a constant
// of a group.
type Declaration struct {
	Name     string // as other code refers to it; "" = no other code does
	Member   bool   // it is referred to through a value or a type, as a method is
	From, To int    // its lines, from 1, with the comments before it; both ends are included
}

// A unit is a file, a declaration, an import, or an element of a file such as go.mod. If a unit is taken out, all
// units that require it are, too.
type unit struct {
	file   int     // its number in the input
	parent int     // the unit that it is a part of; -1 = it is a file
	nodes  []*Node // of the tree of the file; nil = the unit is the file

	declares []string        // the names of declarations that are not members
	members  []string        // the names of members, which code refers to through a value or a type
	mentions map[string]bool // the names and paths in its text, without those in units within it
	names    map[string]bool // those mentions that may be names: words, and the last elements of paths
	quoted   map[string]bool // those mentions that stand in string literals
	rest     bool            // it is neither a file nor a declaration
	imports  bool            // it is an import, or a line of one
	exports  bool            // it is an export statement, such as "module.exports = f"
	code     bool            // it is a file of source code that was cut into units
	size     int             // the bytes of its text, without units within it
}

func newUnit(file int, nodes []*Node) unit {
	return unit{file: file, parent: -1, nodes: nodes, mentions: map[string]bool{}, names: map[string]bool{}, quoted: map[string]bool{}}
}

// Limits on units. A file that is longer than longestUnits, or has more units than mostInFile, or with which the
// input would have more than mostUnits, is one unit.
const (
	mostUnits    = 20_000
	mostInFile   = 4_000
	longestUnits = 2 << 20
)

// cutUnits cuts the best input into units. The first ones are the files, in their order. trees has an entry
// for each file, which is nil if the file is one unit.
func (r *reduction) cutUnits() (all []unit, trees []*Tree) {
	files := r.best.Files
	trees = make([]*Tree, len(files))
	for i, f := range files {
		u := newUnit(i, nil)
		u.size = len(f.Path) + len(f.Content)
		all = append(all, u)
	}
	for i, f := range files {
		if f.Mode&fs.ModeSymlink != 0 || len(f.Content) > longestUnits || looksBinary(f.Content) {
			continue
		}
		if c := r.cutter(i, len(all)); c != nil && len(c.units) <= mostInFile && len(all)+len(c.units) <= mostUnits {
			c.read(&all[i])
			all = append(all, c.units...)
			all[i].code = c.code
			trees[i] = c.tree
		}
	}
	return all, trees
}

// A cutter cuts one file into units.
type cutter struct {
	path    string
	content []byte
	tree    *Tree
	lines   []int // where they begin
	code    bool  // it is source code
	file    int   // the number of its unit
	first   int   // the number of the first unit in it
	units   []unit
	at      map[*Node]int // the number of the unit of a node
}

// cutter cuts file i into units, whose numbers begin with first. It returns nil if the file is neither source
// code nor a manifest, or has no tree.
func (r *reduction) cutter(i, first int) *cutter {
	f := r.best.Files[i]
	p, err := r.kinds.parse(r.archives.nameOf(f.Path), f.Content, "")
	if err != nil || p.tree == nil {
		return nil
	}
	c := &cutter{path: f.Path, content: f.Content, tree: p.tree, file: i, first: first, at: map[*Node]int{}}
	for at := 0; at < len(f.Content); at = lineEnd(f.Content, at) {
		c.lines = append(c.lines, at)
	}
	var declared []Declaration
	if r.opts.Declarations != nil {
		declared = r.opts.Declarations(f.Path, f.Content)
	}
	_, manifest := syntax.Manifests[path.Base(f.Path)]
	c.code = len(declared) > 0 || !data[p.format] && lexical.RulesOf(f.Path) != nil && !(manifest && anyText[p.format])
	if !c.code && !manifest {
		return nil
	}
	for _, d := range declared {
		c.declaration(d)
	}
	c.others(c.tree.Root, 0, false)
	return c
}

// data are formats of files that are no source code although there are rules for their tokens, and anyText are formats that take
// any text: a manifest of one of them is no source code either, as go.mod is not.
var (
	data    = map[string]bool{"json": true, "yaml": true, "toml": true, "xml": true, "html": true, "css": true, "ini": true, "patch": true}
	anyText = map[string]bool{"brackets": true, "indent": true, "lines": true}
)

// importWords are the words with which imports begin in the languages that have grammars, and in some others.
var importWords = map[string]bool{
	"import": true, "from": true, "use": true, "using": true, "require": true, "require_relative": true,
	"require_once": true, "include": true, "include_once": true, "extern": true, "source": true, "load": true,
}

// statement sets imports, exports and members of a unit of source code that is no declaration, by the words with
// which its text begins. within is whether it is a part of an import. An assignment to a.b makes b a member. One to
// exports or to module.exports is an export.
func (c *cutter) statement(u *unit, within bool) {
	text := c.content[u.nodes[0].From:c.end(u.nodes[0])]
	head := statementHead().FindSubmatch(text)
	if head == nil {
		u.imports = within
		return
	}
	words := strings.Split(string(head[1]), ".")
	last, assigned := words[len(words)-1], len(head[2]) > 0
	u.imports = within || importWords[words[0]]
	u.exports = words[0] == "export" || assigned && last == "exports"
	if assigned && len(words) > 1 && !u.exports {
		u.members = append(u.members, last)
	}
}

// statementHead matches words with dots between them, and the sign of an assignment behind them. A # and words
// that say who may use something may stand before.
var statementHead = lazyregexp.New(`^(?:#\s*|(?:pub|public|global|static)\s+)*([\w$]+(?:\.[\w$]+)*)\s*(=[^=])?`)

// declaration makes a unit of a declaration. Where the first of its nodes belongs to a unit already, that
// unit has its name, too.
func (c *cutter) declaration(d Declaration) {
	if d.From < 1 || d.From > len(c.lines) || d.To < d.From {
		return
	}
	to := len(c.content)
	if d.To < len(c.lines) {
		to = c.lines[d.To]
	}
	nodes := c.within(c.tree.Root, c.lines[d.From-1], to, nil)
	if len(nodes) == 0 {
		return
	}
	number, known := c.at[nodes[0]]
	if !known {
		number = c.add(nodes, false)
	}
	u := &c.units[number-c.first]
	if d.Name == "" {
		return
	}
	if d.Member {
		u.members = append(u.members, d.Name)
	} else {
		u.declares = append(u.declares, d.Name)
	}
}

// add makes a unit of nodes.
func (c *cutter) add(nodes []*Node, rest bool) int {
	number := c.first + len(c.units)
	u := newUnit(c.file, nodes)
	u.parent, u.rest = c.file, rest
	c.units = append(c.units, u)
	for _, n := range nodes {
		c.at[n] = number
	}
	return number
}

// within appends the outermost nodes that lie within bytes of the source and can go.
func (c *cutter) within(n *Node, from, to int, list []*Node) []*Node {
	for _, child := range n.Children {
		switch {
		case child.To <= from || child.From >= to || child.Separator:
		case child.From >= from && c.end(child) <= to && !child.Fixed && !child.Joint:
			list = append(list, child)
		default:
			list = c.within(child, from, to, list)
		}
	}
	return list
}

// end returns where a node ends, without white space.
func (c *cutter) end(n *Node) int {
	return n.From + len(bytes.TrimRight(c.content[n.From:n.To], " \t\r\n"))
}

// others makes units of the nodes that belong to no declaration. In source code these are the elements of the file,
// such as imports, and the lines of an element that is a list of lines; in a manifest they are the elements down to
// the fifth level. imports is whether n is a part of an import.
func (c *cutter) others(n *Node, depth int, imports bool) {
	for _, child := range n.Children {
		if _, known := c.at[child]; known || child.Separator || child.Kind == commentKind {
			continue
		}
		if child.Fixed || child.Joint || c.holds(child) || !c.code && c.cutsPath(child) {
			if depth < 8 {
				c.others(child, depth+1, imports)
			}
			continue
		}
		number := c.add([]*Node{child}, true)
		if c.code {
			u := &c.units[number-c.first]
			c.statement(u, imports)
			if c.listOfLines(child) {
				c.others(child, depth+1, u.imports)
			}
		} else if depth < 4 {
			c.others(child, depth+1, false)
		}
	}
}

// holds reports whether a declaration lies within a node.
func (c *cutter) holds(n *Node) bool {
	if !c.code {
		return false
	}
	return slices.ContainsFunc(n.Children, func(child *Node) bool {
		number, known := c.at[child]
		return known && !c.units[number-c.first].rest || c.holds(child)
	})
}

// cutsPath reports whether a node begins or ends within a path.
func (c *cutter) cutsPath(n *Node) bool {
	from, to := n.From, c.end(n)
	within := func(i int) bool {
		return i > 0 && i < len(c.content) && pathByte(c.content[i-1]) && pathByte(c.content[i])
	}
	return within(from) || within(to)
}

// listOfLines reports whether a node has several lines, and each node in it one.
func (c *cutter) listOfLines(n *Node) bool {
	lines := func(n *Node) int { return bytes.Count(c.content[n.From:c.end(n)], []byte("\n")) }
	for len(n.Children) == 1 && n.Children[0].Fixed {
		n = n.Children[0]
	}
	return lines(n) > 0 && len(n.Children) > 0 && !slices.ContainsFunc(n.Children, func(child *Node) bool { return lines(child) > 0 })
}

// read finds the parents, sizes and mentions of the units. file is that of the file.
func (c *cutter) read(file *unit) {
	owner := make([]int, len(c.content)) // of each byte: the number of the innermost unit
	for i := range owner {
		owner[i] = c.file
	}
	type piece struct{ from, to, number int }
	var pieces []piece
	for k, u := range c.units {
		for _, n := range u.nodes {
			pieces = append(pieces, piece{n.From, n.To, c.first + k})
		}
	}
	slices.SortStableFunc(pieces, func(a, b piece) int { return cmp.Or(cmp.Compare(a.from, b.from), cmp.Compare(b.to, a.to)) })
	for _, p := range pieces { // those around it come before it
		if p.from == p.to {
			continue
		}
		if u := &c.units[p.number-c.first]; owner[p.from] != p.number {
			u.parent = owner[p.from]
		}
		for i := p.from; i < p.to; i++ {
			owner[i] = p.number
		}
	}
	file.size = len(c.path)
	of := func(number int) *unit {
		if number == c.file {
			return file
		}
		return &c.units[number-c.first]
	}
	for _, number := range owner {
		of(number).size++
	}
	c.names(func(name string, at int, word bool) {
		u := of(owner[at])
		u.mentions[name] = true
		if word {
			u.names[name] = true
		}
		if strings.IndexByte("\"'`", c.content[at]) >= 0 && len(name) > 1 {
			u.quoted[name] = true
		}
	})
}

// names calls f for each name and path in the file, with its offset; word is whether the text may be a name. A string
// of source code that begins with a dot is a path relative to the directory of the file, and so is every path
// in a manifest: f gets "./" and the path from the top of the input.
func (c *cutter) names(f func(text string, at int, word bool)) {
	if !c.code {
		for from := 0; from < len(c.content); {
			to := from
			for to < len(c.content) && pathByte(c.content[to]) {
				to++
			}
			if text := string(c.content[from:to]); text != "" {
				f("./"+path.Join(path.Dir(c.path), text), from, false)
				mentioned(text, func(text string, name bool) { f(text, from, name) })
			}
			from = to + 1
		}
		return
	}
	rules := rulesOf(c.path, c.content)
	s := lexical.NewScanner(c.content, rules, lexical.Fragment)
	for {
		kind, from, to := s.Next()
		text := string(c.content[from:to])
		switch kind {
		case lexical.None:
			return
		case lexical.Word:
			if name := strings.TrimLeft(text, "$@"); name != "" && !rules.IsKeyword(text) {
				f(name, from, true)
			}
		case lexical.String:
			if text = strings.Trim(text, "\"'`"); len(text) < 200 && !strings.ContainsAny(text, " \t\r\n") {
				if strings.HasPrefix(text, ".") {
					f("./"+path.Join(path.Dir(c.path), text), from, true)
					continue
				}
				mentioned(text, func(text string, name bool) { f(text, from, name) })
			}
		}
	}
}

// pathByte reports whether paths have c in them.
func pathByte(c byte) bool {
	return c == '_' || c == '/' || c == '.' || c == '@' || c == '-' || '0' <= c && c <= '9' || 'a' <= c|0x20 && c|0x20 <= 'z' || c >= 0x80
}

// mentioned calls f for a path and for each directory above it, and then for the last element of the path, with and
// without its extension, which may be a name. Where that is a version, as in the import paths of Go, the element before
// it may be one, too.
func mentioned(text string, f func(text string, name bool)) {
	text = strings.Trim(text, "./")
	if text == "" {
		return
	}
	for above := text; above != "." && above != "/"; above = path.Dir(above) {
		f(above, false)
	}
	base := path.Base(text)
	f(base, true)
	f(strings.TrimSuffix(base, path.Ext(base)), true)
	if majorVersion().MatchString(base) {
		f(path.Base(path.Dir(text)), true)
	}
}

var majorVersion = lazyregexp.New(`^v[0-9]+$`)

package grouping

import (
	"bytes"
	"cmp"
	"iter"
	"maps"
	"path"
	"slices"
	"strings"
)

// A Connection says how the place of a failure is connected with a cause.
type Connection string

// The connections, the closest first.
const (
	ChangedLines Connection = "changed-lines" // the line is one of the cause
	SameFunction Connection = "same-function" // it is in a function or the like that the cause changes
	UsesCause    Connection = "uses-cause"    // the function around it names one that the cause changes
	UsedByCause  Connection = "used-by-cause" // the cause, or the function around the cause, names the one around it
	ThroughStack Connection = "stack"         // the stack trace goes through a function that the cause changes
	SameName     Connection = "same-name"     // it has a name that is in the lines of the cause
	SameFile     Connection = "same-file"     // it is in a file of the cause
	Unconnected  Connection = "none"
)

// closeness orders the connections.
var closeness = func() map[Connection]int {
	order := map[Connection]int{}
	for i, c := range []Connection{ChangedLines, SameFunction, UsesCause, UsedByCause, ThroughStack, SameName, SameFile, Unconnected} {
		order[c] = i
	}
	return order
}()

// A Failure is what a failing configuration printed, and what is in its tree.
type Failure struct {
	Applied        iter.Seq[int] // the changes that are applied
	Cause, Context []int
	Output         []byte
	Passing        []byte                           // what the passing configuration printed
	Paths          func() []string                  // all files of the tree
	Content        func(path string) ([]byte, bool) // of a file of the tree; false if it cannot be read, or is too large
	Dir            string                           // in which the command ran, below the top
	Own            func(path string) bool           // the file is the test's own
}

// A Place is a line that the output of a failure names.
type Place struct {
	Path       string // in the failing tree
	Line       int
	BadLine    int    // the number of the line at bad; 0 = it is not there
	Symbol     string // the declaration that it lies in, "" = none is known
	Connection Connection
	Name       string // the function or the name that connects the place with the cause, "" = none
	Context    bool   // the line is one that the context brings
	Unchanged  bool   // it is in code of the repository that is no test, and no change of the plan touches the declaration around it, or the file if it is in none
	Named      int    // how many places of the tree the output names; a stack trace is one
}

// How much of the tree and of the output is looked at.
const (
	maxNamed      = 60       // places of the tree, the first and the last ones
	maxSameBase   = 1000     // files of the same base name that a place may mean
	maxFileBytes  = 1 << 20  // of a file that is parsed
	maxFilesRead  = 80       // files that are read; by grammar up to parseBytes
	maxBytesRead  = 16 << 20 // of all files that are read
	maxBody       = 64 << 10 // bytes of a function that are searched for names
	maxSymbols    = 20       // symbols of the cause
	maxCauseNames = 2000     // names in the lines of the cause
)

// Place returns the place of the output that is connected most closely with the cause. Of a stack
// trace that is the innermost frame; code of the repository comes before tests, and tests before
// code of others, also where a test is connected by a name that its line has. ok is false if the output names no line of the tree.
//
// Place is pure. Cost: the first and the last 128 KB of the outputs; at most maxFilesRead files of
// the tree.
func (p *Plan) Place(f Failure) (at Place, ok bool) {
	if p.index == nil {
		return Place{}, false
	}
	list, frames := printedPlaces(f.Output, f.Passing)
	if len(list) == 0 {
		return Place{}, false
	}
	c := p.connector(f, frames)
	defer c.parsers.close()
	found, left := c.inTree(list)
	if len(found) == 0 {
		return Place{}, false
	}
	candidates := c.candidates(found)
	best := slices.MinFunc(candidates, func(a, b candidate) int {
		return cmp.Or(cmp.Compare(min(a.degree(), weakly), min(b.degree(), weakly)), cmp.Compare(a.foreign, b.foreign),
			cmp.Compare(a.degree(), b.degree()), cmp.Compare(closeness[a.Connection], closeness[b.Connection]))
	})
	best.Named = left + len(candidates)
	return best.Place, true
}

// A connector connects the places of one failure with its cause.
type connector struct {
	*index
	Failure
	has      []bool
	cause    map[int]bool
	context  map[int]bool
	files    map[string]bool // of the cause
	symbols  map[string]bool // of the cause, by path and symbol
	words    []string        // by which code refers to these symbols
	names    map[string]bool // in the lines of the cause
	frames   []string
	parsers  *parsers
	contents map[string]*source
	read     int // bytes of contents
}

// symbolIn names a symbol of a file.
func symbolIn(path, symbol string) string { return path + "\x00" + symbol }

func (p *Plan) connector(f Failure, frames []string) *connector {
	c := &connector{
		index: p.index, Failure: f, has: p.index.composed(f.Applied), frames: frames,
		cause: map[int]bool{}, context: map[int]bool{}, files: map[string]bool{}, symbols: map[string]bool{},
		names: map[string]bool{}, contents: map[string]*source{}, parsers: newParsers(),
	}
	for _, i := range f.Cause {
		c.cause[i] = true
		name := c.pathIn(&c.index.files[c.fileOf[i]], c.has)
		if name == "" {
			continue
		}
		c.files[name] = true
		if symbol := p.Symbols[i]; symbol != "" && len(c.symbols) < maxSymbols {
			c.symbols[symbolIn(name, symbol)] = true
			if word := lastName(symbol); !slices.Contains(c.words, word) && distinctive(word) {
				c.words = append(c.words, word)
			}
		}
		c.noteNames(name, i)
	}
	for _, i := range f.Context {
		c.context[i] = true
	}
	return c
}

// common are words that are in all code, so that a word in common connects nothing.
var common = func() map[string]bool {
	set := map[string]bool{}
	for word := range strings.FieldsSeq(`and any args array auto bool boolean break byte case catch char class code const constructor
		continue data def default del delete double echo elif else elsif end endif enum err error except exit export extends
		extern false final finally float fmt for foreach from func function goto if import include init __init__ instanceof
		int int32 int64 interface is isset lambda len let list long main map match mut name namespace new nil None not null
		number object or package pass print printf private protected public raise range require return self set short
		signed size sizeof static std str string struct super switch template test then this throw throws True true try
		type typedef undefined union unless unsigned until use using val value var virtual void when where while with yield`) {
		set[word] = true
	}
	return set
}()

// distinctive reports whether a name is rare enough to tell that code refers to something.
func distinctive(name string) bool { return len(name) > 2 && !common[name] }

// noteNames notes the names in the lines of change i, which is of the file of that name.
func (c *connector) noteNames(name string, i int) {
	for _, new := range []bool{true, false} {
		text := c.text(i, new)
		for t := range tokens(text[:min(len(text), maxBody)], languageOf(name, nil), 1) {
			if len(c.names) >= maxCauseNames {
				return
			}
			if distinctive(string(t.text)) {
				c.names[string(t.text)] = true
			}
		}
	}
}

// A candidate is a place that may be shown.
type candidate struct {
	Place
	foreign int // 0 = the repository's own code, 1 = a test, 2 = code of others
}

// weakly is the degree from which a place is only connected weakly: then one in the repository's own code comes first.
const weakly = 2

// degree is how close the connection is, roughly: a call is not less than one the other way round,
// so that the repository's own code comes before a test that calls what it tests.
func (c candidate) degree() int {
	switch c.Connection {
	case ChangedLines, SameFunction:
		return 0
	case UsesCause, UsedByCause:
		return 1
	case ThroughStack, SameName:
		return 2
	case SameFile:
		return 3
	}
	return 4
}

// candidates are the places of messages, and one of each stack trace.
func (c *connector) candidates(found []treePlace) (list []candidate) {
	for begin := 0; begin < len(found); {
		end := begin + 1
		for end < len(found) && found[begin].stack > 0 && found[end].stack == found[begin].stack {
			end++
		}
		list = append(list, c.innermost(found[begin:end]))
		begin = end
	}
	return list
}

// innermost returns the innermost place of a stack trace that is in the repository's own code, else
// in its tests. It is connected by the stack trace if it is not more closely, and another frame is
// in a function of the cause.
func (c *connector) innermost(stack []treePlace) candidate {
	var best candidate
	var through *Place
	for k, s := range stack {
		next := candidate{c.place(s), c.foreign(s.path)}
		if closeness[next.Connection] <= closeness[SameFunction] && through == nil {
			through = &next.Place
		}
		if k == 0 || next.foreign < best.foreign {
			best = next
		}
	}
	if through != nil && closeness[best.Connection] > closeness[ThroughStack] {
		best.Connection, best.Name = ThroughStack, through.Symbol
	}
	return best
}

// foreign says whose code a file is.
func (c *connector) foreign(name string) int {
	switch {
	case c.files[name]:
		return 0
	case installed().MatchString(name):
		return 2
	case IsTest(name), c.Own(name):
		return 1
	}
	return 0
}

// place says what is known of a printed place, and how it is connected with the cause.
func (c *connector) place(s treePlace) Place {
	p := Place{Path: s.path, Line: s.line, BadLine: s.line, Connection: Unconnected}
	f := c.source(s.path)
	around := f.at(s.line)
	if around != nil {
		p.Symbol = around.symbol
	}
	if changed := c.changed(s.path); changed != nil {
		h := c.holder(changed, c.has, s.line)
		p.BadLine, p.Context = c.atBad(changed, h), c.context[h.change]
		if c.cause[h.change] {
			p.Connection = ChangedLines
			return p
		}
	}
	p.Connection, p.Name = c.connection(s, f, around)
	p.Unchanged = c.foreign(s.path) == 0 && c.unchanged(s.path, around)
	return p
}

// unchanged reports whether no change of the plan, applied or not, touches a declaration of a file, or
// the file if the declaration is nil.
func (c *connector) unchanged(name string, d *declaration) bool {
	changed := c.changed(name)
	if changed == nil || d == nil {
		return changed == nil
	}
	before := c.holder(changed, c.has, d.doc)
	for line := d.doc; line <= d.end; line++ {
		h := c.holder(changed, c.has, line)
		if h.change >= 0 || h.line != before.line+line-d.doc { // else lines were taken away before it
			return false
		}
	}
	return true
}

// changed returns the file of that path in the failing tree, nil if no change touches it.
func (c *connector) changed(name string) *file {
	for _, n := range c.byBase[path.Base(name)] {
		if f := &c.index.files[n]; c.pathIn(f, c.has) == name {
			return f
		}
	}
	return nil
}

// atBad returns the number of a held line at bad, 0 if it is not there.
func (c *connector) atBad(f *file, h holding) int {
	switch {
	case h.applied:
		return h.line
	case h.change >= 0:
		return 0
	}
	line := h.line
	for _, i := range f.text {
		if change := &c.set.Changes[i]; change.OldStart < h.line {
			line += change.NewLines - change.OldLines
		}
	}
	return line
}

// connection connects a place that is not in the lines of the cause; name is what connects it.
func (c *connector) connection(s treePlace, f *source, around *declaration) (how Connection, name string) {
	if around != nil {
		if c.symbols[symbolIn(s.path, around.symbol)] {
			return SameFunction, ""
		}
		body := f.lines(around.start, around.end)
		for _, word := range c.words {
			if hasWord(body, word) {
				return UsesCause, word
			}
		}
		if word := lastName(around.symbol); distinctive(word) {
			if c.names[word] {
				return UsedByCause, ""
			}
			if user := c.user(word); user != "" {
				return UsedByCause, user
			}
		}
	}
	for _, word := range c.words {
		if slices.ContainsFunc(c.frames, func(text string) bool { return hasWord([]byte(text), word) }) {
			return ThroughStack, word
		}
	}
	if name := c.sharedName(s.path, f.line(s.line)); name != "" {
		return SameName, name
	}
	if c.files[s.path] {
		return SameFile, ""
	}
	return Unconnected, ""
}

// user returns the symbol of the cause whose text has a word, "" if there is none.
func (c *connector) user(word string) string {
	for _, key := range slices.Sorted(maps.Keys(c.symbols)) {
		name, symbol, _ := strings.Cut(key, "\x00")
		f := c.source(name)
		if f == nil {
			continue
		}
		for i := range f.declarations {
			if d := &f.declarations[i]; d.symbol == symbol && hasWord(f.lines(d.start, d.end), word) {
				return symbol
			}
		}
	}
	return ""
}

// sharedName returns the longest name of a line that is in the lines of the cause, too.
func (c *connector) sharedName(name string, line []byte) (longest string) {
	for t := range tokens(bytes.TrimSpace(line), languageOf(name, nil), 1) {
		if len(t.text) > len(longest) && c.names[string(t.text)] {
			longest = string(t.text)
		}
	}
	return longest
}

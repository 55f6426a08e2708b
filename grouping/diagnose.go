package grouping

import (
	"bytes"
	"iter"
	"path"
	"slices"
	"strings"
)

// A Message is one thing that the output of a configuration says to be wrong, and what
// may be the reason.
type Message struct {
	Key          uint64 // the same for messages that say the same of the same place
	Text         string // what it says
	Explanations []Explanation
}

// An Explanation is a requirement that may be the reason of a message: Change is
// applied and Requires is not.
type Explanation struct {
	Requirement
	Weight float64 // how likely, in proportion to the others of the message
}

// How much is kept of an output.
const (
	maxMessages     = 256
	maxExplanations = 512 // of a message
	maxCommonPairs  = 24  // changes on either side of a message in a line that no change touches
	maxSaying       = 200 // changes that alter how often a name occurs; a name of more is common
	maxPointed      = 3   // places of a message that are looked at
	maxNamesOfLine  = 24
	linesAbove      = 2        // a place: of so many lines the names are looked at
	maxHeld         = 32 << 20 // bytes of contents that are kept from one output to the next
)

// How much each sign says that a change is an end of a message, in proportion. These
// weights are those of a prototype on one project; they order what is tried first, and
// each further trial corrects them.
const (
	ofText     = 1.0  // a name in the message
	ofTail     = 0.5  // what stands behind an underscore in a name of the message that is in the lines of at most one change
	ofWords    = 0.05 // a word of the message, where other names are quoted: it is the tool's own
	ofMore     = 0.3  // in the lines that belong to it
	ofLine     = 0.25 // on the line of the source that it is about
	ofAbove    = 0.1  // on the lines above it: a message about syntax is often of what ends there
	declaring  = 1.0  // the change holds a declaration of the name
	including  = 0.3  // it mentions the file of such a declaration, as what includes or imports it does
	inside     = 0.4  // it is within the lines of one
	alters     = 0.5  // it alters how often the name occurs
	mentioning = 0.2  // the name stands in its lines
	under      = 0.3  // it stands in the symbol of this name
	pointedAt  = 0.5  // another place of the message is in its lines
	near       = 0.1  // it is the next in the file; less with the distance
	sameFolder = 0.01
	brings     = 2.0 // an include of the file changes, and the name is declared by no change
	mayBring   = 0.5 // one of a header
	otherTop   = 0.2 // the change is in another folder at the top of the project than the whole stack
	elsewhere  = 0.1 // the reason is not the change whose line is named
)

// A Diagnosis reads the outputs of configurations that cannot be judged. It is pure, and
// only one goroutine at a time may use it.
type Diagnosis struct {
	*index
	symbols []string
	usual   map[string]bool  // what the ends print, too
	folders map[string][]int // directory -> its changes
	within  map[string][]int // name -> the changes in a symbol of this name

	sameSymbol map[symbolOf][]int    // the changes in it
	contents   map[contentOf]content // see source
	held       int                   // bytes of contents
	explainer  explainer
	families   []string            // by file: the language and those that are used together with it
	declared   map[declarers][]int // see declaring

	documents []int // the changes of files that are beside the program
	includes  []int // the changes of C that bring an include, or take one away

	bringing map[string][]int // name of a file, also without what follows its last dot -> the changes that make or take away one
}

// A symbolOf is a symbol of a file.
type symbolOf struct {
	file   int
	symbol string
}

// A contentOf is one side of a file.
type contentOf struct {
	file int
	side int
}

// A content is a file with the offsets of its lines.
type content struct {
	text   []byte
	starts []int
}

// Diagnosis returns a reader of outputs. What one of the ends prints, too, is no
// message. Cost: one pass over the text of all changes.
func (p *Plan) Diagnosis(ends ...[]byte) *Diagnosis {
	if p.index == nil {
		return nil
	}
	d := &Diagnosis{
		index: p.index, symbols: p.Symbols, usual: map[string]bool{}, folders: map[string][]int{},
		within: map[string][]int{}, bringing: map[string][]int{},
		sameSymbol: map[symbolOf][]int{}, explainer: newExplainer(p.index.set.Len()), declared: map[declarers][]int{},
	}
	for _, output := range ends {
		for _, r := range remarks(output) {
			d.usual[alike(r.text)] = true
		}
	}
	d.mentions()
	for n := range d.files {
		d.families = append(d.families, syntaxOf(languageOf(d.files[n].path, nil)).family)
	}
	d.includes = d.including()
	for _, def := range d.paths {
		base := path.Base(def.key.name)
		d.bringing[base] = append(d.bringing[base], def.change)
		if stem := strings.TrimSuffix(base, path.Ext(base)); stem != base {
			d.bringing[stem] = append(d.bringing[stem], def.change)
		}
	}
	for i := range d.set.Changes {
		eachIdentifier([]byte(d.symbols[i]), func(name string) {
			if list := d.within[name]; len(list) == 0 || list[len(list)-1] != i {
				d.within[name] = append(list, i)
			}
		})
		if symbol := d.symbols[i]; symbol != "" {
			of := symbolOf{d.fileOf[i], symbol}
			d.sameSymbol[of] = append(d.sameSymbol[of], i)
		}
		if beside(d.set.Changes[i].Path) {
			d.documents = append(d.documents, i)
		}
		dir := path.Dir(d.set.Changes[i].Path)
		d.folders[dir] = append(d.folders[dir], i)
	}
	return d
}

// beside reports whether a file is for readers, or is hidden, as are those that services and checks of the style read. What a
// program prints is not because of it.
func beside(name string) bool {
	return documents(name) || strings.HasPrefix(name, ".") || strings.Contains(name, "/.")
}

// eachIdentifier yields the identifiers of two bytes and more in a text.
func eachIdentifier(text []byte, yield func(string)) {
	for at := 0; at < len(text); {
		if !isLetter(text[at]) {
			if isDigit(text[at]) {
				for at < len(text) && wordByte(text[at]) {
					at++
				}
				continue
			}
			at++
			continue
		}
		end := at
		for end < len(text) && wordByte(text[end]) {
			end++
		}
		if end > at+1 {
			yield(string(text[at:end]))
		}
		at = end
	}
}

// A pointed is a place that a message names.
type pointed struct {
	file   *file
	n      int      // the number of file
	change int      // whose line it is; -1 = no change touches it
	has    bool     // change is applied
	good   int      // where the line is in good, or would be
	source []byte   // its text, and that of the next line if an annotation begins it
	above  [][]byte // the text of up to linesAbove lines above it, only of the first place of a message
}

// Read returns the messages of an output, in which the given changes are applied: at
// most maxMessages, each with at most maxExplanations.
//
// A message is whatever a tool says with a place in a changed file, or about a name
// that changes: see remarks. An explanation is a pair of a change that is applied and one
// that is not. If the line that the message names belongs to a change, this is one end of
// the likeliest pairs. The other end is found by the names in the message and in that
// line: by where they are declared, on either side of the difference, by which changes
// mention the file of such a declaration, and by which alter how often they occur. The names
// on the lines above count, too, but less. What stands near the place is less likely, but no change of
// the same file is left out unless there are more than maxExplanations pairs.
//
// Cost: the first and last 128 KB of the output; for each message one look at the changes
// of its file and folder, and for each of its names one at the changes that declare or
// mention it.
func (d *Diagnosis) Read(applied iter.Seq[int], output []byte) []Message {
	if d == nil {
		return nil
	}
	has := d.composed(applied)
	type found struct {
		remark
		alike string
		at    []pointed
	}
	var all []found
	raised := map[string]map[int]bool{} // by text: the changes whose lines it is said of
	for _, r := range remarks(output) {
		if len(all) == maxMessages {
			break
		}
		text := alike(r.text)
		if d.usual[text] {
			continue
		}
		f := found{remark: r, alike: text}
		for _, s := range r.spots {
			if len(f.at) == maxPointed {
				break
			}
			at, ok := d.point(s, has)
			if !ok {
				continue
			}
			for line := s.line - 1; len(f.at) == 0 && line >= max(1, s.line-linesAbove); line-- {
				at.above = append(at.above, d.source(at.n, d.holder(at.file, has, line)))
			}
			f.at = append(f.at, at)
		}
		if len(f.at) == 0 && !d.speaksOfChanges(r) {
			continue
		}
		if raised[text] == nil {
			raised[text] = map[int]bool{}
		}
		if len(f.at) > 0 { // the other places explain, and may be the other end
			raised[text][f.at[0].change] = true
		}
		all = append(all, f)
	}
	var list []Message
	seen := map[uint64]bool{}
	for _, f := range all {
		key := hashBytes(offset64, f.alike)
		if len(f.at) > 0 {
			at := f.at[0]
			key = hashBytes(key*prime64, at.file.path)
			key = (key ^ uint64(at.change+1)) * prime64
			if at.change < 0 {
				key = (key ^ uint64(at.good)) * prime64
			}
		}
		if seen[key] {
			continue
		}
		seen[key] = true
		if e := d.explain(f.remark, f.at, has, raised[f.alike]); len(e) > 0 {
			list = append(list, Message{key, f.text, e})
		}
	}
	agree(list)
	return list
}

// speaksOfChanges reports whether a remark names something that changes. If it has places, and none of them is in the project, as
// when a check that is kept elsewhere compares values, only what it quotes are names.
func (d *Diagnosis) speaksOfChanges(r remark) (yes bool) {
	text := r.text
	if len(r.spots) > 0 && !slices.ContainsFunc(r.spots, d.isInProject) {
		text = strings.Join(quotations(text), " ")
	}
	identifiers(text, func(name string) {
		if n := len(d.saying[name]); len(name) > 2 && n > 0 && n <= maxDefiners || len(d.names[name]) > 0 {
			yes = true
		}
	})
	fileNames(text, func(name string) { yes = yes || len(d.bringing[name]) > 0 })
	return yes
}

// isInProject reports whether a place is in a file of good, in whatever directory the tool has found that. Only files of folders in
// which something changes are known.
func (d *Diagnosis) isInProject(s spot) bool {
	for name, found := path.Clean(strings.ReplaceAll(s.path, "\\", "/")), true; found; _, name, found = strings.Cut(name, "/") {
		if d.set.GoodFile(name).Mode.IsFile() {
			return true
		}
	}
	return false
}

// point finds the line of a changed file that a place means.
func (d *Diagnosis) point(s spot, has []bool) (at pointed, ok bool) {
	named := d.named(s.path, nil, has)
	if len(named) == 0 {
		return at, false
	}
	n := named[0]
	f := &d.files[n]
	h := d.holder(f, has, s.line)
	at = pointed{file: f, n: n, change: h.change, has: h.applied, good: h.line}
	if h.change >= 0 {
		at.good = d.set.Changes[h.change].OldStart
	}
	at.source = d.source(n, h)
	if bytes.HasPrefix(bytes.TrimLeft(at.source, " \t"), []byte("@")) { // an annotation is about what follows it
		at.source = slices.Concat(at.source, []byte("\n"), d.source(n, d.holder(f, has, s.line+1)))
	}
	return at, true
}

// source returns the text of a held line of file n; nil if there is no such line. It
// keeps the contents of the last files, up to maxHeld bytes.
func (d *Diagnosis) source(n int, h holding) []byte {
	of := contentOf{n, good}
	if h.applied {
		of.side = bad
	}
	c, ok := d.contents[of]
	if !ok {
		if h.applied {
			c.text, _ = d.set.NewContent(d.files[n].path)
		} else {
			c.text, _ = d.set.OldContent(d.files[n].oldPath)
		}
		c.starts = lineStarts(c.text)
		if d.held += len(c.text) + 8*len(c.starts); d.contents == nil || d.held > maxHeld {
			d.contents, d.held = map[contentOf]content{}, len(c.text)+8*len(c.starts)
		}
		d.contents[of] = c
	}
	if h.line < 1 || h.line >= len(c.starts) {
		if h.line != len(c.starts) {
			return nil
		}
		return c.text[c.starts[h.line-1]:] // the last one, without a line feed
	}
	return c.text[c.starts[h.line-1] : c.starts[h.line]-1]
}

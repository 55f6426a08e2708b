package grouping

import (
	"cmp"
	"iter"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/gitdd/gitdd/changes"
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
	maxHeld         = 32 << 20 // bytes of contents that are kept from one output to the next
)

// How much each sign says that a change is an end of a message, in proportion. These
// weights are those of a prototype on one project; they order what is tried first, and
// each further trial corrects them.
const (
	ofText     = 1.0  // a name in the message
	ofWords    = 0.05 // a word of the message, where other names are quoted: it is the tool's own
	ofMore     = 0.3  // in the lines that belong to it
	ofLine     = 0.25 // on the line of the source that it is about
	declaring  = 1.0  // the change holds a declaration of the name
	inside     = 0.4  // it is within the lines of one
	alters     = 0.5  // it alters how often the name occurs
	mentioning = 0.2  // the name stands in its lines
	under      = 0.3  // it stands in the symbol of this name
	pointedAt  = 0.5  // another place of the message is in its lines
	near       = 0.1  // it is the next in the file; less with the distance
	sameFolder = 0.01
	elsewhere  = 0.1 // the reason is not the change whose line is named
)

// A Diagnosis reads what configurations print that cannot be judged. It is pure, and
// safe for one goroutine at a time.
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
		dir := path.Dir(d.set.Changes[i].Path)
		d.folders[dir] = append(d.folders[dir], i)
	}
	return d
}

// eachIdentifier yields the identifiers of two bytes and more in a text.
func eachIdentifier(text []byte, yield func(string)) {
	for at := 0; at < len(text); {
		if classes[text[at]] != letter {
			if classes[text[at]] == digit {
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
	n      int    // the number of file
	change int    // whose line it is; -1 = no change touches it
	has    bool   // change is applied
	good   int    // where the line is in good, or would be
	source []byte // its text
}

// Read returns the messages of an output, in which the given changes are applied: at
// most maxMessages, each with at most maxExplanations.
//
// A message is whatever a tool says with a place in a changed file, or about a name
// that changes: see remarks. An explanation is a pair of a change that is applied and one
// that is not. If the line that the message names belongs to a change, this is one end of
// the likeliest pairs. The other end is found by the names in the message and in that
// line: by where they are declared, on either side of the difference, and by which changes
// alter how often they occur. What stands near the place is less likely, but no change of
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
			if at, ok := d.point(s, has); ok {
				f.at = append(f.at, at)
			}
		}
		if len(f.at) == 0 && !d.speaksOfChanges(r.text) {
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

// speaksOfChanges reports whether a text names something that changes.
func (d *Diagnosis) speaksOfChanges(text string) (yes bool) {
	identifiers(text, func(name string) {
		if n := len(d.saying[name]); len(name) > 2 && n > 0 && n <= maxDefiners || len(d.names[name]) > 0 {
			yes = true
		}
	})
	fileNames(text, func(name string) { yes = yes || len(d.bringing[name]) > 0 })
	return yes
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

// A tally is how likely changes are one end of a message.
type tally struct {
	weight  []float64 // by change; 0 = it is not in the tally
	touched []int     // the changes that are
	best    []int     // the likeliest of them, in order, at most maxCommonPairs
	leads   []bool    // by change: whether it is in best
}

func newTally(n int) tally { return tally{weight: make([]float64, n), leads: make([]bool, n)} }

func (t *tally) add(i int, weight float64) {
	if t.weight[i] == 0 {
		t.touched = append(t.touched, i)
	}
	t.weight[i] += weight
}

func (t *tally) clear() {
	for _, i := range t.touched {
		t.weight[i] = 0
	}
	for _, i := range t.best {
		t.leads[i] = false
	}
	t.touched, t.best = t.touched[:0], t.best[:0]
}

// findBest fills in best.
func (t *tally) findBest() {
	for _, i := range t.touched {
		at, w := len(t.best), t.weight[i]
		for at > 0 && (w > t.weight[t.best[at-1]] || w == t.weight[t.best[at-1]] && i < t.best[at-1]) {
			at--
		}
		if at == maxCommonPairs {
			continue
		}
		if len(t.best) == maxCommonPairs {
			t.best = t.best[:maxCommonPairs-1]
		}
		t.best = slices.Insert(t.best, at, i)
	}
	for _, i := range t.best {
		t.leads[i] = true
	}
}

// A role is what a change can be in the explanations of a message.
type role uint8

const (
	isMissing role = iota
	isApplied
	raisedIt // the message is said of its lines, here or elsewhere: it is no other end of it
)

// An explainer holds what explain needs, to be used again.
type explainer struct {
	roles   []role
	tallies [2]tally // by role
	order   []int    // see nearest
	away    []int
	list    []Explanation
}

func newExplainer(n int) explainer {
	return explainer{roles: make([]role, n), tallies: [2]tally{newTally(n), newTally(n)}}
}

// add gives the changes of a list a weight, divided by how many of them there are of
// the same role.
func (e *explainer) add(list []int, weight float64) {
	var n [raisedIt + 1]int
	for _, i := range list {
		n[e.roles[i]]++
	}
	for _, i := range list {
		if r := e.roles[i]; r != raisedIt {
			e.tallies[r].add(i, weight/float64(n[r]))
		}
	}
}

// explain returns the explanations of a remark, the likeliest first. raised are the
// changes of which the same is said.
func (d *Diagnosis) explain(r remark, at []pointed, has []bool, raised map[int]bool) []Explanation {
	e := &d.explainer
	for i := range e.roles {
		e.roles[i] = isMissing
		if has[i] {
			e.roles[i] = isApplied
		}
	}
	for i := range raised {
		if i >= 0 {
			e.roles[i] = raisedIt
		}
	}
	d.weigh(r, at)
	e.pair(at)
	for k := range e.tallies {
		e.tallies[k].clear()
	}
	if len(e.list) > maxExplanations {
		likeliest(e.list, maxExplanations)
		e.list = e.list[:maxExplanations]
	}
	slices.SortFunc(e.list, Explanation.compare)
	return slices.Clone(e.list)
}

// weigh fills in the tallies: how likely each change is one end, by the names in the
// remark and by what stands near its places.
func (d *Diagnosis) weigh(r remark, at []pointed) {
	e := &d.explainer
	names := d.namesOf(r, at)
	ordered := slices.Sorted(maps.Keys(names)) // sums do not depend on the order of a map
	for _, n := range ordered {
		e.add(d.declaring(n, at), names[n]*declaring)
		e.add(d.within[n], names[n]*inside)
		if saying := d.saying[n]; len(saying) <= maxSaying {
			e.add(d.altering[n], names[n]*alters)
			e.add(saying, names[n]*mentioning)
		}
	}
	for k, p := range at {
		if k > 0 && p.change >= 0 && e.roles[p.change] != raisedIt {
			e.tallies[e.roles[p.change]].add(p.change, pointedAt)
		}
		d.nearest(p)
		for k, i := range e.order {
			if r := e.roles[i]; r != raisedIt {
				e.tallies[r].add(i, near/float64(1+k))
			}
		}
		if p.change >= 0 && d.symbols[p.change] != "" {
			e.add(d.sameSymbol[symbolOf{p.n, d.symbols[p.change]}], under)
		}
	}
	if len(at) > 0 {
		e.add(d.folders[path.Dir(at[0].file.path)], sameFolder)
	}
	for k := range e.tallies {
		e.tallies[k].findBest()
	}
}

// namesOf returns the names that a remark is about, and how much each counts. Most tools
// quote the names that they speak of. In what others say, every word may be such a name.
func (d *Diagnosis) namesOf(r remark, at []pointed) map[string]float64 {
	names := map[string]float64{}
	name := func(weight float64) func(string) {
		return func(n string) { names[n] = max(names[n], weight) }
	}
	words := ofText
	for _, part := range quotations(r.text) {
		identifiers(part, func(n string) {
			name(ofText)(n)
			words = ofWords
		})
	}
	identifiers(r.text, name(words))
	fileNames(r.text, name(ofText))
	for _, m := range r.more {
		identifiers(m, name(ofMore))
	}
	for _, p := range at {
		k := 0
		eachIdentifier(p.source, func(n string) {
			if k++; k <= maxNamesOfLine {
				names[n] = max(names[n], ofLine)
			}
		})
	}
	return names
}

// pair fills in list: a place in a line of a change is one end, and the other is any
// change of the other tally; and the likeliest of both tallies are pairs as well. Each
// pair comes once, with its largest weight.
func (e *explainer) pair(at []pointed) {
	e.list = e.list[:0]
	missing, applied := &e.tallies[isMissing], &e.tallies[isApplied]
	type end struct {
		change int
		weight float64
	}
	var ends [2][]end // by role; few
	whole := 1.0
	for k, p := range at {
		if p.change < 0 {
			continue
		}
		whole = elsewhere
		role := isMissing
		if p.has {
			role = isApplied
		}
		if !slices.ContainsFunc(ends[role], func(x end) bool { return x.change == p.change }) { // else with a larger weight
			ends[role] = append(ends[role], end{p.change, 1 / float64(1+k*k)})
		}
	}
	common := func(i, j int) float64 {
		if applied.leads[i] && missing.leads[j] {
			return whole * applied.weight[i] * missing.weight[j]
		}
		return 0
	}
	exact := func(role role, i int) float64 {
		for _, x := range ends[role] {
			if x.change == i {
				return x.weight
			}
		}
		return 0
	}
	put := func(i, j int, w float64) { e.list = append(e.list, Explanation{Requirement{i, j}, w}) }
	for _, x := range ends[isApplied] {
		for _, j := range missing.touched {
			w := max(x.weight*missing.weight[j], common(x.change, j), exact(isMissing, j)*applied.weight[x.change])
			put(x.change, j, w)
		}
	}
	for _, x := range ends[isMissing] {
		for _, i := range applied.touched {
			if exact(isApplied, i) == 0 || missing.weight[x.change] == 0 { // else it is there
				put(i, x.change, max(x.weight*applied.weight[i], common(i, x.change)))
			}
		}
	}
	for _, i := range applied.best {
		for _, j := range missing.best {
			if exact(isApplied, i) == 0 && exact(isMissing, j) == 0 { // else it is there
				put(i, j, common(i, j))
			}
		}
	}
}

// compare orders explanations, the likeliest first.
func (e Explanation) compare(o Explanation) int {
	switch {
	case e.Weight > o.Weight:
		return -1
	case e.Weight < o.Weight:
		return 1
	}
	return cmp.Or(e.Change-o.Change, e.Requires-o.Requires)
}

// likeliest moves the first n of a list, in the order of compare, to its front. This is
// Hoare's algorithm FIND; the expected cost is linear.
func likeliest(list []Explanation, n int) {
	for from, to := 0, len(list); to-from > 1; {
		pivot := list[(from+to)/2]
		i, j := from, to-1
		for i <= j {
			for list[i].compare(pivot) < 0 {
				i++
			}
			for list[j].compare(pivot) > 0 {
				j--
			}
			if i <= j {
				list[i], list[j] = list[j], list[i]
				i, j = i+1, j-1
			}
		}
		// Invariant: what is before i is not behind the pivot, what is after j not before it.
		switch {
		case n <= j:
			to = j + 1
		case n >= i:
			from = i
		default:
			return
		}
	}
}

// declaring returns the changes that hold a declaration of a name, on either side, or
// make or take away a file of this name: those in the language of the place, if there are
// such, and of many those nearest to the place.
func (d *Diagnosis) declaring(name string, at []pointed) []int {
	if len(d.names[name])+len(d.bringing[name]) == 0 {
		return nil
	}
	list := d.kept(declarers{name: name}, func() (list []int) {
		for _, def := range d.names[name] {
			list = append(list, def.change)
		}
		list = append(list, d.bringing[name]...)
		slices.Sort(list)
		return slices.Compact(list)
	})
	if len(at) == 0 {
		return list
	}
	n, dir := at[0].n, path.Dir(at[0].file.path)
	of := func(key declarers, all []int, same func(n int) bool) []int {
		list := d.kept(key, func() []int {
			return slices.DeleteFunc(slices.Clone(all), func(i int) bool { return !same(d.fileOf[i]) })
		})
		if own := slices.Index(list, at[0].change); own >= 0 { // what is wrong there declares nothing, whatever it looks like
			list = slices.Delete(slices.Clone(list), own, own+1)
		}
		return list
	}
	if family := d.families[n]; family != "" {
		if close := of(declarers{name, "family", family, 0}, list, func(n int) bool { return d.families[n] == family }); len(close) > 0 {
			list = close
		}
	}
	if len(list) <= maxPlaces {
		return list
	}
	if close := of(declarers{name, "file", d.families[n], n}, list, func(o int) bool { return o == n }); len(close) > 0 {
		return close
	}
	if close := of(declarers{name, "folder " + d.families[n], dir, 0}, list, func(o int) bool { return path.Dir(d.files[o].path) == dir }); len(close) > 0 {
		return close
	}
	return list
}

// A declarers says which changes that declare a name are meant: all of them, or those
// of one language, file or folder.
type declarers struct {
	name, by, of string
	file         int
}

// kept returns what is kept of a key, or else what make returns.
func (d *Diagnosis) kept(key declarers, make func() []int) []int {
	list, ok := d.declared[key]
	if !ok {
		list = make()
		d.declared[key] = list
	}
	return list
}

// nearest fills in order: the changes of a place's file but that which holds it, the
// nearest first, and of equally near ones the first in the file.
func (d *Diagnosis) nearest(p pointed) {
	e := &d.explainer
	members := p.file.members
	e.order, e.away = e.order[:0], e.away[:0]
	split := 0 // what is before it lies before the place
	for k, i := range members {
		c := &d.set.Changes[i]
		away := 0
		if c.Kind == changes.Text {
			away = min(max(c.OldStart-p.good, p.good-c.OldStart), max(c.OldStart+c.OldLines-p.good, p.good-c.OldStart-c.OldLines))
		}
		if e.away = append(e.away, away); c.OldStart < p.good {
			split = k + 1
		}
	}
	// Hunks are in the order of their lines, so two rows are nearly sorted: from the place up, and down.
	for up, down := split-1, split; up >= 0 || down < len(members); {
		if down == len(members) || up >= 0 && e.away[up] <= e.away[down] {
			e.order = append(e.order, up)
			up--
		} else {
			e.order = append(e.order, down)
			down++
		}
	}
	before := func(a, b int) bool { return e.away[a] < e.away[b] || e.away[a] == e.away[b] && a < b }
	for k := 1; k < len(e.order); k++ { // by insertion, as little is out of order
		for at := k; at > 0 && before(e.order[at], e.order[at-1]); at-- {
			e.order[at], e.order[at-1] = e.order[at-1], e.order[at]
		}
	}
	kept := e.order[:0]
	for _, k := range e.order {
		if members[k] != p.change {
			kept = append(kept, members[k])
		}
	}
	e.order = kept
}

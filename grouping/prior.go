package grouping

import (
	"iter"
	"math"
	"path"
	"slices"
	"strings"

	"github.com/gitdd/gitdd/changes"
	"github.com/gitdd/gitdd/internal/lazyregexp"
)

// What the failing output says of a change multiplies its weight. The factors
// are judgement, not measurement; that a wrong one costs little is what
// mostWeight is for.
const (
	priorLine   = 8   // a line of the change, or one within nearLines of it, is named
	priorFile   = 3   // its file is
	priorTested = 2   // its file bears the name of a test that is named: a.go and a_test.go
	priorDir    = 1.5 // its directory holds a file, or is a package, that is named
	priorSymbol = 2   // the symbol that it lies in is
	priorName   = 2   // a name that it defines is quoted in a message
	priorRecent = 1.5 // the youngest; the oldest 1, others between by the order of their commits
	priorLarge  = 1.5 // of 64 lines or more; of one line 1, others between by the logarithm

	mostWeight = 50 // of the likeliest change over the least likely one
	nearLines  = 3
	longName   = 4 // bytes of a symbol's name from which on it is no chance to meet it
)

var (
	mention = lazyregexp.New(`([\w@+~./\\-]*[\w@+~-]\.[A-Za-z]\w{0,9})(?:"?(?::|\(|, line )(\d+))?`)
	failing = lazyregexp.New(`^(?:FAIL|---? FAIL|FAILED|not ok)[:\s]+(\S+)`)
	passing = lazyregexp.New(`^\s*(?:ok|PASS|PASSED|---? PASS|---? SKIP|=== )\b|\bPASSED\b`)
)

// Prior weighs the changes by how likely each is to be the cause, by the output
// of the failing end, in which the given changes are applied: all of them where
// bad fails, none where good does. The weights are in proportion; the least is
// 1 and none is above 50, so that a search that believes in them loses at most
// log2 50 trials per cause, and one that mixes them with equal weights much
// less. They are all 1 when the output names none of the files, directories,
// symbols or definitions of the difference.
//
// The weight of a change is the product of the factors above, cut at
// mostWeight. A file is named by a path that ends in its path, or the other way
// round; a line by "file:line", "file(line" or "file", line n, mapped through
// the composed file as in Learn. Lines that tell of tests that passed are not
// read. Recency counts where Set.Blame has filled in the commits; recency and
// size only where something is named at all.
//
// Prior is pure. Cost: the first and last 128 KB of the output, and one step
// per change and directory that is named.
func (p *Plan) Prior(applied iter.Seq[int], output []byte) []float64 {
	weights := make([]float64, len(p.Order))
	for i := range weights {
		weights[i] = 1
	}
	if p.index == nil {
		return weights
	}
	e := p.index.evidence(p.index.composed(applied), output)
	told := false
	for i := range weights {
		weights[i] = e.weight(i, p.Symbols[i])
		told = told || weights[i] > 1
	}
	if !told {
		return weights
	}
	recency := p.index.recency()
	for i := range weights {
		c := &p.index.set.Changes[i]
		lines := min(max(1, c.OldLines, c.NewLines), 64)
		weights[i] *= 1 + (priorLarge-1)*math.Log2(float64(lines))/6
		weights[i] *= 1 + (priorRecent-1)*recency[i]
		weights[i] = min(weights[i], mostWeight)
	}
	return weights
}

// An evidence is what an output names.
type evidence struct {
	index *index
	files map[int]bool        // named
	lines map[int]bool        // changes of which a line is named
	names map[int]bool        // changes that define what a message quotes
	dirs  map[string]bool     // of what is named, as printed
	stems map[string]bool     // of tests that are named, in lower case
	words map[string]struct{} // all identifiers of longName or more
	near  map[string]bool     // by directory of the difference: answers of inNamedDir
}

func (x *index) evidence(has []bool, output []byte) *evidence {
	e := &evidence{
		index: x, files: map[int]bool{}, lines: map[int]bool{}, names: map[int]bool{},
		dirs: map[string]bool{}, stems: map[string]bool{}, words: map[string]struct{}{}, near: map[string]bool{},
	}
	seen := make(map[string]bool)
	passed := false // the last line that is not indented told of success
	for _, text := range logLines(output) {
		if passed = passing().MatchString(text) || passed && strings.HasPrefix(text, "    "); passed {
			continue
		}
		if m := failing().FindStringSubmatch(text); m != nil && strings.Contains(m[1], "/") && path.Ext(m[1]) == "" {
			e.dirs[m[1]] = true // go test names the package
		}
		for _, m := range mention().FindAllStringSubmatch(text, 16) {
			if !seen[m[0]] {
				seen[m[0]] = true
				e.mention(has, m[1], m[2])
			}
		}
		for t := range tokens([]byte(text), plainText, 1) {
			if len(t.text) >= longName {
				e.words[string(t.text)] = struct{}{}
			}
		}
	}
	for _, d := range diagnostics(output) {
		for _, name := range d.names {
			for _, def := range x.names[name] {
				e.names[def.change] = true
			}
		}
	}
	return e
}

// mention takes in a path, and the line if one is printed with it.
func (e *evidence) mention(has []bool, printed, line string) {
	printed = path.Clean(strings.ReplaceAll(printed, "\\", "/"))
	if dir := path.Dir(printed); dir != "." && dir != "/" {
		e.dirs[dir] = true
	}
	if stem := tested(printed); stem != "" {
		e.stems[stem] = true
	}
	for _, n := range e.index.named(printed, nil, has) {
		f := &e.index.files[n]
		e.files[n] = true
		if line == "" {
			continue
		}
		at := number(line)
		if at > math.MaxInt32 {
			continue
		}
		for k := -nearLines; k <= nearLines; k++ {
			if h := e.index.holder(f, has, at+k); h.change >= 0 && at+k > 0 {
				e.lines[h.change] = true
			}
		}
	}
}

// tested returns what a test file tests, by its name: "a" of a_test.go,
// test_a.py, a.spec.ts and ATest.java; "" of other files.
func tested(name string) string {
	stem := stem(name)
	short := stem
	for _, end := range []string{"_test", "_tests", "_spec", ".test", ".spec", "Tests", "Test"} {
		short = strings.TrimSuffix(short, end)
	}
	short = strings.TrimPrefix(short, "test_")
	if short == stem {
		return ""
	}
	return strings.ToLower(short)
}

// weight multiplies the factors that speak for change i.
func (e *evidence) weight(i int, symbol string) float64 {
	w := 1.0
	n := e.index.fileOf[i]
	f := &e.index.files[n]
	if e.lines[i] {
		w *= priorLine
	}
	if e.files[n] {
		w *= priorFile
	}
	if e.stems[strings.ToLower(stem(f.path))] {
		w *= priorTested
	}
	if e.inNamedDir(path.Dir(f.path)) {
		w *= priorDir
	}
	if name := lastName(symbol); len(name) >= longName {
		if _, ok := e.words[name]; ok {
			w *= priorSymbol
		}
	}
	if e.names[i] {
		w *= priorName
	}
	return min(w, mostWeight)
}

// inNamedDir reports whether a directory of the difference is one that the
// output names. The top is everywhere.
func (e *evidence) inNamedDir(dir string) bool {
	if dir == "." {
		return false
	}
	in, ok := e.near[dir]
	if !ok {
		for named := range e.dirs {
			in = in || named == dir || strings.HasSuffix(named, "/"+dir) || strings.HasSuffix(dir, "/"+strings.TrimPrefix(named, "./"))
		}
		e.near[dir] = in
	}
	return in
}

// recency places the changes between 0, of the oldest last commit, and 1; 0
// where no commit is known.
func (x *index) recency() []float64 {
	var times []int64
	last := make([]int64, len(x.set.Changes))
	for i := range x.set.Changes {
		if list := x.set.Changes[i].Commits; len(list) > 0 {
			newest := slices.MaxFunc(list, func(a, b changes.Commit) int { return a.Date.Compare(b.Date) })
			last[i] = newest.Date.Unix()
			times = append(times, last[i])
		}
	}
	slices.Sort(times)
	times = slices.Compact(times)
	place := make([]float64, len(last))
	for i, t := range last {
		if at, ok := slices.BinarySearch(times, t); ok && len(times) > 1 && len(x.set.Changes[i].Commits) > 0 {
			place[i] = float64(at) / float64(len(times)-1)
		}
	}
	return place
}

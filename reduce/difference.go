package reduce

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"github.com/gitdd/gitdd/internal/sequence"
	"github.com/gitdd/gitdd/isolate"
	"github.com/gitdd/gitdd/testcase"
)

// DifferenceOptions say how two inputs are compared. The zero value is a good
// default.
type DifferenceOptions struct {
	Format    string   // of the files; "" = guessed. lines, tokens or bytes end with these
	Formats   []Format // of the caller's own, as in Options
	Algorithm string   // of isolate.Algorithms; "" = auto
	Jobs      int
	MaxTrials int // 0 = no limit

	Observe func(Step) // called for each step on the path; Best and Size count differences
}

// A Difference is the result of Isolate: a passing and a failing input, and the difference
// between the two, which is the smallest that was found.
type Difference struct {
	Passing, Failing testcase.Input // the closest pair: both were tested, and pass and fail
	Units            string         // the pieces in which the inputs were compared last: "lines", "nodes", "tokens", "bytes"
	Total            int            // the differences between the two given inputs, in lines or nodes, or finer
	Left             int            // the differences between Passing and Failing, in Units
	Minimal          bool           // each of these differences was tested by itself, and is needed
	Trials           int
	Algorithm        string
	Notes            []string

	// Evidence has the trials that show that both ends are as they are and that
	// the difference is minimal; nil if the search was ended early.
	Evidence []Evidence
}

// Isolate looks for the smallest difference between an input that passes and one
// that fails: Zeller and Hildebrandt, "Simplifying and isolating failure-inducing
// input" (TSE 2002), section 5. It compares the two inputs line by line, or by the nodes
// of their syntax trees. Then it compares the remaining differences token by token, and,
// if Format says so, byte by byte. A piece that replaces another is one difference, and so
// is a file that only one of the inputs has.
//
// If the error is isolate.ErrBudget, the error of ctx or that of the test, the Difference
// is valid, too. An *isolate.EndsError says that the inputs do not pass and fail.
func Isolate(ctx context.Context, passing, failing testcase.Input, test Test, opts DifferenceOptions) (Difference, error) {
	d := Difference{Passing: passing, Failing: failing, Algorithm: opts.Algorithm}
	kinds, err := newKinds(opts.Formats)
	if err != nil {
		return d, err
	}
	for i, units := range unitsFor(opts.Format) {
		next := compareInputs(d.Passing, d.Failing, units, opts.Format, kinds)
		if i > 0 && next.n == d.Left {
			d.Units = cmp.Or(units, d.Units)
			continue // as fine as before: nothing to learn
		}
		d.Units, d.Left, d.Minimal, d.Evidence = next.units, next.n, false, nil
		if i == 0 {
			d.Total = next.n
		}
		d.Notes = append(d.Notes, next.notes...)
		if next.n == 0 {
			return d, errors.New("the two inputs do not differ")
		}
		before := d.Trials
		left := 0
		if opts.MaxTrials > 0 {
			left = max(opts.MaxTrials-before, 0) + 2*min(i, 1) // both ends are known from the second on
		}
		found, err := isolate.Search(ctx, isolate.Problem{N: next.n, Groups: [][]int{next.spans}},
			func(ctx context.Context, c isolate.Configuration) (isolate.Outcome, error) {
				return test(ctx, next.compose(c))
			},
			isolate.Options{
				Algorithm: opts.Algorithm, Jobs: opts.Jobs, MaxTrials: left,
				Observe: func(s isolate.Step) {
					if opts.Observe != nil {
						in := next.compose(s.Config)
						opts.Observe(Step{
							Trial: before + s.Trial, Outcome: s.Outcome, Pass: next.units, Digest: in.Digest(),
							Best: int64(s.Failing.Minus(s.Passing).Len()), Size: int64(s.Config.Len()),
						})
					}
				},
			})
		d.Trials += found.Trials - 2*min(i, 1)
		d.Algorithm = cmp.Or(found.Algorithm, d.Algorithm)
		d.Passing, d.Failing = next.compose(found.Passing), next.compose(found.Failing)
		d.Left = found.Cause.Len()
		d.Minimal = err == nil && found.Minimal && found.Unproven.IsEmpty()
		if err != nil {
			return d, err
		}
		for _, e := range found.Evidence {
			d.Evidence = append(d.Evidence, Evidence{next.compose(e.Config), e.Outcome})
		}
	}
	return d, nil
}

// unitsFor lists what is compared, one behind the other, for a format.
func unitsFor(format string) []string {
	switch format {
	case "lines":
		return []string{"lines"}
	case "tokens":
		return []string{"lines", "tokens"}
	case "bytes":
		return []string{"lines", "tokens", "bytes"}
	}
	return []string{"nodes", "tokens"}
}

// A comparison is two inputs and their n differences: the configuration with none is
// the one, with all the other.
type comparison struct {
	n     int
	units string
	spans []int // of each difference, which stretch of differences it belongs to
	files []comparedFile
	dir   bool
	kinds kinds
	notes []string
}

// A comparedFile is a file of two inputs. a or b is nil where it is missing.
type comparedFile struct {
	a, b     *testcase.File
	as, bs   []string         // pieces of the contents
	first    int              // number of its first difference
	edits    []sequence.Block // one for each difference; none where whole
	whole    bool             // first is the only one: all of a, or all of b
	modified int              // the difference that the mode goes with; -1 = it does not differ
}

// compareInputs cuts the contents of two inputs into pieces and pairs those of which
// one stands in the place of the other.
func compareInputs(passing, failing testcase.Input, units, format string, kinds kinds) *comparison {
	c := &comparison{units: units, dir: failing.Dir, kinds: kinds}
	byPath := map[string]*comparedFile{}
	var paths []string
	note := func(in testcase.Input, set func(*comparedFile, *testcase.File)) {
		for i := range in.Files {
			path := in.Files[i].Path
			if !in.Dir {
				path = "" // two files that are compared may have any name
			}
			if byPath[path] == nil {
				byPath[path] = &comparedFile{modified: -1}
				paths = append(paths, path)
			}
			set(byPath[path], &in.Files[i])
		}
	}
	note(passing, func(f *comparedFile, file *testcase.File) { f.a = file })
	note(failing, func(f *comparedFile, file *testcase.File) { f.b = file })
	slices.Sort(paths)
	stretch := 0
	for _, path := range paths {
		f := byPath[path]
		f.first = c.n
		switch {
		case f.a == nil || f.b == nil || (f.a.Mode^f.b.Mode)&fs.ModeSymlink != 0 || f.a.Mode&fs.ModeSymlink != 0 && !bytes.Equal(f.a.Content, f.b.Content):
			f.whole = true
			c.spans = append(c.spans, stretch)
			c.n++
		default:
			pieces := c.cut(f, format)
			for _, s := range sequence.Blocks(f.as, f.bs) {
				for _, e := range pieces(s) {
					f.edits = append(f.edits, e)
					c.spans = append(c.spans, stretch)
				}
				stretch++
			}
			c.n += len(f.edits)
			if f.a.Mode != f.b.Mode {
				f.modified = c.n
				c.spans = append(c.spans, stretch)
				c.n++
			}
		}
		stretch++
		c.files = append(c.files, *f)
	}
	return c
}

// cut cuts both contents of a file into pieces, and returns what cuts a stretch that
// differs into differences.
func (c *comparison) cut(f *comparedFile, format string) func(sequence.Block) []sequence.Block {
	switch c.units {
	case "bytes":
		f.as, f.bs = bytesOf(f.a), bytesOf(f.b)
	case "tokens":
		f.as, f.bs = tokensOf(f.a), tokensOf(f.b)
	case "nodes":
		a, formatA, errA := c.treeOf(f.a, format)
		b, formatB, errB := c.treeOf(f.b, format)
		if errA == nil && errB == nil && formatA == formatB {
			var nodesA, nodesB []nodeRange
			f.as, nodesA = leaves(a)
			f.bs, nodesB = leaves(b)
			return func(s sequence.Block) []sequence.Block {
				return paired(s, largestNodes(nodesA, s.A0, s.A1), largestNodes(nodesB, s.B0, s.B1))
			}
		}
		fallthrough
	default:
		c.units = "lines"
		f.as, f.bs = linesOf(f.a), linesOf(f.b)
	}
	return func(s sequence.Block) []sequence.Block { return paired(s, singles(s.A0, s.A1), singles(s.B0, s.B1)) }
}

// compose returns the input with the differences of a configuration.
func (c *comparison) compose(config isolate.Configuration) testcase.Input {
	in := testcase.Input{Dir: c.dir}
	for _, f := range c.files {
		if f.whole {
			file := f.a
			if config.Has(f.first) {
				file = f.b
			}
			if file != nil {
				in.Files = append(in.Files, *file)
			}
			continue
		}
		file := *f.b // by its name, if they are single files
		if f.modified < 0 || !config.Has(f.modified) {
			file.Mode = f.a.Mode
		}
		var text strings.Builder
		add := func(pieces []string) {
			for _, p := range pieces {
				text.WriteString(p)
			}
		}
		at := 0
		for i, e := range f.edits {
			add(f.as[at:e.A0])
			if config.Has(f.first + i) {
				add(f.bs[e.B0:e.B1])
			} else {
				add(f.as[e.A0:e.A1])
			}
			at = e.A1
		}
		add(f.as[at:])
		file.Content = []byte(text.String())
		in.Files = append(in.Files, file)
	}
	return in
}

// singles are the pieces from one to another, one by one.
func singles(from, to int) [][2]int {
	var all [][2]int
	for i := from; i < to; i++ {
		all = append(all, [2]int{i, i + 1})
	}
	return all
}

// paired puts the pieces of two sides in the place of each other as far as both have
// some; the rest of one is inserted or taken out behind.
func paired(s sequence.Block, as, bs [][2]int) []sequence.Block {
	var edits []sequence.Block
	a, b := s.A0, s.B0
	for i := range max(len(as), len(bs)) {
		e := sequence.Block{A0: a, A1: a, B0: b, B1: b}
		if i < len(as) {
			e.A0, e.A1 = as[i][0], as[i][1]
			a = e.A1
		}
		if i < len(bs) {
			e.B0, e.B1 = bs[i][0], bs[i][1]
			b = e.B1
		}
		edits = append(edits, e)
	}
	return edits
}

// tokensOf cuts a content into tokens.
func tokensOf(f *testcase.File) []string {
	var list []string
	for _, p := range cutPieces(f.Content, rulesOfFormat("", f.Path)) {
		list = append(list, string(f.Content[p.from:p.to]))
	}
	return list
}

func linesOf(f *testcase.File) []string { return slices.Collect(strings.Lines(string(f.Content))) }

func bytesOf(f *testcase.File) []string {
	list := make([]string, len(f.Content))
	for i := range f.Content {
		list[i] = string(f.Content[i : i+1])
	}
	return list
}

// treeOf parses a file in a format that has more than lines.
func (c *comparison) treeOf(f *testcase.File, format string) (*Tree, string, error) {
	t, took, _, err := c.kinds.parseText(f.Path, f.Content, format)
	if err == nil && (took == "lines" || took == "bytes") {
		err = fmt.Errorf("%s has no structure", f.Path)
	}
	return t, took, err
}

// A nodeRange is the leaves of a node.
type nodeRange struct{ from, to int }

// leaves cuts a text at the beginnings of the leaves of its tree, and returns for
// each node with leaves which are its own, parents first.
func leaves(t *Tree) ([]string, []nodeRange) {
	var starts []int
	var nodes []nodeRange
	var visit func(n *Node)
	visit = func(n *Node) {
		at := len(nodes)
		nodes = append(nodes, nodeRange{from: len(starts)})
		if len(n.Children) == 0 && n.To > n.From {
			starts = append(starts, n.From)
		}
		for _, c := range n.Children {
			visit(c)
		}
		nodes[at].to = len(starts)
	}
	visit(t.Root)
	var pieces []string
	for i, from := range starts {
		to := len(t.Source)
		if i == 0 {
			from = 0
		}
		if i+1 < len(starts) {
			to = starts[i+1]
		}
		pieces = append(pieces, string(t.Source[from:to]))
	}
	if len(pieces) == 0 && len(t.Source) > 0 {
		pieces = []string{string(t.Source)}
	}
	return pieces, nodes
}

// largestNodes cuts a stretch of leaves into the largest nodes that lie within it.
// The nodes are in the order of leaves, which is that of their first leaf: it looks
// at no more of them than begin in the stretch.
func largestNodes(nodes []nodeRange, from, to int) [][2]int {
	ends := map[int]int{} // of the largest node within the stretch, by its first leaf
	first, _ := slices.BinarySearchFunc(nodes, from, func(n nodeRange, from int) int { return cmp.Compare(n.from, from) })
	for _, n := range nodes[first:] {
		if n.from >= to {
			break
		}
		if n.to <= to {
			ends[n.from] = max(ends[n.from], n.to)
		}
	}
	var all [][2]int
	for from < to {
		end := max(ends[from], from+1)
		all = append(all, [2]int{from, end})
		from = end
	}
	return all
}

package reduce

import (
	"cmp"
	"context"
	"io/fs"
	"regexp"
	"slices"
	"sync"

	"github.com/gitdd/gitdd/isolate"
	"github.com/gitdd/gitdd/testcase"
)

// A Test says whether an input still fails the same way: isolate.Fail. Any other
// outcome is that it does not. It may be called by several goroutines.
type Test func(ctx context.Context, in testcase.Input) (isolate.Outcome, error)

// Options say how an input is reduced. The zero value is a good default.
type Options struct {
	Format    string         // of the file; "" = guessed from name and content
	Formats   []Format       // the caller's own formats; when a format is guessed, they come before those of gitdd
	Algorithm string         // see Algorithms; "" = auto
	Jobs      int            // tests at once; the result does not depend on it
	MaxTrials int            // the reduction ends after so many trials; 0 = no limit
	Fast      bool           // omit the last step, which certifies that no single element can be removed
	Keep      *regexp.Regexp // text that matches is not changed; nil = no such text
	Sigma     float64        // isolate.Options.Sigma for the list algorithm in Algorithm; 0 = the default of that algorithm
	Passes    []string       // which of Passes, in their order; nil = all
	Evidence  bool           // Result.Evidence is wanted
	Ahead     bool           // for tests that take about a second or more: with 16 Jobs or more, half of them run the tests that a speculative run of the whole reduction asks for; then two goroutines call Formats

	// Declarations, if not nil, reads source code for the pass "closures", which works on directories; without
	// Declarations that pass does nothing. One goroutine calls it for each file.
	Declarations func(path string, content []byte) []Declaration

	// These two are only for graphs, such as those of the format btor. If the input has
	// no graph, they are an error.
	MaxPartitions int  // the largest number of parts into which ddmin cuts a list of nodes; 0 = no limit
	NoSimplify    bool // do not simplify nodes that have constant arguments

	Observe  func(Step)                 // called for each trial on the path, one at a time; may be nil
	Improved func(testcase.Input) error // called for each smaller input that fails, in order; may be nil
}

// A Step is a question that was answered.
type Step struct {
	Trial   int // number of the trial, from 1; the same again = no trial was needed
	Outcome isolate.Outcome
	Pass    string // the pass that asked
	Best    int64  // bytes of the smallest input that fails so far
	Size    int64  // bytes of the input that was tested; of an archive, of the files in it
	Nodes   int    // nodes of all graphs in the smallest input so far; 0 = there are no graphs
	Digest  string // the Input.Digest of the input that was tested
	Left    int    // how many questions of its present list the pass will still ask, at most, if none of them fails; 0 = unknown, or none
}

// A Pass says what one pass has done.
type Pass struct {
	Name    string
	Trials  int
	Removed int64 // bytes; less than 0 if a graph with fewer nodes has a longer text
	Nodes   int   // of graphs, removed
	Bits    int   // the same, of all their values and of the indices of arrays
}

// A Result is the smallest input that was found to fail.
type Result struct {
	Output    testcase.Input
	Minimal   bool     // no single element of its format can be removed, and no node of a graph can be replaced: each was tried
	Trials    int      // questions that needed a test
	Cached    int      // questions that had been asked before, and needed no test
	Passes    []Pass   // in the order of their first run; the sums over all runs
	Formats   []string // for each file of the output, the format that it had in the end
	Algorithm string
	Notes     []string // sentences for the user: what did not parse, and the like

	// Evidence has the smaller inputs, each without one element, that show that
	// the output is minimal. None of them fails. Nil unless Options.Evidence and
	// Minimal.
	Evidence []Evidence
}

// CheckAlgorithm returns an error if name is not a name for Options.Algorithm. Whether
// the algorithm is one for trees or for graphs, as the input requires, is checked only by
// Check and Reduce.
func CheckAlgorithm(name string) error {
	_, forTrees := structure(name)
	_, forGraphs := graphStructure(name)
	if forTrees != nil && forGraphs != nil {
		return noAlgorithm(name, forTrees, forGraphs)
	}
	return nil
}

// Check returns an error if opts do not suit an input. Reduce would return the same error
// and test nothing.
func Check(input testcase.Input, opts Options) error {
	_, err := prepared(input, nil, opts)
	return err
}

// prepared is a reduction that has not begun.
func prepared(input testcase.Input, test Test, opts Options) (r *reduction, err error) {
	r = newReduction(input, test, opts)
	if err = r.choose(opts.Passes); err == nil {
		r.kinds, err = newKinds(opts.Formats)
	}
	if err == nil {
		err = r.suit(input)
	}
	return r, err
}

// Reduce removes parts of an input, which is known to fail, as long as the rest
// still fails. In a directory it first removes files, declarations and imports, each
// together with everything that mentions it. Then it removes whole files. Then, in each
// file, the largest first, it removes the elements of the file's format, and what the
// passes find. It repeats this until nothing can be removed. In the end it tries to remove
// each remaining element by itself, unless opts.Fast is set.
//
// The error is isolate.ErrBudget if opts.MaxTrials are spent, the error of ctx if ctx
// ends, or the error that the test or opts.Improved returned. With these errors the Result
// is valid, too, and has the smallest input so far. Any other error says that opts are
// wrong; then nothing was tested.
func Reduce(ctx context.Context, input testcase.Input, test Test, opts Options) (Result, error) {
	r, err := prepared(input, test, opts)
	if err != nil {
		return Result{Output: input}, err
	}
	err = r.perform(ctx)
	r.bare()
	result := r.result()
	if opts.Evidence && r.minimal {
		result.Evidence, err = r.evidence()
	}
	return result, err
}

// leastAhead is from how many workers on half of them look ahead of the path as a lookahead does.
const leastAhead = 16

// perform is run, with a lookahead if there shall be one.
func (r *reduction) perform(ctx context.Context) error {
	if !r.opts.Ahead || r.opts.Jobs < leastAhead {
		return r.run(ctx)
	}
	opts := r.opts
	jobs := r.opts.Jobs / 2
	r.opts.Jobs -= jobs
	r.ahead = &lookahead{
		path: r, input: r.best, opts: opts, jobs: jobs,
		possible: map[editKey]bool{}, rates: map[string][2]int{}, tests: map[string]*aheadTest{}, news: make(chan struct{}, 1),
	}
	inner, cancel := context.WithCancel(ctx)
	var running sync.WaitGroup
	running.Go(func() { r.ahead.look(inner) })
	err := r.run(ctx)
	cancel()
	running.Wait()
	return err
}

// result returns the best there is by now.
func (r *reduction) result() Result {
	result := Result{
		Output: r.output, Minimal: r.minimal, Trials: r.trials, Cached: r.cached,
		Algorithm: cmp.Or(r.opts.Algorithm, "auto"), Notes: r.notes,
	}
	for _, p := range r.order {
		if p.Trials > 0 {
			result.Passes = append(result.Passes, *p)
		}
	}
	for _, f := range r.output.Files {
		format := r.formats[f.Path]
		if a := r.archives.marks[f.Path+"/"]; a != nil {
			format = a.kind
		}
		result.Formats = append(result.Formats, format)
	}
	return result
}

// run is the reduction from its beginning to its end.
func (r *reduction) run(ctx context.Context) error {
	if err := r.unpack(ctx); err != nil {
		return err
	}
	r.protect()
	r.countNodes()
	if empty, err := r.trivial(ctx); empty || err != nil {
		r.minimal = empty
		return err
	}
	if err := r.byClosuresAndFiles(ctx); err != nil {
		return err
	}
	for first := true; ; first = false {
		if err := r.byFiles(ctx); err != nil {
			return err
		}
		for _, path := range r.largest() {
			if first {
				if err := r.early(ctx, path); err != nil {
					return err
				}
			}
			if err := r.file(ctx, path); err != nil {
				return err
			}
			if r.hasClosures() && r.best.Size() < r.closed/2 { // much that was mentioned is mentioned no more
				if err := r.byClosuresAndFiles(ctx); err != nil {
					return err
				}
			}
		}
		if err := r.byFiles(ctx); err != nil {
			return err
		}
		if r.opts.Fast || !r.structured() || r.best.Dir && !r.wholeFiles {
			return nil // not all elements may be asked about
		}
		before := r.accepted
		if err := r.certify(ctx); err != nil {
			return err
		}
		if r.accepted == before {
			r.minimal = true
			return nil
		}
	}
}

// certify asks for each single element that is left: files, and what the formats
// of files call elements.
func (r *reduction) certify(ctx context.Context) error {
	if r.wholeFiles && len(r.best.Files) > 1 {
		r.enter(filesPass)
		if err := r.files().certify(ctx); err != nil {
			return err
		}
	}
	for _, path := range r.largest() {
		i := r.fileAt(path)
		if i < 0 {
			continue
		}
		s, d, err := r.elements(i)
		switch {
		case err != nil:
		case d != nil:
			r.enter(nodesPass)
			err = d.certify(ctx)
		default:
			r.enter(structurePass)
			err = s.certify(ctx)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// largest returns the paths of the files, the largest first.
func (r *reduction) largest() []string {
	files := slices.Clone(r.best.Files)
	slices.SortStableFunc(files, func(a, b testcase.File) int { return cmp.Compare(len(b.Content), len(a.Content)) })
	paths := make([]string, len(files))
	for i, f := range files {
		paths[i] = f.Path
	}
	return paths
}

// fileAt returns the number of a file whose content can be reduced, -1 for
// others.
func (r *reduction) fileAt(path string) int {
	return slices.IndexFunc(r.best.Files, func(f testcase.File) bool {
		return f.Path == path && f.Mode&fs.ModeSymlink == 0 && len(f.Content) > 0
	})
}

// elements is the search whose elements are what the format of a file calls so, or
// the graph that it makes of it.
func (r *reduction) elements(i int) (*search, *dag, error) {
	f := r.best.Files[i]
	// What a file was taken for at first it is taken for again, as long as it
	// parses. That what is left of it does not is no news for the user.
	wanted := cmp.Or(r.taken[f.Path], r.opts.Format)
	p, err := r.kinds.parse(r.archives.nameOf(f.Path), f.Content, wanted)
	if err != nil {
		return nil, nil, err
	}
	if r.taken[f.Path] == "" {
		r.taken[f.Path] = p.format
		for _, note := range p.notes {
			r.note(note)
		}
	}
	r.formats[f.Path] = p.format
	delete(r.nodes, f.Path)
	if p.graph != nil {
		r.nodes[f.Path] = len(p.graph.g.Nodes)
		return nil, &dag{
			reduction: r, digraph: *p.graph, simplify: !r.opts.NoSimplify,
			file: i, base: r.best, content: f.Content,
		}, nil
	}
	return &search{reduction: r, tree: p.tree, made: Edits{}, into: r.inFile(i, p.tree)}, nil, nil
}

// inFile returns how the input looks with edits in a tree of one file.
func (r *reduction) inFile(i int, tree *Tree) func(Edits) (testcase.Input, bool) {
	base := r.best
	return func(edits Edits) (testcase.Input, bool) {
		text, formed := tree.Render(edits)
		if !formed || !r.keeps(base.Files[i].Path, text) {
			return base, false
		}
		in := testcase.Input{Files: slices.Clone(base.Files), Dir: base.Dir}
		in.Files[i].Content = text
		return in, true
	}
}

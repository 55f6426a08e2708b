package reduce

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/gitdd/gitdd/isolate"
)

// A treeAlgorithm reduces a tree, by questions about lists of its nodes. It
// returns how many edits it made.
type treeAlgorithm struct {
	name, what string
	run        func(s *search, ctx context.Context) (made int, err error)
}

// treeAlgorithms is what a reduction can do with a tree. A name may be followed
// by * (again until nothing changes) or + (then single nodes until none can go).
var treeAlgorithms = []treeAlgorithm{
	{"hdd", "the lists of all nodes of a level, from the root down, as published: with ddmin", (*search).hdd},
	{"levels", "as hdd, with levels of what can go, of which all may; long chains by steps", func(s *search, ctx context.Context) (int, error) {
		return s.levels(ctx, removable)
	}},
	{"hddr-bfs", "the lists of the children of single nodes, breadth first", func(s *search, ctx context.Context) (int, error) {
		return s.hddr(ctx, order{}, removable)
	}},
	{"hddr-rbfs", "as hddr-bfs, the last child first", func(s *search, ctx context.Context) (int, error) {
		return s.hddr(ctx, order{reverse: true}, removable)
	}},
	{"hddr-dfs", "the same, depth first", func(s *search, ctx context.Context) (int, error) {
		return s.hddr(ctx, order{last: true}, removable)
	}},
	{"hddr-rdfs", "as hddr-dfs, the last child first", func(s *search, ctx context.Context) (int, error) {
		return s.hddr(ctx, order{last: true, reverse: true}, removable)
	}},
	{"coarse", "levels of the nodes alone in whose place nothing has to stand", func(s *search, ctx context.Context) (int, error) {
		return s.levels(ctx, coarse)
	}},
	{"hoist", "nodes replaced by their nearest descendants of the same sort", (*search).hoist},
	{"perses", "the largest node first: replaced by a descendant, else its children", (*search).perses},
	{"flat", "the list of all nodes, from the last to the first", (*search).flat},
}

// auto is what an empty name means. What nothing has to stand for goes first, as
// long as there is much of it; then what is around the rest; and only then is
// text put in the place of what has to be something. Of seven orders that were
// compared on Go sources, with a type check as the test, this takes the fewest
// trials: with the certificate 0.7 of those of levels,hoist, and 0.4 of those of
// levels/ddmin, which leaves more. A queue as that of perses behind it takes a fifth
// more trials, for 1 % less text.
const auto = "coarse,hoist,levels"

// Algorithms returns the names that Options.Algorithm may have: those of algorithms for trees
// and for lists, and then those for graphs only.
//
// For a tree, the algorithm is auto, a tree algorithm, or a list algorithm. levels*/probdd is a
// tree algorithm with the list algorithm probdd inside. A tree algorithm alone has the default
// list algorithm inside, except hdd, which has ddmin. A list algorithm alone, such as ddmin, is the
// same as flat/ddmin. A * after a tree algorithm means that it is repeated until nothing changes. A +
// means that afterwards single nodes are removed until none can be removed. Tree algorithms with
// commas between them run one after the other: coarse,hoist,levels*/dab. hddr is short for hddr-bfs.
//
// For a graph, such as that of a BTOR file, the algorithm is one of GraphAlgorithms; some of these
// have the same names as algorithms for trees. Several with commas between them run one after
// the other, each until the graph does not get smaller. With a * as the last item, all of
// that is repeated: lw,bfs,changeref,*.
func Algorithms() []string {
	names := treeNames()
	for _, name := range GraphAlgorithms() {
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// treeNames returns the names of the algorithms for trees.
func treeNames() []string {
	names := []string{"auto"}
	for _, a := range treeAlgorithms {
		names = append(names, a.name)
		if a.name == "hdd" || a.name == "levels" {
			names = append(names, a.name+"+", a.name+"*")
		}
	}
	for _, name := range isolate.MinimizeAlgorithms() {
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// structure returns the tree algorithm of a name, see Algorithms.
func structure(name string) (run func(ctx context.Context, s *search) error, err error) {
	trees, list, both := strings.Cut(name, "/")
	if !both && slices.Contains(isolate.MinimizeAlgorithms(), trees) && trees != "auto" {
		trees, list = "flat", trees
	}
	if name == "" || trees == "auto" {
		trees = auto
	}
	if both && !slices.Contains(isolate.MinimizeAlgorithms(), list) {
		return nil, unknownAlgorithm(name, list)
	}
	var steps []func(s *search, ctx context.Context) (int, error)
	for tree := range strings.SplitSeq(trees, ",") {
		step, ok := treeStep(tree)
		if !ok {
			return nil, unknownAlgorithm(name, tree)
		}
		steps = append(steps, step)
	}
	return func(ctx context.Context, s *search) error {
		s.list = list
		for _, step := range steps {
			if _, err := step(s, ctx); err != nil {
				return err
			}
		}
		return nil
	}, nil
}

// partOf quotes a part of a name.
func partOf(name, part string) string {
	if part == name {
		return strconv.Quote(part)
	}
	return fmt.Sprintf("%q in %q", part, name)
}

func unknownAlgorithm(name, part string) error {
	return fmt.Errorf("unknown algorithm %s; there are %s, and TREE/LIST such as hdd*/probdd; for graphs %s",
		partOf(name, part), strings.Join(treeNames(), ", "), strings.Join(GraphAlgorithms(), ", "))
}

// treeStep returns the tree algorithm of one name, with its * or +.
func treeStep(name string) (func(s *search, ctx context.Context) (int, error), bool) {
	base := strings.TrimRight(name, "*+")
	suffix := name[len(base):]
	if base == "hddr" {
		base = "hddr-bfs"
	}
	i := slices.IndexFunc(treeAlgorithms, func(a treeAlgorithm) bool { return a.name == base })
	if i < 0 || len(suffix) > 1 {
		return nil, false
	}
	run := treeAlgorithms[i].run
	switch suffix {
	case "*":
		return func(s *search, ctx context.Context) (made int, err error) {
			for {
				n, err := run(s, ctx)
				made += n
				if err != nil || n == 0 {
					return made, err
				}
			}
		}, true
	case "+":
		return func(s *search, ctx context.Context) (made int, err error) {
			made, err = run(s, ctx)
			if err != nil {
				return made, err
			}
			n, err := s.singles(ctx, removable)
			return made + n, err
		}, true
	}
	return run, true
}

package reduce

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"

	"github.com/gitdd/gitdd/testcase"
)

// suit finds the algorithms that the options name, and holds the options to what
// is in the input: some are of graphs alone, others of trees. It asks nothing.
//
// Where there are both, in a directory, what the algorithm is not for is reduced by
// auto.
func (r *reduction) suit(in testcase.Input) error {
	var forTrees, forGraphs error
	r.structure, forTrees = structure(r.opts.Algorithm)
	r.graphs, forGraphs = graphStructure(r.opts.Algorithm)
	if forTrees != nil && forGraphs != nil {
		return noAlgorithm(r.opts.Algorithm, forTrees, forGraphs)
	}
	var named format
	if r.opts.Format != "" {
		var err error
		if named, err = r.kinds.named(r.opts.Format); err != nil {
			return err
		}
	}
	ofGraphs := r.opts.MaxPartitions > 0 || r.opts.NoSimplify
	if named.graph == nil && forTrees == nil && forGraphs == nil && !ofGraphs {
		return nil
	}

	graphs, trees := 0, 0
	var unfit error // of the first file that is not what its format says
	for _, f := range r.contents(in) {
		format := named
		if format.name == "" {
			format = r.kinds.guess(path.Base(f.Path), f.Content)
		}
		if format.graph == nil {
			trees++
		} else if _, err := format.graph(f.Content); err != nil {
			trees++
			if unfit == nil {
				unfit = fmt.Errorf("%s does not parse as %s: %w", path.Base(f.Path), format.name, err)
			}
		} else {
			graphs++
		}
	}
	switch {
	case graphs == 0 && named.graph != nil && unfit != nil:
		return unfit
	case graphs == 0 && forTrees != nil:
		return errors.Join(fmt.Errorf("algorithm %q is for graphs, such as those of the format btor, and there is none in the input", r.opts.Algorithm), unfit)
	case graphs == 0 && ofGraphs:
		return errors.Join(errors.New("the number of partitions and simplification are of graphs, such as those of the format btor, and there is none in the input"), unfit)
	case forGraphs == nil && r.opts.MaxPartitions > 0 && !cutsLists(r.opts.Algorithm):
		return fmt.Errorf("a number of partitions is for algorithms with ddmin in them, such as ddmin and hdd*, and %q has none", cmp.Or(r.opts.Algorithm, "auto"))
	case trees == 0 && graphs > 0 && forGraphs != nil:
		return fmt.Errorf("algorithm %q is for trees, and all there is in the input are graphs", r.opts.Algorithm)
	}
	if forTrees != nil {
		r.structure, _ = structure("")
		if trees == 0 {
			return nil
		}
		r.note(fmt.Sprintf("%s is for graphs: what is none is reduced by auto", r.opts.Algorithm))
	}
	if forGraphs != nil {
		r.graphs, _ = graphStructure("")
		if graphs > 0 {
			r.note(fmt.Sprintf("%s is for trees: graphs are reduced by auto", r.opts.Algorithm))
		}
	}
	return nil
}

// contents returns the files of an input, and those in its archives.
func (r *reduction) contents(in testcase.Input) []testcase.File {
	var files []testcase.File
	a := archives{map[string]*archive{}, map[string]*member{}}
	left := allowance{mostUnpacked, mostMembers}
	for _, f := range in.Files {
		if f.Mode&fs.ModeSymlink != 0 {
			continue
		}
		if kind := archiverOf(f.Content); kind != nil && r.opts.Format != "bytes" {
			if inner, err := a.open(f.Path+"/", f.Content, *kind, &left, 0); err == nil {
				files = append(files, inner...)
				continue
			}
		}
		files = append(files, f)
	}
	return slices.DeleteFunc(files, func(f testcase.File) bool { return a.isMark(f.Path) })
}

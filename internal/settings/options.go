package settings

import (
	"context"
	"errors"
	"regexp"

	"github.com/gitdd/gitdd/changes"
	"github.com/gitdd/gitdd/grouping"
	"github.com/gitdd/gitdd/internal/cluster"
	"github.com/gitdd/gitdd/internal/git"
	"github.com/gitdd/gitdd/isolate"
	"github.com/gitdd/gitdd/reduce"
	"github.com/gitdd/gitdd/reduction"
	"github.com/gitdd/gitdd/report"
	"github.com/gitdd/gitdd/search"
	"github.com/gitdd/gitdd/suite"
	"github.com/gitdd/gitdd/testcase"
	"github.com/gitdd/gitdd/trial"
)

// Trials returns how the trials of a search are made and judged.
func (s *Search) Trials(repo *git.Repo, session *trial.Session, connection *cluster.Cluster, observe func(trial.Event)) trial.Options {
	options := trial.Options{
		Repo:       repo,
		Command:    s.Command,
		Dir:        repo.Prefix(),
		Setup:      s.setup,
		Check:      s.Precheck,
		Build:      s.Build,
		Overlay:    s.Overlay,
		Keep:       s.Kept(),
		Submodules: s.Submodules,
		Clean:      s.clean,
		Artifacts:  s.artifacts,
		Measure:    s.Measure,
		ByHand:     s.ByHand,
		Session:    session,
		Observe:    observe,
	}
	if s.confirm == "fresh" || s.confirm == "clean" {
		options.Confirmation = trial.Confirmation(s.confirm)
	}
	if s.GoodDir != "" {
		options.OverlayFrom = session.Header().Dir
	}
	for _, w := range s.Parts() {
		options.Variables = append(options.Variables, trial.Variable{Name: Variable(w.Name), Path: w.Name})
	}
	options.Build = buildInside(s.Insides(), options.Build)
	s.placement.set(&options)
	s.judging.set(&options)
	if !s.Measure.IsZero() { // the numbers say how often a trial is repeated
		options.Repeat, options.Confidence = 0, 0
	}
	if s.Each != "" {
		options.Tests, _ = suite.ParseFormat(s.Each) // Check has parsed it before
	}
	connection.Set(&options)
	return options
}

// Options returns how the search goes.
func (s *Search) Options(ctx context.Context, repo *git.Repo, runner *trial.Runner) (search.Options, error) {
	o := search.Options{
		Runner:    runner,
		Groups:    Groupings[s.group],
		Finest:    search.Level(s.Level),
		Goal:      goals[s.Goal],
		Algorithm: s.algorithm,
		Sigma:     s.sigma,
		Rounds:    s.Rounds,
		MaxCost:   s.cost(),
		All:       s.All,
		Through:   search.Through(s.through),
		Lenient:   s.mixtures == "lenient",

		Unconfirmed: s.confirm == "no",
		Modules:     Modules(),
	}
	if !s.Measure.IsZero() {
		o.Numbers = s.numbers()
	}
	switch {
	case !s.wantsHistory():
		o.Whole = true
	case len(s.Paths) > 0:
		o.Whole, o.WholeReason = true, "--path limits it"
	default:
		var err error
		if len(s.With) > 0 { // what a git bisect knows is of other commits than the combined ones
			return o, nil
		}
		if o.Known, err = s.Bisect.Known(ctx, repo, s.FirstParent); err != nil {
			return o, err
		}
	}
	return o, nil
}

// Limit returns the value of --timeout, --max-memory or --max-disk; "" = there is none, or it follows from the
// first try.
func (s *Search) Limit(flag string) string {
	switch {
	case flag == "--max-memory":
		return s.maxMemory.String()
	case flag == "--max-disk":
		return s.maxDisk.String()
	case s.Timeout > 0:
		return s.Timeout.String()
	}
	return ""
}

// Brings reports whether the search brings along files that are not committed.
func (s *Search) Brings() bool { return len(s.Overlay)+len(s.Kept()) > 0 }

// Repeats reports whether trials are repeated, so that a flaky test would have been seen.
func (s *judging) Repeats() bool { return s.Confidence > 0 || s.repeat > 1 }

// LeftOut are the pathspecs because of which the bad end of a set is not bad as it is; nil
// where all that differs lies below them.
func (s *Search) LeftOut(set *changes.Set) []string {
	if len(s.Paths) == 0 {
		return nil
	}
	if all, err := set.Compose(isolate.Full(set.Len()).All()); err == nil && all.ID == set.Bad.Tree {
		return nil
	}
	return s.Paths
}

// Status says how the search ended; "" when there is nothing to report.
func (s *Search) Status(err error, v search.Verdict) (report.Status, string) {
	if errors.Is(err, search.ErrWithheld) {
		return report.NotIsolated, v.Reason
	}
	return s.ended(err, report.Isolated, report.NotIsolated)
}

// Options returns how the input is reduced.
func (s *Reduction) Options() reduce.Options {
	o := reduce.Options{
		Format: s.Format, Algorithm: s.Algorithm, Sigma: s.sigma, Jobs: s.Jobs, MaxTrials: s.counted(), Fast: s.Fast, Passes: s.passes, Evidence: s.Confidence > 0,
		MaxPartitions: s.maxPartitions, NoSimplify: s.noSimplify, Declarations: declarations,
	}
	if s.Algorithm == "auto" {
		o.Algorithm = ""
	}
	if s.protected != "" {
		o.Keep = regexp.MustCompile(s.protected) // Check has compiled it before
	}
	return o
}

// declarations reads source code for a reduction.
func declarations(path string, content []byte) (list []reduce.Declaration) {
	for _, d := range grouping.Outline(path, content) {
		list = append(list, reduce.Declaration{Name: d.Name, Member: d.Member, From: d.From, To: d.To})
	}
	return list
}

// counted is how many questions the reduction may ask: with --confidence the
// runner counts, because it knows how many trials one took.
func (s *Reduction) counted() int {
	if s.Confidence > 0 {
		return 0
	}
	return s.MaxTrials
}

// IsGraph reports whether the input is reduced as graphs.
func (s *Reduction) IsGraph(in testcase.Input) bool {
	return s.Passing == "" && reduction.IsGraph(in, s.Format)
}

// Status says how a reduction ended, and why its answer is withheld, if it is; "" when there is nothing to
// report.
func (s *Reduction) Status(err error, withheld string) (report.Status, string) {
	done, not := report.Reduced, report.NotReduced
	if s.Passing != "" {
		done, not = report.Isolated, report.NotIsolated
	}
	if withheld != "" {
		return not, withheld
	}
	return s.ended(err, done, not)
}

package results

import (
	"cmp"
	"slices"

	"github.com/gitdd/gitdd/doubt"
	"github.com/gitdd/gitdd/report"
	"github.com/gitdd/gitdd/search"
	"github.com/gitdd/gitdd/trial"
)

// addReasons adds to facts the reasons why the cause of a confirmed answer may be wrong.
func addReasons(a search.Answer, prefix string, facts *report.Facts) (err error) {
	var built []doubt.Artifact
	for i := range min(len(a.Built.Without), len(a.Built.With)) {
		x, y := a.Built.Without[i], a.Built.With[i]
		if facts.Direction == report.Fix {
			x, y = y, x
		}
		built = append(built, doubt.Artifact{Path: x.Path, Passing: x.Digest, Failing: y.Digest, Problem: cmp.Or(x.Problem, y.Problem)})
		facts.Artifacts = append(facts.Artifacts, report.Artifact{Path: x.Path, Passing: x.Digest, Failing: y.Digest})
	}
	found, err := doubt.Reasons(a.Set, a.Result, facts.Command, prefix, built)
	if facts.Measured != nil && facts.Measured.Exact { // such a number may count what programs seldom notice, and chance makes no difference
		found = slices.DeleteFunc(found, func(s report.Suspicion) bool {
			return s.Kind == report.OnlyDocumentation || s.Kind == report.OnlyComments || s.Kind == report.OnlySpace
		})
	}
	facts.Suspicions = append(facts.Suspicions, found...)
	return err
}

// otherMessage says that with the cause the test prints another error, or another value, than at
// the failing end: then the failure may be another one.
func otherMessage(runner *trial.Runner, direction trial.Direction, a search.Answer) ([]report.Suspicion, error) {
	got, want, number, err := runner.OtherMessage(a.Set, a.Failing(direction), 2)
	if err != nil || got == "" {
		return nil, err
	}
	end := "bad"
	if direction == trial.Fix {
		end = "good"
	}
	return []report.Suspicion{doubt.OtherMessage(got, want, end, number)}, nil
}

// passingError says that the test passes at the passing end of the answer, but tells of an error there as at neither end of
// the search: then the program may have failed otherwise, unnoticed.
func passingError(runner *trial.Runner, direction trial.Direction, a search.Answer) ([]report.Suspicion, error) {
	line, number, err := runner.PassingError(a.Set, a.Passing(direction), a.Failing(direction))
	if err != nil || line == "" {
		return nil, err
	}
	return []report.Suspicion{doubt.PassingError(line, number)}, nil
}

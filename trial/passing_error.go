package trial

import (
	"slices"

	"github.com/gitdd/gitdd/changes"
	"github.com/gitdd/gitdd/internal/failure"
	"github.com/gitdd/gitdd/isolate"
)

// PassingError returns a line in which a passing trial of c names an error or an exception that no trial of an end
// names, and none of failing, and the number of that trial. A command that checks that something is not printed passes, too, if
// the program crashes before it prints that. Lines that say that a test has passed do not count. failing is a configuration that
// fails as it should, so that what it prints as well keeps nobody from failing. The line is ""
// if there is none. Cost: reading the outputs of the ends, of c and of failing.
func (r *Runner) PassingError(s *changes.Set, c, failing isolate.Configuration) (line string, number int, err error) {
	q, err := r.question(s, c, Search)
	if err != nil {
		return "", 0, err
	}
	failed, err := r.question(s, failing, Search)
	if err != nil {
		return "", 0, err
	}
	ends := failure.Baseline{}
	for _, rec := range r.session.Records() {
		if rec.Purpose == End {
			ends.Add(r.allLines(rec))
		}
	}
	for _, rec := range r.failures(failed) {
		ends.Add(r.allLines(rec))
	}
	for _, rec := range r.withOutcome(q, isolate.Pass) {
		lines := slices.DeleteFunc(r.allLines(rec), failure.Line.TellsPass)
		if line = ends.FirstNew(lines); line != "" {
			return line, rec.Trial, nil
		}
	}
	return "", 0, nil
}

package byhand

import (
	"context"
	"fmt"

	"github.com/gitdd/gitdd/internal/git"
	"github.com/gitdd/gitdd/isolate"
	"github.com/gitdd/gitdd/trial"
)

// A Given judgement is what the user says of the configuration that was shown.
type Given struct {
	Tree git.ID // of that configuration
	trial.Judgement
}

// A PendingError says that a search needs a judgement that nobody has given yet.
type PendingError struct{ Request trial.Request }

func (e *PendingError) Error() string {
	return fmt.Sprintf("tree %s is not judged yet", e.Request.Tree.ID.Short())
}

// A StaleError says that a judgement is of another configuration than the one that is to be judged: somebody else has judged
// meanwhile, another directory was looked at, or a process was killed before it showed the next configuration.
type StaleError struct{ Given, Want git.ID }

func (e *StaleError) Error() string {
	why := "no configuration was shown here yet"
	if e.Given != "" {
		why = fmt.Sprintf("the configuration that was shown (tree %s) is not the one to be judged any more", e.Given.Short())
	}
	return why + ", so this judgement counts for nothing; `gitdd status` says what is to be judged now"
}

// Judge returns the judge of a search, see [trial.Options]. It takes the outcomes of both ends from the user, who has called one
// good and the other one bad, or bad alone if the good one is to be found, and gives the first other request the judgement given, which may be nil. Every further
// request is a *PendingError.
func Judge(given *Given) func(context.Context, trial.Request) (trial.Judgement, error) {
	return func(_ context.Context, q trial.Request) (trial.Judgement, error) {
		switch {
		case q.Purpose == trial.End && q.Config.IsEmpty() && q.Commit == "": // a commit is bad, from which the good end is looked for
			return trial.Judgement{Outcome: isolate.Pass, Reason: "taken as good"}, nil
		case q.Purpose == trial.End:
			return trial.Judgement{Outcome: isolate.Fail, Reason: "taken as bad"}, nil
		case given == nil:
			return trial.Judgement{}, &PendingError{q}
		case given.Tree != q.Tree.ID:
			return trial.Judgement{}, &StaleError{given.Tree, q.Tree.ID}
		}
		j := given.Judgement
		given = nil
		return j, nil
	}
}

// outcomes are what the words of judgements mean.
var outcomes = map[string]isolate.Outcome{"good": isolate.Pass, "bad": isolate.Fail, "skip": isolate.Unresolved}

// Judgement is what a word says of a configuration, with a note or without; ok is false if the word is not good, bad or skip.
func Judgement(word, note string) (j trial.Judgement, ok bool) {
	outcome, ok := outcomes[word]
	j = trial.Judgement{Outcome: outcome, Reason: word + " by hand"}
	if note != "" {
		j.Reason += ": " + note
		j.Output = note + "\n"
	}
	return j, ok
}

// Judged returns the trials of a session that can be taken back, in the order in which they were made: all but
// those of the ends.
func Judged(session *trial.Session) (list []trial.Record) {
	for _, rec := range session.Records() {
		if rec.Purpose != trial.End {
			list = append(list, rec)
		}
	}
	return list
}

// Last returns the number of the last trial of Judged, 0 if there is none. As no number is given twice, and only the last trials are
// taken back, it says of two moments whether the same was judged then.
func Last(session *trial.Session) int {
	judged := Judged(session)
	if len(judged) == 0 {
		return 0
	}
	return judged[len(judged)-1].Trial
}

// A BehindError says that the search has gone on since the moment that a command line is about.
type BehindError struct{ After, Last int }

func (e *BehindError) Error() string {
	return fmt.Sprintf("the search has gone on: trial %d was judged last, and not trial %d, so this counts for nothing; `gitdd status` says what is to be judged now", e.Last, e.After)
}

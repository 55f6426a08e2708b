package results

import (
	"os"

	"github.com/gitdd/gitdd/internal/git"
	"github.com/gitdd/gitdd/isolate"
	"github.com/gitdd/gitdd/report"
	"github.com/gitdd/gitdd/trial"
)

// Unanswered fills in what the session of a search without an answer knows: its command, its revisions and
// its trials.
func Unanswered(session *trial.Session, result *report.Result) {
	header := session.Header()
	result.Command = header.Command
	result.Good = Revision(header.Good)
	result.Bad = Revision(header.Bad)
	if _, err := os.Stat(session.Dir()); err == nil { // else there is nothing to resume
		result.Session = session.Name()
	}
	for _, r := range session.Records() {
		if r.Checked {
			result.Checks.Run++
		}
		if r.Rejected {
			result.Checks.Rejected++
			continue
		}
		result.Trials.Run++
		switch isolate.Outcome(r.Outcome) {
		case isolate.Pass:
			result.Trials.Pass++
		case isolate.Fail:
			result.Trials.Fail++
		default:
			result.Trials.Unresolved++
		}
	}
}

// Revision returns a revision as a result has it.
func Revision(r git.Revision) report.Revision {
	return report.Revision{Rev: r.Rev, Commit: string(r.Commit), Tree: string(r.Tree), Base: string(r.Base)}
}

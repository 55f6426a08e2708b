package hints

import (
	"cmp"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/gitdd/gitdd/internal/failure"
	"github.com/gitdd/gitdd/internal/prose"
	"github.com/gitdd/gitdd/isolate"
	"github.com/gitdd/gitdd/trial"
)

// Port says that trials found a port taken, which looks like a flaky test or like
// another failure. It returns "" if failing, the trial of the failing end, found its port
// taken, because that is then the failure; failing may be nil. away says that trials run on
// other machines.
func Port(session *trial.Session, failing *trial.Record, jobs int, away bool) string {
	if failing != nil && lineOf(session, *failing, failure.TellsPortTaken) != "" {
		return ""
	}
	const most = 20 // trials that are looked at
	line, looked, alone := "", 0, 0
	for _, r := range session.Records() {
		if isolate.Outcome(r.Outcome) != isolate.Pass && looked < most && line == "" {
			looked++
			line = lineOf(session, r, failure.TellsPortTaken)
		}
		if r.Alone {
			alone++
		}
	}
	use := "let the command take its ports from GITDD_PORT on, which are free and each worker's own"
	if away {
		use = "let the command ask for any free port, port 0"
	}
	switch {
	case line == "" && alone > 0:
		return fmt.Sprintf("%s found a port taken by another that ran at the same time, and ran again alone: run one at a time, -j 1, or %s", prose.Count(alone, "trial"), use)
	case line == "":
		return ""
	case jobs > 1:
		return fmt.Sprintf("a trial found its port taken (%s), maybe by another that ran at the same time: run one at a time, -j 1, or %s", prose.Quote(line), use)
	}
	return fmt.Sprintf("a trial found its port taken (%s) by another program on this machine: end that, or %s", prose.Quote(line), use)
}

// lineOf returns a line that a trial printed and that matches, shortened; "" if there is none. It
// looks at the lines in the record, then at standard error and standard output, if they are kept.
func lineOf(session *trial.Session, r trial.Record, is func(line string) bool) string {
	for _, line := range []string{r.First, r.Last} {
		if is(line) {
			return prose.Brief(line)
		}
	}
	return cmp.Or(lineWith(session.Output(r.Trial, "err"), is), lineWith(session.Output(r.Trial, "out"), is))
}

// lineWith is the first line of the begin of a file that matches, shortened; "" without one.
func lineWith(name string, is func(line string) bool) string {
	for line := range strings.Lines(beginOf(name)) {
		if is(line) {
			return prose.Brief(line)
		}
	}
	return ""
}

// beginOf is the begin of a file of output.
func beginOf(name string) string {
	const most = 1 << 20
	f, err := os.Open(name)
	if err != nil {
		return "" // it is but for a hint
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, most))
	if err != nil {
		return ""
	}
	return string(text)
}

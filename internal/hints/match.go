package hints

import (
	"fmt"
	"regexp"

	"github.com/gitdd/gitdd/internal/prose"
	"github.com/gitdd/gitdd/internal/settings"
	"github.com/gitdd/gitdd/isolate"
	"github.com/gitdd/gitdd/trial"
)

// unmatched says of a trial that is unresolved because its output does not match a pattern whether it does in
// another letter case, or else what it printed; "" if the output matches.
func unmatched(pattern string, v trial.Verdict) string {
	if !v.Unmatched || v.LastLine == "" {
		return ""
	}
	exact, err := regexp.Compile(pattern)
	if err != nil {
		return ""
	}
	text := v.LastLine + "\n" + beginOf(v.Stderr) + "\n" + beginOf(v.Stdout)
	if exact.MatchString(text) {
		return ""
	}
	folded := "(?i)" + pattern
	if found := regexp.MustCompile(folded).FindString(text); found != "" {
		return fmt.Sprintf("the output has that in another letter case (%s): --match %s takes either", prose.Quote(prose.Brief(found)), prose.Words([]string{folded}))
	}
	return fmt.Sprintf("--match wants a part of what the failure prints, such as of the line %s, and without it any failure counts", prose.Quote(prose.Brief(v.LastLine)))
}

// failedOtherwise says that good has failed, and not as the pattern says, where bad has failed so; "" if it did not.
func failedOtherwise(s *settings.Search, ends *trial.EndsError) string {
	if !ends.Good.Unmatched || ends.Bad.Outcome != isolate.Fail || ends.Good.LastLine == "" {
		return ""
	}
	repeats := "; a flaky test may pass the next time, and --confidence 0.99 repeats trials until the answer is right with that probability"
	if s.Repeats() {
		repeats = ""
	}
	return fmt.Sprintf("good failed, too, and otherwise than --match asks for (%s)%s", prose.Quote(prose.Brief(ends.Good.LastLine)), repeats)
}

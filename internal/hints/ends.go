package hints

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/gitdd/gitdd/changes"
	"github.com/gitdd/gitdd/internal/git"
	"github.com/gitdd/gitdd/internal/lazyregexp"
	"github.com/gitdd/gitdd/internal/prose"
	"github.com/gitdd/gitdd/internal/settings"
	"github.com/gitdd/gitdd/isolate"
	"github.com/gitdd/gitdd/trial"
)

// Alike returns hints for the case that both ends have the same outcome: the likely reason, and
// what to do. If both fail and a limit ended the good one, or if good does not pass and an end asked
// for a terminal, that is the only hint. Otherwise the likely reasons are files and uncommitted changes
// that trials do not have, a wrong name in the command, a pattern that nothing matches, a path that leads to the checkout, and a
// flaky test. Hints may be "".
func Alike(ctx context.Context, s *settings.Search, repo *git.Repo, set *changes.Set, err error) []string {
	var ends *trial.EndsError
	if !errors.As(err, &ends) || ends.Flaky {
		return nil
	}
	if hint := overLimit(s, ends); hint != "" {
		return []string{hint}
	}
	if ends.Good.Outcome != isolate.Pass {
		if hint := terminal(s.Command, ends.Good, ends.Bad); hint != "" {
			return []string{hint}
		}
	}
	if hint := cmp.Or(Lacked(ctx, s, repo, set, err), unmatched(s.Match, ends.Bad), failedOtherwise(s, ends), unmatched(s.Match, ends.Good)); hint != "" {
		return []string{hint}
	}
	if hint := leadsOut(s, repo); hint != "" && ends.Good.Outcome != isolate.Pass && ends.Bad.Outcome != isolate.Pass {
		return []string{hint}
	}
	if hint := leadsToCheckout(ctx, s, repo, set, git.Environ()); hint != "" {
		return []string{hint}
	}
	where := "in neither end"
	if s.Good == git.Auto {
		where = "not in " + s.Bad
	}
	if (PassBoth(err) || s.Good == git.Auto && ends.Bad.Outcome == isolate.Pass) && s.Bad == "HEAD" && repo.Top() != "" {
		if edited, err := repo.EditedPaths(ctx, nil); err == nil && len(edited) > 0 {
			return []string{fmt.Sprintf("the checkout has uncommitted changes (%s), which are %s: --bad %s tests it with them", First(edited), where, git.Worktree)}
		}
	}
	return []string{failDifferently(s, ends), lacking(s, err), failsRarely(s, err)}
}

// overLimit says which flag's limit has ended the good end, where both fail: nobody knows
// then how the command ends by itself.
func overLimit(s *settings.Search, ends *trial.EndsError) string {
	flag := ends.Good.Limit()
	if flag == "" || ends.Good.Outcome != isolate.Fail || ends.Bad.Outcome != isolate.Fail {
		return ""
	}
	who := "the good end"
	if ends.Bad.Limit() == flag {
		who = "both ends"
	}
	limit := s.Limit(flag)
	from := "the limit is the flag's alone, and without it there is none for the ends"
	if flag == "--timeout" && limit == "" { // tries of --confidence, by what the first ones took
		limit, from = "TIME", "left out, it is 10 times what the slower end took at its first try, at least 10s"
	}
	return fmt.Sprintf("%s took more than %s %s allows, which counts as the failure: raise it (%s)", who, flag, limit, from)
}

// askingForTerminal is what programs say that want a terminal.
var askingForTerminal = lazyregexp.New(`(?i)\bnot a (?:tty|terminal|typewriter)\b|inappropriate ioctl for device|` +
	`/dev/tty\b.*(?:no such device|not configured|cannot open)|cannot open /dev/tty|requires? an? (?:interactive )?(?:tty|terminal)\b|` +
	`\b(?:tty|terminal) is required\b|terminal prompts disabled|\bgetpass\b|GetPassWarning|EOF when reading a line|setRawMode is not a function`)

// terminal says that a command misses a terminal, if it failed and says so.
func terminal(command []string, tried ...trial.Verdict) string {
	for _, v := range tried {
		line := ""
		if askingForTerminal().MatchString(v.LastLine) { // of an input the files may be gone
			line = prose.Brief(v.LastLine)
		}
		for _, name := range []string{v.Stderr, v.Stdout} {
			if line == "" {
				line = lineWith(name, askingForTerminal().MatchString)
			}
		}
		if line != "" {
			return fmt.Sprintf("the command wants a terminal (%s), and trials have none, nor any input: leave out what wants it, such as the -t and -i of docker run, turn prompts off by a flag of the command, such as --yes, or bring a terminal: -- script -qec %s /dev/null",
				prose.Quote(line), prose.Words([]string{prose.Words(command)}))
		}
	}
	return ""
}

// failDifferently returns a hint that the test may be flaky, or that good fails for another reason,
// if both ends fail and their last lines differ in more than numbers. It returns "" with
// --confidence and --repeat, which would have found a flaky test.
func failDifferently(s *settings.Search, ends *trial.EndsError) string {
	good, bad := ends.Good, ends.Bad
	if s.Repeats() || good.Outcome != isolate.Fail || bad.Outcome != isolate.Fail ||
		numbersIn().ReplaceAllString(good.LastLine, "0") == numbersIn().ReplaceAllString(bad.LastLine, "0") {
		return ""
	}
	atGood, atBad := prose.BriefApart(good.LastLine, bad.LastLine)
	return fmt.Sprintf("the two ends fail in different ways (%s at good, %s at bad): the test may be flaky, which --repeat 5 shows and --confidence 0.99 copes with; or good fails for a reason of its own, which `gitdd log --trial %d` may tell",
		prose.Quote(atGood), prose.Quote(atBad), good.Trial)
}

// numbersIn are numbers and addresses, which differ from one run to the next.
var numbersIn = lazyregexp.New(`0x[0-9a-fA-F]+|[0-9a-fA-F]*[0-9][0-9a-fA-F]*`)

// lacking says what trials may lack, where both ends are alike or do not build: files
// that are not committed; "" when there is nothing to say.
func lacking(s *settings.Search, err error) string {
	var ends *trial.EndsError
	if !errors.As(err, &ends) || ends.Flaky {
		return ""
	}
	good, bad := ends.Good.Outcome, ends.Bad.Outcome
	switch {
	case s.ByHand && len(s.Command) == 0:
		return ""
	case s.ByHand && good == isolate.Fail && bad == isolate.Pass:
		return "the command has to exit with 0 where what you search for is not there"
	case s.Brings():
		return bringing(s, ends)
	case ends.Good.Rejected || ends.Bad.Rejected:
		return "both ends have to pass --check: let it test less, or leave it out"
	case s.GoodDir != "":
		return "trials have the files of both folders only: if other files are needed, such as a test, --overlay puts them over every trial, and --setup may make what has to be built or installed"
	case good == isolate.Pass && bad == isolate.Pass:
		return "trials have committed files only: if the failure needs other files, name them with --overlay or --keep"
	case good == isolate.Fail && bad == isolate.Fail && s.Good == git.Auto:
		return "if an older commit passes in your checkout, trials lack files that are not committed, which --overlay, --keep and --setup bring along"
	case good == isolate.Fail && bad == isolate.Fail && s.ByHand:
		return "if it passes at good in your checkout, trials lack files that are not committed, which --overlay, --keep and --setup bring along"
	case good == isolate.Fail && bad == isolate.Fail:
		return "name an older --good, or let --good auto find one; or if it passes there in your checkout, trials lack files that are not committed, which --overlay, --keep and --setup bring along"
	case s.Build != "" && good == isolate.Unresolved && bad == isolate.Unresolved:
		return "a build has committed files only: --overlay, --keep and --setup bring along what else it needs"
	}
	return ""
}

// bringing says what may be where both ends are alike although the search brings along files that are not committed.
func bringing(s *settings.Search, ends *trial.EndsError) string {
	good, bad := ends.Good.Outcome, ends.Bad.Outcome
	switch {
	case ends.Good.Rejected || ends.Bad.Rejected || s.GoodDir != "":
		return ""
	case good == isolate.Pass && bad == isolate.Pass:
		return "if the failure needs more files that are not committed, --overlay and --keep bring them along"
	case good == isolate.Fail && bad == isolate.Fail && s.Good != git.Auto:
		return "name an older --good, or let --good auto find one; or if it passes there in your checkout, trials lack more files that are not committed"
	}
	return ""
}

// PassBoth reports whether both ends pass.
func PassBoth(err error) bool {
	var ends *trial.EndsError
	return errors.As(err, &ends) && ends.Good.Outcome == isolate.Pass && ends.Bad.Outcome == isolate.Pass
}

// failsRarely says what to do if the failing end has passed by chance; "" if that cannot be.
func failsRarely(s *settings.Search, err error) string {
	if s.Repeats() || s.ByHand || !PassBoth(err) {
		return ""
	}
	return "a test that fails only now and then wants --confidence 0.99"
}

// First names the first of some paths, and says how many more there are.
func First(paths []string) string {
	first := prose.Words(paths[:1])
	if more := len(paths) - 1; more > 0 {
		first += fmt.Sprintf(" and %s more", prose.Number(more))
	}
	return first
}

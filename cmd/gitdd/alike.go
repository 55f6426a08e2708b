package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"
	"strings"

	"github.com/gitdd/gitdd/internal/git"
	"github.com/gitdd/gitdd/internal/prose"
	"github.com/gitdd/gitdd/isolate"
	"github.com/gitdd/gitdd/reduction"
	"github.com/gitdd/gitdd/search"
	"github.com/gitdd/gitdd/trial"
)

// alike returns hints for the case that both ends have the same outcome: the likely reason, and
// what to do. If an end was stopped by a limit, or asked for a terminal, that is the only hint.
// Otherwise the likely reasons are files and uncommitted changes that trials do not have, and a
// flaky test.
func (s *settings) alike(ctx context.Context, repo *git.Repo, err error) []string {
	var ends *trial.EndsError
	if !errors.As(err, &ends) || ends.Flaky {
		return nil
	}
	if hint := s.overLimit(ends); hint != "" {
		return []string{hint}
	}
	if ends.Good.Outcome != isolate.Pass {
		if hint := wantsTerminal(s.command, ends.Good, ends.Bad); hint != "" {
			return []string{hint}
		}
	}
	if hint := keepHint(s.missingPaths(ctx, repo, err)); hint != "" {
		return []string{hint}
	}
	if passesAtBoth(err) && s.bad == "HEAD" && repo.Top() != "" {
		if edited, err := repo.EditedPaths(ctx, nil); err == nil && len(edited) > 0 {
			return []string{fmt.Sprintf("the checkout has uncommitted changes (%s), which are in neither end: --bad %s tests it with them", firstOf(edited), git.Worktree)}
		}
	}
	return []string{s.failDifferently(ends), s.lacking(err)}
}

// overLimit says which flag's limit has ended the good end, where both fail: nobody knows
// then how the command ends by itself.
func (s *settings) overLimit(ends *trial.EndsError) string {
	flag := ends.Good.Limit()
	if flag == "" || ends.Good.Outcome != isolate.Fail || ends.Bad.Outcome != isolate.Fail {
		return ""
	}
	who := "the good end"
	if ends.Bad.Limit() == flag {
		who = "both ends"
	}
	limit := map[string]string{"--timeout": s.timeout.String(), "--max-memory": s.maxMemory.String(), "--max-disk": s.maxDisk.String()}[flag]
	from := "the limit is the flag's alone, and without it there is none for the ends"
	if flag == "--timeout" && s.timeout == 0 { // tries of --confidence, by what the first ones took
		limit, from = "TIME", "left out, it is 10 times what the slower end took at its first try, at least 10s"
	}
	return fmt.Sprintf("%s took more than %s %s allows, which counts as the failure: raise it (%s)", who, flag, limit, from)
}

// askingForTerminal is what programs say that want a terminal.
var askingForTerminal = regexp.MustCompile(`(?i)\bnot a (?:tty|terminal|typewriter)\b|inappropriate ioctl for device|` +
	`/dev/tty\b.*(?:no such device|not configured|cannot open)|cannot open /dev/tty|requires? an? (?:interactive )?(?:tty|terminal)\b|` +
	`\b(?:tty|terminal) is required\b|terminal prompts disabled|\bgetpass\b|GetPassWarning|EOF when reading a line|setRawMode is not a function`)

// wantsTerminal says that a command misses a terminal, if it failed and says so.
func wantsTerminal(command []string, tried ...trial.Verdict) string {
	for _, v := range tried {
		line := ""
		if askingForTerminal.MatchString(v.LastLine) { // of an input the files may be gone
			line = prose.Brief(v.LastLine)
		}
		for _, name := range []string{v.Stderr, v.Stdout} {
			if line == "" {
				line = lineWith(name, askingForTerminal)
			}
		}
		if line != "" {
			return fmt.Sprintf("the command wants a terminal (%s), and trials have none, nor any input: leave out what wants it, such as the -t and -i of docker run, turn prompts off by a flag of the command, such as --yes, or bring a terminal: -- script -qec %s /dev/null",
				prose.Quote(line), prose.Words([]string{prose.Words(command)}))
		}
	}
	return ""
}

// portTaken is what programs say that listen on a port which another process has.
var portTaken = regexp.MustCompile(`(?i)address (?:is )?already in use|\bEADDRINUSE\b|\bport\b.{0,40}\b(?:already )?(?:in use|taken|allocated|occupied)\b|only one usage of each socket address`)

// takenPort says that trials found a port taken, which looks like a flaky test or like
// another failure; failing is the trial of the failing end, nil where there is none: what
// that one says is what is searched for.
func (s *judging) takenPort(session *trial.Session, failing *trial.Record, away string) string {
	if failing != nil && lineOf(session, *failing, portTaken) != "" {
		return ""
	}
	const most = 20 // trials that are looked at
	line, looked := "", 0
	for _, r := range session.Records() {
		if isolate.Outcome(r.Outcome) != isolate.Pass && looked < most && line == "" {
			looked++
			line = lineOf(session, r, portTaken)
		}
	}
	use := "let the command take its ports from GITDD_PORT on, which are free and each worker's own"
	if away != "" {
		use = "let the command ask for any free port, port 0"
	}
	switch {
	case line == "":
		return ""
	case s.jobs > 1:
		return fmt.Sprintf("a trial found its port taken (%s), maybe by another that ran at the same time: run one at a time, -j 1, or %s", prose.Quote(line), use)
	}
	return fmt.Sprintf("a trial found its port taken (%s) by another program on this machine: end that, or %s", prose.Quote(line), use)
}

// lineOf returns a line that a trial printed and that matches, shortened; "" if there is none. It
// looks at the lines in the record, then at standard error and standard output, if they are kept.
func lineOf(session *trial.Session, r trial.Record, what *regexp.Regexp) string {
	for _, line := range []string{r.First, r.Last} {
		if what.MatchString(line) {
			return prose.Brief(line)
		}
	}
	return cmp.Or(lineWith(session.Output(r.Trial, "err"), what), lineWith(session.Output(r.Trial, "out"), what))
}

// lineWith is the first line of the begin of a file that matches, shortened; "" without one.
func lineWith(name string, what *regexp.Regexp) string {
	for line := range strings.Lines(beginOf(name)) {
		if what.MatchString(line) {
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

// failDifferently returns a hint that the test may be flaky, or that good fails for another reason,
// if both ends fail and their last lines differ in more than numbers. It returns "" with
// --confidence and --repeat, which would have found a flaky test.
func (s *settings) failDifferently(ends *trial.EndsError) string {
	good, bad := ends.Good, ends.Bad
	steady := s.confidence > 0 || s.repeat > 1 // or it would have been seen
	if steady || good.Outcome != isolate.Fail || bad.Outcome != isolate.Fail ||
		numbersIn.ReplaceAllString(good.LastLine, "0") == numbersIn.ReplaceAllString(bad.LastLine, "0") {
		return ""
	}
	return fmt.Sprintf("the two ends fail in different ways (%s at good, %s at bad): the test may be flaky, which --repeat 5 shows and --confidence 0.99 copes with; or good fails for a reason of its own, which `gitdd log --trial %d` may tell",
		prose.Quote(prose.Brief(good.LastLine)), prose.Quote(prose.Brief(bad.LastLine)), good.Trial)
}

// numbersIn are numbers and addresses, which differ from one run to the next.
var numbersIn = regexp.MustCompile(`0x[0-9a-fA-F]+|[0-9a-fA-F]*[0-9][0-9a-fA-F]*`)

// flakyHint says what to do about a test that does not always say the same; "" when
// there is nothing to say.
func flakyHint(err error) string {
	var flaky *trial.FlakyError
	var ends *trial.EndsError
	switch {
	case errors.As(err, &ends) && ends.Flaky:
		return "let COMMAND fail more often at one of them than at the other, such as by trying several times what fails now and then"
	case errors.As(err, &flaky):
		return "--confidence 0.99 repeats trials until the whole answer is right with that probability"
	case errors.Is(err, search.ErrWithheld), errors.Is(err, reduction.ErrWithheld):
		return "if the test is flaky, --confidence 0.99 repeats trials until the whole answer is right with that probability"
	}
	return ""
}

// lacking says what trials may lack, where both ends are alike or do not build: files
// that are not committed; "" when there is nothing to say.
func (s *settings) lacking(err error) string {
	var ends *trial.EndsError
	if !errors.As(err, &ends) || ends.Flaky || len(s.overlay)+len(s.kept()) > 0 {
		return ""
	}
	good, bad := ends.Good.Outcome, ends.Bad.Outcome
	switch {
	case ends.Good.Rejected || ends.Bad.Rejected:
		return "both ends have to pass --check: let it test less, or leave it out"
	case good == isolate.Pass && bad == isolate.Pass:
		return "trials have committed files only: if the failure needs other files, name them with --overlay or --keep"
	case good == isolate.Fail && bad == isolate.Fail:
		return "name an older --good; or if it passes there in your checkout, trials lack files that are not committed, which --overlay, --keep and --setup bring along"
	case s.build != "" && good == isolate.Unresolved && bad == isolate.Unresolved:
		return "a build has committed files only: --overlay, --keep and --setup bring along what else it needs"
	}
	return ""
}

package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/gitdd/gitdd/internal/cli"
	"github.com/gitdd/gitdd/internal/git"
	"github.com/gitdd/gitdd/internal/prose"
	"github.com/gitdd/gitdd/internal/settings"
)

// enterRevisions enters the revisions that stand on a command line as git diff takes them
// (GOOD, GOOD BAD, GOOD..BAD) into the flags for them.
func enterRevisions(cmd *cobra.Command, words []string) error {
	if len(words) == 0 {
		return nil
	}
	if dash := cmd.ArgsLenAtDash(); dash >= 0 && dash < len(words) { // of a command that takes none behind it
		return fmt.Errorf("unexpected argument %q behind --: --path PATHSPEC limits the changes", words[dash])
	}
	if len(words) > 2 {
		return fmt.Errorf("unexpected argument %q: want two revisions at most, GOOD BAD or GOOD..BAD", words[2])
	}
	for _, word := range words {
		if from, to, ok := strings.Cut(word, "..."); ok {
			return fmt.Errorf("%s: want GOOD..BAD, with two dots: `git merge-base %s %s` is where the two parted", word, orHead(from), orHead(to))
		}
		if strings.Contains(word, "..") && len(words) > 1 {
			return fmt.Errorf("%s: want GOOD BAD or GOOD..BAD", strings.Join(words, " "))
		}
	}
	ends := words
	if from, to, ok := strings.Cut(words[0], ".."); ok {
		ends = []string{orHead(from), orHead(to)}
	}
	for i, flag := range []string{"good", "bad"}[:len(ends)] {
		if cmd.Flags().Changed(flag) {
			return fmt.Errorf("%s and --%s %s both name the %s revision: want one of them", words[min(i, len(words)-1)], flag, cmd.Flag(flag).Value, flag)
		}
		if err := cmd.Flags().Set(flag, ends[i]); err != nil {
			return err
		}
	}
	return nil
}

// meantBad proposes to name a revision the bad one, that stands alone beside --good.
func (a *app) meantBad(cmd *cobra.Command, words []string) string {
	line := slices.Clone(a.line)
	dash := slices.Index(line, "--")
	if len(words) != 1 || strings.Contains(words[0], "..") || cmd.Flags().Changed("bad") || dash < 0 || !slices.Contains(line[:dash], words[0]) {
		return ""
	}
	for i := dash - 1; i >= 0; i-- {
		if line[i] == words[0] {
			line = slices.Insert(line, i, "--bad")
			break
		}
	}
	return "the bad revision is named by --bad: `" + cmd.Root().CommandPath() + " " + prose.Words(line) + "`"
}

// orHead is what git takes a side of a range for that is left out.
func orHead(rev string) string {
	if rev == "" {
		return "HEAD"
	}
	return rev
}

// revisionsThenCommand takes the revisions from before "--", and the command from behind it.
func (a *app) revisionsThenCommand(cmd *cobra.Command, list []string) error {
	dash := cmd.ArgsLenAtDash()
	if cmd.Flags().Changed("good-dir") || cmd.Flags().Changed("bad-dir") {
		return a.commandAfterDash(cmd, list) // folders are the ends
	}
	if dash < 0 { // the revisions alone, or with a command
		if list = list[a.countRevisions(cmd.Context(), list):]; len(list) == 0 {
			return errors.New("no command: " + cmd.Root().CommandPath() + " " + prose.Words(a.line) + " -- COMMAND [ARG...]")
		}
		return a.commandAfterDash(cmd, list)
	}
	if err := a.noPartition(list[:dash]); err != nil {
		return err
	}
	if dash > 0 && len(list) == dash {
		return errors.New("no command behind --: " + cmd.Root().CommandPath() + " " + prose.Words(a.line) + " COMMAND [ARG...]")
	}
	if dash > 0 {
		good := cmd.Flags().Changed("good")
		err := enterRevisions(cmd, list[:dash])
		if hint := a.meantBad(cmd, list[:dash]); err != nil && good && hint != "" {
			return &cli.UsageError{Cmd: cmd, Err: err, Hint: hint}
		}
		return err
	}
	return a.commandAfterDash(cmd, list)
}

// countRevisions is how many words at the begin of a list are revisions, as enterRevisions
// takes them.
func (a *app) countRevisions(ctx context.Context, list []string) int {
	repo, err := git.Open(ctx, a.dir) // main has not gone there yet
	if err != nil {
		return 0
	}
	defer repo.Close()
	for n, word := range list[:min(2, len(list))] {
		good, bad, isRange := strings.Cut(word, "..")
		_, err := repo.ResolveEnd(ctx, orHead(good))
		if err == nil && isRange {
			_, err = repo.ResolveEnd(ctx, orHead(bad))
		}
		switch {
		case err != nil || isRange && n > 0:
			return n
		case isRange:
			return 1
		}
	}
	return min(2, len(list))
}

// completeRevisions completes the words before "--", up to two revisions, and files behind it.
func (a *app) completeRevisions(cmd *cobra.Command, words []string, word string) ([]cobra.Completion, cobra.ShellCompDirective) {
	switch {
	case slices.Contains(a.line[:max(0, len(a.line)-1)], "--"):
		return nil, cobra.ShellCompDirectiveDefault
	case len(words) > 1 || len(words) == 1 && strings.Contains(words[0], ".."):
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	before, begun := "", word
	if i := strings.Index(word, ".."); i >= 0 && len(words) == 0 {
		before, begun = word[:i+2], word[i+2:]
	}
	names, directive := a.completeRevision(cmd, nil, begun)
	if before == "" && len(words) == 0 && cmd.Name() == "start" && strings.HasPrefix(git.Auto, begun) {
		names = append(names, git.Auto)
	}
	for i := range names {
		names[i] = before + names[i]
	}
	return names, directive
}

// revisionsNear is the hint for a revision that does not exist: names of the
// repository that are like it.
func (a *app) revisionsNear(ctx context.Context, err error) string {
	var missing *git.UnknownRevisionError
	if !errors.As(err, &missing) {
		return ""
	}
	if missing.Rev == git.Auto {
		return "`gitdd run --good auto -- COMMAND` goes back from --bad until a commit passes; elsewhere it is no revision"
	}
	name, rest := missing.Rev, ""
	if i := strings.IndexAny(name, "~^:@"); i > 0 {
		name, rest = name[:i], name[i:]
	}
	names, errNames := a.revisions(context.WithoutCancel(ctx))
	if errNames != nil || slices.Contains(names, name) {
		return ""
	}
	meant := cli.Near(name, names)
	for i := range meant {
		meant[i] += rest
	}
	return cli.DidYouMean(meant...)
}

// resolveSearch is resolveEnds for the ends of a search, whose good one may have to be found: then --since becomes a
// time, which means the same when the search is resumed.
func (a *app) resolveSearch(ctx context.Context, repo *git.Repo, s *settings.Search) (good, bad git.Revision, err error) {
	if s.Good != git.Auto {
		return a.resolveEnds(ctx, repo, s.Good, s.Bad)
	}
	if good, err = repo.ResolveGood(ctx, s.Good); err != nil {
		return good, bad, err
	}
	if !good.IsAuto() {
		a.hint(git.Auto + " is a branch, a tag or another revision of this repository, and that is the good end: with another name for it " + git.Auto + " looks for a commit that passes")
		return a.resolveEnds(ctx, repo, s.Good, s.Bad)
	}
	if bad, err = repo.ResolveEnd(ctx, s.Bad); err != nil {
		return good, bad, err
	}
	if bad.Commit == "" && !bad.IsWorktree() {
		return good, bad, fmt.Errorf("%s is a tree, and --good auto goes back along commits: name the good one, too, or a commit as --bad", bad.Rev)
	}
	if s.Since != "" {
		since, err := repo.Date(ctx, s.Since)
		if err != nil {
			return good, bad, err
		}
		if !since.Before(a.now().Add(-time.Second)) {
			return good, bad, fmt.Errorf("--since %s: git reads no date in the past in it; it takes such as 2026-01-31, yesterday or 3.weeks", s.Since)
		}
		s.Since = fmt.Sprintf("@%d", since.Unix())
	}
	return good, bad, nil
}

// resolveEnds resolves the two revisions that the user has named. The word worktree means the
// checkout, unless the repository has a revision of that name.
func (a *app) resolveEnds(ctx context.Context, repo *git.Repo, good, bad string) (g, b git.Revision, err error) {
	if g, err = repo.ResolveEnd(ctx, good); err == nil {
		b, err = repo.ResolveEnd(ctx, bad)
	}
	if err == nil && (g.Rev == git.Worktree && !g.IsWorktree() || b.Rev == git.Worktree && !b.IsWorktree()) {
		a.hint(git.Worktree + " is a branch, a tag or another revision of this repository, and that is tested: with another name for it " + git.Worktree + " is your checkout")
	}
	return g, b, err
}

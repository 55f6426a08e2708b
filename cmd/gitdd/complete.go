package main

import (
	"context"
	"os"
	"os/exec"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/gitdd/gitdd/internal/folders"
	"github.com/gitdd/gitdd/internal/git"
	"github.com/gitdd/gitdd/internal/measure"
	"github.com/gitdd/gitdd/internal/settings"
	"github.com/gitdd/gitdd/reduce"
	"github.com/gitdd/gitdd/suite"
)

// complete lets shells complete the values of cmd's flags, and no file names
// where none can stand.
func (a *app) complete(cmd *cobra.Command) {
	completeChoices(cmd, settings.Choices)
	if cmd.ValidArgsFunction == nil && cmd.ValidArgs == nil && !strings.Contains(cmd.Use, " ") {
		cmd.ValidArgsFunction = cobra.NoFileCompletions
	}
	cmd.LocalFlags().VisitAll(func(f *pflag.Flag) {
		var values cobra.CompletionFunc
		switch name, _ := pflag.UnquoteUsage(f); {
		case f.Name == "good" && (cmd.Name() == "run" || cmd.Name() == "start"):
			values = a.completeGood
		case f.Name == "into" && name == "WHEN":
			values = cobra.FixedCompletions(settings.Intos, cobra.ShellCompDirectiveNoFileComp)
		case f.Name == "good-dir", f.Name == "bad-dir":
			values = cobra.FixedCompletions(folders.Extensions, cobra.ShellCompDirectiveFilterFileExt)
		case name == "REV":
			values = a.completeRevision
		case name == "DIR":
			values = cobra.FixedCompletions(nil, cobra.ShellCompDirectiveFilterDirs)
		case f.Name == "same-output":
			values = cobra.FixedCompletions([]cobra.Completion{cobra.CompletionWithDesc("auto", "what common test tools print"), cobra.CompletionWithDesc(settings.StatusOnly, "compare no output")}, cobra.ShellCompDirectiveNoFileComp)
		case f.Name == "measure":
			values = completeMeasure
		case f.Name == "format-version":
			values = cobra.FixedCompletions([]cobra.Completion{"2", "3"}, cobra.ShellCompDirectiveNoFileComp)
		case name == "PARTITION":
			values = completePartition
		case name == "NAME=DIR:GOOD..BAD", name == "NAME=DIR", name == "URL", name == "K=V", name == "OPT", name == "NAME" && f.Name == "remote-instance":
			values = cobra.NoFileCompletions
		case name == "FORMAT" && f.Name == "each":
			values = cobra.FixedCompletions(suite.Formats(), cobra.ShellCompDirectiveNoFileComp)
		case name == "TEXT", name == "SIZE", name == "DIFFERENCE", name == "LIST" && f.Name == "good-exit", name == "NAME" && f.Name == "branch":
			values = cobra.NoFileCompletions
		case name == "CMD", name == "REGEX", name == "TIME", name == "DATE", f.Value.Type() == "int", f.Value.Type() == "uint64", f.Value.Type() == "duration", f.Value.Type() == "float64":
			values = cobra.NoFileCompletions
		default:
			return
		}
		if err := cmd.RegisterFlagCompletionFunc(f.Name, values); err != nil {
			panic(err) // it has the flag, and is completed once
		}
	})
}

// completeMeasure offers what can be measured. An argument is to follow behind a colon.
func completeMeasure(*cobra.Command, []string, string) (list []cobra.Completion, _ cobra.ShellCompDirective) {
	for _, k := range measure.Kinds() {
		if k.Argument == "" || strings.HasPrefix(k.Argument, "[") {
			list = append(list, cobra.CompletionWithDesc(k.Name, k.About))
		}
		if k.Argument != "" {
			list = append(list, cobra.CompletionWithDesc(k.Name+":", k.About))
		}
	}
	return list, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
}

// completePartition offers what sinfo lists, where it is there.
func completePartition(cmd *cobra.Command, _ []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
	ctx, cancel := context.WithTimeout(cmd.Context(), 5*time.Second) // the controller may be gone
	defer cancel()
	out, err := exec.CommandContext(ctx, "sinfo", "--noheader", "--format=%R").Output()
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	names := strings.Fields(string(out))
	slices.Sort(names)
	return slices.Compact(names), cobra.ShellCompDirectiveNoFileComp
}

// completeRevision offers what git's own completion does for a revision.
func (a *app) completeRevision(cmd *cobra.Command, _ []string, word string) ([]cobra.Completion, cobra.ShellCompDirective) {
	if err := os.Chdir(a.dir); err != nil { // completing, cobra runs nothing before
		return nil, cobra.ShellCompDirectiveError
	}
	all, err := a.revisions(cmd.Context())
	if err != nil {
		return nil, cobra.ShellCompDirectiveError
	}
	if name := cmd.Name(); name == "run" || name == "changes" {
		all = append(all, git.Worktree)
	}
	var names []cobra.Completion
	for _, name := range all {
		if strings.HasPrefix(name, word) {
			names = append(names, name)
		}
	}
	return names, cobra.ShellCompDirectiveNoFileComp
}

// completeGood is completeRevision for the good end of a search.
func (a *app) completeGood(cmd *cobra.Command, list []string, word string) ([]cobra.Completion, cobra.ShellCompDirective) {
	names, directive := a.completeRevision(cmd, list, word)
	if strings.HasPrefix(git.Auto, word) {
		names = append(names, git.Auto)
	}
	return names, directive
}

// revisions are HEAD, branches, tags, and branches of remotes.
func (a *app) revisions(ctx context.Context) ([]string, error) {
	repo, err := a.open(ctx)
	if err != nil {
		return nil, err
	}
	defer repo.Close()
	refs, err := repo.Git(ctx, "for-each-ref", "--format=%(refname:strip=2)", "refs/heads", "refs/tags", "refs/remotes")
	return append([]string{"HEAD"}, strings.Fields(string(refs))...), err
}

// completeChoices lets shells complete the values of cmd's flags, but for those whose
// words the command has told itself.
func completeChoices(cmd *cobra.Command, choices map[string][]string) {
	for flag, list := range choices {
		if _, told := cmd.GetFlagCompletionFunc(flag); told || cmd.LocalFlags().Lookup(flag) == nil {
			continue
		}
		err := cmd.RegisterFlagCompletionFunc(flag, cobra.FixedCompletions(list, cobra.ShellCompDirectiveNoFileComp))
		if err != nil {
			panic(err) // it has the flag, and is completed once
		}
	}
}

// completeReduction lets shells complete what is one of a few words only in a reduction.
func completeReduction(cmd *cobra.Command) {
	completeChoices(cmd, map[string][]string{"format": settings.FormatNames(), "passes": reduce.Passes(), "algorithm": reduce.Algorithms()})
}

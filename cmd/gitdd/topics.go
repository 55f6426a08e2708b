package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"
)

// endings are the exit statuses of a search, with the status of the result that
// goes with each.
var endings = []struct {
	code   int
	status string
	what   string
}{
	{exitIsolated, "isolated", "the cause is isolated, and printed"},
	{exitNothing, "not-isolated", "there is nothing to isolate, or no answer to trust"},
	{exitUsage, "", "the command line cannot be meant: nothing was done"},
	{exitBudget, "budget", "the budget is spent: suspects are left"},
	{exitTrouble, "error", "the repository or the machine is at fault"},
	{exitInterrupted, "interrupted", "by a signal, such as Ctrl-C: suspects are left"},
}

// topics are the pages of gitdd help that are about no one command.
func topics() []*cobra.Command {
	var codes strings.Builder
	for _, e := range endings {
		fmt.Fprintf(&codes, "  %-4d %-13s %s\n", e.code, e.status, e.what)
	}
	return []*cobra.Command{
		{
			Use:   "exit-codes",
			Short: "How a search ends, for scripts",
			Long: `How a search ends (run, bisect, resume, demo): the exit status, and the field
"status" of --json FILE.

` + codes.String() + `
A reduction (reduce, resume) ends so, too: with 0 its status is reduced, with 1
not-reduced, and with --passing as above. explain ends as its second half, and
as the first where that finds nothing; the JSON has both.

The field "reason" says more. FILE is written at every end but 2, whole or not
at all; --json - writes to standard output, in place of the report. Where the
result has a "session", gitdd resume goes on with it after 3, 4 and 130: trials
that had finished are not repeated.

gitdd btor hunt ends with 0 where there are findings and with 1 where there are
none, gitdd btor compare with 1 where answers differ; 2, 4 and 130 as above.
Other commands end with 0, or with 1 where there is nothing between the two
revisions, 2 and 4 as above.`,
		},
		{
			Use:   "environment",
			Short: "Variables that gitdd reads and sets",
			Long: `gitdd reads these variables, and those that git reads:

  GITDD_CACHE_DIR  where sessions and workspaces are kept (default: gitdd
                   in your cache directory)
  TMPDIR           where temporary directories are made, unless that is more
                   than 50 bytes long: then in /tmp
  NO_COLOR         no colours, unless --color=always
  GIT_DIR          the repository, and GIT_WORK_TREE its checkout

` + environmentHelp,
		},
	}
}

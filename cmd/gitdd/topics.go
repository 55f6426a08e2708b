package main

import (
	"cmp"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"github.com/gitdd/gitdd/grouping"
	"github.com/gitdd/gitdd/isolate"
	"github.com/gitdd/gitdd/reduce"
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

// topics are the guides of gitdd help: pages that are about no one command, or
// about how to use one. They fit a screen of 80 columns and 60 lines.
func topics() []*cobra.Command {
	return []*cobra.Command{
		{Use: "outcomes", Short: "What the command may say, and what is made of it", Long: outcomesGuide},
		{Use: "groups", Short: "How the changes are cut, grouped and ordered", Long: groupsGuide()},
		{Use: "algorithms", Short: "Ways to search, and what each of them costs", Long: algorithmsGuide()},
		{Use: "reduce", Short: "How inputs are made small, and by which rules", Long: reduceGuide()},
		{Use: "remote", Short: "Trials on a cluster: what to give, what is different", Long: remoteGuide},
		{Use: "exit-codes", Short: "How a search ends, for scripts", Long: exitCodesGuide()},
		{Use: "environment", Short: "Variables that gitdd reads and sets", Long: environmentGuide},
	}
}

const outcomesGuide = `A trial runs COMMAND on a configuration, a choice of the changes. Its outcome is
a pass, a fail, or unresolved: it says nothing, and the search goes around it.

  COMMAND ends with     its outcome is
  0                     pass
  1 to 124              fail
  125                   unresolved: it says that it cannot judge this
  126, 127              unresolved: what it calls cannot be run
  a signal, 128 to 255  unresolved, or what --on-signal says
  no end in time        unresolved, by --timeout
  too much memory       unresolved, by --max-memory; so of the disk

Both ends are tested before all else, and say what the failure is. If the
failing end is killed by a signal, say, then that signal is the failure, and
exit status 1 is another failure: unresolved. Equal ends leave nothing to
isolate. A COMMAND that cannot be run at the good end is an error.

A mixture of two revisions may fail in a way that neither of them does. It is
unresolved if it does not build, or if its failure is not the failing end's:

  --check CMD          runs first; if it fails, COMMAND does not run
  --build CMD          runs before COMMAND; if it fails: unresolved
  --match REGEX        the output of a failure must match
  --same-output REGEX  its first match must be that of the failing end;
                       auto: what test tools print; status: any output

Without the last two, a failure that names none of the tests that fail at the
failing end, or prints other errors, is unresolved. The first one costs a second
run of the failing end, which --max-trials does not count: if the output of that
differs, too, only the exit status is compared.

  gitdd run --good v1 --match 'assertion failed' -- make test
  gitdd run --good v1 -- sh -c 'make || exit 125; ./check.sh'

gitdd learns from unresolved trials which changes need each other. A build of at
most 2 s that stopped at its first errors (go, make, javac) is run again in a
copy of the workspace, to print all of them; no outcome depends on that. A check
costs less and gives the same. Both ends must pass it; a rejection is no trial.

If the failure of an answer has a warning, an exception or a value that no
commit prints, the search goes on without such failures, but not with --mixtures
lenient. A build should not silence warnings. gitdd log --trial 3 shows one.

COMMAND is no line of shell: sh -c 'LINE' is one. It finds committed files only;
--overlay and --keep bring others (--keep auto: as needed), --setup prepares it.

COMMAND may take the time of --timeout, by default 10 times that of the slower
end, at least 10 s. After two mixtures, others may take 1 s and 5 times as long
as the slowest judged trial, at least 2 s (not on clusters, nor with --repeat or
--confidence); what the answer depends on is run again with the full time.

When the same files pass and fail, the test is flaky. A search that sees it
stops; --repeat N looks for it. --confidence 0.99 measures both ends first, and
then repeats what the answer rests on until it is right with that probability:

  gitdd run --good v1 --confidence 0.99 -- ./flaky-test.sh

Both ends of an answer are tested again in a fresh workspace before it is shown.

See also gitdd help reduce (reductions) and gitdd help exit-codes (of gitdd).`

// groupsGuide names the levels of every way of grouping, and those of --level.
func groupsGuide() string {
	var ways strings.Builder
	for _, name := range choices["group"] {
		fmt.Fprintf(&ways, "  %-10s  %-31s  %s\n", name, levelNames(groupings[name]), groupingUses[name])
	}
	return `The difference of two revisions is cut into changes: hunks of text without lines
around them, files that are created, deleted or renamed, file modes, symlinks,
commits of submodules. A search tries groups of changes, and then splits those
groups that matter. These commands list the changes and run no trial; -2,1 +2,3
means that line 2 was replaced by three lines, 2 to 4:

  gitdd changes --good v1
  gitdd changes --good v1 --path src --group syntax

--group WHAT sets the levels of groups, coarse to fine; the default is place:

` + ways.String() + `
--level LEVEL is how fine the answer gets. In the end whole files and hunks are
cut further: symbol cuts at declarations, line into lines, hunk not at all, and
node within lines: into arguments, operators, keys of JSON, cells of CSV. The
default, auto, is line, but leaves a hunk of up to 40 lines whole unless it
replaces lines one by one: lines that came together seldom fail alone. If more
than 5 lines are left, and few trials are expected, auto goes on: it tests each
hunk without the lines that it removes and cuts it into lines if the test still
fails, and it goes within lines. No mixture is tested then that does not parse.

  gitdd run --good v1 --level line -- make test

A change may require another: a configuration with the one and without the
other cannot pass or fail. Requirements are

  structural  certain: the text of a new file requires the file
  predicted   probable: a name is used here and declared there
  learned     read off what an unresolved trial printed, as by a compiler

No trial violates a structural requirement. The search keeps to the others until
a trial that violates one passes or fails. What the cause requires is its
context. The report shows the lines of it below the cause: often the cause only
switches new code on, and the fault is in that code. Symbols are found in the
languages that gitdd parses (see gitdd version), not in other text.

Where the history allows it the commits come first: real revisions, which mostly
build. The search bisects them, and then cuts the one that made the difference;
of a merge, the side that did it. The report counts those on the line of first
parents, and those of a side once the search goes into it. With --no-history,
--path, another --goal or --algorithm, and where the revisions have no common
history, the whole difference is searched instead. This does so where one huge
commit hides the history:

  gitdd run --good v1 --no-history -- make test

--first-parent keeps out of the sides of merges. --all goes on behind the first
answer: does it need an earlier change, are there other causes? --through always
looks at any cause for what it switches on, not only at a short one.`
}

// groupingUses say when to choose each way of grouping.
var groupingUses = map[string]string{
	"place":      "as the files lie",
	"syntax":     "few, large files",
	"identifier": "one name in many files",
	"time":       "with --no-history",
	"none":       "to compare algorithms",
}

func levelNames(levels []grouping.Level) string {
	var names []string
	for _, l := range levels {
		names = append(names, l.String())
	}
	return cmp.Or(strings.Join(names, ", "), "each change by itself")
}

// algorithmsGuide has the rows of isolate's table.
func algorithmsGuide() string {
	var rows strings.Builder
	for _, about := range isolate.Abouts() {
		pad := strings.Repeat(" ", max(0, 16-utf8.RuneCountInString(about.Cost)))
		fmt.Fprintf(&rows, "  %-13s  %s%s  %s\n", about.Name, about.Cost, pad, about.Use)
	}
	return `auto, the default, is the best that is known. Others serve to compare, or where
you know of the cause what gitdd does not. All of them share the rest: nothing
is tested twice, -j, budgets, gitdd resume, and a proof that each member of the
answer is needed.

  gitdd run --good v1 --algorithm ddmin -- make test

The cost is in trials for one cause among n changes, with logarithms to base 2,
and with how it may rise at worst; of cgr and pce it is in rounds of k trials.

  --algorithm    cost              when, and its year
` + rows.String() + `
auto takes cpi, which asks for what tells most: by groups, by what requires
what, by what the failure prints. With --rounds it takes cgr, if the -j N trials
of a round tell more than N cuts do; "algorithm" in the report says which, and
why. Any other algorithm searches the whole difference, as --no-history does.

-j N runs N trials at a time, on a path and to an answer that are the same for
every N: it looks ahead. --rounds spends more trials to need fewer rounds:

  gitdd run --good v1 -j 2 -- make test
  gitdd run --good v1 -j 8 --rounds -- make test

--goal GOAL says which smallest answer is wanted:

  cause      the smallest difference, with all members that interact
  introduce  the smallest set of changes that breaks good
  revert     the smallest set to take out of bad so that it passes

  gitdd run --good v1 --goal revert -- make test

--max-trials N and --max-time TIME end a search with the best answer so far and
exit status 3; nothing is lost:

  gitdd run --good v1 --max-trials 5 --max-time 1h -- make test
  gitdd resume --max-trials 100

Those of gitdd reduce are others: gitdd help reduce.`
}

// reduceGuide names the formats and the passes.
func reduceGuide() string {
	var formats []string
	for _, f := range reduce.Formats() {
		formats = append(formats, f.Name)
	}
	return `A reduction makes an input small while COMMAND still fails on it the same way.

  gitdd reduce crash.c -- gcc -O2 -c {}
  gitdd reduce crash.c --match 'internal error' -j 2 -- gcc -O2 -c {}

{} is the candidate; without it COMMAND finds the input by its name in the new
directory that it runs in, and, unless it names that, on its standard input.
gitdd reduce - reads the input from there, and writes to standard output what
is left. Exit status 0 means that it does not fail, 125 that
it cannot be judged. Another exit status or signal than that of the input is
another failure, and so is what --match and --same-output tell apart;
--save-other DIR keeps an input of each kind. Scripts of creduce's convention,
where 0 says that an input is interesting, want --interesting:

  gitdd reduce crash.c --interesting -- ./interesting.sh

The smallest input so far is in crash.c.reduced, or in the file of --output,
from the first success on; gitdd resume goes on after Ctrl-C.

--format is guessed from the name and the content. What is not of its kind is
cut by brackets, indentation or lines. Files of directories and archives (zip,
tar, tar.gz) go first. Formats:

` + listed(formats) + `
--passes are made in turn until nothing gets smaller. btor has its own:

` + listed(reduce.Passes()) + `
--algorithm cuts the structure: auto, or one of a tree and one of a list as
hdd*/ddmin; gitdd reduce --help names them. In the end each single element that
is left is tried; --fast leaves that out, and then the answer is not shown to be
minimal. gitdd resume --fast=false makes up for it.

--keep REGEX leaves text as it is. --confidence, -j and budgets are as in a
search (gitdd help outcomes, gitdd help algorithms).

What must pass elsewhere makes an input say more:

  gitdd reduce bad.xml --passing good.xml -- xmllint --noout {}
  gitdd reduce crash.c --good v1 --bad HEAD --build make -- ./cc {}

The first finds the smallest difference of two inputs, the second keeps what
passes with v1 and fails with HEAD; gitdd explain then finds the changes between
the two that break it. Graphs in BTOR, and solvers: gitdd help btor.`
}

// listed is words in indented lines that fit 80 columns.
func listed(words []string) string {
	var b strings.Builder
	line := " "
	for _, word := range words {
		if len(line)+1+len(word) > 73 {
			b.WriteString(line + "\n")
			line = " "
		}
		line += " " + word
	}
	b.WriteString(line + "\n")
	return b.String()
}

func exitCodesGuide() string {
	var codes strings.Builder
	for _, e := range endings {
		fmt.Fprintf(&codes, "  %-4d %-13s %s\n", e.code, e.status, e.what)
	}
	return `How a search ends (run, bisect, resume, demo): the exit status, and the field
"status" of --json FILE.

` + codes.String() + `
A reduction (reduce, resume) ends so, too: with 0 its status is reduced, with 1
not-reduced, and with --passing as above. explain ends as its second half, and
as the first where that finds nothing; the JSON has both.

The field "reason" says more. FILE is written at every end but 2, whole or not
at all; --json - writes to standard output, in place of the report. Where the
result has a "session", gitdd resume goes on with it after 3, 4 and 130: trials
that had finished are not repeated.

  gitdd run --good v1 --max-time 20m --json result.json -- make test

gitdd btor hunt ends with 0 where there are findings and with 1 where there are
none, gitdd btor compare with 1 where answers differ; 2, 4 and 130 as above.
Other commands end with 0, or with 1 where there is nothing between the two
revisions, 2 and 4 as above.`
}

const environmentGuide = `gitdd reads these variables, and those that git reads:

  GITDD_CACHE_DIR  where sessions and workspaces are kept (default: gitdd
                   in your cache directory)
  TMPDIR           where temporary directories are made, unless that is
                   more than 50 bytes long: then in /tmp
  NO_COLOR         no colours, unless --color=always
  GIT_DIR          the repository, and GIT_WORK_TREE its checkout

` + environmentHelp

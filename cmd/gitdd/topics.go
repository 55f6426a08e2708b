package main

import (
	"cmp"
	"embed"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"github.com/gitdd/gitdd/grouping"
	"github.com/gitdd/gitdd/internal/measure"
	"github.com/gitdd/gitdd/internal/settings"
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
		{Use: "outcomes", Short: "What the command may say, and what is made of it", Long: guide("outcomes")},
		{Use: "groups", Short: "How the changes are cut, grouped and ordered", Long: groupsGuide()},
		{Use: "algorithms", Short: "Ways to search, and what each of them costs", Long: algorithmsGuide()},
		{Use: "each", Short: "All failing tests of a suite at once, by cause", Long: guide("each")},
		{Use: "measure", Short: "Numbers of trials: times, sizes, benchmarks", Long: measureGuide()},
		{Use: "folders", Short: "Two folders or archives, without a repository", Long: guide("folders")},
		{Use: "with", Short: "Several repositories in one search", Long: guide("with")},
		{Use: "into", Short: "From the update of a dependency to the lines in it", Long: guide("into")},
		{Use: "by-hand", Short: "Judge yourself, without a command", Long: guide("by-hand")},
		{Use: "reduce", Short: "How inputs are made small, and by which rules", Long: reduceGuide()},
		{Use: "remote", Short: "Trials on a cluster: what to give, what is different", Long: guide("remote")},
		{Use: "exit-codes", Short: "How a search ends, for scripts", Long: exitCodesGuide()},
		{Use: "environment", Short: "Variables that gitdd reads and sets", Long: guide("environment")},
	}
}

//go:embed guides
var guideFiles embed.FS

// guide returns the text of a guide, with values in the place of lines that stand for them: parts are such
// lines, each followed by its value.
func guide(name string, parts ...string) string {
	text, err := guideFiles.ReadFile("guides/" + name + ".txt")
	if err != nil {
		panic(err) // it is part of the program
	}
	for i := range parts {
		parts[i] = strings.TrimSuffix(parts[i], "\n")
	}
	return strings.NewReplacer(parts...).Replace(strings.TrimSuffix(string(text), "\n"))
}

// groupsGuide names the levels of every way of grouping, and those of --level.
func groupsGuide() string {
	var ways strings.Builder
	for _, name := range settings.Choices["group"] {
		fmt.Fprintf(&ways, "  %-10s  %-31s  %s\n", name, levelNames(settings.Groupings[name]), groupingUses[name])
	}
	return guide("groups", "{{ways}}", ways.String())
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
	return guide("algorithms", "{{algorithms}}", rows.String())
}

// measureGuide has the rows of the table of what can be measured.
func measureGuide() string {
	var rows strings.Builder
	for _, k := range measure.Kinds() {
		name := k.Name
		if argument := strings.TrimSuffix(strings.TrimPrefix(k.Argument, "["), "]"); argument != "" {
			name += ":" + argument
		}
		fmt.Fprintf(&rows, "  %-20s  %s\n", name, k.About)
	}
	return guide("measure", "{{kinds}}", rows.String())
}

// reduceGuide names the formats and the passes.
func reduceGuide() string {
	return guide("reduce", "{{formats}}", listed(settings.FormatNames()), "{{passes}}", listed(reduce.Passes()))
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
	return guide("exit-codes", "{{statuses}}", codes.String())
}

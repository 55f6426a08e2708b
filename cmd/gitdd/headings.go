package main

import (
	"regexp"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// headings stand before the flags they name, where a command has all of those
// that make and judge a trial: so many want a person to find things.
var headings = map[string]string{
	"setup":      "How a trial is made",
	"match":      "Which outcome it has",
	"jobs":       "How the search goes",
	"max-trials": "When it ends",
	"remote":     "On which machines",
	"json":       "What is written",
}

// hasHeadings: flags are those of a command that searches with a command of the
// user's.
func hasHeadings(flags *pflag.FlagSet) bool { return flags.Lookup("setup") != nil }

func init() { cobra.AddTemplateFunc("headed", headed) }

// headed puts the headings into the usage of flags.
func headed(usage string) string {
	usage = optional(usage)
	if !strings.Contains(usage, " --setup ") {
		return usage
	}
	var b strings.Builder
	for line := range strings.Lines(usage) {
		if m := flagLine.FindStringSubmatch(line); m != nil && headings[m[1]] != "" {
			b.WriteString("\n" + headings[m[1]] + ":\n")
		}
		b.WriteString(line)
	}
	return b.String()
}

// optional says of a flag whose value may be left out how it is written.
func optional(usage string) string {
	return strings.Replace(usage, "--slurm PARTITION[=*]", "--slurm[=PARTITION]  ", 1)
}

// flagLine begins the usage of a flag.
var flagLine = regexp.MustCompile(`^ {2,6}(?:-\w, )?--([\w-]+)`)

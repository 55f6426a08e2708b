package cli

import (
	"path/filepath"
	"regexp"
	"strings"

	"github.com/spf13/cobra"

	"github.com/gitdd/gitdd/internal/lazyregexp"
)

// NameOf is how the user calls a gitdd that was started as argv0: git runs
// git-dd for `git dd`.
func NameOf(argv0 string) string {
	if strings.TrimSuffix(filepath.Base(argv0), ".exe") == "git-dd" {
		return "git dd"
	}
	return "gitdd"
}

// Namer returns a function that puts the name the user calls gitdd by into the
// commands that a text tells to run, as in "gitdd resume goes on". Whatever
// writes such texts, here and in the packages below, writes gitdd.
func Namer(name string, root *cobra.Command) func(string) string {
	if name == "gitdd" {
		return func(text string) string { return text }
	}
	verbs := []string{"help"}
	for _, cmd := range root.Commands() {
		verbs = append(verbs, regexp.QuoteMeta(cmd.Name()))
	}
	command := regexp.MustCompile(`\bgitdd (` + strings.Join(verbs, "|") + `)\b`)
	return func(text string) string { return command.ReplaceAllString(text, name+" $1") }
}

// Rename has the help of cmd and of the commands below it show the name.
func Rename(cmd *cobra.Command, named func(string) string) {
	cmd.Long, cmd.Example = named(cmd.Long), named(cmd.Example)
	for _, sub := range cmd.Commands() {
		Rename(sub, named)
	}
}

var sessionName = lazyregexp.New(`\b\d{8}-\d{6}-[0-9a-f]+\b`)

// WithSession returns a function that puts the name of a session into those of some commands that a text tells to run on it, where
// they name none: alone on a line, between backquotes, or in parentheses. These commands take the session as their last word before the
// command of a test.
func WithSession(session string, commands ...string) func(string) string {
	told := regexp.MustCompile("(?m)(^|[`(])(gitdd (?:" + strings.Join(commands, "|") + ")\\b[^`()\n]*?)( -- [^`()\n]*)?($|[`)])")
	return func(text string) string {
		return told.ReplaceAllStringFunc(text, func(command string) string {
			if sessionName().MatchString(command) {
				return command
			}
			return told.ReplaceAllString(command, "${1}${2} "+session+"${3}${4}")
		})
	}
}

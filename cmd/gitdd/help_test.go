package main

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/gitdd/gitdd/internal/cli"
)

// The help of every command fits 80 columns, by either name, and no flag takes
// a value that is called by its type.
func TestHelpFits(t *testing.T) {
	for _, name := range []string{"gitdd", "git dd"} {
		for cmd := range cli.Commands(new(app).command(name)) {
			help := cmd.Long + "\n" + cmd.UsageString()
			for line := range strings.SplitSeq(help, "\n") {
				if n := utf8.RuneCountInString(line); n > 80 {
					t.Errorf("%s --help: %d columns: %s", cmd.CommandPath(), n, line)
				}
				if words := strings.Fields(line); len(words) > 1 && strings.HasPrefix(words[0], "--") && (words[1] == "string" || words[1] == "int") {
					t.Errorf("%s --help: the value of %s has no name", cmd.CommandPath(), words[0])
				}
			}
		}
	}
}

package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"github.com/gitdd/gitdd/internal/cli"
)

var (
	inlineCode = regexp.MustCompile("`([^`]+)`")
	makeTarget = regexp.MustCompile(`(?m)^([a-z-]+):`)
	flagName   = regexp.MustCompile(`^--[a-z][a-z-]*$`)
)

// foreign are flags that the documents speak of and that are not gitdd's.
var foreign = []string{"--atom", "--no-checkout", "--not-c"}

// TestCommandLines holds the documents to the commands and flags that there are:
// every command line of gitdd in them, in a session, a block or a sentence, every
// flag that a sentence names alone, and every target of make.
func TestCommandLines(t *testing.T) {
	makefile, err := os.ReadFile(filepath.Join(top, "Makefile"))
	if err != nil {
		t.Fatal(err)
	}
	var targets []string
	for _, m := range makeTarget.FindAllStringSubmatch(string(makefile), -1) {
		targets = append(targets, m[1])
	}
	root := new(app).command("gitdd")
	root.InitDefaultHelpCmd()
	known := slices.Clone(foreign)
	for cmd := range cli.Commands(root) {
		cmd.InitDefaultHelpFlag()
		for _, flag := range flags(cmd) {
			known = append(known, "--"+flag)
		}
	}
	lines := 0
	for _, d := range documents(t) {
		for at, code := range d.code() {
			where := fmt.Sprintf("%s:%d", d.name, at.line+1)
			words := shellWords(code)
			switch {
			case len(words) == 0:
			case words[0] == "gitdd", words[0] == "git" && len(words) > 1 && words[1] == "dd":
				lines++
				if words[0] == "git" {
					words = words[1:]
				}
				if err := commandLine(root, words[1:]); err != nil {
					t.Errorf("%s: %s: %v", where, code, err)
				}
				// The readme names commands to be run, other documents also what a command is called.
				last := words[len(words)-1]
				if cmd, _, err := root.Find(words[1:]); d.name == "README.md" && err == nil && flagName.MatchString(last) {
					if flag := cmd.Flag(last[2:]); flag != nil && flag.NoOptDefVal == "" {
						t.Errorf("%s: %s: %s wants a value", where, code, last)
					}
				}
			case words[0] == "make" && len(words) > 1 && !at.inline && !slices.Contains(targets, words[1]):
				t.Errorf("%s: the Makefile has no target %s", where, words[1])
			case at.inline && flagName.MatchString(words[0]) && !slices.Contains(known, words[0]):
				t.Errorf("%s: no command has the flag %s", where, words[0])
			}
		}
	}
	if lines < 50 {
		t.Errorf("found %d command lines only: are they no longer found?", lines)
	}
}

// A spot is where code stands in a document.
type spot struct {
	line, column int
	inline       bool // within a sentence
}

// code is the command lines of the indented blocks and sessions, and what stands
// between single backticks in the text.
func (d *document) code() map[spot]string {
	all := map[spot]string{}
	fenced := false
	for i := 0; i < len(d.lines); i++ {
		line := d.lines[i]
		indented := strings.HasPrefix(line, "    ") && !fenced
		switch {
		case strings.HasPrefix(line, "```"):
			fenced = !fenced
		case fenced && strings.HasPrefix(line, "$ "), indented:
			from, whole := i, strings.TrimPrefix(strings.TrimSpace(line), "$ ")
			for strings.HasSuffix(whole, `\`) && i+1 < len(d.lines) {
				i++
				whole = strings.TrimSuffix(whole, `\`) + strings.TrimSpace(d.lines[i])
			}
			all[spot{line: from}] = whole
		case !fenced:
			// A span may go on in the next line, if that is no other block.
			for _, m := range inlineCode.FindAllStringSubmatchIndex(line, -1) {
				all[spot{i, m[0], true}] = line[m[2]:m[3]]
			}
		}
	}
	return all
}

// commandLine says what is wrong with the arguments of gitdd, of which names in
// capitals and in braces may stand for anything.
func commandLine(root *cobra.Command, words []string) error {
	if i := slices.Index(words, "--"); i >= 0 {
		words = words[:i]
	}
	if i := slices.IndexFunc(words, func(w string) bool { return w == "|" || w == "#" || strings.HasPrefix(w, ">") }); i >= 0 {
		words = words[:i]
	}
	cmd, rest, err := root.Find(words)
	if err != nil {
		return err
	}
	if cmd.Name() == "help" && len(rest) > 0 {
		if topic, _, err := root.Find(rest); err != nil || topic == root {
			return fmt.Errorf("there is no help on %s", rest[0])
		}
		return nil
	}
	cmd.InitDefaultHelpFlag()
	for _, word := range rest {
		if !strings.HasPrefix(word, "-") || word == "-" {
			continue
		}
		name, _, _ := strings.Cut(strings.TrimLeft(word, "-"), "=")
		long := strings.HasPrefix(word, "--")
		if long && cmd.Flag(name) == nil || !long && cmd.Flags().ShorthandLookup(name[:1]) == nil && cmd.InheritedFlags().ShorthandLookup(name[:1]) == nil {
			return fmt.Errorf("%s has no flag %s", cmd.CommandPath(), word)
		}
	}
	if cmd == root && len(rest) > 0 && !strings.HasPrefix(rest[0], "-") {
		return fmt.Errorf("there is no command %s", rest[0])
	}
	return nil
}

// flags are the long names of a command's flags, those of its parents included.
func flags(cmd *cobra.Command) (names []string) {
	for line := range strings.Lines(cmd.LocalFlags().FlagUsages() + cmd.InheritedFlags().FlagUsages()) {
		if _, after, ok := strings.Cut(line, "--"); ok {
			names = append(names, strings.FieldsFunc(after, func(r rune) bool { return r == ' ' || r == '[' || r == '\n' })[0])
		}
	}
	return names
}

// shellWords splits a command line as a shell would that knows quotes only.
func shellWords(line string) (words []string) {
	var word strings.Builder
	var quote rune
	open := false
	for _, r := range line + " " {
		switch {
		case quote != 0 && r == quote:
			quote = 0
		case quote != 0:
			word.WriteRune(r)
		case r == '\'' || r == '"':
			quote, open = r, true
		case r == ' ':
			if open || word.Len() > 0 {
				words = append(words, word.String())
			}
			word.Reset()
			open = false
		default:
			word.WriteRune(r)
		}
	}
	return words
}

// A document that names what is not there is found out.
func TestCommandLineRefuses(t *testing.T) {
	root := new(app).command("gitdd")
	root.InitDefaultHelpCmd()
	for _, line := range []string{"run --god v1 -- make", "find -- make", "help nothing", "reduce -Z a -- cc", "btor hunt --ceiling 3"} {
		if err := commandLine(root, shellWords(line)); err == nil {
			t.Errorf("gitdd %s: accepted", line)
		}
	}
	for _, line := range []string{"run --good v1 -j 4 --build 'make -s' -- cc --odd", "help exit-codes", "btor hunt -n 40 --against 'z3 {smt2}' -- boolector {}", "log --trial 3 >out", "--help"} {
		if err := commandLine(root, shellWords(line)); err != nil {
			t.Errorf("gitdd %s: %v", line, err)
		}
	}
}

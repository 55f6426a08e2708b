package cli

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
)

func init() {
	cobra.EnableCommandSorting = false // they stand in the order of their use
}

// Guides are pages of the help that are about no one command, or about how to use one. A guide has a
// name (Use), a line that says what it is about (Short) and a text (Long).
type Guides []*cobra.Command

// AddTo adds the guides to a command line. Where one has the name of a command, only help shows it:
// the command line has the command.
func (g Guides) AddTo(root *cobra.Command) {
	for _, guide := range g {
		if cmd, _, err := root.Find([]string{guide.Name()}); err != nil || cmd == root {
			root.AddCommand(guide)
		}
	}
	root.SetUsageTemplate(g.usageTemplate())
}

// find is the guide that words name, nil if they name none.
func (g Guides) find(words []string) *cobra.Command {
	if len(words) != 1 {
		return nil
	}
	i := slices.IndexFunc(g, func(guide *cobra.Command) bool { return guide.Name() == words[0] })
	if i < 0 {
		return nil
	}
	return g[i]
}

// Help prints the guide or the help of the command that words name. cmd is the help command.
func (g Guides) Help(cmd *cobra.Command, words []string) error {
	if guide := g.find(words); guide != nil {
		_, err := fmt.Fprintln(cmd.OutOrStdout(), guide.Long)
		return err
	}
	found, rest, err := cmd.Root().Find(words)
	if err != nil || len(rest) > 0 {
		word := words[len(words)-max(1, len(rest))]
		if found == nil || !found.HasSubCommands() {
			found = cmd.Root()
		}
		return &UsageError{Cmd: cmd, Err: unknownWord{"command or guide", word}, Hint: DidYouMean(quoted(helpNear(found, word))...)}
	}
	found.InitDefaultHelpFlag() // it is shown
	return found.Help()
}

// helpNear returns the command lines that show what was meant with word below cmd.
func helpNear(cmd *cobra.Command, word string) []string {
	lines := commandsNear(cmd, word)
	name := cmd.Root().CommandPath()
	for i, line := range lines {
		lines[i] = name + " help " + strings.TrimPrefix(strings.TrimPrefix(line, name+" "), "help ")
	}
	return lines
}

// Complete completes the words behind the help command: commands, and first of all guides.
func (g Guides) Complete(cmd *cobra.Command, words []string, begin string) ([]cobra.Completion, cobra.ShellCompDirective) {
	found, rest, err := cmd.Root().Find(words)
	if err != nil || len(rest) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	var names []cobra.Completion
	add := func(sub *cobra.Command) {
		if strings.HasPrefix(sub.Name(), begin) {
			names = append(names, cobra.CompletionWithDesc(sub.Name(), sub.Short))
		}
	}
	if len(words) == 0 {
		for _, guide := range g {
			add(guide)
		}
	}
	for _, sub := range found.Commands() {
		if sub.IsAvailableCommand() && (len(words) > 0 || g.find([]string{sub.Name()}) == nil) {
			add(sub)
		}
	}
	return names, cobra.ShellCompDirectiveNoFileComp
}

// usageTemplate is the template of a usage that lists the guides.
func (g Guides) usageTemplate() string {
	var rows strings.Builder
	for _, guide := range g {
		fmt.Fprintf(&rows, "\n  {{%q}}", fmt.Sprintf("%-12s %s", guide.Name(), guide.Short))
	}
	return strings.Replace(usageTemplate, "GUIDES", rows.String(), 1)
}

// usageTemplate is cobra's with the words of our help, and GUIDES in the place of the guides.
const usageTemplate = `Usage:{{if .HasAvailableSubCommands}}
  {{.CommandPath}} COMMAND [flags]{{else}}
  {{.UseLine}}{{end}}{{if .HasExample}}

Examples:
{{.Example}}{{end}}{{if .HasAvailableSubCommands}}{{$cmds := .Commands}}{{range $group := .Groups}}

{{.Title}}{{range $cmds}}{{if (and (eq .GroupID $group.ID) .IsAvailableCommand)}}
  {{rpad .Name .NamePadding}} {{.Short}}{{end}}{{end}}{{end}}{{if not .Groups}}

Commands:{{range $cmds}}{{if .IsAvailableCommand}}
  {{rpad .Name .NamePadding}} {{.Short}}{{end}}{{end}}{{end}}{{end}}{{if not .HasParent}}

Guides:GUIDES{{end}}{{if .HasAvailableLocalFlags}}

Flags:
{{flags .LocalFlags | trimTrailingWhitespaces}}{{end}}{{if .HasAvailableInheritedFlags}}

Global Flags:
{{flags .InheritedFlags | trimTrailingWhitespaces}}{{end}}{{if .HasAvailableSubCommands}}

{{.CommandPath}} COMMAND --help explains a command{{if not .HasParent}}, {{.CommandPath}} help GUIDE shows a guide{{end}}.{{end}}
`

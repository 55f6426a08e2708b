package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"
)

func init() {
	cobra.EnableCommandSorting = false // they stand in the order of their use
	cobra.AddTemplateFunc("guides", topics)
}

func (a *app) helpCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "help [COMMAND | GUIDE]",
		Short: "Explain a command, or show a guide",
		Long: `Explain a command as its --help does, or show one of the guides that gitdd help
lists. They are manual pages as well: gitdd-run(1), gitdd-outcomes(7).`,
		Example: `  gitdd help outcomes
  gitdd help btor hunt`,
		ValidArgsFunction: completeHelp,
		RunE: func(cmd *cobra.Command, words []string) error {
			if topic := topicOf(words); topic != nil {
				_, err := fmt.Fprintln(a.stdout, a.named(topic.Long))
				return err
			}
			found, rest, err := cmd.Root().Find(words)
			if err != nil || len(rest) > 0 {
				word := words[len(words)-max(1, len(rest))]
				if found == nil || !found.HasSubCommands() {
					found = cmd.Root()
				}
				return &usageError{cmd: cmd, err: unknownWord{"command or guide", word}, hint: didYouMean(quoted(helpNear(found, word))...)}
			}
			found.InitDefaultHelpFlag() // it is shown
			return found.Help()
		},
	}
}

// topicOf is the guide that words name, nil if they name none.
func topicOf(words []string) *cobra.Command {
	if len(words) != 1 {
		return nil
	}
	for _, topic := range topics() {
		if topic.Name() == words[0] {
			return topic
		}
	}
	return nil
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

func completeHelp(cmd *cobra.Command, words []string, begin string) ([]cobra.Completion, cobra.ShellCompDirective) {
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
		for _, topic := range topics() {
			add(topic)
		}
	}
	for _, sub := range found.Commands() {
		if sub.IsAvailableCommand() && (len(words) > 0 || topicOf([]string{sub.Name()}) == nil) {
			add(sub)
		}
	}
	return names, cobra.ShellCompDirectiveNoFileComp
}

// usageTemplate is cobra's with the words of our help, and with the guides.
const usageTemplate = `Usage:{{if .HasAvailableSubCommands}}
  {{.CommandPath}} COMMAND [flags]{{else}}
  {{.UseLine}}{{end}}{{if .HasExample}}

Examples:
{{.Example}}{{end}}{{if .HasAvailableSubCommands}}{{$cmds := .Commands}}{{range $group := .Groups}}

{{.Title}}{{range $cmds}}{{if (and (eq .GroupID $group.ID) .IsAvailableCommand)}}
  {{rpad .Name .NamePadding}} {{.Short}}{{end}}{{end}}{{end}}{{if not .Groups}}

Commands:{{range $cmds}}{{if .IsAvailableCommand}}
  {{rpad .Name .NamePadding}} {{.Short}}{{end}}{{end}}{{end}}{{end}}{{if not .HasParent}}

Guides:{{$pad := .NamePadding}}{{range guides}}
  {{rpad .Name 12}} {{.Short}}{{end}}{{end}}{{if .HasAvailableLocalFlags}}

Flags:
{{.LocalFlags.FlagUsagesWrapped 80 | headed | trimTrailingWhitespaces}}{{end}}{{if .HasAvailableInheritedFlags}}

Global Flags:
{{.InheritedFlags.FlagUsagesWrapped 80 | trimTrailingWhitespaces}}{{end}}{{if .HasAvailableSubCommands}}

{{.CommandPath}} COMMAND --help explains a command{{if not .HasParent}}, {{.CommandPath}} help GUIDE shows a guide{{end}}.{{end}}
`

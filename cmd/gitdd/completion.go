package main

import (
	"bytes"
	"embed"
	"io"
	"strings"

	"github.com/spf13/cobra"
)

// glue lets the completion of git itself complete `git dd`, a file for a shell.
//
//go:embed completion
var glue embed.FS

func (a *app) completionCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "completion [bash|zsh|fish|powershell]",
		Short: "Print the completion of commands, flags and values for a shell",
		Long: `Print what lets a shell complete gitdd, and git dd with it: commands, flags,
revisions, sessions and values. make install puts it where the shells look. By
hand, it goes into the start file of the shell: ~/.bashrc, behind git's own
completion; ~/.zshrc, behind compinit; ~/.config/fish/config.fish. Without a
shell, say so for each of them.`,
		Example: `  source <(gitdd completion bash)
  source <(gitdd completion zsh)
  gitdd completion fish | source`,
		Args:                  args(cobra.MatchAll(cobra.MaximumNArgs(1), cobra.OnlyValidArgs)),
		ValidArgs:             []string{"bash", "zsh", "fish", "powershell"},
		DisableFlagsInUseLine: true,
		RunE: func(cmd *cobra.Command, list []string) error {
			if len(list) == 0 {
				_, err := io.WriteString(a.stdout, a.named(completionSteps))
				return err
			}
			script, err := completion(cmd.Root(), list[0])
			if err != nil {
				return err
			}
			_, err = a.stdout.Write(script)
			return err
		},
	}
	return cmd
}

// completionSteps say for each of the shells which line goes where.
const completionSteps = `Each of these shells completes gitdd after a line in its start file, which is read
by the next shell that begins:

  bash        in ~/.bashrc, behind git's own completion
              source <(gitdd completion bash)
  zsh         in ~/.zshrc, behind compinit
              source <(gitdd completion zsh)
  fish        in ~/.config/fish/config.fish
              gitdd completion fish | source
  powershell  in the file that $PROFILE names
              gitdd completion powershell | Out-String | Invoke-Expression
`

// completion is the script for a shell: cobra's for gitdd, and ours for git dd.
func completion(root *cobra.Command, shell string) ([]byte, error) {
	var script bytes.Buffer
	var err error
	// zsh knows by its first line, and at its end, which command a file of the
	// function path is for.
	head, tail := "", ""
	switch shell {
	case "bash":
		err = root.GenBashCompletionV2(&script, true)
	case "zsh":
		if root.DisplayName() == "git dd" {
			head = "#compdef git-dd\n#description " + strings.ToLower(root.Short) + "\n"
			tail = "\nif [ \"$funcstack[1]\" = _git-dd ]; then\n    _git-dd\nfi\n"
		}
		script.WriteString(head)
		err = root.GenZshCompletion(&script)
	case "fish":
		err = root.GenFishCompletion(&script, true)
	case "powershell":
		err = root.GenPowerShellCompletionWithDesc(&script)
		return script.Bytes(), err
	}
	if err != nil {
		return nil, err
	}
	more, err := glue.ReadFile("completion/git." + shell)
	if err != nil {
		return nil, err
	}
	script.Write(more)
	script.WriteString(tail)
	return script.Bytes(), nil
}

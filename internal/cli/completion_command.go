package cli

import (
	"io"

	"github.com/spf13/cobra"
)

// CompletionCommand returns the command that prints the script for a shell, or how a user makes use of it.
func CompletionCommand() *cobra.Command {
	return &cobra.Command{
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
		Args:                  Args(cobra.MatchAll(cobra.MaximumNArgs(1), cobra.OnlyValidArgs)),
		ValidArgs:             []string{"bash", "zsh", "fish", "powershell"},
		DisableFlagsInUseLine: true,
		RunE: func(cmd *cobra.Command, list []string) error {
			root := cmd.Root()
			if len(list) == 0 {
				_, err := io.WriteString(cmd.OutOrStdout(), Namer(root.DisplayName(), root)(completionSteps))
				return err
			}
			script, err := Completion(root, list[0])
			if err != nil {
				return err
			}
			_, err = cmd.OutOrStdout().Write(script)
			return err
		},
	}
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

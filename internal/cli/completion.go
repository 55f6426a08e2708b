package cli

import (
	"bytes"
	"embed"
	"strings"

	"github.com/spf13/cobra"
)

// glue lets the completion of git itself complete `git dd`, a file for a shell.
//
//go:embed completion
var glue embed.FS

// Completion returns the script for a shell: cobra's for gitdd, and ours for git dd.
func Completion(root *cobra.Command, shell string) ([]byte, error) {
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

package main

import (
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"

	"github.com/gitdd/gitdd/grouping"
)

// version is set by the linker for a release.
var version = ""

// released says what this binary is: the release, else what the module proxy
// or the checkout says.
func released() string {
	if version != "" {
		return version
	}
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		return info.Main.Version
	}
	return "devel"
}

func (a *app) versionCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "version",
		Short:   "Say which gitdd this is and how it reads source code",
		Example: "  gitdd version",
		Args:    args(cobra.NoArgs),
		RunE: func(*cobra.Command, []string) error {
			_, err := fmt.Fprintf(a.stdout, "gitdd %s %s/%s %s\nsource code is read by %s\n",
				released(), runtime.GOOS, runtime.GOARCH, runtime.Version(), grouping.Parser)
			return err
		},
	}
}

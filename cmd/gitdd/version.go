package main

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"strings"

	"github.com/spf13/cobra"

	"github.com/gitdd/gitdd/grouping"
	"github.com/gitdd/gitdd/internal/cli"
)

// version and epoch, the seconds since 1970 of its source, are set by the linker for
// a release.
var version, epoch = "", ""

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
		Short:   "Say which gitdd this is, and what it lacks here",
		Example: "  gitdd version",
		Args:    cli.Args(cobra.NoArgs),
		RunE: func(*cobra.Command, []string) error {
			return a.printVersion()
		},
	}
}

func (a *app) printVersion() error {
	_, err := fmt.Fprintf(a.stdout, "gitdd %s %s/%s %s\nsource code is read by %s\n%s",
		released(), runtime.GOOS, runtime.GOARCH, runtime.Version(), grouping.Parser,
		strings.Join(lacks(runtime.GOOS, grouping.Grammars), ""))
	return err
}

// lacks says what gitdd cannot do on a system, and as it was built: with the
// parsers of all languages or without. Each is a paragraph of 80 columns.
func lacks(system string, parsers bool) []string {
	var list []string
	if !parsers {
		list = append(list, `
Without cgo it knows less of which changes belong together, and gitdd reduce
nothing of most languages' grammar: answers are as sure, but take more trials.
Built where there is a C compiler it has all parsers: in a clone `+"`make install`"+`.
`)
	}
	switch system {
	case "linux":
	case "windows":
		list = append(list, `
On Windows nothing asks a process to end: on a timeout, and when a trial is
over, what is left of it is killed. --max-memory is refused. --build, --setup
and what else is a command line need sh: put it on PATH, or have Git for
Windows, which brings it.
`)
	default:
		list = append(list, `
Elsewhere than on Linux what a command starts is ended with its process group:
a daemon, which leaves it, goes on running after its trial. --max-memory is
refused, and how much memory a trial took is not known.
`)
	}
	return list
}

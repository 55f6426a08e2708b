package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/gitdd/gitdd/fixtures"
	"github.com/gitdd/gitdd/internal/cli"
	"github.com/gitdd/gitdd/internal/forms"
	"github.com/gitdd/gitdd/internal/settings"
)

func (a *app) demoCommand() *cobra.Command {
	s := settings.Default()
	var o forms.Files
	each := false
	cmd := &cobra.Command{
		Use:   "demo",
		Short: "Isolate a cause in a small repository made for it, offline",
		Long: `Make a small Go program with a history of 60 commits in a temporary directory
and isolate why its test fails in the newest one: two harmless changes from two
commits that only break together. With --each four tests of it fail, for three
reasons, in its last 24 commits. Needs the go command.`,
		Example: "  gitdd demo\n  gitdd demo --each",
		Args:    cli.Args(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := o.CheckSearch(each); err != nil {
				return &cli.UsageError{Cmd: cmd, Err: err}
			}
			dir, err := os.MkdirTemp("", "gitdd-demo-")
			if err != nil {
				return err
			}
			defer os.RemoveAll(dir)
			defer os.Chdir(os.TempDir()) // some systems do not remove the current directory
			begin := fixtures.Demo
			if each {
				begin = fixtures.DemoSuite
			}
			demo, err := begin(cmd.Context(), filepath.Join(dir, "repository"))
			if err != nil {
				return fmt.Errorf("make the demo's repository: %w", err)
			}
			for _, program := range demo.Needs {
				if _, err := exec.LookPath(program); err != nil {
					return fmt.Errorf("the demo is a %s program, and %q is not on PATH; install it, or try `gitdd run` on a repository of yours", program, program)
				}
			}
			// Its sessions go with it.
			if err := os.Setenv("GITDD_CACHE_DIR", filepath.Join(dir, "sessions")); err != nil {
				return err
			}
			a.gone = true
			if err := errors.Join(o.Absolute(), s.Machines.Absolute()); err != nil {
				return err
			}
			if err := os.Chdir(demo.Dir); err != nil {
				return err
			}
			s.Good, s.Bad = demo.Good, demo.Bad
			if each {
				s.Each = "go"
			} else {
				s.NoCommits = !s.Commits // it is about two commits, and each is the culprit only after the other
			}
			s.Build, s.Command, s.Match = demo.Build, demo.Command, demo.Match
			if err := s.Check(); err != nil {
				return &cli.UsageError{Cmd: cmd, Err: err}
			}
			fmt.Fprintf(a.aside(), "gitdd: in a new repository:\n  gitdd run %s -- %s\n\n", demoFlags(demo, s.Each), strings.Join(demo.Command, " "))
			return a.run(cmd.Context(), s, o)
		},
	}
	cmd.Flags().BoolVar(&each, "each", false, "search for each test of a suite that fails, see gitdd help each")
	s.SearchFlags(cmd.Flags())
	s.JobsFlag(cmd.Flags())
	s.Machines.Flags(cmd.Flags())
	o.OneFlags(cmd.Flags())
	return cmd
}

// demoFlags are the flags of gitdd run that the demo stands for.
func demoFlags(demo fixtures.DemoCase, each string) string {
	if each != "" {
		return fmt.Sprintf("--good %s --bad %s --each %s", demo.Good, demo.Bad, each)
	}
	return fmt.Sprintf("--good %s --bad %s --build '%s' --match '%s'", demo.Good, demo.Bad, demo.Build, demo.Match)
}

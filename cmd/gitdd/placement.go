package main

import (
	"github.com/spf13/pflag"

	"github.com/gitdd/gitdd/internal/cli"
	"github.com/gitdd/gitdd/trial"
)

// placement has the settings of the place where trials run: what is put on every configuration there, and
// what a trial may take of the machine.
type placement struct {
	patches       []string
	workspaceRoot string
	maxMemory     cli.Size
	maxDisk       cli.Size
	maxOutput     cli.Size
}

func (s *placement) flags(flags *pflag.FlagSet) {
	flags.StringArrayVar(&s.patches, "with-patch", nil, "put the patch `FILE` on every configuration that does not have it already, as a build fix (repeatable)")
	flags.StringVar(&s.workspaceRoot, "workspace-root", "", "make workspaces below `DIR`, on a faster or larger disk, say")
	flags.Var(&s.maxMemory, "max-memory", "end a trial whose processes take more than `SIZE` together, as 2G (Linux)")
	flags.Var(&s.maxDisk, "max-disk", "end a trial that takes more of the disk than `SIZE`, and stop when all together do and no room can be made")
	s.maxOutput = trial.DefaultOutput
	flags.Var(&s.maxOutput, "max-output", "keep `SIZE` of each output of a trial, its begin and its end")
}

// set enters the settings into the options of trials.
func (s *placement) set(o *trial.Options) {
	o.Patches = s.patches
	o.MaxMemory, o.MaxDisk, o.MaxOutput = int64(s.maxMemory), int64(s.maxDisk), int64(s.maxOutput)
	o.WorkspaceRoot = s.workspaceRoot
}

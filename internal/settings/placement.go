package settings

import (
	"github.com/spf13/pflag"

	"github.com/gitdd/gitdd/internal/cli"
	"github.com/gitdd/gitdd/trial"
)

// placement has the settings of the place where trials run: what is put on every configuration there, and
// what a trial may take of the machine.
type placement struct {
	patches       []string
	WorkspaceRoot string
	limits
}

// limits say what a trial may take of the machine.
type limits struct{ maxMemory, maxDisk, maxOutput cli.Size }

func (s *placement) flags(flags *pflag.FlagSet) {
	flags.StringArrayVar(&s.patches, "with-patch", nil, "put the patch `FILE` on every configuration that does not have it already, as a build fix (repeatable)")
	flags.StringVar(&s.WorkspaceRoot, "workspace-root", "", "make workspaces below `DIR`, on a faster or larger disk, say")
	s.limits.flags(flags, ", and stop when all together do and no room can be made")
}

// flags adds the flags of the limits. allTogether is what --max-disk does beside ending a trial.
func (l *limits) flags(flags *pflag.FlagSet, allTogether string) {
	flags.Var(&l.maxMemory, "max-memory", "end a trial whose processes take more than `SIZE` together, as 2G (Linux)")
	flags.Var(&l.maxDisk, "max-disk", "end a trial that takes more of the disk than `SIZE`"+allTogether)
	l.maxOutput = trial.DefaultOutput
	flags.Var(&l.maxOutput, "max-output", "keep `SIZE` of each output of a trial, its begin and its end")
}

// set enters the settings into the options of trials.
func (s *placement) set(o *trial.Options) {
	o.Patches, o.WorkspaceRoot = s.patches, s.WorkspaceRoot
	s.limits.set(o)
}

func (l *limits) set(o *trial.Options) {
	o.MaxMemory, o.MaxDisk, o.MaxOutput = int64(l.maxMemory), int64(l.maxDisk), int64(l.maxOutput)
}

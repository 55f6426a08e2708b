package settings

import (
	"errors"

	"github.com/spf13/pflag"

	"github.com/gitdd/gitdd/internal/cluster"
)

// MachineFiles are the settings of where commands run that need no workspace: of a cluster whose machines get the files of
// each trial, and those of an overlay.
type MachineFiles struct {
	Machines
	Overlay []string // files and directories below this one
}

// Flags adds the flags that name the cluster, and the files for its machines.
func (s *MachineFiles) Flags(flags *pflag.FlagSet) {
	s.Machines.Flags(flags)
	flags.Lookup("slurm-shared").Hidden = true // see Check
	flags.StringArrayVar(&s.Overlay, "overlay", nil, "bring `PATH`, a file or directory below this one, to the machines of --remote or --slurm: it is there below GITDD_DIR (repeatable)")
}

// Check returns an error for the first invalid setting, and for the first in l that cannot be used with the cluster.
func (s *MachineFiles) Check(l cluster.Local) error {
	switch {
	case !s.Named() && len(s.Overlay) > 0:
		return errors.New("--overlay brings files to the machines of --remote or --slurm; on this one COMMAND finds them below GITDD_DIR, where gitdd was started")
	case s.Named() && s.Shared != "":
		return errors.New("--slurm-shared is for workspaces, and there are none here: each file is sent to its node; leave it out")
	}
	return errors.Join(s.Machines.Check(), s.Refuse(l))
}

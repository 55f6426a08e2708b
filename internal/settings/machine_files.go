package settings

import (
	"errors"

	"github.com/spf13/pflag"

	"github.com/gitdd/gitdd/internal/cluster"
)

// MachineFiles are the settings of commands that run on a cluster without a workspace: the cluster, and the files that its
// machines get beside those of each trial.
type MachineFiles struct {
	Machines
	Overlay []string // files and directories below the directory that gitdd is started in
}

// Flags adds the flags that name the cluster, and the files for its machines.
func (s *MachineFiles) Flags(flags *pflag.FlagSet) {
	s.Machines.Flags(flags)
	flags.Lookup("slurm-shared").Hidden = true // see Check
	flags.StringArrayVar(&s.Overlay, "overlay", nil, "bring `PATH`, a file or directory below this one, to the machines of --remote or --slurm: it is there below GITDD_DIR (repeatable)")
}

// Check returns an error for an invalid setting, and for a setting in l, of this machine, that cannot be used with a cluster.
func (s *MachineFiles) Check(l cluster.Local) error {
	switch {
	case !s.Named() && len(s.Overlay) > 0:
		return errors.New("--overlay brings files to the machines of --remote or --slurm; on this one COMMAND finds them below GITDD_DIR, where gitdd was started")
	case s.Named() && s.Shared != "":
		return errors.New("--slurm-shared is for workspaces, and there are none here: each file is sent to its node; leave it out")
	}
	return errors.Join(s.Machines.Check(), s.Refuse(l))
}

package slurm

import (
	"fmt"
	"os"
	"slices"
	"strings"
)

// theirs are options of srun that a task would not survive: they change how many processes
// it has, where its streams go, whose job it is, or whether there is one at all.
var theirs = strings.Fields(`ntasks nodes job-name output error input label unbuffered pty multi-prog jobid
	ntasks-per-node tasks-per-node ntasks-per-core ntasks-per-gpu ntasks-per-socket ntasks-per-tres
	het-group pack-group bcast preserve-env test-only help version usage no-kill attach wait
	no-allocate immediate hold threads clusters cluster uid gid interactive async debugger-test autocomplete`)

// valued are the other options that want a value: without one they would take the next
// word of the command line for it.
var valued = strings.Fields(`accel-bind account acctg-freq bb bbf bcast-exclude begin chdir cluster-constraint
	comment constraint container container-id context core-spec cores-per-socket cpu-bind cpu-freq cpu_bind
	cpus-per-gpu cpus-per-task deadline delay-boot dependency distribution epilog exclude export extra
	extra-node-info gpu-bind gpu-freq gpus gpus-per-node gpus-per-socket gpus-per-task gres gres-flags hint
	licenses mail-type mail-user mcs-label mem mem-bind mem-per-cpu mem-per-gpu mincpus mpi msg-timeout network
	nodefile nodelist partition power prefer priority profile prolog qos relative reservation segment signal
	slurmd-debug sockets-per-node switches task-epilog task-prolog thread-spec threads-per-core time time-min
	tmp treewidth tres-bind tres-per-task wckey`)

const (
	theirLetters  = "nNJoeiluhVkWZEIHTM" // of options in theirs
	valuedLetters = "AbBcCdDFLmpqrStwx"  // of those in valued
	valueLetters  = "K"                  // of one whose value is in the same word, if there is any
)

// refuse says which of the options cannot be passed on. srun takes the beginning of the
// name of an option for the option, and several letters in one word.
func (o Options) refuse() error {
	for _, arg := range o.Args {
		name, isLong := strings.CutPrefix(arg, "--")
		switch {
		case name == "" || !strings.HasPrefix(arg, "-") || arg == "-":
			return fmt.Errorf("%q is no option of srun: give each with its value in one word, as --account=physics", arg)
		case isLong:
			name, _, hasValue := strings.Cut(name, "=")
			if begins(theirs, name) && !slices.Contains(valued, name) {
				return unusable("--" + name)
			}
			if begins(valued, name) && !hasValue {
				return fmt.Errorf("the option --%s of srun wants a value: give it in the same word, --%s=VALUE", name, name)
			}
		default:
			if err := refuseLetters(arg[1:]); err != nil {
				return err
			}
		}
	}
	return nil
}

// begins reports whether one of the names begins so.
func begins(names []string, with string) bool {
	return slices.ContainsFunc(names, func(name string) bool { return strings.HasPrefix(name, with) })
}

func refuseLetters(word string) error {
	for i, letter := range []byte(word) {
		switch {
		case strings.IndexByte(theirLetters, letter) >= 0:
			return unusable("-" + string(letter))
		case strings.IndexByte(valuedLetters, letter) >= 0 && i+1 == len(word):
			return fmt.Errorf("the option -%c of srun wants a value: give it in the same word, -%cVALUE", letter, letter)
		case strings.IndexByte(valuedLetters+valueLetters, letter) >= 0:
			return nil // the rest is its value
		}
	}
	return nil
}

func unusable(option string) error {
	instead := ""
	if option == "-M" || strings.HasPrefix(option, "--clus") {
		instead = "; another cluster is named by the variable SLURM_CLUSTERS"
	}
	return fmt.Errorf("the option %s of srun cannot be used: a trial is one job of one process, and its name, input and output are gitdd's%s", option, instead)
}

// ours are variables that mean such options to Slurm's programs, without the SLURM_ of
// their beginning. That of its name has no effect on a job.
var ours = strings.Fields(`NTASKS NPROCS NNODES JOB_NUM_NODES NTASKS_PER_NODE NTASKS_PER_CORE NTASKS_PER_GPU
	NTASKS_PER_SOCKET NTASKS_PER_TRES TASKS_PER_NODE LABELIO STDOUTMODE STDERRMODE STDINMODE UNBUFFEREDIO BCAST
	BCAST_EXCLUDE NO_KILL WAIT IMMEDIATE THREADS EXIT_ERROR EXIT_IMMEDIATE TEST_EXEC JOB_NAME
	JOB_ID JOBID STEP_ID STEPID HET_SIZE PACK_SIZE`)

// kept are the variables that are meant for a command within a job as well.
var kept = strings.Fields("SLURM_CONF SLURM_CONF_SERVER SLURM_JWT SLURM_CLUSTERS SLURM_TIME_FORMAT")

// environ is the environment of Slurm's programs: without what would change how many
// processes a task has or where its streams go, or which jobs are listed. Where gitdd
// itself runs in a job, that one's variables are not for others.
func environ() []string {
	within := os.Getenv("SLURM_JOB_ID") != ""
	return slices.DeleteFunc(os.Environ(), func(v string) bool {
		name, _, _ := strings.Cut(v, "=")
		for _, prefix := range []string{"SQUEUE_", "SCANCEL_", "SINFO_", "SCONTROL_"} {
			if strings.HasPrefix(name, prefix) {
				return true
			}
		}
		rest, ok := strings.CutPrefix(name, "SLURM_")
		return ok && (slices.Contains(ours, rest) || within && !slices.Contains(kept, name))
	})
}

// Package slurm runs trials as jobs of a Slurm cluster.
//
// Each task is one srun of one process on one node, a job of its own: an array would
// begin with the scheduler's next cycle, a minute later. Everything travels by its
// standard streams: the wrapper (trial.Task.Wrapper) and the files go in as a tar, the
// outcome and the outputs come back as one. Only a workspace on a file system that the
// nodes share, if there is one, is not sent.
//
// Files are sent once to each node, as those of the first task; what later ones differ
// in comes with them. A node keeps them below Options.Dir, else TMPDIR, else /tmp.
//
// Within an allocation (salloc, sbatch) a task is a step of it, unless a partition is
// named. A controller that does not answer, or takes no more jobs, is waited for: that says
// nothing about a task.
//
// A job ends when gitdd is gone: srun is asked to end when gitdd dies, and the job ends
// itself when its input does. Jobs are named as their tasks, so [Cancel] finds those of
// a session.
package slurm

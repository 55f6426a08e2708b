// Package cluster knows the clusters on which trials can run, one of the Remote Execution API or a Slurm:
// the [Options] that name one, what of them contradicts itself or cannot be, and how trials get there.
//
// [Connect] makes a [Cluster] of options; [Cluster.Set] lets trials run on it. Packages reapi and slurm
// perform the trials, and package trial counts and judges them, as it does on this machine.
//
// Invariants: the value of a header is in no error, and is kept by no session, which has names of files
// only; where no cluster is named, everything here does nothing.
//
// Begin with options.go and connect.go.
package cluster

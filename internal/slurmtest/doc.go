// Package slurmtest starts a real Slurm for tests: munged, slurmctld and three slurmd
// on this machine, as different nodes, with configuration, keys and logs of their own.
package slurmtest

// Package slurm runs trials as jobs of a Slurm cluster.
package slurm

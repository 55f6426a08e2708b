package slurm

import "time"

// SetPatience is for clusters that never answer.
func (c *Cluster) SetPatience(d time.Duration) { c.patience = d }

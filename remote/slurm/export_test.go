package slurm

import (
	"context"
	"time"

	"github.com/gitdd/gitdd/trial"
)

// SetPatience is for clusters that never answer.
func (c *Cluster) SetPatience(d time.Duration) { c.patience = d }

// CheckFor is Check where jobs may take that long.
func CheckFor(ctx context.Context, opts Options, queue time.Duration) []trial.Finding {
	return newCluster(opts).check(ctx, queue)
}

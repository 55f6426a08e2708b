package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"os"
	"runtime"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/gitdd/gitdd/btor/hunt"
	"github.com/gitdd/gitdd/internal/cli"
	"github.com/gitdd/gitdd/internal/cluster"
	"github.com/gitdd/gitdd/internal/settings"
	"github.com/gitdd/gitdd/trial"
)

// solvingFlags are those of the commands that run solvers on a file.
func solvingFlags(flags *pflag.FlagSet, s *hunt.Solving) {
	flags.StringArrayVar(&s.Against, "against", nil, "compare answers with those of `CMD` (by sh), in which {} and {smt2} stand for the file (repeatable)")
	flags.DurationVar(&s.Limits.Timeout, "timeout", 10*time.Second, "end a command after `TIME`")
	if runtime.GOOS == "linux" {
		s.Limits.Memory = 2 << 30
	}
	flags.Var((*cli.Size)(&s.Limits.Memory), "max-memory", "end a command whose processes take more than `SIZE` together; 0 is no limit (Linux)")
}

// checkPlace checks where solvers run. The limit of memory that is not asked for is for this machine only.
func checkPlace(flags *pflag.FlagSet, s *hunt.Solving, place *settings.MachineFiles) error {
	if place.Named() && !flags.Changed("max-memory") {
		s.Limits.Memory = 0
	}
	return place.Check(cluster.Local{MaxMemory: s.Limits.Memory})
}

// connect lets solvers run on a cluster, so many at a time, if one is named. The names of their tasks there begin with
// name. disconnect lets go of the cluster.
func connect(ctx context.Context, s *hunt.Solving, place *settings.MachineFiles, jobs int, name string) (disconnect func(), err error) {
	place.Version = released()
	connection, err := cluster.Connect(ctx, place.Options, jobs, name)
	if err != nil || connection == nil {
		return func() {}, err
	}
	var o trial.Options
	connection.Set(&o)
	s.Overlay, s.Patience, s.KeepFirst = place.Overlay, o.Patience, place.Slurm.Named
	s.Remote = func(ctx context.Context, t trial.Task) (trial.TaskResult, error) {
		t.Name = "gitdd-" + name + strings.TrimPrefix(t.Name, "gitdd")
		return o.Remote(ctx, t)
	}
	return connection.Close, nil
}

// taskName is a name of what runs on a cluster, the same for the same parts on this machine.
func taskName(kind string, parts ...string) string {
	host, _ := os.Hostname()
	sum := sha256.Sum256([]byte(strings.Join(append(parts, host), "\x00")))
	return kind + "-" + hex.EncodeToString(sum[:6])
}

//go:build linux

package slurmtest_test

import (
	"strings"
	"testing"

	"github.com/gitdd/gitdd/internal/slurmtest"
)

// A cluster runs jobs, on the nodes that are left.
func TestCluster(t *testing.T) {
	c := slurmtest.Start(t)
	where := func(args ...string) string {
		t.Helper()
		out, err := c.Command(append(append([]string{"srun", "-n1"}, args...), "sh", "-c", "echo $SLURMD_NODENAME")...)
		if err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		return strings.TrimSpace(out)
	}
	if got := where("-w", "node2"); got != "node2" {
		t.Errorf("it ran on %q", got)
	}
	c.Kill("node1")
	if got := where("--exclude=node1,node2"); got != "node3" {
		t.Errorf("it ran on %q", got)
	}
	c.Boot("node1")
	c.Await("node1 is back", func() bool { return c.Idle() == len(slurmtest.Nodes) })
	if jobs := c.Jobs(); len(jobs) != 0 {
		t.Errorf("jobs %q", jobs)
	}
}

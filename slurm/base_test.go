//go:build linux

package slurm_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/gitdd/gitdd/internal/slurmtest"
	"github.com/gitdd/gitdd/slurm"
)

// What is killed while it removes the files that tasks have in common, for a job has its
// limits, leaves none that the next search would take for whole.
func testHalf(t *testing.T, _ *slurmtest.Cluster) {
	opts := slurm.Options{Dir: t.TempDir(), Args: []string{"--nodelist=node1"}}
	files := snapshot(map[string]string{"a": "1", "b": "2"})
	try := func(c *slurm.Cluster) {
		t.Helper()
		task, read := task(t, "cat a b")
		task.Files = files
		if r, err := c.Run(t.Context(), task); err != nil || r.Test.Exit != 0 || read("out") != "12" {
			t.Errorf("%+v, %v, %q", r, err, read("out"))
		}
	}
	c := connect(t, opts)
	try(c)

	rm, err := exec.LookPath("rm")
	if err != nil {
		t.Fatal(err)
	}
	bin := t.TempDir()
	killed := "#!/bin/sh\nfor d; do [ ! -e \"$d/b\" ] || { " + rm + " \"$d/b\"; touch \"$0.ran\"; kill -9 $PPID; }; done\n"
	if err := os.WriteFile(filepath.Join(bin, "rm"), []byte(killed), 0o777); err != nil {
		t.Fatal(err)
	}
	path := os.Getenv("PATH")
	t.Setenv("PATH", bin+":"+path)
	c.Close()
	t.Setenv("PATH", path)
	if _, err := os.Stat(filepath.Join(bin, "rm.ran")); err != nil {
		t.Fatal(err)
	}
	try(connect(t, opts))
}

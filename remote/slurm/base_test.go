//go:build linux

package slurm_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/gitdd/gitdd/internal/slurmtest"
	"github.com/gitdd/gitdd/remote/slurm"
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

// Nodes whose directory for temporary files is one, as with a TMPDIR in the home
// directory, leave each other's tasks alone.
func testOneDirectory(t *testing.T, cluster *slurmtest.Cluster) {
	dir, signs := t.TempDir(), t.TempDir()
	on := func(node string) *slurm.Cluster {
		return connect(t, slurm.Options{Dir: dir, Args: []string{"--nodelist=" + node}})
	}
	first, second := on("node1"), on("node2")
	// Let processes have numbers on one node that those of the other have not.
	many, _ := task(t, "n=500; while [ $n -gt 0 ]; do (:); n=$((n-1)); done")
	many.Files = snapshot(map[string]string{"a": "1"})
	if _, err := first.Run(t.Context(), many); err != nil {
		t.Fatal(err)
	}
	long, read := task(t, "touch "+signs+"/began; until [ -e "+signs+"/go ]; do sleep 0.05; done; cat a")
	long.Files = snapshot(map[string]string{"a": "1"})
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		if r, err := first.Run(t.Context(), long); err != nil || r.Test.Exit != 0 || read("out") != "1" {
			t.Errorf("%+v, %v", r, err)
		}
	}()
	cluster.Await("the task begins", func() bool { _, err := os.Stat(filepath.Join(signs, "began")); return err == nil })
	short, _ := task(t, "cat a")
	short.Files = snapshot(map[string]string{"a": "2"})
	if r, err := second.Run(t.Context(), short); err != nil || r.Test.Exit != 0 {
		t.Errorf("%+v, %v", r, err)
	}
	if err := os.WriteFile(filepath.Join(signs, "go"), nil, 0o666); err != nil {
		t.Error(err)
	}
	<-ended
	first.Close()
	nothing(t, cluster, second, dir)
}

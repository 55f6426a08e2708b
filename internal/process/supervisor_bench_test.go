package process

import (
	"os/exec"
	"path/filepath"
	"testing"
)

// What a run costs, to be read beside BenchmarkExecTrue: the supervisor adds two
// messages and two files.
func BenchmarkSupervisorTrue(b *testing.B) {
	k := newSupervisor(b)
	dir := b.TempDir()
	p := Command{Argv: []string{"true"}, Dir: dir, Stdout: filepath.Join(dir, "out"), Stderr: filepath.Join(dir, "err")}
	for b.Loop() {
		if e, err := k.run(b.Context(), p); err != nil || e.Code != 0 {
			b.Fatal(e, err)
		}
	}
}

func BenchmarkExecTrue(b *testing.B) {
	for b.Loop() {
		if err := exec.Command("true").Run(); err != nil {
			b.Fatal(err)
		}
	}
}

// One background process: /proc is read twice.
func BenchmarkSupervisorLeftover(b *testing.B) {
	k := newSupervisor(b)
	p := Command{Argv: []string{"sh", "-c", "sleep 60 &"}, Dir: b.TempDir()}
	for b.Loop() {
		if e, err := k.run(b.Context(), p); err != nil || e.Leftovers != 1 {
			b.Fatal(e, err)
		}
	}
}

// Once per worker.
func BenchmarkStartSupervisor(b *testing.B) {
	for b.Loop() {
		k, err := startSupervisor()
		if err != nil {
			b.Fatal(err)
		}
		if err := k.close(); err != nil {
			b.Fatal(err)
		}
	}
}

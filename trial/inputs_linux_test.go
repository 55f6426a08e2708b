package trial

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/gitdd/gitdd/isolate"
)

// TestInputChildren: what a command leaves running is ended, by the time limit, too,
// and has not brought back the directory of its trial.
func TestInputChildren(t *testing.T) {
	start := t.TempDir()
	r := reducingIn(t, inputSession(t, start), file("in", "x"), `
		(trap '' TERM; while :; do mkdir -p "$PWD"; echo >> "$GITDD_INPUT"; sleep 0.01; done) &
		echo $! >> "$GITDD_DIR/pids"
		grep -q hang in && sleep 100
		exit 1`, func(o *InputOptions) { o.Timeout = 3 * time.Second })
	r.begin()
	if v := r.verdict(file("in", "hang")); !v.TimedOut || v.Outcome != isolate.Unresolved || !v.Other {
		t.Errorf("hang: %+v", v)
	}
	pids := strings.Fields(read(t, filepath.Join(start, "pids")))
	if len(pids) != 2 {
		t.Fatalf("%q", pids)
	}
	for _, text := range pids {
		pid, err := strconv.Atoi(text)
		if err != nil || alive(pid) {
			t.Errorf("%s runs on, %v", text, err)
		}
	}
	if left, err := filepath.Glob(filepath.Join(r.work, "*")); len(left) > 0 {
		t.Errorf("%q are left: %v", left, err)
	}
}

// TestInputDiskFull: what fails because a disk is full is no outcome, whichever way
// the exit status is read, and is not kept aside; with room again it goes on.
func TestInputDiskFull(t *testing.T) {
	root := t.TempDir()
	if out, err := exec.Command("mount", "-t", "tmpfs", "-o", "size=4m", "none", root).CombinedOutput(); err != nil {
		t.Skipf("no disk of its own: %v: %s", err, out)
	}
	t.Cleanup(func() { exec.Command("umount", "-l", root).Run() })
	for _, interesting := range []bool{false, true} {
		start, others := t.TempDir(), filepath.Join(t.TempDir(), "others")
		code := map[bool]string{false: "exit 1", true: "exit 0"}[interesting]
		r := reducingIn(t, inputSession(t, start), file("in", "x"), `
			grep -q fill in && { head -c 8000000 /dev/zero > big || exit 2; }; `+code, func(o *InputOptions) {
			o.WorkspaceRoot, o.Interesting, o.SaveOther = root, interesting, others
		})
		r.begin()
		if _, err := r.Test(t.Context(), file("in", "fill")); err == nil || !strings.Contains(err.Error(), "is full, so that says nothing: make room there, and `gitdd resume` goes on where this stopped, or begin again with another --workspace-root") {
			t.Errorf("interesting %t: %v", interesting, err)
		}
		if _, err := r.Test(t.Context(), file("in", strings.Repeat("x", 8<<20))); err == nil || !strings.Contains(err.Error(), "no space left on device; make room there") {
			t.Errorf("interesting %t: %v", interesting, err)
		}
		if v := r.verdict(file("in", "y")); v.Outcome != isolate.Fail || v.Trial == 0 {
			t.Errorf("interesting %t: %+v", interesting, v)
		}
		if left, _ := os.ReadDir(others); len(left) > 0 {
			t.Errorf("interesting %t: %v is kept aside", interesting, left)
		}
		if n := r.Stats().Run; n != 2 {
			t.Errorf("interesting %t: %d trials, want 2", interesting, n)
		}
		r.close()
		if left, _ := os.ReadDir(root); len(left) > 0 {
			t.Errorf("interesting %t: %v is left", interesting, left)
		}
	}
}

// alive reports whether a process runs: one that only waits to be reaped by process 1 does not.
func alive(pid int) bool {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	return err == nil && !bytes.Contains(status, []byte("\nState:\tZ"))
}

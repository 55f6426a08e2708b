package trial

import (
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
		exit 1`, func(o *InputOptions) { o.Timeout = 500 * time.Millisecond })
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
		if err != nil || alive(t, pid) {
			t.Errorf("%s runs on, %v", text, err)
		}
	}
	if left, err := filepath.Glob(filepath.Join(r.work, "*")); len(left) > 0 {
		t.Errorf("%q are left: %v", left, err)
	}
}

package process

import (
	"fmt"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// TestMemory: what a process takes is seen even when it comes and goes between two
// looks, and a limit ends what is left. The first holds for what takes more than
// this process ever did, which the supervisor and its children have from it, see
// family.largest.
func TestMemory(t *testing.T) {
	k, err := startSupervisor()
	if err != nil {
		t.Fatal(err)
	}
	defer k.close()
	var own unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_SELF, &own); err != nil {
		t.Fatal(err)
	}
	const mib = 1 << 20
	size := max(100*mib, own.Maxrss<<10*3/2)
	dd := fmt.Sprintf("dd if=/dev/zero bs=%d count=1", size)
	run := func(limit int64, script string) Exit {
		t.Helper()
		x, err := k.run(t.Context(), Command{Argv: []string{"sh", "-c", script}, Dir: t.TempDir(), Memory: limit})
		if err != nil {
			t.Fatal(err)
		}
		return x
	}
	if x := run(0, dd+" of=/dev/null"); x.Memory < size || x.Memory > size+30*mib || x.Over != "" || x.Code != 0 {
		t.Errorf("one process: %+v", x)
	}
	began := time.Now()
	if x := run(size/2, dd+" | sleep 1000"); x.Over != OverMemory {
		t.Errorf("over the limit: %+v", x)
	}
	if took := time.Since(began); took > 10*time.Minute {
		t.Errorf("it took %v: it was not ended", took)
	}
	if x := run(size/2, dd+" of=/dev/null"); x.Over != OverMemory {
		t.Errorf("over the limit for a moment: %+v", x)
	}
	if x := run(size*3/2, dd+" | sleep 60 & "+dd+" | sleep 60"); x.Over != OverMemory || x.Memory < size*3/2 {
		t.Errorf("two together: %+v", x)
	}
	if x := run(4*size, dd+" of=/dev/null"); x.Over != "" {
		t.Errorf("within the limit: %+v", x)
	}
}

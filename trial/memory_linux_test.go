package trial

import (
	"testing"
	"time"
)

// TestMemory: what a process takes is seen even when it comes and goes between two
// looks, and a limit ends what is left.
func TestMemory(t *testing.T) {
	k, err := startKeeper()
	if err != nil {
		t.Fatal(err)
	}
	defer k.close()
	const mib = 1 << 20
	run := func(limit int64, script string) exit {
		t.Helper()
		x, err := k.run(t.Context(), process{Argv: []string{"sh", "-c", script}, Dir: t.TempDir(), Memory: limit})
		if err != nil {
			t.Fatal(err)
		}
		return x
	}
	if x := run(0, "dd if=/dev/zero of=/dev/null bs=100M count=1"); x.Memory < 100*mib || x.Memory > 130*mib || x.Over != "" || x.Code != 0 {
		t.Errorf("one process: %+v", x)
	}
	began := time.Now()
	if x := run(50*mib, "dd if=/dev/zero bs=100M count=1 | sleep 60"); x.Over != overMemory {
		t.Errorf("over the limit: %+v", x)
	}
	if took := time.Since(began); took > 30*time.Second {
		t.Errorf("it took %v", took)
	}
	if x := run(50*mib, "dd if=/dev/zero of=/dev/null bs=100M count=1"); x.Over != overMemory {
		t.Errorf("over the limit for a moment: %+v", x)
	}
	if x := run(150*mib, "dd if=/dev/zero bs=100M count=1 | sleep 60 & dd if=/dev/zero bs=100M count=1 | sleep 60"); x.Over != overMemory || x.Memory < 150*mib {
		t.Errorf("two together: %+v", x)
	}
	if x := run(400*mib, "dd if=/dev/zero of=/dev/null bs=100M count=1"); x.Over != "" {
		t.Errorf("within the limit: %+v", x)
	}
}

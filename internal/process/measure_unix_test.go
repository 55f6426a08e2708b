//go:build unix

package process

import (
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// Time is that of the process, and processor time and memory are those of its children, too.
func TestMeasuredProcess(t *testing.T) {
	k := newSupervisor(t)
	run := func(what, script string) Exit {
		t.Helper()
		p := shell(t, script)
		p.Measure = what
		return do(t, k, p)
	}
	if x := run("time", "sleep 0.3"); x.Duration < 300*time.Millisecond || x.Duration > 30*time.Second {
		t.Errorf("time: %v", x.Duration)
	}
	const work = "i=0; while [ $i -lt 400000 ]; do i=$((i+1)); done"
	one, grandchild, idle := run("cpu", work), run("cpu", "sh -c 'sh -c \""+strings.ReplaceAll(work, "$", `\$`)+"\"; true'; true"), run("cpu", "sleep 0.3")
	if one.CPU < 10*time.Millisecond || grandchild.CPU < one.CPU/4 || grandchild.CPU > 4*one.CPU+100*time.Millisecond || idle.CPU > one.CPU/2 {
		t.Errorf("cpu: %v of one, %v of a grandchild, %v of sleep", one.CPU, grandchild.CPU, idle.CPU)
	}
	if runtime.GOOS != "linux" {
		return
	}
	const mib = 1 << 20
	small := run("memory", "sleep 0.1")
	// Each process inherits the peak of the one that began it. So the commands take more than this test ever did, which is
	// then known exactly, and not by looks alone.
	var own unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_SELF, &own); err != nil {
		t.Fatal(err)
	}
	size := 128 + int64(own.Maxrss)>>10 // MiB
	for _, script := range []string{
		fmt.Sprintf("dd if=/dev/zero bs=%dM count=1 2>/dev/null | sleep 0.3; true", size),
		fmt.Sprintf("sh -c 'dd if=/dev/zero of=/dev/null bs=%dM count=1; true' 2>/dev/null; true", size),
	} {
		if x := run("memory", script); x.Memory < size*mib || x.Memory > (size+128)*mib {
			t.Errorf("memory of %s: %d MiB", script, x.Memory/mib)
		}
	}
	if small.Memory == 0 || small.Memory > 32*mib {
		t.Errorf("memory of sleep: %d", small.Memory)
	}
}

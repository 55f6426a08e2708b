package process

import (
	"runtime"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

// A counter counts what a command and its children do, from the exec of the command on. As many machines have no
// counter of instructions, this counts the time that processes run, by the same calls.
func TestCounter(t *testing.T) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	count := func(script string) int64 {
		t.Helper()
		c, err := openCounter(unix.PERF_TYPE_SOFTWARE, unix.PERF_COUNT_SW_TASK_CLOCK)
		if err != nil {
			t.Skipf("perf_event_open: %v", err)
		}
		defer c.close()
		pid, err := syscall.ForkExec("/bin/sh", []string{"sh", "-c", script}, &syscall.ProcAttr{Env: []string{"PATH=/bin:/usr/bin"}})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := syscall.Wait4(pid, nil, 0, nil); err != nil {
			t.Fatal(err)
		}
		return c.read()
	}
	const work = "i=0; while [ $i -lt 300000 ]; do i=$((i+1)); done"
	idle, one, grandchild := count("sleep 0.2"), count(work), count("sh -c 'sh -c \""+strings.ReplaceAll(work, "$", `\$`)+"\"; true'; true")
	if idle <= 0 || one < 4*idle || grandchild < one/4 || grandchild > 4*one {
		t.Errorf("counted %d while asleep, %d at work, %d by a grandchild", idle, one, grandchild)
	}
}

// Where instructions cannot be counted, the error says what was seen and what to do; where they can, there is a number.
func TestInstructions(t *testing.T) {
	c, err := newCounter()
	if err == nil {
		c.close()
		k := newSupervisor(t)
		p := shell(t, "true")
		p.Measure = "instructions"
		if x := do(t, k, p); x.Instructions < 10_000 {
			t.Errorf("%d instructions of a shell", x.Instructions)
		}
		return
	}
	for _, want := range []string{"perf_event_open: ", "kernel.perf_event_paranoid is ", "measure cpu"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%v: want %s", err, want)
		}
	}
}

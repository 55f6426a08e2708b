package process

import (
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"strings"
	"unsafe"

	"golang.org/x/sys/unix"
)

// A counter counts the instructions that a command and its children execute in user space, by the hardware of the
// processor (perf_event_open(2)).
//
// It belongs to the thread that has made it, and counts nothing there. What that thread starts inherits it, and counts
// from its first exec on, with all that it starts in turn.
type counter struct{ file *os.File }

// newCounter makes a counter for the commands that this thread starts from now on. The error says what the kernel
// refuses, and what can be done.
func newCounter() (*counter, error) {
	c, err := openCounter(unix.PERF_TYPE_HARDWARE, unix.PERF_COUNT_HW_INSTRUCTIONS)
	if err == nil {
		return c, nil
	}
	said := fmt.Sprintf("instructions cannot be counted: perf_event_open: %v", err)
	if level, err := os.ReadFile("/proc/sys/kernel/perf_event_paranoid"); err == nil {
		said += ", kernel.perf_event_paranoid is " + strings.TrimSpace(string(level))
	}
	switch {
	case errors.Is(err, unix.ENOENT), errors.Is(err, unix.EOPNOTSUPP), errors.Is(err, unix.ENODEV), errors.Is(err, unix.ENOSYS):
		return nil, errors.New(said + ". This machine, which may be a virtual one, has no counter for them: measure cpu, or instructions on another machine")
	case errors.Is(err, unix.EACCES), errors.Is(err, unix.EPERM):
		return nil, errors.New(said + ". Set that to 2 or less (sysctl kernel.perf_event_paranoid=2); a container has to permit the call, too (as by --cap-add PERFMON); or measure cpu")
	}
	return nil, errors.New(said)
}

func openCounter(kind uint32, event uint64) (*counter, error) {
	attr := unix.PerfEventAttr{
		Type: kind, Config: event,
		Read_format: unix.PERF_FORMAT_TOTAL_TIME_ENABLED | unix.PERF_FORMAT_TOTAL_TIME_RUNNING,
		Bits:        unix.PerfBitDisabled | unix.PerfBitInherit | unix.PerfBitEnableOnExec | unix.PerfBitExcludeKernel | unix.PerfBitExcludeHv,
	}
	attr.Size = uint32(unsafe.Sizeof(attr))
	fd, err := unix.PerfEventOpen(&attr, 0, -1, -1, unix.PERF_FLAG_FD_CLOEXEC)
	if err != nil {
		return nil, err
	}
	return &counter{os.NewFile(uintptr(fd), "instructions")}, nil
}

// read returns what was counted by what has ended; 0 if it was not counted all the time.
func (c *counter) read() int64 {
	var text [24]byte
	if n, err := c.file.Read(text[:]); err != nil || n != len(text) {
		return 0
	}
	count, enabled, running := binary.NativeEndian.Uint64(text[:]), binary.NativeEndian.Uint64(text[8:]), binary.NativeEndian.Uint64(text[16:])
	if running == 0 || running < enabled {
		return 0
	}
	return int64(count)
}

func (c *counter) close() error { return c.file.Close() }

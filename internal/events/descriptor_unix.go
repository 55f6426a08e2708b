//go:build unix

package events

import (
	"fmt"
	"os"
	"syscall"
)

// inherited is a descriptor that this process was started with. Its commands do not get it, so that a reader
// sees the end when this process ends.
func inherited(n int) (*os.File, error) {
	f := os.NewFile(uintptr(n), fmt.Sprintf("fd:%d", n))
	if f == nil {
		return nil, fmt.Errorf("descriptor %d is none", n)
	}
	if _, err := f.Stat(); err != nil {
		return nil, fmt.Errorf("descriptor %d is not open", n)
	}
	syscall.CloseOnExec(n)
	return f, nil
}

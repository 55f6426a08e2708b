// Command supervised runs a program under a seccomp filter, which all that it starts
// inherits, and hands the listener of the filter over before: see supervise in
// supervise_linux_amd64_test.go. It is a program of its own because the Go runtime of
// gitdd must not have it, and because a test binary takes long to start.
//
//	supervised FILTER PROGRAM ARG0 ARG...
//
// FILTER is the instructions in hexadecimal. Descriptor 3 is a socket, which takes the
// listener.
package main

import (
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"runtime"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "cannot be supervised:", err)
		os.Exit(99)
	}
}

func run() error {
	if len(os.Args) < 4 {
		return errors.New("usage: supervised FILTER PROGRAM ARG0 ARG...")
	}
	program, err := hex.DecodeString(os.Args[1])
	if err != nil {
		return err
	}
	if err := install(program, 3); err != nil {
		return err
	}
	return syscall.Exec(os.Args[2], os.Args[3:], os.Environ())
}

// install makes this process a supervised one, and hands the listener over.
func install(program []byte, socket int) error {
	filter := unsafe.Slice((*unix.SockFilter)(unsafe.Pointer(&program[0])), len(program)/int(unsafe.Sizeof(unix.SockFilter{})))
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return err
	}
	prog := unix.SockFprog{Len: uint16(len(filter)), Filter: &filter[0]}
	// TSYNC: the Go runtime has other threads already.
	flags := uintptr(unix.SECCOMP_FILTER_FLAG_TSYNC | unix.SECCOMP_FILTER_FLAG_TSYNC_ESRCH | unix.SECCOMP_FILTER_FLAG_NEW_LISTENER)
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	// Linux 5.19 and later: no signal but a deadly one interrupts a call that waits.
	patient := uintptr(unix.SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV)
	var listener uintptr
	var errno unix.Errno
	for range 1000 { // a thread may just be starting
		listener, _, errno = unix.Syscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, flags|patient, uintptr(unsafe.Pointer(&prog)))
		if errno == 0 {
			break
		}
		if errno == unix.EINVAL {
			patient = 0
		}
		time.Sleep(time.Millisecond)
	}
	runtime.KeepAlive(program)
	if errno != 0 {
		return errno
	}
	if err := unix.Sendmsg(socket, []byte{0}, unix.UnixRights(int(listener)), nil, 0); err != nil {
		return err
	}
	return errors.Join(unix.Close(int(listener)), unix.Close(socket))
}

//go:build linux || darwin

package tui

import (
	"io"
	"os"
	"os/signal"
	"syscall"

	"golang.org/x/sys/unix"
	"golang.org/x/term"
)

// A keyboard is the keys that the user presses, one by one and without an echo, as long as
// this process is in the foreground of the terminal that is its standard input. A nil
// *keyboard has none.
//
// Invariants: the settings of the terminal are changed, and given back, only while this
// process is in the foreground: the terminal is another's else, who has his own, and to
// touch them would stop this process. Nothing is read before it is there. Ctrl-C, Ctrl-\
// and Ctrl-S are signals, and flow control, as ever; Ctrl-Z is a key, so that all is
// given back before the process stops. The canvas uses it under its lock.
type keyboard struct {
	fd    int
	ours  bool         // the settings are mine
	given unix.Termios // as they were
	mine  unix.Termios // as they were made
}

const (
	suspendKey = 'Z' - '@'
	redrawKey  = 'L' - '@'
)

// keyboardOf returns the keys of a file; nil if there is none, or it is no terminal.
func keyboardOf(in *os.File) *keyboard {
	if in == nil {
		return nil
	}
	if fd := int(in.Fd()); term.IsTerminal(fd) {
		return &keyboard{fd: fd}
	}
	return nil
}

// foreground reports whether the terminal's keys are for this process.
func (k *keyboard) foreground() bool {
	group, err := unix.IoctlGetInt(k.fd, unix.TIOCGPGRP)
	return err == nil && group == unix.Getpgrp()
}

// foregroundOf returns how to ask whether the screen that out writes to is left to this
// process. One that no shell shares among jobs always is.
func foregroundOf(out io.Writer) func() bool {
	f, ok := out.(*os.File)
	return func() bool {
		if !ok {
			return true
		}
		group, err := unix.IoctlGetInt(int(f.Fd()), unix.TIOCGPGRP)
		return err != nil || group == unix.Getpgrp()
	}
}

// taken reports whether keys come here.
func (k *keyboard) taken() bool { return k != nil && k.ours }

// take makes keys come here, if it is in the foreground.
func (k *keyboard) take() {
	if k == nil || !k.foreground() {
		return
	}
	now, err := unix.IoctlGetTermios(k.fd, getTermios)
	if err != nil {
		return
	}
	// A shell that brings a stopped job back may have put it into the job's own settings.
	if *now != k.mine || k.mine == (unix.Termios{}) {
		k.given, k.mine = *now, *now
		k.mine.Lflag &^= unix.ICANON | unix.ECHO
		k.mine.Cc[unix.VMIN], k.mine.Cc[unix.VTIME] = 1, 0
		k.mine.Cc[unix.VSUSP] = disabled
	}
	k.ours = unix.IoctlSetTermios(k.fd, setTermios, &k.mine) == nil
}

// give gives back what take has taken.
func (k *keyboard) give() {
	if !k.taken() {
		return
	}
	k.ours = false
	if k.foreground() {
		unix.IoctlSetTermios(k.fd, setTermios, &k.given)
	}
}

// read returns the keys that were pressed by now. It does not wait.
func (k *keyboard) read() []byte {
	if !k.taken() {
		return nil
	}
	if !k.foreground() {
		k.ours = false
		return nil
	}
	var ready unix.FdSet
	ready.Set(k.fd)
	if n, err := unix.Select(k.fd+1, &ready, nil, nil, &unix.Timeval{}); err != nil || n != 1 {
		return nil
	}
	var pressed [64]byte
	n, err := unix.Read(k.fd, pressed[:])
	if n <= 0 || err != nil {
		k.give() // it hung up
		return nil
	}
	if pressed[0] == 0x1b {
		return nil // an arrow, and not the letter at its end
	}
	return pressed[:n]
}

// A terminalSignal is something that happens to the terminal, or to this process there.
type terminalSignal = os.Signal

// What canvas.signal knows.
const (
	continued = syscall.SIGCONT
	resized   = syscall.SIGWINCH
	quit      = syscall.SIGQUIT
)

// notifyTerminal tells what happens. SIGQUIT is left alone where it is ignored.
func notifyTerminal() (signals <-chan os.Signal, stop func()) {
	c := make(chan os.Signal, 4)
	signal.Notify(c, continued, resized)
	if !signal.Ignored(quit) {
		signal.Notify(c, quit)
	}
	return c, func() { signal.Stop(c) }
}

// endByQuit lets SIGQUIT do what it does to a process that does not catch it.
func endByQuit() {
	signal.Reset(quit)
	unix.Kill(unix.Getpid(), quit)
}

// stopJob does what a terminal does on Ctrl-Z: all processes of the job get the signal.
func stopJob() { unix.Kill(0, unix.SIGTSTP) }

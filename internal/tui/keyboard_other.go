//go:build !linux && !darwin

package tui

import (
	"io"
	"os"
)

// There is no keyboard on this system: what a running trial prints is not shown, nor is a
// signal heard that the window has another size, which is seen within a second.
type keyboard struct{}

const (
	suspendKey = 'Z' - '@'
	redrawKey  = 'L' - '@'
)

func keyboardOf(*os.File) *keyboard { return nil }

func (k *keyboard) taken() bool  { return false }
func (k *keyboard) take()        {}
func (k *keyboard) give()        {}
func (k *keyboard) read() []byte { return nil }

func foregroundOf(io.Writer) func() bool { return func() bool { return true } }

type terminalSignal int

const (
	continued terminalSignal = iota
	resized
	quit
)

func notifyTerminal() (signals <-chan terminalSignal, stop func()) { return nil, func() {} }

func endByQuit() {}
func stopJob()   {}

package tui

import (
	"os"

	"golang.org/x/sys/windows"
)

// escapes reports whether f, a console, interprets escape sequences. One that does not
// by default is asked to: those of Windows 10 and later can.
func escapes(f *os.File) bool {
	console := windows.Handle(f.Fd())
	var mode uint32
	if windows.GetConsoleMode(console, &mode) != nil {
		return false
	}
	return mode&windows.ENABLE_VIRTUAL_TERMINAL_PROCESSING != 0 ||
		windows.SetConsoleMode(console, mode|windows.ENABLE_VIRTUAL_TERMINAL_PROCESSING) == nil
}

//go:build !windows

package tui

import "os"

// escapes reports whether f, a terminal, interprets escape sequences, unless it is dumb.
func escapes(*os.File) bool { return true }

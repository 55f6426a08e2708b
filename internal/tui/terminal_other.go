//go:build !windows

package tui

import "os"

// interprets reports whether f, a terminal, interprets escape sequences, unless it is dumb.
func interprets(*os.File) bool { return true }

//go:build linux || darwin

package tui

// alwaysTaken is a keyboard for a view that is only looked at.
func alwaysTaken() *keyboard { return &keyboard{fd: -1, ours: true} }

//go:build !linux && !darwin

package tui

func alwaysTaken() *keyboard { return nil }

//go:build !linux && !darwin

package main

func alwaysTaken() *keyboard { return nil }

//go:build !(linux && amd64)

package main

// supervised: there is no such thing here.
func supervised() {}

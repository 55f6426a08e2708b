//go:build !unix

package main

import "os"

// notifyResumed never tells: there is no such signal here.
func notifyResumed() (resumed <-chan os.Signal, stop func()) {
	return nil, func() {}
}

//go:build !unix

package git

import "os/exec"

// ownSession leaves cmd as it is: there are no sessions here, and the context
// kills the process itself.
func ownSession(*exec.Cmd) {}

// killSession has nothing left to end.
func killSession(*exec.Cmd) {}

package slurm

import (
	"os/exec"
	"runtime"
)

// A starter starts processes that are asked to end when this one dies. The kernel ties
// that to the thread that has started them, so it has one of its own.
type starter chan starting

type starting struct {
	cmd  *exec.Cmd
	done chan error
}

func newStarter() starter {
	s := make(starter)
	go func() {
		// The thread must not end with this goroutine: it may have started what others want.
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		for a := range s {
			a.done <- a.cmd.Start()
		}
	}()
	return s
}

// start must not be called after the channel was closed.
func (s starter) start(cmd *exec.Cmd) error {
	cmd.SysProcAttr = mortal()
	a := starting{cmd, make(chan error, 1)}
	s <- a
	return <-a.done
}

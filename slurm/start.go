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
		runtime.LockOSThread() // and never unlocked: the thread ends with this goroutine
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

package trial

import (
	"bytes"
	"context"
	"sync"

	"github.com/gitdd/gitdd/internal/failure"
	"github.com/gitdd/gitdd/internal/process"
)

// A company is the commands that run at the same time.
type company struct {
	gate sync.RWMutex // held for writing by a command that runs alone

	mu      sync.Mutex
	running int
	began   int // how many have begun so far
}

// with runs a command beside others, and reports whether there were any.
func (c *company) with(run func() error) (beside bool, err error) {
	c.gate.RLock()
	defer c.gate.RUnlock()
	c.mu.Lock()
	c.began++
	began := c.began
	beside = c.running > 0
	c.running++
	c.mu.Unlock()
	err = run()
	c.mu.Lock()
	defer c.mu.Unlock()
	c.running--
	return beside || c.began > began, err
}

// alone runs a command when no other runs.
func (c *company) alone(run func() error) error {
	c.gate.Lock()
	defer c.gate.Unlock()
	return run()
}

// runApart runs p, the command of a trial. If it ran beside others and failed because a port was taken, that may be due to them and
// says nothing about the configuration, so that it is run again, alone; rec then says so. What the failing end prints, too, is the
// failure that is searched for.
func (r *pool) runApart(ctx context.Context, p process.Command, rec *Record, run func(context.Context) (process.Exit, error)) (x process.Exit, err error) {
	once := func() error {
		x, err = run(ctx)
		return err
	}
	if beside, err := r.company.with(once); err != nil || !beside || x.Code == exitPass || !r.portsTell() || !saysPortTaken(p) {
		return x, err
	}
	rec.Alone = true
	return x, r.company.alone(once)
}

func saysPortTaken(p process.Command) bool {
	for _, name := range []string{p.Stderr, p.Stdout} {
		if text, err := ends(name); err == nil && tellsPortTaken(text) {
			return true
		}
	}
	return false
}

func tellsPortTaken(output []byte) bool {
	for l := range bytes.Lines(output) {
		if failure.TellsPortTaken(failure.TrimLine(l)) {
			return true
		}
	}
	return false
}

// portsTell reports whether a taken port is another failure than that of the failing end.
func (r *pool) portsTell() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.limits.ports
}

package process

import (
	"encoding/gob"
	"fmt"
	"io"
	"os"
	"time"
)

// Supervise has to be called by the first statement of main: when gitdd has started this
// process as a supervisor it serves until gitdd closes the pipe or dies, and exits.
// In any other process it returns at once.
func Supervise() {
	if os.Getenv(supervisorMark) == "" {
		return
	}
	os.Unsetenv(supervisorMark)
	if err := serve(os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "supervisor:", err)
		os.Exit(1)
	}
	os.Exit(0)
}

// serve runs the requests of in, one after the other, until in ends.
func serve(in io.Reader, out io.Writer) error {
	send := gob.NewEncoder(out)
	changed, err := becomeSupervisor()
	if err != nil {
		return send.Encode(reply{Error: err.Error()})
	}
	if err := send.Encode(reply{}); err != nil {
		return err
	}
	requests := make(chan request)
	go func() {
		defer close(requests)
		decoder := gob.NewDecoder(in)
		for {
			var r request
			if decoder.Decode(&r) != nil {
				return // gitdd closed the pipe, or is gone
			}
			requests <- r
		}
	}()
	for r := range requests {
		if r.Cancel {
			continue
		}
		answer, open := supervise(r.Run, requests, changed)
		if !open {
			// Nobody reads answers any more, but an error is for the exit code.
			if answer.Error != "" {
				return fmt.Errorf("%s", answer.Error)
			}
			return nil
		}
		if err := send.Encode(answer); err != nil {
			return err
		}
	}
	return nil
}

// supervise runs p until none of its processes is left; open is false when
// gitdd went away meanwhile.
func supervise(p Command, requests <-chan request, changed <-chan os.Signal) (answer reply, open bool) {
	open = true
	files, captures, err := p.open()
	if err != nil {
		return reply{Error: err.Error()}, open
	}
	var instructions *counter
	if p.Measure == "instructions" {
		if instructions, err = newCounter(); err != nil {
			closeAll(files)
			return reply{Error: err.Error()}, open
		}
		defer instructions.close()
	}
	f, unstarted, err := launch(p, files)
	closeAll(files)
	for _, t := range captures {
		go t.run()
	}
	defer func() {
		for _, t := range captures {
			t.finish()
			if answer.Exit.Cut += t.cut; t.err != nil {
				answer.Exit.Lost = t.err.Error()
			}
		}
	}()
	if err != nil {
		return reply{Error: err.Error()}, open
	}
	if f == nil {
		return reply{Exit: unstarted}, open
	}

	var limit <-chan time.Time
	if p.Timeout > 0 {
		timer := time.NewTimer(p.Timeout)
		defer timer.Stop()
		limit = timer.C
	}
	look := time.NewTimer(firstLook)
	defer look.Stop()
	pause, memory := firstLook, int64(0)
	grace := leftoverGrace
	timedOut, over := false, false
wait:
	for f.reap(); !f.exited; f.reap() {
		select {
		case <-changed:
		case <-limit:
			timedOut, grace = true, p.Grace
			break wait
		case <-look.C:
			if memory = max(memory, f.memory(memory)); p.Memory > 0 && memory > p.Memory {
				over, grace = true, 0 // it would take more while it is asked to end
				break wait
			}
			if p.Measure != "memory" {
				pause = min(2*pause, lastLook)
			}
			look.Reset(pause)
		case _, open = <-requests:
			answer.Cancelled = true
			if open {
				grace = p.Grace
			}
			break wait
		}
	}
	if err := f.end(min(grace, p.Grace), changed); err != nil {
		answer.Error = err.Error()
	}
	answer.Exit = f.exit()
	answer.Exit.TimedOut = timedOut
	answer.Exit.Memory = max(memory, f.largest())
	if instructions != nil {
		answer.Exit.Instructions = instructions.read()
	}
	// A process that came and went between two looks counts, too.
	if p.Memory > 0 && !timedOut && !answer.Cancelled && (over || answer.Exit.Memory > p.Memory) {
		answer.Exit.Over = OverMemory
	}
	return answer, open
}

// The memory of a command is looked at soon after it has begun, and then less and
// less often, but where it is measured.
const (
	firstLook = 10 * time.Millisecond
	lastLook  = 80 * time.Millisecond
)

// end ends every process of the family: it asks, waits at most for grace, and
// then kills until none is left. The error names those that would not go.
func (f *family) end(grace time.Duration, changed <-chan os.Signal) error {
	if f.reap() {
		return nil
	}
	f.terminate()
	patience := time.NewTimer(grace)
	defer patience.Stop()
	// The ticks are for the systems that do not tell when an orphan ends.
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for waiting := true; waiting; {
		select {
		case <-changed:
		case <-tick.C:
		case <-patience.C:
			waiting = false
		}
		if f.reap() {
			return nil
		}
	}
	// A process that forks while it is being killed is found by the next pass:
	// its child is an orphan of the supervisor by then.
	tick.Reset(time.Millisecond)
	for deadline := time.Now().Add(killLimit); time.Now().Before(deadline); {
		f.kill()
		select {
		case <-changed:
		case <-tick.C:
		}
		if f.reap() {
			return nil
		}
	}
	return fmt.Errorf("a process does not end, not even killed: %s", f.survivors())
}

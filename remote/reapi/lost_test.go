package reapi

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gitdd/gitdd/internal/reapitest"
	"github.com/gitdd/gitdd/internal/seed"
	"github.com/gitdd/gitdd/trial"
)

// TestMended holds the client to what it mends by itself: the task is done, in one call.
func TestMended(t *testing.T) {
	t.Parallel()
	for _, f := range []reapitest.Fault{
		reapitest.LostOperation, reapitest.Vanished, reapitest.LostOutput, reapitest.Refused, reapitest.BrokenExecute,
		reapitest.EndedExecute, reapitest.BrokenFind, reapitest.BrokenBatch, reapitest.PartBatch, reapitest.BusyBatch,
		reapitest.BrokenUpload, reapitest.BrokenDownload, reapitest.SlowAnswer,
	} {
		t.Run(f.String(), func(t *testing.T) {
			seed.SkipLong(t, 4)
			t.Parallel()
			server := reapitest.Start(t, reapitest.Options{MaxBatch: 10_000, Fault: reapitest.First(1, f)})
			c := dial(t, server, nil)
			check := task(t, faulty.snapshot(), printAll)
			r, err := c.Run(t.Context(), check)
			if err != nil {
				t.Fatal(err)
			}
			expectAll(t, check, r)
			if server.Counts().Faults[f] == 0 {
				t.Error("nothing went wrong")
			}
		})
	}
}

// TestLost holds the client to what it does not mend: the task is lost, and when it is
// performed again it is done.
func TestLost(t *testing.T) {
	t.Parallel()
	for _, f := range []reapitest.Fault{
		reapitest.LostWorker, reapitest.LostLater, reapitest.Preempted, reapitest.Memory, reapitest.Deadline, reapitest.Exhausted,
	} {
		t.Run(f.String(), func(t *testing.T) {
			t.Parallel()
			server := reapitest.Start(t, reapitest.Options{MaxBatch: 10_000, Fault: reapitest.First(1, f)})
			c := dial(t, server, nil)
			check := task(t, faulty.snapshot(), printAll)
			_, err := c.Run(t.Context(), check)
			var lost *trial.LostError
			if !errors.As(err, &lost) {
				t.Fatalf("%v", err)
			}
			t.Log(err)
			if f == reapitest.Exhausted && lost.After == 0 {
				t.Error("the server said when to come again")
			}
			r, err := c.Run(t.Context(), check)
			if err != nil {
				t.Fatal(err)
			}
			expectAll(t, check, r)
		})
	}
}

// TestDamaged reads an output that arrives as long as it is, and is another: the task is
// lost, also where the rest of it came by another stream. What is there is read then, and
// nothing is performed again.
func TestDamaged(t *testing.T) {
	t.Parallel()
	content := strings.Repeat("0123456789abcdef", 2_000)
	for _, faults := range [][]reapitest.Fault{{reapitest.DamagedDownload}, {reapitest.DamagedDownload, reapitest.BrokenDownload}} {
		server := reapitest.Start(t, reapitest.Options{MaxBatch: 10_000, Inline: 1, Fault: reapitest.First(1, faults...)})
		c := dial(t, server, nil)
		check := task(t, tree{"a": content}.snapshot(), "cat a")
		r, err := c.Run(t.Context(), check)
		var lost *trial.LostError
		if !errors.As(err, &lost) || lost.Away || lost.Reason != "an output arrived damaged" {
			t.Errorf("%v: %+v, %v", faults, r, err)
		}
		if n := server.Counts(); n.Faults[reapitest.DamagedDownload] != 1 || n.Methods["Read"].Calls != len(faults) {
			t.Errorf("%v: %+v", faults, n)
		}
		r, err = c.Run(t.Context(), check)
		if err != nil || !r.Cached || printed(t, check, "out") != content || server.Counts().Executions != 1 {
			t.Errorf("%v: %+v, %v", faults, r, err)
		}
	}
}

func TestCancel(t *testing.T) {
	t.Parallel()
	for _, noCancel := range []bool{false, true} {
		server := reapitest.Start(t, reapitest.Options{NoCancel: noCancel, Abandon: time.Millisecond})
		c := dial(t, server, nil)
		ctx, cancel := context.WithCancel(t.Context())
		check := task(t, tree{"a": "a"}.snapshot(), "exec sleep 1000")
		check.Told = func(e trial.TaskEvent) {
			if e.State == "running" {
				cancel()
			}
		}
		if r, err := c.Run(ctx, check); !errors.Is(err, context.Canceled) {
			t.Errorf("%+v, %v", r, err)
		}
		server.Await(func(reapitest.Counts) bool { return server.Running() == 0 })
	}
}

// TestAway lets the server go away while tasks run, and return.
func TestAway(t *testing.T) {
	t.Parallel()
	server := reapitest.Start(t, reapitest.Options{Workers: 8})
	c := dial(t, server, nil)
	running := make(chan bool, 100)
	var all sync.WaitGroup
	for i := range 8 {
		check := task(t, tree{"a": fmt.Sprint(i)}.snapshot(), "sleep 0.3; cat a")
		check.Told = func(e trial.TaskEvent) {
			if e.State == "running" {
				running <- true
			}
		}
		all.Go(func() {
			r, err := c.Run(t.Context(), check)
			if lost := new(trial.LostError); errors.As(err, &lost) { // it said so when it left
				r, err = c.Run(t.Context(), check)
			}
			if err != nil || r.Test.Exit != 0 {
				t.Errorf("%+v, %v", r, err)
			}
		})
	}
	<-running
	server.Leave()
	server.Return()
	all.Wait()
}

// TestVain finds an answer in the cache whose outputs are gone.
func TestVain(t *testing.T) {
	t.Parallel()
	server := reapitest.Start(t, reapitest.Options{Careless: true})
	c := dial(t, server, nil)
	long := strings.Repeat("0123456789abcdef\n", 100)
	first := task(t, tree{"a": long}.snapshot(), "cat a")
	if _, err := c.Run(t.Context(), first); err != nil {
		t.Fatal(err)
	}
	server.Forget()
	again := task(t, first.Files, "cat a")
	r, err := c.Run(t.Context(), again)
	if err != nil || r.Test.Exit != 0 || printed(t, again, "out") != long {
		t.Errorf("%+v, %v", r, err)
	}
}

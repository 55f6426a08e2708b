package reapi

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/gitdd/gitdd/internal/reapitest"
	"github.com/gitdd/gitdd/trial"
)

// TestDoubtful finds in the cache what somebody's machine may be to blame for: it is not
// taken, the task is performed, and what comes of that is in the cache from then on. An
// outcome of the files is taken.
func TestDoubtful(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		change  func(*trial.Task)
		trouble string // of the first machine: a line of shell
		again   int    // executions for the second who asks
	}{
		"killed":    {func(*trial.Task) {}, "kill -9 $$", 1},
		"no tool":   {func(*trial.Task) {}, "exit 127", 1},
		"no setup":  {func(t *trial.Task) { t.Setup = "sh ./step" }, "exit 1", 1},
		"a failure": {func(*trial.Task) {}, "exit 1", 0},
		"a crash":   {func(*trial.Task) {}, "kill -SEGV $$", 0},
		"no build":  {func(t *trial.Task) { t.Build = "sh ./step" }, "exit 1", 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			// What the machine is like, the key does not say.
			trouble := filepath.Join(t.TempDir(), "trouble")
			if err := os.WriteFile(trouble, []byte(c.trouble+"\n"), 0o666); err != nil {
				t.Fatal(err)
			}
			server := reapitest.Start(t, reapitest.Options{})
			files := tree{"step": "! test -e '" + trouble + "' || . '" + trouble + "'\n"}.snapshot()
			first := task(t, files, ". ./step")
			c.change(&first)
			if first.Setup+first.Build != "" {
				first.Command = []string{"true"}
			}
			bad, err := dial(t, server, nil).Run(t.Context(), first)
			if err != nil || bad.Cached || server.Counts().Executions != 1 {
				t.Fatalf("%+v, %v", bad, err)
			}
			if err := os.Remove(trouble); err != nil {
				t.Fatal(err)
			}
			second := task(t, files, "")
			second.Setup, second.Build, second.Command = first.Setup, first.Build, first.Command
			r, err := dial(t, server, nil).Run(t.Context(), second)
			if n := server.Counts().Executions - 1; err != nil || n != c.again || r.Cached != (c.again == 0) {
				t.Errorf("executed %d times: %+v, %v", n, r, err)
			}
			if c.again == 0 && r != bad && (r.Test != bad.Test || r.Build != bad.Build) {
				t.Errorf("%+v, and before %+v", r, bad)
			}
			if c.again > 0 && (r.Test.Exit != 0 || r.Doubtful()) {
				t.Errorf("%+v", r)
			}
			// It replaced the other.
			third := second
			if r, err := dial(t, server, nil).Run(t.Context(), third); err != nil || !r.Cached || server.Counts().Executions != 1+c.again {
				t.Errorf("%+v, %v", r, err)
			}
		})
	}
}

// TestDoubtfulTime is the same for a time-out.
func TestDoubtfulTime(t *testing.T) {
	t.Parallel()
	server := reapitest.Start(t, reapitest.Options{})
	first := task(t, tree{}.snapshot(), "exec sleep 1000")
	first.Limit = time.Millisecond
	bad, err := dial(t, server, nil).Run(t.Context(), first)
	if err != nil || !bad.Test.TimedOut {
		t.Fatalf("%+v, %v", bad, err)
	}
	again, err := dial(t, server, nil).Run(t.Context(), first)
	if err != nil || again.Cached || !again.Test.TimedOut || server.Counts().Executions != 2 {
		t.Errorf("%+v, %v", again, err)
	}
}

// TestForgotten meets a server that forgets each operation as soon as it runs: that is not
// followed for ever.
func TestForgotten(t *testing.T) {
	t.Parallel()
	server := reapitest.Start(t, reapitest.Options{Fault: reapitest.First(1000, reapitest.LostOperation)})
	c := dial(t, server, nil)
	_, err := c.Run(t.Context(), task(t, tree{"a": "alpha"}.snapshot(), "cat a"))
	var lost *trial.LostError
	if !errors.As(err, &lost) || lost.Away || !strings.HasPrefix(err.Error(), "the server forgot the task, again and again: not found: ") {
		t.Errorf("%v", err)
	}
	if n := server.Counts().Executions; n != mostForgotten {
		t.Errorf("%d executions", n)
	}
}

// TestInlined meets a server that writes more into an answer than a message may have: the
// outputs are read one by one, and the task is executed once.
func TestInlined(t *testing.T) {
	t.Parallel()
	server := reapitest.Start(t, reapitest.Options{Inline: 1 << 30})
	small := func(o *Options) { o.received = 900_000 }
	first := task(t, faulty.snapshot(), printAll)
	for range 2 {
		r, err := dial(t, server, small).Run(t.Context(), first)
		if err != nil {
			t.Fatalf("%+v, %v", r, err)
		}
		expectAll(t, first, r)
	}
	if n := server.Counts(); n.Executions != 1 || n.Methods["GetActionResult"].Calls < 2 {
		t.Errorf("%+v", n)
	}
	// What is too large without outputs is an error, and no loss that is tried again.
	_, err := dial(t, server, func(o *Options) { o.received = 400 }).Run(t.Context(), first)
	var lost *trial.LostError
	if err == nil || errors.As(err, &lost) || !strings.Contains(err.Error(), "a message is larger than the other side takes") {
		t.Errorf("%v", err)
	}
}

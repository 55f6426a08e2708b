package reapi

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	repb "github.com/bazelbuild/remote-apis/build/bazel/remote/execution/v2"
	"github.com/bazelbuild/remote-apis/build/bazel/semver"

	"github.com/gitdd/gitdd/internal/reapitest"
	"github.com/gitdd/gitdd/trial"
)

func TestRun(t *testing.T) {
	t.Parallel()
	server := reapitest.Start(t, reapitest.Options{})
	files := tree{"a.txt": "alpha\n", "bin/do*": "#!/bin/sh\necho done\n", "@link": "a.txt", "deep/er/b.txt": "beta\n"}.snapshot()
	check := task(t, files, "cat link ../w/deep/er/b.txt; ./bin/do; echo oops >&2; exit 3")
	check.Build = "echo built; cp a.txt c.txt"
	c := dial(t, server, nil)
	var told []trial.TaskEvent
	check.Told = func(e trial.TaskEvent) { told = append(told, e) }
	r, err := c.Run(t.Context(), check)
	if err != nil {
		t.Fatal(err)
	}
	if !r.Build.Ran || r.Build.Exit != 0 || !r.Test.Ran || r.Test.Exit != 3 || r.Setup.Ran || r.Cached || r.Machine == "" || r.Uploaded == 0 {
		t.Errorf("%+v", r)
	}
	if got := printed(t, check, "out") + printed(t, check, "err") + printed(t, check, "build.out"); got != "alpha\nbeta\ndone\noops\nbuilt\n" {
		t.Errorf("printed %q", got)
	}
	if len(told) == 0 || told[0].State != "uploading" || told[len(told)-1].State != "running" {
		t.Errorf("told %v", told)
	}

	// Somebody else asks the same: nothing runs, and nothing is sent but the question.
	before := server.Counts()
	other := dial(t, server, nil)
	again := task(t, files, check.Command[2])
	again.Name, again.Build = "gitdd-other-7", check.Build
	second, err := other.Run(t.Context(), again)
	if err != nil {
		t.Fatal(err)
	}
	if !second.Cached || second.Test != r.Test || second.Build != r.Build {
		t.Errorf("%+v, and before %+v", second, r)
	}
	if printed(t, again, "out") != printed(t, check, "out") {
		t.Errorf("printed %q", printed(t, again, "out"))
	}
	after := server.Counts()
	if sent := after.Received() - before.Received() - after.Methods["GetCapabilities"].Received + before.Methods["GetCapabilities"].Received; second.Uploaded != sent {
		t.Errorf("the task says that %d bytes were sent, the server that %d came", second.Uploaded, sent)
	}
	if after.Executions != before.Executions || after.Methods["FindMissingBlobs"] != before.Methods["FindMissingBlobs"] ||
		after.Methods["BatchUpdateBlobs"] != before.Methods["BatchUpdateBlobs"] {
		t.Errorf("before %+v, after %+v", before, after)
	}

	// With another salt it is another question.
	again.Salt = "confirm"
	if third, err := other.Run(t.Context(), again); err != nil || third.Cached || server.Counts().Executions != 2 {
		t.Errorf("%+v, %v", third, err)
	}
}

// TestWholeOnly finds the answers of tasks that ended early in a cache that keeps only what
// is whole.
func TestWholeOnly(t *testing.T) {
	t.Parallel()
	server := reapitest.Start(t, reapitest.Options{WholeOnly: true})
	c := dial(t, server, nil)
	for _, change := range []func(*trial.Task){
		func(*trial.Task) {},
		func(t *trial.Task) { t.Build = "echo built; exit 1" },
		func(t *trial.Task) { t.Setup, t.Build = "echo set up", "exit 1" },
	} {
		first := task(t, tree{"a": "alpha"}.snapshot(), "cat a")
		change(&first)
		second := first
		dir := t.TempDir()
		second.Output = func(name string) string { return filepath.Join(dir, name) }
		r, err := c.Run(t.Context(), first)
		if err != nil {
			t.Fatal(err)
		}
		again, err := c.Run(t.Context(), second)
		if err != nil || !again.Cached || again.Setup != r.Setup || again.Build != r.Build || again.Test != r.Test {
			t.Errorf("%+v, then %+v, %v", r, again, err)
		}
		for _, name := range trial.OutputNames {
			text, err := os.ReadFile(first.Output(name))
			other, gone := os.ReadFile(second.Output(name))
			if string(text) != string(other) || (err == nil) != (gone == nil) || (err == nil) != r.Of(name).Ran {
				t.Errorf("%s: %q, then %q, %v, %v", name, text, other, err, gone)
			}
		}
	}
}

// TestOld talks to a server of the first version 2, which has other words for outputs.
func TestOld(t *testing.T) {
	t.Parallel()
	server := reapitest.Start(t, reapitest.Options{Announce: func(c *repb.ServerCapabilities) {
		c.LowApiVersion, c.HighApiVersion = &semver.SemVer{Major: 2}, &semver.SemVer{Major: 2}
	}})
	check := task(t, tree{"a": "alpha"}.snapshot(), "cat a")
	same := func(o *Options) { o.Properties = [][2]string{{"os", "linux"}, {"arch", "any"}, {"os", "linux"}} }
	if r, err := dial(t, server, same).Run(t.Context(), check); err != nil || r.Test.Exit != 0 || printed(t, check, "out") != "alpha" {
		t.Errorf("%+v, %v", r, err)
	}
}

// TestUnlimited performs tasks without a limit where servers have one.
func TestUnlimited(t *testing.T) {
	t.Parallel()
	for most, want := range map[time.Duration]int32{0: 0, 2 * time.Hour: 1, time.Minute: 2} {
		server := reapitest.Start(t, reapitest.Options{MaxTimeout: most})
		c := dial(t, server, nil)
		for range 2 {
			if r, err := c.Run(t.Context(), task(t, tree{}.snapshot(), "true")); err != nil || r.Test.Exit != 0 {
				t.Errorf("%v: %+v, %v", most, r, err)
			}
		}
		if n := server.Counts(); n.Executions != 1 || n.Methods["Execute"].Calls != int(want)+1 || c.narrowed.Load() != want {
			t.Errorf("%v: %+v", most, n)
		}
		limited := task(t, tree{}.snapshot(), "true")
		limited.Limit = 3 * time.Hour
		var lost *trial.LostError
		if _, err := c.Run(t.Context(), limited); (err != nil) != (most > 0) || errors.As(err, &lost) || err != nil && !strings.Contains(err.Error(), "--timeout") {
			t.Errorf("%v: %v", most, err)
		}
	}
}

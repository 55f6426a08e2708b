package reapi

import (
	"errors"
	"strings"
	"testing"
	"time"

	repb "github.com/bazelbuild/remote-apis/build/bazel/remote/execution/v2"

	"github.com/gitdd/gitdd/internal/reapitest"
	"github.com/gitdd/gitdd/trial"
)

// Workers that give each task links to files, or to whole folders, that they keep: what
// one task writes in place the next does not see, and it can be written.
func TestShared(t *testing.T) {
	t.Parallel()
	for name, linked := range map[string]reapitest.Linked{"files": reapitest.LinkedFiles, "folders": reapitest.LinkedFolders} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := dial(t, reapitest.Start(t, reapitest.Options{Workers: 1, Linked: linked}), nil)
			files := tree{"a b.txt": "alpha\n", "bin/do*": "#!/bin/sh\necho done\n", "@-link": "bin/do", "@gone": "nowhere", ".deep/er/b.txt": "beta\n", "empty": ""}.snapshot()
			const look = "cat 'a b.txt' .deep/er/b.txt empty; ./bin/do; ./-link; ls -A; ls -A .deep; test -L gone && test ! -x empty; "
			const saw = "alpha\nbeta\ndone\ndone\n-link\n.deep\na b.txt\nbin\nempty\ngone\ner\n"
			for _, change := range []string{
				"echo 1 >>'a b.txt' && echo 2 >>.deep/er/b.txt && echo exit >>bin/do && echo 3 >empty",
				"echo 4 >>-link && mkdir .deep/new && mv 'a b.txt' .deep/new && rm -r .deep/er empty",
				"chmod a-x bin/do && chmod 700 . .deep && touch -t 203001010000 'a b.txt'",
				"true",
			} {
				check := task(t, files, look+change)
				check.Env = []string{"LC_ALL=C"}
				r, err := c.Run(t.Context(), check)
				if err != nil {
					t.Fatal(err)
				}
				if got := printed(t, check, "out"); !r.Test.Ran || r.Test.Exit != 0 || got != saw {
					t.Errorf("%s: exit code %d\n%s%s", change, r.Test.Exit, got, printed(t, check, "err"))
				}
			}
		})
	}
}

// Where tasks are said to write to no file in place, none is copied that a worker shares;
// where it shares folders, in which they may make files, all are.
func TestUntouched(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		linked    reapitest.Linked
		untouched bool
		want      string
	}{
		{reapitest.LinkedFiles, true, "a.txt\n"},
		{reapitest.LinkedFiles, false, ""},
		{reapitest.LinkedFolders, true, ""},
		{reapitest.Copies, true, ""},
	} {
		c := dial(t, reapitest.Start(t, reapitest.Options{Linked: test.linked}), func(o *Options) { o.Untouched = test.untouched })
		shared := task(t, tree{"a.txt": "alpha\n"}.snapshot(), "find a.txt -links +1; echo beta >b.txt")
		r, err := c.Run(t.Context(), shared)
		if err != nil {
			t.Fatal(err)
		}
		if got := printed(t, shared, "out"); r.Test.Exit != 0 || got != test.want {
			t.Errorf("%+v: %q", test, got)
		}
	}
}

// A server whose Execute does not look into the cache of actions, and that refuses the
// first limit of a task without one: what has been done is not done again.
func TestBlind(t *testing.T) {
	t.Parallel()
	server := reapitest.Start(t, reapitest.Options{Blind: true, MaxTimeout: time.Hour})
	files := tree{"a.txt": "alpha\n"}.snapshot()
	for _, user := range []string{"one", "another"} {
		c := dial(t, server, nil)
		for range 2 {
			if _, err := c.Run(t.Context(), task(t, files, "cat a.txt")); err != nil {
				t.Fatal(err)
			}
			limited := task(t, files, "cat a.txt")
			limited.Limit = time.Minute
			if _, err := c.Run(t.Context(), limited); err != nil {
				t.Fatal(err)
			}
			if n := server.Counts().Executions; n != 2 {
				t.Fatalf("%s: %d actions were executed, of 2", user, n)
			}
		}
	}
}

// The same where the server did not know what was asked for before: that says nothing of
// what others have asked.
func TestBlindBehindNew(t *testing.T) {
	t.Parallel()
	server := reapitest.Start(t, reapitest.Options{Blind: true})
	for user, contents := range [][]string{{"a", "b", "c"}, {"new", "newer", "b", "c"}} {
		c := dial(t, server, nil)
		for _, content := range contents {
			r, err := c.Run(t.Context(), task(t, tree{"d/a.txt": content, "d/b.txt": "beta\n"}.snapshot(), "cat d/a.txt"))
			if want := user == 1 && len(content) == 1; err != nil || r.Cached != want {
				t.Errorf("%s: %+v, %v", content, r, err)
			}
		}
	}
	if n := server.Counts().Executions; n != 5 {
		t.Errorf("%d actions were executed, of 5", n)
	}
}

// Where no worker has the properties of the first task, no time is spent on asking again.
func TestNoWorker(t *testing.T) {
	t.Parallel()
	server := reapitest.Start(t, reapitest.Options{Properties: map[string][]string{"OSFamily": {"linux"}}})
	c := dial(t, server, func(o *Options) { o.Properties = [][2]string{{"OSFamily", "vms"}} })
	_, err := c.Run(t.Context(), task(t, tree{"a": "alpha"}.snapshot(), "true"))
	if lost := (*trial.LostError)(nil); err == nil || errors.As(err, &lost) || !strings.Contains(err.Error(), "OSFamily=vms") || !strings.Contains(err.Error(), "--remote-property") {
		t.Errorf("%v", err)
	}
	if n := server.Counts().Executions; n != 0 {
		t.Errorf("%d actions were executed", n)
	}
}

func TestWorkerName(t *testing.T) {
	for said, want := range map[string]string{
		"": "", "worker-1": "worker-1", "{": "{", `{"a":1}`: `{"a":1}`,
		`{"thread":"3","hostname":"h.example.com","rack":"4"}`: "h.example.com/4/3",
	} {
		if got := workerName(&repb.ExecutedActionMetadata{Worker: said}); got != want {
			t.Errorf("%s: %q instead of %q", said, got, want)
		}
	}
}

package trial

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gitdd/gitdd/internal/git"
	"github.com/gitdd/gitdd/internal/seed"
	"github.com/gitdd/gitdd/isolate"
	"github.com/gitdd/gitdd/testcase"
)

// comparing reduces an input with the versions good and bad of a history.
func (h history) comparing(original testcase.Input, set func(*InputOptions)) *reducer {
	h.t.Helper()
	return h.comparingIn(inputSession(h.t, h.dir), original, set)
}

func (h history) comparingIn(s *Session, original testcase.Input, set func(*InputOptions)) *reducer {
	h.t.Helper()
	repo, err := git.Open(context.Background(), h.dir)
	if err != nil {
		h.t.Fatal(err)
	}
	h.t.Cleanup(func() { repo.Close() })
	var versions [2]git.Revision
	for i, tag := range []string{"good", "bad"} {
		if versions[i], err = repo.Resolve(context.Background(), tag); err != nil {
			h.t.Fatal(err)
		}
	}
	return reducingIn(h.t, s, original, "", func(o *InputOptions) {
		o.Repo, o.Good, o.Bad = repo, &versions[0], &versions[1]
		o.Build, o.Command = "echo $GITDD_BUILD >> built; cp prog.in prog; chmod +x prog", []string{"./prog", "{}"}
		if set != nil {
			set(o)
		}
	})
}

func (h history) versions() {
	h.t.Helper()
	h.commit("good", "prog.in", "#!/bin/sh\necho good $GITDD_BUILD $PWD; grep -q broken $1 && exit 2; grep -q slow $1 && sleep 30; exit 0\n", ".gitignore", "/prog\n")
	h.commit("bad", "prog.in", "#!/bin/sh\necho bad $GITDD_BUILD $PWD $(cat built | tr '\\n' ' '); grep -q bug $1 && { echo changed > $1; exit 1; }; grep -q broken $1 && exit 2; exit 0\n")
}

func TestVersions(t *testing.T) {
	h := newHistory(t)
	h.versions()
	// A program of that name where gitdd was started is not the one that was built.
	h.files("prog", "#!/bin/sh\nexit 1\n")
	for _, jobs := range []int{1, 2} {
		r := h.comparing(file("in", "a bug\n"), func(o *InputOptions) { o.Jobs = jobs })
		if v := r.begin(); v.Outcome != isolate.Fail || v.Reason != "exit 1" {
			t.Fatalf("the original: %+v", v)
		}
		for _, test := range []struct {
			content, want string
			out           isolate.Outcome
		}{
			{"bug", "exit 1", isolate.Fail},
			{"nothing", "exit 0", isolate.Pass},
			{"broken", "another failure: exit 2; the input: exit 1", isolate.Unresolved},
			{"bug broken", "exit 1 in the bad version, exit 2 in the good one", isolate.Unresolved},
		} {
			v := r.verdict(file("in", test.content))
			if v.Outcome != test.out || v.Reason != test.want {
				t.Errorf("%q: %v, %q, want %v, %q", test.content, v.Outcome, v.Reason, test.out, test.want)
			}
			if text := read(t, v.Stdout); !strings.HasPrefix(text, "bad bad ") || !strings.HasSuffix(text, "-0-bad bad\n") {
				t.Errorf("%q printed %q: built more than once, or in the wrong place", test.content, text)
			}
			good := r.session.Output(v.Trial, "good.out")
			if _, err := os.Stat(good); (err == nil) != strings.Contains(test.content, "bug") {
				t.Errorf("%q: the good version: %v", test.content, err)
			} else if err == nil && !strings.HasPrefix(read(t, good), "good good ") {
				t.Errorf("%q: the good version printed %q", test.content, read(t, good))
			}
		}
		if v, err := r.Confirm(context.Background(), file("in", "bug")); err != nil || v.Outcome != isolate.Fail {
			t.Errorf("confirm: %+v, %v", v, err)
		}
		if n := r.Stats().Run; n != 6 {
			t.Errorf("%d trials, want 6", n)
		}
		r.close()
		if left := h.run("worktree", "list"); strings.Count(left, "\n") > 0 {
			t.Errorf("worktrees are left: %s", left)
		}
		if left, err := filepath.Glob(filepath.Join(r.session.Dir(), "work", "*")); len(left) > 0 {
			t.Errorf("%q are left: %v", left, err)
		}
	}
	if status := h.run("status", "--porcelain", "--ignored"); status != "!! prog" {
		t.Errorf("the user's files: %s", status)
	}
}

// TestVersionsRefused: what is not a regression, and what cannot be built.
func TestVersionsRefused(t *testing.T) {
	h := newHistory(t)
	h.versions()
	for _, test := range []struct {
		name, content string
		set           func(*InputOptions)
		want          string
	}{
		{"passes", "fine", nil, "the input does not fail in the bad version: exit 0"},
		{"fails in both", "broken", nil, "the input shows no regression: exit 2 in the bad version, exit 2 in the good one"},
		{"interesting in both", "fine", func(o *InputOptions) { o.Interesting = true }, "the input shows no regression: exit 0 in the bad version, exit 0 in the good one"},
		{"no build", "bug", func(o *InputOptions) { o.Build = "echo no; exit $(grep -c bug prog.in)" }, `the build of the bad version "echo no; exit $(grep -c bug prog.in)" did not succeed: exit 1`},
		{"no directory", "bug", func(o *InputOptions) { o.Dir = "sub" }, "there is no directory sub in the bad version"},
		{"no program", "bug", func(o *InputOptions) { o.Build = "" }, "the command cannot run: \"./prog\": no such file"},
	} {
		t.Run(test.name, func(t *testing.T) {
			seed.SkipLong(t, 3)
			r := h.comparing(file("in", test.content), test.set)
			if _, err := r.Original(context.Background()); err == nil || !strings.HasPrefix(err.Error(), test.want) {
				t.Errorf("got %v\nwant %s", err, test.want)
			}
		})
	}
}

// TestVersionsStale: what trials leave in a workspace is found out, and then each
// begins with a new build.
func TestVersionsStale(t *testing.T) {
	h := newHistory(t)
	h.commit("good", "prog.in", "#!/bin/sh\nexit 0\n")
	h.commit("bad", "prog.in", "#!/bin/sh\ngrep -q bug $1 && { : > broken; exit 1; }; test ! -e broken || exit 1\n")
	r := h.comparing(file("in", "bug"), nil)
	r.begin()
	small := file("in", "x")
	if v := r.verdict(small); v.Outcome != isolate.Fail {
		t.Fatalf("%+v", v)
	}
	v, err := r.Confirm(context.Background(), small)
	if err != nil || v.Outcome != isolate.Pass || v.Reason != "exit 0: pass in a fresh place, but fail during the search" {
		t.Fatalf("confirm: %+v, %v", v, err)
	}
	r.Distrust()
	r.begin()
	if v := r.verdict(small); v.Outcome != isolate.Pass || v.Cached {
		t.Errorf("after Distrust: %+v", v)
	}
}

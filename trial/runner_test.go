package trial

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/gitdd/gitdd/changes"
	"github.com/gitdd/gitdd/internal/failure"
	"github.com/gitdd/gitdd/internal/git"
	"github.com/gitdd/gitdd/internal/seed"
	"github.com/gitdd/gitdd/isolate"
)

// A history is a real repository that a test writes.
type history struct {
	t   testing.TB
	dir string
}

func newHistory(t testing.TB) history {
	t.Helper()
	h := history{t, filepath.Join(t.TempDir(), "repo")}
	h.run("init", "--quiet", "--initial-branch=main", h.dir)
	return h
}

// run runs git in the repository (and may make it).
func (h history) run(args ...string) string {
	h.t.Helper()
	cmd := exec.Command("git", args...)
	if _, err := os.Stat(h.dir); err == nil {
		cmd.Dir = h.dir
	}
	cmd.Env = append(os.Environ(), "GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@example.org", "GIT_AUTHOR_DATE=2024-01-01T00:00:00Z",
		"GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@example.org", "GIT_COMMITTER_DATE=2024-01-01T00:00:00Z")
	out, err := cmd.CombinedOutput()
	if err != nil {
		h.t.Fatalf("git %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return strings.TrimSpace(string(out))
}

// files writes files, given as path, content pairs: "->x" is a symlink to x,
// "!" removes the path, "#!..." makes it executable.
func (h history) files(pairs ...string) {
	h.t.Helper()
	writeFiles(h.t, h.dir, pairs...)
}

func writeFiles(t testing.TB, dir string, pairs ...string) {
	t.Helper()
	for i := 0; i < len(pairs); i += 2 {
		name, content := filepath.Join(dir, pairs[i]), pairs[i+1]
		err := os.RemoveAll(name)
		target, link := strings.CutPrefix(content, "->")
		switch {
		case err != nil || content == "!":
		case link:
			err = errors.Join(os.MkdirAll(filepath.Dir(name), 0o777), os.Symlink(target, name))
		default:
			perm := fs.FileMode(0o666)
			if strings.HasPrefix(content, "#!") {
				perm = 0o777
			}
			err = errors.Join(os.MkdirAll(filepath.Dir(name), 0o777), os.WriteFile(name, []byte(content), perm))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

// commit commits everything and tags it.
func (h history) commit(tag string, pairs ...string) {
	h.t.Helper()
	h.files(pairs...)
	h.run("add", "--all")
	h.run("commit", "--quiet", "--allow-empty", "--message="+tag)
	h.run("tag", tag)
}

// A bench is a runner on a history from tag good to tag bad.
type bench struct {
	*Runner
	t    testing.TB
	set  *changes.Set
	repo *git.Repo
	sess *Session
}

// bench starts a runner in a new session. set fills in the options.
func (h history) bench(set func(*Options)) *bench {
	h.t.Helper()
	return h.benchIn(h.session(h.t.TempDir()), set)
}

func (h history) session(root string) *Session {
	h.t.Helper()
	s, err := CreateSession(root, Header{Version: "test", Started: time.Date(2024, 5, 6, 7, 8, 9, 0, time.UTC), Name: "run"})
	if err != nil {
		h.t.Fatal(err)
	}
	return s
}

func (h history) benchIn(s *Session, set func(*Options)) *bench {
	h.t.Helper()
	b, err := h.tryBench(s, set)
	if err != nil {
		h.t.Fatal(err)
	}
	return b
}

func (h history) tryBench(s *Session, set func(*Options)) (*bench, error) {
	h.t.Helper()
	ctx := h.t.Context()
	repo, err := git.Open(ctx, h.dir)
	if err != nil {
		h.t.Fatal(err)
	}
	h.t.Cleanup(func() { repo.Close() })
	b := &bench{t: h.t, repo: repo, sess: s}
	if b.set, err = changes.Between(ctx, repo, "good", "bad", changes.Options{}); err != nil {
		h.t.Fatal(err)
	}
	opts := Options{Repo: repo, Session: s, Command: []string{"true"}}
	set(&opts)
	if b.Runner, err = New(ctx, opts); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	h.t.Cleanup(b.close)
	return b, nil
}

// close may be called twice.
func (b *bench) close() {
	if b.sess == nil {
		return
	}
	if err := b.Runner.Close(); err != nil {
		b.t.Error(err)
	}
	if err := b.sess.Close(); err != nil {
		b.t.Error(err)
	}
	b.sess = nil
}

// config is the configuration with all changes of the paths.
func (b *bench) config(paths ...string) isolate.Configuration {
	var members []int
	for i, c := range b.set.Changes {
		if slices.Contains(paths, c.Path) {
			members = append(members, i)
		}
	}
	return isolate.Of(b.set.Len(), members...)
}

// draw takes each change or not, with even odds; no tree when these conflict.
func (b *bench) draw(random *rand.Rand) (isolate.Configuration, *changes.Tree) {
	b.t.Helper()
	var members []int
	for i := range b.set.Len() {
		if random.IntN(2) == 0 {
			members = append(members, i)
		}
	}
	c := isolate.Of(b.set.Len(), members...)
	tree, err := b.set.Compose(c.All())
	if _, ok := errors.AsType[*changes.ConflictError](err); ok {
		return c, nil
	}
	if err != nil {
		b.t.Fatal(err)
	}
	return c, tree
}

// verdict asks for a configuration and expects no error.
func (b *bench) verdict(c isolate.Configuration) Verdict {
	b.t.Helper()
	v, err := b.ask(b.t.Context(), b.set, c, Search)
	if err != nil {
		b.t.Fatal(err)
	}
	return v
}

// ends expects the ends to differ.
func (b *bench) ends() Ends {
	b.t.Helper()
	e, err := b.Ends(b.t.Context(), b.set)
	if err != nil {
		b.t.Fatal(err)
	}
	return e
}

func script(lines ...string) func(*Options) {
	return func(o *Options) { o.Command = []string{"sh", "-c", strings.Join(lines, "\n")} }
}

func sameOutput(text string) func(*Options) {
	return func(o *Options) {
		var err error
		if o.SameOutput, err = failure.NewSignature(text); err != nil {
			panic(err)
		}
	}
}

// TestOutcomeRules runs, for each row, one script at each end and one in
// between, in real trials.
func TestOutcomeRules(t *testing.T) {
	missing := func(o *Options) { o.Command = []string{"./run"} }
	tests := []struct {
		name           string
		good, bad, mid string // scripts
		set            func(*Options)
		err            string // of Ends
		fix            bool
		want           isolate.Outcome // in between
		reason         string          // contained in that
	}{
		{name: "pass", good: "exit 0", bad: "exit 1", mid: "exit 0", want: isolate.Pass, reason: "exit 0"},
		{name: "fail", good: "exit 0", bad: "exit 1", mid: "exit 1", want: isolate.Fail, reason: "exit 1"},
		{name: "124 fails", good: "exit 0", bad: "exit 1", mid: "exit 124", want: isolate.Fail, reason: "exit 124"},
		{name: "125 unresolved", good: "exit 0", bad: "exit 1", mid: "exit 125", want: isolate.Unresolved, reason: "exit 125"},
		{name: "126, not at the bad end", good: "exit 0", bad: "exit 1", mid: "exit 126", want: isolate.Unresolved, reason: "another failure: exit 126; at the failing end: exit 1"},
		{name: "127, not at the bad end", good: "exit 0", bad: "exit 1", mid: "nosuch-command", want: isolate.Unresolved, reason: "another failure: exit 127; at the failing end: exit 1"},
		{name: "126 and 127", good: "exit 0", bad: "exit 127", mid: "exit 126", want: isolate.Fail, reason: "exit 126"},
		{name: "127 at the bad end", good: "exit 0", bad: "exit 127", mid: "exit 1", want: isolate.Unresolved, reason: "another failure: exit 1; at the failing end: exit 127"},
		{name: "127 at the good end", good: "nosuch-command", bad: "exit 1", err: "the command cannot run: sh: 2: nosuch-command: not found (exit 127 at the good end)"},
		{name: "126 at the good end", good: "exit 126", bad: "exit 0", err: "the command cannot run: exit 126 (exit 126 at the good end)"},

		{name: "another signal", good: "exit 0", bad: "exit 1", mid: "kill -SEGV $$", want: isolate.Unresolved, reason: "killed by SIGSEGV"},
		{name: "same signal", good: "exit 0", bad: "kill -SEGV $$", mid: "kill -SEGV $$", want: isolate.Fail, reason: "killed by SIGSEGV"},
		{name: "different signal", good: "exit 0", bad: "kill -SEGV $$", mid: "kill -KILL $$", want: isolate.Unresolved, reason: "killed by SIGKILL"},
		{name: "same signal as a shell tells it", good: "exit 0", bad: "kill -SEGV $$", mid: "exit 139", want: isolate.Fail, reason: "exit 139"},
		{name: "same code above 128", good: "exit 0", bad: "exit 255", mid: "exit 255", want: isolate.Fail, reason: "exit 255"},
		{name: "code above 128", good: "exit 0", bad: "exit 1", mid: "exit 128", want: isolate.Unresolved, reason: "exit 128"},
		{name: "on-signal fail", good: "exit 0", bad: "exit 1", mid: "kill -KILL $$", want: isolate.Fail,
			set: func(o *Options) { o.OnSignal = SignalFail }},
		{name: "the bad end died, this one fails", good: "exit 0", bad: "kill -SEGV $$", mid: "exit 1", want: isolate.Unresolved,
			reason: "another failure: exit 1; at the failing end: killed by SIGSEGV"},
		{name: "on-signal fail, the bad end died, this one fails", good: "exit 0", bad: "kill -SEGV $$", mid: "exit 1", want: isolate.Fail,
			set: func(o *Options) { o.OnSignal = SignalFail }},
		{name: "on-signal fail, the bad end died otherwise", good: "exit 0", bad: "kill -SEGV $$", mid: "kill -KILL $$", want: isolate.Fail,
			set: func(o *Options) { o.OnSignal = SignalFail }},
		{name: "on-signal fail, 127", good: "exit 0", bad: "kill -SEGV $$", mid: "exit 127", want: isolate.Unresolved, reason: "another failure: exit 127",
			set: func(o *Options) { o.OnSignal = SignalFail }},
		{name: "on-signal unresolved", good: "exit 0", bad: "exit 1", mid: "exit 200", want: isolate.Unresolved,
			set: func(o *Options) { o.OnSignal = SignalUnresolved }},
		{name: "on-signal unresolved, bad end", good: "exit 0", bad: "kill -KILL $$",
			set: func(o *Options) { o.OnSignal = SignalUnresolved }, err: "the bad end cannot be judged: killed by SIGKILL (good: exit 0)"},
		{name: "on-signal stop, bad end", good: "exit 0", bad: "kill -KILL $$",
			set: func(o *Options) { o.OnSignal = SignalStop }, err: "trial 2: killed by SIGKILL: stopped, as --on-signal=stop asks"},

		{name: "timeout", good: "exit 0", bad: "exit 1", mid: "sleep 60", want: isolate.Unresolved, reason: "timed out after 500ms",
			set: func(o *Options) { o.Timeout = 500 * time.Millisecond }},
		{name: "bad end timed out", good: "exit 0", bad: "sleep 60", mid: "sleep 60", want: isolate.Fail, reason: "timed out after 500ms",
			set: func(o *Options) { o.Timeout = 500 * time.Millisecond }},
		{name: "bad end timed out, this one fails", good: "exit 0", bad: "sleep 60", mid: "exit 1", want: isolate.Unresolved,
			reason: "another failure: exit 1; at the failing end: timed out after 500ms",
			set:    func(o *Options) { o.Timeout = 500 * time.Millisecond }},

		{name: "build fails", good: "exit 0", bad: "exit 1", mid: "exit 0", want: isolate.Unresolved, reason: "the build failed: exit 3",
			set: func(o *Options) { o.Build = "test $(cat a)$(cat b) != 10 || { echo broken >&2; exit 3; }" }},
		{name: "build fails at the good end", good: "exit 0", bad: "exit 1",
			set: func(o *Options) { o.Build = "test $(cat a) = 1 || { echo broken >&2; exit 3; }" },
			err: `the good end cannot be judged: the build failed: exit 3, output line "broken" (bad: exit 1)`},

		{name: "no such build at the good end", good: "exit 0", bad: "exit 1",
			set: func(o *Options) { o.Build = "test $(cat a) = 1 || nosuch-build" },
			err: `the good end cannot be judged: the build failed: exit 127, output line "sh: 1: nosuch-build: not found" (bad: exit 1)`},

		{name: "aborted by another assertion", good: "exit 0", bad: `echo "test.c:3: main: Assertion 'total' failed."; exit 134`,
			mid: `echo "list.c:9: release: Assertion 'next == NULL' failed."; exit 134`, want: isolate.Unresolved, reason: "another failure: exit 134, \"list.c:9: release"},
		{name: "aborted by the same assertion", good: "exit 0", bad: `echo "test.c:3: main: Assertion 'total' failed."; exit 134`,
			mid: `echo "test.c:5: main: Assertion 'total' failed."; exit 134`, want: isolate.Fail},
		{name: "aborted, it does not say why", good: "exit 0", bad: `echo "test.c:3: main: Assertion 'total' failed."; exit 134`,
			mid: "echo Aborted; exit 134", want: isolate.Fail},
		{name: "match", good: "exit 0", bad: "echo the bug >&2; exit 1", mid: "echo the bug; exit 2", want: isolate.Fail,
			set: func(o *Options) { o.Match = regexp.MustCompile("^the b.g") }},
		{name: "no match", good: "exit 0", bad: "echo the bug; exit 1", mid: "echo another bug; exit 1", want: isolate.Unresolved, reason: "does not match ^the b.g",
			set: func(o *Options) { o.Match = regexp.MustCompile("^the b.g") }},
		{name: "a pass need not match", good: "exit 0", bad: "echo the bug; exit 1", mid: "exit 0", want: isolate.Pass,
			set: func(o *Options) { o.Match = regexp.MustCompile("bug") }},
		{name: "bad end does not match", good: "exit 0", bad: "echo another; exit 1", err: `the bad end cannot be judged: exit 1, but the output does not match the bug, output line "another" (good: exit 0)`,
			set: func(o *Options) { o.Match = regexp.MustCompile("the bug") }},

		{name: "same signature", good: "exit 0", bad: "echo FAIL: one >&2; exit 1", mid: "echo now; echo FAIL: one; echo FAIL: two; exit 2", want: isolate.Fail,
			set: sameOutput("FAIL: (.*)")},
		{name: "another signature", good: "exit 0", bad: "echo FAIL: one; exit 1", mid: "echo FAIL: two; echo FAIL: one; exit 1", want: isolate.Unresolved,
			reason: `exit 1, but with signature "two"; at the failing end: "one"`, set: sameOutput("FAIL: (.*)")},
		{name: "no signature", good: "exit 0", bad: "echo FAIL: one; exit 1", mid: "echo out of memory; exit 1", want: isolate.Unresolved,
			reason: `exit 1, but without a signature; at the failing end: "one"`, set: sameOutput("FAIL: (.*)")},
		{name: "a pass needs no signature", good: "exit 0", bad: "echo FAIL: one; exit 1", mid: "echo FAIL: two", want: isolate.Pass, set: sameOutput("FAIL: (.*)")},
		{name: "no signature at the bad end", good: "exit 0", bad: "echo another; exit 1", set: sameOutput("FAIL: (.*)"),
			err: `the bad end cannot be judged: exit 1, but --same-output FAIL: (.*) finds nothing in the output, output line "another" (good: exit 0)`},
		{name: "swapped, another signature", good: "echo FAIL: one; exit 1", bad: "exit 0", mid: "echo FAIL: two; exit 1", fix: true, want: isolate.Unresolved,
			reason: `with signature "two"`, set: sameOutput("FAIL: (.*)")},

		{name: "both pass", good: "echo fine", bad: "exit 0", err: `the test passes at both ends: good: exit 0, output line "fine"; bad: exit 0`},
		{name: "both fail", good: "echo one; exit 1", bad: "echo two >&2; exit 2", err: `the test fails at both ends: good: exit 1, output line "one"; bad: exit 2, output line "two"`},
		{name: "both unresolved", good: "exit 125", bad: "exit 125", err: "neither end can be judged: good: exit 125: the test cannot judge this; bad: exit 125: the test cannot judge this"},
		{name: "swapped", good: "exit 1", bad: "exit 0", mid: "exit 1", fix: true, want: isolate.Fail},
		{name: "swapped, the good end died", good: "kill -SEGV $$", bad: "exit 0", mid: "kill -SEGV $$", fix: true, want: isolate.Fail},

		{name: "no such file", set: missing, good: "exit 0", err: "(exit 127 at the good end)"},
	}
	h := newHistory(t)
	h.commit("good", "a", "0\n", "b", "0\n")
	h.commit("bad", "a", "1\n", "b", "1\n")
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			seed.SkipLong(t, 3)
			h := history{t, h.dir}
			b := h.bench(func(o *Options) {
				script("case $(cat a)$(cat b) in 00)", test.good, ";; 11)", test.bad, ";; *)", test.mid, ";; esac")(o)
				if test.set != nil {
					test.set(o)
				}
			})
			ends, err := b.Ends(t.Context(), b.set)
			if test.err != "" {
				if err == nil || !strings.Contains(err.Error(), test.err) {
					t.Fatalf("Ends: %v\nwant: %s", err, test.err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if fix := ends.Direction == Fix; fix != test.fix {
				t.Errorf("direction: fix=%v", fix)
			}
			v := b.verdict(b.config("a"))
			if v.Outcome != test.want || !strings.Contains(v.Reason, test.reason) {
				t.Errorf("got %v because of %q, want %v because of %q", v.Outcome, v.Reason, test.want, test.reason)
			}
			if other := v.Outcome == isolate.Unresolved && (strings.Contains(v.Reason, "at the failing end") || strings.Contains(v.Reason, "does not match")); v.Other != other {
				t.Errorf("another failure: %v, want %v: %q", v.Other, other, v.Reason)
			}
			if !slices.Contains([]int{2, 3}, v.Trial) {
				t.Errorf("trial %d", v.Trial)
			}
		})
	}
}

func TestCommandHints(t *testing.T) {
	h := newHistory(t)
	h.commit("good", "a", "0\n", "plain", "exit 0\n")
	h.commit("bad", "a", "1\n")
	tests := []struct {
		argv       []string
		exit       int
		want, hint string
	}{
		{[]string{"make test"}, 127, "make test", "-- sh -c 'make test'"},
		{[]string{"./plain"}, 126, "./plain", "-- sh ./plain"},
		{[]string{"./nosuch"}, 127, "./nosuch", "--overlay nosuch"},
		{[]string{"nosuch-command"}, 127, "nosuch-command", "./nosuch-command"},
	}
	for _, test := range tests {
		b := h.bench(func(o *Options) { o.Command = test.argv })
		_, err := b.Ends(t.Context(), b.set)
		var command *CommandError
		if !errors.As(err, &command) {
			t.Fatalf("%v: %v", test.argv, err)
		}
		if command.Exit != test.exit || !strings.Contains(command.Detail, test.want) || !strings.Contains(command.Hint, test.hint) {
			t.Errorf("%v: %v\nhint: %s", test.argv, command, command.Hint)
		}
		if run := b.Stats().Run; run != 1 {
			t.Errorf("%v: %d trials, want only the good end's", test.argv, run)
		}
	}
}

func TestTrialEnvironment(t *testing.T) {
	h := newHistory(t)
	h.commit("good", "sub/a", "0\n")
	h.commit("bad", "sub/a", "1\n")
	b := h.bench(func(o *Options) {
		script(`echo "$GITDD_TRIAL $GITDD_WORKER"`, `test "$GITDD_WORKSPACE/sub" = "$PWD" || exit 3`,
			`test -f "$GITDD_SESSION/journal.jsonl" || exit 4`, `git describe --tags || exit 5`, `read x && exit 6`,
			`echo "error in $PWD/a" >&2`, `exit $(cat a)`)(o)
		o.Dir = "sub"
	})
	t.Setenv("GIT_DIR", "/nonexistent")
	t.Setenv("GIT_INDEX_FILE", "/nonexistent")
	e := b.ends()
	if e.Bad.Exit != 1 {
		t.Errorf("bad: %+v", e.Bad)
	}
	if got, want := e.Bad.LastLine, "error in sub/a"; got != want {
		t.Errorf("the line %q is quoted, want %q: the name of the workspace is of no use to a reader", got, want)
	}
	if got, want := read(t, e.Bad.Stdout), "2 0\ngood\n"; got != want {
		t.Errorf("stdout %q, want %q", got, want)
	}
}

func TestDirectoryOfOneEnd(t *testing.T) {
	h := newHistory(t)
	h.commit("good", "a", "0\n")
	h.commit("bad", "a", "1\n", "sub/b", "1\n")
	b := h.bench(func(o *Options) { o.Dir = "sub" })
	_, err := b.Ends(t.Context(), b.set)
	var ends *EndsError
	if !errors.As(err, &ends) || !strings.Contains(err.Error(), "there is no directory sub to run the command in") {
		t.Fatal(err)
	}
	if run := b.Stats().Run; run != 1 {
		t.Errorf("%d trials, want that of bad", run)
	}
}

// TestMemo: equal trees are one trial, and those who ask at once wait for it.
func TestMemo(t *testing.T) {
	h := newHistory(t)
	h.commit("good", "a", "0\n", "b", "0\n")
	h.commit("bad", "a", "1\n", "b", "1\n")
	var events []string
	b := h.bench(func(o *Options) {
		script("sleep 0.2", "exit $(cat a)")(o)
		o.Jobs = 3
		o.Observe = func(e Event) { events = append(events, fmt.Sprint(e.Kind, e.Trial)) }
	})
	var wg sync.WaitGroup
	for range 6 {
		wg.Go(func() {
			if o, err := b.Test(b.set)(t.Context(), b.config("a")); o != isolate.Fail || err != nil {
				t.Error(o, err)
			}
		})
	}
	wg.Wait()
	if s := b.Stats(); s.Run != 1 || s.Fail != 1 || s.Cached != 5 {
		t.Errorf("%+v", s)
	}
	if want := []string{"0 0", "1 1", "2 1"}; !slices.Equal(events, want) {
		t.Errorf("events %v, want %v", events, want)
	}
	if v := b.verdict(b.config("a")); !v.Cached || v.Trial != 1 {
		t.Errorf("%+v", v)
	}
}

// TestCancel: a cancelled trial leaves nothing, those who wait for its answer
// get it by a trial of their own, and a waiter that gives up disturbs nobody.
func TestCancelledTrial(t *testing.T) {
	h := newHistory(t)
	h.commit("good", "a", "0\n")
	h.commit("bad", "a", "1\n")
	mark := filepath.Join(t.TempDir(), "started")
	b := h.bench(script("test -e "+mark+" || { touch "+mark+"; sleep 60; }", "sleep 0.3", "exit $(cat a)"))
	first, cancel := context.WithCancel(t.Context())
	var wg sync.WaitGroup
	wg.Go(func() {
		if _, err := b.Test(b.set)(first, b.config("a")); !errors.Is(err, context.Canceled) {
			t.Errorf("cancelled: %v", err)
		}
	})
	eventually(t, "the trial begins", func() bool { _, err := os.Stat(mark); return err == nil })
	gone, leave := context.WithCancel(t.Context())
	wg.Go(func() {
		if _, err := b.Test(b.set)(gone, b.config("a")); !errors.Is(err, context.Canceled) {
			t.Errorf("a waiter that gives up: %v", err)
		}
	})
	wg.Go(func() {
		if o, err := b.Test(b.set)(t.Context(), b.config("a")); o != isolate.Fail || err != nil {
			t.Errorf("the waiter: %v, %v", o, err)
		}
	})
	leave()
	cancel()
	wg.Wait()
	if s := b.Stats(); s.Run != 1 {
		t.Errorf("%+v", s)
	}
	b.close()
	journal, err := readJournal(filepath.Join(b.Runner.session.dir, journalFile))
	if records := journal.records; err != nil || len(records) != 1 || records[0].Trial != 2 {
		t.Errorf("journal: %+v, %v", records, err)
	}
}

// TestJobs: four trials at once in four workspaces, and the trees are right.
func TestJobs(t *testing.T) {
	h := newHistory(t)
	h.commit("good", "a", "0\n", "b", "0\n", "c", "0\n", "d", "0\n")
	h.commit("bad", "a", "1\n", "b", "1\n", "c", "1\n", "d", "1\n")
	b := h.bench(func(o *Options) {
		script(`cat a b c d | tr -d '\n'; echo " $GITDD_WORKER"; sleep 0.2; exit $(cat a)`)(o)
		o.Jobs = 4
	})
	b.verdict(isolate.Empty(4))
	if dirs, _ := filepath.Glob(filepath.Join(b.work, b.spaceName("[0-9]"))); len(dirs) != 1 {
		t.Errorf("one trial at a time took the workspaces %v", dirs)
	}
	var wg sync.WaitGroup
	var workers [4]atomic.Bool
	for bits := range 16 {
		wg.Go(func() {
			var members []int
			want := []byte("0000")
			for i := range 4 {
				if bits>>i&1 == 1 {
					members = append(members, i)
					want[i] = '1'
				}
			}
			v, err := b.ask(t.Context(), b.set, isolate.Of(4, members...), Search)
			if err != nil {
				t.Error(err)
				return
			}
			var tree string
			var worker int
			fmt.Sscan(read(t, v.Stdout), &tree, &worker)
			workers[worker].Store(true)
			if tree != string(want) || v.Exit != bits&1 {
				t.Errorf("configuration %v: tree %s, want %s, exit %d", members, tree, want, v.Exit)
			}
		})
	}
	wg.Wait()
	for i := range workers {
		if !workers[i].Load() {
			t.Errorf("worker %d had nothing to do", i)
		}
	}
	if s := b.Stats(); s.Run != 16 {
		t.Errorf("%+v", s)
	}
}

// TestNearestWorkspace: a configuration goes to the workspace that differs least.
func TestNearestWorkspace(t *testing.T) {
	h := newHistory(t)
	h.commit("good", "a", "0\n", "b", "0\n", "c", "0\n")
	h.commit("bad", "a", "1\n", "b", "1\n", "c", "1\n")
	b := h.bench(func(o *Options) {
		script("echo $GITDD_WORKER", "sleep 0.3")(o)
		o.Jobs = 2
	})
	var wg sync.WaitGroup
	for _, c := range []isolate.Configuration{b.config(), b.config("a", "b", "c")} {
		wg.Go(func() { b.verdict(c) })
	}
	wg.Wait()
	worker := func(c isolate.Configuration) string { return read(t, b.verdict(c).Stdout) }
	full, empty := worker(b.config("a", "b", "c")), worker(b.config())
	if full == empty {
		t.Fatal("two trials at once shared a worker")
	}
	if got := worker(b.config("a", "b")); got != full {
		t.Errorf("two of three changes went to worker %s", got)
	}
	if got := worker(b.config("a")); got != empty && got != full {
		t.Errorf("one of three changes went to worker %s", got)
	}
	if got := worker(b.config("c")); got != empty {
		t.Errorf("another one of three changes went to worker %s, not to the one that holds none", got)
	}
}

func TestRepeat(t *testing.T) {
	h := newHistory(t)
	h.commit("good", "a", "0\n", "b", "0\n")
	h.commit("bad", "a", "1\n", "b", "1\n")
	count := filepath.Join(t.TempDir(), "count")
	// The ends are steady; with a alone every third run passes.
	b := h.bench(func(o *Options) {
		script("test $(cat a)$(cat b) = 10 || exit $(cat a)", "echo >> "+count, "test $(wc -l < "+count+") != 3")(o)
		o.Repeat = 3
	})
	b.ends()
	if s := b.Stats(); s.Run != 6 || s.Pass != 3 || s.Fail != 3 {
		t.Errorf("the ends: %+v", s)
	}
	_, err := b.Test(b.set)(t.Context(), b.config("a"))
	var flaky *FlakyError
	if !errors.As(err, &flaky) {
		t.Fatalf("got %v", err)
	}
	if want := "the test is flaky: a mixture of 1 of 2 changes gave pass in trial 7 and fail in trial 9"; err.Error() != want {
		t.Errorf("got  %v\nwant %s", err, want)
	}
	if want := []int{7, 8, 9}; !slices.Equal(flaky.Trials, want) || flaky.Config != "0" {
		t.Errorf("trials %v of {%s}, want %v of {0}", flaky.Trials, flaky.Config, want)
	}
	// What the journal says is not forgotten.
	s := b.sess
	b.close()
	if s, err = OpenSession(s.Dir()); err != nil {
		t.Fatal(err)
	}
	b = h.benchIn(s, func(o *Options) { *o = withSession(b.opts, o) })
	if _, err := b.Test(b.set)(t.Context(), b.config("a")); !errors.As(err, &flaky) || b.Stats().Run != 9 {
		t.Errorf("resumed: %v, %+v", err, b.Stats())
	}
}

// TestFlakyEnd: the ends have names.
func TestFlakyEnd(t *testing.T) {
	h := newHistory(t)
	h.commit("good", "a", "0\n")
	h.commit("bad", "a", "1\n")
	mark := filepath.Join(t.TempDir(), "mark")
	for _, test := range []struct{ line, want string }{
		{"rm " + mark + " 2>/dev/null || { touch " + mark + "; exit 1; }", "the test is flaky: good gave fail in trial 1 and pass in trial 2"},
		{"test $(cat a) = 0 || { rm " + mark + " && exit 3; touch " + mark + "; }", "the test is flaky: bad gave pass in trial 3 and fail in trial 4"},
	} {
		os.Remove(mark)
		b := h.bench(func(o *Options) {
			script(test.line)(o)
			o.Repeat = 2
		})
		var flaky *FlakyError
		if _, err := b.Ends(t.Context(), b.set); !errors.As(err, &flaky) || err.Error() != test.want {
			t.Errorf("got  %v\nwant %s", err, test.want)
		}
	}
}

// withSession is old with the repository and the session of new.
func withSession(old Options, new *Options) Options {
	old.Repo, old.Session = new.Repo, new.Session
	return old
}

func TestConfirm(t *testing.T) {
	h := newHistory(t)
	h.commit("good", "a", "0\n")
	h.commit("bad", "a", "1\n")
	// A stale product decides: what the search saw is not what is true.
	b := h.bench(func(o *Options) {
		script("echo $GITDD_WORKSPACE", "test -e product || cp a product", "ls -1", "exit $(cat product)")(o)
		o.Setup = "echo setup > from-setup"
		o.Build = "test -e from-setup"
	})
	good, bad := b.verdict(b.config()), b.verdict(b.config("a"))
	if good.Outcome != isolate.Pass || bad.Outcome != isolate.Pass {
		t.Fatalf("the test is not stale: %v, %v", good.Outcome, bad.Outcome)
	}
	v, err := b.Confirm(t.Context(), b.set, b.config("a"), bad.Outcome)
	if err != nil || v.Outcome != isolate.Fail || v.Cached || v.Trial != 3 {
		t.Errorf("%+v, %v", v, err)
	}
	if want := "exit 1: fail in a fresh workspace, but pass during the search"; v.Reason != want {
		t.Errorf("reason %q, want %q", v.Reason, want)
	}
	if where := strings.Fields(read(t, v.Stdout))[0]; strings.HasPrefix(read(t, bad.Stdout), where) {
		t.Errorf("confirmed in %s, where the search worked", where)
	} else if _, err := os.Stat(where); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%s is still there: %v", where, err)
	}
	if v, err := b.Confirm(t.Context(), b.set, b.config("a"), isolate.Fail); err != nil || v.Cached || v.Trial != 4 || v.Reason != "exit 1" {
		t.Errorf("a second time: %+v, %v", v, err)
	}
	// The search goes on without trusting the workspaces.
	b.Distrust()
	if v := b.verdict(b.config("a")); v.Outcome != isolate.Fail || v.Cached {
		t.Errorf("clean: %+v", v)
	}
	if v := b.verdict(b.config()); v.Outcome != isolate.Pass || v.Cached {
		t.Errorf("clean: %+v", v)
	}
}

// TestConfirmCleaned: a workspace of the search that is cleaned contradicts a stale trial as well as a fresh
// one does, where fresh ones are not cheap or are not wanted. Unless they are not wanted, a trial after one
// that contradicts the search is fresh, and so is one whose artifacts are compared.
func TestConfirmCleaned(t *testing.T) {
	for _, test := range []struct {
		name      string
		want      Confirmation
		making    time.Duration
		paths     int
		artifacts []string
		searched  isolate.Outcome
		cleaned   [2]bool // the first trial and the second one
	}{
		{"cheap", "", cheapConfirmation / 2, fewPaths, nil, isolate.Fail, [2]bool{}},
		{"many paths, and little to search", "", cheapConfirmation / 2, fewPaths + 1, nil, isolate.Fail, [2]bool{true, true}},
		{"not cheap", "", cheapConfirmation/2 + time.Second, fewPaths, nil, isolate.Fail, [2]bool{true, true}},
		{"not cheap, contradicted", "", cheapConfirmation/2 + time.Second, fewPaths, nil, isolate.Pass, [2]bool{true, false}},
		{"not cheap, with artifacts", "", time.Hour, fewPaths, []string{"product"}, isolate.Fail, [2]bool{}},
		{"fresh", InFresh, time.Hour, fewPaths, nil, isolate.Fail, [2]bool{}},
		{"cleaned, contradicted", InCleaned, 0, fewPaths, nil, isolate.Pass, [2]bool{true, true}},
	} {
		t.Run(test.name, func(t *testing.T) {
			seed.SkipLong(t, 6)
			h := newHistory(t)
			h.commit("good", "a", "0\n")
			h.commit("bad", "a", "1\n")
			b := h.bench(func(o *Options) {
				script("pwd", "test -e product || cp a product", "test -e from-setup || exit 125", "exit $(cat product)")(o)
				o.Setup = "test ! -e product && echo setup >from-setup"
				o.Confirmation, o.Artifacts = test.want, test.artifacts
			})
			b.verdict(b.config())
			during := read(t, b.verdict(b.config("a")).Stdout)
			b.making, b.paths = max(b.making, test.making), test.paths
			for i, cleaned := range test.cleaned {
				v, err := b.Confirm(t.Context(), b.set, b.config("a"), test.searched)
				if err != nil || v.Outcome != isolate.Fail || v.Cached {
					t.Fatalf("confirmation %d: %+v, %v", i+1, v, err)
				}
				if v.Cleaned != cleaned || (read(t, v.Stdout) == during) != cleaned {
					t.Errorf("confirmation %d: cleaned %v, in %s", i+1, v.Cleaned, read(t, v.Stdout))
				}
			}
		})
	}
}

func TestSetupFails(t *testing.T) {
	h := newHistory(t)
	h.commit("good", "a", "0\n")
	h.commit("bad", "a", "1\n")
	b := h.bench(func(o *Options) { o.Setup = "echo no network >&2; exit 7" })
	_, err := b.Ends(t.Context(), b.set)
	if err == nil || !strings.Contains(err.Error(), `did not succeed: exit 7, output line "no network"`) {
		t.Error(err)
	}
	if s := b.Stats(); s.Run != 0 {
		t.Errorf("%+v", s)
	}
	if left, _ := filepath.Glob(filepath.Join(b.work, "*")); len(left) != 0 {
		t.Errorf("left behind: %v", left)
	}
}

package trial

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/gitdd/gitdd/internal/git"
	"github.com/gitdd/gitdd/isolate"
)

func TestSummaries(t *testing.T) {
	if sums, err := Sessions(filepath.Join(t.TempDir(), "nosuch")); sums != nil || err != nil {
		t.Errorf("%v, %v", sums, err)
	}
	root := t.TempDir()
	var dirs []string
	for i := range 3 {
		h := header()
		h.Started = h.Started.Add(time.Duration(i) * time.Hour)
		s, err := CreateSession(root, h)
		if err != nil {
			t.Fatal(err)
		}
		if i == 1 {
			if _, err := s.ReadResult(); !errors.Is(err, fs.ErrNotExist) {
				t.Error(err)
			}
			for _, text := range []string{"first, and longer", "second"} {
				if err := s.WriteResult([]byte(text)); err != nil {
					t.Fatal(err)
				}
			}
			if text, err := s.ReadResult(); string(text) != "second" || err != nil {
				t.Errorf("%q, %v", text, err)
			}
		}
		if err := errors.Join(s.append(record(1)), s.Close()); err != nil {
			t.Fatal(err)
		}
		dirs = append(dirs, s.Dir())
	}
	if err := os.WriteFile(filepath.Join(dirs[2], journalFile), []byte("rubbish\nrubbish\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	sums, err := Sessions(root)
	if err != nil || len(sums) != 3 {
		t.Fatalf("%+v, %v", sums, err)
	}
	for i, want := range []State{StateInterrupted, StateFinished, StateDamaged} {
		if sums[i].State != want || sums[i].Dir != dirs[i] || sums[i].HasResult != (i == 1) {
			t.Errorf("session %d: %+v, want %s", i, sums[i], want)
		}
	}
	if sums[0].Trials != 1 || sums[0].Fail != 1 || sums[0].Header.Name != "run" {
		t.Errorf("%+v", sums[0])
	}
	if left, _ := filepath.Glob(filepath.Join(dirs[1], "*.*.*")); len(left) != 0 {
		t.Errorf("left behind: %v", left)
	}
}

func TestRoot(t *testing.T) {
	h := newHistory(t)
	h.commit("good")
	h.run("worktree", "add", "--quiet", "--detach", "../linked tree")
	cache := filepath.Join(t.TempDir(), "no such")
	t.Setenv(CacheVariable, cache)
	var roots []string
	for _, dir := range []string{h.dir, filepath.Join(h.dir, "../linked tree")} {
		repo, err := git.Open(t.Context(), dir)
		if err != nil {
			t.Fatal(err)
		}
		defer repo.Close()
		root, err := Root(repo)
		if err != nil {
			t.Fatal(err)
		}
		roots = append(roots, root)
	}
	if roots[0] != roots[1] || filepath.Dir(roots[0]) != cache || !strings.HasPrefix(filepath.Base(roots[0]), "repo-") {
		t.Errorf("%q", roots)
	}
	for common, want := range map[string]string{
		"/a/x y/.git": "x_y", "/a/b.git": "b", "/.git": "repository", "/a/\xff$(x)/.git": "x_", "/a/..hidden/.git": "hidden",
	} {
		if got := readable(common); got != want {
			t.Errorf("readable(%q) = %q, want %q", common, got, want)
		}
	}
}

func TestClean(t *testing.T) {
	h := newHistory(t)
	h.commit("good", "a", "0\n")
	h.commit("bad", "a", "1\n")
	root := t.TempDir()
	runs := h.session(root)
	b := h.benchIn(runs, script("exit $(cat a)"))
	b.ends()
	dead := h.session(root)
	d := h.benchIn(dead, script("mkdir -p ro/x; touch ro/x/y; chmod 500 ro/x ro; exit $(cat a)"))
	d.ends()
	// As kill -9 leaves it: the processes and locks gone, the files there.
	for _, w := range d.workers {
		w.processes.Close()
		left := filepath.Join(filepath.Dir(w.space.(*site).space.Dir), "left")
		if err := os.Rename(w.space.(*site).space.Dir, left); err != nil {
			t.Fatal(err)
		}
		if err := w.space.remove(); err != nil {
			t.Fatal(err)
		}
	}
	d.sess = nil
	dead.Close()
	decoy := filepath.Join(root, "20240506-notes")
	if err := os.MkdirAll(filepath.Join(decoy, workDir), 0o777); err != nil {
		t.Fatal(err)
	}
	temp := d.temp
	// A damaged record of places leads nowhere.
	if err := dead.record(decoy); err != nil {
		t.Fatal(err)
	}

	for _, all := range []bool{false, true} {
		how := Cleaning{Workspaces: !all}
		would, err := Clean(t.Context(), root, Cleaning{Workspaces: !all, DryRun: true})
		if err != nil {
			t.Fatal(err)
		}
		cleaned, err := Clean(t.Context(), root, how)
		if diff := cmp.Diff(would.Sessions, cleaned.Sessions); err != nil || diff != "" {
			t.Errorf("all=%v: would clean (-), cleaned (+): %v\n%s", all, err, diff)
		}
		if names, held := cleanedNames(cleaned); names != dead.Name() || held != runs.Name() {
			t.Errorf("all=%v: cleaned %v, %v", all, cleaned, err)
		}
		if _, err := os.Stat(temp); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("all=%v: temporary files: %v", all, err)
		}
		if _, err := os.Stat(filepath.Join(dead.Dir(), workDir)); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("all=%v: %v", all, err)
		}
		if _, err := os.Stat(filepath.Join(dead.Dir(), journalFile)); all != errors.Is(err, fs.ErrNotExist) {
			t.Errorf("all=%v: journal: %v", all, err)
		}
	}
	if v := b.verdict(b.config("a")); v.Outcome != isolate.Fail {
		t.Errorf("the running session: %+v", v)
	}
	b.close()
	cleaned, err := Clean(t.Context(), root, Cleaning{})
	if names, held := cleanedNames(cleaned); err != nil || names != runs.Name() || held != "" {
		t.Errorf("cleaned %v, %v", cleaned, err)
	}
	if left, err := os.ReadDir(root); err != nil || len(left) != 1 {
		t.Errorf("left in the root: %v, %v", left, err)
	}
	if left, err := os.ReadDir(decoy); err != nil || len(left) != 1 {
		t.Errorf("left in a directory of somebody else: %v, %v", left, err)
	}
}

// cleanedNames are the sessions that went, and those that are held.
func cleanedNames(c Cleaned) (gone, held string) {
	for _, s := range c.Sessions {
		if s.Holder != "" {
			held += s.Name
		} else {
			gone += s.Name
		}
	}
	return gone, held
}

// TestSessionOrder: sessions are listed as they were made, though the clock jumps
// back, or several are made in one second.
func TestSessionOrder(t *testing.T) {
	root := t.TempDir()
	now := time.Date(2026, 11, 22, 12, 0, 0, 700e6, time.UTC)
	var made []string
	for _, ahead := range []time.Duration{0, 0, -time.Hour, -time.Minute, time.Minute, 0} {
		s, err := CreateSession(root, Header{Started: now.Add(ahead)})
		if err != nil {
			t.Fatal(err)
		}
		made = append(made, s.Name())
		s.Close()
	}
	all, err := Sessions(root)
	if err != nil {
		t.Fatal(err)
	}
	var listed []string
	for _, s := range all {
		listed = append(listed, s.Name)
	}
	if !slices.Equal(listed, made) {
		t.Errorf("listed %q, made %q", listed, made)
	}
}

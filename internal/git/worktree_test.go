package git

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// TestMain lets the tests start this binary as another gitdd: it adds the
// worktree named by its arguments, says so, and waits to be killed.
func TestMain(m *testing.M) {
	if len(os.Args) == 5 && os.Args[1] == "hold-worktree" {
		err := holdWorktree(os.Args[2], os.Args[3], ID(os.Args[4]))
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(m.Run())
}

func holdWorktree(repo, dir string, commit ID) error {
	r, err := Open(context.Background(), repo)
	if err != nil {
		return err
	}
	if _, err := r.AddWorktree(context.Background(), dir, commit); err != nil {
		return err
	}
	fmt.Println("holding")
	_, err = io.Copy(io.Discard, os.Stdin)
	return err
}

// otherGitdd starts a process that holds a worktree, and returns what kills it.
func otherGitdd(t *testing.T, repo, dir string, commit ID) (kill func()) {
	t.Helper()
	cmd := exec.Command(os.Args[0], "hold-worktree", repo, dir, string(commit))
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := cmd.StdinPipe(); err != nil { // held open
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	kill = sync.OnceFunc(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	t.Cleanup(kill)
	if line, err := bufio.NewReader(out).ReadString('\n'); err != nil || line != "holding\n" {
		t.Fatalf("the other process says %q, %v", line, err)
	}
	return kill
}

func TestWorktreeFilters(t *testing.T) {
	s := newSandbox(t)
	s.repo("r")
	s.write("r/.gitattributes", "*.up filter=up\n*.crlf text eol=crlf\n*.id ident\n")
	s.write("r/x.up", "shout\n")
	s.write("r/x.crlf", "a\nb\n")
	s.write("r/x.id", "$Id$\n")
	s.git("r", "add", "-A")
	s.git("r", "commit", "-q", "-m", "filters")
	s.git("r", "config", "filter.up.smudge", "tr a-z A-Z")
	s.git("r", "config", "filter.up.clean", "tr A-Z a-z")
	s.script("r/.git/hooks/post-checkout", "touch "+s.path("hooked"))
	r := s.open("r")
	w, err := r.AddWorktree(t.Context(), filepath.Join(t.TempDir(), "w"), s.resolve(r, "HEAD").Commit)
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{
		"x.up":   "SHOUT\n",
		"x.crlf": "a\r\nb\r\n",
		"x.id":   "$Id: " + s.git("r", "rev-parse", "HEAD:x.id") + " $\n",
	} {
		if got := readFile(t, filepath.Join(w.Dir, name)); got != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
	if _, err := os.Stat(s.path("hooked")); err == nil {
		t.Error("a hook ran")
	}
	list := s.git("r", "worktree", "list", "--porcelain")
	if !strings.Contains(list, "detached\nlocked "+lockReason+w.Dir) {
		t.Errorf("git sees the worktree as\n%s", list)
	}
	if err := w.Remove(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := w.Remove(t.Context()); err != nil {
		t.Errorf("removed twice: %v", err)
	}
}

func TestWorktreeOfTree(t *testing.T) {
	s := newSandbox(t)
	s.repo("r")
	r := s.open("r")
	tree := s.resolve(r, "v1:sub").Tree
	add := func() string {
		t.Helper()
		w, err := r.AddWorktree(t.Context(), filepath.Join(t.TempDir(), "w"), tree)
		if err != nil {
			t.Fatal(err)
		}
		files := snapshot(t, w.Dir)
		if len(files) != 4 || files["b.txt"] == "" || files["run.sh"] == "" { // with "." and ".git"
			t.Errorf("worktree of a tree has %v", files)
		}
		out, err := w.Git(t.Context(), "rev-parse", "HEAD")
		if err != nil {
			t.Error(err)
		}
		if err := w.Remove(t.Context()); err != nil {
			t.Fatal(err)
		}
		return strings.TrimSpace(string(out))
	}
	if head, want := add(), s.git("r", "rev-parse", "HEAD"); head != want {
		t.Errorf("HEAD is %s, want the repository's %s", head, want)
	}
	s.git("r", "symbolic-ref", "HEAD", "refs/heads/unborn")
	if head := add(); !ID(head).valid("sha1") {
		t.Errorf("HEAD is %q", head)
	}
	s.git("r", "update-ref", "-d", "refs/heads/main")
	s.git("r", "tag", "-d", "v1", "v2")
	if _, err := r.AddWorktree(t.Context(), filepath.Join(t.TempDir(), "w"), tree); err == nil || !strings.Contains(err.Error(), "no commit") {
		t.Errorf("without any commit: %v", err)
	}
}

func TestWorktreeRefused(t *testing.T) {
	s := newSandbox(t)
	s.repo("r")
	before := snapshot(t, s.dir)
	r := s.open("r")
	v1 := s.resolve(r, "v1").Commit
	outside := t.TempDir()
	full := filepath.Join(outside, "full")
	if err := os.MkdirAll(filepath.Join(full, "precious"), 0o777); err != nil {
		t.Fatal(err)
	}
	if _, err := r.AddWorktree(t.Context(), full, v1); err == nil || !strings.Contains(err.Error(), "is not empty") {
		t.Errorf("into a full directory: %v", err)
	}
	if _, err := os.Stat(filepath.Join(full, "precious")); err != nil {
		t.Error(err)
	}
	if _, err := r.AddWorktree(t.Context(), filepath.Join(outside, "w"), "nope"); err == nil || !strings.Contains(err.Error(), "unknown revision") {
		t.Errorf("of an unknown commit: %v", err)
	}
	w, err := r.AddWorktree(t.Context(), filepath.Join(outside, "w"), v1)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.RemoveAll(w.Dir); err != nil { // the lock is what stands in the way
		t.Fatal(err)
	}
	if _, err := r.AddWorktree(t.Context(), w.Dir, v1); !errors.Is(err, errInUse) {
		t.Errorf("where another one is: %v", err)
	}
	if err := w.Remove(t.Context()); err != nil {
		t.Fatal(err)
	}
	// A checkout that fails leaves nothing.
	s.git("r", "config", "filter.broken.smudge", "false")
	s.git("r", "config", "filter.broken.required", "true")
	s.write("r/.git/info/attributes", "*.txt filter=broken\n")
	if _, err := r.AddWorktree(t.Context(), filepath.Join(outside, "broken"), v1); err == nil || !strings.Contains(err.Error(), "smudge filter broken failed") {
		t.Errorf("with a broken filter: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := r.AddWorktree(ctx, filepath.Join(outside, "cancelled"), v1); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	after := snapshot(t, s.dir)
	before["r/.git/config"], before["r/.git/info/attributes"] = after["r/.git/config"], after["r/.git/info/attributes"]
	checkSame(t, before, after)
	if left, _ := os.ReadDir(outside); len(left) != 1 {
		t.Errorf("left behind: %v", left)
	}
}

// TestWorktreesTogether adds and removes worktrees from several processes and
// goroutines at once: .git/worktrees comes and goes under them.
func TestWorktreesTogether(t *testing.T) {
	s := newSandbox(t)
	s.repo("r")
	before := snapshot(t, s.dir)
	r := s.open("r")
	v1 := s.resolve(r, "v1").Commit
	outside := t.TempDir()
	var wg sync.WaitGroup
	for worker := range 4 {
		wg.Go(func() {
			other := s.openIn(t, "r")
			for round := range 5 {
				// Same base name, so that git has to number them.
				w, err := other.AddWorktree(t.Context(), filepath.Join(outside, fmt.Sprint(worker), "w"), v1)
				if err != nil {
					t.Errorf("round %d: %v", round, err)
					return
				}
				if n, err := other.PruneWorktrees(t.Context(), outside); n != 0 || err != nil {
					t.Errorf("pruned %d worktrees in use, %v", n, err)
				}
				if got := readFile(t, w.Dir+"/a.txt"); got != "one\ntwo\nthree\n" {
					t.Errorf("a.txt is %q", got)
				}
				if err := w.Remove(t.Context()); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	checkSame(t, before, snapshot(t, s.dir))
}

// A search that needs a worktree no more stops making it, at any moment. Nothing
// of it stays with the repository, not even an empty directory.
func TestCancelledWorktreeLeavesNothing(t *testing.T) {
	s := newSandbox(t)
	s.repo("r")
	before := snapshot(t, s.dir)
	r := s.open("r")
	v1 := s.resolve(r, "v1").Commit
	for k := range 300 {
		ctx, cancel := context.WithTimeout(t.Context(), time.Duration(k%150)*100*time.Microsecond)
		w, err := r.AddWorktree(ctx, filepath.Join(t.TempDir(), "w"), v1)
		cancel()
		if err == nil {
			if err := w.Remove(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
	}
	checkSame(t, before, snapshot(t, s.dir))
}

func (s *sandbox) openIn(t *testing.T, name string) *Repo {
	r, err := Open(t.Context(), s.path(name))
	if err != nil {
		t.Error(err)
		return nil
	}
	t.Cleanup(func() { r.Close() })
	return r
}

// TestRemoveAfterTests removes worktrees in the states that tests leave.
func TestRemoveAfterTests(t *testing.T) {
	tests := []struct {
		name string
		do   func(t *testing.T, s *sandbox, dir string) error
	}{
		{"nothing", func(*testing.T, *sandbox, string) error { return nil }},
		{"deleted", func(_ *testing.T, _ *sandbox, dir string) error { return os.RemoveAll(dir) }},
		{"link file gone", func(_ *testing.T, _ *sandbox, dir string) error { return os.Remove(dir + "/.git") }},
		{"another repository", func(_ *testing.T, s *sandbox, dir string) error {
			return os.WriteFile(dir+"/.git", []byte("gitdir: "+s.path("other/.git")+"\n"), 0o666)
		}},
		{"link to the user's checkout", func(_ *testing.T, s *sandbox, dir string) error {
			return errors.Join(os.RemoveAll(dir), os.Symlink(s.path("r"), dir))
		}},
		{"read-only directory", func(_ *testing.T, _ *sandbox, dir string) error {
			return errors.Join(os.MkdirAll(dir+"/mod/cache", 0o777), os.WriteFile(dir+"/mod/cache/f", nil, 0o444), os.Chmod(dir+"/mod/cache", 0o555))
		}},
		{"commits and a branch switch", func(t *testing.T, s *sandbox, dir string) error {
			return errors.Join(s.command(dir, "commit", "-q", "--allow-empty", "-m", "x").Run(), s.command(dir, "checkout", "-q", "v2").Run())
		}},
		{"submodule", func(t *testing.T, s *sandbox, dir string) error {
			return s.command(dir, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", s.path("other"), "mod").Run()
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := newSandbox(t)
			s.repo("r")
			s.repo("other")
			r := s.open("r")
			outside := t.TempDir()
			before := snapshot(t, s.dir)
			w, err := r.AddWorktree(t.Context(), filepath.Join(outside, "w"), s.resolve(r, "v1").Commit)
			if err != nil {
				t.Fatal(err)
			}
			if err := tt.do(t, s, w.Dir); err != nil {
				t.Fatal(err)
			}
			if err := w.Remove(t.Context()); err != nil {
				t.Fatal(err)
			}
			after := snapshot(t, s.dir)
			if tt.name == "submodule" { // which the test wrote into the shared config itself
				before["r/.git/config"] = after["r/.git/config"]
			}
			for name := range after { // a test's own commits stay as objects, as in any repository
				if strings.HasPrefix(name, "r/.git/objects/") {
					delete(after, name)
					delete(before, name)
				}
			}
			for name := range before {
				if strings.HasPrefix(name, "r/.git/objects/") {
					t.Errorf("%s is gone", name)
				}
			}
			checkSame(t, before, after)
			if left, _ := os.ReadDir(outside); len(left) != 0 {
				t.Errorf("left behind: %v", left)
			}
		})
	}
}

func TestPruneWorktrees(t *testing.T) {
	s := newSandbox(t)
	s.repo("r")
	s.git("r", "worktree", "add", "-q", "--detach", "--lock", "--reason", "mine", "../mine")
	before := snapshot(t, s.dir)
	r := s.open("r")
	v1 := s.resolve(r, "v1").Commit
	// The way to the root leads through a link.
	root, link := t.TempDir(), filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(root, link); err != nil {
		t.Fatal(err)
	}
	prune := func(under string, want int) {
		t.Helper()
		if n, err := r.PruneWorktrees(t.Context(), under); n != want || err != nil {
			t.Errorf("pruned %d, %v, want %d", n, err, want)
		}
	}
	prune(link, 0)
	live, err := r.AddWorktree(t.Context(), link+"/live", v1)
	if err != nil {
		t.Fatal(err)
	}
	var kills []func()
	for _, name := range []string{"a", "b", "gone/c"} {
		kills = append(kills, otherGitdd(t, s.path("r"), filepath.Join(link, name), v1))
	}
	prune(link, 0)
	for _, kill := range kills {
		kill()
	}
	if err := os.RemoveAll(root + "/gone"); err != nil {
		t.Fatal(err)
	}
	if err := os.RemoveAll(root + "/b"); err != nil {
		t.Fatal(err)
	}
	prune(link+"/elsewhere", 0)
	prune(link+"/a/sub", 0)
	prune(s.dir, 0) // the user's own locked worktree
	prune(link, 3)
	prune(link, 0)
	if got := readFile(t, live.Dir+"/a.txt"); got != "one\ntwo\nthree\n" {
		t.Errorf("the worktree in use has %q", got)
	}
	if err := live.Remove(t.Context()); err != nil {
		t.Fatal(err)
	}
	checkSame(t, before, snapshot(t, s.dir))
	if left, _ := os.ReadDir(root); len(left) != 0 {
		t.Errorf("left behind: %v", left)
	}
}

// What a killed git, or the end of the machine, leaves of a worktree of gitdd
// says by its name alone whose it was; the user's stays.
func TestPruneHalfWorktrees(t *testing.T) {
	s := newSandbox(t)
	s.repo("r")
	s.write("r/x", "x\n")
	s.git("r", "add", "-A")
	s.git("r", "commit", "-q", "-m", "x")
	r := s.open("r")
	s.write("r/.git/worktrees/"+WorktreePrefix+"a-1/locked", "")
	s.write("r/.git/worktrees/"+WorktreePrefix+"a-2/gitdir", "")
	s.write("r/.git/worktrees/"+WorktreePrefix+"a-3/HEAD", "")
	s.write("r/.git/worktrees/"+WorktreePrefix+"a-4/gitdir", s.path("w/"+WorktreePrefix+"a-4/.git")+"\n")
	s.write("w/"+WorktreePrefix+"a-4/x", "")
	s.write("r/.git/worktrees/mine/HEAD", "")
	if n, err := r.PruneWorktrees(t.Context(), s.path("w")); n != 4 || err != nil {
		t.Errorf("pruned %d, want 4: %v", n, err)
	}
	if _, err := os.Stat(s.path("w/" + WorktreePrefix + "a-4")); !os.IsNotExist(err) {
		t.Errorf("its files are there: %v", err)
	}
	if _, err := os.Stat(s.path("r/.git/worktrees/mine/HEAD")); err != nil {
		t.Error(err)
	}
	if err := os.RemoveAll(s.path("r/.git/worktrees/mine")); err != nil {
		t.Fatal(err)
	}
	if _, err := r.PruneWorktrees(t.Context(), s.path("w")); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(s.path("r/.git/worktrees")); !os.IsNotExist(err) {
		t.Errorf("an empty list is there: %v", err)
	}
}

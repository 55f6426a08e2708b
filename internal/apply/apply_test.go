package apply

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/gitdd/gitdd/internal/git"
	"github.com/gitdd/gitdd/report"
	"github.com/gitdd/gitdd/search"
	"github.com/gitdd/gitdd/trial"
)

// A bench is a repository whose file a.txt the cause of a session has changed, from good to bad.
type bench struct {
	t       *testing.T
	dir     string
	repo    *git.Repo
	session *trial.Session
	result  report.Result
}

const (
	good = "1\n2\n3\n4\n5\n6\n7\n8\n9\n"
	bad  = "1\n2\nthree\n4\n5\n6\n7\n8\n9\n"
)

func newBench(t *testing.T) *bench {
	t.Helper()
	b := &bench{t: t, dir: t.TempDir()}
	b.git("init", "-q", "-b", "main")
	b.git("config", "user.name", "Ada")
	b.git("config", "user.email", "ada@example.com")
	b.git("config", "core.autocrlf", "false")
	for _, text := range []string{good, bad} {
		b.write(text)
		b.git("add", "a.txt")
		b.git("commit", "-q", "-m", "a commit")
	}
	repo, err := git.Open(t.Context(), b.dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { repo.Close() })
	b.repo = repo
	from, to := b.revision("HEAD~"), b.revision("HEAD")
	b.session, err = trial.CreateSession(t.TempDir(), trial.Header{Name: "run", Command: []string{"false"}, Started: time.Unix(0, 0), Good: from, Bad: to})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { b.session.Close() })
	for name, ends := range map[string][2]string{search.CausePatch: {"HEAD~", "HEAD"}, search.RevertPatch: {"HEAD", "HEAD~"}} {
		patch := b.git("diff", "--full-index", ends[0], ends[1])
		if err := os.WriteFile(filepath.Join(b.session.Dir(), name), []byte(patch), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	end := func(r git.Revision) report.Revision {
		return report.Revision{Rev: r.Rev, Commit: string(r.Commit), Tree: string(r.Tree)}
	}
	b.result = report.Result{Status: report.Isolated, Direction: report.Break, Good: end(from), Bad: end(to), Cause: []report.Change{{Path: "a.txt", Kind: "hunk"}}}
	return b
}

func (b *bench) git(args ...string) string {
	b.t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir = b.dir
	out, err := cmd.Output()
	if err != nil {
		b.t.Fatalf("git %s: %v", strings.Join(args, " "), err)
	}
	return string(out)
}

func (b *bench) revision(rev string) git.Revision {
	b.t.Helper()
	r, err := git.Open(b.t.Context(), b.dir)
	if err != nil {
		b.t.Fatal(err)
	}
	defer r.Close()
	found, err := r.Resolve(b.t.Context(), rev)
	if err != nil {
		b.t.Fatal(err)
	}
	return found
}

func (b *bench) write(text string) {
	b.t.Helper()
	if err := os.WriteFile(filepath.Join(b.dir, "a.txt"), []byte(text), 0o666); err != nil {
		b.t.Fatal(err)
	}
}

func (b *bench) read() string {
	b.t.Helper()
	text, err := os.ReadFile(filepath.Join(b.dir, "a.txt"))
	if err != nil {
		b.t.Fatal(err)
	}
	return string(text)
}

// The cause is taken off and put on again, and the index is never written.
func TestFiles(t *testing.T) {
	b := newBench(t)
	index := b.git("ls-files", "--stage")
	for _, step := range []struct {
		revert      bool
		text, shows string
	}{{true, good, "`git diff` shows it"}, {false, bad, "its files are as in HEAD again"}} {
		done, err := Files(t.Context(), b.repo, b.session, b.result, Options{Revert: step.revert})
		if err != nil || b.read() != step.text || done.Shows != step.shows || len(done.Submodules) > 0 {
			t.Errorf("revert %t: %+v, %v, the file is %q", step.revert, done, err, b.read())
		}
		if got := b.git("ls-files", "--stage"); got != index {
			t.Errorf("revert %t: the index is %q, was %q", step.revert, got, index)
		}
	}
}

// What cannot be applied leaves the file as it was.
func TestFilesRefused(t *testing.T) {
	for _, row := range []struct {
		name, text string
		commit     bool
		revert     bool
		want       string
	}{
		{"edited", bad + "10\n", false, true, "a.txt has local edits: nothing was changed"},
		{"on already", bad, false, false, " is on your working tree already: nothing was changed"},
		{"off already", good, false, true, " is off your working tree already: nothing was changed"},
		{"off already beside edits", strings.Replace(good, "9", "nine", 1), false, true, " is off your working tree already: nothing was changed, and a.txt has other edits"},
		{"on already beside edits", strings.Replace(bad, "9", "nine", 1), false, false, " is on your working tree already: nothing was changed, and a.txt has other edits"},
		{"other lines", strings.Replace(bad, "three", "drei", 1), true, true, "around the cause your working tree is not as in"},
	} {
		t.Run(row.name, func(t *testing.T) {
			b := newBench(t)
			b.write(row.text)
			if row.commit {
				b.git("commit", "-q", "-a", "-m", "other lines")
			}
			if _, err := Files(t.Context(), b.repo, b.session, b.result, Options{Revert: row.revert}); err == nil || !strings.Contains(err.Error(), row.want) {
				t.Errorf("%v, want %q", err, row.want)
			}
			if got := b.read(); got != row.text {
				t.Errorf("the file is %q, was %q", got, row.text)
			}
		})
	}
}

// The pin of a submodule is left to the user.
func TestFilesSubmodule(t *testing.T) {
	b := newBench(t)
	b.result.Cause = []report.Change{{Path: "lib", Kind: "submodule", OldBlob: strings.Repeat("1", 40), NewBlob: strings.Repeat("2", 40)}}
	for revert, id := range map[bool]string{false: "222222222222", true: "111111111111"} {
		_, err := Files(t.Context(), b.repo, b.session, b.result, Options{Revert: revert, From: b.dir})
		if err == nil || !strings.Contains(err.Error(), "lib checkout --detach "+id) {
			t.Errorf("revert %t: %v", revert, err)
		}
	}
}

// A branch gets one commit, and nothing else changes; one that exists is left alone.
func TestBranch(t *testing.T) {
	b := newBench(t)
	head := b.git("rev-parse", "HEAD")
	o := Options{Revert: true, Branch: "without-it"}
	made, err := Branch(t.Context(), b.repo, b.session, b.result, o)
	if err != nil {
		t.Fatal(err)
	}
	if made.Hoped != "pass" || made.Tested != "" || strings.TrimSpace(b.git("rev-parse", "without-it")) != string(made.ID) || b.git("rev-parse", "without-it~") != head {
		t.Errorf("made %+v", made)
	}
	if text := b.git("show", "without-it:a.txt"); text != good {
		t.Errorf("the branch has %q", text)
	}
	if status := b.git("status", "--porcelain"); status != "" || b.git("rev-parse", "HEAD") != head {
		t.Errorf("git status says %q", status)
	}
	if _, err := Branch(t.Context(), b.repo, b.session, b.result, o); err == nil {
		t.Error("a branch was made again")
	}
	if _, err := Branch(t.Context(), b.repo, b.session, b.result, Options{Branch: "off", Onto: b.result.Good.Tree}); err == nil || !strings.Contains(err.Error(), "is a tree, not a commit") {
		t.Errorf("onto a tree: %v", err)
	}
}

func TestDirectory(t *testing.T) {
	b := newBench(t)
	dir := filepath.Join(t.TempDir(), "more", "new")
	tree := git.ID(b.result.Good.Tree)
	if err := Directory(t.Context(), b.repo, b.session, tree, dir); err != nil {
		t.Fatal(err)
	}
	if text, err := os.ReadFile(filepath.Join(dir, "a.txt")); err != nil || string(text) != good {
		t.Errorf("the directory has %q, %v", text, err)
	}
	if err := Directory(t.Context(), b.repo, b.session, tree, dir); err == nil || !strings.Contains(err.Error(), "is not empty") {
		t.Errorf("into a directory with files: %v", err)
	}
}

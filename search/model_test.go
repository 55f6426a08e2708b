package search_test

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/gitdd/gitdd/changes"
	"github.com/gitdd/gitdd/internal/measure"
	"github.com/gitdd/gitdd/search"
	"github.com/gitdd/gitdd/trial"
)

// A model is what a command does on a program of which some changes are applied. It takes the place of
// processes: the trials of a search call it.
type model func(applied []bool) (exit int, output string)

// A lab is a repository with programs that models know.
type lab struct {
	t    *testing.T
	dir  string
	repo *changes.Repo
	jobs int          // of the next search
	most int          // trials of it, 0 = no limit
	what measure.What // that its trials measure

	run func(applied []bool) (int, string) // what the command of the next search for each test does; nil = as its model
}

func newLab(t *testing.T) *lab {
	t.Helper()
	l := &lab{t: t, dir: t.TempDir()}
	l.git("init", "-q")
	l.git("commit", "-q", "--allow-empty", "-m", "a workspace needs a commit")
	repo, err := changes.Open(t.Context(), l.dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { repo.Close() })
	l.repo = repo
	return l
}

func (l *lab) git(args ...string) string {
	l.t.Helper()
	cmd := exec.Command("git", append([]string{"-c", "user.name=Ada", "-c", "user.email=ada@example.com"}, args...)...)
	cmd.Dir = l.dir
	out, err := cmd.Output()
	if err != nil {
		l.t.Fatalf("git %s: %v", strings.Join(args, " "), err)
	}
	return strings.TrimSpace(string(out))
}

// perFile is how many changes a file of a program has.
const perFile = 3

// tree writes a version of a program of len(applied) parts: each part is old, or new where its change is
// applied. name tells the parts of one program from those of others.
func (l *lab) tree(name string, applied []bool) string {
	l.t.Helper()
	for first := 0; first < len(applied); first += perFile {
		var text strings.Builder
		for i := first; i < min(first+perFile, len(applied)); i++ {
			word := "old"
			if applied[i] {
				word = "new"
			}
			fmt.Fprintf(&text, "%s %d %s\n-\n-\n-\n", name, i, word)
		}
		if err := os.WriteFile(filepath.Join(l.dir, fmt.Sprintf("f%d.txt", first/perFile)), []byte(text.String()), 0o666); err != nil {
			l.t.Fatal(err)
		}
	}
	l.git("add", "-A")
	return l.git("write-tree")
}

// versions returns the two trees of a program of n parts of which none is new, and all are.
func (l *lab) versions(name string, n int) (good, bad string) {
	all := make([]bool, n)
	good = l.tree(name, all)
	for i := range all {
		all[i] = true
	}
	bad = l.tree(name, all)
	l.git("rm", "-q", "-r", "-f", ".") // the next program may have fewer files
	return good, bad
}

// parts reads which changes are applied in the files of a task.
func parts(ctx context.Context, t trial.Task, n int) ([]bool, error) {
	applied := make([]bool, n)
	var leaves []*trial.Leaf
	for _, e := range t.Files.Root.Entries {
		if e.File != nil {
			leaves = append(leaves, e.File)
		}
	}
	err := t.Files.Read(ctx, leaves, func(f *trial.Leaf, content io.Reader) error {
		text, err := io.ReadAll(content)
		for line := range strings.Lines(string(text)) {
			var name, word string
			var i int
			if k, _ := fmt.Sscan(line, &name, &i, &word); k == 3 {
				applied[i] = word == "new"
			}
		}
		return err
	})
	return applied, err
}

// remote performs trials by the model.
func (m model) remote(n int) trial.Remote {
	return func(ctx context.Context, t trial.Task) (result trial.TaskResult, err error) {
		applied, err := parts(ctx, t, n)
		if err != nil {
			return result, err
		}
		exit, output := m(applied)
		result.Test = trial.Part{Ran: true, Exit: exit, Duration: time.Millisecond}
		for name, text := range map[string]string{"out": output, "err": ""} {
			if err := os.WriteFile(t.Output(name), []byte(text), 0o666); err != nil {
				return result, err
			}
		}
		return result, nil
	}
}

// search searches between two revisions of a program of n parts, in a new session, and returns how many
// trials were run.
func (l *lab) search(good, bad string, n int, m model, o search.Options) (found search.Found, trials int, err error) {
	t := l.t
	t.Helper()
	set, err := changes.Between(t.Context(), l.repo, good, bad, changes.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if set.Len() != n {
		t.Fatalf("%d changes of %d", set.Len(), n)
	}
	session, err := trial.CreateSession(filepath.Join(t.TempDir(), "sessions"), trial.Header{
		Started: time.Now(), CommonDir: l.repo.CommonDir(), Good: set.Good, Bad: set.Bad, Command: []string{"test"},
	})
	if err != nil {
		t.Fatal(err)
	}
	defer session.Close()
	return l.searchIn(session, set, n, m, o)
}

// searchIn searches in a session, or goes on in it.
func (l *lab) searchIn(session *trial.Session, set *changes.Set, n int, m model, o search.Options) (found search.Found, trials int, err error) {
	t := l.t
	t.Helper()
	runner, err := trial.New(t.Context(), trial.Options{Repo: l.repo, Session: session, Command: []string{"test"}, Remote: m.remote(n), Jobs: l.jobs, MaxTrials: l.most, Measure: l.what})
	if err != nil {
		t.Fatal(err)
	}
	defer runner.Close()
	o.Runner = runner
	found, err = search.Run(t.Context(), set, o)
	if err == nil && !found.Verdict.Verified && o.Numbers == nil {
		t.Fatal("an answer that is not verified, without an error")
	}
	return found, runner.Stats().Run, err
}

// parsed returns which parts of a program are new with changes of an answer.
func parsed(t *testing.T, set *changes.Set, members func(yield func(int) bool), n int) []bool {
	t.Helper()
	applied := make([]bool, n)
	for i := range members {
		var name string
		var number int
		if _, err := fmt.Sscan(string(set.Changes[i].New), &name, &number); err != nil {
			t.Fatal(err)
		}
		applied[number] = true
	}
	return applied
}

//go:build unix

package main

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/spf13/pflag"

	"github.com/gitdd/gitdd/internal/git"
	"github.com/gitdd/gitdd/internal/seed"
	"github.com/gitdd/gitdd/search"
	"github.com/gitdd/gitdd/trial"
)

// A spuriousModel is a program with a fault, of which mixtures of its two versions may be broken
// without being refused: a compiler only warns, or an interpreter comes to the broken place only when
// the program runs. The test fails then as well, for a reason that is none of either version.
type spuriousModel struct {
	cause    []int    // the changes that make the test fail, all together
	requires [][2]int // a change that does not build without another one
	breaks   [][2]int // a change that is built without another one, and breaks the test
	compiled bool     // a compiler warns of it; else an interpreter fails
}

// spuriousPerFile is how many changes a file of the model has.
const spuriousPerFile = 3

// drawSpurious makes a model of n changes. Mixtures that break hide the cause in most of these models: what
// breaks has fewer conditions.
func drawSpurious(r *rand.Rand, n int, compiled bool) spuriousModel {
	m := spuriousModel{compiled: compiled, cause: r.Perm(n)[:1+r.IntN(2)]}
	pair := func() [2]int { p := r.Perm(n); return [2]int{p[0], p[1]} }
	for range 1 + r.IntN(3) {
		m.breaks = append(m.breaks, pair())
	}
	for range r.IntN(3) {
		m.requires = append(m.requires, pair())
	}
	return m
}

// broken returns the first of the pairs that a configuration breaks.
func broken(applied []bool, pairs [][2]int) (pair [2]int, is bool) {
	i := slices.IndexFunc(pairs, func(p [2]int) bool { return applied[p[0]] && !applied[p[1]] })
	if i < 0 {
		return pair, false
	}
	return pairs[i], true
}

// fails reports whether the failure of a configuration is that of the failing end.
func (m *spuriousModel) fails(applied []bool) bool {
	return !slices.ContainsFunc(m.cause, func(i int) bool { return !applied[i] })
}

// run is what the command does on a configuration.
func (m *spuriousModel) run(applied []bool) (exit int, output string) {
	if p, is := broken(applied, m.requires); is {
		return 125, fmt.Sprintf("f%d.txt:%d: undefined: name%d\n", p[0]/spuriousPerFile, 1+p[0]%spuriousPerFile*4, p[1])
	}
	const failure = "FAIL: got 90, want 94\n"
	p, is := broken(applied, m.breaks)
	switch at := fmt.Sprintf("f%d.txt:%d", p[0]/spuriousPerFile, 1+p[0]%spuriousPerFile*4); {
	case is && m.compiled:
		return 1, fmt.Sprintf("%s: warning: passing argument 1 of 'name%d' makes integer from pointer without a cast\n%s", at, p[1], failure)
	case is:
		return 1, fmt.Sprintf("Traceback (most recent call last):\n  File \"%s\"\nTypeError: name%d() missing 1 required positional argument: 'x'\n", at, p[1])
	case m.fails(applied):
		return 1, failure
	}
	return 0, "ok\n"
}

// files returns the files of a version.
func (m *spuriousModel) files(problem, n int, word string) []node {
	var list []node
	for first := 0; first < n; first += spuriousPerFile {
		var text strings.Builder
		for i := first; i < min(first+spuriousPerFile, n); i++ {
			fmt.Fprintf(&text, "%d %d %s\n-\n-\n-\n", problem, i, word)
		}
		list = append(list, file(fmt.Sprintf("f%d.txt", first/spuriousPerFile), text.String()))
	}
	return list
}

// remote performs the trials of the model, without a process: it reads which changes are applied.
func (m *spuriousModel) remote(n int) trial.Remote {
	return func(ctx context.Context, t trial.Task) (result trial.TaskResult, err error) {
		applied := make([]bool, n)
		var leaves []*trial.Leaf
		for _, e := range t.Files.Root.Entries {
			if e.File != nil && strings.HasPrefix(e.Name, "f") {
				leaves = append(leaves, e.File)
			}
		}
		err = t.Files.Read(ctx, leaves, func(f *trial.Leaf, content io.Reader) error {
			text, err := io.ReadAll(content)
			for line := range strings.Lines(string(text)) {
				var problem, i int
				var word string
				if k, _ := fmt.Sscan(line, &problem, &i, &word); k == 3 {
					applied[i] = word == "new"
				}
			}
			return err
		})
		if err != nil {
			return result, err
		}
		exit, output := m.run(applied)
		result.Test = trial.Part{Ran: true, Exit: exit, Duration: time.Millisecond}
		for name, text := range map[string]string{"out": output, "err": ""} {
			if err := os.WriteFile(t.Output(name), []byte(text), 0o666); err != nil {
				return result, err
			}
		}
		return result, nil
	}
}

// TestSpuriousModel searches random models. No answer fails for a reason that only mixtures have.
// Without the comparison with what commits print (--mixtures lenient) many do. GITDD_PROBLEMS is how
// many models there are; each takes about a fifth of a second.
func TestSpuriousModel(t *testing.T) {
	t.Parallel()
	problems := 40
	if text := os.Getenv("GITDD_PROBLEMS"); text != "" {
		var err error
		if problems, err = strconv.Atoi(text); err != nil {
			t.Fatal(err)
		}
	}
	f := &field{t: t, dir: t.TempDir()}
	for _, argv := range [][]string{{"init", "-q"}, {"-c", "user.name=A", "-c", "user.email=a@example.com", "commit", "-q", "--allow-empty", "-m", "begin"}} {
		cmd := exec.Command("git", argv...)
		cmd.Dir = f.path("repo")
		if err := os.MkdirAll(cmd.Dir, 0o777); err != nil {
			t.Fatal(err)
		}
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
	}
	r := rand.New(rand.NewPCG(seed.New(t), 0))
	type problem struct {
		spuriousModel
		n         int
		good, bad string
	}
	list := make([]problem, problems)
	for k := range list {
		n := 5 + r.IntN(8)
		m := drawSpurious(r, n, k%2 == 0)
		list[k] = problem{m, n, f.tree(m.files(k, n, "old")), f.tree(m.files(k, n, "new"))}
	}
	repo, err := git.Open(t.Context(), f.path("repo"))
	if err != nil {
		t.Fatal(err)
	}
	defer repo.Close()
	right, none, wrongLeniently, lenient := 0, 0, 0, 0
	for k, m := range list {
		search := func(mixtures string) (applied []bool, found bool) {
			a, err := m.search(t, repo, f.path(fmt.Sprintf("sessions-%d-%s", k, mixtures)), m.good, m.bad, mixtures, m.n)
			if err != nil {
				t.Logf("problem %d: %v", k, err)
				return nil, false
			}
			applied = make([]bool, m.n)
			for i := range a.Result.Failing.All() {
				c := &a.Set.Changes[i]
				var problem, number int
				if _, err := fmt.Sscan(string(c.New), &problem, &number); err != nil {
					t.Fatal(err)
				}
				applied[number] = true
			}
			return applied, true
		}
		if applied, found := search("strict"); !found {
			none++
		} else if p, is := broken(applied, m.breaks); is || !m.fails(applied) {
			t.Errorf("problem %d, %+v: the answer fails with %v, which breaks %v", k, m.spuriousModel, applied, p)
		} else {
			right++
		}
		if k%5 < 2 {
			lenient++
			if applied, found := search("lenient"); found && !m.fails(applied) {
				wrongLeniently++
			}
		}
	}
	t.Logf("%d right, %d without an answer; leniently %d of %d wrong", right, none, wrongLeniently, lenient)
	if none*20 > problems {
		t.Errorf("%d of %d problems have no answer", none, problems)
	}
	if wrongLeniently*20 < lenient {
		t.Errorf("leniently %d of %d answers are wrong: the models hardly ever mislead", wrongLeniently, lenient)
	}
}

// search is a search of gitdd run between two trees.
func (m *spuriousModel) search(t *testing.T, repo *git.Repo, root, good, bad, mixtures string, n int) (search.Answer, error) {
	t.Helper()
	var s settings
	s.flags(pflag.NewFlagSet("", pflag.ContinueOnError))
	s.command, s.mixtures, s.noCommits = []string{"test"}, mixtures, true
	var a app
	set, err := a.between(t.Context(), repo, git.Revision{Rev: good, Tree: git.ID(good)}, git.Revision{Rev: bad, Tree: git.ID(bad)}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if set.Len() != n {
		t.Fatalf("%d changes of %d", set.Len(), n)
	}
	session, err := trial.CreateSession(root, trial.Header{
		Started: time.Now(), CommonDir: repo.CommonDir(), Good: set.Good, Bad: set.Bad, Command: s.command,
	})
	if err != nil {
		t.Fatal(err)
	}
	defer session.Close()
	view := newProgress(io.Discard, progressOptions{total: n})
	defer view.close()
	options := s.trial(repo, session, nil, view.event)
	options.Remote = m.remote(n)
	runner, err := trial.New(t.Context(), options)
	if err != nil {
		t.Fatal(err)
	}
	defer runner.Close()
	found, err := s.search(t.Context(), repo, session, set, runner, view, &recorder{})
	if err == nil && !found.Verdict.Verified {
		t.Fatal("an answer that is not verified, without an error")
	}
	return found.Answer, err
}

package trial

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/gitdd/gitdd/changes"
	"github.com/gitdd/gitdd/internal/git"
	"github.com/gitdd/gitdd/internal/seed"
	"github.com/gitdd/gitdd/isolate"
)

func init() {
	roles["searcher"] = func(args []string) {
		if err := searcher(args[0], args[1], args[2]); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
}

func init() {
	roles["holder"] = func(args []string) {
		if err := hold(args[0], args[1]); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		fmt.Println("ready")
		select {}
	}
}

// opened is what a gitdd begins with that works on from good to bad in a session.
func opened(ctx context.Context, repoDir, sessionDir string) (*git.Repo, *changes.Set, *Session, error) {
	repo, err := git.Open(ctx, repoDir)
	if err != nil {
		return nil, nil, nil, err
	}
	set, err := changes.Between(ctx, repo, "good", "bad", changes.Options{})
	if err != nil {
		return nil, nil, nil, err
	}
	s, err := OpenSession(sessionDir)
	return repo, set, s, err
}

// hold is a gitdd that has a workspace in a session.
func hold(repoDir, sessionDir string) error {
	ctx := context.Background()
	repo, set, s, err := opened(ctx, repoDir, sessionDir)
	if err != nil {
		return err
	}
	r, err := New(ctx, Options{Repo: repo, Session: s, Command: []string{"sh", "-c", "exit $(cat a)"}})
	if err != nil {
		return err
	}
	_, err = r.Ends(ctx, set)
	return err
}

// TestLeftByOtherSession: what a killed gitdd has left in the repository goes
// with the next run, in whatever session, and that of a running one stays.
func TestLeftByOtherSession(t *testing.T) {
	h := newHistory(t)
	h.commit("good", "a", "0\n")
	h.commit("bad", "a", "1\n")
	root := t.TempDir()
	workspaces := func() int {
		dirs, err := filepath.Glob(filepath.Join(root, "*", workDir, "*", "*", ".git"))
		if err != nil {
			t.Fatal(err)
		}
		return len(dirs)
	}
	runs := h.benchIn(h.session(root), script("exit $(cat a)"))
	runs.ends()

	killed := h.session(root)
	if err := killed.Close(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { removePlaces(killed.Dir()) })
	cmd := exec.Command(os.Args[0], "holder", h.dir, killed.Dir())
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	word, err := bufio.NewReader(out).ReadString('\n')
	cmd.Process.Kill()
	cmd.Wait()
	if err != nil {
		t.Fatalf("%q, %v", word, err)
	}
	if n := workspaces(); n != 2 {
		t.Fatalf("%d workspaces, want that of the running gitdd and that of the killed one", n)
	}

	next := h.benchIn(h.session(root), script("exit $(cat a)"))
	if n := workspaces(); n != 1 {
		t.Errorf("%d workspaces after the next New, want that of the running gitdd", n)
	}
	if left, _ := filepath.Glob(filepath.Join(killed.Dir(), workDir, "*", "*")); len(left) != 0 {
		t.Errorf("left behind: %v", left)
	}
	next.ends()
	if v := runs.verdict(runs.config("a")); v.Outcome != isolate.Fail {
		t.Errorf("the running session: %+v", v)
	}
	next.close()
	runs.close()
	if n := workspaces(); n != 0 {
		t.Errorf("%d workspaces at the end", n)
	}
}

const killedFiles = 4 // each is one change

// searcher is a gitdd to be killed: it tests both ends and all subsets in a
// session, two at a time, confirms one, and then makes the file done.
func searcher(repoDir, sessionDir, done string) (err error) {
	ctx := context.Background()
	repo, set, s, err := opened(ctx, repoDir, sessionDir)
	if err != nil {
		return err
	}
	defer repo.Close()
	r, err := New(ctx, Options{
		Repo: repo, Session: s, Jobs: 2, Setup: "sleep 0.02", Build: "sleep 0.01",
		Command: []string{"sh", "-c", "echo . >> " + done + ".log; sleep 0.02; cat ? | tr -d '\\n'; ! grep -q 1 0 || ! grep -q 1 2"},
	})
	if err != nil {
		return err
	}
	if _, err := r.Ends(ctx, set); err != nil {
		return err
	}
	var wg sync.WaitGroup
	errs := make([]error, 1<<killedFiles)
	for bits := range errs {
		wg.Go(func() { _, errs[bits] = r.Test(set)(ctx, subset(bits)) })
	}
	wg.Wait()
	if err := errors.Join(errs...); err != nil {
		return err
	}
	if v, err := r.Confirm(ctx, set, isolate.Full(killedFiles), isolate.Fail); err != nil || v.Outcome != isolate.Fail {
		return fmt.Errorf("confirm: %+v, %w", v, err)
	}
	return errors.Join(r.Close(), s.Close(), os.WriteFile(done, nil, 0o666))
}

func subset(bits int) isolate.Configuration {
	var members []int
	for i := range killedFiles {
		if bits>>i&1 == 1 {
			members = append(members, i)
		}
	}
	return isolate.Of(killedFiles, members...)
}

// killUntilDone runs this program with args again and again, and kills it at random
// instants, until it comes to its end. The time it is given, at most wait times 10 ms,
// grows, so that it ends on a slow machine too. It returns how many were killed.
func killUntilDone(t *testing.T, random *rand.Rand, wait, more int, killed func(kills int), args ...string) int {
	t.Helper()
	for kills := 0; ; wait += more {
		cmd := exec.Command(os.Args[0], args...)
		var stderr bytes.Buffer
		cmd.Stderr = &stderr
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		timer := time.AfterFunc(time.Duration(random.IntN(wait))*10*time.Millisecond, func() { cmd.Process.Kill() })
		err := cmd.Wait()
		if timer.Stop() && err != nil {
			t.Fatalf("after %d kills: %v: %s", kills, err, stderr.String())
		}
		if err == nil {
			return kills
		}
		kills++
		killed(kills)
	}
}

// TestKilled kills a search at random instants and resumes it until it is
// done: every outcome is right, no finished trial was repeated, and the user's
// repository is what it was.
func TestKilled(t *testing.T) {
	random := rand.New(rand.NewPCG(seed.New(t), 0))

	h := newHistory(t)
	good, bad := []string{}, []string{}
	for i := range killedFiles {
		good = append(good, strconv.Itoa(i), "0\n")
		bad = append(bad, strconv.Itoa(i), "1\n")
	}
	h.commit("good", good...)
	h.commit("bad", bad...)
	h.files("dirty", "not committed")
	before := filesIn(t, h.dir)
	s := h.session(t.TempDir())
	dir := s.Dir()
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	done := filepath.Join(t.TempDir(), "done")

	kills := killUntilDone(t, random, 30, 5, func(kills int) {
		if _, err := readJournal(filepath.Join(dir, journalFile)); err != nil {
			t.Fatalf("after %d kills: %v", kills, err)
		}
	}, "searcher", h.dir, dir, done)

	r, err := ReadSession(dir)
	if err != nil {
		t.Fatal(err)
	}
	times := map[string]int{}
	numbers := map[int]bool{}
	for _, rec := range r.Records() {
		times[string(rec.Purpose[:1])+rec.Config]++
		if numbers[rec.Trial] {
			t.Errorf("two trials are number %d", rec.Trial)
		}
		numbers[rec.Trial] = true
		c, err := isolate.FromRuns(killedFiles, rec.Config)
		if err != nil {
			t.Fatal(err)
		}
		want := isolate.Pass
		if c.Has(0) && c.Has(2) {
			want = isolate.Fail
		}
		if isolate.Outcome(rec.Outcome) != want {
			t.Errorf("%+v, want %v", rec, want)
		}
		content := []byte("0000")
		for i := range c.All() {
			content[i] = '1'
		}
		if got := read(t, r.Output(rec.Trial, "out")); got != string(content) {
			t.Errorf("trial %d of {%s} saw %s", rec.Trial, rec.Config, got)
		}
	}
	for what, n := range times {
		if n != 1 {
			t.Errorf("%s: %d trials", what, n)
		}
	}
	if len(times) != 1<<killedFiles+1 {
		t.Errorf("%d configurations are recorded: %v", len(times), times)
	}
	if runs := strings.Count(read(t, done+".log"), "."); runs > len(times)+2*kills {
		t.Errorf("%d commands ran for %d trials and %d kills of two each", runs, len(times), kills)
	}
	t.Logf("%d kills", kills)
	if diff := cmp.Diff(before, filesIn(t, h.dir)); diff != "" {
		t.Errorf("the user's repository: %s", diff)
	}
	if left, _ := filepath.Glob(filepath.Join(dir, workDir, "*")); len(left) != 0 {
		t.Errorf("left behind: %v", left)
	}
}

// filesIn returns mode and content of everything below dir, by path.
func filesIn(t testing.TB, dir string) map[string]string {
	t.Helper()
	all := map[string]string{}
	err := filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		content := ""
		switch {
		case info.Mode().IsRegular():
			content = read(t, name)
		case info.Mode()&fs.ModeSymlink != 0:
			content, err = os.Readlink(name)
		}
		all[name] = info.Mode().String() + " " + content
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

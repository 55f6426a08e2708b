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
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/gitdd/gitdd/changes"
	"github.com/gitdd/gitdd/internal/git"
	"github.com/gitdd/gitdd/isolate"
)

func header() Header {
	return Header{
		Version: "v1.2.3", Started: time.Date(2024, 5, 6, 7, 8, 9, 0, time.UTC), Name: "run",
		Args: []string{"run", "--good", "v1", "--", "make", "te st"}, Dir: "/home/me/\xffrepo", CommonDir: "/home/me/repo/.git",
		Good: git.Revision{Rev: "v1", Commit: "c1", Tree: "t1"}, Bad: git.Revision{Rev: "HEAD", Commit: "c2", Tree: "t2"},
		Command: []string{"make", "te st"},
	}
}

func record(n int) Record {
	return Record{
		Trial: n, Purpose: Search, Tree: git.ID(fmt.Sprintf("%040d", n)), Set: 1, Config: "0-3,7", Key: "k", Attempt: 1, Worker: 2,
		Outcome: Outcome(isolate.Fail), Exit: 1, Built: true, Reason: "exit 1", First: "one\x1b[31m", Last: "two\n", Seconds: 0.1 * float64(n), BuildSeconds: 1. / 3, Process: 1, Elapsed: float64(n),
	}
}

// writeJournal makes a closed session with n records.
func writeJournal(t *testing.T, n int) (dir string, text []byte) {
	t.Helper()
	s, err := CreateSession(t.TempDir(), header())
	if err != nil {
		t.Fatal(err)
	}
	for i := range n {
		if err := s.append(record(i + 1)); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if text, err = os.ReadFile(filepath.Join(s.Dir(), journalFile)); err != nil {
		t.Fatal(err)
	}
	return s.Dir(), text
}

func TestSessionRoundTrip(t *testing.T) {
	dir, _ := writeJournal(t, 3)
	if name := filepath.Base(dir); !strings.HasPrefix(name, "20240506-070809-") || len(name) != len("20240506-070809-abcdef") {
		t.Errorf("name %s", name)
	}
	s, err := OpenSession(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	want := header()
	want.Format = Format
	want.Dir = "/home/me/\uFFFDrepo" // JSON has no other bytes
	if diff := cmp.Diff(want, s.Header()); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]Record{record(1), record(2), record(3)}, s.Records()); diff != "" {
		t.Error(diff)
	}
}

// TestCutJournal cuts a journal at every byte: whole records stay, and the
// session goes on after them. Only a cut header is damage.
func TestCutJournal(t *testing.T) {
	dir, text := writeJournal(t, 3)
	path := filepath.Join(dir, journalFile)
	headerEnd := bytes.IndexByte(text, '\n') + 1
	for cut := range len(text) + 1 {
		if err := os.WriteFile(path, text[:cut], 0o666); err != nil {
			t.Fatal(err)
		}
		s, err := OpenSession(dir)
		if cut < headerEnd {
			if err == nil || !strings.Contains(err.Error(), journalFile+":1: the header is cut") {
				t.Fatalf("cut at %d: %v", cut, err)
			}
			continue
		}
		if err != nil {
			t.Fatalf("cut at %d: %v", cut, err)
		}
		whole := bytes.Count(text[:cut], []byte("\n")) - 1
		if len(s.Records()) != whole {
			t.Fatalf("cut at %d: %d records, want %d", cut, len(s.Records()), whole)
		}
		if cut%20 != 0 { // to append is slow: it waits for the disk
			s.Close()
			continue
		}
		err = errors.Join(s.append(record(9)), s.Close())
		if err != nil {
			t.Fatal(err)
		}
		if s, err = OpenSession(dir); err != nil || len(s.Records()) != whole+1 || s.Records()[whole].Trial != 9 {
			t.Fatalf("cut at %d, appended: %v", cut, err)
		}
		s.Close()
	}
}

// TestDamagedJournal flips every byte: the line is named, nothing is guessed.
func TestDamagedJournal(t *testing.T) {
	dir, text := writeJournal(t, 2)
	path := filepath.Join(dir, journalFile)
	for at := range len(text) - 1 { // without the last newline, a cut
		damaged := slices.Clone(text)
		damaged[at] ^= 1
		if err := os.WriteFile(path, damaged, 0o666); err != nil {
			t.Fatal(err)
		}
		s, err := OpenSession(dir)
		if err == nil {
			s.Close()
			t.Fatalf("byte %d: %q is taken for sound", at, damaged[max(0, at-10):min(len(damaged), at+10)])
		}
		line := bytes.Count(text[:at], []byte("\n")) + 1
		if errors.Is(err, errVersion) && line == 1 {
			continue // the version is looked at before the checksum
		}
		if want := fmt.Sprintf("%s:%d: ", journalFile, line); !strings.Contains(err.Error(), want) {
			t.Fatalf("byte %d: %v, want %s", at, err, want)
		}
	}
}

func TestOtherVersion(t *testing.T) {
	dir, text := writeJournal(t, 1)
	text = bytes.Replace(text, []byte(`"format":2`), []byte(`"format":3,"new":[]`), 1)
	if err := os.WriteFile(filepath.Join(dir, journalFile), text, 0o666); err != nil {
		t.Fatal(err)
	}
	_, err := OpenSession(dir)
	if !errors.Is(err, errVersion) || !strings.Contains(err.Error(), "session format 3, this gitdd reads 2: written by another version of gitdd (v1.2.3)") {
		t.Error(err)
	}
}

func TestSessionLock(t *testing.T) {
	root := t.TempDir()
	s, err := CreateSession(root, header())
	if err != nil {
		t.Fatal(err)
	}
	_, err = OpenSession(s.Dir())
	if want := fmt.Sprintf("is in use by process %d on ", os.Getpid()); !errors.Is(err, errRunning) || !strings.Contains(err.Error(), want) {
		t.Errorf("got %v, want %s", err, want)
	}
	if sums, err := Sessions(root); err != nil || len(sums) != 1 || sums[0].State != StateRunning {
		t.Errorf("%+v, %v", sums, err)
	}
	if r, err := ReadSession(s.Dir()); err != nil || r.Header().Version != "v1.2.3" {
		t.Errorf("read while it runs: %v", err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if s, err = OpenSession(s.Dir()); err != nil {
		t.Fatal(err)
	}
	s.Close()
}

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

func TestUnwritableCache(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	_, err := CreateSession(filepath.Join(file, "repo"), header())
	if err == nil || !strings.Contains(err.Error(), file) || !strings.Contains(err.Error(), "set GITDD_CACHE_DIR to a directory that can be written") {
		t.Error(err)
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

func TestSessionFiles(t *testing.T) {
	s, err := CreateSession(t.TempDir(), header())
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	before := snapshot(t, filepath.Dir(s.Dir()))
	for _, name := range []string{"", ".", "..", "../x", "a/b", "/x", "trials", "journal.jsonl", "lock"} {
		if err := s.WriteFile(name, []byte("x")); err == nil {
			t.Errorf("wrote %q", name)
		}
		if text, err := s.ReadFile(name); err == nil || errors.Is(err, fs.ErrNotExist) {
			t.Errorf("read %q: %q, %v", name, text, err)
		}
	}
	if diff := cmp.Diff(before, snapshot(t, filepath.Dir(s.Dir()))); diff != "" {
		t.Errorf("a refused name changed files: %s", diff)
	}
	if _, err := s.ReadFile("cause.patch"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("before it is written: %v", err)
	}
	for _, content := range []string{"first, and longer", "second"} {
		if err := s.WriteFile("cause.patch", []byte(content)); err != nil {
			t.Fatal(err)
		}
		if got, err := s.ReadFile("cause.patch"); string(got) != content || err != nil {
			t.Errorf("%q, %v", got, err)
		}
	}
	if left, _ := filepath.Glob(filepath.Join(s.Dir(), "cause.patch?*")); len(left) != 0 {
		t.Errorf("left behind: %v", left)
	}
}

// What a kill leaves beside an answer goes when the session is opened again, or
// is removed; nothing else goes, whatever the list says.
func TestBeside(t *testing.T) {
	s, err := CreateSession(t.TempDir(), header())
	if err != nil {
		t.Fatal(err)
	}
	out := t.TempDir()
	left := func() []os.DirEntry {
		entries, err := os.ReadDir(out)
		if err != nil {
			t.Fatal(err)
		}
		return entries
	}
	for _, remove := range []func() error{
		func() error {
			err := s.Close()
			if err == nil {
				s, err = OpenSession(s.Dir())
			}
			return err
		},
		func() error { return s.Discard() },
	} {
		mine := filepath.Join(out, "result.json")
		if err := os.WriteFile(mine, nil, 0o666); err != nil {
			t.Fatal(err)
		}
		f, err := s.Beside(mine)
		if err != nil {
			t.Fatal(err)
		}
		f.Close()
		for _, name := range []string{mine, "no line", ""} {
			if err := s.noteUnfinished(name); err != nil {
				t.Fatal(err)
			}
		}
		if now := left(); len(now) != 2 {
			t.Errorf("there is %v", now)
		}
		if err := remove(); err != nil {
			t.Fatal(err)
		}
		if now := left(); len(now) != 1 || now[0].Name() != "result.json" {
			t.Errorf("left: %v", now)
		}
	}
}

func TestDiscard(t *testing.T) {
	h := newHistory(t)
	h.commit("good", "a", "0\n")
	h.commit("bad", "a", "1\n")
	root := t.TempDir()
	s := h.session(root)
	b := h.benchIn(s, script("mkdir -p ro/x; chmod 500 ro"))
	b.verdict(b.config())
	if err := b.Runner.Close(); err != nil {
		t.Fatal(err)
	}
	b.sess = nil
	for range 2 {
		if err := s.Discard(); err != nil {
			t.Fatal(err)
		}
	}
	if left, err := os.ReadDir(root); err != nil || len(left) != 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
	if err := s.append(record(1)); !errors.Is(err, fs.ErrClosed) {
		t.Errorf("append afterwards: %v", err)
	}

	// What was closed may be another process's by now.
	closed := h.session(root)
	if err := errors.Join(closed.Close(), closed.Discard()); err != nil {
		t.Fatal(err)
	}
	read, err := ReadSession(closed.Dir())
	if err == nil {
		err = read.Discard()
	}
	if _, err2 := os.Stat(closed.Dir()); err != nil || err2 != nil {
		t.Errorf("a closed session was discarded: %v, %v", err, err2)
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
		w.keeper.close()
		left := filepath.Join(filepath.Dir(w.space.dir), "left")
		if err := os.Rename(w.space.dir, left); err != nil {
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
		would, err := Clean(t.Context(), b.repo, root, Cleaning{Workspaces: !all, DryRun: true})
		if err != nil {
			t.Fatal(err)
		}
		cleaned, err := Clean(t.Context(), b.repo, root, how)
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
	cleaned, err := Clean(t.Context(), b.repo, root, Cleaning{})
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

// TestResume: a resumed session repeats no trial, and knows what the ends taught.
func TestResume(t *testing.T) {
	h := newHistory(t)
	h.commit("good", "a", "0\n", "b", "0\n", "c", "0\n")
	h.commit("bad", "a", "1\n", "b", "1\n", "c", "1\n")
	log := filepath.Join(t.TempDir(), "log")
	set := func(o *Options) {
		script("cat a b c | tr -d '\\n' >> "+log, "test $(cat b) = 0 || kill -SEGV $$")(o)
		o.Overlay = []string{"untracked"}
	}
	h.files("untracked", "1")
	s := h.session(t.TempDir())
	b := h.benchIn(s, set)
	ends := b.ends()
	v := b.verdict(b.config("b"))
	conf, err := b.Confirm(t.Context(), b.set, b.config("b"), isolate.Fail)
	if err != nil || conf.Outcome != isolate.Fail || v.Outcome != isolate.Fail {
		t.Fatal(v, conf, err)
	}
	stats := b.Stats()
	b.close()
	did := read(t, log)

	h.files("untracked", "changed meanwhile")
	if s, err = OpenSession(s.Dir()); err != nil {
		t.Fatal(err)
	}
	b = h.benchIn(s, set)
	again := b.ends()
	for _, v := range []*Verdict{&ends.Good, &ends.Bad, &v, &conf} {
		v.Cached = true
	}
	if diff := cmp.Diff(ends, again, cmp.AllowUnexported(Verdict{})); diff != "" {
		t.Errorf("ends: %s", diff)
	}
	if diff := cmp.Diff(v, b.verdict(b.config("b")), cmp.AllowUnexported(Verdict{})); diff != "" {
		t.Error(diff)
	}
	reconf, err := b.Confirm(t.Context(), b.set, b.config("b"), isolate.Fail)
	if diff := cmp.Diff(conf, reconf, cmp.AllowUnexported(Verdict{})); diff != "" || err != nil {
		t.Error(diff, err)
	}
	if now := read(t, log); now != did {
		t.Errorf("resumed session ran trials: %q, before %q", now, did)
	}
	more := b.Stats()
	if stats.Total, more.Total = 0, 0; more != stats {
		t.Errorf("stats: %+v, before %+v", more, stats)
	}
	// What is new is run, with the next number, and by the old limits.
	if v := b.verdict(b.config("a", "b")); v.Trial != 5 || v.Outcome != isolate.Fail || v.Cached {
		t.Errorf("%+v", v)
	}
	if v, err := b.Confirm(t.Context(), b.set, b.config("b"), isolate.Fail); err != nil || v.Trial != 6 || v.Cached {
		t.Errorf("a second Confirm: %+v, %v", v, err)
	}
	for i, rec := range s.Records() {
		if want := 1 + i/4; rec.Process != want || rec.Elapsed <= 0 {
			t.Errorf("trial %d: process %d after %v s, want process %d", rec.Trial, rec.Process, rec.Elapsed, want)
		}
	}
}

// TestTotal: the time of all processes, of which an older gitdd wrote nothing.
func TestTotal(t *testing.T) {
	h := newHistory(t)
	h.commit("good", "a", "0\n")
	h.commit("bad", "a", "1\n")
	for _, test := range []struct {
		processes []int
		elapsed   []float64
		want      time.Duration
	}{
		{nil, nil, 0},
		{[]int{0, 0}, []float64{0, 0}, 0}, // a journal without the fields
		{[]int{1, 1, 1}, []float64{1, 5.5, 5}, 5500 * time.Millisecond},
		{[]int{1, 1, 2, 3, 3}, []float64{1, 5, 100, 7, 9}, 114 * time.Second},
		{[]int{0, 1, 2}, []float64{0, 2, 3}, 5 * time.Second},
	} {
		s := h.session(t.TempDir())
		for i := range test.processes {
			rec := record(i + 1)
			rec.Process, rec.Elapsed = test.processes[i], test.elapsed[i]
			if err := s.append(rec); err != nil {
				t.Fatal(err)
			}
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		s, err := OpenSession(s.Dir())
		if err != nil {
			t.Fatal(err)
		}
		before := time.Now()
		b := h.benchIn(s, func(*Options) {})
		total := b.Stats().Total
		if own := total - test.want; own < 0 || own > time.Since(before) {
			t.Errorf("%v, %v: %v, want %v and the little since New", test.processes, test.elapsed, total, test.want)
		}
		if later := b.Stats().Total; later < total {
			t.Errorf("total falls from %v to %v", total, later)
		}
		b.close()
	}
}

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

// hold is a gitdd that has a workspace in a session.
func hold(repoDir, sessionDir string) error {
	ctx := context.Background()
	repo, err := git.Open(ctx, repoDir)
	if err != nil {
		return err
	}
	set, err := changes.Between(ctx, repo, "good", "bad", changes.Options{})
	if err != nil {
		return err
	}
	s, err := OpenSession(sessionDir)
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
	worktrees := func() int {
		entries, err := os.ReadDir(filepath.Join(h.dir, ".git", "worktrees"))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			t.Fatal(err)
		}
		return len(entries)
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
	if n := worktrees(); n != 2 {
		t.Fatalf("%d worktrees, want that of the running gitdd and that of the killed one", n)
	}

	next := h.benchIn(h.session(root), script("exit $(cat a)"))
	if n := worktrees(); n != 1 {
		t.Errorf("%d worktrees after the next New, want that of the running gitdd", n)
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
	if n := worktrees(); n != 0 {
		t.Errorf("%d worktrees at the end", n)
	}
}

const killedFiles = 4 // each is one change

// searcher is a gitdd to be killed: it tests both ends and all subsets in a
// session, two at a time, confirms one, and then makes the file done.
func searcher(repoDir, sessionDir, done string) (err error) {
	ctx := context.Background()
	repo, err := git.Open(ctx, repoDir)
	if err != nil {
		return err
	}
	defer repo.Close()
	set, err := changes.Between(ctx, repo, "good", "bad", changes.Options{})
	if err != nil {
		return err
	}
	s, err := OpenSession(sessionDir)
	if err != nil {
		return err
	}
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

// TestKilled kills a search at random instants and resumes it until it is
// done: every outcome is right, no finished trial was repeated, and the user's
// repository is what it was.
func TestKilled(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 0))

	h := newHistory(t)
	good, bad := []string{}, []string{}
	for i := range killedFiles {
		good = append(good, strconv.Itoa(i), "0\n")
		bad = append(bad, strconv.Itoa(i), "1\n")
	}
	h.commit("good", good...)
	h.commit("bad", bad...)
	h.files("dirty", "not committed")
	before := snapshot(t, h.dir)
	s := h.session(t.TempDir())
	dir := s.Dir()
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	done := filepath.Join(t.TempDir(), "done")

	kills, wait := 0, 30
	for {
		cmd := exec.Command(os.Args[0], "searcher", h.dir, dir, done)
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
			break
		}
		kills++
		if _, err := readJournal(filepath.Join(dir, journalFile)); err != nil {
			t.Fatalf("after %d kills: %v", kills, err)
		}
		wait += 5 // so that it ends on a slow machine too
	}

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
	if diff := cmp.Diff(before, snapshot(t, h.dir)); diff != "" {
		t.Errorf("the user's repository: %s", diff)
	}
	if left, _ := filepath.Glob(filepath.Join(dir, workDir, "*")); len(left) != 0 {
		t.Errorf("left behind: %v", left)
	}
}

// snapshot returns mode and content of everything below dir, by path.
func snapshot(t testing.TB, dir string) map[string]string {
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

// TestTwoAtOnce: two sessions on one repository at the same time, and the
// user's checkout in the middle of something.
func TestTwoAtOnce(t *testing.T) {
	h := newHistory(t)
	h.commit("good", "a", "0\n", "b", "0\n")
	h.commit("bad", "a", "1\n", "b", "1\n")
	h.files("a", "edited", "staged", "x")
	h.run("add", "staged")
	before := snapshot(t, h.dir)
	root := t.TempDir()
	var wg sync.WaitGroup
	for range 2 {
		b := h.benchIn(h.session(root), func(o *Options) {
			script("git status >/dev/null", "sleep 0.1", "exit $(cat a)")(o)
			o.Jobs = 2
		})
		wg.Go(func() {
			defer b.close()
			b.ends()
			var both sync.WaitGroup
			for _, c := range []isolate.Configuration{b.config("a"), b.config("b")} {
				both.Go(func() { b.verdict(c) })
			}
			both.Wait()
			if s := b.Stats(); s.Run != 4 || s.Fail != 2 {
				t.Errorf("%+v", s)
			}
		})
	}
	wg.Wait()
	if diff := cmp.Diff(before, snapshot(t, h.dir)); diff != "" {
		t.Errorf("the user's repository: %s", diff)
	}
}

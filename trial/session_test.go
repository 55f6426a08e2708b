package trial

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

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
	text = bytes.Replace(text, []byte(`"format":3`), []byte(`"format":4,"new":[]`), 1)
	if err := os.WriteFile(filepath.Join(dir, journalFile), text, 0o666); err != nil {
		t.Fatal(err)
	}
	_, err := OpenSession(dir)
	if !errors.Is(err, errVersion) || !strings.Contains(err.Error(), "session format 4, this gitdd reads 3: written by another version of gitdd (v1.2.3)") {
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
	if err := os.WriteFile(filepath.Join(s.Dir(), lockFile), []byte(heldBy(os.Getpid(), "elsewhere.example")), 0o666); err != nil {
		t.Fatal(err)
	}
	if err := Stop(s.Dir()); err == nil || !strings.Contains(err.Error(), "stop it there") {
		t.Errorf("to stop a process of another machine: %v", err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if err := Stop(s.Dir()); err == nil || !strings.Contains(err.Error(), "no gitdd runs in session") {
		t.Errorf("to stop what does not run: %v", err)
	}
	if s, err = OpenSession(s.Dir()); err != nil {
		t.Fatal(err)
	}
	s.Close()
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

func TestSessionFiles(t *testing.T) {
	s, err := CreateSession(t.TempDir(), header())
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	before := filesIn(t, filepath.Dir(s.Dir()))
	for _, name := range []string{"", ".", "..", "../x", "a/b", "/x", "trials", "journal.jsonl", "lock"} {
		if err := s.WriteFile(name, []byte("x")); err == nil {
			t.Errorf("wrote %q", name)
		}
		if text, err := s.ReadFile(name); err == nil || errors.Is(err, fs.ErrNotExist) {
			t.Errorf("read %q: %q, %v", name, text, err)
		}
	}
	if diff := cmp.Diff(before, filesIn(t, filepath.Dir(s.Dir()))); diff != "" {
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

// A temporary file of another process that only reads the session stays until that process ends.
func TestBesideOfReader(t *testing.T) {
	s, err := CreateSession(t.TempDir(), header())
	if err != nil {
		t.Fatal(err)
	}
	dir := s.Dir()
	name := filepath.Join(t.TempDir(), "result.json")
	left := func() []string {
		list, err := filepath.Glob(filepath.Join(filepath.Dir(name), ".*"))
		if err != nil {
			t.Fatal(err)
		}
		return list
	}
	reader, err := ReadSession(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, of := range []*Session{s, reader} {
		f, err := of.Beside(name)
		if err != nil {
			t.Fatal(err)
		}
		f.Close()
	}
	if err := s.Close(); err != nil { // as by a kill
		t.Fatal(err)
	}
	if s, err = OpenSession(dir); err != nil {
		t.Fatal(err)
	}
	if now := left(); len(now) != 1 {
		t.Errorf("while another process writes %s there is %v", name, now)
	}
	if err := reader.unfinished.Close(); err != nil { // the reader ends
		t.Fatal(err)
	}
	again, err := ReadSession(dir)
	if err != nil {
		t.Fatal(err)
	}
	f, err := again.Beside(name)
	if err != nil {
		t.Fatal(err)
	}
	f.Close()
	if now := left(); len(now) != 1 || now[0] != f.Name() {
		t.Errorf("there is %v, not only %s", now, f.Name())
	}
	if lists, err := filepath.Glob(filepath.Join(dir, unfinishedFile+"*")); err != nil || len(lists) != 1 {
		t.Errorf("lists: %v, %v", lists, err)
	}
	if err := errors.Join(again.unfinished.Close(), s.Discard()); err != nil {
		t.Fatal(err)
	}
	if now := left(); len(now) != 0 {
		t.Errorf("a discarded session left %v", now)
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

// TestTwoAtOnce: two sessions on one repository at the same time, and the
// user's checkout in the middle of something.
func TestTwoAtOnce(t *testing.T) {
	h := newHistory(t)
	h.commit("good", "a", "0\n", "b", "0\n")
	h.commit("bad", "a", "1\n", "b", "1\n")
	h.files("a", "edited", "staged", "x")
	h.run("add", "staged")
	before := filesIn(t, h.dir)
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
	if diff := cmp.Diff(before, filesIn(t, h.dir)); diff != "" {
		t.Errorf("the user's repository: %s", diff)
	}
}

func TestChoose(t *testing.T) {
	all := []Summary{{Name: "20260101-1200-aa"}, {Name: "20260101-1300-ab"}, {Name: "20260202-0900-ba"}}
	for name, want := range map[string]string{
		"": "20260202-0900-ba", "20260101-1200-aa": "20260101-1200-aa", "202602": "20260202-0900-ba", "ab": "20260101-1300-ab",
		"20260101": "name it longer", "a": "name it longer", "1300": "no session \"1300\"",
	} {
		names := []string{name}
		if name == "" {
			names = nil
		}
		if got, err := Choose(all, names); got.Name != want && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%q: %s, %v, want %s", name, got.Name, err, want)
		}
	}
}

// TestAmended: a record that is written again takes the place of the first one, in the session
// that writes it and in every one that reads the journal.
func TestAmended(t *testing.T) {
	root := t.TempDir()
	s, err := CreateSession(root, header())
	if err != nil {
		t.Fatal(err)
	}
	want := []Record{{Trial: 1, Outcome: Outcome(isolate.Pass)}, {Trial: 2, Outcome: Outcome(isolate.Fail)}, {Trial: 3, Outcome: Outcome(isolate.Fail)}}
	for _, r := range want {
		if err := s.append(r); err != nil {
			t.Fatal(err)
		}
	}
	want[1].Outcome, want[1].Other, want[1].Reason = Outcome(isolate.Unresolved), true, "another failure"
	if err := s.amend(want[1]); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, s.Records()); diff != "" {
		t.Error(diff)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	again, err := ReadSession(s.Dir())
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, again.Records()); diff != "" {
		t.Error(diff)
	}
	if stats := newMemo(again.Records(), nil).stats; stats.Fail != 1 || stats.Unresolved != 1 || stats.Run != 3 {
		t.Errorf("%+v", stats)
	}
}

// A resumed session knows the failing end's signature from its journal.
func TestSignatureResumed(t *testing.T) {
	h := newHistory(t)
	h.commit("good", "a", "0\n", "b", "0\n")
	h.commit("bad", "a", "1\n", "b", "1\n")
	options := func(o *Options) {
		script("case $(cat a)$(cat b) in 00) exit 0 ;; 11) echo FAIL: one; exit 1 ;; *) echo FAIL: two; exit 1 ;; esac")(o)
		sameOutput("FAIL: (.*)")(o)
	}
	root := t.TempDir()
	b := h.benchIn(h.session(root), options)
	dir := b.sess.Dir()
	b.ends()
	b.close()

	s, err := OpenSession(dir)
	if err != nil {
		t.Fatal(err)
	}
	b = h.benchIn(s, options)
	if e := b.ends(); !e.Good.Cached || !e.Bad.Cached || e.Bad.Signature != "one" {
		t.Errorf("the ends: %+v", e)
	}
	v := b.verdict(b.config("a"))
	if v.Trial != 3 || v.Outcome != isolate.Unresolved || !v.Other || v.Signature != "two" {
		t.Errorf("in between: %+v", v)
	}
	b.close()

	// Other settings are other trials.
	if s, err = OpenSession(dir); err != nil {
		t.Fatal(err)
	}
	b = h.benchIn(s, func(o *Options) { options(o); sameOutput("FAIL")(o) })
	b.ends()
	if v := b.verdict(b.config("a")); v.Trial != 6 || v.Outcome != isolate.Fail {
		t.Errorf("with another signature: %+v", v)
	}
}

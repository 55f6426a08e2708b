package trial

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gitdd/gitdd/internal/jsonlog"
	"github.com/gitdd/gitdd/isolate"
)

func sampleInference() inference {
	return inference{Tree: "t9", Key: "k", Requires: [][2]string{{"aa", "bb"}, {"cc", "aa"}}}
}

// A journal with inferences among its trials is cut and damaged at every byte.
func TestInferencesInJournal(t *testing.T) {
	s, err := CreateSession(t.TempDir(), header())
	if err != nil {
		t.Fatal(err)
	}
	for n := range 2 {
		if err := s.append(record(n + 1)); err != nil {
			t.Fatal(err)
		}
		if err := s.appendInference(sampleInference()); err != nil {
			t.Fatal(err)
		}
	}
	s.Close()
	path := filepath.Join(s.Dir(), journalFile)
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	starts := []int{0}
	for i, c := range text {
		if c == '\n' {
			starts = append(starts, i+1)
		}
	}
	for cut := starts[1]; cut <= len(text); cut++ {
		if err := os.WriteFile(path, text[:cut], 0o666); err != nil {
			t.Fatal(err)
		}
		r, err := ReadSession(s.Dir())
		if err != nil {
			t.Fatalf("cut at %d: %v", cut, err)
		}
		lines := bytes.Count(text[:cut], []byte("\n")) - 1
		if len(r.Records()) != (lines+1)/2 || len(r.inferencesRead()) != lines/2 {
			t.Fatalf("cut at %d: %d records and %d inferences of %d lines", cut, len(r.Records()), len(r.inferencesRead()), lines)
		}
	}
	r, err := ReadSession(s.Dir())
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]inference{sampleInference(), sampleInference()}, r.inferencesRead()); diff != "" {
		t.Error(diff)
	}
	for at := starts[2]; at < len(text)-1; at++ {
		damaged := slices.Clone(text)
		damaged[at] ^= 1
		if err := os.WriteFile(path, damaged, 0o666); err != nil {
			t.Fatal(err)
		}
		if _, err := ReadSession(s.Dir()); err == nil {
			t.Fatalf("byte %d: %q is taken for sound", at, damaged[max(0, at-10):min(len(damaged), at+10)])
		}
	}
}

// A session of the format before is read, and gets no inference.
func TestFormerFormat(t *testing.T) {
	dir, _ := writeJournal(t, 2)
	path := filepath.Join(dir, journalFile)
	old := header()
	old.Format = withoutInferences
	first, err := jsonlog.Encode(headerLine, old)
	if err != nil {
		t.Fatal(err)
	}
	for n := range 2 {
		row, err := jsonlog.Encode(recordLine, record(n+1))
		if err != nil {
			t.Fatal(err)
		}
		first = append(first, row...)
	}
	if err := os.WriteFile(path, first, 0o666); err != nil {
		t.Fatal(err)
	}
	s, err := OpenSession(dir)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.appendInference(sampleInference()); err != nil || len(s.inferencesRead()) != 1 {
		t.Errorf("%v, %v", s.inferencesRead(), err)
	}
	s.Close()
	if now, err := os.ReadFile(path); err != nil || !bytes.Equal(now, first) {
		t.Errorf("the journal of the old format became %s, %v", now, err)
	}
	with, err := jsonlog.Encode(inferenceLine, sampleInference())
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, append(first, with...), 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := ReadSession(dir); err == nil || !strings.Contains(err.Error(), journalFile+":4: not a record") {
		t.Errorf("an inference in the old format: %v", err)
	}
}

// What an unresolved trial printed is read once, and what it taught is the same
// in the process that resumes the session, whatever that would read.
func TestLearned(t *testing.T) {
	h := newHistory(t)
	h.commit("good", "a", "0\n", "b", "0\n", "c", "0\n")
	h.commit("bad", "a", "1\n", "b", "1\n", "c", "1\n")
	session := h.session(t.TempDir())
	options := func(o *Options) {
		o.Build = "grep -q 1 a && ! grep -q 1 b && { echo a needs b; echo b is old >&2; exit 1; }; echo built"
		o.Command = []string{"sh", "-c", "echo tested; grep -q 0 c"}
	}
	b := h.benchIn(session, options)
	test := b.Test(b.set)
	broken, passing := isolate.Of(3, 0), isolate.Of(3, 1)
	if out, ok := b.Output(b.set, broken); ok {
		t.Errorf("output %q of a trial that was not run", out)
	}
	if out, ok := b.AllOutput(b.set, passing); ok {
		t.Errorf("output %q of a build that was not run", out)
	}
	calls := 0
	read := func(output []byte) [][2]int {
		calls++
		if want := "a needs b\nb is old\n"; string(output) != want {
			t.Errorf("the output is %q, want %q", output, want)
		}
		return [][2]int{{0, 1}, {2, 2}, {0, 9}, {-1, 0}} // the last three are nothing
	}
	if got := b.Learned(b.set, broken, read); got != nil || calls != 0 {
		t.Errorf("learned %v before the trial", got)
	}
	for c, want := range map[*isolate.Configuration]isolate.Outcome{&broken: isolate.Unresolved, &passing: isolate.Pass} {
		if got, err := test(t.Context(), *c); err != nil || got != want {
			t.Fatalf("%v: %v, %v", c, got, err)
		}
	}
	if out, ok := b.Output(b.set, passing); !ok || string(out) != "tested\n" {
		t.Errorf("output %q, %v", out, ok)
	}
	for c, want := range map[*isolate.Configuration]string{&broken: "a needs b\nb is old\n", &passing: "built\ntested\n"} {
		if out, ok := b.AllOutput(b.set, *c); !ok || string(out) != want {
			t.Errorf("output %q of the build and of the command, want %q", out, want)
		}
	}
	if got := b.Learned(b.set, passing, read); got != nil || calls != 0 {
		t.Errorf("learned %v from a test that passed", got)
	}
	want := [][2]int{{0, 1}}
	for range 2 {
		if got := b.Learned(b.set, broken, read); !cmp.Equal(got, want) || calls != 1 {
			t.Errorf("learned %v in %d readings, want %v", got, calls, want)
		}
	}
	b.close()
	session.Close()

	session, err := OpenSession(session.Dir())
	if err != nil {
		t.Fatal(err)
	}
	again := h.benchIn(session, options)
	defer again.close()
	if out, ok := again.Output(again.set, broken); !ok || string(out) != "a needs b\nb is old\n" {
		t.Errorf("after resuming: output %q, %v", out, ok)
	}
	if err := os.RemoveAll(filepath.Join(session.Dir(), trialsDir)); err != nil {
		t.Fatal(err)
	}
	other := func([]byte) [][2]int { t.Error("the output is read again"); return nil }
	if got := again.Learned(again.set, broken, other); !cmp.Equal(got, want) {
		t.Errorf("after resuming: learned %v, want %v", got, want)
	}
	if out, ok := again.Output(again.set, broken); ok {
		t.Errorf("output %q that is gone", out)
	}
	// With other settings, that trial says nothing.
	again.Distrust()
	if got := again.Learned(again.set, broken, other); got != nil {
		t.Errorf("learned %v from a distrusted trial", got)
	}
}

// A failure that counts as unresolved since Expect, because it prints something else than the failing end, teaches as
// others do.
func TestLearnedUnexpected(t *testing.T) {
	h := newHistory(t)
	h.commit("good", "a", "0\n", "b", "0\n")
	h.commit("bad", "a", "1\n", "b", "1\n")
	b := h.bench(func(o *Options) {
		o.Command = []string{"sh", "-c", "grep -q 0 a && exit; grep -q 0 b && { echo error: wrong value two; exit 1; }; echo error: wrong value one; exit 1"}
	})
	defer b.close()
	if _, err := b.Ends(t.Context(), b.set); err != nil {
		t.Fatal(err)
	}
	c, want := isolate.Of(2, 0), [][2]int{{0, 1}}
	read := func([]byte) [][2]int { return want }
	test := func(outcome isolate.Outcome) {
		t.Helper()
		if got, err := b.Test(b.set)(t.Context(), c); err != nil || got != outcome {
			t.Fatalf("%v, %v, want %v", got, err, outcome)
		}
	}
	test(isolate.Fail)
	if got := b.Learned(b.set, c, read); got != nil {
		t.Errorf("learned %v from a failure that counts", got)
	}
	if ok, err := b.Expect(t.Context(), "error: wrong value one"); !ok || err != nil {
		t.Fatalf("%v, %v", ok, err)
	}
	test(isolate.Unresolved)
	if got := b.Learned(b.set, c, read); !cmp.Equal(got, want) {
		t.Errorf("learned %v, want %v", got, want)
	}
	b.ExpectNothing()
	if got := b.Learned(b.set, c, read); got != nil {
		t.Errorf("learned %v from a failure that counts again", got)
	}
}

// Of long outputs both ends of both streams are there.
func TestOutputIsBounded(t *testing.T) {
	h := newHistory(t)
	h.commit("good", "a", "0\n")
	h.commit("bad", "a", "1\n")
	b := h.bench(func(o *Options) {
		o.Command = []string{"sh", "-c", "for s in 1 2; do (echo first $s; head -c 300000 /dev/zero | tr '\\0' x; echo; printf 'last %s' $s) >&$s; done; exit 125"}
	})
	defer b.close()
	all := isolate.Full(1)
	if got, err := b.Test(b.set)(t.Context(), all); err != nil || got != isolate.Unresolved {
		t.Fatal(got, err)
	}
	out, ok := b.Output(b.set, all)
	if most := 4*outputBytes + 3; !ok || len(out) != most {
		t.Errorf("%d bytes, %v; want %d", len(out), ok, most)
	}
	at := 0
	for _, want := range []string{"first 1\n", "\nlast 1\nfirst 2\n", "\nlast 2"} {
		i := bytes.Index(out[at:], []byte(want))
		if i < 0 {
			t.Errorf("no %q behind byte %d", want, at)
		}
		at += i
	}
}

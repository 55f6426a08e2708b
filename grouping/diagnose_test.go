package grouping_test

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/gitdd/gitdd/changes"
	"github.com/gitdd/gitdd/grouping"
)

// A scene is a difference with outputs of configurations of it.
type scene struct {
	file    string
	archive *txtar.Archive
	good    edit
	set     *changes.Set
	plan    *grouping.Plan
	names   []string // of the cases, in order
	cases   map[string]map[string]string
}

func readScene(t testing.TB, file string) *scene {
	t.Helper()
	archive, err := txtar.ParseFile(file)
	if err != nil {
		t.Fatal(err)
	}
	s := &scene{file: file, archive: archive, good: edit{"good", map[string]string{}}, cases: map[string]map[string]string{}}
	bad := edit{"bad", map[string]string{}}
	for _, f := range archive.Files {
		top, rest, _ := strings.Cut(f.Name, "/")
		switch top {
		case "good":
			s.good.files[rest] = string(f.Data)
		case "bad":
			bad.files[rest] = string(f.Data)
		default:
			if s.cases[top] == nil {
				s.cases[top] = map[string]string{}
				s.names = append(s.names, top)
			}
			s.cases[top][rest] = string(f.Data)
		}
	}
	s.set = between(t, repository(t, s.good, bad), "r0", "r1")
	s.plan = plan(t, s.set)
	return s
}

// put sets a file of the archive.
func (s *scene) put(name, text string) {
	for i := range s.archive.Files {
		if s.archive.Files[i].Name == name {
			s.archive.Files[i].Data = []byte(text)
		}
	}
}

// rank returns where a pair stands among the explanations of the message that has it
// foremost, from 1, and that message; 0 = no message has it.
func rank(messages []grouping.Message, pair grouping.Requirement) (best int, in grouping.Message) {
	for _, m := range messages {
		at := slices.IndexFunc(m.Explanations, func(e grouping.Explanation) bool { return e.Requirement == pair })
		if at >= 0 && (best == 0 || at+1 < best) {
			best, in = at+1, m
		}
	}
	return best, in
}

// checkMessages holds what all messages promise.
func checkMessages(t testing.TB, n int, applied []int, messages []grouping.Message) {
	t.Helper()
	if len(messages) > grouping.MaxMessages {
		t.Errorf("%d messages", len(messages))
	}
	keys := map[uint64]bool{}
	for _, m := range messages {
		if keys[m.Key] {
			t.Errorf("two messages have the key of %q", m.Text)
		}
		keys[m.Key] = true
		if len(m.Explanations) == 0 || len(m.Explanations) > grouping.MaxExplanations {
			t.Errorf("%q has %d explanations", m.Text, len(m.Explanations))
		}
		pairs := map[grouping.Requirement]bool{}
		last := 0.0
		for k, e := range m.Explanations {
			if !slices.Contains(applied, e.Change) || slices.Contains(applied, e.Requires) || e.Requires < 0 || e.Requires >= n {
				t.Fatalf("%q: %v is no pair of a change that is applied and one that is not", m.Text, e)
			}
			if !(e.Weight > 0 && e.Weight < 1e9) || k > 0 && e.Weight > last || pairs[e.Requirement] {
				t.Fatalf("%q: explanation %d, %v, is not positive, not in order or there twice", m.Text, k, e)
			}
			pairs[e.Requirement], last = true, e.Weight
		}
	}
}

// Each testdata/diagnose/*.txtar holds a difference and cases in the form of
// testdata/learn. In NAME/want are the true reasons: a change that is applied, one that is
// not and, behind "within", how many explanations of the message are at least as likely; 0 = it is none.
// With -record, the commands are run again.
func TestDiagnosis(t *testing.T) {
	files, err := filepath.Glob("testdata/diagnose/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no testdata: %v", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			s := readScene(t, file)
			for _, name := range s.names {
				t.Run(name, func(t *testing.T) { s.diagnosed(t, name) })
			}
			if *record {
				if err := os.WriteFile(file, txtar.Format(s.archive), 0o666); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
}

func (s *scene) diagnosed(t *testing.T, name string) {
	c := s.cases[name]
	applied := changesNamed(t, s.set, c["applied"])
	if *record && c["run"] != "" {
		c["log"] = strings.ReplaceAll(run(t, s.set, s.good.files, applied, c["run"]), place, "/home/me/p")
		c["log"] = scratch.ReplaceAllString(c["log"], "0x1d")
		s.put(name+"/log", c["log"])
	}
	d := s.plan.Diagnosis()
	messages := d.Read(slices.Values(applied), []byte(c["log"]))
	checkMessages(t, s.set.Len(), applied, messages)
	if again := s.plan.Diagnosis().Read(slices.Values(applied), []byte(c["log"])); !reflect.DeepEqual(messages, again) {
		t.Error("not the same twice")
	}
	if again := d.Read(slices.Values(applied), []byte(c["log"])); !reflect.DeepEqual(messages, again) {
		t.Error("not the same twice by one reader")
	}
	for line := range strings.Lines(c["want"]) {
		pair, within, _ := strings.Cut(strings.TrimSpace(line), " within ")
		from, to, _ := strings.Cut(pair, " -> ")
		most, err := strconv.Atoi(within)
		if err != nil {
			t.Fatal(err)
		}
		want := grouping.Requirement{Change: changesNamed(t, s.set, from)[0], Requires: changesNamed(t, s.set, to)[0]}
		if got, _ := rank(messages, want); got == 0 && most > 0 || got > most {
			t.Errorf("%s is number %d, want at most %d, of\n%sin\n%s", pair, got, most, s.told(messages), c["log"])
		}
	}
	if strings.TrimSpace(c["want"]) == "" && len(messages) > 0 {
		t.Errorf("messages\n%sin\n%s", s.told(messages), c["log"])
	}
}

// told lists messages with their likeliest explanations.
func (s *scene) told(messages []grouping.Message) string {
	var b strings.Builder
	for _, m := range messages {
		fmt.Fprintln(&b, m.Text)
		for _, e := range m.Explanations[:min(len(m.Explanations), 6)] {
			fmt.Fprintf(&b, "  %v -> %v  %.3g\n", &s.set.Changes[e.Change], &s.set.Changes[e.Requires], e.Weight)
		}
	}
	return b.String()
}

// Nearly all that Learn reads in an output, Diagnosis finds without knowing the tool, and
// most of it first. The shares are over all cases of testdata/learn.
func TestDiagnosisOfWhatIsLearned(t *testing.T) {
	files, err := filepath.Glob("testdata/learn/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no testdata: %v", err)
	}
	all, found, first, three := 0, 0, 0, 0
	for _, file := range files {
		s := readScene(t, file)
		d := s.plan.Diagnosis()
		for _, name := range s.names {
			c := s.cases[name]
			applied := changesNamed(t, s.set, c["applied"])
			messages := d.Read(slices.Values(applied), []byte(c["log"]))
			checkMessages(t, s.set.Len(), applied, messages)
			for _, pair := range s.plan.Learn(slices.Values(applied), []byte(c["log"])) {
				all++
				at, _ := rank(messages, pair)
				if at == 0 {
					t.Logf("%s, %s: not %s:\n%s%s", file, name, taught(s.set, []grouping.Requirement{pair}), s.told(messages), c["log"])
					continue
				}
				found++
				if at == 1 {
					first++
				}
				if at <= 3 {
					three++
				} else {
					t.Logf("%s, %s: %s is number %d:\n%s", file, name, taught(s.set, []grouping.Requirement{pair}), at, s.told(messages))
				}
			}
		}
	}
	t.Logf("of %d: %d found, %d among the first three, %d first", all, found, three, first)
	if all-found > 1 || three*20 < all*19 || first*4 < all*3 {
		t.Errorf("of %d requirements that Learn reads only %d are found, %d among the first three, %d first", all, found, three, first)
	}
}

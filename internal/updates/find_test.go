package updates

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/mod/modfile"
	"golang.org/x/tools/txtar"

	"github.com/gitdd/gitdd/changes"
	"github.com/gitdd/gitdd/internal/seed"
)

// A pair is two revisions of the files of a project, and of the go.mod files that are at hand.
type pair struct {
	paths   []string
	text    map[string][2][]byte
	modules map[string][]byte
}

// readPair reads a txtar archive with files old/PATH, new/PATH and mod/MODULE@VERSION.
func readPair(t *testing.T, file string) pair {
	t.Helper()
	a, err := txtar.ParseFile(file)
	if err != nil {
		t.Fatal(err)
	}
	p := pair{text: make(map[string][2][]byte), modules: make(map[string][]byte)}
	for _, f := range a.Files {
		kind, name, _ := strings.Cut(f.Name, "/")
		if kind == "mod" {
			p.modules[name] = f.Data
			continue
		}
		texts := p.text[name]
		texts[map[string]int{"old": good, "new": bad}[kind]] = f.Data
		if p.text[name] = texts; !slices.Contains(p.paths, name) {
			p.paths = append(p.paths, name)
		}
	}
	return p
}

// A mixture is a project of which any changes can be applied.
type mixture struct {
	files  []File
	pieces [][]changes.Piece
	repair []func([]byte) []byte
	n      int
	found  Found
}

func mix(t *testing.T, p pair) *mixture {
	t.Helper()
	m := &mixture{}
	for _, name := range p.paths {
		f := File{Path: name, Old: p.text[name][good], New: p.text[name][bad]}
		pieces, repair := Cut(name, f.Old, f.New)
		if pieces == nil && !bytes.Equal(f.Old, f.New) {
			t.Fatalf("%s is not read", name)
		}
		for _, q := range pieces {
			f.Hunks = append(f.Hunks, Hunk{
				Change:  m.n,
				OldFrom: bytes.Count(f.Old[:q.OldOff], []byte("\n")), OldTo: lineCount(f.Old[:q.OldEnd]),
				NewFrom: bytes.Count(f.New[:q.NewOff], []byte("\n")), NewTo: lineCount(f.New[:q.NewEnd]),
			})
			m.n++
		}
		m.files, m.pieces, m.repair = append(m.files, f), append(m.pieces, pieces), append(m.repair, repair)
	}
	m.found = Find(m.files, nil, func(path, version string) []byte { return p.modules[path+"@"+version] })
	return m
}

// compose returns the text of file k with some changes applied.
func (m *mixture) compose(k int, has []bool) []byte {
	f := m.files[k]
	var out []byte
	at := 0
	for i, q := range m.pieces[k] {
		if has[f.Hunks[i].Change] {
			out = append(append(out, f.Old[at:q.OldOff]...), f.New[q.NewOff:q.NewEnd]...)
			at = q.OldEnd
		}
	}
	out = append(out, f.Old[at:]...)
	if m.repair[k] != nil {
		out = m.repair[k](out)
	}
	return out
}

// close adds to some changes those that the ties require, with others.
func (m *mixture) close(has []bool) {
	for again := true; again; {
		again = false
		for _, t := range m.found.Ties {
			if has[t.Change] && !has[t.Requires] {
				has[t.Requires], again = true, true
			}
		}
	}
}

// broken says which need an entry of a project has that is not satisfied there, but is satisfied in the revision that
// the entry is of.
func broken(t *testing.T, m *mixture, has []bool, modules Modules) string {
	t.Helper()
	ends := [2]map[string][]Entry{{}, {}}
	now := map[string][]Entry{}
	for k, f := range m.files {
		form := formatOf(f.Path)
		text := m.compose(k, has)
		var err error
		if now[f.Path], err = form.entries(f.Path, text); err != nil && len(text) > 0 {
			return fmt.Sprintf("%s cannot be read: %v, of\n%s", f.Path, err, text)
		}
		ends[good][f.Path], _ = form.entries(f.Path, f.Old)
		ends[bad][f.Path], _ = form.entries(f.Path, f.New)
	}
	holds := func(files map[string][]Entry, n Need, accepts func(string) bool, absent bool) bool {
		for _, key := range n.Keys {
			some := false
			for _, list := range files {
				for _, e := range list {
					if slices.Contains(e.Provides, key) {
						if some = true; accepts(e.Version) {
							return true
						}
					}
				}
			}
			if some {
				return false
			}
		}
		return absent
	}
	for path, list := range now {
		mod := &modfile.File{}
		for k, f := range m.files {
			if f.Path == path && strings.HasSuffix(path, "go.mod") {
				var err error
				if mod, err = modfile.Parse(path, m.compose(k, has), nil); err != nil {
					return err.Error()
				}
			}
		}
		graph := newModuleGraph(modules, mod, func(string) []byte { return nil })
		for _, e := range list {
			if e.requires() {
				graph.require(&e)
			}
			for _, n := range e.Needs {
				if n.Accepts == nil { // what either side with such an entry has there
					seen := map[string]bool{}
					for _, files := range ends {
						if slices.ContainsFunc(files[path], func(o Entry) bool { return o.ID == e.ID && o.Version == e.Version }) {
							holds(files, n, func(version string) bool { seen[version] = true; return false }, true)
						}
					}
					n.Accepts = func(version string) bool { return seen[version] }
				}
				own, absent := true, false
				for _, files := range ends { // of either side that has such an entry
					if slices.ContainsFunc(files[path], func(o Entry) bool { return o.ID == e.ID && o.Version == e.Version }) {
						own = own && holds(files, n, n.Accepts, true)
						absent = absent || holds(files, n, func(string) bool { return false }, true)
					}
				}
				if own && !holds(now, n, n.Accepts, absent) {
					return fmt.Sprintf("%s: %s %s needs %v", path, e.Name, e.Version, n.Keys)
				}
			}
		}
	}
	return ""
}

// Every subset of the changes that is closed under the ties gives files that can be read, and in which each
// entry has what it requires; nothing gives the old files, and all give the new ones.
func TestClosedSubsets(t *testing.T) {
	random := rand.New(rand.NewPCG(seed.New(t), 1))
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatal("no pairs", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			p := readPair(t, file)
			m := mix(t, p)
			modules := func(path, version string) []byte { return p.modules[path+"@"+version] }
			subsets := make(map[string]bool)
			for round := range m.n + 150 {
				has := make([]bool, m.n)
				for i := range has {
					has[i] = round == 1 || round-2 == i || round > m.n+2 && random.Float64() < float64(round%8)/8
				}
				m.close(has)
				subsets[fmt.Sprint(has)] = true
				if why := broken(t, m, has, modules); why != "" {
					t.Fatalf("%v: %s", has, why)
				}
				for k, f := range m.files {
					if text := m.compose(k, has); round == 0 && !bytes.Equal(text, f.Old) || round == 1 && !bytes.Equal(text, f.New) {
						t.Fatalf("%s: an end is\n%s", f.Path, text)
					}
				}
			}
			switch single := strings.Contains(file, "single"); {
			case single && len(subsets) != 2: // the ends
				t.Errorf("%d changes of one module have %d closed subsets: %v", m.n, len(subsets), m.found.Ties)
			case !single && len(subsets) < 3 && !strings.Contains(file, "pruned"): // and one between them
				t.Errorf("%d changes have only %d closed subsets: %v", m.n, len(subsets), m.found.Ties)
			}
		})
	}
}

// What the changes are called, and by which constraints they are tied.
func TestFind(t *testing.T) {
	files, _ := filepath.Glob("testdata/*.txtar")
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			m := mix(t, readPair(t, file))
			var got strings.Builder
			for _, u := range m.found.Updates {
				fmt.Fprintf(&got, "%s\n", u)
			}
			for _, tie := range m.found.Ties {
				if tie.Reason != "" && !strings.Contains(got.String(), tie.Reason+"\n") {
					fmt.Fprintf(&got, "%s\n", tie.Reason)
				}
			}
			for _, note := range m.found.Notes {
				fmt.Fprintf(&got, "note: %s\n", note)
			}
			golden := strings.TrimSuffix(file, ".txtar") + ".golden"
			if *update {
				if err := os.WriteFile(golden, []byte(got.String()), 0o666); err != nil {
					t.Fatal(err)
				}
			}
			want, _ := os.ReadFile(golden)
			if got.String() != string(want) {
				t.Errorf("got\n%swant\n%s", &got, want)
			}
		})
	}
}

// A crate that is added comes with one that requires it: cargo refuses others with --locked.
func TestNothingUnused(t *testing.T) {
	m := mix(t, readPair(t, "testdata/cargo.txtar"))
	of := make(map[string][]int)
	for _, u := range m.found.Updates {
		of[u.String()] = u.Changes
	}
	has := make([]bool, m.n)
	for _, i := range of["leaf 1.0.0 (added)"] {
		has[i] = true
	}
	m.close(has)
	if with := of["alone 1.0.0 → 1.0.7"]; len(with) == 0 || !has[with[0]] {
		t.Errorf("leaf comes with %v, of %v", has, of)
	}
}

// A second version of a crate comes when nothing names the crate without its version any more.
func TestSeveralVersions(t *testing.T) {
	m := mix(t, readPair(t, "testdata/cargo-several.txtar"))
	of := make(map[string][]int)
	for _, u := range m.found.Updates {
		of[u.String()] = u.Changes
	}
	has := make([]bool, m.n)
	for _, i := range of["high 1.0.0 → 1.1.0"] {
		has[i] = true
	}
	m.close(has)
	for _, name := range []string{"leaf 0.1.0 (added)", "user 1.0.0 → 1.1.0"} {
		if !slices.ContainsFunc(of[name], func(i int) bool { return has[i] }) {
			t.Errorf("high comes without %s, of %v", name, of)
		}
	}
}

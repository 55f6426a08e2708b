package updates

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"golang.org/x/mod/modfile"
	"golang.org/x/mod/semver"

	"github.com/gitdd/gitdd/internal/seed"
)

// A drawnGraph says what modules require, by path and version, and in which version.
type drawnGraph map[moduleVersion]map[string]string

const drawnModules = 6

// drawGraph draws what three versions of each of a few modules require: any later modules.
func drawGraph(r *rand.Rand) drawnGraph {
	g := drawnGraph{}
	for i := range drawnModules {
		for v := range 3 {
			requires := map[string]string{}
			for j := i + 1; j < drawnModules; j++ {
				if r.IntN(3) == 0 {
					requires[fmt.Sprint("e.org/m", j)] = fmt.Sprintf("v1.%d.0", r.IntN(3))
				}
			}
			g[moduleVersion{fmt.Sprint("e.org/m", i), fmt.Sprintf("v1.%d.0", v)}] = requires
		}
	}
	return g
}

// build adds to requirements what they need, by minimal version selection: whatever any version asks for that is required anywhere.
func (g drawnGraph) build(list map[string]string) {
	var queue []moduleVersion
	for m, v := range list {
		queue = append(queue, moduleVersion{m, v})
	}
	for len(queue) > 0 {
		for m, v := range g[queue[0]] {
			queue = append(queue, moduleVersion{m, v})
			if semver.Compare(list[m], v) < 0 { // also if it is not there
				list[m] = v
			}
		}
		queue = queue[1:]
	}
}

// draw draws requirements that are all that they need.
func (g drawnGraph) draw(r *rand.Rand) map[string]string {
	list := map[string]string{}
	for i := range drawnModules {
		if r.IntN(3) == 0 {
			list[fmt.Sprint("e.org/m", i)] = fmt.Sprintf("v1.%d.0", r.IntN(3))
		}
	}
	g.build(list)
	return list
}

// goMod is a go.mod that requires a list, sorted.
func goMod(name, version string, list map[string]string, more ...string) []byte {
	var lines []string
	for m, v := range list {
		lines = append(lines, "require "+m+" "+v)
	}
	slices.Sort(lines)
	lines = append([]string{"module " + name, "go " + version}, append(lines, more...)...)
	return []byte(strings.Join(lines, "\n") + "\n")
}

// lacks says what a go.mod does not have in a version of the project that has one, by all that modules require: own of the project
// itself, in folders, and g of others.
func (g drawnGraph) lacks(t *testing.T, text []byte, own map[string]string) string {
	t.Helper()
	f, err := modfile.Parse("go.mod", text, nil)
	if err != nil {
		return err.Error()
	}
	has := map[string]string{}
	for _, r := range f.Require {
		has[r.Mod.Path] = r.Mod.Version
	}
	want := func(by string, list map[string]string) string {
		for m, v := range list {
			if semver.Compare(has[m], v) < 0 { // also if it is not there
				return fmt.Sprintf("%s needs %s %s, and there is %q", by, m, v, has[m])
			}
		}
		return ""
	}
	for m, v := range has {
		if why := want(m+" "+v, g[moduleVersion{m, v}]); why != "" {
			return why
		}
	}
	return want("a folder", own)
}

// closedSubsets calls f for every set of changes that is closed under the ties.
func (m *mixture) closedSubsets(f func(has []bool)) {
	for bits := range 1 << m.n {
		has := make([]bool, m.n)
		for i := range has {
			has[i] = bits>>i&1 == 1
		}
		closed := slices.Clone(has)
		if m.close(closed); slices.Equal(closed, has) {
			f(has)
		}
	}
}

// Whatever go.mod files are not at hand, each closed subset has what the modules in it require. What is known of all lets at least
// as many subsets be closed.
func TestUnknownRequirements(t *testing.T) {
	r := rand.New(rand.NewPCG(seed.New(t), 5))
	closed := map[bool]int{}
	for range 300 {
		g := drawGraph(r)
		p := pair{paths: []string{"go.mod"}, text: map[string][2][]byte{"go.mod": {goMod("e.org/x", "1.21", g.draw(r)), goMod("e.org/x", "1.21", g.draw(r))}}, modules: map[string][]byte{}}
		for _, known := range []bool{false, true} {
			for m, requires := range g {
				if known || r.IntN(3) > 0 {
					version := "1.21"
					if m.version == "v1.0.0" {
						version = "1.16"
					}
					p.modules[m.path+"@"+m.version] = goMod(m.path, version, requires)
				}
			}
			m := mix(t, p)
			m.closedSubsets(func(has []bool) {
				closed[known]++
				if why := g.lacks(t, m.compose(0, has), nil); why != "" {
					t.Fatalf("known %v, %v: %s, of\n%s%s%v", known, has, why, m.files[0].Old, m.files[0].New, m.found.Ties)
				}
			})
		}
	}
	t.Logf("closed subsets: %v", closed)
	if closed[false] >= closed[true] || closed[false] < 700 {
		t.Errorf("what is not known ties nothing: %v", closed)
	}
}

// A module that is replaced requires what stands in its place: another module, or a folder whose go.mod changes, too.
func TestReplacedRequirements(t *testing.T) {
	r := rand.New(rand.NewPCG(seed.New(t), 6))
	between := 0
	for range 300 {
		g := drawGraph(r)
		p := pair{paths: []string{"go.mod", "sub/go.mod"}, text: map[string][2][]byte{}, modules: map[string][]byte{}}
		for m, requires := range g {
			name := m.path
			if name == "e.org/m0" {
				p.modules[name+"@"+m.version] = goMod(name, "1.21", nil)
				name = "fork.org/m0"
			}
			p.modules[name+"@"+m.version] = goMod(name, "1.21", requires)
		}
		for which := range 2 {
			sub := g.draw(r)
			main := g.draw(r)
			for m, v := range sub {
				if semver.Compare(main[m], v) < 0 {
					main[m] = v
				}
			}
			g.build(main)
			more := []string{"require e.org/sub v0.0.0", "replace e.org/sub => ./sub"}
			if main["e.org/m0"] != "" {
				more = append(more, "replace e.org/m0 => fork.org/m0 "+main["e.org/m0"])
			}
			for name, text := range map[string][]byte{"go.mod": goMod("e.org/x", "1.21", main, more...), "sub/go.mod": goMod("e.org/sub", "1.21", sub)} {
				both := p.text[name]
				both[which] = text
				p.text[name] = both
			}
		}
		m := mix(t, p)
		if m.n > 10 {
			continue
		}
		if len(m.found.Notes) > 0 {
			t.Fatalf("all is known, and notes are %q", m.found.Notes)
		}
		m.closedSubsets(func(has []bool) {
			between++
			f, err := modfile.Parse("sub/go.mod", m.compose(1, has), nil)
			if err != nil {
				t.Fatal(err)
			}
			own := map[string]string{}
			for _, r := range f.Require {
				own[r.Mod.Path] = r.Mod.Version
			}
			if why := g.lacks(t, m.compose(0, has), own); why != "" {
				t.Fatalf("%v: %s, of\n%s%s\n%s%s%v", has, why, m.files[0].Old, m.files[0].New, m.files[1].Old, m.files[1].New, m.found.Ties)
			}
		})
		between -= 2
	}
	if between < 300 {
		t.Errorf("only %d mixtures", between)
	}
}

// The go command does not read the go.mod of a module that it can do without, so that nothing follows from it if that is missing where
// the project was built.
func TestUnbuilt(t *testing.T) {
	for _, test := range []struct {
		name, version string
		missing       []string
		tied          bool
	}{
		{"all are here", "1.21", nil, false},
		{"an indirect one is missing", "1.21", []string{"e.org/b@v1.1.0"}, false},
		{"a direct one is missing", "1.21", []string{"e.org/a@v1.1.0"}, true},
		{"a direct one that stays is missing", "1.21", []string{"e.org/c@v1.0.0", "e.org/b@v1.1.0"}, true},
		{"an indirect one is missing, of which older versions of Go need all", "1.16", []string{"e.org/b@v1.1.0"}, true},
	} {
		p := pair{paths: []string{"go.mod"}, text: map[string][2][]byte{}, modules: map[string][]byte{}}
		var both [2][]byte
		for which, v := range []string{"v1.0.0", "v1.1.0"} {
			both[which] = goMod("e.org/x", test.version, map[string]string{"e.org/a": v, "e.org/c": "v1.0.0"}, "require e.org/b "+v+" // indirect")
			for _, m := range []string{"e.org/a", "e.org/b", "e.org/c"} {
				if name := m + "@" + v; !slices.Contains(test.missing, name) {
					p.modules[name] = goMod(m, "1.21", nil)
				}
			}
		}
		p.text["go.mod"] = both
		if m := mix(t, p); (len(m.found.Ties) > 0) != test.tied || (len(m.found.Notes) > 0) != test.tied {
			t.Errorf("%s: ties are %v, with notes %q", test.name, m.found.Ties, m.found.Notes)
		}
	}
}

// A file below vendor is of the innermost module that has its directory, whether that changes or not.
func TestVendoredNested(t *testing.T) {
	p := pair{paths: []string{"x/go.mod", "x/vendor/modules.txt"}, text: map[string][2][]byte{}}
	var mods, lists [2][]byte
	for which, v := range []string{"v1.0.0", "v1.1.0"} {
		mods[which] = goMod("e.org/x", "1.21", map[string]string{"e.org/a": v, "e.org/a/b": v, "e.org/a/c": "v1.0.0"})
		lists[which] = []byte("# e.org/a " + v + "\n## explicit\ne.org/a\n# e.org/a/b " + v + "\n## explicit\ne.org/a/b\n# e.org/a/c v1.0.0\n## explicit\ne.org/a/c\n")
	}
	p.text["x/go.mod"], p.text["x/vendor/modules.txt"] = mods, lists
	m := mix(t, p)
	var wholes []Whole
	for i, name := range []string{"x/vendor/e.org/a/a.go", "x/vendor/e.org/a/in/a.go", "x/vendor/e.org/a/b/b.go", "x/vendor/e.org/a/b/in/b.go", "x/vendor/e.org/a/c/c.go", "vendor/e.org/a/a.go", "x/vendor/e.org/d.go"} {
		wholes = append(wholes, Whole{Change: 100 + i, Path: name})
	}
	got := fmt.Sprint(Find(m.files, wholes, nil).Updates)
	want := "[e.org/a v1.0.0 → v1.1.0 e.org/a/b v1.0.0 → v1.1.0]"
	if got != want {
		t.Fatalf("updates are %s, want %s", got, want)
	}
	for i, u := range Find(m.files, wholes, nil).Updates {
		var copies []int
		for _, c := range u.Changes {
			if c >= 100 {
				copies = append(copies, c-100)
			}
		}
		if want := [][]int{{0, 1}, {2, 3}}[i]; !slices.Equal(copies, want) {
			t.Errorf("%v has copies %v, want %v", u, copies, want)
		}
	}
}

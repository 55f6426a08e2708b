package grouping_test

import (
	"go/ast"
	"go/build"
	"go/importer"
	"go/parser"
	gotoken "go/token"
	"go/types"
	"maps"
	"math/rand/v2"
	"os/exec"
	"path"

	"slices"
	"strings"
	"testing"

	"github.com/gitdd/gitdd/changes"
	"github.com/gitdd/gitdd/fixtures"
	"github.com/gitdd/gitdd/grouping"
	"github.com/gitdd/gitdd/internal/git"
)

// A builder type-checks composed trees in memory, tests included: what it
// accepts, go vet accepts.
type builder struct {
	t      testing.TB
	set    *changes.Set
	good   map[string]string // the whole tree of good
	module string
	std    types.Importer
	known  map[string]*types.Package // of std, which looks at its files for each import
}

func newBuilder(t testing.TB, repo *git.Repo, s *changes.Set, module string) *builder {
	b := &builder{t: t, set: s, module: module, good: map[string]string{}, known: map[string]*types.Package{}}
	b.std = importer.ForCompiler(gotoken.NewFileSet(), "source", nil)
	out, err := repo.Git(t.Context(), "ls-tree", "-r", "--format=%(objectname) %(path)", string(s.Good.Tree))
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(out)) {
		id, path, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		content, err := repo.Blob(t.Context(), git.ID(id))
		if err != nil {
			t.Fatal(err)
		}
		b.good[path] = string(content)
	}
	return b
}

// files composes a configuration.
func (b *builder) files(applied []int) map[string]string {
	tree, err := b.set.Compose(slices.Values(applied))
	if err != nil {
		b.t.Fatal(err)
	}
	all := maps.Clone(b.good)
	for _, f := range tree.Files {
		delete(all, f.Path)
		if f.Mode != 0 {
			content, err := b.set.Content(f)
			if err != nil {
				b.t.Fatal(err)
			}
			all[f.Path] = string(content)
		}
	}
	return all
}

// builds reports whether a configuration builds.
func (b *builder) builds(applied []int) bool {
	c := checker{builder: b, dirs: map[string][]string{}, files: b.files(applied), done: map[string]*types.Package{}, set: gotoken.NewFileSet()}
	for name := range c.files {
		if strings.HasSuffix(name, ".go") {
			c.dirs[path.Dir(name)] = append(c.dirs[path.Dir(name)], name)
		}
	}
	for _, dir := range slices.Sorted(maps.Keys(c.dirs)) {
		if !c.check(dir) {
			return false
		}
	}
	return true
}

type checker struct {
	*builder
	set   *gotoken.FileSet
	files map[string]string
	dirs  map[string][]string
	done  map[string]*types.Package
}

func (c *checker) Import(name string) (*types.Package, error) {
	dir, ok := strings.CutPrefix(name, c.module)
	if !ok {
		if p := c.known[name]; p != nil {
			return p, nil
		}
		p, err := c.std.Import(name)
		if err == nil {
			c.known[name] = p
		}
		return p, err
	}
	dir = strings.TrimPrefix(dir, "/")
	if dir == "" {
		dir = "."
	}
	if p := c.done[dir]; p != nil {
		return p, nil
	}
	p, err := c.checkFiles(dir, false)
	c.done[dir] = p
	return p, err
}

func (c *checker) check(dir string) bool {
	_, err := c.checkFiles(dir, true)
	return err == nil
}

func (c *checker) checkFiles(dir string, tests bool) (*types.Package, error) {
	var files []*ast.File
	for _, name := range slices.Sorted(slices.Values(c.dirs[dir])) {
		if !tests && strings.HasSuffix(name, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(c.set, name, c.files[name], parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		files = append(files, f)
	}
	if len(files) == 0 {
		return nil, &types.Error{Msg: "no Go files in " + dir}
	}
	config := types.Config{Importer: c}
	return config.Check(path.Join(c.module, dir), c.set, files, nil)
}

// requirement reports whether a requirement is a true one, as far as can be
// seen: with everything but j nothing builds, and no configuration of many
// with i and without j does.
func (b *builder) requirement(r grouping.Requirement, random *rand.Rand) bool {
	n := b.set.Len()
	without := func(keep float64) []int {
		var list []int
		for i := range n {
			if i == r.Change || i != r.Requires && random.Float64() < keep {
				list = append(list, i)
			}
		}
		return b.closed(list, r)
	}
	for _, keep := range []float64{1, 0, 0.98, 0.95, 0.9, 0.8, 0.5, 0.2, 0.1, 0.02} {
		for range 4 {
			if list := without(keep); list != nil && b.builds(list) {
				b.t.Logf("%v builds without %v: %v", &b.set.Changes[r.Change], &b.set.Changes[r.Requires], list)
				return false
			}
		}
	}
	return true
}

// closed adds what is required structurally; nil if that is the change itself.
func (b *builder) closed(list []int, r grouping.Requirement) []int {
	for k := 0; k < len(list); k++ {
		for _, j := range b.set.Requires[list[k]] {
			if j == r.Requires {
				return nil
			}
			if !slices.Contains(list, j) {
				list = append(list, j)
			}
		}
	}
	return list
}

// What go build prints for random mixtures of the demo's changes teaches true
// requirements: at least nine of ten, on fixed seeds.
func TestLearnFromGoBuild(t *testing.T) {
	if build.Default.GOROOT == "" {
		t.Skip("compiled with -trimpath: the standard library cannot be found")
	}
	dir := t.TempDir()
	demo, err := fixtures.Demo(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	repo, err := git.Open(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	defer repo.Close()
	s := between(t, repo, demo.Good, demo.Bad)
	p := plan(t, s)
	b := newBuilder(t, repo, s, "")
	b.module = strings.Fields(b.good["go.mod"])[1]
	if !b.builds(nil) || !b.builds(upTo(s.Len())) {
		t.Fatal("an end does not build")
	}
	mixtures := 24
	if testing.Short() {
		mixtures = 5
	}
	random := rand.New(rand.NewPCG(7, 7))
	known := map[grouping.Requirement]bool{}
	broken, silent, right, wrong := 0, 0, 0, 0
	for range mixtures {
		keep := random.Float64()
		var applied []int
		for i := range s.Len() {
			if random.Float64() < keep {
				applied = append(applied, i)
			}
		}
		applied = b.closed(applied, grouping.Requirement{Requires: -1})
		out := vet(t, b.files(applied))
		if out == "" {
			continue
		}
		broken++
		list := p.Learn(slices.Values(applied), []byte(out))
		if len(list) == 0 {
			silent++
			t.Logf("nothing learned from\n%s", out)
		}
		for _, r := range list {
			if !slices.Contains(applied, r.Change) || slices.Contains(applied, r.Requires) {
				t.Fatalf("learned %v, which that configuration does not violate", r)
			}
			truth, ok := known[r]
			if !ok {
				truth = b.requirement(r, random)
				known[r] = truth
			}
			if truth {
				right++
			} else {
				wrong++
				t.Logf("wrong: %v -> %v, from\n%s", &s.Changes[r.Change], &s.Changes[r.Requires], out)
			}
		}
	}
	t.Logf("%d changes; %d of %d mixtures do not build, %d of these taught nothing; %d requirements were learned right, %d wrong, %d different ones",
		s.Len(), broken, mixtures, silent, right, wrong, len(known))
	if broken < mixtures/3 || right < broken || 9*wrong > right || 5*silent > broken {
		t.Errorf("too little, or too much of it wrong")
	}
}

// vet writes files and returns what go vet prints, "" if it builds.
func vet(t *testing.T, files map[string]string) string {
	dir := t.TempDir()
	writeAll(t, files, dir)
	cmd := exec.CommandContext(t.Context(), "go", "vet", "./...")
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	if err == nil {
		return ""
	}
	return string(out)
}

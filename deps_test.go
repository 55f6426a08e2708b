package gitdd_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const module = "github.com/gitdd/gitdd/"

// mayImport says what a package may import from this module: only what its
// row names. A new import is a decision for ARCHITECTURE.md; do not add one to
// mend a build.
var mayImport = map[string][]string{
	"cmd/gitdd":           {"report", "search", "suite", "doubt", "reduction", "reduce", "btor/hunt", "btor", "graph", "trial", "testcase", "grouping", "changes", "isolate", "internal/cli", "internal/doctor", "internal/events", "internal/folders", "internal/forms", "internal/git", "internal/listing", "internal/measure", "internal/prose", "internal/triallog", "internal/apply", "internal/bisect", "internal/byhand", "internal/cluster", "internal/combine", "internal/hints", "internal/inside", "internal/outfile", "internal/record", "internal/results", "internal/serve", "internal/settings", "internal/tui", "fixtures", "internal/lazyregexp"},
	"changepoint":         {},
	"doubt":               {"changes", "grouping", "isolate", "report", "internal/prose"},
	"report":              {"changes", "isolate", "internal/measure", "internal/prose", "internal/lexical", "internal/sequence", "internal/lazyregexp"},
	"search":              {"changepoint", "changes", "grouping", "isolate", "suite", "trial", "internal/components", "internal/failure", "internal/git", "internal/gostandard", "internal/prose"},
	"reduction":           {"reduce", "trial", "testcase", "isolate", "btor", "internal/git", "internal/prose", "internal/lazyregexp"},
	"reduce":              {"isolate", "testcase", "graph", "btor", "internal/lexical", "internal/sequence", "internal/syntax", "internal/lazyregexp"},
	"btor/hunt":           {"internal/jsonlog", "internal/process", "reduction", "reduce", "btor", "graph", "trial", "testcase", "isolate", "internal/prose", "internal/lazyregexp", "internal/disk"},
	"remote/reapi":        {"trial"},
	"remote/slurm":        {"trial"},
	"btor":                {"graph", "internal/components"},
	"suite":               {"isolate", "internal/escapes", "internal/prose", "internal/lazyregexp"},
	"testcase":            {},
	"graph":               {},
	"trial":               {"changes", "isolate", "suite", "testcase", "internal/failure", "internal/git", "internal/jsonlog", "internal/measure", "internal/process", "internal/prose", "internal/lazyregexp", "internal/disk", "internal/snapshot", "internal/workspace"},
	"grouping":            {"changes", "internal/components", "internal/escapes", "internal/lexical", "internal/syntax", "internal/updates", "internal/lazyregexp"},
	"changes":             {"internal/git", "internal/sequence"},
	"isolate":             {"internal/components"},
	"internal/components": {},
	"fixtures":            {"btor", "graph", "internal/git"},
	"internal/apply":      {"search", "report", "trial", "changes", "isolate", "internal/git", "internal/prose", "internal/disk"},
	"internal/byhand":     {"search", "report", "trial", "changes", "isolate", "internal/git", "internal/prose", "internal/record", "internal/settings"},
	"internal/cli":        {"internal/prose", "internal/lazyregexp"},
	"internal/bisect":     {"search", "report", "isolate", "internal/git", "internal/prose"},
	"internal/cluster":    {"remote/reapi", "remote/slurm", "report", "trial"},
	"internal/combine":    {"internal/git"},
	"internal/dependency": {"internal/lazyregexp", "internal/updates"},
	"internal/inside":     {"changes", "internal/combine", "internal/dependency", "internal/folders", "internal/git", "internal/prose", "internal/settings", "report"},
	"internal/crossvet":   {}, // of make lint; see its main.go
	"internal/disk":       {},
	"internal/doctor":     {"trial", "changes", "isolate", "internal/git", "internal/prose"},
	"internal/events":     {"search", "report", "trial", "changes", "grouping", "isolate", "internal/git", "internal/prose", "internal/record"},
	"internal/failure":    {"internal/escapes", "internal/lazyregexp", "internal/prose"},
	"internal/folders":    {"changes", "internal/git", "internal/prose"},
	"internal/forms":      {"report", "trial", "internal/disk"},
	"internal/git":        {"internal/lazyregexp", "internal/disk", "internal/sequence"},
	"internal/gostandard": {},
	"internal/hints":      {"search", "reduction", "trial", "testcase", "changes", "isolate", "internal/failure", "internal/git", "internal/prose", "internal/record", "internal/settings", "internal/lazyregexp"},
	"internal/jsonlog":    {},
	"internal/escapes":    {"internal/lazyregexp"},
	"internal/lazyregexp": {},
	"internal/listing":    {"changes", "grouping", "internal/prose"},
	"internal/lexical":    {},
	"internal/measure":    {"internal/escapes", "internal/prose", "internal/lazyregexp"},
	"internal/outfile":    {"testcase", "trial", "internal/disk"},
	"internal/process":    {"internal/git"}, // whose children are no orphans
	"internal/prose":      {},
	"internal/record":     {"search", "reduction", "report", "trial", "testcase", "changes", "grouping", "isolate", "internal/git", "internal/lazyregexp"},
	"internal/chromium":   {}, // of tests
	"internal/reapitest":  {}, // of tests
	"internal/schema":     {}, // of tests
	"internal/slurmtest":  {}, // of tests
	"internal/results":    {"changepoint", "search", "suite", "reduction", "reduce", "report", "doubt", "trial", "testcase", "changes", "grouping", "isolate", "internal/apply", "internal/failure", "internal/git", "internal/hints", "internal/outfile", "internal/prose", "internal/settings"},
	"internal/seed":       {}, // of tests
	"internal/serve":      {"report", "trial", "isolate", "internal/byhand", "internal/escapes", "internal/events", "internal/prose", "internal/record"},
	"internal/snapshot":   {},
	"internal/workspace":  {"changes", "internal/disk", "internal/git", "internal/lazyregexp", "internal/prose", "internal/snapshot"},
	"internal/settings":   {"search", "suite", "reduction", "reduce", "report", "trial", "testcase", "changes", "grouping", "isolate", "internal/bisect", "internal/cli", "internal/cluster", "internal/forms", "internal/git", "internal/outfile", "internal/measure", "internal/prose"},
	"internal/sequence":   {},
	"internal/syntax":     {},
	"internal/triallog":   {"report", "search", "trial", "isolate", "internal/measure", "internal/prose"},
	"internal/tui":        {"reduction", "reduce", "btor/hunt", "trial", "isolate", "internal/events", "internal/measure", "internal/prose", "internal/lazyregexp"},
	"internal/updates":    {"changes", "internal/lazyregexp", "internal/sequence"},
	"packaging":           {}, // makes releases; see its main.go
}

// onlyImportedBy says where an import from outside the module may stand; one that is
// not named here may stand anywhere.
var onlyImportedBy = map[string][]string{
	"github.com/go-git/":         {"internal/git"},
	"github.com/spf13/cobra":     {"cmd/gitdd", "internal/cli"},
	"github.com/sergi/go-diff/":  {"internal/sequence"},
	"znkr.io/diff":               {"internal/sequence"},
	"github.com/tree-sitter":     {"internal/syntax", "grouping"},
	"golang.org/x/term":          {"internal/tui"},
	"golang.org/x/perf/":         {"internal/measure"},
	"github.com/bmatcuk/":        {"suite"},
	"github.com/Masterminds/":    {"internal/updates"},
	"github.com/pelletier/":      {"internal/updates"},
	"github.com/owenrumney/":     {"report"},
	"github.com/santhosh-tekuri": {"internal/schema"},
	"github.com/bazelbuild/":     {"remote/reapi", "internal/reapitest"},
	"google.golang.org/":         {"remote/reapi", "internal/reapitest"},
	"cloud.google.com/":          {"remote/reapi", "internal/reapitest"},
	"github.com/rogpeppe/":       {}, // tests only
	"github.com/google/go-cmp/":  {}, // tests only
	"golang.org/x/tools/go/":     {"internal/crossvet"},
	"golang.org/x/net/":          {}, // tests only

	// cmd/gitdd looks up the go command for its demo, internal/doctor the programs of filters, and
	// internal/schema, which is for tests, asks the go command where a package is.
	"os/exec": {"internal/git", "internal/process", "trial", "remote/slurm", "cmd/gitdd", "internal/dependency", "internal/doctor", "internal/gostandard", "internal/schema", "packaging", "internal/reapitest", "internal/slurmtest", "internal/chromium"},
}

// pure names what the pure packages must not import at all.
var pure = map[string][]string{
	"isolate":           {"os", "os/exec", "time", "io/fs", "path/filepath", "net", "log", "log/slog"},
	"grouping":          {"os", "os/exec", "time", "net", "math/rand/v2"},
	"internal/sequence": {"os", "os/exec", "time", "net", "math/rand/v2"},
	"internal/lexical":  {"os", "os/exec", "time", "net", "math/rand/v2"},
	"internal/syntax":   {"os", "os/exec", "time", "net"},
	"internal/updates":  {"os", "os/exec", "time", "net", "math/rand/v2"},
	"internal/cli":      {"os", "os/exec", "net"},
	"internal/failure":  {"os/exec", "time", "net", "math/rand/v2"},
	"graph":             {"os", "os/exec", "time", "net", "math/rand/v2", "math/rand"},
	"btor":              {"os", "os/exec", "time", "net", "math/rand/v2", "math/rand"},
	"suite":             {"os", "os/exec", "time", "net", "math/rand/v2", "math/rand"},
	"search":            {"os", "os/exec", "time", "net", "math/rand/v2"},
	"doubt":             {"os", "os/exec", "time", "net"},
	"report":            {"os", "os/exec", "net"},
}

func TestImports(t *testing.T) {
	seen := map[string]bool{}
	for _, file := range sources(t) {
		dir := filepath.ToSlash(filepath.Dir(file))
		if dir == "." {
			t.Errorf("%s: the root holds no code", file)
			continue
		}
		allowed, ok := mayImport[dir]
		if !ok {
			t.Errorf("%s: package %s is not listed; name it in mayImport and ARCHITECTURE.md", file, dir)
			continue
		}
		seen[dir] = true
		for _, path := range imports(t, file) {
			if inner, ok := strings.CutPrefix(path, module); ok {
				if !slices.Contains(allowed, inner) {
					t.Errorf("%s: %s may not import %s", file, dir, inner)
				}
				if inner == "fixtures" && filepath.Base(file) != "demo.go" {
					t.Errorf("%s: only the demo command may import fixtures", file)
				}
				continue
			}
			for prefix, where := range onlyImportedBy {
				if strings.HasPrefix(path, prefix) && !slices.Contains(where, dir) {
					t.Errorf("%s: %s may stand only in %v", file, path, where)
				}
			}
			if slices.Contains(pure[dir], path) {
				t.Errorf("%s: %s is pure and may not import %s", file, dir, path)
			}
		}
	}
	for dir := range mayImport {
		if !seen[dir] {
			t.Errorf("package %s has no source", dir)
		}
	}
}

// TestSeeded holds isolate to generators with a seed of its own: what it draws
// must be the same each time.
func TestSeeded(t *testing.T) {
	for _, file := range sources(t) {
		if filepath.ToSlash(filepath.Dir(file)) != "isolate" {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(f, func(n ast.Node) bool {
			if s, ok := n.(*ast.SelectorExpr); ok {
				if x, ok := s.X.(*ast.Ident); ok && x.Name == "rand" && !slices.Contains([]string{"New", "NewPCG", "Rand"}, s.Sel.Name) {
					t.Errorf("%s: rand.%s is not seeded", file, s.Sel.Name)
				}
			}
			return true
		})
	}
}

// atStart names the functions that take long to compute a value from a constant. Where a package-level variable is
// initialized by one, every start of the program calls it, and gitdd is started once more for each worker.
var atStart = []string{"regexp.Compile", "regexp.MustCompile", "crc32.MakeTable", "crc64.MakeTable", "template.Must", "json.Unmarshal"}

// TestStart holds all packages that gitdd is linked from to calling none of these functions when gitdd starts.
func TestStart(t *testing.T) {
	linked := map[string]bool{}
	var link func(dir string)
	link = func(dir string) {
		if !linked[dir] {
			linked[dir] = true
			for _, inner := range mayImport[dir] {
				link(inner)
			}
		}
	}
	link("cmd/gitdd")
	for _, file := range sources(t) {
		if !linked[filepath.ToSlash(filepath.Dir(file))] {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range f.Decls {
			if d, ok := d.(*ast.FuncDecl); ok && d.Name.Name != "init" {
				continue
			}
			var look func(n ast.Node) bool
			look = func(n ast.Node) bool {
				switch n := n.(type) {
				case *ast.FuncLit: // called later, or by sync.OnceValue
					return false
				case *ast.CallExpr:
					if called, ok := n.Fun.(*ast.FuncLit); ok {
						ast.Inspect(called.Body, look)
					}
					if name := types.ExprString(n.Fun); slices.Contains(atStart, name) {
						t.Errorf("%s: %s when the program starts; make it when it is first used, as by internal/lazyregexp or sync.OnceValue", file, name)
					}
				}
				return true
			}
			ast.Inspect(d, look)
		}
	}
}

// TestOneSentence holds each package to the sentence that says what it is.
func TestOneSentence(t *testing.T) {
	for dir := range mayImport {
		name := "Package " + filepath.Base(dir) + " "
		file := filepath.Join(dir, "doc.go")
		if dir == "cmd/gitdd" || dir == "packaging" || dir == "internal/crossvet" {
			name, file = "Command "+filepath.Base(dir)+" ", filepath.Join(dir, "main.go")
		}
		f, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ParseComments|parser.PackageClauseOnly)
		if err != nil {
			t.Error(err)
			continue
		}
		if text := f.Doc.Text(); !strings.HasPrefix(text, name) {
			t.Errorf("%s: the package comment does not begin with %q", file, name)
		}
	}
}

// sources lists the non-test Go files of the module.
func sources(t *testing.T) []string {
	var files []string
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && path != "." && (strings.HasPrefix(d.Name(), ".") || d.Name() == "testdata" || d.Name() == "dist"):
			return filepath.SkipDir
		case strings.HasSuffix(path, ".go") && !strings.HasSuffix(path, "_test.go"):
			files = append(files, path)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

func imports(t *testing.T, file string) []string {
	f, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ImportsOnly)
	if err != nil {
		t.Fatal(err)
	}
	var paths []string
	for _, spec := range f.Imports {
		path, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			t.Fatal(err)
		}
		paths = append(paths, path)
	}
	return paths
}

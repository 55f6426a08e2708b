package grouping_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/gitdd/gitdd/grouping"
	"github.com/gitdd/gitdd/internal/gostandard"
	"github.com/gitdd/gitdd/internal/seed"
)

// goModule draws the two sides of a module: packages a and b, of which a imports b, and their tests. Functions change
// their results and parameters, and their callers with them; fields, cases and variables move; types and imports come and go.
func goModule(random *rand.Rand) (sides [2]map[string]string) {
	const functions, fields = 6, 6
	for which := range sides {
		pairs, order := make([]bool, functions), random.Perm(fields)
		var b, tests, a strings.Builder
		b.WriteString("package b\n\nimport (\n\t\"strings\"\n)\n\n// T has fields.\ntype T struct {\n")
		for _, k := range order {
			fmt.Fprintf(&b, "\tField%d %s\n", k, []string{"int", "string"}[k%2])
		}
		b.WriteString("}\n\n")
		for k := range functions {
			pairs[k] = random.IntN(2) == 0
			result, value := "int", "len(strings.Fields(t.Field1)) + t.Field0"
			if pairs[k] {
				result, value = "(int, error)", value+", nil"
			}
			fmt.Fprintf(&b, "// F%d counts.\nfunc F%d(t T) %s {\n\treturn %s\n}\n\n", k, k, result, value)
		}
		b.WriteString("func name(k int) string {\n\tswitch k {\n")
		for _, k := range order {
			fmt.Fprintf(&b, "\tcase %d:\n\t\treturn \"field %d\"\n", k, k)
		}
		b.WriteString("\t}\n\treturn \"\"\n}\n")
		builder := random.IntN(2) == 0
		if builder {
			a.WriteString("package a\n\nimport (\n\t\"example.org/m/b\"\n\t\"strings\"\n)\n\n")
		} else {
			a.WriteString("package a\n\nimport (\n\t\"example.org/m/b\"\n)\n\n")
		}
		for k := range functions {
			fmt.Fprintf(&a, "// G%d calls.\nfunc G%d() int {\n", k, k)
			if random.IntN(2) == 0 {
				fmt.Fprintf(&a, "\tt := b.T{Field%d: %s}\n\t// and\n", k%2, []string{"1", `"a b"`}[k%2])
			} else {
				a.WriteString("\tvar t b.T\n\tt.Field0 = 2\n\t// and\n")
			}
			if pairs[k] {
				fmt.Fprintf(&a, "\tn, err := b.F%d(t)\n\t// or\n\tif err != nil {\n\t\treturn 0\n\t}\n", k)
			} else {
				fmt.Fprintf(&a, "\tn := b.F%d(t)\n", k)
			}
			a.WriteString("\t// then\n\treturn n\n}\n\n")
		}
		a.WriteString("func text() string {\n")
		if builder {
			a.WriteString("\tvar w strings.Builder\n\tw.WriteString(\"x\")\n\t// text\n\treturn w.String()\n}\n")
		} else {
			a.WriteString("\tw := []byte(\"x\")\n\t// text\n\treturn string(w)\n}\n")
		}
		fmt.Fprintf(&tests, "package b\n\nimport \"testing\"\n\nfunc TestName(t *testing.T) {\n\tif name(%d) == \"\" {\n\t\tt.Error(T{Field%d: %s})\n\t}\n",
			order[0], order[0], []string{"1", `"1"`}[order[0]%2])
		if pairs[0] {
			tests.WriteString("\t_, err := F0(T{})\n\t_ = err\n")
		}
		tests.WriteString("}\n")
		sides[which] = map[string]string{
			"go.mod": "module example.org/m\n\ngo 1.22\n", "a/a.go": a.String(), "b/b.go": b.String(), "b/b_test.go": tests.String(),
			"b/same.go": "package b\n\nfunc same() string { return name(1) }\n\nvar _ = same\n", "b/other_plan9.go": "package b\n\nfunc same() int { return 1 }\n",
		}
	}
	return sides
}

// What Compile says of a mixture is what the compiler says, word for word: all of it, and nothing else but of tests of a package with
// an error, and of packages that import it, which the go command does not compile.
func TestCompileAgainstCompiler(t *testing.T) {
	rounds := 6
	if testing.Short() {
		rounds = 1
	}
	random := rand.New(rand.NewPCG(seed.New(t), 1))
	standard := gostandard.New()
	errors, clean := 0, 0
	for range rounds {
		sides := goModule(random)
		s := between(t, repository(t, edit{"good", sides[0]}, edit{"bad", sides[1]}), "r0", "r1")
		if s.Len() < 4 {
			continue
		}
		p := plan(t, s)
		w := p.Wellformed()
		defer w.Close()
		withTests := p.Wellformed()
		defer withTests.Close()
		dir := t.TempDir()
		for _, applied := range [][]int{nil, upTo(s.Len()), subset(random, s.Len()), subset(random, s.Len())} {
			tree, err := s.Compose(slices.Values(applied))
			if err != nil {
				t.Fatal(err)
			}
			for name, content := range sides[0] {
				if f, differs := tree.File(name); differs {
					text, err := s.Content(f)
					if err != nil {
						t.Fatal(err)
					}
					content = string(text)
				}
				if err := os.MkdirAll(filepath.Join(dir, path.Dir(name)), 0o777); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o666); err != nil {
					t.Fatal(err)
				}
			}
			for _, tests := range []bool{false, true} {
				args := []string{"build", "-gcflags=-e", "./..."}
				checks := w
				if tests {
					args, checks = []string{"test", "-vet=off", "-run=^$", "-gcflags=-e", "./..."}, withTests
				}
				command := exec.CommandContext(t.Context(), "go", args...)
				command.Dir = dir
				command.Env = append(os.Environ(), "GOFLAGS=", "GOWORK=off", "GOTOOLCHAIN=local", "GO111MODULE=on")
				output, _ := command.CombinedOutput()
				want := errorLines(string(output))
				got := errorLines(string(checks.Compile(slices.Values(applied), standard, tests)))
				for _, line := range want {
					if !slices.Contains(got, line) {
						t.Errorf("%v, tests %v: the compiler says %q, and Compile does not:\n%s", applied, tests, line, strings.Join(got, "\n"))
					}
				}
				inB := slices.ContainsFunc(want, func(line string) bool { return strings.HasPrefix(line, "b/") })
				for _, line := range got {
					if !slices.Contains(want, line) && !(inB && (strings.HasPrefix(line, "a/") || strings.HasPrefix(line, "b/b_test.go"))) {
						t.Errorf("%v, tests %v: Compile says %q, and the compiler does not:\n%s", applied, tests, line, output)
					}
				}
				if errors += len(want); len(want) == 0 {
					clean++
				}
			}
		}
	}
	if t.Logf("%d errors, and %d mixtures or ends without", errors, clean); errors == 0 || clean == 0 {
		t.Errorf("there are %d errors, and %d mixtures or ends without", errors, clean)
	}
}

// errorLines returns the lines of a compiler's output that have a place in a source; what follows up on an error is not among them.
func errorLines(output string) (list []string) {
	for line := range strings.Lines(output) {
		if line = strings.TrimRight(line, "\n"); strings.HasPrefix(line, "a/") || strings.HasPrefix(line, "b/") {
			list = append(list, line)
		}
	}
	return list
}

// An import of what is not read has no error, but if its name is not used; nor has what depends on it.
func TestCompileUnread(t *testing.T) {
	old := "package p\n\nimport (\n\t\"fmt\"\n\n\t\"example.org/yaml/v3\"\n)\n\nfunc f() {\n\tx := yaml.New(1, 2)\n\t// one\n\tfmt.Println(x.Any.Thing + 1)\n}\n"
	new := "package p\n\nimport (\n\t\"fmt\"\n)\n\nfunc f() {\n\tx := 1\n\t// one\n\tfmt.Println(x + 1)\n}\n"
	s := between(t, repository(t, edit{"good", map[string]string{"p.go": old}}, edit{"bad", map[string]string{"p.go": new}}), "r0", "r1")
	if s.Len() != 3 {
		t.Fatalf("%d changes", s.Len())
	}
	w := plan(t, s).Wellformed()
	defer w.Close()
	for _, c := range []struct {
		applied []int
		want    string
	}{
		{nil, ""},
		{[]int{0, 1, 2}, ""},
		{[]int{2}, ""}, // what x has is not known
		{[]int{1, 2}, "p.go:6:2: \"example.org/yaml/v3\" imported and not used\n"},
		{[]int{0}, "p.go:8:7: undefined: yaml\n"},
		{[]int{1}, "p.go:6:2: \"example.org/yaml/v3\" imported and not used\np.go:12:16: x.Any undefined (type int has no field or method Any)\n"},
	} {
		for range 2 { // the second answer is known
			if got := string(w.Compile(slices.Values(c.applied), gostandard.New(), false)); !sameLines(got, c.want) {
				t.Errorf("%v: got %q, want %q", c.applied, got, c.want)
			}
		}
	}
	var none *grouping.Wellformed
	if got := none.Compile(slices.Values([]int{1}), nil, false); got != nil {
		t.Errorf("%q", got)
	}
}

// A package that a configuration has no source of cannot be imported.
func TestCompileAbsent(t *testing.T) {
	module := "module example.org/m\n"
	old := "package m\n\nimport \"example.org/m/old\"\n\nvar X = old.X\n"
	new := "package m\n\nimport \"example.org/m/new\"\n\nvar X = new.X\n"
	s := between(t, repository(t,
		edit{"good", map[string]string{"go.mod": module, "m.go": old, "old/old.go": "package old\n\nvar X = 1\n"}},
		edit{"bad", map[string]string{"m.go": new, "new/new.go": "package new\n\n// X is 2.\nvar X = 2\n\nvar Y, Z = X, 3\n", "old/old.go": ""}},
	), "r0", "r1")
	var uses, added []int // applied for the package that is new; the package itself
	for i, c := range s.Changes {
		switch c.Path {
		case "m.go":
			uses = append(uses, i)
		case "new/new.go":
			added = append(added, i)
		}
	}
	w := plan(t, s).Wellformed()
	defer w.Close()
	for _, c := range []struct {
		applied []int
		want    string
	}{
		{uses, "m.go:3:8: no required module provides package example.org/m/new\n"},
		{slices.Concat(uses, added), ""},
		{added, ""},
	} {
		if got := string(w.Compile(slices.Values(c.applied), gostandard.New(), false)); !sameLines(got, c.want) {
			t.Errorf("%v of %d: got %q, want %q", c.applied, s.Len(), got, c.want)
		}
	}
}

// sameLines reports whether two texts have the same lines, in any order.
func sameLines(a, b string) bool {
	return slices.Equal(slices.Sorted(strings.Lines(a)), slices.Sorted(strings.Lines(b)))
}

package reduce

import (
	"context"
	"fmt"
	"math/bits"
	"math/rand/v2"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/gitdd/gitdd/internal/seed"
	"github.com/gitdd/gitdd/internal/syntax"
	"github.com/gitdd/gitdd/isolate"
	"github.com/gitdd/gitdd/testcase"
)

var (
	definitionHead = regexp.MustCompile(`^\s*(?:export )?(?:func|def|function|const|int|var) (?:\(\w+ \w+\) )?(\w+)`)
	methodHead     = regexp.MustCompile(`^func \(`)
)

// definitions reads declarations that begin with a word such as func on a line of their own, and end with
// the last line behind that is not empty.
func definitions(_ string, content []byte) (list []Declaration) {
	lines := strings.Split(string(content), "\n")
	for i, line := range lines {
		name := definitionHead.FindStringSubmatch(line)
		if name == nil {
			continue
		}
		to := i + 1
		for to < len(lines) && strings.TrimSpace(lines[to]) != "" {
			to++
		}
		list = append(list, Declaration{Name: name[1], Member: methodHead.MatchString(line), From: i + 1, To: to})
	}
	return list
}

// projects have a text that has to stay, and what has to be with it.
var projects = map[string]struct {
	needed string
	from   testcase.Input
	to     testcase.Input
	trials int // at most
}{
	"go": {
		`zero(v)`,
		directory(
			"go.mod", "module p\n\nrequire example.com/far/away v1.0.0\n\nrequire example.com/used v1.2.0\n",
			"README.md", "The function near is not here.\n",
			"a.go", "package p\n\nimport (\n\t\"fmt\"\n\t\"example.com/far/away\"\n)\n\nfunc near() {\n\taway.Go(fmt.Sprint())\n}\n",
			"b.go", "package p\n\nimport (\n\t\"example.com/used\"\n\t\"fmt\"\n)\n\nfunc first(v int) {\n\tused.Show(fmt.Sprint(second(v)))\n}\n\nfunc second(v int) bool {\n\treturn zero(v)\n}\n\nfunc zero(v int) bool {\n\treturn v == 0\n}\n",
			"b_test.go", "package p\n\nfunc TestFirst() {\n\tfirst(1)\n\tnear()\n}\n",
		),
		directory("b.go", "package p\n\nimport (\n\t\n)\n\nfunc second(v int) bool {\n\treturn zero(v)\n}\n\nfunc zero(v int) bool {\n\treturn v == 0\n}\n"),
		6,
	},
	"javascript": {
		`size(3)`,
		directory(
			"package.json", "{\n  \"dependencies\": {\n    \"left-pad\": \"1\",\n    \"lodash\": \"4\"\n  }\n}\n",
			"dist/all.js", "function size(a) { return a; }\n",
			"index.js", "const { size } = require('./lib/size');\n\nconst pad = require('left-pad');\n\nfunction show() { return pad(size(3)); }\n\nfunction other() { return 2; }\n",
			"lib/size.js", "const _ = require('lodash');\n\nfunction size(a) { return a + 1; }\n\nmodule.exports = { size };\n",
		),
		directory(
			"package.json", "{\n  \"dependencies\": {\n    \"left-pad\": \"1\"\n  }\n}\n",
			"index.js", "const { size } = require('./lib/size');\n\nconst pad = require('left-pad');\n\nfunction show() { return pad(size(3)); }\n",
			"lib/size.js", "function size(a) { return a + 1; }\n\nmodule.exports = { size };\n",
		),
		5,
	},
	"python": {
		`half(b)`,
		directory(
			"setup.py", "from setuptools import setup\nsetup()\n",
			"main.py", "import sys\nimport json\nfrom tool import run, stop\n\ndef start():\n    return run(1)\n\ndef end():\n    json.dumps(stop())\n\nsys.exit(start())\n",
			"tool/__init__.py", "from .work import run\nfrom .rest import stop\n",
			"tool/rest.py", "import os\n\ndef stop():\n    return os.name\n",
			"tool/work.py", "import math\nimport re\n\ndef run(a):\n    return half(a)\n\ndef half(a):\n    b = a / 2\n    return math.floor(b)\n\ndef other(b):\n    return re.sub(half(b), 2)\n",
		),
		directory("tool/work.py", "import math\nimport re\n\ndef half(a):\n    b = a / 2\n    return math.floor(b)\n\ndef other(b):\n    return re.sub(half(b), 2)\n"),
		6,
	},
	"c": {
		`twice(4)`,
		directory(
			"CMakeLists.txt", "project(p C)\nadd_executable(p main.c)\nadd_executable(q other.c)\n",
			"main.c", "#include <stdio.h>\n#include \"twice.h\"\n#include \"other.h\"\n\nint main(void)\n{\n\treturn twice(4);\n}\n\nint unused(void)\n{\n\treturn other();\n}\n",
			"other.h", "int other(void);\n",
			"other.c", "#include \"other.h\"\n\nint other(void)\n{\n\treturn 2;\n}\n",
			"twice.h", "int twice(int a);\n",
			"twice.c", "#include <math.h>\n#include \"twice.h\"\n\nint twice(int a)\n{\n\treturn 2 * a;\n}\n",
		),
		directory(
			"main.c", "#include <stdio.h>\n#include \"twice.h\"\n\nint main(void)\n{\n\treturn twice(4);\n}\n",
			"twice.h", "int twice(int a);\n",
			"twice.c", "#include <math.h>\n#include \"twice.h\"\n\nint twice(int a)\n{\n\treturn 2 * a;\n}\n",
		),
		5,
	},
	"empty strings": {
		`return ""`,
		directory(".gitignore", "x\n", "index.js", "function two() { return 1; }\n", "sub/a.js", "function one() { return \"\"; }\n"),
		directory("sub/a.js", "function one() { return \"\"; }\n"),
		4,
	},
	"a version in a path": {
		`func g`,
		directory("a.go", "package p\n\nimport \"example.com/m/v2\"\n\nfunc f() {\n\tm.X()\n}\n\nfunc g() {\n}\n", "b.go", "package p\n\nfunc h() {\n}\n"),
		directory("a.go", "package p\n\nfunc g() {\n}\n"),
		5,
	},
	"an import at the beginning": {
		`def f`,
		directory("a.py", "from b import g\n\ndef f():\n    pass\n\ndef k():\n    g()\n", "b.py", "def g():\n    pass\n"),
		directory("a.py", "def f():\n    pass\n"),
		5,
	},
	"an import with words before it": {
		`func run`,
		directory("main.rs", "#![allow(unused)]\n\npub use a::B;\n\nfunc run() {\n\tB()\n}\n", "a.rs", "func B() {\n}\n\nfunc C() {\n}\n"),
		directory("main.rs", "#![allow(unused)]\n\npub use a::B;\n\nfunc run() {\n\tB()\n}\n", "a.rs", "func B() {\n}\n"),
		5,
	},
	"a manifest and files of one name": {
		`"main": "lib`,
		directory(
			"package.json", "{\n  \"main\": \"lib/index.js\"\n}\n", "lib/index.js", "function one() { return 1; }\n",
			"other/index.js", "function two() { return 2; }\n",
		),
		directory("package.json", "{\n  \"main\": \"lib/index.js\"\n}\n", "lib/index.js", "\n"),
		5,
	},
}

// TestClosures shows what the pass leaves of small projects.
func TestClosures(t *testing.T) {
	if !syntax.Parses(syntax.Python) {
		t.Skip("needs the grammars, and so cgo")
	}
	for name, p := range projects {
		needed := fails(func(in testcase.Input) bool { return strings.Contains(contents(in), p.needed) })
		result, err := Reduce(t.Context(), p.from, needed, Options{Passes: []string{"closures"}, Declarations: definitions})
		if err != nil {
			t.Fatal(err)
		}
		if got, want := contents(result.Output), contents(p.to); got != want || result.Trials > p.trials {
			t.Errorf("%s: after %d trials, of at most %d, there is\n%s\nnot\n%s", name, result.Trials, p.trials, got, want)
		}
	}
}

// randomProject has functions in files of Go, each of which calls some of those before it.
func randomProject(r *rand.Rand) (in testcase.Input, calls [][]int) {
	n := 2 + r.IntN(40)
	texts := make([]string, 2+r.IntN(6))
	for i := range texts {
		texts[i] = "package p\n"
	}
	for i := range n {
		var called []int
		var lines []string
		for range min(i, r.IntN(3)) {
			called = append(called, r.IntN(i))
			lines = append(lines, fmt.Sprintf("\tcall%d()\n", called[len(called)-1]))
		}
		calls = append(calls, called)
		texts[r.IntN(len(texts))] += fmt.Sprintf("\nfunc call%d() {\n%s}\n", i, strings.Join(lines, ""))
	}
	in.Dir = true
	for i, text := range texts {
		in.Files = append(in.Files, testcase.File{Path: fmt.Sprintf("%c.go", 'a'+i), Mode: 0o644, Content: []byte(text)})
	}
	return in, calls
}

// defined returns the functions that an input has, and whether each that is called is one of them.
func defined(in testcase.Input) (functions []string, builds bool) {
	var called []string
	for _, f := range in.Files {
		for line := range strings.Lines(string(f.Content)) {
			switch name := strings.TrimSpace(line); {
			case strings.HasPrefix(line, "func "):
				functions = append(functions, strings.TrimSuffix(strings.TrimPrefix(name, "func "), "() {"))
			case strings.HasPrefix(line, "\t"):
				called = append(called, strings.TrimSuffix(name, "()"))
			}
		}
	}
	slices.Sort(functions)
	for _, name := range called {
		if _, found := slices.BinarySearch(functions, name); !found {
			return functions, false
		}
	}
	return functions, true
}

// In random projects every input that the pass asks about can be built, what stays is what the needed functions
// lead to, by brute force, and neither the answer nor the path depends on the number of jobs.
func TestRandomClosures(t *testing.T) {
	r := rand.New(rand.NewPCG(seed.New(t), 0))
	rounds := 100
	if testing.Short() {
		rounds = 10
	}
	for range rounds {
		in, calls := randomProject(r)
		var needed, want []string
		var lead func(i int)
		lead = func(i int) {
			name := fmt.Sprintf("call%d", i)
			if slices.Contains(want, name) {
				return
			}
			want = append(want, name)
			for _, called := range calls[i] {
				lead(called)
			}
		}
		for range 1 + r.IntN(2) {
			i := r.IntN(len(calls))
			needed = append(needed, fmt.Sprintf("call%d", i))
			lead(i)
		}
		slices.Sort(want)
		test := func(_ context.Context, in testcase.Input) (isolate.Outcome, error) {
			functions, builds := defined(in)
			if !builds {
				t.Errorf("what cannot be built is asked about: %s", contents(in))
			}
			if slices.ContainsFunc(needed, func(name string) bool { return !slices.Contains(functions, name) }) {
				return isolate.Pass, nil
			}
			return isolate.Fail, nil
		}
		var first Result
		var path []Step
		for jobs := 1; jobs <= 3; jobs++ {
			var steps []Step
			result, err := Reduce(t.Context(), in, test, Options{
				Passes: []string{"closures"}, Declarations: definitions, Jobs: jobs, Observe: func(s Step) { steps = append(steps, s) },
			})
			if err != nil {
				t.Fatal(err)
			}
			if jobs == 1 {
				first, path = result, steps
			} else if !reflect.DeepEqual(result, first) || !slices.Equal(steps, path) {
				t.Fatalf("%d jobs come to another result", jobs)
			}
		}
		if got, _ := defined(first.Output); !slices.Equal(got, want) {
			t.Fatalf("%v is needed, so %v has to stay; %v does in %s", needed, want, got, contents(in))
		}
		s, n := len(needed), len(calls)+len(in.Files)
		if most := 3 + 2*s + s*bits.Len(uint(n)); first.Trials > most {
			t.Fatalf("%d trials for %d of %d, want at most %d", first.Trials, s, n, most)
		}
	}
}

// Directories of pieces of real files, cut anywhere, are read without panic, and what stays for closed sets of
// their units is a part of them.
func TestClosuresOfAnything(t *testing.T) {
	seed.SkipLong(t, 4)
	r := rand.New(rand.NewPCG(seed.New(t), 0))
	var real []testcase.File
	for _, name := range []string{"../go.mod", "../Makefile", "../README.md", "units.go", "project.go", "../docs/schema/result-1.json", "../.ci/run", "../trial/wrapper.sh", "testdata"} {
		content, err := os.ReadFile(name)
		if err == nil {
			real = append(real, testcase.File{Path: strings.TrimPrefix(name, "../"), Mode: 0o644, Content: content})
		}
	}
	if len(real) < 6 {
		t.Fatalf("of this source there are %d files", len(real))
	}
	for range 60 {
		in := testcase.Input{Dir: true}
		for i, f := range real {
			switch from := r.IntN(len(f.Content)); r.IntN(3) {
			case 0:
				f.Content = f.Content[from:min(len(f.Content), from+r.IntN(3000))]
			case 1:
				f.Content = f.Content[:min(len(f.Content), r.IntN(6000))]
			default:
				f.Path, f.Content = fmt.Sprintf("%d/package.json", i), f.Content[:0]
			}
			in.Files = append(in.Files, f)
		}
		reduction := newReduction(in, nil, Options{Declarations: definitions})
		p := reduction.project()
		graph := isolate.Problem{N: len(p.units), Predicted: p.requires}
		for range 20 {
			some := graph.With(isolate.Of(len(p.units), r.IntN(len(p.units)), r.IntN(len(p.units))))
			got, ok := p.only(in, some)
			if ok && got.Size() > in.Size()+int64(len(in.Files)) {
				t.Fatalf("%d of %d bytes stay", got.Size(), in.Size())
			}
		}
	}
}

package suite

import (
	"bytes"
	"context"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gitdd/gitdd/internal/seed"
	"github.com/gitdd/gitdd/isolate"
	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"
)

// A project is a directory with tests and the program that runs them.
type project struct {
	dir string
	run []string
	env []string
}

// newProject writes the files of testdata/projects/NAME.txtar to a directory. It skips the test if the program is not
// there.
func newProject(t *testing.T, name string, run ...string) project {
	t.Helper()
	if _, err := exec.LookPath(run[0]); err != nil {
		t.Skipf("%s is not installed", run[0])
	}
	archive, err := txtar.ParseFile(filepath.Join("testdata", "projects", name+".txtar"))
	if err != nil {
		t.Fatal(err)
	}
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range archive.Files {
		file := filepath.Join(dir, filepath.FromSlash(f.Name))
		if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, f.Data, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return project{dir: dir, run: run}
}

// output is what the program prints. Tests fail, so its exit status says nothing.
func (p project) output(t *testing.T, args ...string) []byte {
	t.Helper()
	ctx, stop := context.WithTimeout(t.Context(), 5*time.Minute)
	defer stop()
	args = slices.Concat(p.run[1:], args)
	cmd := exec.CommandContext(ctx, p.run[0], args...)
	cmd.Dir, cmd.Env, cmd.WaitDelay = p.dir, append(os.Environ(), p.env...), time.Minute
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	err := cmd.Run()
	if _, exited := err.(*exec.ExitError); err != nil && !exited || ctx.Err() != nil {
		t.Fatalf("%s %q: %v", p.run[0], args, err)
	}
	return out.Bytes()
}

// report runs the program and reads what it prints, in the format that is detected, which must be format.
func (p project) report(t *testing.T, format string, args ...string) Report {
	t.Helper()
	text := p.output(t, args...)
	f, ok := Detect(text)
	if !ok || f.String() != format {
		t.Fatalf("what %s prints is taken for %q:\n%s", p.run[0], f, text)
	}
	return read(t, format, string(text), p.dir)
}

// outcomes are the tests of a report, by outcome, and what did not run.
func outcomes(r Report) string {
	var text strings.Builder
	for _, o := range []isolate.Outcome{isolate.Pass, isolate.Fail, isolate.Unresolved} {
		for _, t := range r.Tests {
			if t.Outcome == o {
				text.WriteString(o.String() + " " + t.Name + "\n")
			}
		}
	}
	for _, name := range r.NotRun {
		text.WriteString("not run " + name + "\n")
	}
	return text.String()
}

// expect compares the outcomes of a report with the file NAME.want.
func expect(t *testing.T, r Report, name string) {
	t.Helper()
	name = filepath.Join("testdata", "projects", name+".want")
	got := outcomes(r)
	if *update {
		if err := os.WriteFile(name, []byte(got), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("incomplete %q, -want +got\n%s", r.Incomplete, diff)
	}
}

// selected runs the program for some tests of a report, and holds it to running them all, with the same outcomes.
func (p project) selected(t *testing.T, format string, whole Report, names []string, before ...string) {
	t.Helper()
	f, err := ParseFormat(format)
	if err != nil {
		t.Fatal(err)
	}
	args, ok := f.Select(names)
	if !ok {
		t.Fatalf("%q cannot be selected", names)
	}
	args = append(before, args...)
	r := p.report(t, format, args...)
	for _, name := range names {
		if got, want := r.Outcome(name), whole.Outcome(name); got != want {
			t.Errorf("%q: %q is %v, want %v\n%s", args, name, got, want, outcomes(r))
		}
	}
}

func TestRunGo(t *testing.T) {
	seed.SkipLong(t, 4)
	p := newProject(t, "go", "go", "test", "-json", "-timeout", "10s")
	p.env = []string{"GOFLAGS=", "GOWORK=off", "GOTOOLCHAIN=local"}
	r := p.report(t, "go", "./...")
	expect(t, r, "go")
	var names []string
	for _, test := range r.Tests {
		if strings.HasPrefix(test.Name, "example.com/shop/a.") || strings.HasPrefix(test.Name, "example.com/shop/f") {
			names = append(names, test.Name)
		}
	}
	random := rand.New(rand.NewPCG(seed.New(t), 0))
	for range 4 {
		random.Shuffle(len(names), func(i, j int) { names[i], names[j] = names[j], names[i] })
		p.selected(t, "go", r, names[:1+random.IntN(4)])
	}
}

func TestRunPytest(t *testing.T) {
	python := "python3"
	if exec.Command(python, "-m", "pytest", "--version").Run() != nil {
		python = "/usr/bin/python3"
		if err := exec.Command(python, "-m", "pytest", "--version").Run(); err != nil {
			t.Skipf("pytest is not installed: %v", err)
		}
	}
	p := newProject(t, "pytest", python, "-m", "pytest", "-p", "no:cacheprovider", "-p", "no:randomly", "--color=yes", "--continue-on-collection-errors")
	p.env = []string{"PYTHONDONTWRITEBYTECODE=1", "PYTEST_ADDOPTS=", "COLUMNS=200"}
	r := p.report(t, "pytest", "-v", "--junit-xml=report.xml")
	expect(t, r, "pytest")
	all := p.report(t, "pytest", "-rA")
	var names []string
	for _, test := range r.Tests {
		if all.Outcome(test.Name) != test.Outcome && test.Outcome == isolate.Pass {
			t.Errorf("-rA: %q is %v", test.Name, all.Outcome(test.Name))
		}
		if test.Outcome != isolate.Unresolved {
			names = append(names, test.Name)
		}
	}
	p.selected(t, "pytest", r, names, "-v")
	p.file(t, "junit:**/report.xml", "pytest-junit")
}

func TestRunUnittest(t *testing.T) {
	p := newProject(t, "unittest", "python3", "-m", "unittest")
	p.env = []string{"PYTHONDONTWRITEBYTECODE=1", "PYTHONUTF8=1", "PYTHON_COLORS=1"}
	r := p.report(t, "unittest", "-v")
	expect(t, r, "unittest")
	quiet := p.report(t, "unittest")
	if !strings.HasSuffix(quiet.Incomplete, " tests that ran; give unittest -v") {
		t.Errorf("without -v: incomplete %q", quiet.Incomplete)
	}
	var names []string
	for _, test := range r.Tests {
		if is := quiet.Find(test.Name); test.Outcome == isolate.Fail && is.Name != "" && is != test {
			t.Errorf("without -v: %+v, want %+v", is, test)
		}
		if test.Outcome != isolate.Unresolved && !strings.Contains(test.Name, ".setUp") && !strings.Contains(test.Name, ".tearDown") {
			names = append(names, test.Name)
		}
	}
	p.selected(t, "unittest", r, names, "-v")
}

// file reads a report that the program has written, and compares it with NAME.want.
func (p project) file(t *testing.T, format, name string) {
	t.Helper()
	f, err := ParseFormat(format)
	if err != nil {
		t.Fatal(err)
	}
	expect(t, f.ReadFiles(os.DirFS(p.dir), p.dir, nil), name)
}

func TestRunNode(t *testing.T) {
	p := newProject(t, "node", "node", "--test")
	if version := string(p.output(t, "--version")); version < "v20" {
		t.Skipf("node is %s", version)
	}
	expect(t, p.report(t, "tap", "--test-reporter=tap"), "node-tap")
	expect(t, p.report(t, "junit", "--test-reporter=junit"), "node-junit")
}

func TestRunCargo(t *testing.T) {
	p := newProject(t, "cargo", "cargo", "test", "--offline")
	p.env = []string{"CARGO_TERM_COLOR=always", "RUST_BACKTRACE=0"}
	r := p.report(t, "cargo", "--no-fail-fast")
	expect(t, r, "cargo")
	var names []string
	for _, test := range r.Tests {
		if !strings.Contains(test.Name, " doc > ") {
			names = append(names, test.Name)
		}
	}
	p.selected(t, "cargo", r, names, "--no-fail-fast", "--tests", "--")
}

func TestRunCTest(t *testing.T) {
	if _, err := exec.LookPath("ctest"); err != nil {
		t.Skip("ctest is not installed")
	}
	p := newProject(t, "ctest", "cmake", ".")
	p.output(t)
	p.run = []string{"ctest", "--output-junit", "report.xml"}
	p.output(t)
	p.file(t, "junit:report.xml", "ctest")
}

func TestRunJest(t *testing.T) {
	p := newProject(t, "jest", "jest", "--json")
	r := p.report(t, "jest")
	expect(t, r, "jest")
	p.selected(t, "jest", r, []string{"src/a.test.js > outer > fails (1.5)", "src/a.test.js > top > level"})
}

func TestRunVitest(t *testing.T) {
	p := newProject(t, "vitest", "vitest", "run", "--globals")
	r := p.report(t, "jest", "--reporter=json")
	expect(t, r, "vitest")
	p.selected(t, "jest", r, []string{"a.test.js > outer > fails", "a.test.js > top > level"}, "--reporter=json")
	expect(t, p.report(t, "junit", "--reporter=junit"), "vitest-junit")
	expect(t, p.report(t, "tap", "--reporter=tap"), "vitest-tap")
}

func TestSelect(t *testing.T) {
	for _, c := range []struct {
		format string
		names  []string
		want   []string
	}{
		{"go", []string{"x.com/y.v2.TestA/b.TestC", "x.com/y.v2.TestA", "x.com/z.Test_d/e", "x.com/z.ExampleÄ"}, []string{"-run", "^(TestA|Test_d|ExampleÄ)$", "x.com/y.v2", "x.com/z"}},
		{"go", []string{"x.com/y.TestA", "x.com/My.Tests"}, []string{"x.com/y", "x.com/My.Tests"}},
		{"go", []string{"command-line-arguments.TestA"}, nil},
		{"cargo", []string{"shop src/lib.rs > a::b", "c"}, []string{"--exact", "a::b", "c"}},
		{"cargo", []string{"shop doc > src/lib.rs - add"}, nil},
		{"cargo", []string{"src/lib.rs - add"}, nil},
		{"jest", []string{"a.js > o > t (1)", "b.js > o > t (1)"}, []string{"-t", `^(?:o (?:> )?t \(1\))$`}},
		{"jest", []string{"a.js"}, nil},
		{"pytest", []string{"a.py::t[1 2]"}, []string{"a.py::t[1 2]"}},
		{"unittest", []string{"tests.test_a.T.test_b", "__main__.T.test_c"}, []string{"tests.test_a.T.test_b", "T.test_c"}},
		{"tap", nil, nil},
	} {
		f, err := ParseFormat(c.format)
		if err != nil {
			t.Fatal(err)
		}
		got, ok := f.Select(c.names)
		if !cmp.Equal(got, c.want) || ok != (c.want != nil) {
			t.Errorf("%s %q: %q, %v", c.format, c.names, got, ok)
		}
	}
}

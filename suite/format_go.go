package suite

import (
	"encoding/json"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/gitdd/gitdd/internal/lazyregexp"
	"github.com/gitdd/gitdd/isolate"
)

// A goEvent is a line of go test -json: see "go doc test2json".
type goEvent struct {
	Action, Package, Test, Output, FailedBuild string
}

// A goPackage is a package of which no end was read.
type goPackage struct {
	running  map[string]*goTest
	output   excerpt
	ran      bool // a test of it began
	panicked bool // a test that ended printed a panic: it ended the binary, too
	unbuilt  bool
}

// A goTest is a test that has not ended.
type goTest struct {
	parent string
	paused bool
	output excerpt
	kept   int // bytes of the room of the builder that it takes until it ends
}

// mostExcerpt is how many bytes an excerpt has: more than a message, which has no escape sequences and no empty lines
// at its ends.
const mostExcerpt = 2 * mostMessage

// An excerpt is the beginning of an output.
type excerpt struct{ strings.Builder }

// add appends a line, as far as there is room for it.
func (e *excerpt) add(line string) {
	e.WriteString(line[:min(len(line), mostExcerpt-e.Len())])
}

func beginsGo(line string) bool {
	var e goEvent
	return strings.HasPrefix(line, "{") && strings.Contains(line, `"Action"`) && json.Unmarshal([]byte(line), &e) == nil && e.Action != ""
}

// readGo reads the events of go test -json; lines of other kinds between them, which programs print, are left out.
//
// A package is a test itself, by the name of its path: it passes or fails as go test says, so that something shows
// that a package fails none of whose tests does. A package without tests is left out.
func readGo(_ Format, b *builder, r io.Reader) {
	packages, any := map[string]*goPackage{}, false
	for line := range lines(r) {
		var e goEvent
		if !strings.HasPrefix(line, "{") || json.Unmarshal([]byte(line), &e) != nil || e.Action == "" {
			continue
		}
		any = true
		if e.Package == "" { // what a build prints
			b.build.WriteString(e.Output[:min(len(e.Output), mostBuild-b.build.Len())])
			continue
		}
		p := packages[e.Package]
		if p == nil {
			if !b.keep(len(e.Package) + perTest) {
				return
			}
			p = &goPackage{running: map[string]*goTest{}}
			packages[e.Package] = p
		}
		switch {
		case e.Test != "":
			p.test(b, e)
		case e.Action == "output":
			p.print(e.Output)
		case e.Action == "pass" || e.Action == "fail" || e.Action == "skip":
			p.end(b, e)
			delete(packages, e.Package)
		}
	}
	if !any {
		b.incomplete("no event of go test -json is in it")
	}
	for _, name := range slices.Sorted(maps.Keys(packages)) {
		packages[name].leave(b, name, isolate.Unresolved)
		b.stopped(name)
	}
}

// test takes an event of a test.
func (p *goPackage) test(b *builder, e goEvent) {
	t := p.running[e.Test]
	if t == nil {
		t = &goTest{parent: p.parent(e), kept: len(e.Test) + perTest}
		if !b.keep(t.kept) {
			return
		}
		p.running[e.Test], p.ran = t, true
	}
	outcome := isolate.Unresolved
	switch e.Action {
	case "pause":
		t.paused = true
		return
	case "cont":
		t.paused = false
		return
	case "output":
		if text := strings.TrimLeft(e.Output, " "); !strings.HasPrefix(text, "=== ") && !strings.HasPrefix(text, "--- ") {
			t.print(b, e.Output)
		}
		return
	case "pass":
		outcome = isolate.Pass
	case "fail":
		outcome = isolate.Fail
		p.panicked = p.panicked || strings.HasPrefix(t.output.String(), "panic: ") || strings.Contains(t.output.String(), "\npanic: ")
	case "skip":
	default:
		return
	}
	b.add(t.result(e.Package, e.Test, outcome))
	delete(p.running, e.Test)
	b.room += t.kept
}

// print takes a line that a test printed.
func (t *goTest) print(b *builder, line string) {
	if t.output.Len() == 0 {
		if !b.keep(mostExcerpt) {
			return
		}
		t.kept += mostExcerpt
	}
	t.output.add(line)
}

func (t *goTest) result(pkg, test string, outcome isolate.Outcome) Result {
	return Result{Name: pkg + "." + test, Parent: t.parent, Outcome: outcome, Message: t.output.String()}
}

// parent is the test that a test begins in. A slash in a name need not separate a subtest from its parent.
func (p *goPackage) parent(e goEvent) string {
	for i := len(e.Test) - 1; i > 0; i-- {
		if e.Test[i] == '/' && p.running[e.Test[:i]] != nil {
			return e.Package + "." + e.Test[:i]
		}
	}
	return e.Package
}

// print takes a line that a package printed outside of its tests.
func (p *goPackage) print(line string) {
	if strings.HasPrefix(line, "FAIL\t") {
		p.unbuilt = p.unbuilt || strings.HasSuffix(line, " [build failed]\n") || strings.HasSuffix(line, " [setup failed]\n")
	} else if line != "FAIL\n" && line != "PASS\n" {
		p.output.add(line)
	}
}

// end takes the event with which a package ends. A test that runs when the binary of a package ends fails, unless
// another test can have ended the binary: then it is unresolved.
func (p *goPackage) end(b *builder, e goEvent) {
	switch {
	case e.Action == "skip":
		return
	case e.FailedBuild != "" || p.unbuilt:
		b.stopped(e.Package)
		return
	case e.Action == "pass":
		p.leave(b, e.Package, isolate.Unresolved)
		b.add(Result{Name: e.Package, Outcome: isolate.Pass})
		return
	}
	if p.panicked || len(p.running) > 0 || !p.ran {
		b.stopped(e.Package)
	}
	outcome := isolate.Unresolved
	if !p.panicked && p.alone() {
		outcome = isolate.Fail
	}
	p.leave(b, e.Package, outcome)
	b.add(Result{Name: e.Package, Outcome: isolate.Fail, Message: p.output.String()})
}

// alone reports whether the tests that run are one test and its parents.
func (p *goPackage) alone() bool {
	longest := ""
	for name, t := range p.running {
		if t.paused {
			continue
		}
		if len(name) > len(longest) {
			longest = name
		}
	}
	for name, t := range p.running {
		if !t.paused && name != longest && !strings.HasPrefix(longest, name+"/") {
			return false
		}
	}
	return true
}

// leave adds the tests that have not ended. A paused one is unresolved.
func (p *goPackage) leave(b *builder, pkg string, outcome isolate.Outcome) {
	for _, name := range slices.Sorted(maps.Keys(p.running)) {
		t := p.running[name]
		if t.paused {
			b.add(t.result(pkg, name, isolate.Unresolved))
			continue
		}
		if t.output.Len() == 0 {
			t.output.add(p.output.String())
		}
		b.add(t.result(pkg, name, outcome))
	}
}

// goName takes apart the name of a test: the path of a package, a function, and the names of subtests.
var goName = lazyregexp.New(`(?s)^(.*?)\.((?:Test|Fuzz|Example|Benchmark)(?:[^\p{Ll}/][^/]*)?)(?:/.*)?$`)

// selectGo returns arguments of go test: -run with a pattern of all functions that the names are tests of, and the
// packages. All subtests of these functions run, and functions of these names in all of the packages. If a name is
// that of a package, all tests of the packages run.
func selectGo(names []string) ([]string, bool) {
	var packages, functions []string
	whole := false
	for _, name := range names {
		if m := goName().FindStringSubmatch(name); m != nil {
			packages, functions = append(packages, m[1]), append(functions, m[2])
		} else {
			packages, whole = append(packages, name), true
		}
	}
	args := unique(packages)
	if args[0] == "command-line-arguments" { // the package of files that were named
		return nil, false
	}
	if !whole {
		args = append([]string{"-run", "^(" + alternatives(unique(functions)) + ")$"}, args...)
	}
	return args, true
}

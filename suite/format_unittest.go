package suite

import (
	"io"
	"path"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/gitdd/gitdd/internal/lazyregexp"
	"github.com/gitdd/gitdd/isolate"
)

const (
	// A method and, in parentheses, its class. Python 3.11 and later have the method behind the class once more.
	unittestTest = `([\w\pL\pN.]+) \(([\w\pL\pN.<>]+)\)`

	// The class of what stands for a module that cannot be imported, or is skipped, and for a name that is not there.
	unittestLoader = "unittest.loader."
)

var (
	unittestDouble = strings.Repeat("=", 70) // stands above a failure
	unittestSingle = strings.Repeat("-", 70) // stands above a traceback, and above the count

	unittestStart   = lazyregexp.New(`^` + unittestTest + ` \.\.\. `)
	unittestNamed   = lazyregexp.New(`^` + unittestTest + `$`)
	unittestOutcome = lazyregexp.New(`^(.*?)(ok|FAIL|ERROR|skipped ['"].*['"]|expected failure|unexpected success)\s*$`)
	unittestHeading = lazyregexp.New(`^(FAIL|ERROR|UNEXPECTED SUCCESS): ` + unittestTest)
	unittestFixture = lazyregexp.New(`^(setUp|tearDown)(?:Class|Module)$`)
	unittestFrame   = lazyregexp.New(`^ +File "(.+)", line (\d+)`)
	unittestRan     = lazyregexp.New(`^Ran (\d+) tests? in \d+\.\d+s$`)
)

func beginsUnittest(line string) bool {
	if m := unittestStart().FindStringSubmatch(line); m != nil {
		said := unittestOutcome().FindStringSubmatch(line[len(m[0]):])
		return strings.HasSuffix(m[2], "."+m[1]) || strings.Contains(m[2], ".") && said != nil && said[1] == ""
	}
	if m := unittestNamed().FindStringSubmatch(line); m != nil {
		return strings.HasSuffix(m[2], "."+m[1])
	}
	m := unittestHeading().FindStringSubmatch(line)
	return m != nil && strings.Contains(m[3], ".") || unittestRan().MatchString(line)
}

// A unittestReader has what was read of a run.
type unittestReader struct {
	b       *builder
	began   bool            // something of a run was read whose end was not
	ended   bool            // the end of a run was read
	started int             // tests of the run that have a line
	failed  map[string]bool // tests of the run that have a block
	said    []Result        // tests of the run whose line says that they fail, each with its outcome if it has no block
	named   []string        // the method and its class if the last line has nothing else: a documentation string may follow
	test    string          // the test that runs, "" if none does
	first   string          // the first outcome of the test with nothing printed before it on its line
	last    string          // the last outcome of the test at the end of a line
	block   *unittestBlock  // the block that is being read
}

// A unittestBlock is what unittest prints of a failure behind all tests.
type unittestBlock struct {
	of     string // the class, or the module
	result Result
	body   bool // the line above the traceback was read
	group  bool // the traceback is one of an exception group, which has a margin
	wants  bool // the next line that is not indented names the exception
}

// readUnittest reads what unittest prints to standard error, with -v a line for each test. What a test prints may stand
// before its outcome, on lines of its own or on one with it. Subtests are part of their test. Behind all tests there is a
// block for each failure, which has its message, and the number of tests. Without -v tests that pass are not named, and
// the report is incomplete. There may be several runs.
func readUnittest(_ Format, b *builder, r io.Reader) {
	b.again = nil
	u, last := &unittestReader{b: b, failed: map[string]bool{}}, ""
	for line := range plainLines(r) {
		if m := unittestHeading().FindStringSubmatch(line); m != nil && last == unittestDouble {
			u.close()
			u.fails(m[1], m[2], m[3])
		} else if m := unittestRan().FindStringSubmatch(line); m != nil && last == unittestSingle {
			u.close()
			u.end(m[1])
		} else if u.block != nil {
			u.block.line(line, b.dir)
		} else {
			u.line(line)
		}
		last = line
	}
	if u.first == "" { // the last line of a test that was cut short need not be its outcome
		u.last = ""
	}
	u.close()
	for _, r := range u.said {
		r.Outcome = isolate.Fail
		b.add(r)
	}
	if u.began || !u.ended {
		b.incomplete("the line of unittest that counts the tests is not in it")
	}
}

// unittestName is the name of a method of a class, which unittest takes as an argument.
func unittestName(method, class string) string {
	if strings.HasSuffix(class, "."+method) {
		return class
	}
	return class + "." + method
}

// line takes a line that is of no block.
func (u *unittestReader) line(line string) {
	m := unittestStart().FindStringSubmatch(line)
	if at := strings.LastIndex(line, " ... "); u.named != nil && m == nil && at >= 0 {
		u.start(u.named[1], u.named[2])
		line = line[at+len(" ... "):]
	}
	for ; m != nil; m = unittestStart().FindStringSubmatch(line) { // before Python 3.11 there is no outcome of a test whose subtests fail
		u.start(m[1], m[2])
		line = line[len(m[0]):]
	}
	u.named = unittestNamed().FindStringSubmatch(line)
	if said := unittestOutcome().FindStringSubmatch(line); said != nil {
		u.last = said[2]
		if said[1] == "" && u.first == "" {
			u.first = said[2]
		}
	}
}

// start takes the beginning of the line of a test, or that of a fixture of a class or module, which is no test.
func (u *unittestReader) start(method, class string) {
	u.close()
	u.began = true
	if unittestFixture().MatchString(method) {
		return
	}
	u.started++
	if !strings.HasPrefix(class, unittestLoader) {
		u.test = unittestName(method, class)
	}
}

// close ends the test that runs, or the block.
func (u *unittestReader) close() {
	if u.block != nil {
		u.closeBlock()
	}
	if u.test != "" {
		said := u.first
		if said == "" {
			said = u.last
		}
		r := Result{Name: u.test, Outcome: unittestOutcomeOf(said)}
		if said == "unexpected success" { // which has a block since Python 3.11 only
			r.Message = said
		}
		if r.Outcome != isolate.Fail || r.Message != "" {
			u.b.add(r)
		} else if u.b.keep(len(r.Name) + perTest) {
			if unittestOutcomeOf(u.last) != isolate.Fail { // what says that it fails may be what the test printed
				r.Outcome = isolate.Pass
			}
			u.said = append(u.said, r)
		}
	}
	u.test, u.first, u.last, u.named, u.block = "", "", "", nil, nil
}

// unittestOutcomeOf is the outcome that unittest prints as said.
func unittestOutcomeOf(said string) isolate.Outcome {
	switch said {
	case "ok", "expected failure":
		return isolate.Pass
	case "FAIL", "ERROR", "unexpected success":
		return isolate.Fail
	}
	return isolate.Unresolved
}

// fails begins a block.
func (u *unittestReader) fails(status, method, class string) {
	u.began = true
	u.block = &unittestBlock{of: class, result: Result{Name: unittestName(method, class), Outcome: isolate.Fail}, wants: true}
	if status == "UNEXPECTED SUCCESS" {
		u.block.result.Message, u.block.wants = strings.ToLower(status), false
	}
	if m := unittestFixture().FindStringSubmatch(method); m == nil {
		if u.b.keep(len(method) + len(class) + perTest) {
			u.failed[u.block.result.Name] = true
		}
	} else if m[1] == "setUp" {
		u.b.stopped(class)
	}
}

// line takes a line below the heading. The message is the line of the exception behind the last traceback.
func (k *unittestBlock) line(line, dir string) {
	k.group = k.group || strings.HasPrefix(line, "  + Exception Group Traceback ")
	if k.group {
		line = strings.TrimPrefix(strings.TrimLeft(line, " "), "| ")
	}
	switch m := unittestFrame().FindStringSubmatch(line); {
	case !k.body:
		k.body = line == unittestSingle
	case strings.HasSuffix(line, "Traceback (most recent call last):"):
		k.wants = !strings.HasPrefix(k.of, unittestLoader)
	case m != nil:
		if file := strings.TrimPrefix(filepath.ToSlash(m[1]), dir); path.Ext(file) == ".py" && !filepath.IsAbs(file) {
			k.result.File = file
			k.result.Line, _ = strconv.Atoi(m[2])
		}
	case line == "Stdout:" || line == "Stderr:": // with -b, what the test printed follows
		k.wants, k.body = false, false
	case k.wants && line != "" && line[0] != ' ':
		k.result.Message, k.wants = line, false
	}
}

// closeBlock takes the failure of a block. The block of a name that was asked for and is not there is of no test.
func (u *unittestReader) closeBlock() {
	switch r := u.block.result; {
	case !strings.HasPrefix(u.block.of, unittestLoader):
		u.b.add(r)
	case !strings.HasPrefix(r.Message, "AttributeError: "):
		u.b.stopped(strings.TrimPrefix(r.Name, unittestLoader+"_FailedTest."))
	}
}

// end takes the number of tests, which ends a run.
func (u *unittestReader) end(count string) {
	for _, r := range u.said {
		u.b.add(r) // a block of the test counts more, and was added before
	}
	named := max(u.started, len(u.failed))
	if n, err := strconv.Atoi(count); err == nil && n > named {
		u.b.incomplete("it names %d of the %d tests that ran; give unittest -v", named, n)
	}
	u.began, u.ended, u.started, u.said = false, true, 0, nil
	clear(u.failed)
}

// selectUnittest returns the names, which a file that calls unittest.main takes without that of its own module.
func selectUnittest(names []string) ([]string, bool) {
	var args []string
	for _, name := range names {
		args = append(args, strings.TrimPrefix(name, "__main__."))
	}
	return args, true
}

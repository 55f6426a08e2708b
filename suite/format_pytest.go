package suite

import (
	"io"
	"strconv"
	"strings"

	"github.com/gitdd/gitdd/internal/lazyregexp"
	"github.com/gitdd/gitdd/isolate"
)

const pytestStatus = `(PASSED|FAILED|ERROR|SKIPPED|XFAIL|XPASS)`

var (
	pytestSection = lazyregexp.New(`^=+ (.+) =+$`)
	pytestVerbose = lazyregexp.New(`^(\S.*?) ` + pytestStatus + `(?: \(.*\))?(?:\s+\[ *\d+%\])?\s*$`)
	pytestXdist   = lazyregexp.New(`^\[gw\d+\] \[ *\d+%\] ` + pytestStatus + ` (\S.*?)\s*$`)
	pytestSummary = lazyregexp.New(`^` + pytestStatus + ` (.+?)\s*$`)
	pytestEnds    = lazyregexp.New(`^(?:=+ )?((?:\d+ \w+(?:, )?)+|no tests ran) in [\d.]+s`)
	pytestPassed  = lazyregexp.New(`\b(\d+) passed`)
	pytestAbsent  = lazyregexp.New(`^ERROR: (?:file or directory )?not found: (.+?)\s*$`)
	pytestStops   = lazyregexp.New(`^!+ (.+?) !+$`)
)

func beginsPytest(line string) bool {
	m := pytestSection().FindStringSubmatch(line)
	return m != nil && (m[1] == "test session starts" || m[1] == "short test summary info")
}

// A pytestReader has what was read of an output.
type pytestReader struct {
	b       *builder
	section string
	passed  map[string]bool
}

// readPytest reads the output of pytest: the lines of -v, which stand before the section of failures, and the
// summary, in which -rA lists all tests. A name is a node id. Without -v or -rA the tests that pass are not named,
// and the report is incomplete.
func readPytest(_ Format, b *builder, r io.Reader) {
	b.again = nil
	p, ended := &pytestReader{b: b, passed: map[string]bool{}}, false
	for line := range plainLines(r) {
		if m := pytestEnds().FindStringSubmatch(line); m != nil {
			ended = true
			p.end(m[1])
		} else if m := pytestSection().FindStringSubmatch(line); m != nil {
			p.section = m[1]
		} else if m := pytestStops().FindStringSubmatch(line); m != nil && p.section == "short test summary info" {
			advice := ""
			if strings.HasSuffix(m[1], " during collection") {
				advice = "; give it --continue-on-collection-errors"
			}
			b.incomplete("pytest says: %s%s", m[1], advice)
		} else if m := pytestAbsent().FindStringSubmatch(line); m != nil && len(b.tests) == 0 {
			b.absent = b.name(m[1])
			b.incomplete("pytest does not find %s, and runs no test", b.absent)
		} else {
			p.line(line)
		}
	}
	if !ended {
		b.incomplete("the last line of pytest, which counts the tests, is not in it")
	}
}

func (p *pytestReader) line(line string) {
	switch p.section {
	case "test session starts":
		if m := pytestXdist().FindStringSubmatch(line); m != nil {
			p.test(m[1], m[2], "")
		} else if m := pytestVerbose().FindStringSubmatch(line); m != nil && strings.Contains(m[1], "::") {
			p.test(m[2], m[1], "")
		}
	case "short test summary info":
		if m := pytestSummary().FindStringSubmatch(line); m != nil && m[1] != "SKIPPED" { // which has a place, and no id
			id, message := m[2], ""
			if m[1] != "PASSED" {
				id, message = p.split(m[2])
			}
			p.test(m[1], id, message)
		}
	}
}

// split takes a line of the summary apart, in which a message may follow an id. Both may contain " - ": an id that was
// read before is believed first, then one with its parameters in brackets.
func (p *pytestReader) split(text string) (id, message string) {
	const dash = " - "
	if _, known := p.b.at[text]; known {
		return text, ""
	}
	for end := strings.LastIndex(text, dash); end > 0; end = strings.LastIndex(text[:end], dash) {
		if _, known := p.b.at[text[:end]]; known {
			return text[:end], text[end+len(dash):]
		}
	}
	for from := 0; ; {
		at := strings.Index(text[from:], dash)
		if at < 0 {
			return text, ""
		}
		end := from + at
		if id := text[:end]; !strings.Contains(id, "[") || strings.HasSuffix(id, "]") {
			return id, text[end+len(dash):]
		}
		from = end + len(dash)
	}
}

func (p *pytestReader) test(status, id, message string) {
	r := Result{Name: id, Outcome: isolate.Fail, Message: message}
	switch status {
	case "PASSED", "XFAIL", "XPASS": // an XPASS that is strict is FAILED
		r.Outcome = isolate.Pass
	case "SKIPPED":
		r.Outcome = isolate.Unresolved
	}
	if r.File, _, _ = strings.Cut(id, "::"); r.File == id { // a file of which no test was collected
		p.b.stopped(id)
		return
	}
	if status == "PASSED" && p.b.keep(perTest) {
		p.passed[id] = true
	}
	p.b.add(r)
}

// end takes the counts of the last line.
func (p *pytestReader) end(counts string) {
	if m := pytestPassed().FindStringSubmatch(counts); m != nil {
		if n, err := strconv.Atoi(m[1]); err == nil && n > len(p.passed) {
			p.b.incomplete("it names %d of the %d tests that pass; give pytest -rA or -v", len(p.passed), n)
		}
	}
}

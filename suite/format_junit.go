package suite

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/gitdd/gitdd/internal/lazyregexp"
	"github.com/gitdd/gitdd/internal/prose"
	"github.com/gitdd/gitdd/isolate"
)

// mostText is how many bytes a tag or a text of XML, or a value of JSON, may have.
const mostText = 32 << 20

var junitStarts = []string{"<?xml", "<testsuite"}

func beginsJUnit(line string) bool {
	line = strings.TrimLeft(line, "\uFEFF \t")
	return strings.HasPrefix(line, junitStarts[1]) || strings.HasPrefix(line, junitStarts[0]) && strings.Contains(line, junitStarts[1])
}

// readJUnit reads documents of JUnit XML, which begin at the beginning of a line. What stands before and between them
// is left out.
//
// The name of a test is that of its class and its own, with a dot if the class is a name of a language, or else as
// "class > test". If they are equal, as in a report of ctest, it is one of them. Without a class, or with "test" as
// node has it, the names of the suites that it is in take its place. A test that passes when a runner runs it again
// (flakyFailure) passes.
func readJUnit(_ Format, b *builder, r io.Reader) {
	in, found := &xmlText{in: bufio.NewReader(r), line: 1}, false
	for in.skip() {
		found = true
		if err := readDocument(b, in); err != nil {
			b.incomplete("line %d: %v", in.line, err)
			return
		}
	}
	if !found {
		b.incomplete("no JUnit XML is in it")
	}
}

// A junitReader has the elements of a document that are open.
type junitReader struct {
	b       *builder
	names   []string // of elements
	suites  []string
	test    *Result
	class   string // its attributes
	name    string
	todo    bool // a failure is expected
	message string
	text    excerpt // of the failure that is open
	output  excerpt
}

// readDocument reads one document to the end of its root. encoding/xml expands no entities but those of XML itself.
func readDocument(b *builder, in *xmlText) error {
	d, j := xml.NewDecoder(in), junitReader{b: b}
	d.CharsetReader = func(_ string, r io.Reader) (io.Reader, error) { return r, nil } // xmlText makes it UTF-8
	for {
		in.left = mostText
		token, err := d.Token()
		if err == io.EOF {
			err = io.ErrUnexpectedEOF
		}
		if err != nil {
			return err
		}
		switch token := token.(type) {
		case xml.StartElement:
			if len(j.names) == mostNested {
				return fmt.Errorf("elements are nested more than %d deep", mostNested)
			}
			j.start(token)
		case xml.CharData:
			j.data(token)
		case xml.EndElement:
			j.end()
			if len(j.names) == 0 {
				return nil
			}
		}
	}
}

func (j *junitReader) start(e xml.StartElement) {
	attributes := map[string]string{}
	for _, a := range e.Attr {
		attributes[a.Name.Local] = a.Value
	}
	j.names = append(j.names, e.Name.Local)
	switch e.Name.Local {
	case "testsuite":
		j.suites = append(j.suites, attributes["name"])
	case "testcase":
		j.startTest(attributes)
	case "failure", "error":
		j.message = attributes["message"]
		if j.test == nil {
			j.b.stopped(cmp.Or(strings.Join(j.suites, " > "), "a suite"))
		} else if j.test.Outcome = isolate.Fail; j.unloaded() {
			j.b.stopped(j.name)
			j.test = nil
		}
	case "skipped":
		if kind := attributes["type"]; j.test != nil {
			j.todo = kind == "pytest.xfail" || kind == "todo"
			j.test.Outcome = isolate.Unresolved
		}
	}
}

func (j *junitReader) startTest(attributes map[string]string) {
	line, _ := strconv.Atoi(attributes["line"])
	j.class, j.name = attributes["classname"], attributes["name"]
	j.test = &Result{
		Name:    junitName(j.suites, j.class, j.name),
		Outcome: isolate.Pass,
		File:    attributes["file"],
		Line:    max(line, 0),
	}
	for _, word := range []string{attributes["status"], attributes["result"]} { // of ctest, and of googletest
		if slices.Contains([]string{"notrun", "disabled", "skipped", "suppressed"}, word) {
			j.test.Outcome = isolate.Unresolved
		}
	}
	j.todo, j.message = false, ""
	j.text.Reset()
	j.output.Reset()
}

// unloaded reports whether the test that fails stands for a file that cannot be loaded: for a module, in a report of
// pytest, or for a suite whose file has its name and that of its class, in one of vitest.
func (j *junitReader) unloaded() bool {
	file := strings.Contains(j.name, ".") && j.name == j.class && len(j.suites) > 0 && j.name == j.suites[len(j.suites)-1]
	return file || j.message == "collection failure"
}

// data takes a text: of a failure, or of what a test printed.
func (j *junitReader) data(text []byte) {
	if j.test == nil || len(j.names) == 0 {
		return
	}
	text = text[:min(len(text), 2*mostMessage)]
	switch j.names[len(j.names)-1] {
	case "failure", "error":
		j.text.add(string(bytes.TrimLeft(text, "\r\n")))
	case "system-out", "system-err":
		j.output.add(string(text))
	}
}

func (j *junitReader) end() {
	name := j.names[len(j.names)-1]
	j.names = j.names[:len(j.names)-1]
	switch {
	case name == "testsuite" && len(j.suites) > 0:
		j.suites = j.suites[:len(j.suites)-1]
	case name == "testcase" && j.test != nil:
		if j.todo {
			j.test.Outcome = isolate.Pass
		}
		message, text := strings.TrimSpace(j.message), j.text.String()
		if !strings.HasPrefix(strings.TrimSpace(text), message) {
			text = message + "\n" + text
		}
		if j.test.Message = text; strings.TrimSpace(text) == "" {
			j.test.Message = j.output.String()
		}
		j.b.add(*j.test)
		j.test = nil
	}
}

// languageName matches the name of a class in a language, or of a suite with parameters in googletest.
var languageName = lazyregexp.New(`^[\w$.]+$|^[\w$]+/[\w$]+$`)

func junitName(suites []string, class, name string) string {
	switch {
	case class == "" || class == "test":
		names := slices.DeleteFunc(slices.Clone(suites), func(suite string) bool { return suite == "" })
		return strings.Join(append(names, name), " > ")
	case class == name:
		return name
	case languageName().MatchString(class) && !strings.Contains(name, " > "):
		return class + "." + name
	}
	return class + " > " + name
}

// An xmlText is a text of XML in which the bytes that XML does not allow are written as in a string literal of Go.
type xmlText struct {
	in   *bufio.Reader
	line int    // the number of the line, from 1
	left int    // bytes that may be read until it is set again
	rest []byte // of a character, to be returned next
}

// skip moves to the next line that begins a document, and reports whether there is one.
func (x *xmlText) skip() bool {
	for {
		space, err := x.in.Peek(1)
		for err == nil && strings.IndexByte(" \t\xEF\xBB\xBF", space[0]) >= 0 {
			x.in.Discard(1)
			space, err = x.in.Peek(1)
		}
		for _, start := range junitStarts {
			if text, _ := x.in.Peek(len(start)); string(text) == start {
				return true
			}
		}
		if _, err := readLine(x.in); err != nil {
			return false
		}
		x.line++
	}
}

// Read makes xmlText an io.Reader. The decoder calls ReadByte.
func (x *xmlText) Read(p []byte) (int, error) {
	if len(p) == 0 {
		return 0, nil
	}
	c, err := x.ReadByte()
	if err != nil {
		return 0, err
	}
	p[0] = c
	return 1, nil
}

// ReadByte returns the next byte.
func (x *xmlText) ReadByte() (byte, error) {
	if x.left--; x.left < 0 {
		return 0, errors.New("a text has more than " + prose.Size(mostText))
	}
	if len(x.rest) > 0 {
		c := x.rest[0]
		x.rest = x.rest[1:]
		return c, nil
	}
	c, err := x.in.ReadByte()
	switch {
	case err != nil:
		return 0, err
	case c == '\n':
		x.line++
	case c < ' ' && c != '\t' && c != '\r':
		return x.begin(prose.Literal(rune(c), 1, c)), nil
	case c >= utf8.RuneSelf:
		x.in.UnreadByte()
		r, size, _ := x.in.ReadRune()
		if size == 1 || r == '\uFFFE' || r == '\uFFFF' {
			return x.begin(prose.Literal(r, size, c)), nil
		}
		return x.begin(string(r)), nil
	}
	return c, nil
}

// begin returns the first byte of a text, and keeps the others.
func (x *xmlText) begin(text string) byte {
	x.rest = append(x.rest[:0], text[1:]...)
	return text[0]
}

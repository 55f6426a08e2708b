package suite

import (
	"bufio"
	"cmp"
	"encoding/json"
	"errors"
	"io"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/gitdd/gitdd/internal/lazyregexp"
	"github.com/gitdd/gitdd/internal/prose"
	"github.com/gitdd/gitdd/isolate"
)

// A jestFile is an element of "testResults" of jest --json and of the reporter json of vitest.
type jestFile struct {
	Name             string
	Status           string
	Message          string
	AssertionResults []struct {
		AncestorTitles  []string
		Title           string
		Status          string
		FailureMessages []string
		Location        *struct{ Line int }
	}
}

func beginsJest(line string) bool {
	return strings.HasPrefix(line, `{"num`) && strings.Contains(line, "TestSuites\":")
}

// mostBegin is how many bytes jestBegins looks at.
const mostBegin = 100

// jestBegins matches the beginning of the JSON of jest, and not that of other objects that programs log.
var jestBegins = lazyregexp.New(`^\{\s*"(?:num\w+|testResults|success|snapshot|openHandles|startTime|wasInterrupted|coverageMap)"`)

// readJest reads the JSON of jest --json or vitest --reporter=json, which may begin on any line of an output. The
// name of a test begins with that of its file.
func readJest(_ Format, b *builder, r io.Reader) {
	in := bufio.NewReader(r)
	for {
		if _, err := in.Peek(1); err != nil {
			b.incomplete("no JSON of jest is in it")
			return
		}
		if begin, _ := in.Peek(mostBegin); jestBegins().Match(begin) {
			break
		}
		if _, err := readLine(in); err != nil {
			b.incomplete("no JSON of jest is in it")
			return
		}
	}
	if err := readJestObject(b, &limited{in, mostText}); err != nil {
		b.incomplete("the JSON of jest: %v", err)
	}
	io.Copy(io.Discard, in)
}

// A limited reader returns an error when more than left bytes are read from it: json.Decoder keeps a whole value.
type limited struct {
	r    io.Reader
	left int
}

func (l *limited) Read(p []byte) (int, error) {
	if l.left <= 0 {
		return 0, errors.New("a value has more than " + prose.Size(mostText))
	}
	n, err := l.r.Read(p)
	l.left -= n
	return n, err
}

// readJestObject reads the object file by file.
func readJestObject(b *builder, in *limited) error {
	d := json.NewDecoder(in)
	if _, err := d.Token(); err != nil {
		return err
	}
	found := false
	for d.More() {
		key, err := d.Token()
		if err != nil {
			return err
		}
		if key != "testResults" {
			var other json.RawMessage
			in.left = mostText
			if err := d.Decode(&other); err != nil {
				return err
			}
			if key == "wasInterrupted" && string(other) == "true" {
				b.incomplete("jest was interrupted")
			}
			continue
		}
		found = true
		if _, err := d.Token(); err != nil {
			return err
		}
		for d.More() {
			var file jestFile
			in.left = mostText
			if err := d.Decode(&file); err != nil {
				return err
			}
			file.add(b)
		}
		if _, err := d.Token(); err != nil {
			return err
		}
	}
	if !found {
		b.incomplete("the JSON has no testResults of jest")
	}
	_, err := d.Token()
	return err
}

// add adds the tests of a file. A file that failed without a test that failed did not load, or not to its end.
func (f jestFile) add(b *builder) {
	name, failed := filepath.ToSlash(f.Name), false
	for _, t := range f.AssertionResults {
		r := Result{
			Name:    strings.Join(append(append([]string{name}, t.AncestorTitles...), t.Title), " > "),
			Message: strings.Join(t.FailureMessages, "\n"),
			File:    name,
		}
		switch t.Status {
		case "passed":
			r.Outcome = isolate.Pass
		case "failed":
			r.Outcome, failed = isolate.Fail, true
		}
		if t.Location != nil {
			r.Line = t.Location.Line
		}
		b.add(r)
	}
	if f.Status == "failed" && !failed {
		b.stopped(cmp.Or(name, "a file"))
	}
}

// selectJest returns arguments of jest or vitest: -t with a regular expression of the titles of all tests. Tests of
// these titles run in all files.
func selectJest(names []string) ([]string, bool) {
	var titles []string
	for _, name := range names {
		_, title, inner := strings.Cut(name, " > ")
		if !inner {
			return nil, false
		}
		titles = append(titles, strings.ReplaceAll(regexp.QuoteMeta(title), " > ", " (?:> )?"))
	}
	return []string{"-t", "^(?:" + strings.Join(unique(titles), "|") + ")$"}, true
}

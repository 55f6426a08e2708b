package failure

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/gitdd/gitdd/internal/lazyregexp"
)

// A Signature finds in what a command printed the text that names its failure:
// the first failing test, the assertion, a stack frame. Two failures with
// different signatures are different failures.
type Signature struct {
	text       string
	expression *regexp.Regexp // nil = that of the first known tool that printed one
}

// AutoSignature is the text of the signature that knows the common tools.
const AutoSignature = "auto"

// NewSignature reads a regular expression, in which ^ and $ are the ends of a
// line, or AutoSignature.
func NewSignature(text string) (*Signature, error) {
	if text == AutoSignature {
		return &Signature{text: text}, nil
	}
	expression, err := regexp.Compile("(?m)" + text)
	if err != nil {
		if _, plain := regexp.Compile(text); plain != nil {
			err = plain // says what the user wrote
		}
		return nil, err
	}
	return &Signature{text: text, expression: expression}, nil
}

// Auto is the signature of AutoSignature.
var Auto = &Signature{text: AutoSignature}

// String returns the text that the signature was read from.
func (s *Signature) String() string { return s.text }

// In returns the signature of an output, that of the named files one behind the
// other, standard output first; "" for none. It is the first match: its groups,
// joined by blanks, if the expression has any, else all of it, on one line and
// cut as a line of output is. It reads each file once and holds little of it.
func (s *Signature) In(names ...string) (string, error) {
	look := s.look()
	for _, name := range names {
		f, err := os.Open(name)
		if errors.Is(err, os.ErrNotExist) {
			continue
		}
		if err != nil {
			return "", fmt.Errorf("look for a signature: %w", err)
		}
		err = look.at(f)
		f.Close()
		if err != nil {
			return "", fmt.Errorf("look for a signature: %w", err)
		}
	}
	return look.text, nil
}

// Of is the signature of outputs that are at hand, as In is of those in files.
func (s *Signature) Of(outputs ...[]byte) string {
	look := s.look()
	for _, output := range outputs {
		if err := look.at(bytes.NewReader(output)); err != nil {
			panic(err) // of memory that cannot be read
		}
	}
	return look.text
}

// A look is at one output after the other.
type look struct {
	*Signature
	best int    // of tools, that printed text
	text string // so far
}

func (s *Signature) look() look { return look{Signature: s, best: len(tools)} }

func (l *look) at(output readerAt) (err error) {
	if l.expression == nil {
		at, found, err := firstOfTools(output, l.best)
		if at < l.best {
			l.best, l.text = at, found
		}
		return err
	}
	if l.text == "" {
		l.text, err = firstMatch(l.expression, output)
	}
	return err
}

type readerAt interface {
	io.Reader
	io.ReaderAt
}

// firstMatch returns what the first match in f says.
func firstMatch(expression *regexp.Regexp, f readerAt) (string, error) {
	at := expression.FindReaderSubmatchIndex(bufio.NewReader(f)) // offsets are those of bytes
	if at == nil {
		return "", nil
	}
	if len(at) > 2 {
		at = at[2:]
	}
	var parts []string
	for ; len(at) > 0; at = at[2:] {
		if at[0] < 0 {
			continue // a group that took no part
		}
		part := make([]byte, min(at[1]-at[0], 4*LineBytes))
		if _, err := f.ReadAt(part, int64(at[0])); err != nil && !errors.Is(err, io.EOF) {
			return "", err
		}
		parts = append(parts, string(part))
	}
	return oneLine(parts), nil
}

// oneLine joins what was found by single blanks. Bytes that are no text are
// written \xff, for the journal holds text, and what differs has to differ there.
func oneLine(parts []string) string {
	var text strings.Builder
	for rest := strings.Join(strings.Fields(strings.Join(parts, " ")), " "); rest != ""; {
		r, size := utf8.DecodeRuneInString(rest)
		if r == utf8.RuneError && size == 1 {
			fmt.Fprintf(&text, `\x%02x`, rest[0])
		} else {
			text.WriteString(rest[:size])
		}
		rest = rest[size:]
	}
	return TrimLine([]byte(text.String()))
}

// A tool prints failures in a way that is known.
type tool struct {
	name       string
	mark       string // in every line that the expression matches
	expression func() *regexp.Regexp
	tests      bool // it names tests that failed
}

// tools are in the order of what says most of a failure: what broke first, then
// which test, then any error. Expressions leave out what differs from one run
// to the next, line numbers above all.
var tools = []tool{
	{"sanitizer", "SUMMARY: ", lazyregexp.New(`SUMMARY: (\w+Sanitizer: [a-z][\w-]+)(?:.* in (\S+))?`), false},
	{"assert", "Assertion", lazyregexp.New("Assertion [`'](.+)' failed"), false},
	{"assert", "Assertion failed: ", lazyregexp.New(`Assertion failed: (.+?)(?:, function| \(\S+: )`), false},
	{"go test", "--- FAIL: ", lazyregexp.New(`--- FAIL: (\S+)`), true},
	{"cargo test", "FAILED", lazyregexp.New(`^test (.+?)(?: \(line \d+\))? \.\.\. FAILED`), true},
	{"pytest", "FAILED ", lazyregexp.New(`^FAILED (\S+)`), true},
	{"pytest", "ERROR ", lazyregexp.New(`^ERROR (\S+\.py\S*)`), true},
	{"unittest", ": ", lazyregexp.New(`^(?:FAIL|ERROR): (\w+ \(\S+\))`), true},
	{"googletest", "[  FAILED  ]", lazyregexp.New(`^\[  FAILED  \] ([^\s,]+\.[^\s,]+)`), true},
	{"junit", "<<< ", lazyregexp.New(`^(?:\[ERROR\] +)?(\S+)(?: --)? +Time elapsed: .*<<< (?:FAILURE|ERROR)!`), true},
	{"gradle", " FAILED", lazyregexp.New(`^(\S+ > .+) FAILED$`), true},
	{"jest", "● ", lazyregexp.New(`^ *● (.+)`), true},
	{"tap", "not ok", lazyregexp.New(`^ *not ok \d+ (?:- )?([^#/\s-][^#]*)`), true}, // node names a file of tests by its whole path
	{"ctest", " - ", lazyregexp.New(`^\s*\d+ - (\S+) \((?:Failed|Timeout|SEGFAULT|Subprocess aborted|[A-Z]\w* ?\w*)\)`), true},
	{"python", "", lazyregexp.New(`^([A-Za-z_][\w.]*)(?::|$)`), false}, // behind the frames of a traceback only
	{"go", "panic: ", lazyregexp.New(`^panic: (.+?)(?: \[recovered\].*)?$`), false},
	{"rust", " panicked at ", lazyregexp.New(`^thread '(?:(?:main|<unnamed>)' (?:\(\d+\) )?panicked at (?:'(.+)', \S+|\S+:\d+: (.+))|(.+?)' (?:\(\d+\) )?panicked at)`), false},
	{"frame", "#0 ", lazyregexp.New(`^\s*#0 .*? in (\w[\w:~]*)`), false},
	{"node", "Error", lazyregexp.New(`^(?:# )?(?:Uncaught )?(\w+Error(?: \[\w+\])?: .+)`), false},
}

// pythonFrame is a line of a Python traceback.
var pythonFrame = lazyregexp.New(`^  File ".*", line \d+, in (.+)`)

// rustMain is what Rust prints above the message of a panic in a thread that is no test. The two lines
// are read as one.
var rustMain = lazyregexp.New(`^thread '(?:main|<unnamed>)' (?:\(\d+\) )?panicked at \S+:$`)

// firstOfTools returns the first failure that the first of tools[:before] in
// their order printed to r, and which that is; before if there is none. It
// looks at one line at a time, and at the first longLine bytes of it.
func firstOfTools(r io.Reader, before int) (at int, text string, err error) {
	lines := bufio.NewReaderSize(r, longLine)
	frame := ""     // of Python, that the traceback is in
	var head []byte // the line before, if it is read as one with this one
	for rest := false; ; {
		line, more, err := lines.ReadLine()
		if errors.Is(err, io.EOF) {
			return before, text, nil
		}
		if err != nil {
			return before, text, err
		}
		behind := rest
		if rest = more; behind {
			continue // the rest of a long line
		}
		if rustMain().Match(line) {
			head = append(bytes.Clone(line), ' ')
			continue
		}
		if head != nil {
			line, head = append(head, line...), nil
		}
		if m := pythonFrame().FindSubmatch(line); m != nil {
			frame = string(m[1])
			continue
		}
		if frame != "" && len(line) > 0 && line[0] == ' ' {
			continue // a line of its source
		}
		for i := range tools[:before] {
			t := &tools[i]
			if t.mark == "" && frame == "" || !bytes.Contains(line, []byte(t.mark)) {
				continue
			}
			m := t.expression().FindSubmatch(line)
			if m == nil {
				continue
			}
			var parts []string
			for _, group := range m[1:] {
				parts = append(parts, string(group))
			}
			if t.mark == "" {
				parts = append(parts, "in "+frame)
			}
			// Invariant: no tool before this one has printed a failure so far.
			before, text = i, t.name+": "+WithoutWorkspaces(oneLine(parts))
			break
		}
		frame = ""
	}
}

const longLine = 64 << 10

package workspace

import (
	"bytes"
	"fmt"
	"strconv"

	"github.com/gitdd/gitdd/internal/lazyregexp"
)

// A section is what a patch does to one file.
type section struct {
	text  []byte   // all of it
	parts [][]byte // its hunks, each with the section's head; nil when they make sense only together
	grows bool     // it adds more lines than it removes
	grow  []bool   // likewise, of each part
}

var hunkHead = lazyregexp.New(`^@@ -\d+(?:,(\d+))? \+\d+(?:,(\d+))? @@`)

// together begins the lines of a section's head that make it more than its hunks.
var together = lazyregexp.New(`^(new file|deleted file|old mode|new mode|rename |copy |similarity |GIT binary|--- /dev/null|\+\+\+ /dev/null)`)

// sections cuts a patch, as git diff or diff -u writes it, into what it does to
// each file. What stands around these (a letter, a signature) is dropped, as git
// apply does. Linear time.
func sections(patch []byte) ([]section, error) {
	var all []section
	var head []byte              // of the section that is read
	var hunks [][]byte           // likewise
	begun, whole := false, false // there is one; its hunks belong together
	end := func() {
		if !begun || len(bytes.TrimSpace(head)) == 0 {
			return
		}
		s := section{text: bytes.Join(append([][]byte{head}, hunks...), nil)}
		total := 0
		for _, h := range hunks {
			n := growth(h)
			total += n
			if !whole && len(hunks) > 1 {
				s.parts = append(s.parts, append(bytes.Clone(head), h...))
				s.grow = append(s.grow, n > 0)
			}
		}
		s.grows = total > 0
		all = append(all, s)
	}
	begin := func() {
		end()
		head, hunks, begun, whole = nil, nil, true, false
	}
	lines := bytes.SplitAfter(patch, []byte{'\n'})
	for i := 0; i < len(lines); i++ {
		line := lines[i]
		next := func() []byte { return lines[min(i+1, len(lines)-1)] }
		switch {
		case bytes.HasPrefix(line, []byte("diff --git ")):
			begin()
			head = append(head, line...)
		case bytes.HasPrefix(line, []byte("--- ")) && bytes.HasPrefix(next(), []byte("+++ ")):
			if !begun || len(hunks) > 0 || bytes.Contains(head, []byte("\n+++ ")) || bytes.HasPrefix(head, []byte("--- ")) {
				begin()
			}
			head = append(append(head, line...), next()...)
			whole = whole || together().Match(line) || together().Match(next())
			i++
		case begun && hunkHead().Match(line):
			n, err := hunkLines(lines[i:])
			if err != nil {
				return nil, fmt.Errorf("line %d: %w", i+1, err)
			}
			hunks = append(hunks, bytes.Join(lines[i:i+n], nil))
			i += n - 1
		case begun && len(hunks) == 0: // modes, renames, binary content
			head = append(head, line...)
			whole = whole || together().Match(line)
		}
	}
	end()
	return all, nil
}

// hunkLines returns how many lines the hunk has that begins with the first one,
// by the numbers in its head.
func hunkLines(lines [][]byte) (int, error) {
	m := hunkHead().FindSubmatch(lines[0])
	left := [2]int{1, 1}
	for side, text := range m[1:] {
		if len(text) > 0 {
			var err error
			if left[side], err = strconv.Atoi(string(text)); err != nil {
				return 0, err
			}
		}
	}
	n := 1
	// Invariant: lines[1:n] are of the hunk, and left counts what follows.
	for ; left[0] > 0 || left[1] > 0; n++ {
		if n >= len(lines) || len(lines[n]) == 0 {
			return 0, fmt.Errorf("the patch ends within a hunk")
		}
		switch lines[n][0] {
		case ' ', '\n', '\r': // an editor may have taken away the space of an empty line
			left[0]--
			left[1]--
		case '-':
			left[0]--
		case '+':
			left[1]--
		case '\\':
		default:
			return 0, fmt.Errorf("a hunk has %q where a line of it should be", lines[n])
		}
		if left[0] < 0 || left[1] < 0 {
			return 0, fmt.Errorf("a hunk has more lines than its head says")
		}
	}
	for n < len(lines) && bytes.HasPrefix(lines[n], []byte{'\\'}) { // no newline at the end
		n++
	}
	return n, nil
}

// growth is how many lines a hunk adds.
func growth(hunk []byte) int {
	n := 0
	for i, line := range bytes.SplitAfter(hunk, []byte{'\n'}) {
		switch {
		case i == 0 || len(line) == 0:
		case line[0] == '+':
			n++
		case line[0] == '-':
			n--
		}
	}
	return n
}

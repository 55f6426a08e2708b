package reduce

import (
	"bytes"
	"fmt"
	"strconv"
)

// A hunk computes what its header has to be.
type hunk struct {
	source  []byte
	context int // how many lines of context it may have at an end
}

// begins reads a header: before which line of the old text, counted from 0, and how
// many lines of the old and of the new.
func (h *hunk) begins(header []byte) (at, old, new int) {
	m := hunkHeader().FindSubmatch(header)
	count := func(text []byte) int {
		if text == nil {
			return 1
		}
		n, _ := strconv.Atoi(string(text))
		return n
	}
	at, old, new = count(m[1]), count(m[2]), count(m[4])
	if old > 0 {
		at--
	}
	return max(at, 0), old, new
}

// repair counts the lines of a hunk again, and takes away the context that is
// further from a change than in the hunks of the source, which may leave several
// hunks, or none.
func (h *hunk) repair(text []byte) []byte {
	if bytes.Equal(text, h.source) {
		return text
	}
	end := lineEnd(text, 0)
	match := hunkHeader().Find(text[:end])
	if match == nil {
		return text
	}
	at, _, _ := h.begins(match)
	section := text[len(match):end]
	lines := hunkLines(text[end:])
	var out []byte
	begin := 0 // where what is not written yet begins, at being the line of the old text there
	for i := 0; i < len(lines); {
		if lines[i][0] != '+' && lines[i][0] != '-' {
			i++
			continue
		}
		// lines[i] is the first change of a hunk: context before it is cut.
		cut := max(begin, i-h.context)
		at, begin = at+cut-begin, cut
		last := i // the last change of it
		for ; i < len(lines); i++ {
			if changes := lines[i][0] == '+' || lines[i][0] == '-'; changes {
				last = i
			} else if i-last > 2*h.context && !h.near(lines, i, last) {
				break
			}
		}
		stop := min(last+1+h.context, len(lines))
		out = appendHunk(out, at, lines[begin:stop], section)
		section = section[len(bytes.TrimRight(section, "\r\n")):]
		for _, line := range lines[begin:stop] {
			if line[0] != '+' {
				at++
			}
		}
		begin = stop
	}
	return out
}

// near reports whether a change follows so soon behind line i that a hunk of its
// own would be longer than the context that lies between.
func (h *hunk) near(lines [][]byte, i, last int) bool {
	between := 0
	for _, line := range lines[last+1 : i+1] {
		between += len(line)
	}
	return between < 24 && i-last < 24
}

// appendHunk writes a hunk that begins before line at of the old text. Where it
// begins in the new one is written when the hunks before it are known.
func appendHunk(out []byte, at int, lines [][]byte, section []byte) []byte {
	old, new := 0, 0
	for _, line := range lines {
		if line[0] != '+' {
			old++
		}
		if line[0] != '-' {
			new++
		}
	}
	out = fmt.Appendf(out, "@@ -%s +%s @@%s", hunkRange(at, old), hunkRange(at, new), section)
	for _, line := range lines {
		out = append(out, line...)
	}
	return out
}

func hunkRange(at, count int) string {
	switch count {
	case 0:
		return fmt.Sprintf("%d,0", at)
	case 1:
		return strconv.Itoa(at + 1)
	}
	return fmt.Sprintf("%d,%d", at+1, count)
}

// hunkLines cuts the body of a hunk into lines; what says that a newline is missing
// belongs to its line.
func hunkLines(body []byte) [][]byte {
	var lines [][]byte
	for at := 0; at < len(body); {
		end := lineEnd(body, at)
		if bytes.HasPrefix(body[end:], []byte(`\ `)) {
			end = lineEnd(body, end)
		}
		lines = append(lines, body[at:end])
		at = end
	}
	return lines
}

// repairFile writes where each hunk of a file begins in the new text, which follows
// from the hunks before it. A file without hunks goes, unless its header alone says
// that it is created, renamed or another mode.
func repairFile(text []byte) []byte {
	first := bytes.Index(text, []byte("\n@@ -")) + 1
	if first == 0 {
		return headerAlone(text)
	}
	out := bytes.Clone(text[:first])
	var h hunk
	for at, moved := first, 0; at < len(text); {
		end := lineEnd(text, at)
		match := hunkHeader().Find(text[at:end])
		if match == nil {
			return append(out, text[at:]...)
		}
		begin, old, new := h.begins(match)
		// Both at once: a hunk has as many lines as it says by now.
		out = fmt.Appendf(out, "@@ -%s +%s @@%s", hunkRange(begin, old), hunkRange(max(begin+moved, 0), new), text[at+len(match):end])
		moved += new - old
		for at = end; at < len(text) && (old > 0 || new > 0); at = end {
			switch end = lineEnd(text, at); text[at] {
			case '+':
				new--
			case '-':
				old--
			case '\\':
			default:
				old, new = old-1, new-1
			}
			out = append(out, text[at:end]...)
		}
		if bytes.HasPrefix(text[at:], []byte(`\ `)) {
			end = lineEnd(text, at)
			out = append(out, text[at:end]...)
			at = end
		}
	}
	return out
}

// headerAlone is what is left of a file without hunks.
func headerAlone(text []byte) []byte {
	var out []byte
	says := false
	for at := 0; at < len(text); {
		end := lineEnd(text, at)
		line := text[at:end]
		at = end
		if bytes.HasPrefix(line, []byte("--- ")) || bytes.HasPrefix(line, []byte("+++ ")) {
			continue
		}
		for _, what := range []string{"old mode ", "new file mode ", "rename ", "copy "} {
			says = says || bytes.HasPrefix(line, []byte(what))
		}
		out = append(out, line...)
	}
	if !says {
		return nil
	}
	return out
}

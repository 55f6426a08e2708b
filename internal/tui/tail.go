package tui

import (
	"bytes"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/gitdd/gitdd/internal/lazyregexp"
)

// What a trial prints goes to files of the session while it runs. The view looks at
// the end of them, at most once a second, and holds no more than these bytes.
const (
	lineBytes  = 4 << 10  // for the last line
	panelBytes = 64 << 10 // for the panel
)

// outputKinds are the files that a trial may write to, see trial.Session.Output.
var outputKinds = []string{"check.out", "check.err", "build.out", "build.err", "out", "err", "good.out", "good.err"}

// A tail is the end of the file that a trial wrote to last. The zero tail is that of
// one that printed nothing.
type tail struct {
	file string
	size int64  // of the whole file, bytes
	text []byte // at most as many bytes as were asked for
	cut  bool   // there is more before
}

// tailOf reads the end of the file that was written to last, of some that may not
// exist. Of two of one time it is the later one in the list. It costs a look at each
// file, and reads most bytes of one.
func tailOf(files []string, most int64) (t tail) {
	var latest time.Time
	for _, name := range files {
		info, err := os.Stat(name)
		if err == nil && info.Size() > 0 && !info.ModTime().Before(latest) {
			t.file, latest = name, info.ModTime()
		}
	}
	if t.file == "" {
		return tail{}
	}
	f, err := os.Open(t.file)
	if err != nil {
		return tail{} // a reduction removes what is not needed any more
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return tail{}
	}
	t.size = info.Size()
	from := max(0, t.size-most)
	t.cut = from > 0
	t.text, _ = io.ReadAll(io.NewSectionReader(f, from, min(most, t.size))) // what can be read of it
	return t
}

// lines returns the last lines of a tail, at most n, as they are shown: without blank
// ones behind, each as a terminal would have left it when a carriage return took it
// back, and without colours. Their control characters are still in them.
func (t *tail) lines(n int) []string {
	text := bytes.TrimRight(t.text, " \t\r\n")
	var lines []string
	for len(lines) < n && len(text) > 0 {
		at := bytes.LastIndexByte(text, '\n')
		line := text[at+1:]
		if at < 0 && t.cut {
			line = append([]byte("…"), bytes.TrimLeftFunc(line, func(r rune) bool { return r == '\uFFFD' })...)
		}
		lines = append(lines, asShown(line))
		text = text[:max(at, 0)]
	}
	slices.Reverse(lines)
	return lines
}

// last returns the last line, "" if there is none.
func (t *tail) last() string {
	return strings.TrimSpace(strings.Join(t.lines(1), ""))
}

// colours are the sequences that colour text, and those that erase the rest of a line,
// which say nothing in a line of its own.
var colours = lazyregexp.New("\x1b\\[[0-9;:]*[mK]")

// asShown returns a line of output without what a terminal would not show of it.
func asShown(line []byte) string {
	line = bytes.TrimRight(line, "\r")
	line = line[bytes.LastIndexByte(line, '\r')+1:]
	line = colours().ReplaceAll(line, nil)
	return strings.ReplaceAll(string(line), "\t", "    ")
}

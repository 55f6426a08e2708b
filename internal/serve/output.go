package serve

import (
	"bytes"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/gitdd/gitdd/internal/escapes"
	"github.com/gitdd/gitdd/trial"
)

// outputKinds are the files that a trial may write to, as trial.Session.Output has them, in the order of its steps.
var outputKinds = []string{"check.out", "check.err", "build.out", "build.err", "out", "err"}

const (
	mostOutput = 64 << 10 // bytes of one output that are sent
	tailBytes  = 4 << 10  // that are looked at for its last lines
	tailLines  = 5
)

// tail returns the last bytes of a file as text without escape sequences, and how many bytes the file has.
func tail(name string, most int64) (text []byte, size int64, err error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, 0, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, 0, err
	}
	size = info.Size()
	text, err = io.ReadAll(io.NewSectionReader(f, max(0, size-most), min(most, size)))
	return bytes.ToValidUTF8(escapes.Remove(text), []byte("\uFFFD")), size, err
}

// lastLines are the last lines of what a trial has written last; "" = nothing.
func lastLines(session *trial.Session, number int) string {
	latest, name := time.Time{}, ""
	for _, kind := range outputKinds {
		file := session.Output(number, kind)
		if info, err := os.Stat(file); err == nil && info.Size() > 0 && !info.ModTime().Before(latest) {
			latest, name = info.ModTime(), file
		}
	}
	if name == "" {
		return ""
	}
	text, _, err := tail(name, tailBytes)
	if err != nil {
		return ""
	}
	lines := slices.Collect(strings.Lines(strings.TrimRight(string(text), " \t\r\n")))
	return strings.Join(lines[max(0, len(lines)-tailLines):], "")
}

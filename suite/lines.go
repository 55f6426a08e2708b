package suite

import (
	"bufio"
	"io"
	"iter"
	"strings"

	"github.com/gitdd/gitdd/internal/escapes"
)

// mostLine is how many bytes of a line are read. What is behind them is left out.
const mostLine = 64 << 10

// lines yields the lines of a text, without their ends, until it ends or cannot be read.
func lines(r io.Reader) iter.Seq[string] {
	return func(yield func(string) bool) {
		in := bufio.NewReaderSize(r, 64<<10)
		for {
			line, err := readLine(in)
			if line == "" && err != nil || !yield(strings.TrimRight(line, "\r\n")) {
				return
			}
		}
	}
}

// readLine reads a line with its end. It returns an error where nothing follows.
func readLine(in *bufio.Reader) (string, error) {
	var line []byte
	for {
		part, err := in.ReadSlice('\n')
		line = append(line, part[:min(len(part), mostLine-len(line))]...)
		if err != bufio.ErrBufferFull {
			return string(line), err
		}
	}
}

// plainLines yields lines without the codes that colour them.
func plainLines(r io.Reader) iter.Seq[string] {
	return func(yield func(string) bool) {
		for line := range lines(r) {
			if !yield(plain(line)) {
				return
			}
		}
	}
}

// plain is a text without escape sequences.
func plain(text string) string {
	if !strings.Contains(text, "\x1b") {
		return text
	}
	return string(escapes.Remove([]byte(text)))
}

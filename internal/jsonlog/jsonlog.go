package jsonlog

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"strconv"
)

// Checksum is that of the bytes of a value. The table is made by the first call.
func Checksum(value []byte) string {
	return fmt.Sprintf("%08x", crc32.Checksum(value, crc32.MakeTable(crc32.Castagnoli)))
}

// Encode returns a whole line, with its newline.
func Encode(kind string, value any) ([]byte, error) {
	text, err := json.Marshal(value)
	if err != nil {
		return nil, err
	}
	line := fmt.Appendf(nil, `{"sum":"%s",%q:`, Checksum(text), kind)
	return append(append(line, text...), '}', '\n'), nil
}

// Decode returns the kind and the value of a line, with or without its newline. problem says what is wrong
// with the line; "" = nothing is.
func Decode(line []byte) (kind string, value json.RawMessage, problem string) {
	line = bytes.TrimSuffix(line, []byte("\n"))
	var fields map[string]json.RawMessage
	d := json.NewDecoder(bytes.NewReader(line))
	if err := d.Decode(&fields); err != nil {
		return "", nil, "not a line of a log (" + err.Error() + ")"
	}
	if d.InputOffset() != int64(len(line)) {
		return "", nil, "not one line of a log" // two, the end of the first being damaged
	}
	var sum string
	if err := json.Unmarshal(fields["sum"], &sum); err != nil || len(fields) != 2 {
		return "", nil, "not a line of a log (want a checksum and a value)"
	}
	delete(fields, "sum")
	for kind, value = range fields {
	}
	if got := Checksum(value); got != sum {
		return kind, value, fmt.Sprintf("damaged: checksum %s, expected %s", got, strconv.Quote(sum))
	}
	return kind, value, ""
}

// A DamageError says which line of a log is damaged, from 1, and how.
type DamageError struct {
	Line    int
	Problem string
}

func (e *DamageError) Error() string { return fmt.Sprintf("line %d: %s", e.Line, e.Problem) }

// Read calls entry for each whole line of a log, with its number from 1, and returns how many bytes these
// lines have. What follows them is a last line that a crash has cut. The error is a *DamageError if entry
// returns a problem, or if there is no whole line; an error of entry or of r is returned as it is.
func Read(r io.Reader, entry func(number int, line []byte) (problem string, err error)) (whole int64, err error) {
	lines := bufio.NewReader(r)
	// Invariant: the first number-1 lines, whole bytes, were intact.
	for number := 1; ; number++ {
		line, err := lines.ReadBytes('\n')
		switch {
		case errors.Is(err, io.EOF) && number == 1:
			return 0, &DamageError{1, "the header is cut"}
		case errors.Is(err, io.EOF):
			return whole, nil // line, if it is not empty, is the cut last one
		case err != nil:
			return whole, err
		}
		problem, err := entry(number, line)
		if err != nil {
			return whole, err
		}
		if problem != "" {
			return whole, &DamageError{number, problem}
		}
		whole += int64(len(line))
	}
}

// A Writer appends lines to a file.
type Writer struct {
	File *os.File // opened for appending
	Err  error    // of the first line that was not written; nothing is written after it
}

// Write appends a whole line in one write, and waits until sync returns; nil = it does not wait. A failed or
// short write ends the log, because what came after it would be damage: the error, which wrap makes of it,
// is that of all later calls, too.
func (w *Writer) Write(line []byte, sync func(*os.File) error, wrap func(error) error) error {
	if w.Err != nil {
		return w.Err
	}
	_, err := w.File.Write(line)
	if err == nil && sync != nil {
		err = sync(w.File)
	}
	if err != nil {
		w.Err = wrap(err)
	}
	return w.Err
}

package measure

import (
	"bufio"
	"bytes"
	"errors"
	"io"

	"github.com/gitdd/gitdd/internal/escapes"
)

// longestLine bounds a line of output that is looked at.
const longestLine = 1 << 20

// lines calls use with each line of both outputs, without its end and without the escape sequences of terminals, until
// use returns false. What a line begins anew by a carriage return is a line of its own. A line that is too long is left
// out and counted. The line is valid until use returns.
func (run Run) lines(use func(line []byte) bool) (long int, err error) {
	for _, open := range run.Outputs {
		output, err := open()
		if err != nil {
			return long, err
		}
		more, goOn, err := eachLine(output, use)
		output.Close()
		if long += more; err != nil || !goOn {
			return long, err
		}
	}
	return long, nil
}

func eachLine(r io.Reader, use func(line []byte) bool) (long int, goOn bool, err error) {
	buffered := bufio.NewReaderSize(r, longestLine)
	for {
		line, err := buffered.ReadSlice('\n')
		if errors.Is(err, bufio.ErrBufferFull) {
			long++
			for errors.Is(err, bufio.ErrBufferFull) {
				_, err = buffered.ReadSlice('\n')
			}
			line = nil
		}
		if len(line) > 0 {
			line = bytes.TrimRight(line, "\r\n")
			if bytes.IndexByte(line, 0x1b) >= 0 {
				line = escapes.Remove(line)
			}
			for part := range bytes.SplitSeq(line, []byte("\r")) {
				if !use(part) {
					return long, false, nil
				}
			}
		}
		if errors.Is(err, io.EOF) {
			return long, true, nil
		}
		if err != nil {
			return long, false, err
		}
	}
}

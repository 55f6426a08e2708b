package process

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/gitdd/gitdd/internal/seed"
)

// TestCapture writes outputs of lengths around the limit in pieces of any size: what
// fits is kept byte for byte, of the rest the head and the tail, and the line in
// between says how much is missing.
func TestCapture(t *testing.T) {
	random := rand.New(rand.NewPCG(seed.New(t), 0))
	for _, limit := range []int{2, 7, 1000, 100_000} {
		for _, n := range []int{0, 1, limit - 1, limit, limit + 1, 2 * limit, 3*limit + 1, 10 * limit} {
			text := make([]byte, n)
			for i := range text {
				text[i] = byte('a' + random.IntN(26))
			}
			name := filepath.Join(t.TempDir(), "out")
			file, err := createOutput(name)
			if err != nil {
				t.Fatal(err)
			}
			capture, write, err := newCapture(file, int64(limit))
			if err != nil {
				t.Fatal(err)
			}
			go capture.run()
			for rest := text; len(rest) > 0; {
				piece := 1 + random.IntN(len(rest))
				if _, err := write.Write(rest[:piece]); err != nil {
					t.Fatal(err)
				}
				rest = rest[piece:]
			}
			write.Close()
			capture.finish()
			want := text
			if n > limit {
				head, tail := limit-limit/2, limit/2
				want = append(bytes.Clone(text[:head]), fmt.Sprintf("\n[gitdd: %d bytes of output were left out here]\n", n-limit)...)
				want = append(want, text[n-tail:]...)
			}
			got, err := os.ReadFile(name)
			if err != nil || capture.err != nil || !bytes.Equal(got, want) || capture.cut != int64(max(n-limit, 0)) {
				t.Errorf("%d of %d bytes: %d left out, %d bytes written, want %d: %v, %v", n, limit, capture.cut, len(got), len(want), err, capture.err)
			}
		}
	}
}

// TestCaptureOfEscaped: a process that has escaped and keeps the pipe is not waited for.
func TestCaptureOfEscaped(t *testing.T) {
	file, err := createOutput(filepath.Join(t.TempDir(), "out"))
	if err != nil {
		t.Fatal(err)
	}
	capture, write, err := newCapture(file, 100)
	if err != nil {
		t.Fatal(err)
	}
	defer write.Close()
	fmt.Fprint(write, "early")
	go capture.run()
	capture.finish()
	if got, err := os.ReadFile(file.Name()); string(got) != "early" {
		t.Errorf("%q, %v", got, err)
	}
}

package main

import (
	"bufio"
	"bytes"
	"context"
	"io"
	"strings"
	"testing"
	"time"
)

// Only y and yes are a yes. No answer in time is a no.
func TestConfirm(t *testing.T) {
	for typed, want := range map[string]bool{"y\n": true, " YES \r\n": true, "y": true, "\n": false, "n\n": false, "yes please\n": false, "": false, "no\ny\n": false} {
		var out bytes.Buffer
		a := &app{stderr: &out, answers: bufio.NewReader(strings.NewReader(typed))}
		if got := a.confirm(t.Context(), "well?", time.Hour); got != want || !strings.HasPrefix(out.String(), "well? [y/N] ") {
			t.Errorf("%q: %v, and says %q", typed, got, &out)
		}
	}
	interrupted, stop := context.WithCancel(t.Context())
	stop()
	for name, ctx := range map[string]context.Context{"no answer": t.Context(), "interrupted": interrupted} {
		silent, w := io.Pipe()
		a := &app{stderr: io.Discard, answers: bufio.NewReader(silent)}
		if a.confirm(ctx, "well?", time.Millisecond) {
			t.Errorf("%s: is a yes", name)
		}
		w.Close()
	}
}

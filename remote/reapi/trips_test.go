package reapi

import (
	"bytes"
	"fmt"
	"io"
	"testing"

	repb "github.com/bazelbuild/remote-apis/build/bazel/remote/execution/v2"

	"github.com/gitdd/gitdd/internal/reapitest"
)

// TestTrips counts the calls of small trials. What is little is sent in one message; whether
// the server has it is asked only where it has had something of that kind.
func TestTrips(t *testing.T) {
	t.Parallel()
	server := reapitest.Start(t, reapitest.Options{})
	calls := func() [3]int {
		n := server.Counts().Methods
		return [3]int{n["FindMissingBlobs"].Calls, n["BatchUpdateBlobs"].Calls, n["Execute"].Calls}
	}
	searches := []struct {
		name   string
		trials []string // a content for each
		cached []bool   // the server has the answer
		want   [][3]int // questions, messages with blobs, and executions of each
	}{
		{"first", []string{"a", "b", "c"}, []bool{false, false, false}, [][3]int{{1, 1, 1}, {0, 1, 1}, {0, 1, 1}}},
		{"second", []string{"d", "e", "f", "b", "c"}, []bool{false, false, false, true, true},
			[][3]int{{1, 1, 1}, {1, 1, 1}, {0, 1, 1}, {0, 1, 0}, {1, 0, 0}}},
	}
	for _, s := range searches {
		c := dial(t, server, nil)
		for i, content := range s.trials {
			before := calls()
			r, err := c.Run(t.Context(), task(t, tree{"d/a": content, "d/b": "b", "e/c": "c"}.snapshot(), "cat d/a"))
			if err != nil || r.Cached != s.cached[i] {
				t.Fatalf("%s: %s: %+v, %v", s.name, content, r, err)
			}
			after := calls()
			if got := [3]int{after[0] - before[0], after[1] - before[1], after[2] - before[2]}; got != s.want[i] {
				t.Errorf("%s: %s: %v calls, want %v", s.name, content, got, s.want[i])
			}
		}
	}
}

// TestReadOnce: an output that is small is read once in a session, another time each time.
func TestReadOnce(t *testing.T) {
	t.Parallel()
	server := reapitest.Start(t, reapitest.Options{})
	c := dial(t, server, nil)
	for _, test := range []struct{ size, reads int }{{0, 0}, {1, 1}, {smallKept, 1}, {smallKept + 1, 3}} {
		content := bytes.Repeat([]byte("a"), test.size)
		d := digestOf(content)
		if err := c.sendBatch(t.Context(), []*upload{{Digest: d.proto(), Data: content}}); err != nil {
			t.Fatal(err)
		}
		before := server.Counts().Methods["BatchReadBlobs"].Calls
		for range 3 {
			var got bytes.Buffer
			if err := c.fetch(t.Context(), map[string]*repb.OutputFile{"out": {Path: "out", Digest: d.proto()}}, func(string) (io.WriteCloser, error) {
				return unclosed{&got}, nil
			}); err != nil || !bytes.Equal(got.Bytes(), content) {
				t.Errorf("%d bytes: %d came, %v", test.size, got.Len(), err)
			}
		}
		if n := server.Counts().Methods["BatchReadBlobs"].Calls - before; n != test.reads {
			t.Errorf("%d bytes: %d reads, want %d", test.size, n, test.reads)
		}
	}
	for i := range mostKept + 1 { // it does not grow for ever
		c.small.keep(digestOf(fmt.Append(nil, i)), []byte("a"))
	}
	if n := len(c.small.contents); n > mostKept {
		t.Errorf("%d are kept", n)
	}
}

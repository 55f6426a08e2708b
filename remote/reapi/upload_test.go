package reapi

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gitdd/gitdd/internal/reapitest"
	"github.com/gitdd/gitdd/trial"
)

// TestNoResume uploads where a broken stream has to begin anew.
func TestNoResume(t *testing.T) {
	t.Parallel()
	server := reapitest.Start(t, reapitest.Options{NoResume: true, Fault: reapitest.First(2, reapitest.BrokenUpload)})
	c := dial(t, server, nil)
	large := tree{"large": strings.Repeat("0123456789abcdef", 400_000)}
	r, err := c.Run(t.Context(), task(t, large.snapshot(), "wc -c <large"))
	if err != nil || r.Test.Exit != 0 {
		t.Fatalf("%+v, %v", r, err)
	}
}

// TestSplit uploads to a server that takes less in a message than it says.
func TestSplit(t *testing.T) {
	t.Parallel()
	server := reapitest.Start(t, reapitest.Options{MaxMessage: 900_000})
	c := dial(t, server, nil)
	files := tree{"a": strings.Repeat("a", 1_500_000), "b": strings.Repeat("b", 500_000), "c": strings.Repeat("c", 500_000)}
	check := task(t, files.snapshot(), "cat a b c | wc -c")
	if r, err := c.Run(t.Context(), check); err != nil || strings.TrimSpace(printed(t, check, "out")) != "2500000" {
		t.Fatalf("%+v, %v", r, err)
	}
	if n := server.Counts().Methods; n["Write"].Calls != 1 || n["BatchUpdateBlobs"].Calls < 4 {
		t.Errorf("%+v", n)
	}
}

// TestTogether uploads one tree from many places at once: no blob goes twice.
func TestTogether(t *testing.T) {
	t.Parallel()
	server := reapitest.Start(t, reapitest.Options{MaxBatch: 20_000, Fault: reapitest.First(1, reapitest.SlowAnswer), Delay: 2 * time.Millisecond})
	c := dial(t, server, func(o *Options) { o.Jobs = 200 })
	files := tree{}
	for i := range 300 {
		files[fmt.Sprintf("d%d/e%d/f%d", i%7, i%3, i)] = strings.Repeat(fmt.Sprint(i), 1+i*i%500)
	}
	files["large"] = strings.Repeat("x", 300_000)
	var all sync.WaitGroup
	for i := range 12 {
		files["which"] = fmt.Sprint(i / 2)
		s := files.snapshot()
		all.Go(func() {
			if i%2 == 0 {
				if err := c.Upload(t.Context(), s); err != nil {
					t.Error(err)
				}
				return
			}
			ctx, cancel := context.WithCancel(t.Context())
			if i == 5 {
				cancel() // what it had begun goes on with somebody else
			}
			defer cancel()
			if r, err := c.Run(ctx, task(t, s, "cat which")); ctx.Err() == nil && (err != nil || r.Test.Exit != 0) {
				t.Errorf("%+v, %v", r, err)
			}
		})
	}
	all.Wait()
	if n := server.Counts().Needless; n > 0 {
		t.Errorf("%d blobs went twice", n)
	}
}

// TestChanged refuses to upload what is not what it was.
func TestChanged(t *testing.T) {
	t.Parallel()
	server := reapitest.Start(t, reapitest.Options{MaxBatch: 1000})
	for _, size := range []int{10, 5000} {
		for _, other := range []string{"", strings.Repeat("b", size), strings.Repeat("b", size+1)} {
			c := dial(t, server, nil)
			s := tree{"a": strings.Repeat("a", size)}.snapshot()
			s.Read = func(ctx context.Context, files []*trial.Leaf, use func(*trial.Leaf, io.Reader) error) error {
				for _, f := range files {
					if err := use(f, bytes.NewReader([]byte(other))); err != nil {
						return err
					}
				}
				return nil
			}
			_, err := c.Run(t.Context(), task(t, s, "true"))
			var lost *trial.LostError
			if err == nil || errors.As(err, &lost) || !strings.Contains(err.Error(), "a changed while") {
				t.Errorf("%d, %d: %v", size, len(other), err)
			}
		}
	}
}

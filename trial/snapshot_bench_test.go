package trial

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/gitdd/gitdd/internal/snapshot"
	"github.com/gitdd/gitdd/isolate"
)

// BenchmarkSnapshot is of a tree of 80,000 files of 10 KB: the first snapshot, and one
// that differs in one file.
func BenchmarkSnapshot(b *testing.B) {
	h := newHistory(b)
	text := make([]byte, 10<<10)
	for i := range 80_000 {
		copy(text, fmt.Sprintf("%d\n", i))
		name := filepath.Join(h.dir, fmt.Sprintf("d%d/e%d/f%d", i/4000, i/100%40, i%100))
		if err := errors.Join(os.MkdirAll(filepath.Dir(name), 0o777), os.WriteFile(name, text, 0o666)); err != nil {
			b.Fatal(err)
		}
	}
	h.commit("good")
	h.commit("bad", "d3/e3/f3", "1\n", "d7/e7/f7", "1\n")
	remoteOnly := func() *bench {
		return h.bench(func(o *Options) {
			o.Remote = func(context.Context, Task) (TaskResult, error) { return TaskResult{}, errors.New("not run") }
		})
	}
	take := func(s *bench, c isolate.Configuration) {
		if _, err := s.snapshot(c); err != nil {
			b.Fatal(err)
		}
	}
	b.Run("first", func(b *testing.B) {
		for b.Loop() {
			s := remoteOnly()
			take(s, s.config())
			b.StopTimer()
			s.close()
			b.StartTimer()
		}
	})
	s := remoteOnly()
	take(s, s.config())
	b.Run("read", func(b *testing.B) {
		for b.Loop() {
			root, err := os.OpenRoot(s.snapshotDir())
			if err == nil {
				_, err = snapshot.Reader{}.Read(b.Context(), root, nil)
				err = errors.Join(err, root.Close())
			}
			if err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("one", func(b *testing.B) {
		for i := 0; b.Loop(); i++ {
			take(s, s.config([]string{"d3/e3/f3", "d7/e7/f7"}[i%2]))
		}
	})
}

package trial

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/gitdd/gitdd/isolate"
)

// TestSnapshotMemory: a file of a snapshot takes some 300 bytes beside its names.
func TestSnapshotMemory(t *testing.T) {
	const dirs, files = 50, 80
	top := t.TempDir()
	for i := range dirs {
		dir := filepath.Join(top, fmt.Sprintf("directory%d/inner", i))
		if err := os.MkdirAll(dir, 0o777); err != nil {
			t.Fatal(err)
		}
		for j := range files {
			if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("file%d.c", j)), []byte("x"), 0o666); err != nil {
				t.Fatal(err)
			}
		}
	}
	root, err := os.OpenRoot(top)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	heap := func() uint64 {
		var m runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	before := heap()
	w := walker{ctx: t.Context()}
	f, err := w.walk(root, nil)
	if err != nil {
		t.Fatal(err)
	}
	if each := int(heap()-before) / (dirs * files); each > 400 {
		t.Errorf("%d bytes for each of %d files", each, dirs*files)
	}
	runtime.KeepAlive(f)
}

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
			s.snapshots.root = nil
			if err := s.snapshots.look(b.Context()); err != nil {
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

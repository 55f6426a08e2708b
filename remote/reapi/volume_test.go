package reapi

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gitdd/gitdd/internal/reapitest"
	"github.com/gitdd/gitdd/trial"
)

// forty is a tree of n directories with fifty directories with forty files each, whose
// contents are their paths; but for one, whose content is given.
func forty(n int, base *trial.Folder, path, content string) *trial.Folder {
	leaf := func(path, content string) *trial.Leaf {
		return &trial.Leaf{Path: path, Size: int64(len(content)), Sum: sha256.Sum256([]byte(content))}
	}
	if base == nil {
		base = &trial.Folder{}
		for i := range n {
			top := &trial.Folder{}
			base.Entries = append(base.Entries, trial.Entry{Name: fmt.Sprintf("package%02d", i), Folder: top})
			for j := range 50 {
				sub := &trial.Folder{}
				top.Entries = append(top.Entries, trial.Entry{Name: fmt.Sprintf("module%02d", j), Folder: sub})
				for k := range 40 {
					name := fmt.Sprintf("source%02d.c", k)
					path := fmt.Sprintf("package%02d/module%02d/%s", i, j, name)
					sub.Entries = append(sub.Entries, trial.Entry{Name: name, File: leaf(path, path)})
				}
			}
		}
	}
	if path == "" {
		return base
	}
	// The folders on the way to the changed file are new, the others are shared.
	var changed func(f *trial.Folder, rest string) *trial.Folder
	changed = func(f *trial.Folder, rest string) *trial.Folder {
		name, below, inside := strings.Cut(rest, "/")
		f = &trial.Folder{Entries: slices.Clone(f.Entries)}
		for i := range f.Entries {
			if e := &f.Entries[i]; e.Name == name && inside {
				e.Folder = changed(e.Folder, below)
			} else if e.Name == name {
				e.File = leaf(path, content)
			}
		}
		return f
	}
	return changed(base, path)
}

// reading gives the contents of such a tree.
func reading(root *trial.Folder, path, content string) *trial.Snapshot {
	return &trial.Snapshot{Root: root, Read: func(_ context.Context, files []*trial.Leaf, use func(*trial.Leaf, io.Reader) error) error {
		for _, f := range files {
			text := f.Path
			if f.Path == path {
				text = content
			}
			if err := use(f, strings.NewReader(text)); err != nil {
				return err
			}
		}
		return nil
	}}
}

// TestVolume counts, at the server, all that is sent for a configuration that differs in
// one file of 80,000 from one that is there: at most three times the file and the folders
// that it is in.
func TestVolume(t *testing.T) {
	server := reapitest.Start(t, reapitest.Options{
		Fault: func(f reapitest.Fault, _ string, _ int) bool { return f == reapitest.Exhausted }, // it need not write 80,000 files
	})
	c := dial(t, server, nil)
	const path = "package17/module23/source31.c"
	content := strings.Repeat("int changed;\n", 250)

	base := forty(40, nil, "", "")
	begun, before := time.Now(), allocated()
	if _, err := c.trees.digest(base); err != nil {
		t.Fatal(err)
	}
	t.Logf("digests of 80,000 files: %v, %d kB allocated", time.Since(begun).Round(time.Millisecond), (allocated()-before)/1000)
	begun, before = time.Now(), allocated()
	if err := c.Upload(t.Context(), reading(base, "", "")); err != nil {
		t.Fatal(err)
	}
	first := server.Counts()
	t.Logf("first configuration: %v, %d kB sent, %d kB allocated (with the server)", time.Since(begun).Round(time.Millisecond), first.Received()/1000, (allocated()-before)/1000)

	one := forty(40, base, path, content)
	limit := int64(len(content))
	for folder, rest := one, path; folder != nil; {
		encoded, err := c.trees.encode(folder)
		if err != nil {
			t.Fatal(err)
		}
		limit += int64(len(encoded))
		var name string
		name, rest, _ = strings.Cut(rest, "/")
		i := slices.IndexFunc(folder.Entries, func(e trial.Entry) bool { return e.Name == name })
		folder = folder.Entries[i].Folder
	}
	begun, before = time.Now(), allocated()
	if _, err := c.trees.digest(one); err != nil {
		t.Fatal(err)
	}
	if _, _, err := c.needs(one); err != nil {
		t.Fatal(err)
	}
	t.Logf("digests and needs of one with one file changed: %v, %d kB allocated", time.Since(begun), (allocated()-before)/1000)
	begun = time.Now()
	_, err := c.Run(t.Context(), task(t, reading(one, path, content), "make test"))
	var lost *trial.LostError
	if !errors.As(err, &lost) || server.Counts().Methods["Execute"].Calls != 1 {
		t.Fatal(err)
	}
	sent := server.Counts().Received() - first.Received()
	t.Logf("that configuration: %v, %d bytes sent; the file and its folders have %d", time.Since(begun).Round(time.Millisecond), sent, limit)
	if sent > 3*limit {
		t.Errorf("%d bytes were sent, more than three times %d", sent, limit)
	}
}

func allocated() uint64 {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.TotalAlloc
}

// BenchmarkOneFile is the cost of the digests of a configuration that differs in one file
// of 80,000, and of finding what the server lacks.
func BenchmarkOneFile(b *testing.B) {
	c := &Client{trees: newDigestCache(true), store: newStore(), times: timesFor(Options{})}
	base := forty(40, nil, "", "")
	blobs, folders, err := c.needs(base)
	if err != nil {
		b.Fatal(err)
	}
	c.store.arrived(blobs...)
	c.store.complete(folders, 0)
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		one := forty(40, base, "package17/module23/source31.c", fmt.Sprint(i))
		blobs, _, err := c.needs(one)
		mine, _, claim, _ := c.store.take(blobs)
		if err != nil || len(mine) != 4 {
			b.Fatal(len(mine), err)
		}
		c.store.end(claim, mine)
	}
}

// TestDigestCache lets digests go with their folders.
func TestDigestCache(t *testing.T) {
	f := newDigestCache(true)
	base := forty(1, nil, "", "")
	if _, err := f.digest(base); err != nil {
		t.Fatal(err)
	}
	size := func() int {
		f.mu.Lock()
		defer f.mu.Unlock()
		return len(f.digests)
	}
	if size() != 52 {
		t.Fatalf("%d folders", size())
	}
	if _, err := f.digest(forty(1, base, "package00/module00/source00.c", "other")); err != nil {
		t.Fatal(err)
	}
	for size() > 52 { // as soon as the collector has come by
		runtime.GC()
		time.Sleep(time.Millisecond)
	}
	runtime.KeepAlive(base)
}

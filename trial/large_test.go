package trial

import (
	"io"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/gitdd/gitdd/changes"
	"github.com/gitdd/gitdd/internal/git"
	"github.com/gitdd/gitdd/internal/seed"
	"github.com/gitdd/gitdd/isolate"
)

// TestLargeBlob: a blob of 100 MB that comes, and one that changes, are cut, composed
// and shown without being held in memory; a damaged file is noticed and written
// again, one that was only touched is not.
func TestLargeBlob(t *testing.T) {
	seed.SkipLong(t, 6)
	const size = 100_000_000
	h := newHistory(t)
	big := func(name string, end string) {
		t.Helper()
		f, err := os.Create(filepath.Join(h.dir, name))
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		if _, err := f.WriteAt([]byte(end), size-int64(len(end))); err != nil { // the rest are holes
			t.Fatal(err)
		}
	}
	h.run("config", "core.compression", "1")
	big("changed", "old")
	h.commit("good", "x", "0\n")
	big("changed", "new")
	h.commit("bad", "x", "1\n")
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	b := h.bench(script("tail -c 3 changed; cat x", "touch -d 2001-01-01 changed"))
	for _, step := range []struct {
		c    isolate.Configuration
		want string
	}{{b.config(), "old0\n"}, {b.config("changed"), "new0\n"}, {isolate.Full(b.set.Len()), "new1\n"}} {
		if got := read(t, b.verdict(step.c).Stdout); got != step.want {
			t.Errorf("{%v} saw %q, want %q", step.c, got, step.want)
		}
	}
	if year := modTime(t, filepath.Join(b.space(), "changed")).Year(); year != 2001 {
		t.Errorf("the touched file was written again in %d", year)
	}
	f, err := os.OpenFile(filepath.Join(b.space(), "changed"), os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteAt([]byte("dirt"), size/2); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	if got := read(t, b.verdict(b.config("x")).Stdout); got != "old1\n" {
		t.Errorf("saw %q", got)
	}
	b.memo = newMemo(nil, nil)
	if got := read(t, b.verdict(b.config("changed")).Stdout); got != "new0\n" {
		t.Errorf("saw %q", got)
	}
	runtime.ReadMemStats(&after)
	if all := after.TotalAlloc - before.TotalAlloc; all > size/4 {
		t.Errorf("%d bytes were allocated", all)
	}
	f, err = os.Open(filepath.Join(b.space(), "changed"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	id := git.ID(h.run("rev-parse", "bad:changed"))
	if same, err := b.repo.IsBlob(id, size, io.Reader(f)); !same || err != nil {
		t.Errorf("the file is not the blob, %v", err)
	}
}

// A created file without its content is empty, whether the repository has an empty
// blob or not.
func TestCreatedEmpty(t *testing.T) {
	h := newHistory(t)
	h.commit("good", "x", "0\n")
	h.commit("bad", "new", "text\n")
	b := h.bench(script("wc -c <new"))
	finer, _, ok := b.set.Split([]int{0}, changes.LongHunks)
	if !ok || finer.Changes[0].Kind != changes.Created {
		t.Fatalf("cut into %+v", finer)
	}
	b.set = finer
	if got := read(t, b.verdict(isolate.Of(finer.Len(), 0)).Stdout); got != "0\n" {
		t.Errorf("saw %q, want an empty file", got)
	}
}

package git

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"
)

// library makes a packed repository of n blobs that are n/20 files in 20
// versions each, about eight kilobytes long: what one release more of a project
// looks like to the object store.
func (s *sandbox) library(n int) (r *Repo, ids []ID, size int64) {
	s.git("", "init", "-q", "lib")
	r = s.open("lib")
	store := &Scratch{repo: r, objects: s.path("lib/.git/objects")}
	rng := rand.New(rand.NewPCG(1, 0))
	var list strings.Builder
	for len(ids) < n {
		lines := make([]string, 200)
		for i := range lines {
			lines[i] = fmt.Sprintf("%x the quick brown fox jumps\n", rng.Uint64())
		}
		for range 20 {
			lines[rng.IntN(len(lines))] = fmt.Sprintf("%x changed\n", rng.Uint64())
			content := strings.Join(lines, "")
			id, err := store.Put("blob", []byte(content))
			if err != nil {
				s.t.Fatal(err)
			}
			ids, size = append(ids, id), size+int64(len(content))
			fmt.Fprintln(&list, id)
		}
	}
	s.write("ids", list.String())
	pack := s.command(s.path("lib"), "pack-objects", "-q", "--window=10", ".git/objects/pack/pack")
	pack.Stdin = strings.NewReader(list.String())
	if out, err := pack.CombinedOutput(); err != nil {
		s.t.Fatalf("%v: %s", err, out)
	}
	s.git("lib", "prune-packed", "-q")
	rng.Shuffle(len(ids), func(i, j int) { ids[i], ids[j] = ids[j], ids[i] })
	return r, ids, size
}

// BenchmarkBlob reads all blobs of a packed repository in random order, by
// go-git, by cat-file, as [Repo.Blob] does (go-git, hash checked), and all at
// once by [Repo.Blobs].
func BenchmarkBlob(b *testing.B) {
	s := newSandbox(b)
	r, ids, size := s.library(10_000)
	each := func(b *testing.B, read func(ID) error) {
		b.SetBytes(size)
		b.ReportAllocs()
		for b.Loop() {
			for _, id := range ids {
				if err := read(id); err != nil {
					b.Fatal(err)
				}
			}
		}
	}
	b.Run("go-git", func(b *testing.B) {
		each(b, func(id ID) error { _, _, err := r.store.inProcess.read(b.Context(), id); return err })
	})
	b.Run("cat-file", func(b *testing.B) {
		each(b, func(id ID) error { _, _, err := r.store.program.read(b.Context(), id); return err })
	})
	b.Run("Blob", func(b *testing.B) {
		each(b, func(id ID) error { _, err := r.Blob(b.Context(), id); return err })
	})
	b.Run("Blobs", func(b *testing.B) {
		b.SetBytes(size)
		b.ReportAllocs()
		for b.Loop() {
			for read := range r.Blobs(b.Context(), ids) {
				if _, err := read(); err != nil {
					b.Fatal(err)
				}
			}
		}
	})
}

// BenchmarkWorkspace makes and removes a workspace of 1,000 files.
func BenchmarkWorkspace(b *testing.B) {
	s := newSandbox(b)
	s.git("", "init", "-q", "r")
	for i := range 1000 {
		s.write(fmt.Sprintf("r/d%d/f%d", i%20, i), fmt.Sprint(i))
	}
	s.git("r", "add", "-A")
	s.git("r", "commit", "-q", "-m", "files")
	r := s.open("r")
	head := s.resolve(r, "HEAD").Commit
	dir := b.TempDir()
	for b.Loop() {
		w, err := r.NewWorkspace(b.Context(), filepath.Join(dir, "w"), head)
		if err != nil {
			b.Fatal(err)
		}
		if err := w.Remove(); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkOpen(b *testing.B) {
	s := newSandbox(b)
	s.repo("r")
	for b.Loop() {
		r, err := Open(b.Context(), s.path("r"))
		if err != nil {
			b.Fatal(err)
		}
		r.Close()
	}
}

func BenchmarkScratchPut(b *testing.B) {
	s := newSandbox(b)
	s.git("", "init", "-q", "r")
	scratch, err := s.open("r").NewScratch(b.TempDir())
	if err != nil {
		b.Fatal(err)
	}
	content := []byte(strings.Repeat("the quick brown fox\n", 400))
	b.SetBytes(int64(len(content)))
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		if _, err := scratch.Put("blob", fmt.Append(content, i)); err != nil {
			b.Fatal(err)
		}
	}
}

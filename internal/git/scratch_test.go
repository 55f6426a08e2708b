package git

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/gitdd/gitdd/internal/seed"
)

// TestScratchPut compares stored objects with those git hashes and reads, in
// both object formats, from many goroutines that store the same objects.
func TestScratchPut(t *testing.T) {
	for _, format := range []string{"sha1", "sha256"} {
		t.Run(format, func(t *testing.T) {
			s := newSandbox(t)
			s.repo("r", "--object-format="+format)
			before := snapshot(t, s.dir)
			r := s.open("r")
			dir := t.TempDir()
			scratch, err := r.NewScratch(dir)
			if err != nil {
				t.Fatal(err)
			}
			rng := rand.New(rand.NewPCG(seed.New(t), 0))
			contents := []string{"", "x", "\x00\xff"}
			for range 20 {
				content := make([]byte, rng.IntN(200_000))
				for i := range content {
					content[i] = byte(rng.IntN(4))
				}
				contents = append(contents, string(content))
			}
			var wg sync.WaitGroup
			for range 4 {
				wg.Go(func() {
					for _, content := range contents {
						if _, err := scratch.Put("blob", []byte(content)); err != nil {
							t.Error(err)
						}
					}
				})
			}
			wg.Wait()
			for _, content := range contents {
				id := r.HashObject("blob", []byte(content))
				got, err := scratch.Git(t.Context(), "cat-file", "blob", string(id))
				if err != nil || string(got) != content {
					t.Errorf("stored %.20q reads as %.20q, %v", content, got, err)
				}
			}
			if _, err := scratch.Git(t.Context(), "fsck", "--strict", "--no-dangling"); err != nil {
				t.Error(err)
			}
			if left, _ := filepath.Glob(dir + "/objects/*/tmp_*"); len(left) > 0 {
				t.Errorf("temporary files left: %q", left)
			}
			checkSame(t, before, snapshot(t, s.dir))
		})
	}
}

// TestScratchTree makes a tree in process and by the scratch index: the ids are
// equal, and the object reads back through the store after it is opened again.
func TestScratchTree(t *testing.T) {
	s := newSandbox(t)
	s.repo("r")
	r := s.open("r")
	dir := t.TempDir()
	scratch, err := r.NewScratch(dir)
	if err != nil {
		t.Fatal(err)
	}
	var root node
	for i := range 30 {
		name := fmt.Sprintf("d%d/e%d/f-%d", i%3, i%5, i)
		blob, err := scratch.Put("blob", []byte(name))
		if err != nil {
			t.Fatal(err)
		}
		root.add(strings.Split(name, "/"), blob)
		if _, err := scratch.Git(t.Context(), "update-index", "--add", "--cacheinfo", "100644,"+string(blob)+","+name); err != nil {
			t.Fatal(err)
		}
	}
	id := root.put(t, scratch)
	out, err := scratch.Git(t.Context(), "write-tree")
	if got := ID(strings.TrimSpace(string(out))); err != nil || got != id {
		t.Errorf("write-tree gives %s, %v, want %s", got, err, id)
	}
	again, err := r.NewScratch(dir)
	if err != nil {
		t.Fatal(err)
	}
	if out, err := again.Git(t.Context(), "ls-tree", "-r", "--name-only", string(id)); err != nil || strings.Count(string(out), "\n") != 30 {
		t.Errorf("opened again: %q, %v", out, err)
	}
}

// TestScratchPutAfterPowerFailure: a file without content is not an object.
func TestScratchPutAfterPowerFailure(t *testing.T) {
	s := newSandbox(t)
	s.repo("r")
	scratch, err := s.open("r").NewScratch(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	id, err := scratch.Put("blob", []byte("content"))
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(scratch.objects, string(id[:2]), string(id[2:]))
	if err := os.Chmod(path, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(path, 0); err != nil {
		t.Fatal(err)
	}
	if _, err := scratch.Put("blob", []byte("content")); err != nil {
		t.Fatal(err)
	}
	if out, err := scratch.Git(t.Context(), "cat-file", "blob", string(id)); err != nil || string(out) != "content" {
		t.Errorf("stored again: %q, %v", out, err)
	}
}

// A patch goes on a tree whose lines around it have changed, unless they conflict;
// the user's index and objects stay as they are.
func TestScratchApplied(t *testing.T) {
	s := newSandbox(t)
	s.git("", "init", "-q", "-b", "main", "r")
	commit := func(tag, content string) {
		s.write("r/f", content)
		s.git("r", "add", "f")
		s.git("r", "commit", "-q", "-m", tag)
		s.git("r", "tag", tag)
	}
	commit("base", "1\n2\n3\n4\n5\n6\n")
	commit("fixed", "1\n2\n3\nfour\n5\n6\n")
	commit("moved", "0\none\n2\n3\n4\n5\nsix\n")
	commit("conflict", "1\n2\n3\nvier\n5\n6\n")
	commit("adjacent", "1\n2\ndrei\n4\nfunf\nsechs\n")
	s.write("fix.patch", s.git("r", "diff", "--full-index", "base", "fixed")+"\n")
	before := s.git("r", "count-objects", "-v") + s.git("r", "ls-files", "-s")
	r := s.open("r")
	scratch, err := r.NewScratch(s.path("scratch"))
	if err != nil {
		t.Fatal(err)
	}
	for tag, want := range map[string]string{"base": "1\n2\n3\nfour\n5\n6\n", "moved": "0\none\n2\n3\nfour\n5\nsix\n", "conflict": "", "adjacent": "1\n2\ndrei\nfour\nfunf\nsechs\n"} {
		tree, ok, err := scratch.Applied(t.Context(), s.resolve(r, tag).Tree, s.path("fix.patch"))
		if err != nil || ok != (want != "") {
			t.Errorf("on %s: %v, %v", tag, ok, err)
			continue
		}
		if !ok {
			continue
		}
		got, err := scratch.Git(t.Context(), "cat-file", "blob", string(tree)+":f")
		if err != nil || string(got) != want {
			t.Errorf("on %s: %q, %v; want %q", tag, got, err, want)
		}
	}
	if now := s.git("r", "count-objects", "-v") + s.git("r", "ls-files", "-s"); now != before {
		t.Errorf("the repository had\n%s\nand has\n%s", before, now)
	}
}

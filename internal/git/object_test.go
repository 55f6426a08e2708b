package git

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/gitdd/gitdd/internal/seed"
)

func TestHashObject(t *testing.T) {
	s := newSandbox(t)
	for _, format := range []string{"sha1", "sha256"} {
		s.git("", "init", "-q", "--object-format="+format, format)
		r := s.open(format)
		if r.ObjectFormat() != format {
			t.Errorf("object format %s, want %s", r.ObjectFormat(), format)
		}
		for _, content := range []string{"", "x", "no newline", "nul\x00\xff\n", strings.Repeat("long\n", 100_000)} {
			s.write("content", content)
			want := s.git(format, "hash-object", "--no-filters", "../content")
			if got := r.HashObject("blob", []byte(content)); string(got) != want {
				t.Errorf("%s of %.20q is %s, want %s", format, content, got, want)
			}
		}
	}
}

func TestParseTreeDamaged(t *testing.T) {
	id := strings.Repeat("i", 20)
	for _, content := range []string{"1", "100644 name", "100644 name\x00short", "100644name\x00" + id, "100644 \x00" + id, "9 n\x00" + id, "100644 a\x00" + id + "x"} {
		if entries, err := parseTree([]byte(content), 20); err == nil {
			t.Errorf("parseTree(%q) = %v", content, entries)
		}
	}
}

func TestReadErrors(t *testing.T) {
	s := newSandbox(t)
	s.repo("r")
	s.git("", "clone", "-q", "--depth=1", "file://"+s.path("r"), "shallow")
	r := s.open("r")
	v2 := s.resolve(r, "v2")
	absent := ID(strings.Repeat("ab", 20))
	_, inTree := r.Tree(t.Context(), v2.Commit)
	_, inBlob := r.Blob(t.Context(), v2.Tree)
	_, ofSize := r.BlobSize(t.Context(), v2.Tree)
	_, missing := r.Blob(t.Context(), absent)
	_, missingSize := r.BlobSize(t.Context(), absent)
	_, shallow := s.open("shallow").Blob(t.Context(), absent)
	_, form := r.Blob(t.Context(), "HEAD")
	_, formSize := r.BlobSize(t.Context(), "a\nb")
	tests := []struct {
		err  error
		want string
	}{
		{inTree, "is a commit, not a tree"},
		{inBlob, "is a tree, not a blob"},
		{ofSize, "is a tree, not a blob"},
		{missing, "is missing from the repository"},
		{missingSize, "is missing from the repository"},
		{shallow, "git fetch --unshallow"},
		{form, "not an object id"},
		{formSize, "not an object id"},
	}
	for i, tt := range tests {
		if tt.err == nil || !strings.Contains(tt.err.Error(), tt.want) {
			t.Errorf("%d: %v, want %q", i, tt.err, tt.want)
		}
	}
	r.Close()
	if _, err := r.Blob(t.Context(), absent); err == nil || !strings.Contains(err.Error(), "closed") {
		t.Errorf("after Close: %v", err)
	}
}

// TestReadDamaged checks that no damage is passed on as content: git says what
// is wrong, and the next object is read all the same.
func TestReadDamaged(t *testing.T) {
	s := newSandbox(t)
	s.repo("r")
	good := ID(s.git("r", "rev-parse", "v2:new.txt"))
	bad := ID(s.git("r", "rev-parse", "v2:a.txt"))
	path := s.path("r/.git/objects/" + string(bad[:2]) + "/" + string(bad[2:]))
	other, err := os.ReadFile(s.path("r/.git/objects/" + string(good[:2]) + "/" + string(good[2:])))
	if err != nil {
		t.Fatal(err)
	}
	for _, content := range [][]byte{nil, []byte("no zlib"), other[:len(other)/2], other} {
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, content, 0o444); err != nil {
			t.Fatal(err)
		}
		r := s.open("r")
		if got, err := r.Blob(t.Context(), bad); err == nil {
			t.Errorf("damaged blob (%d bytes) reads as %q", len(content), got)
		}
		if got, err := r.Blob(t.Context(), good); err != nil || string(got) != "new\n" {
			t.Errorf("after a damaged blob: %q, %v", got, err)
		}
	}
}

// TestReplaced checks the rule of doc.go: replacement counts for names and
// history, not below a tree.
func TestReplaced(t *testing.T) {
	s := newSandbox(t)
	s.repo("r")
	blob := s.git("r", "rev-parse", "v2:a.txt")
	s.git("r", "replace", blob, s.git("r", "rev-parse", "v1:a.txt"))
	v1, v2 := s.git("r", "rev-parse", "v1"), s.git("r", "rev-parse", "v2^{}")
	stored := ID(s.git("r", "--no-replace-objects", "rev-parse", v2+"^{tree}"))
	s.git("r", "replace", v2, s.git("r", "commit-tree", "-m", "graft", "v1:sub"))
	r := s.open("r")
	rev := s.resolve(r, "v2")
	if want := s.git("r", "rev-parse", "v1:sub"); string(rev.Tree) != want || string(rev.Commit) != v2 {
		t.Errorf("v2 is %+v, want tree %s", rev, want)
	}
	for _, o := range []objects{r.store.inProcess, r.store.program} {
		if _, content, err := o.read(t.Context(), ID(blob)); err != nil || string(content) != "one\n2\nthree\n" {
			t.Errorf("%T: replaced blob reads as %q, %v", o, content, err)
		}
	}
	deltas, err := r.DiffTrees(t.Context(), s.resolve(r, v1).Tree, stored, []string{"a.txt"})
	if err != nil || len(deltas) != 1 || deltas[0].NewID != ID(blob) {
		t.Errorf("deltas %v, %v", deltas, err)
	}
	for _, tree := range []ID{rev.Commit, stored} {
		w, err := r.NewWorkspace(t.Context(), filepath.Join(t.TempDir(), "w"), tree)
		if err != nil {
			t.Fatal(err)
		}
		if tree == stored {
			if got := readFile(t, w.Dir+"/a.txt"); got != "one\n2\nthree\n" {
				t.Errorf("workspace has %q", got)
			}
		} else if got := readFile(t, w.Dir+"/b.txt"); got != "b\n" {
			t.Errorf("workspace has %q", got)
		}
		if err := w.Remove(); err != nil {
			t.Fatal(err)
		}
	}
}

// TestConcurrentReads reads many blobs from many goroutines through either
// implementation while the store is repacked and cat-file is killed under them.
func TestConcurrentReads(t *testing.T) {
	s := newSandbox(t)
	s.git("", "init", "-q", "r")
	rng := rand.New(rand.NewPCG(seed.New(t), 0))
	want := map[ID][]byte{}
	r := s.open("r")
	scratch := &Scratch{repo: r, objects: s.path("r/.git/objects")}
	var base []byte
	for i := range 200 { // similar ones, so that packs hold deltas
		base = append(base, fmt.Sprintf("line %d\n", rng.Int())...)
		content := bytes.Clone(base)
		id, err := scratch.Put("blob", content)
		if err != nil {
			t.Fatal(err)
		}
		want[id] = content
		if i == 100 {
			s.git("r", "repack", "-q", "-a", "-d", "--keep-unreachable")
		}
	}
	for _, o := range []objects{r.store.inProcess, r.store.program} {
		var wg sync.WaitGroup
		read := func(o objects) {
			for id, content := range want {
				kind, got, err := o.read(t.Context(), id)
				if err != nil || kind != "blob" || !bytes.Equal(got, content) {
					t.Errorf("%T: %s: %s of %d bytes, %v", o, id, kind, len(got), err)
					return
				}
			}
		}
		for range 4 {
			wg.Go(func() { read(o) })
		}
		wg.Wait()
	}

	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for id, content := range want {
				if got, err := r.Blob(t.Context(), id); err != nil || !bytes.Equal(got, content) {
					t.Errorf("during a repack: %s: %d bytes, %v", id, len(got), err)
					return
				}
			}
		})
	}
	s.git("r", "repack", "-q", "-a", "-d", "-f", "--keep-unreachable")
	wg.Wait()
}

func TestCatFileRestarts(t *testing.T) {
	s := newSandbox(t)
	s.repo("r")
	r := s.open("r")
	c := r.store.program
	id := ID(s.git("r", "rev-parse", "v2:new.txt"))
	read := func() {
		t.Helper()
		if _, content, err := c.read(t.Context(), id); err != nil || string(content) != "new\n" {
			t.Errorf("read %q, %v", content, err)
		}
	}
	read()
	first := c.process
	read()
	if c.process != first {
		t.Error("a second question started a second process")
	}
	first.kill()
	_ = first.cmd.Process.Signal(os.Kill)
	waitFor(t, func() bool { _, err := first.out.Peek(1); return err != nil })
	read()

	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, _, err := c.read(ctx, id); !errors.Is(err, context.Canceled) {
		t.Errorf("with a context that has ended: %v", err)
	}
	read()
}

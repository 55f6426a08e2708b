package git

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"
)

// blobs stores n blobs of growing size, some of them more than a pipe holds.
func (s *sandbox) blobs(r *Repo, n int) (ids []ID, want [][]byte) {
	s.t.Helper()
	scratch := &Scratch{repo: r, objects: r.CommonDir() + "/objects"}
	for i := range n {
		content := fmt.Appendf(nil, "blob %d\n\x00%s", i, bytes.Repeat([]byte("x\n"), i%7*i*100))
		id, err := scratch.Put("blob", content)
		if err != nil {
			s.t.Fatal(err)
		}
		ids, want = append(ids, id), append(want, content)
	}
	return ids, want
}

// checkBlobs reads ids by Blobs and compares with Blob.
func checkBlobs(t *testing.T, r *Repo, ids []ID) {
	t.Helper()
	n := 0
	for read := range r.Blobs(t.Context(), ids) {
		got, err := read()
		if err != nil {
			t.Fatal(err)
		}
		want, err := r.Blob(t.Context(), ids[n])
		if err != nil || !bytes.Equal(got, want) {
			t.Errorf("blob %d, %s, is %.20q by Blobs and %.20q by Blob, %v", n, ids[n], got, want, err)
		}
		n++
	}
	if n != len(ids) {
		t.Errorf("%d of %d blobs", n, len(ids))
	}
}

// TestBlobs checks order, contents and numbers, of few and of many blobs, and
// that many come out of one process: whatever reads single objects is closed.
func TestBlobs(t *testing.T) {
	for _, format := range []string{"sha1", "sha256"} {
		for _, n := range []int{0, 1, manyBlobs - 1, manyBlobs, 5 * manyBlobs} {
			t.Run(fmt.Sprint(format, n), func(t *testing.T) {
				s := newSandbox(t)
				s.git("", "init", "-q", "--object-format="+format, "r")
				r := s.open("r")
				ids, want := s.blobs(r, n)
				ids, want = append(ids, ids[:n/2]...), append(want, want[:n/2]...) // some twice
				if len(ids) >= manyBlobs {
					r.store.close()
					r.store.inProcess = nil
				}
				var reads []func() ([]byte, error)
				for read := range r.Blobs(t.Context(), ids) {
					reads = append(reads, read)
				}
				if len(reads) != len(ids) {
					t.Fatalf("%d of %d blobs", len(reads), len(ids))
				}
				var wg sync.WaitGroup
				for i, read := range reads {
					wg.Go(func() {
						if got, err := read(); err != nil || !bytes.Equal(got, want[i]) {
							t.Errorf("blob %d is %.20q, want %.20q, %v", i, got, want[i], err)
						}
					})
				}
				wg.Wait()
			})
		}
	}
}

// TestBlobsErrors: what cannot be read is an error of that one blob, which it
// names; the others are read all the same.
func TestBlobsErrors(t *testing.T) {
	const at = 100 // of 200
	absent := ID(strings.Repeat("ab", 20))
	damage := func(content string) func(s *sandbox, id ID) ID {
		return func(s *sandbox, id ID) ID {
			path := s.path("r/.git/objects/" + string(id[:2]) + "/" + string(id[2:]))
			if err := os.Remove(path); err != nil {
				s.t.Fatal(err)
			}
			if err := os.WriteFile(path, []byte(content), 0o444); err != nil {
				s.t.Fatal(err)
			}
			return id
		}
	}
	for _, tt := range []struct {
		name  string
		spoil func(s *sandbox, id ID) ID // returns what to ask for instead
		want  string
	}{
		{"missing", func(*sandbox, ID) ID { return absent }, string(absent)},
		{"empty file", damage(""), ""},
		{"no zlib", damage("no zlib"), ""},
		{"another content", func(s *sandbox, id ID) ID {
			other := s.git("r", "rev-parse", "v2:new.txt")
			return damage(readFile(s.t, s.path("r/.git/objects/"+other[:2]+"/"+other[2:])))(s, id)
		}, "damaged"},
		{"a tree", func(s *sandbox, _ ID) ID { return ID(s.git("r", "rev-parse", "v2^{tree}")) }, "is a tree, not a blob"},
		{"no id", func(*sandbox, ID) ID { return "HEAD" }, `"HEAD" is not an object id`},
		{"two lines", func(_ *sandbox, id ID) ID { return id + "\n" + id }, "is not an object id"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := newSandbox(t)
			s.repo("r")
			r := s.open("r")
			ids, want := s.blobs(r, 2*at)
			ids[at] = tt.spoil(s, ids[at])
			i := 0
			for read := range r.Blobs(t.Context(), ids) {
				got, err := read()
				switch {
				case i != at && (err != nil || !bytes.Equal(got, want[i])):
					t.Errorf("blob %d is %.20q, want %.20q, %v", i, got, want[i], err)
				case i == at && (err == nil || !strings.Contains(err.Error(), tt.want) || !strings.Contains(err.Error(), strings.Split(string(ids[at]), "\n")[0])):
					t.Errorf("blob %d is %.20q, %v", i, got, err)
				}
				i++
			}
			if i != len(ids) {
				t.Errorf("%d of %d blobs", i, len(ids))
			}
		})
	}
}

// TestBlobsEndsEarly: whoever stops, or whose context ends, leaves no process
// behind, and what was read stays.
func TestBlobsEndsEarly(t *testing.T) {
	s := newSandbox(t)
	s.git("", "init", "-q", "r")
	r := s.open("r")
	ids, want := s.blobs(r, 500)
	const enough = 10
	for _, name := range []string{"break", "context"} {
		ctx, cancel := context.WithCancel(t.Context())
		var reads []func() ([]byte, error)
		for read := range r.Blobs(ctx, ids) {
			if reads = append(reads, read); len(reads) == enough {
				if name == "break" {
					break
				}
				cancel()
			}
		}
		cancel()
		if got, err := reads[enough-1](); err != nil || !bytes.Equal(got, want[enough-1]) {
			t.Errorf("%s: %.20q, %v", name, got, err)
		}
		if _, err := reads[len(reads)-1](); name == "context" && !errors.Is(err, context.Canceled) {
			t.Errorf("%d blobs were read, the last one with %v", len(reads), err)
		}
	}
	running.Lock()
	defer running.Unlock()
	if len(running.pids) > 0 {
		t.Errorf("%d git processes are left", len(running.pids))
	}
}

// manyOf lists the blobs of a revision, as often as it takes to be many.
func (s *sandbox) manyOf(dir, rev string) (ids []ID) {
	list := s.git(dir, "ls-tree", "-r", "--full-tree", "--format=%(objectname)", rev)
	for len(ids) < manyBlobs {
		for id := range strings.Lines(list) {
			ids = append(ids, ID(strings.TrimSpace(id)))
		}
	}
	return ids
}

// TestBlobsFetch: what a partial clone lacks is fetched.
func TestBlobsFetch(t *testing.T) {
	s := newSandbox(t)
	s.repo("origin")
	s.git("origin", "config", "uploadpack.allowFilter", "true")
	s.git("", "clone", "-q", "--filter=blob:none", "--no-checkout", "file://"+s.path("origin"), "partial")
	ids := s.manyOf("origin", "v2")
	for read := range s.open("partial").Blobs(t.Context(), ids) {
		if _, err := read(); err != nil {
			t.Error(err)
		}
	}
}

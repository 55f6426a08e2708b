package changes

import (
	"bytes"
	"path/filepath"
	"testing"

	"github.com/gitdd/gitdd/internal/git"
)

// FuzzCompose cuts two texts, and the hunks into lines, and composes the subset
// that the bits of mask choose: by offsets, and by the line numbers that the
// changes tell. No git runs: the cache holds the two contents.
func FuzzCompose(f *testing.F) {
	path := filepath.Join(f.TempDir(), "r.git")
	runGit(f, "", nil, "init", "-q", "--bare", path)
	repo := open(f, path)
	f.Add("a\nb\nc\n", "x\nb\nd", []byte{1}, false)
	f.Add("", "x\r\n\x00\n\xff", []byte{0xa5}, true)
	f.Add("p\nq\nr\ns\n", "", []byte{0x5a}, true)
	f.Fuzz(func(t *testing.T, old, new string, mask []byte, finest bool) {
		if old == new || isBinary([]byte(old)) || isBinary([]byte(new)) {
			t.Skip()
		}
		s := &Set{repo: repo, cache: newCache(), empty: repo.HashObject("blob", nil)}
		a := side{"f", git.Regular, repo.HashObject("blob", []byte(old))}
		b := side{"f", git.Regular, repo.HashObject("blob", []byte(new))}
		s.cache.put(a.id, []byte(old))
		s.cache.put(b.id, []byte(new))
		s.files = []file{{old: a, new: b}}
		for _, h := range cut([]byte(old), []byte(new)) {
			s.Changes = append(s.Changes, h.change([]byte(old), []byte(new)))
			s.spots = append(s.spots, spot{span: span{h.oldOff, h.oldEnd, h.newOff, h.newEnd}, depth: declared})
		}
		for i := range s.Changes {
			s.Changes[i].Path, s.Changes[i].OldPath = "f", "f"
		}
		s.files[0].end = s.Len()
		s.Requires = requires(s.files, s.Changes)
		only := entry{Entry: git.Entry{Name: "f", Mode: git.Regular, ID: a.id}}
		body, err := only.Append(nil)
		if err != nil {
			t.Fatal(err)
		}
		only.end = len(body)
		s.root = &dir{id: repo.HashObject("tree", body), body: body, entries: []entry{only}}
		name(s.Changes)
		if finest {
			s, _, _ = s.Split(upTo(s.Len()), EveryLine)
		}
		var subset []int
		for i := range s.Len() {
			if len(mask) > 0 && mask[i/8%len(mask)]>>(i%8)&1 == 1 {
				subset = append(subset, i)
			}
		}
		want := []byte(oracle(t, s, tree{"f": text(old)}, tree{"f": text(new)}, subset)["f"].content)
		got := []byte(old)
		for _, f := range compose(t, s, subset).Files {
			if got, err = s.Content(f); err != nil {
				t.Fatal(err)
			}
			if id := repo.HashObject("blob", got); id != f.ID {
				t.Errorf("content is %s, the tree says %s", id, f.ID)
			}
		}
		if !bytes.Equal(got, want) {
			t.Errorf("%q..%q, changes %v: %q, want %q", old, new, subset, got, want)
		}
	})
}

package changes

import (
	"fmt"
	"path/filepath"
	"slices"
	"testing"
)

// wide gives two trees of many files, of which every touched-th has edits.
func wide(files, touched, edits int) (good, bad tree) {
	good, bad = tree{}, tree{}
	for n := range files {
		path := fmt.Sprintf("dir%02d/sub%02d/file%03d.c", n%40, n/40%20, n)
		content := numbered(200, map[int]string{1: path + "\n"})
		good[path], bad[path] = text(content), text(content)
		if n%touched == 0 {
			change := map[int]string{1: path + "\n"}
			for e := range edits {
				change[10+e*150/edits] = fmt.Sprintf("edit %d of %s\n", e, path)
			}
			bad[path] = text(numbered(200, change))
		}
	}
	return good, bad
}

// BenchmarkBetween cuts 2,000 changed files with 12,000 hunks, and for the ratio
// lets git diff -U0 do the same.
func BenchmarkBetween(b *testing.B) {
	good, bad := wide(4000, 2, 6)
	repo, revs := repository(b, "sha1", good, bad)
	runGit(b, repo.GitDir(), nil, "gc", "-q")
	repo = open(b, repo.GitDir())
	b.Run("gitdd", func(b *testing.B) {
		for b.Loop() {
			if s := between(b, repo, revs[0], revs[1]); s.Len() != 12_000 {
				b.Fatalf("%d changes", s.Len())
			}
		}
	})
	b.Run("git", func(b *testing.B) {
		for b.Loop() {
			runGit(b, filepath.Clean(repo.GitDir()), nil, "diff", "-U0", revs[0], revs[1])
		}
	})
}

// BenchmarkCompose composes subsets of a difference of 2,000 files with 12,000
// hunks in a repository of 10,000 files.
func BenchmarkCompose(b *testing.B) {
	good, bad := wide(10_000, 5, 6)
	repo, revs := repository(b, "sha1", good, bad)
	s := between(b, repo, revs[0], revs[1])
	for _, c := range []struct {
		name   string
		subset func(round int) []int
	}{
		{"one-hunk", func(round int) []int { return []int{round * 6 % s.Len()} }},
		{"half-the-files", func(round int) []int { return upTo(s.Len() / 2 / 6 * 6)[round%2*6:] }},
		{"every-other-hunk", func(round int) []int {
			var odd []int
			for i := round % 2; i < s.Len(); i += 2 {
				odd = append(odd, i)
			}
			return odd
		}},
	} {
		b.Run(c.name, func(b *testing.B) {
			round := 0
			for b.Loop() {
				if _, err := s.Compose(slices.Values(c.subset(round))); err != nil {
					b.Fatal(err)
				}
				round++
			}
		})
	}
}

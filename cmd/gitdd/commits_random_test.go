package main

import (
	"bytes"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/gitdd/gitdd/internal/seed"
)

// A grown commit adds the file of its name to those of its parents; a merge adds
// none.
type grown struct {
	parents []int
	own     string // "" for a merge
	above   map[int]bool
}

// grow makes a history of branches from anywhere and merges of any two or three,
// which ends in one commit. The first commit is the root.
func grow(random *rand.Rand) []grown {
	commits := []grown{{own: "root", above: map[int]bool{0: true}}}
	heads := []int{0}
	add := func(own string, parents ...int) int {
		c := grown{parents: parents, own: own, above: map[int]bool{len(commits): true}}
		for _, p := range parents {
			maps.Copy(c.above, commits[p].above)
		}
		commits = append(commits, c)
		return len(commits) - 1
	}
	for range 20 + random.IntN(40) {
		i := random.IntN(len(heads))
		name := fmt.Sprintf("c%02d", len(commits))
		switch random.IntN(6) {
		case 0:
			heads = append(heads, add(name, random.IntN(len(commits))))
		case 1:
			parents := []int{heads[i]}
			for _, j := range random.Perm(len(heads))[:random.IntN(min(3, len(heads)))] {
				if !commits[heads[i]].above[heads[j]] && !commits[heads[j]].above[heads[i]] {
					parents = append(parents, heads[j])
				}
			}
			if len(parents) > 1 {
				heads[i] = add("", parents...)
			}
		default:
			heads[i] = add(name, heads[i])
		}
	}
	for _, h := range heads[1:] {
		if !commits[heads[0]].above[h] {
			heads[0] = add("", heads[0], h)
		}
	}
	add("end", heads[0])
	return commits
}

// stream is a history for git fast-import, with a tag for each commit.
func stream(commits []grown) []byte {
	var b bytes.Buffer
	for n, c := range commits {
		fmt.Fprintf(&b, "commit refs/heads/main\nmark :%d\ncommitter Ada <ada@example.com> %d +0000\ndata %d\n%s\n", n+1, 1700000000+n, len(fmt.Sprint("t", n)), fmt.Sprint("t", n))
		for i, p := range c.parents {
			fmt.Fprintf(&b, "%s :%d\n", []string{"from", "merge"}[min(i, 1)], p+1)
		}
		fmt.Fprintln(&b, "deleteall")
		for _, a := range slices.Sorted(maps.Keys(c.above)) {
			if own := commits[a].own; own != "" {
				fmt.Fprintf(&b, "M 100644 inline %s\ndata %d\n%s\n", own, len(own), own)
			}
		}
		fmt.Fprintf(&b, "\nreset refs/tags/t%d\nfrom :%d\n\n", n, n+1)
	}
	return b.Bytes()
}

// imported makes the repository repo of these commits, with the last checked out.
func (f *field) imported(commits []grown) {
	f.t.Helper()
	f.run("", "git", "init", "-q", "-b", "main", "repo")
	load := f.command("repo", "git", "fast-import", "--quiet")
	load.Stdin = bytes.NewReader(stream(commits))
	if out, err := load.CombinedOutput(); err != nil {
		f.t.Fatalf("%v\n%s", err, out)
	}
	f.run("repo", "git", "reset", "-q", "--hard", "main")
}

// TestCommitsRandom plants two commits that break the test together: if one comes
// after the other it is the answer, otherwise both are, from where they meet.
func TestCommitsRandom(t *testing.T) {
	seed.Rounds(t, 8, 2, func(t *testing.T, random *rand.Rand) {
		commits := grow(random)
		f := newField(t)
		f.imported(commits)

		var candidates []int
		for n, c := range commits {
			if n > 0 && c.own != "" {
				candidates = append(candidates, n)
			}
		}
		x, y := candidates[random.IntN(len(candidates))], candidates[random.IntN(len(candidates))]
		want := []string{commits[x].own, commits[y].own}
		if commits[y].above[x] {
			want = want[1:]
		} else if commits[x].above[y] {
			want = want[:1]
		}
		slices.Sort(want)

		check := fmt.Sprintf("! test -e %s || ! test -e %s", commits[x].own, commits[y].own)
		text := f.run("repo", "gitdd", "run", "--good", "t0", "--json", "../result.json", "--", "sh", "-c", check)
		r, err := readResult(f.path("result.json"))
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, c := range r.Cause {
			got = append(got, c.Path)
		}
		graph := func() string { return f.run("repo", "git", "log", "--graph", "--format=%s") }
		if !slices.Equal(got, want) || r.History == nil || !r.Verified || !r.Minimal {
			t.Fatalf("got %v, want %v\n%s\n%s", got, want, text, graph())
		}
		if len(want) == 1 && (r.Commit == nil || len(r.History.Sides) > 0) || len(want) == 2 && len(r.History.Sides) < 2 {
			t.Errorf("commit %+v, sides %v\n%s\n%s", r.Commit, r.History.Sides, text, graph())
		}
		t.Logf("%d commits: %d on the lines, %d tested, %d trials: %s", len(commits), r.History.Commits, r.History.Tested, r.Trials.Run, strings.Join(want, " and "))
	})
}

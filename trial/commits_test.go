package trial

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gitdd/gitdd/changes"
	"github.com/gitdd/gitdd/internal/git"
	"github.com/gitdd/gitdd/internal/seed"
	"github.com/gitdd/gitdd/isolate"
)

// TestCommits shows the commits of a line in any order, and mixtures of changes
// between them: the files, types, modes and pins are those that git has. Trees
// that were tested as commits are known as ends of a later set.
func TestCommits(t *testing.T) {
	h := newHistory(t)
	h.commit("good", "a", "0\n", "d/b", "0\n", "d/run", "#!/bin/sh\n", "link", "->a", "x", "file\n")
	h.run("update-index", "--add", "--cacheinfo", "160000,"+strings.Repeat("1", 40)+",pin")
	h.run("commit", "--quiet", "--amend", "--message=good")
	h.run("tag", "-f", "good")
	h.run("tag", "c0")
	h.commit("c1", "a", "#!/bin/sh\n", "d/b", "!", "x", "!", "x/y", "1\n", "pin/keep", "!")
	h.run("update-index", "--add", "--cacheinfo", "160000,"+strings.Repeat("2", 40)+",pin")
	h.run("commit", "--quiet", "--amend", "--message=c1")
	h.run("tag", "-f", "c1")
	h.commit("c2", "link", "real\n", "d/run", "plain\n", "only/here/for/once", "2\n")
	h.commit("c3", "link", "->d/run", "only", "a file now\n", "x/y", "!", "x", "->a")
	h.commit("c4", "only", "!", "a", "4\n", "z", "4\n")
	h.run("tag", "bad")

	b := h.bench(script("git ls-files -s pin; exit $(test -e z; expr 1 - $?)"))
	b.ends()
	var line []git.Commit
	var want []map[string]string
	for _, tag := range []string{"c0", "c1", "c2", "c3", "c4"} {
		rev, err := b.repo.Resolve(t.Context(), tag)
		if err != nil {
			t.Fatal(err)
		}
		line = append(line, git.Commit{ID: rev.Commit, Tree: rev.Tree})
		want = append(want, h.checkout(b, &changes.Tree{ID: rev.Tree}))
	}
	inner, err := changes.Between(t.Context(), b.repo, "c2", "c3", changes.Options{})
	if err != nil {
		t.Fatal(err)
	}
	test := b.Commits(b.set.Good, line)
	prefix := func(k int) isolate.Configuration {
		return isolate.Of(len(line)-1, []int{0, 1, 2, 3}[:k]...)
	}
	random := rand.New(rand.NewPCG(seed.New(t), 0))
	for range 30 {
		k := random.IntN(len(line))
		b.memo.attempts = map[memoKey][]Record{} // so that each is a trial
		o, err := test(t.Context(), prefix(k))
		if wanted := map[bool]isolate.Outcome{false: isolate.Pass, true: isolate.Fail}[k == 4]; err != nil || o != wanted {
			t.Fatalf("c%d: %v, %v; want %v", k, o, err, wanted)
		}
		if diff := cmp.Diff(want[k], trackedFiles(t, b.space())); diff != "" {
			t.Errorf("c%d (-git +workspace):\n%s", k, diff)
		}
		records := b.sess.Records()
		last := records[len(records)-1]
		if last.Commit != line[k].ID || last.Tree != line[k].Tree || last.Config != prefix(k).String() {
			t.Errorf("c%d is in the journal as %+v", k, last)
		}
		pins := []string{strings.Repeat("1", 40), strings.Repeat("2", 40), "", "", ""} // git add has dropped it from c2
		if got := read(t, b.sess.Output(last.Trial, "out")); !strings.Contains(got, pins[k]) || pins[k] == "" && got != "" {
			t.Errorf("c%d: the index has the pin %q, want %q", k, got, pins[k])
		}
		b.verdictIn(inner, random)
	}

	b.memo.attempts = map[memoKey][]Record{}
	for _, k := range []int{2, 3} {
		if _, err := test(t.Context(), prefix(k)); err != nil {
			t.Fatal(err)
		}
	}
	before := b.Stats().Run
	for _, c := range []isolate.Configuration{isolate.Empty(inner.Len()), isolate.Full(inner.Len())} {
		if v, err := b.ask(t.Context(), inner, c, Search); err != nil || !v.Cached {
			t.Errorf("%d of %d changes after the commits: %+v, %v", c.Len(), c.N(), v, err)
		}
	}
	if now := b.Stats().Run; now != before {
		t.Errorf("%d trials for commits that were tested", now-before)
	}
	if o, err := test(t.Context(), isolate.Of(4, 1)); o != isolate.Unresolved || err != nil {
		t.Errorf("a commit without the one before: %v, %v", o, err)
	}
	if _, err := test(t.Context(), isolate.Of(3, 0)); err == nil {
		t.Error("a configuration of another line is accepted")
	}
}

// verdictIn tests any mixture of another set in the same workspaces.
func (b *bench) verdictIn(s *changes.Set, random *rand.Rand) {
	b.t.Helper()
	var members []int
	for i := range s.Len() {
		if random.IntN(2) == 0 {
			members = append(members, i)
		}
	}
	if _, err := b.ask(b.t.Context(), s, isolate.Of(s.Len(), members...), Search); err != nil {
		b.t.Fatal(err)
	}
}

// TestRefusedCommit: a commit that git would not check out is unresolved, and no
// trial.
func TestRefusedCommit(t *testing.T) {
	h := newHistory(t)
	h.commit("good", "a", "0\n")
	h.commit("bad", "a", "1\n")
	tree := h.input("100644 blob "+h.blob("x")+"\t.GIT\n", "mktree")
	commit := h.run("commit-tree", "-p", "good", "-m", "hostile", tree)
	b := h.bench(script("exit $(cat a)"))
	b.ends()
	line := []git.Commit{{ID: b.set.Good.Commit}, {ID: git.ID(commit)}, {ID: b.set.Bad.Commit}}
	o, err := b.Commits(b.set.Good, line)(t.Context(), isolate.Of(2, 0))
	if o != isolate.Unresolved || err != nil || b.Stats().Run != 2 {
		t.Errorf("%v, %v, after %d trials", o, err, b.Stats().Run)
	}
}

package changes

import (
	"slices"
	"testing"
)

func ids(s *Set) []string {
	var out []string
	for _, c := range s.Changes {
		out = append(out, c.ID)
	}
	return out
}

// TestID rebases changes onto another good: what stays the same change keeps its id.
func TestID(t *testing.T) {
	from := func(extra string, change map[int]string) tree {
		return tree{"a": text(extra + numbered(60, change)), "m": text("m\n"), "r": text(extra + numbered(50, nil))}
	}
	edit := map[int]string{5: "x\n", 20: "x\n", 21: "", 40: "line\nmore\n", 41: "x\n"}
	with := func(base tree, extra string) tree {
		out := tree{"a": text(extra + numbered(60, edit)), "m": script("m\n"), "moved": base["r"], "new": text("new\n")}
		return out
	}
	good := from("", nil)
	shifted := from("one\ntwo\nthree\n", nil)
	repo, revs := repository(t, "sha1", good, with(good, ""), shifted, with(shifted, "one\ntwo\nthree\n"))
	before, after := between(t, repo, revs[0], revs[1]), between(t, repo, revs[2], revs[3])
	if got, want := ids(after), ids(before); !slices.Equal(got, want) {
		t.Errorf("after a rebase the ids are\n%q, before\n%q", got, want)
	}
	if before.Changes[0].OldStart == after.Changes[0].OldStart {
		t.Error("the rebase moved no line: the test asks nothing")
	}
	checkIDs(t, before)

	// Another file renamed, another hunk added: the ids of the others stay.
	more := with(good, "")
	more["elsewhere"] = more["moved"]
	delete(more, "moved")
	more["z"] = text("z\n")
	repo, revs = repository(t, "sha1", good, with(good, ""), more)
	wide := ids(between(t, repo, revs[0], revs[2]))
	same := 0
	for i, id := range ids(before) {
		if slices.Contains(wide, id) {
			same++
		} else if before.Changes[i].Kind != Renamed {
			t.Errorf("%s lost its id", before.Changes[i].String())
		}
	}
	if same != before.Len()-1 {
		t.Errorf("%d of %d ids stay, want all but the rename's", same, before.Len())
	}
}

// TestIDFields changes one thing at a time: each makes another change.
func TestIDFields(t *testing.T) {
	base := Change{Kind: Text, Path: "p", OldPath: "p", Old: []byte("o"), New: []byte("n")}
	variants := []Change{base, base, base}
	variants[1].Old, variants[1].New = []byte("on"), nil
	variants[2].OldPath = "q" // of a hunk: where the file came from is another change's matter
	for _, edit := range []func(*Change){
		func(c *Change) { c.Kind = Symlink }, func(c *Change) { c.Path = "q" },
		func(c *Change) { c.Old = []byte("O") }, func(c *Change) { c.New = []byte("N") },
		func(c *Change) { c.OldMode = 1 }, func(c *Change) { c.NewMode = 1 },
		func(c *Change) { c.OldBlob = "1" }, func(c *Change) { c.NewBlob = "1" },
	} {
		c := base
		edit(&c)
		variants = append(variants, c)
	}
	name(variants)
	checkIDs(t, &Set{Changes: variants})
	if variants[0].identity() != variants[2].identity() {
		t.Error("a hunk's identity depends on where its file came from")
	}
}

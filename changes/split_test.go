package changes

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// checkStarts holds what Split says of the old changes against the new ones.
func checkStarts(t *testing.T, s, finer *Set, starts []int) {
	t.Helper()
	if len(starts) != s.Len()+1 || starts[0] != 0 || starts[s.Len()] != finer.Len() || !slices.IsSorted(starts) {
		t.Fatalf("starts %v do not divide %d changes among %d", starts, finer.Len(), s.Len())
	}
	for i := range s.Changes {
		pieces := finer.Changes[starts[i]:starts[i+1]]
		if len(pieces) == 0 {
			t.Errorf("change %d became nothing", i)
		}
		c := s.Changes[i]
		if len(pieces) == 1 {
			if !cmp.Equal(pieces[0], c) {
				t.Errorf("change %d was not cut, but differs: %s", i, cmp.Diff(c, pieces[0]))
			}
			continue
		}
		within := false // a line
		for _, p := range pieces {
			within = within || p.Part != Part{}
			if p.Path != c.Path || p.OldPath != c.OldPath {
				t.Errorf("a piece of %s is in %s", c.String(), p.String())
			}
		}
		wantOld, wantNew := c.Old, c.New
		switch c.Kind {
		case Created:
			wantNew, _ = s.NewContent(c.Path)
		case Deleted:
			wantOld, _ = s.OldContent(c.OldPath)
		}
		if within {
			continue
		}
		// What is in no piece is equal on both sides.
		restOld, okOld := outside(wantOld, max(1, c.OldStart), pieces, func(p *Change) (int, int, []byte) { return p.OldStart, p.OldLines, p.Old })
		restNew, okNew := outside(wantNew, max(1, c.NewStart), pieces, func(p *Change) (int, int, []byte) { return p.NewStart, p.NewLines, p.New })
		if !okOld || !okNew || !bytes.Equal(restOld, restNew) {
			t.Errorf("the pieces of %s are not its texts", c.String())
		}
	}
	// Any subset of the coarse changes is the same tree in the finer set.
	for i := range s.Changes {
		subset := []int{i}
		if s.Requires[i] != nil {
			continue
		}
		coarse := compose(t, s, subset)
		var pieces []int
		for j := starts[i]; j < starts[i+1]; j++ {
			pieces = append(pieces, j)
		}
		if fine := compose(t, finer, pieces); fine.ID != coarse.ID {
			t.Errorf("%s composes to %s, its pieces to %s", s.Changes[i].String(), coarse.ID, fine.ID)
		}
	}
}

func TestSplit(t *testing.T) {
	// A declaration is a line that starts with "func".
	declarations := func(_ string, content []byte) []int {
		var out []int
		for i, l := range lines(content) {
			if bytes.HasPrefix(l, []byte("func")) {
				out = append(out, i+1)
			}
		}
		return out
	}
	fn := func(name string, lines int) string {
		return "func " + name + "\n" + strings.Repeat("\t"+name+"\n", lines-1)
	}
	small, big := fn("s", 3)+fn("t", 2), fn("a", 20)+fn("b", 25)
	for _, c := range []struct {
		name      string
		good, bad tree
		how       Fineness
		ids       []int
		want      [][]string // after each Split of everything
	}{
		{"created", tree{}, tree{"f": text("top\n" + small)}, LongHunks, []int{0}, [][]string{
			{"created f", "text f:1 [0]", "text f:2 [0]", "text f:5 [0]"},
			{"created f", "text f:1 [0]", "text f:2 [0]", "text f:3 [0]", "text f:4 [0]", "text f:5 [0]", "text f:6 [0]"},
		}},
		{"deleted", tree{"f": text(small)}, tree{}, LongHunks, []int{0}, [][]string{
			{"deleted f [1 2]", "text f:1", "text f:1"},
			{"deleted f [1 2 3 4 5]", "text f:1", "text f:1", "text f:1", "text f:1", "text f:1"},
		}},
		{"a hunk of 40 lines stays", tree{"f": text("1\n2\n")}, tree{"f": text("1\n" + fn("a", 40) + "2\n")}, LongHunks, []int{0}, nil},
		{"short hunks, asked to", tree{"f": text("1\n2\n3\n4\n5\n6\n"), "g": text("1\n2\n")}, tree{"f": text("1\na\nb\nc\n2\n3\n6\n"), "g": text("3\n4\n")}, EveryLine, []int{0, 1, 2}, [][]string{
			{"text f:2", "text f:3", "text f:4", "text f:6", "text f:6", "text g:1", "text g:2"},
		}},
		{"a line stays, asked to", tree{"f": text("1\n2\n")}, tree{"f": text("1\n3\n2\n")}, EveryLine, []int{0}, nil},
		{"a hunk of two lines stays", tree{"f": text("1\n2\n")}, tree{"f": text("3\n4\n")}, LongHunks, []int{0}, nil},
		{"lines one by one", tree{"f": text("1\n2\n3\n")}, tree{"f": text("4\n5\n6\n")}, LongHunks, []int{0}, [][]string{{"text f:1", "text f:2", "text f:3"}}},
		{"insertion", tree{"f": text("1\n2\n")}, tree{"f": text("1\n" + big + "2\n")}, LongHunks, []int{0}, [][]string{
			{"text f:2", "text f:22"},
		}},
		{"replacement", tree{"f": text("1\n" + fn("x", 2) + fn("y", 2) + fn("z", 2) + "2\n")}, tree{"f": text("1\n" + big + "2\n")}, LongHunks, []int{0}, [][]string{
			{"text f:1", "text f:2", "text f:22"},
		}},
		{"others keep theirs", tree{"f": text("1\n2\n"), "g": text("1\n")}, tree{"e": text(small), "f": text("1\n" + big + "2\n"), "g": text("2\n")}, LongHunks, []int{1, 2}, [][]string{
			{"created e", "text f:2", "text f:22", "text g:1"},
		}},
		{"nothing to cut", tree{"e": text("x"), "l": link("a"), "b": text("\x00")}, tree{"b": text("\x01\x00"), "c": text("\x00\n\n"), "e": text(""), "l": link("b"), "m": link("a\nb\n"), "n": text("")}, LongHunks, []int{0, 1, 2, 3, 4, 5}, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			repo, revs := repository(t, "sha1", c.good, c.bad)
			s := between(t, repo, revs[0], revs[1])
			s.Declarations = declarations
			for n, want := range c.want {
				ids := c.ids
				if n > 0 {
					ids = upTo(s.Len())
				}
				finer, starts, ok := s.Split(ids, c.how)
				if !ok {
					t.Fatalf("split %d cut nothing", n+1)
				}
				checkStarts(t, s, finer, starts)
				checkEndsOf(t, finer)
				checkSubsets(t, finer, c.good, c.bad, seeded(t))
				if diff := cmp.Diff(want, describe(finer)); diff != "" {
					t.Errorf("split %d (-want +got):\n%s", n+1, diff)
				}
				s = finer
			}
			if c.want == nil {
				if finer, _, ok := s.Split(c.ids, c.how); ok || finer != s {
					t.Errorf("cut into %q, want nothing cut", describe(finer))
				}
			}
		})
	}
}

// A tree composed before a Split is still good for its set afterwards.
func TestSplitKeepsTrees(t *testing.T) {
	repo, revs := repository(t, "sha1", tree{"f": text(numbered(20, nil))}, tree{"f": text(numbered(20, map[int]string{2: "x\n", 11: "y\n"})), "g": text("1\n2\n")})
	s := between(t, repo, revs[0], revs[1])
	before := compose(t, s, []int{1})
	finer, _, ok := s.Split([]int{2}, LongHunks)
	if !ok {
		t.Fatal("nothing was cut")
	}
	finer.cache = newCache()
	content, err := finer.Content(before.Files[0])
	if want := numbered(20, map[int]string{11: "y\n"}); err != nil || string(content) != want {
		t.Errorf("content %q, %v, want %q", content, err, want)
	}
	scratch, err := repo.NewScratch(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	after := compose(t, finer, []int{1, 2, 4})
	patch, err := finer.Patch(t.Context(), before, after, scratch)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Contains(patch, []byte("new file mode 100644")) || !bytes.Contains(patch, []byte("\n+2\n")) || bytes.Contains(patch, []byte("\n+1\n")) {
		t.Errorf("patch of the second line of a created file:\n%s", patch)
	}
}

// TestLineByLine cuts random texts: the pieces are in order on both sides, leave out equal lines only,
// and have one line of each side, or of one of them.
func TestLineByLine(t *testing.T) {
	r := seeded(t)
	draw := func() (text []byte) {
		for range r.IntN(8) {
			text = fmt.Appendf(text, "%s(%d, %d)\n", []string{"f", "g", "total"}[r.IntN(3)], r.IntN(3), r.IntN(2))
		}
		return text
	}
	apart := 0
	for range 3000 {
		old, new := draw(), draw()
		spans := lineByLine(old, new)
		var composed []byte
		at, atNew := 0, 0
		for _, s := range append(spans, span{len(old), len(old), len(new), len(new)}) {
			if s.oldOff < at || s.newOff < atNew || !bytes.Equal(old[at:s.oldOff], new[atNew:s.newOff]) {
				t.Fatalf("%q to %q: %v", old, new, spans)
			}
			composed = append(append(composed, old[at:s.oldOff]...), new[s.newOff:s.newEnd]...)
			at, atNew = s.oldEnd, s.newEnd
		}
		if !bytes.Equal(composed, new) {
			t.Fatalf("%q to %q: %v makes %q", old, new, spans, composed)
		}
		for _, s := range spans {
			a, b := len(lines(old[s.oldOff:s.oldEnd])), len(lines(new[s.newOff:s.newEnd]))
			if a+b == 0 || max(a, b) > 1 {
				t.Fatalf("%q to %q: %v", old, new, spans)
			}
			if a+b == 1 {
				apart++
			}
		}
	}
	if apart == 0 {
		t.Error("no line was added or removed by itself")
	}
	for _, tt := range []struct{ old, new, want string }{
		{"a = 1\nb = 2\n", "a = 3\nb = 4\n", "-a = 1+a = 3 -b = 2+b = 4"},
		{"a = 1\n", "b\nc\n", "-a = 1 +b +c"},
		{"x\ny\n", "u\nv\n", "-x+u -y+v"},
		{"total = 1\nx\n", "total = 2\n", "-total = 1+total = 2 -x"},
		{"if a:\n    go(x)\n    stop()\n", "    go(y)\n", "-if a: -    go(x)+    go(y) -    stop()"},
	} {
		var got []string
		for _, s := range lineByLine([]byte(tt.old), []byte(tt.new)) {
			text := ""
			if s.oldEnd > s.oldOff {
				text = "-" + strings.TrimSuffix(tt.old[s.oldOff:s.oldEnd], "\n")
			}
			if s.newEnd > s.newOff {
				text += "+" + strings.TrimSuffix(tt.new[s.newOff:s.newEnd], "\n")
			}
			got = append(got, text)
		}
		if got := strings.Join(got, " "); got != tt.want {
			t.Errorf("%q to %q: %q, want %q", tt.old, tt.new, got, tt.want)
		}
	}
}

// TestPiecesKnowTheirLines: an equal line within a hunk, which a diff that is nearly the shortest may
// leave there, is in no piece, and the pieces below it are on the lines where they are.
func TestPiecesKnowTheirLines(t *testing.T) {
	k := cutter{set: &Set{}, how: EveryLine}
	list, _ := k.pieces(&file{}, spot{}, part{text: []byte("alpha\nsame\nbeta\n"), line: 4}, part{text: []byte("alpha()\nsame\nbeta()\n"), line: 9}, "")
	var got []string
	for _, c := range list {
		got = append(got, fmt.Sprintf("%d,%d %d,%d", c.OldStart, c.OldLines, c.NewStart, c.NewLines))
	}
	if diff := cmp.Diff([]string{"5,1 10,1", "7,1 12,1"}, got); diff != "" {
		t.Error(diff)
	}
}

// outside returns the lines of a text, which begins with line start of its file, that are in no piece. ok is false unless the
// pieces are in order and have the lines that stand where they say.
func outside(text []byte, start int, pieces []Change, side func(*Change) (start, lines int, text []byte)) (rest []byte, ok bool) {
	all := lines(text)
	at := 0
	for i := range pieces {
		from, n, has := side(&pieces[i])
		if n == 0 {
			continue
		}
		if from -= start; from < at || from+n > len(all) || !bytes.Equal(bytes.Join(all[from:from+n], nil), has) {
			return nil, false
		}
		rest = append(rest, bytes.Join(all[at:from], nil)...)
		at = from + n
	}
	return append(rest, bytes.Join(all[at:], nil)...), true
}

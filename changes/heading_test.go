package changes

import (
	"bytes"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gitdd/gitdd/internal/seed"
)

func TestHeadings(t *testing.T) {
	long := strings.Repeat("long ", 20)
	for _, c := range []struct{ name, old, new, want string }{
		{"none", "a\n", "b\n", ""},
		{"a function", "int f(void)\n{\n\ta\n}\n", "int f(void)\n{\n\tb\n}\n", "int f(void)"},
		{"not the changed line itself", "f\ng\n", "f\nG\n", "f"},
		{"the last before", "f\n x\ng\n a\n", "f\n x\ng\n b\n", "g"},
		{"underscore, dollar", "_a\n 1\n$b\n 2\n", "_a\n x\n$b\n y\n", "_a|$b"},
		{"other margins", "f\n#if\n@x\n\t g\n{\n\xc3\xa4\n a\n", "f\n#if\n@x\n\t g\n{\n\xc3\xa4\n b\n", "f"},
		{"a jump target", "f\nout:\n a\n", "f\nout:\n b\n", "f"},
		{"a case is none", "f\nx: y\n a\n", "f\nx: y\n b\n", "x: y"},
		{"cut", long + "\n a\n", long + "\n b\n", strings.TrimSpace(long[:80])},
		{"carriage return", "f\r\n a\r\n", "f\r\n b\r\n", "f"},
		{"behind the end", "f\n{\n}\n\n# a\n", "f\n{\n}\n\n# b\n", ""},
		{"again", "f\n}\ng\n a\n", "f\n}\ng\n b\n", "g"},
		{"renamed above, as the new text has it", "f\n a\n b\n", "F\n a\n c\n", "|F"},
		{"removed lines, as the old text has it", "f\n a\n b\n c\n", "F\n a\n c\n", "|f"},
		{"inherited from the hunk before", "f\n 1\n a\n 2\n b\n", "f\n 1\n A\n 2\n B\n", "f|f"},
		{"no final newline", "f\n a", "f\n b", "f"},
	} {
		t.Run(c.name, func(t *testing.T) {
			heads := headings{headline{text: []byte(c.old)}, headline{text: []byte(c.new)}}
			var got []string
			for _, h := range cut([]byte(c.old), []byte(c.new)) {
				got = append(got, heads.of(span{h.oldOff, h.oldEnd, h.newOff, h.newEnd}))
			}
			if diff := cmp.Diff(strings.Split(c.want, "|"), got); diff != "" {
				t.Errorf("headings (-want +got):\n%s", diff)
			}
		})
	}
}

// TestHeadingsAsGit compares with the headers of git diff, whose lines are those
// of the old text. In the texts are neither jump targets nor closing braces, and
// no heading is in a hunk.
func TestHeadingsAsGit(t *testing.T) {
	seed.SkipLong(t, 4)
	rng := seeded(t)
	header := regexp.MustCompile(`(?m)^@@ .* @@ ?(.*)$`)
	for range 30 {
		var old, new bytes.Buffer
		for range 1 + rng.IntN(60) {
			line := []string{"f(x)\n", "_g\n", "$h " + strings.Repeat("long ", rng.IntN(30)) + "\n", " a\n", "\tb\n", "9\n", "\n", "#\n", "é\n"}[rng.IntN(9)]
			old.WriteString(line)
			if line == " a\n" && rng.IntN(2) == 0 {
				line = " A\n"
			}
			new.WriteString(line)
		}
		repo, revs := repository(t, "sha1", tree{"f": text(old.String())}, tree{"f": text(new.String())})
		out := runGit(t, repo.GitDir(), nil, "diff", "-U0", revs[0], revs[1])
		var want, got []string
		for _, m := range header.FindAllStringSubmatch(string(out), -1) {
			want = append(want, m[1])
		}
		for _, c := range between(t, repo, revs[0], revs[1]).Changes {
			got = append(got, c.Heading)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("headings of %q and %q (-git +got):\n%s", old.String(), new.String(), diff)
		}
	}
}

// TestHeadingIsNotIdentity: a change keeps its id when what heads it has another
// name.
func TestHeadingIsNotIdentity(t *testing.T) {
	id := func(name string) string {
		repo, revs := repository(t, "sha1", tree{"f": text(name + "\n a\n b\n")}, tree{"f": text(name + "\n a\n c\n")})
		c := between(t, repo, revs[0], revs[1]).Changes[0]
		if c.Heading != name {
			t.Errorf("heading %q, want %q", c.Heading, name)
		}
		return c.ID
	}
	if f, g := id("f"), id("g"); f != g {
		t.Errorf("ids %s and %s", f, g)
	}
}

// TestSplitHeadings: pieces are headed by what stands before them, in their own
// change or above it.
func TestSplitHeadings(t *testing.T) {
	filler := strings.Repeat(" x\n", longHunk)
	repo, revs := repository(t, "sha1", tree{"f": text("top\n a\n")}, tree{"f": text("top\n" + filler + "inner\n y\n"), "new": text("f\n 1\n}\n 2\n")})
	finer, _, ok := between(t, repo, revs[0], revs[1]).Split([]int{0, 1}, LongHunks)
	if !ok {
		t.Fatal("not split")
	}
	got := make(map[string][]string)
	for _, c := range finer.Changes {
		if list := got[c.Path]; len(list) == 0 || list[len(list)-1] != c.Heading {
			got[c.Path] = append(list, c.Heading)
		}
	}
	want := map[string][]string{"f": {"top", "inner"}, "new": {"", "f", ""}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("headings (-want +got):\n%s", diff)
	}
}

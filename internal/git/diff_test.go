package git

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gitdd/gitdd/internal/seed"
)

// numbered returns n different lines.
func numbered(prefix string, n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "%s %d\n", prefix, i)
	}
	return b.String()
}

func TestDiffTreesKinds(t *testing.T) {
	s := newSandbox(t)
	s.git("", "init", "-q", "r")
	text := numbered("line", 40)
	s.write("r/moved-from", text)
	s.write("r/edited-from", numbered("other", 40))
	s.write("r/copied", numbered("third", 40))
	s.write("r/changed", "old\n")
	s.write("r/gone", "gone\n")
	s.write("r/empty-from", "")
	s.write("r/to-link", "target")
	s.script("r/script", "exit 0")
	s.write("r/dir/x", "x\n")
	s.git("r", "add", "-A")
	s.git("r", "update-index", "--add", "--cacheinfo", "160000,"+strings.Repeat("1", 40)+",module")
	s.git("r", "commit", "-q", "-m", "old")

	s.git("r", "mv", "moved-from", "moved-to")
	s.git("r", "rm", "-q", "--cached", "edited-from", "gone", "empty-from")
	s.write("r/edited-to", numbered("other", 39)+"last\n")
	s.write("r/copied", "first\n"+numbered("third", 40))
	s.write("r/copy", numbered("third", 40))
	s.write("r/changed", "new\n")
	s.write("r/empty-to", "")
	s.write("r/new", "new here\n")
	s.git("r", "add", "edited-to", "copied", "copy", "changed", "empty-to", "new")
	link := s.git("r", "rev-parse", "HEAD:to-link") // the content stays
	s.git("r", "update-index", "--add", "--cacheinfo", "120000,"+link+",to-link")
	s.git("r", "update-index", "--chmod=-x", "script")
	s.git("r", "rm", "-q", "-r", "dir")
	s.write("r/dir", "now a file\n")
	s.git("r", "add", "dir")
	s.git("r", "update-index", "--cacheinfo", "160000,"+strings.Repeat("2", 40)+",module")
	s.git("r", "commit", "-q", "-m", "new")

	s.write("order", "script\n")
	// The user's config must not matter.
	for _, setting := range []string{"diff.renames=false", "diff.renameLimit=1", "diff.noprefix=true", "diff.relative=true", "diff.orderFile=" + s.path("order"),
		"diff.ignoreSubmodules=all", "diff.mnemonicPrefix=true", "core.abbrev=4", "core.quotePath=true", "diff.external=false", "color.ui=always"} {
		key, value, _ := strings.Cut(setting, "=")
		s.git("r", "config", key, value)
	}
	r := s.open("r")
	old, new := s.resolve(r, "HEAD~1").Tree, s.resolve(r, "HEAD").Tree
	deltas, err := r.DiffTrees(t.Context(), old, new, nil)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, d := range deltas {
		got = append(got, fmt.Sprintf("%c%d %s:%s %s:%s", d.Status, d.Score, d.OldMode, d.OldPath, d.NewMode, d.NewPath))
		checkSide(t, s, "HEAD~1", d.OldPath, d.OldID, d.OldMode)
		checkSide(t, s, "HEAD", d.NewPath, d.NewID, d.NewMode)
	}
	want := []string{
		"M0 100644:changed 100644:changed",
		"M0 100644:copied 100644:copied",
		"C100 100644:copied 100644:copy",
		"A0 000000:dir 100644:dir",
		"D0 100644:dir/x 000000:dir/x",
		"R97 100644:edited-from 100644:edited-to",
		"D0 100644:empty-from 000000:empty-from",
		"A0 000000:empty-to 100644:empty-to",
		"D0 100644:gone 000000:gone",
		"M0 160000:module 160000:module",
		"R100 100644:moved-from 100644:moved-to",
		"A0 000000:new 100644:new",
		"M0 100755:script 100644:script",
		"T0 100644:to-link 120000:to-link",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("deltas (-want +got):\n%s", diff)
	}
}

// checkSide compares one side of a delta with the revision's tree.
func checkSide(t *testing.T, s *sandbox, rev, path string, id ID, mode Mode) {
	t.Helper()
	if mode == 0 {
		if id != "" {
			t.Errorf("%s is absent from %s but has id %s", path, rev, id)
		}
		return
	}
	if want := s.git("r", "rev-parse", rev+":"+path); want != string(id) {
		t.Errorf("%s:%s is %s, want %s", rev, path, id, want)
	}
}

func TestDiffTreesOddPaths(t *testing.T) {
	s := newSandbox(t)
	s.git("", "init", "-q", "r")
	r := s.open("r")
	rng := rand.New(rand.NewPCG(seed.New(t), 0))
	names := []string{
		" ", "two  words", "tab\there", "new\nline", `quo"te`, `back\slash`, "\xff\xfe not UTF-8", "ünï", "-dash", "--", ":(top)", "a*b?[c]", ":", "\x01\x7f",
		":100644 100644 0 0 M", strings.Repeat("n", 4000), strings.Repeat("d/", 500) + "deep",
	}
	for range 50 { // any bytes but NUL and slash
		name := make([]byte, 1+rng.IntN(20))
		for i := range name {
			name[i] = byte(1 + rng.IntN(255))
		}
		names = append(names, "r/"+strings.ReplaceAll(string(name), "/", "_"))
	}
	scratch, err := r.NewScratch(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	// Trees are built without files: no file system takes such names.
	tree := func(content string) ID {
		var root node
		for i, name := range names {
			blob, err := scratch.Put("blob", []byte(content+fmt.Sprint(i)))
			if err != nil {
				t.Fatal(err)
			}
			root.add(strings.Split(name, "/"), blob)
		}
		return root.put(t, scratch)
	}
	old, new := tree("old"), tree("new")
	// From here on they are the repository's.
	s.write("r/.git/objects/info/alternates", scratch.objects+"\n")
	deltas, err := r.DiffTrees(t.Context(), old, new, nil)
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for _, d := range deltas {
		seen[d.NewPath] = d.Status == 'M' && d.OldPath == d.NewPath
	}
	for _, name := range names {
		if !seen[name] {
			t.Errorf("no delta for %.40q", name)
		}
	}
	for name := range seen {
		if !slices.Contains(names, name) {
			t.Errorf("unexpected path %.40q", name)
		}
	}
}

func TestDiffTreesPathspecs(t *testing.T) {
	s := newSandbox(t)
	s.repo("r")
	tests := []struct {
		dir       string
		pathspecs []string
		want      string
	}{
		{"r", nil, "a.txt new.txt sub/run.sh"},
		{"r", []string{"a.txt"}, "a.txt"},
		{"r", []string{"*.txt"}, "a.txt new.txt"},
		{"r", []string{":!a.txt"}, "new.txt sub/run.sh"},
		{"r", []string{":(icase)A.TXT", "sub"}, "a.txt sub/run.sh"},
		{"r", []string{"nothing"}, ""},
		{"r/sub", []string{"run.sh"}, "sub/run.sh"},
		{"r/sub", []string{"../a.txt"}, "a.txt"},
		{"r/sub", []string{":/a.txt"}, "a.txt"},
		{"r/sub", []string{"--raw"}, ""}, // a path, not an option
	}
	for _, tt := range tests {
		r := s.open(tt.dir)
		deltas, err := r.DiffTrees(t.Context(), s.resolve(r, "v1").Tree, s.resolve(r, "v2").Tree, tt.pathspecs)
		var got []string
		for _, d := range deltas {
			got = append(got, d.NewPath)
		}
		if err != nil || strings.Join(got, " ") != tt.want {
			t.Errorf("in %s, %q: %q, %v, want %q", tt.dir, tt.pathspecs, got, err, tt.want)
		}
	}
	r := s.open("r")
	v1 := s.resolve(r, "v1").Tree
	if _, err := r.DiffTrees(t.Context(), v1, v1, []string{":(bad)x"}); err == nil || !strings.Contains(err.Error(), "bad") {
		t.Errorf("bad pathspec: %v", err)
	}
	for _, id := range []ID{"", "HEAD", "--all", v1[:39]} {
		if _, err := r.DiffTrees(t.Context(), v1, id, nil); err == nil || !strings.Contains(err.Error(), "not an object id") {
			t.Errorf("id %q: %v", id, err)
		}
	}
}

func TestParseRawDamaged(t *testing.T) {
	head := ":100644 100644 " + strings.Repeat("1", 40) + " " + strings.Repeat("2", 40) + " "
	for _, out := range []string{
		"x", "\x00", head, head + "M\x00", head + "M\x00path", head + "R100\x00old\x00", head + "M\x00\x00", head + "Q\x00p\x00",
		head + "Rx\x00a\x00b\x00", head[1:] + "M\x00p\x00", ":1 2 3 M\x00p\x00", ":9 100644 1 2 M\x00p\x00", head + "\x00p\x00",
	} {
		if deltas, err := parseRaw([]byte(out)); err == nil {
			t.Errorf("parseRaw(%q) = %v", out, deltas)
		}
	}
}

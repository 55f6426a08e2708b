package trial

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gitdd/gitdd/isolate"
)

// Equal digests are of equal names, contents, executable bits and targets.
func TestArtifactDigest(t *testing.T) {
	digest := func(pairs ...string) Artifact {
		t.Helper()
		dir := t.TempDir()
		writeFiles(t, dir, pairs...)
		root, err := os.OpenRoot(dir)
		if err != nil {
			t.Fatal(err)
		}
		defer root.Close()
		return artifacts(root, []string{"out"})[0]
	}
	seen := map[string]string{}
	for _, pairs := range [][]string{
		{"out", "a"}, {"out", "b"}, {"out", "#!a"}, {"out", "->a"}, {"out", "->b"},
		{"out/a", "a"}, {"out/b", "a"}, {"out/a", "b"}, {"out/a", "a", "out/b", ""}, {"out/a/b", "a"}, {"out/a", "->a"},
		{"out/a", "ab", "out/c", ""}, {"out/a", "a", "out/bc", ""},
	} {
		got := digest(pairs...)
		name := strings.Join(pairs, " ")
		if got.Digest == "" || got.Problem != "" || got.Path != "out" {
			t.Errorf("%s: %+v", name, got)
		}
		if other := seen[got.Digest]; other != "" {
			t.Errorf("%s and %s have one digest", name, other)
		}
		seen[got.Digest] = name
		if again := digest(append(pairs, "beside", "x")...); again != got {
			t.Errorf("%s: %+v, and once more %+v", name, got, again)
		}
	}
	if got := digest("other", "a"); got.Digest != "" || got.Problem != "there is none" {
		t.Errorf("nothing there: %+v", got)
	}
	// Nothing outside of the workspace is read.
	if got := digest("up", "->..", "other", "a"); got.Digest != "" {
		t.Errorf("nothing there: %+v", got)
	}
	outside := t.TempDir()
	writeFiles(t, outside, "out", "a")
	if got := digest("link", "->"+outside); got.Digest != "" {
		t.Errorf("nothing there: %+v", got)
	}
	root, err := os.OpenRoot(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	if err := os.Symlink(outside, filepath.Join(root.Name(), "link")); err != nil {
		t.Fatal(err)
	}
	if got := artifacts(root, []string{"link/out"})[0]; got.Digest != "" || !strings.Contains(got.Problem, "escapes") {
		t.Errorf("through a link out of the workspace: %+v", got)
	}
}

// Confirm notes artifacts, at one path for all, and a resumed session knows them.
func TestArtifactsConfirmed(t *testing.T) {
	h := newHistory(t)
	h.commit("good", "a", "0\n", "b", "0\n")
	h.commit("bad", "a", "1\n", "b", "1\n")
	options := func(o *Options) {
		script("test $(cat a) = 0")(o)
		o.Build = "mkdir -p out; pwd >out/where; cat b >out/b"
		o.Artifacts = []string{"out", "out/b", "nothing"}
	}
	root := t.TempDir()
	b := h.benchIn(h.session(root), options)
	dir := b.sess.Dir()
	b.ends()
	confirm := func(c isolate.Configuration, want isolate.Outcome) Verdict {
		t.Helper()
		v, err := b.Confirm(t.Context(), b.set, c, want)
		if err != nil || v.Outcome != want {
			t.Fatal(v, err)
		}
		return v
	}
	none, onlyA, all := b.config(), b.config("a"), b.config("a", "b")
	x, y, z := confirm(none, isolate.Pass), confirm(onlyA, isolate.Fail), confirm(all, isolate.Fail)
	if len(x.Artifacts) != 3 || x.Artifacts[0] != y.Artifacts[0] || x.Artifacts[1] != y.Artifacts[1] {
		t.Errorf("without and with a: %+v, %+v", x.Artifacts, y.Artifacts)
	}
	if x.Artifacts[0] == z.Artifacts[0] || x.Artifacts[1] == z.Artifacts[1] {
		t.Errorf("without and with b: %+v, %+v", x.Artifacts, z.Artifacts)
	}
	if got := x.Artifacts[2]; got.Problem != "there is none" {
		t.Errorf("nothing: %+v", got)
	}
	if v := b.verdict(onlyA); v.Artifacts != nil {
		t.Errorf("a trial of the search: %+v", v.Artifacts)
	}
	b.close()

	s, err := OpenSession(dir)
	if err != nil {
		t.Fatal(err)
	}
	b = h.benchIn(s, options)
	if again := confirm(none, isolate.Pass); !again.Cached || len(again.Artifacts) != 3 || again.Artifacts[0] != x.Artifacts[0] {
		t.Errorf("resumed: %+v", again)
	}
}

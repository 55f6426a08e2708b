package trial

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/gitdd/gitdd/changes"
	"github.com/gitdd/gitdd/internal/disk"
	"github.com/gitdd/gitdd/internal/seed"
	"github.com/gitdd/gitdd/isolate"
)

// space is the workspace of worker 0.
func (b *bench) space() string { return b.workers[0].space.(*site).space.Dir }

func modTime(t testing.TB, name string) time.Time {
	t.Helper()
	info, err := os.Lstat(name)
	if err != nil {
		t.Fatal(err)
	}
	return info.ModTime()
}

// TestOnlyWhatDiffers: untouched files keep their times, build products stay,
// and what make has to build again is newer than its product.
func TestOnlyWhatDiffers(t *testing.T) {
	h := newHistory(t)
	h.commit("good", "a.c", "0\n", "dir/b.c", "0\n", "dir/c.c", "0\n", "same.c", "0\n")
	h.commit("bad", "a.c", "1\n", "dir/b.c", "1\n", "dir/c.c", "!", "new/d.c", "1\n")
	b := h.bench(script("touch a.o dir/b.o"))
	b.verdict(b.config("a.c"))
	names := []string{"a.c", "dir/b.c", "same.c", "a.o", "dir/b.o"}
	times := map[string]time.Time{}
	for _, n := range names {
		times[n] = modTime(t, filepath.Join(b.space(), n))
	}
	content := func() map[string]string {
		all := map[string]string{}
		for name, c := range filesIn(t, b.space()) {
			if strings.HasSuffix(name, ".c") {
				all[strings.TrimPrefix(name, b.space()+"/")] = c[len("-rw-r--r-- "):]
			}
		}
		return all
	}
	if diff := cmp.Diff(map[string]string{"a.c": "1\n", "dir/b.c": "0\n", "dir/c.c": "0\n", "same.c": "0\n"}, content()); diff != "" {
		t.Error(diff)
	}
	b.verdict(b.config("a.c", "dir/b.c", "dir/c.c", "new/d.c"))
	if diff := cmp.Diff(map[string]string{"a.c": "1\n", "dir/b.c": "1\n", "same.c": "0\n", "new/d.c": "1\n"}, content()); diff != "" {
		t.Error(diff)
	}
	for _, n := range []string{"a.c", "same.c"} {
		if now := modTime(t, filepath.Join(b.space(), n)); !now.Equal(times[n]) {
			t.Errorf("%s was written", n)
		}
	}
	if source := modTime(t, filepath.Join(b.space(), "dir/b.c")); !source.After(times["dir/b.o"]) {
		t.Errorf("dir/b.c of %v is not newer than what was built from the last one at %v", source, times["dir/b.o"])
	}
	b.verdict(b.config())
	if _, err := os.Stat(filepath.Join(b.space(), "new")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the empty directory new: %v", err)
	}
}

// TestDirtyTest: whatever a test does to the paths that differ, the next
// configuration is shown as it is.
func TestDirtyTest(t *testing.T) {
	tests := []struct{ name, script string }{
		{"edit", "echo dirt >> d/a"},
		{"edit, with the size and time of before", "touch -r d/a /tmp/gitdd-$$; printf 'X\\n' > d/a; touch -r /tmp/gitdd-$$ d/a; rm /tmp/gitdd-$$"},
		{"remove", "rm d/a"},
		{"remove the directory", "rm -rf d"},
		{"executable", "chmod +x d/a"},
		{"symlink instead of a file", "ln -sf ../same d/a"},
		{"directory instead of a file", "rm d/a; mkdir d/a; touch d/a/x"},
		{"file instead of a directory", "rm -rf d; touch d"},
		{"symlink instead of a directory", "mv d e; ln -s e d; echo dirt > e/a"},
		{"file that is absent here", "echo dirt > created; mkdir -p n; echo dirt > n/created"},
		{"directory that is absent here", "mkdir -p created/x"},
		{"file where a directory is needed later", "echo dirt > n"},
		{"remove the repository", "rm -rf .git"},
		{"another repository", "rm -rf .git; git init -q ."},
		{"index and HEAD", "git rm -q -r --cached .; git commit -q -m x >/dev/null; echo > \"$(git rev-parse --git-dir)/index.lock\""},
		{"write-protected", "rm -f created; mkdir -p created/x/y; chmod 500 created/x/y created/x created"},
	}
	h := newHistory(t)
	h.run("config", "user.name", "a")
	h.run("config", "user.email", "a@example.org")
	h.commit("good", "d/a", "0\n", "d/beside", "beside\n", "same", "same\n")
	h.commit("bad", "d/a", "1\n", "created", "1\n", "n/created", "1\n")
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			seed.SkipLong(t, 6)
			h := history{t, h.dir}
			check := `cat d/a same created n/created 2>/dev/null | tr '\n' ' '; find d/a created n \( -perm -1 -o -type l \) ! -type d 2>/dev/null`
			if !strings.HasPrefix(test.name, "remove the dir") && !strings.HasPrefix(test.name, "file instead of a dir") {
				check += "; cat d/beside" // not a path of the difference, but it comes back with its directory
			}
			if test.name != "index and HEAD" {
				check += "; git describe --tags"
			}
			b := h.bench(func(o *Options) { script(check, test.script+" 2>/dev/null; true")(o) })
			for _, step := range []struct {
				c    isolate.Configuration
				want string
			}{
				{isolate.Full(b.set.Len()), "1 same 1 1 "},
				{b.config(), "0 same "},
				{b.config("d/a"), "1 same "},
				{isolate.Full(b.set.Len()), "1 same 1 1 "},
			} {
				if strings.Contains(check, "beside") {
					step.want += "beside\n"
				}
				if strings.Contains(check, "describe") {
					step.want += "good\n"
				}
				b.memo = newMemo(nil, nil)
				if got := read(t, b.verdict(step.c).Stdout); got != step.want {
					t.Errorf("{%v} saw %q, want %q", step.c, got, step.want)
				}
			}
		})
	}
}

// TestTouched: a file that a test has only touched is not written again.
func TestTouched(t *testing.T) {
	h := newHistory(t)
	h.commit("good", "a", "0\n", "b", "0\n")
	h.commit("bad", "a", "1\n", "b", "1\n")
	b := h.bench(script("touch -d 2001-01-01 a", "cat a b"))
	b.verdict(b.config("a"))
	b.verdict(b.config("a", "b"))
	if year := modTime(t, filepath.Join(b.space(), "a")).Year(); year != 2001 {
		t.Errorf("a was written again in %d", year)
	}
}

// TestNeverOutside: neither tests nor repositories can make gitdd write
// outside of the workspace.
func TestNeverOutside(t *testing.T) {
	tests := []struct {
		name, script string
		good, bad    []string
	}{
		{name: "directory replaced by a symlink to the outside", script: "rm -rf d; ln -s $OUTSIDE d",
			good: []string{"d/a", "0"}, bad: []string{"d/a", "1", "d/b", "1"}},
		{name: "parent of a new directory is a symlink to the outside", script: "ln -sfn $OUTSIDE new",
			good: []string{"a", "0"}, bad: []string{"a", "1", "new/deep/b", "1"}},
		{name: "file is a hard link to the outside", script: "ln -f $OUTSIDE/a d/a",
			good: []string{"d/a", "0"}, bad: []string{"d/a", "1"}},
		{name: "file is a symlink to the outside", script: "ln -sf $OUTSIDE/a d/a; ln -sf $OUTSIDE/new d/b",
			good: []string{"d/a", "0"}, bad: []string{"d/a", "1", "d/b", "1"}},
		{name: "the repository's symlink becomes a directory", script: "true",
			good: []string{"d", "->OUTSIDE"}, bad: []string{"d/a", "1"}},
		{name: "the repository's directory becomes a symlink", script: "true",
			good: []string{"d/a", "0", "d/b", "0"}, bad: []string{"d", "->OUTSIDE"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			outside := t.TempDir()
			writeFiles(t, outside, "a", "precious")
			replace := func(pairs []string) []string {
				pairs = slices.Clone(pairs)
				for i := range pairs {
					pairs[i] = strings.ReplaceAll(pairs[i], "OUTSIDE", outside)
				}
				return pairs
			}
			before := filesIn(t, outside)
			h := newHistory(t)
			h.commit("good", replace(test.good)...)
			for i := 0; i < len(test.good); i += 2 { // what bad does not have of them
				h.files(test.good[i], "!")
			}
			h.commit("bad", replace(test.bad)...)
			b := h.bench(script("OUTSIDE="+outside, test.script))
			if err := b.Runner.trialAll(t, b.set); err != nil {
				t.Error(err)
			}
			if diff := cmp.Diff(before, filesIn(t, outside)); diff != "" {
				t.Errorf("outside: %s", diff)
			}
		})
	}
}

// trialAll runs the configurations bad, good, bad without a memo.
func (r *Runner) trialAll(t *testing.T, s *changes.Set) error {
	for _, c := range []isolate.Configuration{isolate.Full(s.Len()), isolate.Empty(s.Len()), isolate.Full(s.Len())} {
		r.memo = newMemo(nil, nil)
		v, err := r.ask(t.Context(), s, c, Search)
		if err != nil {
			return err
		}
		if v.Trial == 0 {
			return fmt.Errorf("{%v}: %s", c, v.Reason)
		}
	}
	return nil
}

// TestSubmodule: a directory turns into a submodule and back, and what a test
// puts into the submodule stays.
func TestSubmodule(t *testing.T) {
	h := newHistory(t)
	h.commit("good", "sub/in", "0\n", "a", "0\n")
	id := h.run("rev-parse", "HEAD")
	h.run("rm", "-q", "-r", "sub")
	h.run("update-index", "--add", "--cacheinfo", "160000,"+id+",sub")
	h.files("a", "1\n")
	h.run("add", "a")
	h.run("commit", "-q", "-m", "bad")
	h.run("tag", "bad")
	b := h.bench(script("ls -A sub", "test -e sub/in || echo populated > sub/in"))
	pin := isolate.Full(b.set.Len()).Minus(b.config("a"))
	for _, step := range []struct {
		c    isolate.Configuration
		want string
	}{{pin, ""}, {isolate.Full(b.set.Len()), "in\n"}, {b.config(), "in\n"}, {b.config("a"), "in\n"}, {pin, ""}} {
		b.memo = newMemo(nil, nil)
		if got := read(t, b.verdict(step.c).Stdout); got != step.want {
			t.Errorf("{%v}: %q, want %q", step.c, got, step.want)
		}
	}
	if got := read(t, filepath.Join(b.space(), "sub/in")); got != "populated\n" {
		t.Errorf("sub/in: %q", got)
	}
}

// TestSubmoduleRestored: when git brings back what a test has destroyed, and the
// directory of a submodule with it that this configuration does not have, that goes.
func TestSubmoduleRestored(t *testing.T) {
	h := newHistory(t)
	h.commit("start", "d/a", "0\n")
	id := h.run("rev-parse", "HEAD")
	h.run("update-index", "--add", "--cacheinfo", "160000,"+id+",sub")
	h.run("commit", "-q", "-m", "good")
	h.run("tag", "good")
	h.run("rm", "-q", "--cached", "sub")
	h.files("d/a", "1\n")
	h.run("add", "d/a")
	h.run("commit", "-q", "-m", "bad")
	h.run("tag", "bad")
	b := h.bench(script("ls", "rm -r d; ln -s . d"))
	for _, c := range []isolate.Configuration{b.config("sub"), isolate.Full(b.set.Len())} {
		if got := read(t, b.verdict(c).Stdout); got != "d\n" {
			t.Errorf("{%v}: %q, want only d", c, got)
		}
	}
}

// blob stores a blob and returns its id.
func (h history) blob(content string) string {
	h.t.Helper()
	return h.input(content, "hash-object", "-w", "--stdin")
}

// input runs git with standard input.
func (h history) input(text string, args ...string) string {
	h.t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir, cmd.Stdin = h.dir, strings.NewReader(text)
	out, err := cmd.Output()
	if err != nil {
		h.t.Fatalf("git %s: %v", strings.Join(args, " "), err)
	}
	return strings.TrimSpace(string(out))
}

// checkout lets git check a composed tree out and returns what it wrote.
func (h history) checkout(b *bench, tree *changes.Tree) map[string]string {
	h.t.Helper()
	files, err := h.tryCheckout(b, tree)
	if err != nil {
		h.t.Fatal(err)
	}
	return files
}

// tryCheckout is checkout, or what git says why it cannot.
func (h history) tryCheckout(b *bench, tree *changes.Tree) (map[string]string, error) {
	h.t.Helper()
	scratch, err := b.repo.NewScratch(h.t.TempDir())
	if err != nil {
		h.t.Fatal(err)
	}
	if err := b.set.Store(h.t.Context(), tree, scratch); err != nil {
		h.t.Fatal(err)
	}
	dir := h.t.TempDir()
	if _, err := scratch.Git(h.t.Context(), "-C", dir, "--work-tree="+dir, "read-tree", "--reset", "-u", string(tree.ID)); err != nil {
		return nil, err
	}
	return trackedFiles(h.t, dir), nil
}

// trackedFiles returns mode and content of all files, symlinks and empty
// directories below dir; not .git, and no empty directories that a test left.
func trackedFiles(t testing.TB, dir string) map[string]string {
	t.Helper()
	all := map[string]string{}
	for name, what := range filesIn(t, dir) {
		rel := strings.TrimPrefix(strings.TrimPrefix(name, dir), "/")
		if strings.HasPrefix(rel+"/", ".git/") || strings.HasPrefix(what, "d") && !isGitlink(name) {
			continue
		}
		all[rel] = what
	}
	return all
}

// isGitlink reports whether the empty directory can be a submodule's: these
// are the only ones that the random trees have.
func isGitlink(name string) bool {
	left, err := os.ReadDir(name)
	return err == nil && len(left) == 0 && filepath.Base(name) == "sub"
}

func TestCleanBeforeEachTrial(t *testing.T) {
	h := newHistory(t)
	h.commit("good", "a", "0\n", "same", "same\n", ".gitignore", "*.o\n")
	h.commit("bad", "a", "1\n", "new", "1\n")
	h.files("kept [1] dir/x", "kept", "over", "overlaid")
	b := h.bench(func(o *Options) {
		script("ls -1", "cat same from-setup", "touch product.o other; mkdir -p p/q; touch p/q/r; chmod 500 p/q p; echo dirt >> same; git init -q nested; exit $(cat a)")(o)
		o.Clean = true
		o.Setup = "echo set up > from-setup"
		o.Keep = []string{"kept [1] dir"}
		o.Overlay = []string{"over"}
	})
	for _, c := range []isolate.Configuration{b.config("a"), b.config(), b.config("a", "new")} {
		want := "a\nfrom-setup\nkept [1] dir\nover\nsame\nsame\nset up\n"
		if c == b.config("a", "new") {
			want = strings.Replace(want, "kept [1] dir\n", "kept [1] dir\nnew\n", 1)
		}
		if got := read(t, b.verdict(c).Stdout); got != want {
			t.Errorf("{%v}: %q, want %q", c, got, want)
		}
	}
}

func TestOverlayAndKeep(t *testing.T) {
	h := newHistory(t)
	h.commit("good", "sub/a", "0\n", "tests/old", "0\n", "mods/tracked", "good\n", "x", "file\n")
	h.commit("bad", "sub/a", "1\n", "tests/old", "1\n", "tests/new", "1\n", "x", "!", "x/y", "bad\n")
	h.files("tests/old", "overlaid old\n", "tests/script", "#!/bin/sh\ncat tests/old tests/new tests/link\n", "tests/link", "->old",
		"mods/tracked", "edited", "mods/m/lib.js", "lib\n", "mods/m/link", "->lib.js", "mods/.bin/tool", "#!/bin/sh\necho tool\n", "x/y", "overlaid x/y\n")
	if err := os.Chtimes(filepath.Join(h.dir, "mods/m/lib.js"), time.Unix(1e9, 0), time.Unix(1e9, 0)); err != nil {
		t.Fatal(err)
	}
	h.run("-C", "sub", "status")
	dir := h.dir
	below := history{t, filepath.Join(dir, "sub")}
	b := below.bench(func(o *Options) {
		script("./tests/script 2>/dev/null; cat mods/m/link mods/tracked x/y; mods/.bin/tool; echo dirt > tests/old; rm x/y; exit $(cat sub/a)")(o)
		o.Overlay = []string{"../tests/script", "tests/old", "tests/link", filepath.Join(dir, "x")}
		o.Keep = []string{"mods"}
	})
	tail := "lib\ngood\noverlaid x/y\ntool\n"
	for _, test := range []struct {
		c    isolate.Configuration
		want string
	}{
		{b.config(), "overlaid old\noverlaid old\n" + tail},
		{isolate.Full(b.set.Len()), "overlaid old\n1\noverlaid old\n" + tail},
		{b.config("sub/a"), "overlaid old\noverlaid old\n" + tail},
	} {
		if got := read(t, b.verdict(test.c).Stdout); got != test.want {
			t.Errorf("{%v}: %q, want %q", test.c, got, test.want)
		}
	}
	if got := modTime(t, filepath.Join(b.space(), "mods/m/lib.js")); !got.Equal(time.Unix(1e9, 0)) {
		t.Errorf("the kept file is of %v", got)
	}
	// Which change of an overlaid path is in makes no difference to the files,
	// but another overlay does.
	key := b.key
	h.files("tests/old", "another\n")
	other := below.bench(func(o *Options) { *o = withSession(b.opts, o) })
	if other.key == key {
		t.Error("another overlay has the same key")
	}
}

func TestBadOverlay(t *testing.T) {
	h := newHistory(t)
	h.commit("good", "a", "0\n")
	h.commit("bad", "a", "1\n")
	outside := t.TempDir()
	for _, test := range []struct {
		set  func(*Options)
		want string
	}{
		{func(o *Options) { o.Overlay = []string{"nosuch"} }, "overlay nosuch: there is no such file or directory"},
		{func(o *Options) { o.Overlay = []string{outside} }, "lies outside of the checkout"},
		{func(o *Options) { o.Overlay = []string{".git"} }, `".git": no file may have such a path`},
		{func(o *Options) { o.Keep = []string{"nosuch"} }, "keep nosuch: there is no such file or directory"},
		{func(o *Options) { o.Keep = []string{".git"} }, "keep .git: it belongs to git"},
		{func(o *Options) { o.Dir = "../x" }, `directory "../x" lies outside of the workspace`},
		{func(o *Options) { o.Command = nil }, "there is no command to run"},
	} {
		if _, err := h.tryBench(h.session(t.TempDir()), test.set); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%v, want %s", err, test.want)
		}
	}
}

// utf16le encodes ASCII.
func utf16le(s string) string {
	var wide strings.Builder
	for _, c := range []byte(s) {
		wide.Write([]byte{c, 0})
	}
	return wide.String()
}

// TestConversions: files are written as git's checkout writes them.
func TestConversions(t *testing.T) {
	h := newHistory(t)
	h.run("config", "filter.upper.smudge", "tr a-z A-Z")
	h.run("config", "filter.upper.clean", "tr A-Z a-z")
	both := func(a string) []string {
		return []string{"dos.txt", "x\ny" + a + "\n", "id", "$Id$ " + a + "\n", "big", "text " + a + "\n", "wide", utf16le("text " + a + "\n"), "plain", "text " + a + "\n", "auto.c", "text " + a + "\n"}
	}
	h.commit("good", append(both("old"), ".gitattributes", "*.txt eol=crlf\nid ident\nbig filter=upper\nwide working-tree-encoding=UTF-16LE\n")...)
	h.commit("bad", append(both("new"), ".gitattributes", "*.txt -text\nid ident\nplain filter=upper\n*.c text eol=crlf\n")...)
	b := h.bench(func(o *Options) { o.Command = []string{"true"} })
	compare := func(c isolate.Configuration) {
		t.Helper()
		tree, err := b.set.Compose(c.All())
		if err != nil {
			t.Fatal(err)
		}
		b.verdict(c)
		want, got := h.checkout(b, tree), trackedFiles(t, b.space())
		for name := range want {
			if got[name] != want[name] {
				t.Errorf("{%v} %s: got %q, git writes %q", c, name, got[name], want[name])
			}
		}
	}
	compare(isolate.Full(b.set.Len()))
	compare(b.config("dos.txt", "id", "big", "wide"))
	compare(b.config(".gitattributes", "dos.txt", "auto.c"))
	compare(b.config("dos.txt", "plain", "wide"))
	compare(isolate.Full(b.set.Len()).Minus(b.config(".gitattributes")))
	b.close()

	h.run("config", "core.autocrlf", "true")
	b = h.bench(func(o *Options) { o.Command = []string{"true"} })
	compare(b.config("plain"))
	if got := read(t, filepath.Join(b.space(), "plain")); got != "text new\r\n" {
		t.Errorf("with core.autocrlf: %q", got)
	}
}

func TestWorkspaceRemoved(t *testing.T) {
	for _, command := range []string{"rm -rf $GITDD_WORKSPACE", "mv $GITDD_WORKSPACE $GITDD_WORKSPACE.away", "mv $GITDD_WORKSPACE $GITDD_WORKSPACE.away; mkdir $GITDD_WORKSPACE"} {
		h := newHistory(t)
		h.commit("good", "a", "0\n")
		h.commit("bad", "a", "1\n")
		before := filesIn(t, h.dir)
		b := h.bench(script("test $(cat a) = 0 || "+command, "exit 0"))
		b.verdict(b.config())
		_, err := b.Test(b.set)(t.Context(), b.config("a"))
		if err == nil || !strings.Contains(err.Error(), b.space()+" was removed or replaced while gitdd worked in it") {
			t.Errorf("%s: %v", command, err)
		}
		if s := b.Stats(); s.Run != 1 {
			t.Errorf("%s: the trial counts: %+v", command, s)
		}
		b.close()
		if diff := cmp.Diff(before, filesIn(t, h.dir)); diff != "" {
			t.Errorf("%s: the user's repository: %s", command, diff)
		}
	}
}

// TestOtherSets: one runner tests sets with other ends in the same workspace.
func TestOtherSets(t *testing.T) {
	h := newHistory(t)
	h.commit("good", "a", "0\n", "b", "0\n", "c", "0\n", "gone", "x\n")
	h.commit("mid", "a", "1\n", "b", "1\n", "gone", "!", "moved", "x\n")
	h.commit("bad", "b", "2\n", "c", "2\n", "new/d", "2\n")
	b := h.bench(script("cat a b c gone moved new/d 2>/dev/null | tr -d '\\n'", "! test -e new/d"))
	b.ends()
	later, err := changes.Between(t.Context(), b.repo, "mid", "bad", changes.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		set  *changes.Set
		c    isolate.Configuration
		want string
	}{
		{later, isolate.Empty(later.Len()), "110x"},
		{b.set, b.config("c"), "002x"},
		{later, isolate.Of(later.Len(), 1), "112x"},
		{b.set, b.config("gone", "moved"), "000x"},
	} {
		v, err := b.ask(t.Context(), test.set, test.c, Search)
		if err != nil {
			t.Fatal(err)
		}
		if got := read(t, v.Stdout); got != test.want {
			t.Errorf("{%v} saw %s, want %s", test.c, got, test.want)
		}
	}
	run := b.Stats().Run
	if e, err := b.Ends(t.Context(), later); err != nil || !e.Bad.Cached || !e.Good.Cached || b.Stats().Run != run {
		t.Errorf("the ends of the later set: %+v, %v", e, err)
	}
}

// TestPlainTrees: without commits, too.
func TestPlainTrees(t *testing.T) {
	h := newHistory(t)
	h.commit("v1", "a", "0\n")
	h.commit("v2", "a", "1\n")
	h.run("tag", "good", "v1^{tree}")
	h.run("tag", "bad", "v2^{tree}")
	b := h.bench(script("exit $(cat a)"))
	if e := b.ends(); e.Direction != Break {
		t.Errorf("%+v", e)
	}
}

func TestFullDisk(t *testing.T) {
	small := t.TempDir()
	if out, err := exec.Command("mount", "-t", "tmpfs", "-o", "size=3m", "tmpfs", small).CombinedOutput(); err != nil {
		t.Skipf("no small disk to fill: %v: %s", err, out)
	}
	t.Cleanup(func() { exec.Command("umount", "-l", small).Run() })
	h := newHistory(t)
	h.commit("good", "a", "0\n")
	h.commit("bad", "a", "1\n", "big", string(bytes.Repeat([]byte("big\n"), 1<<20)))
	b := h.benchIn(h.session(small), script("exit $(cat a)"))
	b.verdict(b.config())
	hint := "make room there, and `gitdd resume` goes on where this stopped, or begin again with GITDD_CACHE_DIR set to a directory on another disk"
	_, err := b.Test(b.set)(t.Context(), isolate.Full(b.set.Len()))
	if err == nil || !disk.Full(err) || !strings.Contains(err.Error(), hint) || !strings.Contains(err.Error(), small) {
		t.Errorf("a configuration that does not fit: %v", err)
	}
	// The test itself fills the disk and fails because of that.
	b.close()
	b = h.benchIn(h.session(small), script("test $(cat a) = 0 || head -c 9999999 /dev/zero > $GITDD_SESSION/zeros"))
	b.verdict(b.config())
	_, err = b.Test(b.set)(t.Context(), b.config("a"))
	if err == nil || !strings.Contains(err.Error(), hint) || !strings.Contains(err.Error(), "is full, so that says nothing") {
		t.Errorf("a test that fills the disk: %v", err)
	}
	if s := b.Stats(); s.Run != 1 {
		t.Errorf("%+v", s)
	}
}

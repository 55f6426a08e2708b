package trial

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gitdd/gitdd/internal/seed"
	"github.com/gitdd/gitdd/internal/snapshot"
	"github.com/gitdd/gitdd/isolate"
)

// walkSnapshot calls visit for every entry, directories before what they hold.
func walkSnapshot(f *Folder, at string, visit func(path string, e Entry)) {
	for _, e := range f.Entries {
		path := filepath.Join(at, e.Name)
		visit(path, e)
		if e.Folder != nil {
			walkSnapshot(e.Folder, path, visit)
		}
	}
}

// materialise writes a snapshot into a directory.
func materialise(ctx context.Context, s *Snapshot, dir string) error {
	var files []*Leaf
	var problems []error
	walkSnapshot(s.Root, "", func(path string, e Entry) {
		name := filepath.Join(dir, path)
		switch {
		case e.File != nil:
			if files = append(files, e.File); e.File.Path != path {
				problems = append(problems, fmt.Errorf("%q calls itself %q", path, e.File.Path))
			}
		case e.Folder != nil:
			problems = append(problems, os.Mkdir(name, 0o777))
		default:
			problems = append(problems, os.Symlink(e.Target, name))
		}
	})
	problems = append(problems, s.Read(ctx, files, func(f *Leaf, content io.Reader) error {
		perm := fs.FileMode(0o666)
		if f.Executable {
			perm = 0o777
		}
		to, err := os.OpenFile(filepath.Join(dir, f.Path), os.O_CREATE|os.O_EXCL|os.O_WRONLY, perm)
		if err != nil {
			return err
		}
		n, err := io.Copy(to, content)
		if err == nil && n != f.Size {
			err = fmt.Errorf("%q has %d bytes, not %d", f.Path, n, f.Size)
		}
		return errors.Join(err, to.Close())
	}))
	return errors.Join(problems...)
}

// inDirectory is what a task that runs in dir may see: all but .git, of the modes what
// is kept of them.
func inDirectory(t testing.TB, dir string) map[string]string {
	t.Helper()
	all := map[string]string{}
	for name, what := range filesIn(t, dir) {
		rel := strings.TrimPrefix(strings.TrimPrefix(name, dir), "/")
		if slices.Contains(strings.Split(rel, "/"), ".git") || rel == "" {
			continue
		}
		mode, content, _ := strings.Cut(what, " ")
		switch mode[0] {
		case 'd':
			mode = "directory"
		case 'L':
			mode = "symlink to"
		case '-':
			mode = map[bool]string{true: "executable", false: "file"}[mode[3] == 'x']
		}
		all[rel] = mode + " " + content
	}
	return all
}

// remoteOnly is a bench whose snapshots are looked at, and whose trials are never run.
func (h history) remoteOnly(set func(*Options)) *bench {
	return h.bench(func(o *Options) {
		set(o)
		o.Remote = func(context.Context, Task) (TaskResult, error) {
			return TaskResult{}, errors.New("it is not to be run")
		}
	})
}

func (b *bench) snapshot(c isolate.Configuration) (*Snapshot, error) {
	b.t.Helper()
	q, err := b.question(b.set, c, Search)
	if err != nil {
		b.t.Fatal(err)
	}
	return b.snapshots.Snapshot(b.t.Context(), q.set, q.tree, func() {})
}

// snapshotDir is the workspace that snapshots are made by.
func (b *bench) snapshotDir() string { return filepath.Join(b.work, b.spaceName("snapshot")) }

// TestSnapshots: for random repositories, settings and configurations a snapshot holds
// what the workspace of a local trial does, byte for byte, also when others were made
// in the meantime.
func TestSnapshots(t *testing.T) {
	random := rand.New(rand.NewPCG(seed.New(t), 0))
	rounds := 3
	if testing.Short() {
		rounds = 2
	}
	for range rounds {
		h := newHistory(t)
		h.run("config", "filter.upper.smudge", "tr a-z A-Z")
		h.run("config", "filter.upper.clean", "tr A-Z a-z")
		h.commit("start", "start", "x")
		start := h.run("rev-parse", "HEAD")
		paths := []string{"a", "b", "d/a", "d/b", "d/e/f", "d-e", "d.txt", "sp ace/\"q\"\t\n", "\xff\xfe/-x", strings.Repeat("long/", 50) + "end", "kept/in", "p", "sub", strings.Repeat("n", 300)}
		texts := []string{"0\n", "one\ntwo\n", "../2", "", "three\r\nfour\n"}
		attributes := []string{"", "*.txt eol=crlf\n", "a filter=upper\n*.txt eol=crlf\n", "d/* text eol=crlf\n", "b ident\n* -text\n"}
		attributed := random.IntN(2) == 0
		tree := func(tag string) {
			var index strings.Builder
			for _, p := range paths {
				if len(p) == 300 && tag == "good" { // nobody could check it out
					continue
				}
				mode, blob := "100644", ""
				switch random.IntN(7) {
				case 0:
					continue
				case 1:
					if mode = "120000"; tag == "good" { // nor this, to nowhere
						blob = h.blob("../2")
					}
				case 2:
					mode = "100755"
				case 3:
					if p == "sub" {
						mode, blob = "160000", start
					}
				case 4:
					p += "/in"
				}
				if blob == "" {
					blob = h.blob(texts[random.IntN(len(texts))])
				}
				if p == "p" {
					mode, blob = "100644", h.blob([]string{"patch me\n", "patched\n", "not me\n"}[random.IntN(3)])
				}
				fmt.Fprintf(&index, "%s %s\t%s\x00", mode, blob, p)
			}
			if attributed {
				fmt.Fprintf(&index, "100644 %s\t.gitattributes\x00", h.blob(attributes[random.IntN(len(attributes))]))
				if random.IntN(2) == 0 {
					fmt.Fprintf(&index, "100644 %s\td/.gitattributes\x00", h.blob("a -text\n"))
				}
			}
			h.run("read-tree", "--empty")
			h.input(index.String(), "update-index", "-z", "--index-info")
			h.run("commit", "--quiet", "--allow-empty", "--message="+tag)
			h.run("tag", "--force", tag)
		}
		tree("good")
		tree("bad")
		h.files("kept/free", "#!kept\n", "kept/empty/x", "!", "kept/repo/.git/config", "x", "kept/link", "->free", "new", "overlaid\n")
		if err := os.MkdirAll(filepath.Join(h.dir, "kept/empty"), 0o777); err != nil {
			t.Fatal(err)
		}
		patch := filepath.Join(t.TempDir(), "fix")
		writeFiles(t, filepath.Dir(patch), "fix", "--- a/p\n+++ b/p\n@@ -1 +1 @@\n-patch me\n+patched\n")
		var used []string
		settings := func(what string) bool {
			if random.IntN(3) > 0 {
				return false
			}
			used = append(used, what)
			return true
		}
		overlay, keep, patches := settings("overlay"), settings("keep"), settings("patch")
		set := func(o *Options) {
			if overlay {
				o.Overlay = []string{"new"}
			}
			if keep {
				o.Keep = []string{"kept"}
			}
			if patches {
				o.Patches = []string{patch}
			}
		}
		here, there := h.bench(set), h.remoteOnly(set)
		type made struct {
			*Snapshot
			config isolate.Configuration
			want   map[string]string
		}
		var all []made
		look := func(m made) {
			t.Helper()
			dir := t.TempDir()
			if err := materialise(t.Context(), m.Snapshot, dir); err != nil {
				t.Fatalf("%v {%v}: %v", used, m.config, err)
			}
			if diff := cmp.Diff(m.want, inDirectory(t, dir)); diff != "" {
				t.Fatalf("%v {%v}: -workspace +snapshot\n%s", used, m.config, diff)
			}
		}
		for range 10 {
			c, tree := here.draw(random)
			if tree == nil {
				continue
			}
			here.memo = newMemo(nil, nil)
			v := here.verdict(c)
			s, err := there.snapshot(c)
			if v.Trial == 0 {
				if err = asNoTrial(err); !errors.As(err, new(*noTrial)) {
					t.Fatalf("%v {%v}: %v; locally %s", used, c, err, v.Reason)
				}
				continue
			}
			if err != nil {
				t.Fatalf("%v {%v}: %v", used, c, err)
			}
			m := made{s, c, inDirectory(t, here.space())}
			all = append(all, m)
			if random.IntN(2) == 0 {
				look(m)
			}
		}
		for _, i := range random.Perm(len(all)) {
			look(all[i])
		}
		here.close()
		there.close()
	}
}

// TestSnapshotShares: a configuration of one file has new folders on its path only.
func TestSnapshotShares(t *testing.T) {
	h := newHistory(t)
	h.commit("good", "a/x/f", "0\n", "a/y/f", "0\n", "b/f", "0\n", "c", "0\n")
	h.commit("bad", "a/x/f", "1\n", "b/f", "1\n")
	b := h.remoteOnly(func(*Options) {})
	folders := func(c isolate.Configuration) map[string]*Folder {
		s, err := b.snapshot(c)
		if err != nil {
			t.Fatal(err)
		}
		all := map[string]*Folder{"": s.Root}
		walkSnapshot(s.Root, "", func(path string, e Entry) {
			if e.Folder != nil {
				all[path] = e.Folder
			}
		})
		return all
	}
	good, one := folders(b.config()), folders(b.config("a/x/f"))
	var fresh []string
	for path, f := range one {
		if good[path] != f {
			fresh = append(fresh, path)
		}
	}
	slices.Sort(fresh)
	if diff := cmp.Diff([]string{"", "a", "a/x"}, fresh); diff != "" {
		t.Errorf("folders that are not shared with good: %s", diff)
	}
	if again := folders(b.config("a/x/f")); !maps.Equal(one, again) {
		t.Error("the same configuration has other folders")
	}
}

// TestSnapshotModules: a snapshot has the files of submodules, too, those that the
// configuration pins.
func TestSnapshotModules(t *testing.T) {
	seed.SkipLong(t, 6)
	h, _ := withModule(t, []string{"a", "0\n", "same", "same\n", "gone", "x\n"}, []string{"a", "1\n", "gone", "!", "new/b", "1\n"})
	h.pinned("good", "v1", "x", "0\n")
	h.pinned("bad", "v2", "x", "1\n")
	set := submodules(func(*Options) {})
	here, there := h.bench(set), h.remoteOnly(set)
	var all []*Snapshot
	var wants []map[string]string
	for _, c := range []isolate.Configuration{here.config("lib"), here.config("x"), here.config("lib", "x"), here.config()} {
		here.verdict(c)
		s, err := there.snapshot(c)
		if err != nil {
			t.Fatal(err)
		}
		all, wants = append(all, s), append(wants, inDirectory(t, here.space()))
	}
	for i, s := range all {
		dir := t.TempDir()
		if err := materialise(t.Context(), s, dir); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(wants[i], inDirectory(t, dir)); diff != "" {
			t.Errorf("configuration %d: -workspace +snapshot\n%s", i, diff)
		}
	}
}

// TestSnapshotLarge: a large file is hashed and read without being held in memory.
func TestSnapshotLarge(t *testing.T) {
	seed.SkipLong(t, 6)
	h := newHistory(t)
	h.run("config", "core.compression", "1")
	const size = 24 << 20
	big := strings.Repeat("0123456789abcdef", size/16)
	h.commit("good", "big", "small\n", "x", "0\n")
	h.commit("bad", "big", big, "x", "1\n")
	b := h.remoteOnly(func(*Options) {})
	s, err := b.snapshot(b.config("big"))
	if err != nil {
		t.Fatal(err)
	}
	f := s.Root.Entries[0].File
	if f.Size != size || f.Sum != sha256.Sum256([]byte(big)) {
		t.Errorf("%+v", f)
	}
	err = s.Read(t.Context(), []*Leaf{f}, func(_ *Leaf, content io.Reader) error {
		text, err := io.ReadAll(content)
		if string(text) != big {
			t.Error("it reads otherwise")
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
	stopped := errors.New("enough")
	err = s.Read(t.Context(), []*Leaf{f}, func(_ *Leaf, content io.Reader) error {
		_, err := io.ReadFull(content, make([]byte, 100))
		return errors.Join(err, stopped)
	})
	if !errors.Is(err, stopped) {
		t.Error(err)
	}
}

// TestSnapshotAltered: what is not as it was when it was hashed does not go out under
// its old sum, and a staging workspace that is gone is said to be.
func TestSnapshotAltered(t *testing.T) {
	h := newHistory(t)
	h.commit("good", "a", "0\n", "b", "0\n", "c", "0\n")
	h.commit("bad", "a", "1\n")
	b := h.remoteOnly(func(*Options) {})
	s, err := b.snapshot(b.config())
	if err != nil {
		t.Fatal(err)
	}
	writeFiles(t, b.snapshotDir(), "b", "1\n", "c", "!")
	for _, e := range s.Root.Entries {
		err := s.Read(t.Context(), []*Leaf{e.File}, func(_ *Leaf, content io.Reader) error {
			_, err := io.Copy(io.Discard, content)
			return err
		})
		if e.Name == "a" && err != nil || e.Name != "a" && !errors.Is(err, snapshot.ErrAltered) {
			t.Errorf("%s: %v", e.Name, err)
		}
	}
	if err := os.RemoveAll(b.snapshotDir()); err != nil {
		t.Fatal(err)
	}
	if _, err := b.snapshot(b.config("a")); err == nil || !strings.Contains(err.Error(), "was removed or replaced") {
		t.Errorf("%v", err)
	}
	b.close()
	if err := s.Read(t.Context(), []*Leaf{s.Root.Entries[0].File}, nil); err == nil || !strings.Contains(err.Error(), "after its Snapshotter was closed") {
		t.Errorf("%v", err)
	}
}

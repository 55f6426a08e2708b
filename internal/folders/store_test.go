package folders

import (
	"bytes"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/gitdd/gitdd/internal/git"
	"github.com/gitdd/gitdd/internal/seed"
)

// content is the content of a file or a symbolic link of a folder, behind what it is.
type contents map[string]string

// contentsOf reads a folder without .git.
func contentsOf(t *testing.T, dir string) contents {
	t.Helper()
	all := contents{}
	err := filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, _ := filepath.Rel(dir, name)
		if rel == ".git" {
			return fs.SkipDir
		}
		info, err := d.Info()
		if err != nil || d.IsDir() {
			return err
		}
		if info.Mode()&fs.ModeSymlink != 0 {
			target, err := os.Readlink(name)
			all[rel] = "link " + target
			return err
		}
		text, err := os.ReadFile(name)
		all[rel] = fmt.Sprintf("%v %s", info.Mode()&0o100 != 0, text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// write makes a folder of what contentsOf returns.
func write(t *testing.T, dir string, all contents) {
	t.Helper()
	for name, what := range all {
		full := filepath.Join(dir, name)
		kind, text, _ := strings.Cut(what, " ")
		mode := map[string]fs.FileMode{"true": 0o755, "false": 0o644}[kind]
		err := os.MkdirAll(filepath.Dir(full), 0o777)
		if err == nil && kind == "link" {
			err = os.Symlink(text, full)
		} else if err == nil {
			err = os.WriteFile(full, []byte(text), mode)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

// oddNames are names that git, a shell or a library may take for something else.
var oddNames = []string{"a", "b.txt", "two words", "-n", "\"quoted\"", "back\\slash", "new\nline", "tab\tbed", "*?[x]", "\xff\xfe", "é", "e\u0301", "#", "~", "$HOME", ":(top)",
	".gitignore", ".gitattributes", ".gitmodules", ".github", "git", "CON", "good", "HEAD", "objects", strings.Repeat("long", 50), " ", "'"}

// draw draws a folder.
func draw(r *rand.Rand) contents {
	all := contents{}
	names := oddNames
	if runtime.GOOS != "linux" { // whose file systems have them all
		names = []string{"a", "b.txt", "two words", "-n", ".gitignore", ".gitattributes", ".github"}
	}
	pick := func(list ...string) string { return list[r.IntN(len(list))] }
	for range 1 + r.IntN(12) {
		var parts []string
		for range 1 + r.IntN(4) {
			parts = append(parts, pick(names...))
		}
		name := strings.Join(parts, "/")
		if slices.ContainsFunc(parts[:len(parts)-1], func(p string) bool { return strings.HasPrefix(p, ".git") && p != ".github" }) {
			continue
		}
		free := true
		for other := range all {
			free = free && !strings.HasPrefix(other+"/", name+"/") && !strings.HasPrefix(name+"/", other+"/")
		}
		if !free {
			continue
		}
		text := pick("", "line\n", "no end", "dos\r\nlines\r\n", "$Id$\n", "\x00\x01\xff", strings.Repeat("more\n", r.IntN(5000)), "true ", "link x")
		kind := pick("true", "false", "false", "link")
		switch parts[len(parts)-1] {
		case ".gitattributes":
			kind, text = "false", pick("* text=auto eol=crlf\n", "* ident\n", "* filter=none\n* working-tree-encoding=UTF-16\n", "* binary\n", "* text eol=lf\n")
		case ".gitignore":
			kind, text = "false", "*\n"
		case ".gitmodules":
			kind, text = "false", "[submodule \"x\"]\n\tpath = x\n\turl = ../x\n"
		}
		if kind == "link" {
			text = pick("a", "../../../../outside", "/etc/passwd", "nowhere", ".")
		}
		all[name] = kind + " " + text
	}
	if len(all) == 0 {
		all["a"] = "false x"
	}
	return all
}

// store stores two folders or archives in a new repository.
func store(t *testing.T, good, bad string) (repo *git.Repo, from, to git.Revision, notes []string, err error) {
	t.Helper()
	repo, from, to, err = Store(t.Context(), filepath.Join(t.TempDir(), "repository"), good, bad, Options{
		Note:     func(text string) { notes = append(notes, text) },
		Progress: func(string) {},
	})
	if err == nil {
		t.Cleanup(func() { repo.Close() })
	}
	return repo, from, to, notes, err
}

// checkedOut is what a workspace of a tree has.
func checkedOut(t *testing.T, repo *git.Repo, tree git.ID) contents {
	t.Helper()
	w, err := repo.NewWorkspace(t.Context(), filepath.Join(t.TempDir(), "workspace"), tree)
	if err != nil {
		t.Fatal(err)
	}
	return contentsOf(t, w.Dir)
}

// A folder that was stored and checked out again is what it was, whatever the names and the attribute files in it, and
// whatever the user's configuration says.
func TestRoundTrip(t *testing.T) {
	config := filepath.Join(t.TempDir(), "config")
	text := "[core]\n\tautocrlf = true\n\tsymlinks = false\n\teol = crlf\n[safe]\n\tbareRepository = explicit\n[filter \"none\"]\n\tsmudge = tr a-z A-Z\n\trequired\n"
	if err := os.WriteFile(config, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("GIT_CONFIG_GLOBAL", config)
	t.Setenv("GIT_DIR", filepath.Join(t.TempDir(), "elsewhere"))
	r := rand.New(rand.NewPCG(seed.New(t), 0))
	for range 25 {
		var dirs [2]string
		var want [2]contents
		for i := range dirs {
			dirs[i], want[i] = t.TempDir(), draw(r)
			write(t, dirs[i], want[i])
		}
		repo, good, bad, _, err := store(t, dirs[0], dirs[1])
		if err != nil {
			t.Fatal(err)
		}
		for i, tree := range []git.ID{good.Tree, bad.Tree} {
			if diff := cmp.Diff(want[i], contentsOf(t, dirs[i])); diff != "" {
				t.Fatalf("the folder itself has changed:\n%s", diff)
			}
			if diff := cmp.Diff(want[i], checkedOut(t, repo, tree)); diff != "" {
				t.Fatalf("what was stored is not the folder:\n%s", diff)
			}
		}
	}
}

// What is no part of a tree is left out, with a note.
func TestLeftOut(t *testing.T) {
	dirs := [2]string{t.TempDir(), t.TempDir()}
	for _, dir := range dirs {
		write(t, dir, contents{"x": "false x", ".git/HEAD": "false ref", "vendor/y/.git": "false gitdir: ../z"})
		if err := os.MkdirAll(filepath.Join(dir, "empty", "within"), 0o777); err != nil {
			t.Fatal(err)
		}
	}
	repo, good, _, notes, err := store(t, dirs[0], dirs[1])
	if err != nil {
		t.Fatal(err)
	}
	if got := checkedOut(t, repo, good.Tree); len(got) != 1 {
		t.Errorf("stored %q, want x alone", got)
	}
	for i, want := range []string{"empty directories of " + dirs[0], "what git keeps in " + dirs[0] + " is left out: .git and 1 more", "empty directories of " + dirs[1], "what git keeps in " + dirs[1], "both are checkouts of git"} {
		if i >= len(notes) || !strings.HasPrefix(notes[i], want) {
			t.Errorf("notes are %q, want %q at %d", notes, want, i)
		}
	}
}

// Each folder that cannot be stored is refused with what to do, and nothing waits for ever.
func TestRefusedFolders(t *testing.T) {
	whole := t.TempDir()
	write(t, whole, contents{"x": "false x"})
	file := func(all contents) func(*testing.T, string) {
		return func(t *testing.T, dir string) { write(t, dir, all) }
	}
	for _, test := range []struct {
		name string
		make func(t *testing.T, dir string)
		want string
	}{
		{"empty", func(*testing.T, string) {}, "has no files"},
		{"GIT", file(contents{"a/.GIT/x": "false x"}), "some systems take for the repository's own .git: rename it or leave it out"},
		{"short", file(contents{"git~1": "false x"}), "some systems take for the repository's own .git"},
		{"modules", file(contents{".gitmodules": "link x"}), "some systems take for .gitmodules"},
		{"large", func(t *testing.T, dir string) {
			write(t, dir, contents{"sparse": "false x"})
			if err := os.Truncate(filepath.Join(dir, "sparse"), mostFile+1); err != nil {
				t.Fatal(err)
			}
		}, "sparse has 4294967297 bytes, and gitdd takes files of up to 4294967296"},
	} {
		t.Run(test.name, func(t *testing.T) {
			dir := t.TempDir()
			test.make(t, dir)
			for _, pair := range [][2]string{{dir, whole}, {whole, dir}} {
				if _, _, _, _, err := store(t, pair[0], pair[1]); err == nil || !strings.Contains(err.Error(), test.want) {
					t.Errorf("error %v, want %q", err, test.want)
				}
			}
		})
	}
	_, _, _, err := Store(t.Context(), filepath.Join(whole, "sessions"), whole, t.TempDir(), Options{})
	if err == nil || !strings.Contains(err.Error(), "GITDD_CACHE_DIR") {
		t.Errorf("a repository in the folder: error %v", err)
	}
}

// A file that grows or shrinks while it is read is noticed, and so is another one in its place.
func TestChangedMeanwhile(t *testing.T) {
	for name, change := range map[string]func(file string) error{
		"grown":  func(file string) error { return os.WriteFile(file, bytes.Repeat([]byte("xy"), 200_000), 0o666) },
		"shrunk": func(file string) error { return os.Truncate(file, 10) },
		"touched": func(file string) error {
			return os.Chtimes(file, time.Time{}, time.Now().Add(time.Hour))
		},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			write(t, dir, contents{"x": "false " + strings.Repeat("x", 300_000)})
			f, err := os.Open(filepath.Join(dir, "x"))
			if err != nil {
				t.Fatal(err)
			}
			defer f.Close()
			info, err := f.Stat()
			if err != nil {
				t.Fatal(err)
			}
			in, err := git.NewImport(t.Context(), filepath.Join(t.TempDir(), "repository"), goodBranch)
			if err != nil {
				t.Fatal(err)
			}
			if err := change(f.Name()); err != nil {
				t.Fatal(err)
			}
			err = newEnd(t.Context(), dir, in, func(string) {}).readOpened(f, info, "x")
			in.Close()
			if err == nil || !strings.Contains(err.Error(), "x has changed while it was read") {
				t.Errorf("error %v", err)
			}
		})
	}
}

// Two paths of which a file system that ignores case holds one are found.
func TestCollision(t *testing.T) {
	for want, paths := range map[string][]string{
		"":                          {"a/b", "a/c", "b/a", "A.txt"},
		"dir has a/Read and a/reaD": {"a/Read", "b", "a/reaD"},
		"dir has Ab and aB":         {"Ab/x", "aB/y"},
	} {
		var files []file
		for _, p := range paths {
			files = append(files, file{path: p})
		}
		err := collision("dir", files)
		if want == "" && err != nil || want != "" && (err == nil || !strings.HasPrefix(err.Error(), want)) {
			t.Errorf("%q: error %v, want %q", paths, err, want)
		}
	}
}

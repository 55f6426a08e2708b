package changes

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/gitdd/gitdd/internal/git"
)

// TestCheckPath holds checkPath against git's own rule, by asking git to put
// each path into an index with both protections on.
func TestCheckPath(t *testing.T) {
	dir := t.TempDir()
	runGit(t, dir, nil, "init", "-q")
	runGit(t, dir, nil, "config", "core.protectHFS", "true")
	runGit(t, dir, nil, "config", "core.protectNTFS", "true")
	blob := strings.TrimSpace(string(runGit(t, dir, []byte("x"), "hash-object", "-w", "--stdin")))
	gitTakes := func(path string, mode git.Mode) bool {
		cmd := exec.CommandContext(t.Context(), "git", "update-index", "-z", "--index-info")
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "GIT_INDEX_FILE="+dir+"/scratch-index")
		cmd.Stdin = strings.NewReader(fmt.Sprintf("%s %s\t%s\x00", mode, blob, path))
		out, err := cmd.CombinedOutput()
		os.Remove(dir + "/scratch-index")
		return err == nil && !bytes.Contains(out, []byte("Invalid path")) && !bytes.Contains(out, []byte("gnoring path"))
	}

	names := []string{
		"a", "a/b", "..a", "a..", "...", ".a", ".gi", ".gitx", ".gitignore", ".gitmodules", "git", "git~2", "agit~1", "git~10", "a.git", ".git.x", "x/.gitattributes",
		"a\\b", "a b", "a\nb", "-a", "é", "\xff", "\xef\xbf\xbd",
		".", "..", "a/.", "a/..", "../a", "./a", "a//b", "/a", "a/", "",
		".git", "a/.git", ".git/config", ".GIT", ".gIt/hooks/post-checkout", ".git ", ".git.", ".git. .", ".git::$INDEX_ALLOCATION", ".git:x", "git~1", "GIT~1/config", "git~1.", "git~1 :x",
		"a\\.git", ".git\\hooks", "a\\git~1\\b",
		".g\u200cit", "\u200d.git", ".git\ufeff", ".G\u206aI\u200eT", ".g\u200bit", ".g\u200cit\xff",
		"gitmod~1", "gitmod~4", "gitmod~5", "GI7EBA~1", "gi7eba~9", "gi7eb~10", "gi7eb~1", "gi7d29~1", ".gitmodules ", ".gitmodules:x", ".GITMODULES", ".git\u200cmodules", "x/.gitmodules", "~1000000", "g~100000",
	}
	refused := 0
	for _, mode := range []git.Mode{git.Regular, git.Symlink} {
		for _, name := range names {
			err := checkPath(name, mode)
			if takes := gitTakes(name, mode); takes != (err == nil) {
				t.Errorf("path %q, mode %s: git takes it: %v, checkPath: %v", name, mode, takes, err)
			}
			if err != nil {
				refused++
			}
		}
	}
	// Git 2.39 lets this one through, which Windows would take for .git at the root.
	if checkPath(`\.git`, git.Regular) == nil {
		t.Error(`path \.git is accepted`)
	}
	if refused < 50 || refused > 2*len(names)-50 {
		t.Errorf("%d of %d paths refused: the table does not ask both questions", refused, 2*len(names))
	}
}

// raw writes a tree object that no git command would write.
func raw(t *testing.T, dir string, entries ...string) git.ID {
	t.Helper()
	var body bytes.Buffer
	for _, e := range entries {
		mode, rest, _ := strings.Cut(e, " ")
		id, name, _ := strings.Cut(rest, " ")
		fmt.Fprintf(&body, "%s %s\x00", mode, name)
		var bin []byte
		fmt.Sscanf(id, "%x", &bin)
		body.Write(bin)
	}
	return git.ID(strings.TrimSpace(string(runGit(t, dir, body.Bytes(), "hash-object", "-w", "--literally", "-t", "tree", "--stdin"))))
}

// TestHostileTrees meets trees that must not be checked out: as good, as bad, at
// the top and below a directory.
func TestHostileTrees(t *testing.T) {
	dir := t.TempDir()
	runGit(t, dir, nil, "init", "-q")
	blob := func(content string) string {
		return strings.TrimSpace(string(runGit(t, dir, []byte(content), "hash-object", "-w", "--stdin")))
	}
	x, y := blob("x\n"), blob("y\n")
	file, other := "100644 "+x, "100644 "+y
	sub := string(raw(t, dir, other+" f"))
	repo := open(t, dir)
	plain := raw(t, dir, file+" a")
	for _, c := range []struct {
		name    string
		entries []string
		want    string
	}{
		{"dot git", []string{file + " .git", file + " a"}, ".git"},
		{"dot git as directory", []string{"40000 " + sub + " .git", file + " a"}, ".git"},
		{"case", []string{file + " .GiT", file + " a"}, ".git"},
		{"short name", []string{file + " a", file + " git~1"}, ".git"},
		{"parent", []string{file + " ..", file + " a"}, "leave its directory"},
		{"parent as directory", []string{"40000 " + sub + " ..", file + " a"}, "leave its directory"},
		{"slash", []string{file + " a", file + " b/c"}, "is not one name"},
		{"slash to the outside", []string{file + " ../b", file + " a"}, "leave its directory"},
		{"two of one name", []string{file + " a", other + " a"}, "two entries"},
		{"link and directory of one name", []string{file + " a", "120000 " + x + " l", "40000 " + sub + " l"}, "two entries"},
		{"unsorted", []string{file + " b", other + " a"}, "not sorted"},
		{"link named .gitmodules", []string{"120000 " + x + " .gitmodules", file + " a"}, ".gitmodules"},
	} {
		t.Run(c.name, func(t *testing.T) {
			flat := raw(t, dir, c.entries...)
			nested := raw(t, dir, file+" a", "40000 "+string(flat)+" d")
			for _, pair := range [][2]git.ID{{plain, flat}, {flat, plain}, {plain, nested}, {nested, plain}} {
				s, err := Between(t.Context(), repo, string(pair[0]), string(pair[1]), Options{})
				if err == nil {
					t.Errorf("%s..%s: accepted, with %q", pair[0], pair[1], describe(s))
				} else if refused := (*RefusedError)(nil); !errors.As(err, &refused) || !strings.Contains(err.Error(), c.want) {
					t.Errorf("%s..%s: error %q does not say %q", pair[0], pair[1], err, c.want)
				}
			}
		})
	}
}

// TestResidue meets trees that git's diff does not tell apart: G1 holds anyway.
func TestResidue(t *testing.T) {
	dir := t.TempDir()
	runGit(t, dir, nil, "init", "-q")
	runGit(t, dir, nil, "hash-object", "-w", "-t", "tree", "/dev/null")
	empty := "4b825dc642cb6eb9a060e54bf8d69288fbee4904"
	blob := func(content string) string {
		return strings.TrimSpace(string(runGit(t, dir, []byte(content), "hash-object", "-w", "--stdin")))
	}
	x, y := blob("x\n"), blob("y\n")
	repo := open(t, dir)
	for _, c := range []struct {
		name      string
		good, bad []string
	}{
		{"empty directory comes", []string{"100644 " + x + " a"}, []string{"100644 " + y + " a", "40000 " + empty + " d"}},
		{"empty directory goes", []string{"100644 " + x + " a", "40000 " + empty + " d"}, []string{"100644 " + y + " a"}},
		{"group writable", []string{"100644 " + x + " a", "100664 " + x + " b"}, []string{"100664 " + y + " a", "100644 " + x + " b"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := between(t, repo, string(raw(t, dir, c.good...)), string(raw(t, dir, c.bad...)))
			if !s.beyondFiles || s.Len() != 1 {
				t.Fatalf("beyondFiles %v, changes %q", s.beyondFiles, describe(s))
			}
			if got := compose(t, s, nil); got.ID != s.Good.Tree {
				t.Errorf("nothing composes to %s, want %s", got.ID, s.Good.Tree)
			}
			if got := compose(t, s, []int{0}); got.ID != s.Bad.Tree {
				t.Errorf("everything composes to %s, want %s", got.ID, s.Bad.Tree)
			}
		})
	}
}

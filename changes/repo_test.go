package changes

import (
	"bytes"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/gitdd/gitdd/internal/git"
	"github.com/gitdd/gitdd/internal/seed"
)

// A node is a file of a test tree; for a submodule the content is its commit.
type node struct {
	mode    git.Mode
	content string
}

// A tree maps paths to files. Directories are implied.
type tree map[string]node

func text(s string) node   { return node{git.Regular, s} }
func script(s string) node { return node{git.Executable, s} }
func link(to string) node  { return node{git.Symlink, to} }
func module(c byte) node   { return node{git.Gitlink, strings.Repeat(string(c), 40)} }

// runGit runs the real git, for building repositories and as the reference.
func runGit(t testing.TB, dir string, stdin []byte, args ...string) []byte {
	t.Helper()
	return runGitEnv(t, dir, nil, stdin, args...)
}

func runGitEnv(t testing.TB, dir string, env []string, stdin []byte, args ...string) []byte {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "git", args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=/dev/null", "LC_ALL=C",
		"GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@example.org", "GIT_COMMITTER_NAME=c", "GIT_COMMITTER_EMAIL=c@example.org")
	cmd.Env = append(cmd.Env, env...)
	cmd.Stdin = bytes.NewReader(stdin)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil {
		t.Fatalf("git %s: %v\n%s", strings.Join(args, " "), err, errs.Bytes())
	}
	return out.Bytes()
}

// quoteC quotes a path as git does, every byte that could matter in octal.
func quoteC(path string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, c := range []byte(path) {
		if c < ' ' || c == '"' || c == '\\' || c >= 0x7f {
			fmt.Fprintf(&b, `\%03o`, c)
		} else {
			b.WriteByte(c)
		}
	}
	b.WriteByte('"')
	return b.String()
}

// repository makes a bare repository with one commit per tree, each the parent
// of the next, and returns it open with the commits' names.
func repository(t testing.TB, format string, trees ...tree) (repo *git.Repo, revs []string) {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "r.git")
	runGit(t, "", nil, "init", "-q", "--bare", "--object-format="+format, dir)
	var in bytes.Buffer
	for i, files := range trees {
		fmt.Fprintf(&in, "commit refs/heads/main\nmark :%d\ncommitter c <c@example.org> %d +0000\ndata 0\ndeleteall\n", i+1, 1700000000+i)
		for _, path := range slices.Sorted(maps.Keys(files)) {
			f := files[path]
			if f.mode == git.Gitlink {
				id := f.content
				if format == "sha256" {
					id = (id + id)[:64]
				}
				fmt.Fprintf(&in, "M %s %s %s\n", f.mode, id, quoteC(path))
				continue
			}
			fmt.Fprintf(&in, "M %s inline %s\ndata %d\n%s\n", f.mode, quoteC(path), len(f.content), f.content)
		}
		fmt.Fprintf(&in, "reset refs/tags/r%d\nfrom :%d\n\n", i, i+1)
		revs = append(revs, fmt.Sprintf("r%d", i))
	}
	runGit(t, dir, in.Bytes(), "fast-import", "--quiet")
	return open(t, dir), revs
}

func open(t testing.TB, dir string) *git.Repo {
	t.Helper()
	repo, err := git.Open(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { repo.Close() })
	return repo
}

func between(t testing.TB, repo *git.Repo, good, bad string) *Set {
	t.Helper()
	s, err := Between(t.Context(), repo, good, bad, Options{})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func compose(t testing.TB, s *Set, subset []int) *Tree {
	t.Helper()
	tr, err := s.Compose(slices.Values(subset))
	if err != nil {
		t.Fatalf("compose %v: %v", subset, err)
	}
	return tr
}

func upTo(n int) []int {
	all := make([]int, n)
	for i := range all {
		all[i] = i
	}
	return all
}

// seeded returns a random source and logs how to get it again.
func seeded(t testing.TB) *rand.Rand {
	t.Helper()
	return rand.New(rand.NewPCG(seed.New(t), 0))
}

// closed returns a random subset that is closed under the set's requirements, in
// random order.
func closed(s *Set, rng *rand.Rand) []int {
	in := make([]bool, s.Len())
	var take func(int)
	take = func(i int) {
		if !in[i] {
			in[i] = true
			for _, r := range s.Requires[i] {
				take(r)
			}
		}
	}
	p := rng.Float64()
	for i := range in {
		if rng.Float64() < p {
			take(i)
		}
	}
	var out []int
	for i, ok := range in {
		if ok {
			out = append(out, i)
		}
	}
	rng.Shuffle(len(out), func(i, j int) { out[i], out[j] = out[j], out[i] })
	return out
}

// listed reads a stored tree with git: path to mode and id.
func listed(t testing.TB, scratch *git.Scratch, id git.ID) map[string]File {
	t.Helper()
	out, err := scratch.Git(t.Context(), "ls-tree", "-r", "-l", "-z", "--full-tree", string(id))
	if err != nil {
		t.Fatal(err)
	}
	files := make(map[string]File)
	for row := range strings.SplitSeq(strings.TrimSuffix(string(out), "\x00"), "\x00") {
		if row == "" {
			continue
		}
		head, path, _ := strings.Cut(row, "\t")
		var f File
		var kind, size string
		if _, err := fmt.Sscanf(head, "%o %s %s %s", &f.Mode, &kind, &f.ID, &size); err != nil || size == "BAD" {
			t.Fatalf("ls-tree row %q: %v", row, err)
		}
		f.Path = path
		if _, twice := files[path]; twice {
			t.Errorf("tree %s lists %q twice", id, path)
		}
		files[path] = f
	}
	return files
}

// oracle applies a subset to good's files by what the changes say of themselves:
// kinds, paths, line numbers and texts, no offsets and no cleverness. It returns
// the tree with contents.
func oracle(t testing.TB, s *Set, good, bad tree, subset []int) tree {
	t.Helper()
	in := make(map[int]bool)
	for _, i := range subset {
		in[i] = true
	}
	out := maps.Clone(good)
	if out == nil {
		out = tree{}
	}
	type key struct{ path, oldPath string }
	groups := make(map[key][]int)
	for i, c := range s.Changes {
		groups[key{c.Path, c.OldPath}] = append(groups[key{c.Path, c.OldPath}], i)
	}
	arriving := tree{}
	for _, k := range slices.SortedFunc(maps.Keys(groups), func(a, b key) int { return strings.Compare(a.path+"\x00"+a.oldPath, b.path+"\x00"+b.oldPath) }) {
		was, exists := good[k.oldPath]
		is, path, copied := was, k.oldPath, false
		old := lines([]byte(was.content))
		var content []byte
		texts, at := false, 0
		for _, i := range groups[k] {
			c := s.Changes[i]
			switch c.Kind {
			case Copied:
				copied, exists = true, in[i]
			case Created:
				exists = in[i]
				is = bad[k.path]
				if c.NewBlob == s.empty {
					is.content = ""
				}
			}
			if c.Kind == Text {
				texts = true
			}
			if !in[i] {
				continue
			}
			switch c.Kind {
			case Deleted:
				exists = false
			case Renamed, Copied:
				path = k.path
			case Mode:
				is.mode = bad[k.path].mode
			case Type:
				is = bad[k.path]
			case Symlink, Binary, Submodule:
				is.content = bad[k.path].content
			case Text:
				line := c.OldStart - 1
				if c.OldLines == 0 {
					line = c.OldStart
				}
				if got := bytes.Join(old[line:line+c.OldLines], nil); !bytes.Equal(got, c.Old) {
					t.Errorf("%s: Old is %q, but lines %d+%d are %q", c.String(), c.Old, c.OldStart, c.OldLines, got)
				}
				p := c.Part
				if p == (Part{}) {
					p = Part{0, len(c.Old), 0, len(c.New)}
				}
				begin := size(old[:line])
				content = append(content, was.content[at:begin+p.OldFrom]...)
				content = append(content, c.New[p.NewFrom:p.NewTo]...)
				at = begin + p.OldTo
			}
		}
		if texts {
			is.content = string(append(content, was.content[at:]...))
		}
		if !copied {
			delete(out, k.oldPath)
		}
		if exists {
			arriving[path] = is
		}
	}
	maps.Copy(out, arriving)
	return out
}

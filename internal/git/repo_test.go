package git

import (
	"context"
	"errors"
	"os"
	"strconv"
	"strings"
	"testing"
)

func TestOpenRefuses(t *testing.T) {
	tests := []struct {
		name string
		make func(s *sandbox) string
		want []string // parts of the message
	}{
		{"no repository", func(s *sandbox) string {
			s.write("plain/file", "")
			s.t.Setenv("GIT_CEILING_DIRECTORIES", s.dir)
			return "plain"
		}, []string{"plain is not in a git repository", "-C DIR"}},
		{"no directory", func(s *sandbox) string { return "nowhere" }, []string{"nowhere", "no such file"}},
		{"a file", func(s *sandbox) string {
			s.write("file", "")
			return "file"
		}, []string{"file is not a directory"}},
		{"another owner", func(s *sandbox) string {
			s.repo("r")
			s.t.Setenv("GIT_TEST_ASSUME_DIFFERENT_OWNER", "1") // git's own test switch
			return "r"
		}, []string{"dubious ownership", "git config --global --add safe.directory"}},
		{"bare repositories forbidden", func(s *sandbox) string {
			s.git("", "init", "-q", "--bare", "b.git")
			s.write("config", "[safe]\n\tbareRepository = explicit\n")
			s.t.Setenv("GIT_CONFIG_GLOBAL", s.path("config"))
			return "b.git"
		}, []string{"cannot use bare repository"}},
		{"damaged config", func(s *sandbox) string {
			s.repo("r")
			s.write("r/.git/config", "[core\n")
			return "r"
		}, []string{"bad config line 1"}},
		{"GIT_DIR points nowhere", func(s *sandbox) string {
			s.repo("r")
			s.t.Setenv("GIT_DIR", s.path("void"))
			return "r"
		}, []string{"not a git repository", "void"}},
		{"no git", func(s *sandbox) string {
			s.repo("r")
			s.t.Setenv("PATH", s.dir)
			return "r"
		}, []string{"git program was not found", "2.36"}},
		{"old git", func(s *sandbox) string {
			s.repo("r")
			s.script("bin/git", "echo git version 2.35.9")
			s.t.Setenv("PATH", s.path("bin"))
			return "r"
		}, []string{"git version 2.35.9", "2.36 or newer"}},
		{"not git at all", func(s *sandbox) string {
			s.repo("r")
			s.script("bin/git", "echo hello")
			s.t.Setenv("PATH", s.path("bin"))
			return "r"
		}, []string{`says "hello"`}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := newSandbox(t)
			r, err := Open(t.Context(), s.path(tt.make(s)))
			if err == nil {
				r.Close()
				t.Fatal("opened")
			}
			for _, want := range tt.want {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("message\n%v\nlacks %q", err, want)
				}
			}
		})
	}
}

func TestResolve(t *testing.T) {
	s := newSandbox(t)
	s.repo("r")
	r := s.open("r/sub")
	v1, v2 := s.git("r", "rev-parse", "v1"), s.git("r", "rev-parse", "v2^{commit}")
	tests := []struct{ rev, commit, tree string }{
		{"v1", v1, "v1^{tree}"},
		{"v2", v2, "v2^{tree}"}, // annotated
		{"main", v2, "v2^{tree}"},
		{"HEAD~1", v1, "v1^{tree}"},
		{v1, v1, "v1^{tree}"},
		{v1[:8], v1, "v1^{tree}"},
		{":/first", v1, "v1^{tree}"},
		{"main@{0}", v2, "v2^{tree}"},
		{"v1^{tree}", "", "v1^{tree}"},
		{"v2:sub", "", "v2:sub"},
		{"v2:./", "", "v2:sub"}, // relative to the opened directory
	}
	for _, tt := range tests {
		want := Revision{Rev: tt.rev, Commit: ID(tt.commit), Tree: ID(s.git("r", "rev-parse", tt.tree))}
		if got, err := r.Resolve(t.Context(), tt.rev); err != nil || got != want {
			t.Errorf("Resolve(%q) = %+v, %v, want %+v", tt.rev, got, err, want)
		}
	}
}

// TestResolveListed resolves the id of a commit that was listed, and that of a tree, and compares two trees,
// without any process.
func TestResolveListed(t *testing.T) {
	s := newSandbox(t)
	s.repo("r")
	r := s.open("r")
	tip := ID(s.git("r", "rev-parse", "HEAD"))
	tree := ID(s.git("r", "rev-parse", "HEAD^{tree}"))
	if _, err := r.CommitOf(t.Context(), tip); err != nil {
		t.Fatal(err)
	}
	r.program = "none"
	want := Revision{Rev: string(tip), Commit: tip, Tree: tree}
	if got, err := r.Resolve(t.Context(), string(tip)); err != nil || got != want {
		t.Errorf("Resolve(%q) = %+v, %v, want %+v", tip, got, err, want)
	}
	want = Revision{Rev: string(tree), Tree: tree}
	if got, err := r.Resolve(t.Context(), string(tree)); err != nil || got != want {
		t.Errorf("Resolve(%q) = %+v, %v, want %+v", tree, got, err, want)
	}
	if got, err := r.DiffPaths(t.Context(), tree, r.HashObject("tree", nil)); err != nil || len(got) == 0 {
		t.Errorf("DiffPaths without git = %+v, %v", got, err)
	}
	if got, err := r.Resolve(t.Context(), "HEAD"); err == nil {
		t.Errorf("Resolve(HEAD) without git = %+v", got)
	}
}

func TestResolveUnknown(t *testing.T) {
	s := newSandbox(t)
	s.repo("r")
	s.git("", "clone", "-q", "--depth=1", "file://"+s.path("r"), "shallow")
	s.git("", "init", "-q", "empty")
	s.git("r", "update-ref", "refs/heads/gone", "HEAD~1")
	tests := []struct{ repo, rev, want string }{
		{"r", "", "empty"},
		{"r", "nope", "no branch, tag or commit"},
		{"r", "--all", "no branch, tag or commit"},
		{"r", "-x", "no branch, tag or commit"},
		{"r", "^HEAD", "no branch, tag or commit"},
		{"r", "v1..v2", "no branch, tag or commit"},
		{"r", "HEAD\x00", "NUL"},
		{"r", "HEAD\nHEAD", "no branch, tag or commit"},
		{"r", "HEAD:a.txt", "it is a blob"},
		{"r", strings.Repeat("0", 39) + "1", "no branch, tag or commit"},
		{"shallow", "HEAD~1", "git fetch --unshallow"},
		{"shallow", "v1", "git fetch --unshallow"},
		{"empty", "HEAD", "no commit yet"},
	}
	for _, tt := range tests {
		_, err := s.open(tt.repo).Resolve(t.Context(), tt.rev)
		unknown := (*UnknownRevisionError)(nil)
		if !errors.As(err, &unknown) || unknown.Rev != tt.rev || !strings.Contains(unknown.Detail, tt.want) {
			t.Errorf("Resolve(%q) in %s: %v, want %q", tt.rev, tt.repo, err, tt.want)
		}
	}
}

func TestResolveAmbiguous(t *testing.T) {
	s := newSandbox(t)
	s.git("", "init", "-q", "r")
	r := s.open("r")
	// Search in process for two commits that share their first four digits, the
	// fewest that git accepts, then store them.
	base := ID(s.git("r", "hash-object", "-t", "tree", "-w", os.DevNull))
	seen := map[string]string{}
	for i := 0; ; i++ {
		commit := "tree " + string(base) + "\nauthor A <a@b> " + strconv.Itoa(i) + " +0000\ncommitter A <a@b> 0 +0000\n\nm\n"
		id := string(r.HashObject("commit", []byte(commit)))
		other, ok := seen[id[:4]]
		if !ok {
			seen[id[:4]] = commit
			continue
		}
		for _, c := range []string{commit, other} {
			s.write("c", c)
			s.git("r", "hash-object", "-t", "commit", "-w", "../c")
		}
		_, err := r.Resolve(t.Context(), id[:4])
		if err == nil || !strings.Contains(err.Error(), "write more digits") {
			t.Errorf("Resolve(%q): %v", id[:4], err)
		}
		return
	}
}

// TestEnvironment checks that the user's GIT_DIR and GIT_WORK_TREE choose the
// repository, and that nothing in the environment leads a later call astray.
func TestEnvironment(t *testing.T) {
	s := newSandbox(t)
	s.repo("r")
	s.repo("other")
	s.write("other/a.txt", "other\n")
	s.git("other", "commit", "-q", "-a", "-m", "other")
	s.git("", "clone", "-q", "--bare", "r", "bare.git")
	s.write("tree/dir/file", "")

	t.Setenv("GIT_DIR", s.path("bare.git"))
	t.Setenv("GIT_WORK_TREE", s.path("tree"))
	r := s.open("tree/dir")
	if r.GitDir() != s.path("bare.git") || r.Top() != s.path("tree") || r.Prefix() != "dir" {
		t.Errorf("opened %s, %s, %s", r.GitDir(), r.Top(), r.Prefix())
	}

	t.Setenv("GIT_DIR", s.path("other/.git"))
	t.Setenv("GIT_WORK_TREE", s.path("other"))
	t.Setenv("GIT_COMMON_DIR", s.path("other/.git"))
	t.Setenv("GIT_INDEX_FILE", s.path("other/.git/index"))
	t.Setenv("GIT_OBJECT_DIRECTORY", s.path("nothing"))
	t.Setenv("GIT_ALTERNATE_OBJECT_DIRECTORIES", s.path("nothing"))
	t.Setenv("GIT_NAMESPACE", "n")
	t.Setenv("GIT_PREFIX", "elsewhere/")
	t.Setenv("GIT_EXTERNAL_DIFF", "false")
	before := snapshot(t, s.path("other"))
	v1 := s.resolve(r, "v1")
	if want := strings.TrimSpace(readFile(t, s.path("r/.git/refs/tags/v1"))); string(v1.Commit) != want {
		t.Errorf("v1 is %s, want %s", v1.Commit, want)
	}
	outside := t.TempDir()
	w, err := r.NewWorkspace(t.Context(), outside+"/w", v1.Commit)
	if err != nil {
		t.Fatal(err)
	}
	if got := readFile(t, w.Dir+"/a.txt"); got != "one\ntwo\nthree\n" {
		t.Errorf("workspace has %q", got)
	}
	// A test in the workspace gets Environ and stays in the workspace.
	cmd := s.command(w.Dir, "rev-parse", "--show-toplevel")
	cmd.Env = Environ()
	if out, err := cmd.Output(); err != nil || string(out) != w.Dir+"\n" {
		t.Errorf("with Environ git works in %q, %v, want %s", out, err, w.Dir)
	}
	if err := w.Remove(); err != nil {
		t.Fatal(err)
	}
	checkSame(t, before, snapshot(t, s.path("other")))
}

// TestEnvironmentOfAliases: git sets GIT_DIR, and no GIT_WORK_TREE, for an alias in
// a linked worktree and for hooks. The work tree is still the whole of it.
func TestEnvironmentOfAliases(t *testing.T) {
	s := newSandbox(t)
	s.repo("r")
	s.git("r", "worktree", "add", "-q", s.path("linked"), "v2")
	for _, tt := range []struct{ gitDir, dir, top, prefix string }{
		{"r/.git/worktrees/linked", "linked/sub", "linked", "sub"},
		{"r/.git/worktrees/linked", "linked", "linked", ""},
		{"r/.git", "r/sub", "r", "sub"},
		{"r/.git", "r/.git", "", ""},               // in a hook of a push
		{"r/.git", "linked/sub", "linked/sub", ""}, // another repository: as git takes it
	} {
		t.Setenv("GIT_DIR", s.path(tt.gitDir))
		r := s.open(tt.dir)
		top := ""
		if tt.top != "" {
			top = s.path(tt.top)
		}
		if r.GitDir() != s.path(tt.gitDir) || r.Top() != top || r.Prefix() != tt.prefix {
			t.Errorf("GIT_DIR=%s in %s: git directory %s, top %q, prefix %q; want %q, %q", tt.gitDir, tt.dir, r.GitDir(), r.Top(), r.Prefix(), top, tt.prefix)
		}
	}
}

func TestGitError(t *testing.T) {
	tests := []struct{ stderr, want string }{
		{"fatal: bad thing\nhint: try this\n", "git x y: bad thing (exit 128)"},
		{"warning: w\nerror: zeroth\nerror: first\nfatal: second\nmore\n", "git x y: first; second (exit 128)"},
		{"usage: git x\n\n", "git x y: usage: git x (exit 128)"},
		{"", "git x y: no message (exit 128)"},
	}
	for _, tt := range tests {
		err := &Error{Args: []string{"x", "y"}, Exit: 128, Stderr: tt.stderr}
		if err.Error() != tt.want {
			t.Errorf("%q gives %q, want %q", tt.stderr, err, tt.want)
		}
	}
}

func TestGitCancelled(t *testing.T) {
	s := newSandbox(t)
	s.repo("r")
	r := s.open("r")
	ctx, cancel := context.WithCancel(t.Context())
	// The alias stands for any long git command with a child of its own.
	s.git("r", "config", "alias.slow", "!echo started >"+s.path("started")+"; sleep 600 & wait")
	go func() {
		waitFor(t, func() bool { _, err := os.Stat(s.path("started")); return err == nil })
		cancel()
	}()
	_, err := r.Git(ctx, "slow")
	if !errors.Is(err, ctx.Err()) || !strings.HasPrefix(err.Error(), "git slow: ") {
		t.Errorf("cancelled git: %v", err)
	}
}

package git

import (
	"bytes"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// sandbox is a directory with a git world of its own: no config of the user or
// the system, fixed names and dates.
type sandbox struct {
	t   testing.TB
	dir string
}

func newSandbox(t testing.TB) *sandbox {
	t.Helper()
	for _, name := range append(append([]string{"GIT_CONFIG_PARAMETERS", "GIT_CONFIG_COUNT"}, binding...), steering...) {
		if value, ok := os.LookupEnv(name); ok {
			os.Unsetenv(name)
			t.Cleanup(func() { os.Setenv(name, value) })
		}
	}
	dir := t.TempDir()
	for name, value := range map[string]string{
		"HOME":                dir,
		"GIT_CONFIG_GLOBAL":   os.DevNull,
		"GIT_CONFIG_NOSYSTEM": "1",
		"GIT_AUTHOR_NAME":     "Ada", "GIT_AUTHOR_EMAIL": "ada@example.org", "GIT_AUTHOR_DATE": "2026-01-02T03:04:05Z",
		"GIT_COMMITTER_NAME": "Ada", "GIT_COMMITTER_EMAIL": "ada@example.org", "GIT_COMMITTER_DATE": "2026-01-02T03:04:05Z",
	} {
		t.Setenv(name, value)
	}
	return &sandbox{t: t, dir: dir}
}

// git runs the git program as a user would, in dir below the sandbox.
func (s *sandbox) git(dir string, args ...string) string {
	s.t.Helper()
	out, err := s.try(dir, args...)
	if err != nil {
		s.t.Fatalf("git %q in %s: %v\n%s", args, dir, err, out)
	}
	return out
}

func (s *sandbox) try(dir string, args ...string) (string, error) {
	out, err := s.command(s.path(dir), args...).CombinedOutput()
	return strings.TrimSuffix(string(out), "\n"), err
}

// command prepares git as a user would run it in dir, a full path.
func (s *sandbox) command(dir string, args ...string) *exec.Cmd {
	cmd := exec.Command("git", args...)
	cmd.Dir = dir
	return cmd
}

func (s *sandbox) path(name string) string { return filepath.Join(s.dir, name) }

// write writes a file of the sandbox, with its directories.
func (s *sandbox) write(name, content string) {
	s.t.Helper()
	path := s.path(name)
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		s.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o666); err != nil {
		s.t.Fatal(err)
	}
}

// remove removes what is there by a name of the sandbox.
func (s *sandbox) remove(name string) {
	s.t.Helper()
	if err := os.RemoveAll(s.path(name)); err != nil {
		s.t.Fatal(err)
	}
}

// repo makes a repository with two commits, tagged v1 and v2.
func (s *sandbox) repo(name string, initArgs ...string) {
	s.t.Helper()
	s.git("", append(append([]string{"init", "-q", "-b", "main"}, initArgs...), name)...)
	s.write(name+"/a.txt", "one\ntwo\nthree\n")
	s.write(name+"/sub/b.txt", "b\n")
	s.write(name+"/sub/run.sh", "#!/bin/sh\n")
	if err := os.Symlink("a.txt", s.path(name+"/link")); err != nil {
		s.t.Fatal(err)
	}
	s.git(name, "add", "-A")
	s.git(name, "commit", "-q", "-m", "first")
	s.git(name, "tag", "v1")
	s.write(name+"/a.txt", "one\n2\nthree\n")
	s.write(name+"/new.txt", "new\n")
	s.git(name, "rm", "-q", "sub/run.sh")
	s.git(name, "add", "-A")
	s.git(name, "commit", "-q", "-m", "second")
	s.git(name, "tag", "-a", "-m", "annotated", "v2")
}

func (s *sandbox) open(name string) *Repo {
	s.t.Helper()
	r, err := Open(s.t.Context(), s.path(name))
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() { r.Close() })
	return r
}

// snapshot returns every file and directory below dir: its kind, permissions
// and content. Times do not count.
func snapshot(t testing.TB, dir string) map[string]string {
	t.Helper()
	files := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, _ := filepath.Rel(dir, path)
		info, err := entry.Info()
		if err != nil {
			return err
		}
		var content []byte
		switch {
		case info.Mode().IsRegular():
			content, err = os.ReadFile(path)
		case info.Mode()&fs.ModeSymlink != 0:
			var target string
			target, err = os.Readlink(path)
			content = []byte(target)
		}
		var b bytes.Buffer
		b.WriteString(info.Mode().String() + "\n")
		b.Write(content)
		files[name] = b.String()
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

func checkSame(t testing.TB, before, after map[string]string) {
	t.Helper()
	if diff := cmp.Diff(before, after); diff != "" {
		t.Errorf("files changed (-before +after):\n%s", diff)
	}
}

func readFile(t testing.TB, path string) string {
	t.Helper()
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}

// script writes a program of the shell.
func (s *sandbox) script(name, body string) {
	s.t.Helper()
	s.write(name, "#!/bin/sh\n"+body+"\n")
	if err := os.Chmod(s.path(name), 0o777); err != nil {
		s.t.Fatal(err)
	}
}

// waitFor polls until done. Its patience is only used up when something is broken.
func waitFor(t testing.TB, done func() bool) {
	t.Helper()
	for deadline := time.Now().Add(5 * time.Minute); !done(); time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Error("waited for five minutes in vain")
			return
		}
	}
}

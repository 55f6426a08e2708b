package git

import (
	"bytes"
	"context"
	"errors"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func TestWorkspaceFilters(t *testing.T) {
	s := newSandbox(t)
	s.repo("r")
	s.write("r/.gitattributes", "*.up filter=up\n*.crlf text eol=crlf\n*.id ident\n")
	s.write("r/x.up", "shout\n")
	s.write("r/x.crlf", "a\nb\n")
	s.write("r/x.id", "$Id$\n")
	s.git("r", "add", "-A")
	s.git("r", "commit", "-q", "-m", "filters")
	s.git("r", "config", "filter.up.smudge", "tr a-z A-Z")
	s.git("r", "config", "filter.up.clean", "tr A-Z a-z")
	s.script("r/.git/hooks/post-checkout", "touch "+s.path("hooked"))
	r := s.open("r")
	w, err := r.NewWorkspace(t.Context(), filepath.Join(t.TempDir(), "w"), s.resolve(r, "HEAD").Commit)
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{
		"x.up":   "SHOUT\n",
		"x.crlf": "a\r\nb\r\n",
		"x.id":   "$Id: " + s.git("r", "rev-parse", "HEAD:x.id") + " $\n",
	} {
		if got := readFile(t, filepath.Join(w.Dir, name)); got != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
	if _, err := os.Stat(s.path("hooked")); err == nil {
		t.Error("a hook ran")
	}
	if err := w.Remove(); err != nil {
		t.Fatal(err)
	}
	if err := w.Remove(); err != nil {
		t.Errorf("removed twice: %v", err)
	}
}

func TestWorkspaceOfTree(t *testing.T) {
	s := newSandbox(t)
	s.repo("r")
	r := s.open("r")
	tree := s.resolve(r, "v1:sub").Tree
	add := func() string {
		t.Helper()
		w, err := r.NewWorkspace(t.Context(), filepath.Join(t.TempDir(), "w"), tree)
		if err != nil {
			t.Fatal(err)
		}
		files := snapshot(t, w.Dir)
		maps.DeleteFunc(files, func(name, _ string) bool { return strings.HasPrefix(name, ".git") })
		if len(files) != 3 || files["b.txt"] == "" || files["run.sh"] == "" { // with "."
			t.Errorf("workspace of a tree has %v", files)
		}
		out, err := w.Git(t.Context(), "rev-parse", "HEAD")
		if err != nil {
			t.Error(err)
		}
		if err := w.Remove(); err != nil {
			t.Fatal(err)
		}
		return strings.TrimSpace(string(out))
	}
	if head, want := add(), s.git("r", "rev-parse", "HEAD"); head != want {
		t.Errorf("HEAD is %s, want the repository's %s", head, want)
	}
	s.git("r", "symbolic-ref", "HEAD", "refs/heads/unborn")
	if head := add(); !ID(head).valid("sha1") {
		t.Errorf("HEAD is %q", head)
	}
	s.git("r", "update-ref", "-d", "refs/heads/main")
	s.git("r", "tag", "-d", "v1", "v2")
	if _, err := r.NewWorkspace(t.Context(), filepath.Join(t.TempDir(), "w"), tree); err == nil || !strings.Contains(err.Error(), "no commit") {
		t.Errorf("without any commit: %v", err)
	}
}

func TestWorkspaceRefused(t *testing.T) {
	s := newSandbox(t)
	s.repo("r")
	before := snapshot(t, s.dir)
	r := s.open("r")
	v1 := s.resolve(r, "v1").Commit
	outside := t.TempDir()
	full := filepath.Join(outside, "full")
	if err := os.MkdirAll(filepath.Join(full, "precious"), 0o777); err != nil {
		t.Fatal(err)
	}
	if _, err := r.NewWorkspace(t.Context(), full, v1); err == nil || !strings.Contains(err.Error(), "is not empty") {
		t.Errorf("into a full directory: %v", err)
	}
	if _, err := os.Stat(filepath.Join(full, "precious")); err != nil {
		t.Error(err)
	}
	if _, err := r.NewWorkspace(t.Context(), filepath.Join(outside, "w"), "nope"); err == nil || !strings.Contains(err.Error(), "unknown revision") {
		t.Errorf("of an unknown commit: %v", err)
	}
	// A checkout that fails leaves nothing.
	s.git("r", "config", "filter.broken.smudge", "false")
	s.git("r", "config", "filter.broken.required", "true")
	s.write("r/.git/info/attributes", "*.txt filter=broken\n")
	r = s.open("r")
	if _, err := r.NewWorkspace(t.Context(), filepath.Join(outside, "broken"), v1); err == nil || !strings.Contains(err.Error(), "smudge filter broken failed") {
		t.Errorf("with a broken filter: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := r.NewWorkspace(ctx, filepath.Join(outside, "cancelled"), v1); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	after := snapshot(t, s.dir)
	before["r/.git/config"], before["r/.git/info/attributes"] = after["r/.git/config"], after["r/.git/info/attributes"]
	checkSame(t, before, after)
	if left, _ := os.ReadDir(outside); len(left) != 1 { // what was full
		t.Errorf("left behind: %v", left)
	}
}

// A search that needs a workspace no more stops making it, at any moment. Nothing
// of it stays.
func TestCancelledWorkspaceLeavesNothing(t *testing.T) {
	s := newSandbox(t)
	s.repo("r")
	before := snapshot(t, s.dir)
	r := s.open("r")
	v1 := s.resolve(r, "v1").Commit
	for k := range 300 {
		ctx, cancel := context.WithTimeout(t.Context(), time.Duration(k%150)*100*time.Microsecond)
		w, err := r.NewWorkspace(ctx, filepath.Join(t.TempDir(), "w"), v1)
		cancel()
		if err == nil {
			if err := w.Remove(); err != nil {
				t.Fatal(err)
			}
		}
	}
	checkSame(t, before, snapshot(t, s.dir))
}

// TestRemoveAfterTests removes workspaces in the states that tests leave.
func TestRemoveAfterTests(t *testing.T) {
	tests := []struct {
		name string
		do   func(t *testing.T, s *sandbox, dir string) error
	}{
		{"nothing", func(*testing.T, *sandbox, string) error { return nil }},
		{"deleted", func(_ *testing.T, _ *sandbox, dir string) error { return os.RemoveAll(dir) }},
		{"repository gone", func(_ *testing.T, _ *sandbox, dir string) error { return os.RemoveAll(dir + "/.git") }},
		{"another repository", func(_ *testing.T, s *sandbox, dir string) error {
			return errors.Join(os.RemoveAll(dir+"/.git"), os.WriteFile(dir+"/.git", []byte("gitdir: "+s.path("other/.git")+"\n"), 0o666))
		}},
		{"link to the user's checkout", func(_ *testing.T, s *sandbox, dir string) error {
			return errors.Join(os.RemoveAll(dir), os.Symlink(s.path("r"), dir))
		}},
		{"read-only directory", func(_ *testing.T, _ *sandbox, dir string) error {
			return errors.Join(os.MkdirAll(dir+"/mod/cache", 0o777), os.WriteFile(dir+"/mod/cache/f", nil, 0o444), os.Chmod(dir+"/mod/cache", 0o555))
		}},
		{"commits and a branch switch", func(t *testing.T, s *sandbox, dir string) error {
			return errors.Join(s.command(dir, "commit", "-q", "--allow-empty", "-m", "x").Run(), s.command(dir, "checkout", "-q", "v2").Run())
		}},
		{"submodule", func(t *testing.T, s *sandbox, dir string) error {
			return s.command(dir, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", s.path("other"), "mod").Run()
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := newSandbox(t)
			s.repo("r")
			s.repo("other")
			r := s.open("r")
			outside := t.TempDir()
			before := snapshot(t, s.dir)
			w, err := r.NewWorkspace(t.Context(), filepath.Join(outside, "w"), s.resolve(r, "v1").Commit)
			if err != nil {
				t.Fatal(err)
			}
			if err := tt.do(t, s, w.Dir); err != nil {
				t.Fatal(err)
			}
			if err := w.Remove(); err != nil {
				t.Fatal(err)
			}
			checkSame(t, before, snapshot(t, s.dir))
			if left, _ := os.ReadDir(outside); len(left) != 0 {
				t.Errorf("left behind: %v", left)
			}
		})
	}
}

// What the config says, but for the programs that it names, is what git reads in a
// workspace, however odd it is, and wherever it was included from.
func TestLentConfig(t *testing.T) {
	s := newSandbox(t)
	s.repo("r")
	odd := [][2]string{
		{"plain.key", "value"}, {"odd.value", " a \"b\" \\ ;c #d\ttab\nline\r\n é\xff "}, {"odd.empty", ""},
		{`odd.sub."q"\.x/y z.key`, "1"}, {"Odd.CaSe.Key", "2"}, {"many.values", "a"}, {"many.values", "b"},
		{"alias.harmless", "log --oneline"}, {"core.autocrlf", "input"}, {"lfs.storage", "elsewhere"},
	}
	for _, pair := range odd {
		s.git("r", "config", "--add", pair[0], pair[1])
	}
	s.write("r/.git/config", readFile(t, s.path("r/.git/config"))+"[odd]\n\tbare\n[include]\n\tpath = more\n")
	s.write("r/.git/more", "[more]\n\tkey = included\n\thook = x\n[alias]\n\trun = !false\n")
	s.write("global", "[includeIf \"gitdir:"+s.path("r")+"/\"]\n\tpath = "+s.path("work")+"\n")
	s.write("work", "[user]\n\temail = work@example.com\n[core]\n\teditor = true\n")
	t.Setenv("GIT_CONFIG_GLOBAL", s.path("global"))
	for _, key := range []string{"core.hooksPath", "core.fsmonitor", "core.pager", "diff.x.y.textconv", "merge.x.driver", "credential.https://a.b.helper", "pager.log", "gpg.ssh.program"} {
		s.git("r", "config", key, "false")
	}
	r := s.open("r")
	w, err := r.NewWorkspace(t.Context(), filepath.Join(t.TempDir(), "w"), s.resolve(r, "v1").Commit)
	if err != nil {
		t.Fatal(err)
	}
	list := func(dir string) string {
		out, err := s.command(dir, "config", "--list", "--null").Output()
		if err != nil {
			t.Fatal(err)
		}
		return string(out)
	}
	var want []string
	for entry := range strings.SplitSeq(list(s.path("r")), "\x00") {
		key, _, _ := strings.Cut(entry, "\n")
		if strings.HasPrefix(entry, "lfs.storage\n") {
			entry = "lfs.storage\n" + s.path("r/.git/elsewhere")
		}
		if !strings.HasPrefix(entry, "alias.run\n!") && !matches(key, append(ownKeys, "include.path", "includeif.*")...) || key == "core.editor" {
			want = append(want, entry)
		}
	}
	got := list(w.Dir)
	for _, entry := range want {
		if !strings.Contains("\x00"+got, "\x00"+entry+"\x00") && entry != "" {
			t.Errorf("%q is not in %q", entry, got)
		}
	}
	for _, key := range []string{"hookspath", "fsmonitor", "pager", "textconv", "driver", "helper", "alias.run", "gpg."} {
		if strings.Contains(got, key) {
			t.Errorf("%s is in %q", key, got)
		}
	}
}

// TestMend brings the repository of a workspace back, and leaves one alone that is
// only used.
func TestMend(t *testing.T) {
	s := newSandbox(t)
	s.repo("r")
	s.repo("other")
	r := s.open("r")
	w, err := r.NewWorkspace(t.Context(), filepath.Join(t.TempDir(), "w"), s.resolve(r, "v1").Commit)
	if err != nil {
		t.Fatal(err)
	}
	before := snapshot(t, s.dir)
	for script, want := range map[string]bool{
		"true": false, "git config a.b c; git checkout -q v2; git gc -q; git tag x; git stash": false, ">.git/index.lock": false,
		"rm -rf .git": true, "rm -rf .git; git init -q": true, "rm .git/HEAD": true, "rm -rf .git/objects": true,
		"rm -rf .git; ln -s " + s.path("other/.git") + " .git":                    true,
		"rm -rf .git; cp -r " + s.path("other/.git") + " .git":                    true,
		"rm -rf .git; echo gitdir: " + s.path("other/.git") + " >.git":            true,
		"rm -rf .git/objects; ln -s " + s.path("other/.git/objects .git/objects"): true,
	} {
		cmd := exec.Command("sh", "-c", script)
		cmd.Dir, cmd.Env = w.Dir, s.command(w.Dir).Env
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%s: %v\n%s", script, err, out)
		}
		if got, err := w.Mend(t.Context()); got != want || err != nil {
			t.Errorf("after %q: mended: %v, %v", script, got, err)
		}
		if err := w.Reset(t.Context()); err != nil {
			t.Errorf("after %q: %v", script, err)
		}
		if out, err := w.Git(t.Context(), "status", "--porcelain"); err != nil || len(out) > 0 {
			t.Errorf("after %q: %q, %v", script, out, err)
		}
	}
	checkSame(t, before, snapshot(t, s.dir))
}

// TestResetUnseen changes a file with its size kept: in the second in which it was checked out, and later with its time
// put back. Most builds of git see no difference in the times of the former, and a user's config may hide the latter.
func TestResetUnseen(t *testing.T) {
	s := newSandbox(t)
	s.repo("r")
	for _, setting := range [][]string{{"core.trustctime", "true"}, {"core.trustctime", "false"}, {"core.checkStat", "minimal"}, {"core.ignoreStat", "true"}} {
		s.git("r", "config", setting[0], setting[1])
		r := s.open("r")
		var w *Workspace
		name, content, checkedOut := "", []byte(nil), time.Time{}
		change := func() time.Time {
			f, err := os.OpenFile(name, os.O_WRONLY, 0)
			if err == nil {
				_, err = f.Write(bytes.ToUpper(content))
				err = errors.Join(err, f.Close())
			}
			if err != nil {
				t.Fatal(err)
			}
			_, changed := read(t, name)
			return changed
		}
		check := func(what string) {
			t.Helper()
			if err := errors.Join(w.Renew(t.Context()), w.Reset(t.Context())); err != nil {
				t.Fatal(err)
			}
			if got, _ := read(t, name); !bytes.Equal(got, content) {
				t.Errorf("%v, %s: the file has %q, want %q", setting, what, got, content)
			}
		}
		for same := false; !same; {
			var err error
			if w, err = r.NewWorkspace(t.Context(), filepath.Join(t.TempDir(), "w"), s.resolve(r, "v1").Commit); err != nil {
				t.Fatal(err)
			}
			name = filepath.Join(w.Dir, "a.txt")
			content, checkedOut = read(t, name)
			same = change().Unix() == checkedOut.Unix()
		}
		for time.Now().Unix() == checkedOut.Unix() {
			time.Sleep(10 * time.Millisecond)
		}
		check("in the second of the checkout")

		var err error
		if w, err = r.NewWorkspace(t.Context(), filepath.Join(t.TempDir(), "w"), s.resolve(r, "v1").Commit); err != nil {
			t.Fatal(err)
		}
		name = filepath.Join(w.Dir, "a.txt")
		_, checkedOut = read(t, name)
		later := checkedOut.Add(time.Second) // as if the checkout had taken that long
		for !time.Now().After(later) {
			time.Sleep(10 * time.Millisecond)
		}
		change()
		if err := errors.Join(os.Chtimes(w.savedIndex(), later, later), os.Chtimes(name, checkedOut, checkedOut)); err != nil {
			t.Fatal(err)
		}
		check("with its time put back")
		s.git("r", "config", "--unset", setting[0])
	}
}

// read returns the content of a file and its modification time.
func read(t *testing.T, name string) ([]byte, time.Time) {
	t.Helper()
	content, err := os.ReadFile(name)
	info, failed := os.Stat(name)
	if err = errors.Join(err, failed); err != nil {
		t.Fatal(err)
	}
	return content, info.ModTime()
}

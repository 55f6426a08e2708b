package git

import (
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestHostileConfig gives a repository every config that names a program, and
// checks that none of them runs while gitdd reads, composes and checks out.
// Each program leaves a mark; git itself is shown to run them.
func TestHostileConfig(t *testing.T) {
	s := newSandbox(t)
	s.repo("r")
	s.script("evil", `echo "$0 $@" >>`+s.path("marks"))
	evil := s.path("evil")
	s.write("r/.gitattributes", "* diff=evil\n")
	s.git("r", "add", "-A")
	s.git("r", "commit", "-q", "-m", "attributes")
	s.git("r", "tag", "-f", "v2")
	for _, key := range []string{"core.fsmonitor", "core.sshCommand", "core.gitProxy", "core.pager", "core.editor", "core.askPass", "core.alternateRefsCommand",
		"diff.external", "diff.evil.command", "diff.evil.textconv", "credential.helper", "gpg.program", "gpg.ssh.program", "interactive.diffFilter",
		"pager.log", "pager.diff-tree", "sequence.editor", "merge.evil.driver", "uploadpack.packObjectsHook"} {
		s.git("r", "config", key, evil)
	}
	for _, command := range []string{"rev-parse", "diff-tree", "cat-file", "worktree", "read-tree", "config"} {
		s.git("r", "config", "alias."+command, "!"+evil)
	}
	s.git("r", "config", "log.showSignature", "true")
	hooks := s.path("hooks")
	s.git("r", "config", "core.hooksPath", hooks)
	for _, hook := range []string{"post-checkout", "post-index-change", "reference-transaction", "pre-auto-gc", "fsmonitor-watchman"} {
		for _, dir := range []string{"hooks/", "r/.git/hooks/"} {
			s.script(dir+hook, evil+" hook")
		}
	}
	clear := func() { _ = os.Remove(s.path("marks")) }
	// The traps are real.
	for _, args := range [][]string{{"status"}, {"diff", "v1", "v2"}, {"checkout", "-q", "--detach"}} {
		clear()
		if out, err := s.try("r", args...); !exists(s.path("marks")) {
			t.Fatalf("git %q ran no program of the config: %s, %v", args, out, err)
		}
	}
	clear()
	before := snapshot(t, s.dir)

	r := s.open("r")
	v1, v2 := s.resolve(r, "v1"), s.resolve(r, "v2")
	checkObjects(t, s, r, "r", v2.Tree, true)
	if _, err := r.DiffTrees(t.Context(), v1.Tree, v2.Tree, nil); err != nil {
		t.Error(err)
	}
	if _, err := r.Git(t.Context(), "log", "-p", "--no-ext-diff", "--no-textconv", "v1..v2"); err != nil {
		t.Error(err)
	}
	outside := t.TempDir()
	checkScratch(t, s, r, outside, v1.Tree, v2.Tree)
	w, err := r.NewWorkspace(t.Context(), outside+"/w", v2.Commit)
	if err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"status"}, {"read-tree", "-m", "-u", string(v2.Tree), string(v1.Tree)}} {
		if _, err := w.Git(t.Context(), args...); err != nil {
			t.Error(err)
		}
	}
	if err := w.Remove(); err != nil {
		t.Fatal(err)
	}
	if exists(s.path("marks")) {
		t.Errorf("programs of the repository's config ran:\n%s", readFile(t, s.path("marks")))
	}
	checkSame(t, before, snapshot(t, s.dir))
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// TestHostilePartialClone: a missing object is fetched, but not by a program
// that the repository's own config names.
func TestHostilePartialClone(t *testing.T) {
	tests := []struct {
		name  string
		keys  []string // set in the repository
		user  bool     // set in the user's config instead
		fetch bool
	}{
		{name: "no program", fetch: true},
		{name: "upload-pack", keys: []string{"remote.origin.uploadpack"}},
		{name: "ssh", keys: []string{"core.sshCommand"}},
		{name: "ssh of the user", keys: []string{"core.sshCommand"}, user: true, fetch: true},
		{name: "credentials", keys: []string{"credential.https://example.org/a.b.helper"}},
		{name: "remote helper", keys: []string{"remote.origin.vcs"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := newSandbox(t)
			s.repo("origin")
			s.git("origin", "config", "uploadpack.allowFilter", "true")
			s.git("", "clone", "-q", "--filter=blob:none", "--no-checkout", "file://"+s.path("origin"), "partial")
			s.script("evil", "touch "+s.path("marks"))
			for _, key := range tt.keys {
				if tt.user {
					s.write("config", "")
					t.Setenv("GIT_CONFIG_GLOBAL", s.path("config"))
					s.git("partial", "config", "--global", key, s.path("evil"))
				} else {
					s.git("partial", "config", key, s.path("evil"))
				}
			}
			r := s.open("partial")
			id := ID(s.git("origin", "rev-parse", "v2:new.txt"))
			content, err := r.Blob(t.Context(), id)
			if tt.fetch && (err != nil || string(content) != "new\n") {
				t.Errorf("blob %q, %v", content, err)
			}
			if !tt.fetch && (err == nil || !strings.Contains(err.Error(), "partial clone") || !strings.Contains(err.Error(), strings.ToLower(tt.keys[0]))) {
				t.Errorf("blob %q, %v", content, err)
			}
			if exists(s.path("marks")) {
				t.Error("a program of the repository's config ran")
			}
		})
	}
	t.Run("another protocol", func(t *testing.T) {
		s := newSandbox(t)
		s.repo("origin")
		s.git("origin", "config", "uploadpack.allowFilter", "true")
		s.git("", "clone", "-q", "--filter=blob:none", "--no-checkout", "file://"+s.path("origin"), "partial")
		s.script("evil", "touch "+s.path("marks"))
		s.git("partial", "config", "remote.origin.url", "ext::"+s.path("evil"))
		s.git("partial", "config", "protocol.ext.allow", "always")
		r := s.open("partial")
		_, err := r.Blob(t.Context(), ID(s.git("origin", "rev-parse", "v2:new.txt")))
		if err == nil || !strings.Contains(err.Error(), "not allowed") {
			t.Errorf("blob from ext:: %v", err)
		}
		if exists(s.path("marks")) {
			t.Error("a program of the repository's config ran")
		}
	})
}

// TestHostileTrees checks that a checkout of trees with evil names or links
// stays inside the workspace, or fails.
func TestHostileTrees(t *testing.T) {
	s := newSandbox(t)
	s.repo("r")
	outside := t.TempDir()
	target := filepath.Join(outside, "target")
	if err := os.Mkdir(target, 0o777); err != nil {
		t.Fatal(err)
	}
	r := s.open("r")
	store := &Scratch{repo: r, objects: s.path("r/.git/objects")}
	blob, err := store.Put("blob", []byte("evil\n"))
	if err != nil {
		t.Fatal(err)
	}
	link, err := store.Put("blob", []byte(target))
	if err != nil {
		t.Fatal(err)
	}
	through := append([]byte("120000 d\x00"), raw(t, link)...)
	var sub node
	sub.add([]string{"f"}, blob)
	through = append(through, "40000 d\x00"...)
	through = append(through, raw(t, sub.put(t, store))...)
	linked, err := store.Put("tree", through)
	if err != nil {
		t.Fatal(err)
	}
	trees := map[string]ID{"through a link": linked}
	for _, name := range []string{".git/config", ".GIT/config", "git~1/config", "../target/f", "..", ".", ".git"} {
		var root node
		root.add(strings.Split(name, "/"), blob)
		trees[name] = root.put(t, store)
	}
	before := snapshot(t, s.dir)
	for name, tree := range maps.All(trees) {
		w, err := r.NewWorkspace(t.Context(), filepath.Join(outside, "w"), tree)
		if err == nil {
			err = w.Remove()
			if err != nil || strings.HasPrefix(name, ".git") || strings.HasPrefix(name, "..") {
				t.Errorf("%s was checked out, %v", name, err)
			}
		}
		if left := snapshot(t, target); len(left) != 1 {
			t.Errorf("%s wrote %v", name, left)
		}
	}
	checkSame(t, before, snapshot(t, s.dir))
	if left, _ := os.ReadDir(outside); len(left) != 1 {
		t.Errorf("left behind: %v", left)
	}
}

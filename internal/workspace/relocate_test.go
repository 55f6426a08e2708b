package workspace

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/gitdd/gitdd/changes"
	"github.com/gitdd/gitdd/internal/git"
)

// TestRelocate brings files that name the checkout into two workspaces, and into one that is sent elsewhere.
func TestRelocate(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("there are no modes and no #! lines")
	}
	real, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	top, link := filepath.Join(real, "check out"), filepath.Join(real, "link")
	r := repository{t, top}
	for _, err := range []error{os.Mkdir(top, 0o755), os.Symlink(top, link)} {
		if err != nil {
			t.Fatal(err)
		}
	}
	r.run("", "init", "--quiet")
	commit := r.run("", "commit-tree", "-m", "start", r.run("", "mktree"))
	long := strings.Repeat("x", mostRelocated)
	// TOP and LINK are the spellings of the checkout.
	files := []struct {
		name string
		mode os.FileMode
		text string
		want string // "" = text
	}{
		{"bin/pip", 0o755, "#!TOP/.venv/bin/python -E\r\nimport pip\n# TOP/a\n", "#!HERE/.venv/bin/python -E\r\nimport pip\n# TOP/a\n"},
		{"bin/readonly", 0o555, "#!TOP/.venv/bin/python", "#!HERE/.venv/bin/python"},
		{"bin/linked", 0o755, "#! LINK/.venv/bin/python\n", "#! HERE/.venv/bin/python\n"},
		{"bin/long", 0o755, "#!/bin/sh\n'''exec' 'TOP/.venv/bin/python' \"$0\" \"$@\"\n' '''\n# TOP/a", "#!/bin/sh\n'''exec' 'HERE/.venv/bin/python' \"$0\" \"$@\"\n' '''\n# TOP/a"},
		{"bin/binary", 0o755, "\x7fELF TOP/a", ""},
		{"bin/empty", 0o755, "", ""},
		{"bin/large", 0o755, "#!TOP/.venv/bin/python\n" + long, ""},
		{"bin/data", 0o644, "#!TOP/.venv/bin/python\n", ""},
		{"bin/activate", 0o644, "#!\nVIRTUAL_ENV=\"TOP/.venv\"\n\n\nPATH=LINK:TOP/bin:/bin", "#!\nVIRTUAL_ENV=\"HERE/.venv\"\n\n\nPATH=HERE:HERE/bin:/bin"},
		{"lib/e.pth", 0o644, "TOP\nTOP/src\nLINK/src\n/oldTOP/src\n/old/TOP\nTOP-2/src\nTOP 2\nTOPTOP\n", "HERE\nHERE/src\nHERE/src\n/oldTOP/src\n/old/TOP\nTOP-2/src\nTOP 2\nHERETOP\n"},
		{"lib/e.egg-link", 0o644, "TOP\n.", "HERE\n."},
		{"lib/__editable___e_finder.py", 0o644, "MAPPING = {'e': 'TOP', \"f\": \"TOP/src\"}", "MAPPING = {'e': 'HERE', \"f\": \"HERE/src\"}"},
		{"lib/e.py", 0o644, "'TOP'", ""},
	}
	times := time.Unix(1_000_000_000, 0)
	written := map[string]string{}
	for _, f := range files {
		name := filepath.Join(top, ".venv", f.name)
		text := strings.NewReplacer("TOP", top, "LINK", link).Replace(f.text)
		written[f.name] = text
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), f.mode); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(name, times, times); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(link+"/.venv/lib", filepath.Join(top, ".venv/lib64")); err != nil {
		t.Fatal(err)
	}

	t.Chdir(link)
	repo, err := git.Open(t.Context(), ".")
	if err != nil {
		t.Fatal(err)
	}
	defer repo.Close()
	source, err := Open(t.Context(), Options{Repo: repo, Objects: t.TempDir(), Keep: []string{".venv"}})
	if err != nil {
		t.Fatal(err)
	}
	defer source.Close()
	set, err := changes.Between(t.Context(), repo, commit, commit, changes.Options{})
	if err != nil {
		t.Fatal(err)
	}
	same := filepath.Join(real, strings.Repeat("w", len("check out"))) // as long as the checkout's
	for _, dir := range []string{same, filepath.Join(real, "other"), ""} {
		away, here := dir == "", dir
		if away {
			dir = filepath.Join(real, "away")
		}
		w, err := source.open(t.Context(), set, dir, away)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range files {
			want := f.want
			if want == "" || away {
				want = f.text
			}
			want = strings.NewReplacer("TOP", top, "LINK", link, "HERE", here).Replace(want)
			name := filepath.Join(dir, ".venv", f.name)
			text, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			if string(text) != want {
				t.Errorf("%s in %s: %.200q, want %.200q", f.name, dir, text, want)
			}
			info, err := os.Stat(name)
			if err != nil {
				t.Fatal(err)
			}
			at := times
			if want != written[f.name] && len(want) == len(written[f.name]) {
				at = at.Add(time.Second)
			}
			if info.Mode() != f.mode || !info.ModTime().Equal(at) {
				t.Errorf("%s in %s: %v of %v, want %v of %v", f.name, dir, info.Mode(), info.ModTime(), f.mode, at)
			}
		}
		if target, err := os.Readlink(filepath.Join(dir, ".venv/lib64")); err != nil || target != "lib" {
			t.Errorf("lib64 leads to %s, %v", target, err)
		}
		if err := w.Remove(); err != nil {
			t.Error(err)
		}
	}
	for name, text := range written {
		if now, err := os.ReadFile(filepath.Join(top, ".venv", name)); err != nil || string(now) != text {
			t.Errorf("the user's %s is now %.200q, %v", name, now, err)
		}
	}
}

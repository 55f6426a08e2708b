package main

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
)

// nfpmHere is an nfpm: that on PATH, or one that the go command brings.
func nfpmHere(t *testing.T) string {
	t.Helper()
	if tool, err := exec.LookPath("nfpm"); err == nil {
		return tool
	}
	bin := t.TempDir()
	if out, err := attempt(t, ".", []string{"GOBIN=" + bin, "GOFLAGS=-mod=mod"}, "go", "install", nfpm); err != nil {
		t.Skipf("the go command cannot bring nfpm: %v\n%s", err, out)
	}
	return filepath.Join(bin, "nfpm")
}

// testPackage compares what a package installs with what an archive has, in top: all of its files are there, and no others.
func testPackage(t *testing.T, name, top string) {
	t.Helper()
	root := t.TempDir()
	want := map[string]string{"usr/bin/gitdd": "gitdd", "usr/bin/git-dd": "-> gitdd"}
	documents := map[string]string{"doc/gitdd/CHANGELOG.md": "CHANGELOG.md", "licenses/gitdd/LICENSES.txt": "LICENSES.txt", "licenses/gitdd/LICENSE": "LICENSE"}
	zsh := "zsh/site-functions"
	if filepath.Ext(name) == ".deb" {
		try(t, root, nil, "dpkg-deb", "--extract", name, root)
		documents = map[string]string{"doc/gitdd/changelog.gz": "CHANGELOG.md", "doc/gitdd/changelog.Debian.gz": "", "doc/gitdd/copyright": ""}
		zsh = "zsh/vendor-completions"
	} else {
		try(t, root, nil, "bsdtar", "-xf", name)
	}
	for file, from := range documents {
		want["usr/share/"+file] = from
	}
	for link, to := range map[string]string{"bash-completion/completions/git-dd": "gitdd", "fish/vendor_completions.d/git-dd.fish": "gitdd.fish"} {
		want["usr/share/"+link] = "-> " + to
	}
	for file, from := range map[string]string{"bash-completion/completions/gitdd": "gitdd.bash", zsh + "/_gitdd": "_gitdd", zsh + "/_git-dd": "_git-dd", "fish/vendor_completions.d/gitdd.fish": "gitdd.fish"} {
		want["usr/share/"+file] = "completions/" + from
	}
	below := func(dir, into, ending string) {
		err := filepath.WalkDir(filepath.Join(top, dir), func(path string, d os.DirEntry, err error) error {
			if err == nil && !d.IsDir() {
				rel, _ := filepath.Rel(top, path)
				want[into+filepath.ToSlash(rel)+ending] = filepath.ToSlash(rel)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	below("man", "usr/share/", ".gz")
	below("docs", "usr/share/doc/gitdd/", "")
	want["usr/share/doc/gitdd/README.md"] = "README.md"
	err := filepath.WalkDir(root, func(path string, d os.DirEntry, err error) error {
		rel, _ := filepath.Rel(root, path)
		rel = filepath.ToSlash(rel)
		if err != nil || d.IsDir() || strings.HasPrefix(rel, ".") { // what the package manager reads itself
			return err
		}
		from, known := want[rel]
		delete(want, rel)
		link, linked := strings.CutPrefix(from, "-> ")
		switch to, err := os.Readlink(path); {
		case !known:
			t.Errorf("%s has %s, and no archive has it", filepath.Base(name), rel)
			return nil
		case linked && (err != nil || to != link):
			t.Errorf("%s: %s leads to %q (%v), want %s", filepath.Base(name), rel, to, err, link)
			return nil
		case linked:
			return nil
		}
		if from != "" { // the archive has it
			got, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			text, err := os.ReadFile(filepath.Join(top, from))
			if err == nil && strings.HasSuffix(rel, ".gz") {
				text = compressed(text)
			}
			if err != nil || !bytes.Equal(got, text) {
				t.Errorf("%s: %s is not %s of the archive (%v)", filepath.Base(name), rel, from, err)
			}
		}
		mode := os.FileMode(0o644)
		if rel == "usr/bin/gitdd" {
			mode = 0o755
		}
		if info, err := d.Info(); err != nil || info.Mode().Perm() != mode {
			t.Errorf("%s: %s has the mode %v (%v)", filepath.Base(name), rel, info.Mode(), err)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for rel := range want {
		t.Errorf("%s does not have %s", filepath.Base(name), rel)
	}
}

// testRecipes checks that recipes install files that the archive in top has, and name each archive with its checksum.
func testRecipes(t *testing.T, top string) {
	dir := t.TempDir()
	r := release{version: testVersion, epoch: time.Unix(1700000000, 0), source: dir, into: dir}
	var sums strings.Builder
	for i, target := range targets {
		fmt.Fprintf(&sums, "%s  gitdd-%s-%s.tar.gz\n", hex.EncodeToString(bytes.Repeat([]byte{byte(i + 1)}, 32)), testVersion, strings.ReplaceAll(target, "/", "-"))
	}
	if err := r.recipes(targets[:2], sums.String()); err != nil {
		t.Fatal(err)
	}
	if made, _ := os.ReadDir(dir); len(made) != 0 {
		t.Errorf("recipes for archives that were not made: %v", made)
	}
	if err := r.recipes(targets, ""); err == nil {
		t.Error("recipes without checksums")
	}
	if err := r.recipes(targets, sums.String()); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"gitdd.rb", "gitdd.nix"} {
		content, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		text := string(content)
		for line := range strings.Lines(sums.String()) {
			sum, archive, _ := strings.Cut(strings.TrimSpace(line), "  ")
			url := strings.Index(text, "/v0.99.0/"+archive+`"`)
			if strings.Contains(archive, "windows") {
				continue
			}
			if at := strings.Index(text, `"`+sum+`"`); url < 0 || at < url || at > url+200 {
				t.Errorf("%s does not name %s with its checksum", name, archive)
			}
		}
		files := regexp.MustCompile(`\b(?:completions/[\w.-]+|man/man\d/\*)`).FindAllString(text, -1)
		if len(files) != 6 || !slices.Contains(files, "completions/_git-dd") {
			t.Errorf("%s installs %q", name, files)
		}
		for _, file := range files {
			if there, err := filepath.Glob(filepath.Join(top, file)); err != nil || len(there) == 0 {
				t.Errorf("%s installs %s, which the archive does not have", name, file)
			}
		}
	}
	if _, err := exec.LookPath("ruby"); err == nil {
		try(t, dir, nil, "ruby", "-c", "gitdd.rb")
	}
	if _, err := exec.LookPath("nix-instantiate"); err == nil {
		try(t, dir, nil, "nix-instantiate", "--parse", "gitdd.nix")
	}
}

package dependency

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha512"
	"encoding/base64"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/mod/module"
	"golang.org/x/mod/zip"

	"github.com/gitdd/gitdd/internal/seed"
)

// proxy makes a directory that is a proxy for modules with one module in versions v1.0.0 and v1.1.0.
func proxy(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	at := filepath.Join(dir, "e.org/m/@v")
	if err := os.MkdirAll(at, 0o777); err != nil {
		t.Fatal(err)
	}
	for _, v := range []string{"v1.0.0", "v1.1.0"} {
		source := t.TempDir()
		var packed bytes.Buffer
		for name, text := range map[string]string{"go.mod": "module e.org/m\n", "m.go": "package m\n\nconst V = \"" + v + "\"\n"} {
			if err := os.WriteFile(filepath.Join(source, name), []byte(text), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		if err := zip.CreateFromDir(&packed, module.Version{Path: "e.org/m", Version: v}, source); err != nil {
			t.Fatal(err)
		}
		for ext, text := range map[string]string{".zip": packed.String(), ".mod": "module e.org/m\n", ".info": `{"Version": "` + v + `"}`} {
			if err := os.WriteFile(filepath.Join(at, v+ext), []byte(text), 0o666); err != nil {
				t.Fatal(err)
			}
		}
	}
	return dir
}

func TestFetchGo(t *testing.T) {
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip("go is not here")
	}
	t.Setenv("GOPROXY", "file://"+filepath.ToSlash(proxy(t)))
	t.Setenv("GOSUMDB", "off")
	cache := filepath.Join(t.TempDir(), "cache")
	t.Setenv("GOMODCACHE", cache)
	t.Cleanup(func() { exec.Command("go", "clean", "-modcache").Run() }) // which is read-only
	both, err := Fetch(t.Context(), Update{Manager: Go, Name: "e.org/m", Old: "v1.0.0", New: "v1.1.0"}, ".", t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for i, v := range []string{"v1.0.0", "v1.1.0"} {
		if text, err := os.ReadFile(filepath.Join(both[i], "m.go")); err != nil || !strings.Contains(string(text), v) {
			t.Errorf("%s: %s, %v", v, text, err)
		}
	}
	for _, test := range []struct {
		u    Update
		want string
	}{
		{Update{Name: "e.org/m", Old: "v1.0.0", New: "v1.9.0"}, "e.org/m v1.9.0 cannot be brought: "},
		{Update{Name: "e.org/m", Old: "v1.0.0", New: "v1.1.0", Sums: [2]string{"h1:other="}}, "v1.0.0 cannot be brought: its checksum is h1:"},
		{Update{Name: "e.org/m", Refused: "it is another one"}, "it is another one"},
	} {
		test.u.Manager = Go
		if _, err := Fetch(t.Context(), test.u, ".", t.TempDir()); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%v: %v, want %s", test.u, err, test.want)
		}
	}
	t.Setenv("GOPROXY", "off")
	if _, err := Fetch(t.Context(), Update{Manager: Go, Name: "e.org/n", Old: "v1.0.0", New: "v1.1.0"}, ".", t.TempDir()); err == nil || !strings.Contains(err.Error(), "it is not in the module cache, and GOPROXY=off") {
		t.Error(err)
	}
}

// A project requires what the dependency in its folder requires for the time being, and is as before where that cannot be had.
func TestRequireScript(t *testing.T) {
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip("go is not here")
	}
	t.Setenv("GOPROXY", "file://"+filepath.ToSlash(proxy(t)))
	t.Setenv("GOSUMDB", "off")
	t.Setenv("GOFLAGS", "-modcacherw")
	t.Setenv("GOWORK", "off")
	t.Setenv("GOMODCACHE", filepath.Join(t.TempDir(), "cache"))
	dir := t.TempDir()
	t.Setenv("GITDD_WORKSPACE", dir)
	write := func(name, text string) {
		t.Helper()
		name = filepath.Join(dir, "it's", name)
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	sh := func(words ...string) (string, error) {
		cmd := exec.Command(words[0], words[1:]...)
		cmd.Dir = filepath.Join(dir, "it's")
		out, err := cmd.CombinedOutput()
		return strings.TrimSpace(string(out)), err
	}
	const mod = "module e.org/p\n\ngo 1.21\n\nrequire e.org/lib v1.0.0\n\nreplace e.org/lib => ./lib\n"
	write("go.mod", mod)
	write("go.sum", "")
	write("p.go", "package p\n\nimport _ \"e.org/lib\"\n")
	var blobs [2]string
	if out, err := sh("git", "init", "-q"); err != nil {
		t.Fatal(out)
	}
	for i, name := range []string{"go.mod", "go.sum"} {
		var err error
		if blobs[i], err = sh("git", "hash-object", "-w", name); err != nil {
			t.Fatal(blobs[i])
		}
	}
	for _, test := range []struct {
		requires string // by the dependency
		added    bool   // to go.mod
		builds   bool
	}{
		{"", false, true},
		{"e.org/m v1.1.0", true, true},
		{"e.org/m v1.9.0", false, false},
		{"", false, true},
	} {
		lib, source := "module e.org/lib\n\ngo 1.21\n", "package lib\n"
		if test.requires != "" {
			lib, source = lib+"\nrequire "+test.requires+"\n", source+"\nimport _ \"e.org/m\"\n"
		}
		write("lib/go.mod", lib)
		write("lib/lib.go", source)
		if out, err := sh("sh", "-c", "set -e\n"+RequireScript("it's", blobs[0], blobs[1])+"test \"$(pwd)\" = \"$GITDD_WORKSPACE/it's\""); err != nil || out != "" {
			t.Errorf("%q: %v, %s", test.requires, err, out)
		}
		text, err := os.ReadFile(filepath.Join(dir, "it's", "go.mod"))
		if err != nil || (string(text) != mod) != test.added {
			t.Errorf("%q: %v\n%s", test.requires, err, text)
		}
		if out, err := sh("go", "build", "./..."); (err == nil) != test.builds {
			t.Errorf("%q: %s", test.requires, out)
		}
	}
}

func TestFetchNpm(t *testing.T) {
	seed.SkipLong(t, 4)
	if _, err := exec.LookPath("npm"); err != nil {
		t.Skip("npm is not here")
	}
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	w := tar.NewWriter(z)
	text := `{"name": "a", "version": "1.0.0"}`
	if err := w.WriteHeader(&tar.Header{Name: "package/package.json", Mode: 0o644, Size: int64(len(text)), Typeflag: tar.TypeReg}); err != nil {
		t.Fatal(err)
	}
	fmt.Fprint(w, text)
	w.Close()
	z.Close()
	sum := sha512.Sum512(packed.Bytes())
	own := "sha512-" + base64.StdEncoding.EncodeToString(sum[:])
	registry := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.URL.Path == "/a.tgz", r.URL.Path == "/a/-/a-1.0.0.tgz":
			w.Write(packed.Bytes())
		case r.URL.Path == "/a":
			fmt.Fprintf(w, `{"name": "a", "dist-tags": {"latest": "1.0.0"}, "versions": {"1.0.0": {"name": "a", "version": "1.0.0", "dist": {"tarball": "http://%s/a.tgz", "integrity": "%s"}}}}`, r.Host, own)
		case r.URL.Path == "/private":
			http.Error(w, `{"error": "password"}`, http.StatusUnauthorized)
		default:
			http.Error(w, `{"error": "not found"}`, http.StatusNotFound)
		}
	}))
	defer registry.Close()
	t.Setenv("npm_config_registry", registry.URL)
	t.Setenv("npm_config_cache", t.TempDir())
	t.Setenv("npm_config_fetch_retries", "0")
	project := t.TempDir()
	fetch := func(u Update) ([2]string, error) {
		u.Manager = Npm
		return Fetch(t.Context(), u, project, t.TempDir())
	}
	both, err := fetch(Update{Name: "a", Old: "1.0.0", New: "1.0.0", Sums: [2]string{own}})
	if err != nil {
		t.Fatal(err)
	}
	if got, err := os.ReadFile(both[0]); err != nil || !bytes.Equal(got, packed.Bytes()) {
		t.Error("another archive was brought", err)
	}
	// An address counts, whatever the registry has of the name; that of the public registry is one of the registry that is set.
	for _, from := range []string{registry.URL + "/a.tgz", "https://registry.npmjs.org/a/-/a-1.0.0.tgz"} {
		both, err := fetch(Update{Name: "b", Old: "1.0.0", New: "1.0.0", Sums: [2]string{own, own}, From: [2]string{from, from}})
		if err != nil || both[0] == both[1] {
			t.Errorf("%s: %q, %v", from, both, err)
		} else if got, err := os.ReadFile(both[0]); err != nil || !bytes.Equal(got, packed.Bytes()) {
			t.Errorf("%s: another archive was brought, %v", from, err)
		}
	}
	for _, test := range []struct {
		u    Update
		want string
	}{
		{Update{Name: "a", Old: "1.0.0", Sums: [2]string{"sha512-other"}, From: [2]string{registry.URL + "/a.tgz"}}, "a 1.0.0 cannot be brought: its checksum is sha512-"},
		{Update{Name: "a", Old: "1.0.0", Sums: [2]string{own}, From: [2]string{registry.URL + "/gone.tgz"}}, "a 1.0.0 cannot be brought: "},
		{Update{Name: "a", Old: "2.0.0"}, "a 2.0.0 cannot be brought: the registry has no such version"},
		{Update{Name: "b", Old: "1.0.0"}, "b 1.0.0 cannot be brought: the registry has no such package"},
		{Update{Name: "private", Old: "1.0.0"}, "the registry wants a password: `npm login`"},
		{Update{Name: "a", Old: "1.0.0", Sums: [2]string{"sha512-other"}}, "a 1.0.0 cannot be brought: its checksum is sha512-"},
	} {
		if _, err := fetch(test.u); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%v: %v, want %s", test.u, err, test.want)
		}
	}
	registry.Close()
	if _, err := fetch(Update{Name: "c", Old: "1.0.0"}); err == nil || !strings.Contains(err.Error(), "cannot be reached") {
		t.Error(err)
	}
}

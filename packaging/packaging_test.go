package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"debug/buildinfo"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"
)

const (
	testVersion = "v0.99.0"
	testEpoch   = "1700000000"
)

// TestRelease makes archives and packages from two directories, in two
// environments, and uses what is in them. The program that makes them is compiled:
// so is what it packs, and the tests that have no race detector, for the same cache.
func TestRelease(t *testing.T) {
	if testing.Short() {
		t.Skip("builds releases")
	}
	source, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	program := filepath.Join(t.TempDir(), "packaging"+executable(host))
	try(t, source, settings(host, false), "go", "build", "-trimpath", "-o", program, "./packaging")
	other := filepath.Join(t.TempDir(), "a copy of it")
	copyTree(t, source, other)
	dist, again := t.TempDir(), t.TempDir()

	list := []string{host, "windows/amd64"}
	if !slices.Contains(targets, host) {
		t.Skipf("there are no archives for %s", host)
	}
	env := []string{"SOURCE_DATE_EPOCH=" + testEpoch}
	try(t, source, env, program, append([]string{"archives", "-version", testVersion, "-into", dist}, list...)...)
	elsewhere := append(elsewhere(t), env...)
	name := "gitdd-" + testVersion + "-" + strings.ReplaceAll(host, "/", "-")
	archive := name + ".tar.gz"
	if runtime.GOOS == "windows" {
		t.Skip("what follows runs on unix")
	}
	try(t, other, elsewhere, "sh", "-c", `umask 077; exec "$@"`, "sh", program, "archives", "-version", testVersion, "-into", again, host)
	sameFile(t, filepath.Join(dist, archive), filepath.Join(again, archive))

	unpacked := t.TempDir()
	try(t, unpacked, nil, "tar", "xzf", filepath.Join(dist, archive))
	top := filepath.Join(unpacked, name)
	gitdd := filepath.Join(top, "gitdd")
	t.Run("archive", func(t *testing.T) { testArchive(t, filepath.Join(dist, archive), top) })
	t.Run("zip", func(t *testing.T) { testZip(t, filepath.Join(dist, "gitdd-"+testVersion+"-windows-amd64.zip")) })
	t.Run("sums", func(t *testing.T) {
		sums, err := os.ReadFile(filepath.Join(dist, "SHA256SUMS"))
		if err != nil {
			t.Fatal(err)
		}
		if n := strings.Count(string(sums), "\n"); n != len(list) {
			t.Errorf("%d lines in SHA256SUMS for %d archives:\n%s", n, len(list), sums)
		}
		need(t, "sha256sum")
		try(t, dist, nil, "sha256sum", "-c", "SHA256SUMS")
	})
	t.Run("deb", func(t *testing.T) {
		need(t, "dpkg-deb")
		tool := nfpmHere(t)
		try(t, source, env, program, "deb", "-version", testVersion, "-into", dist, "-gitdd", gitdd, "-nfpm", tool)
		try(t, other, elsewhere, "sh", "-c", `umask 077; exec "$@"`, "sh", program, "deb", "-version", testVersion, "-into", again, "-gitdd", gitdd, "-nfpm", tool)
		made, err := filepath.Glob(filepath.Join(dist, "gitdd_0.99.0-1_*.deb"))
		if err != nil || len(made) != 1 {
			t.Fatalf("packages: %v, %v", made, err)
		}
		sameFile(t, made[0], filepath.Join(again, filepath.Base(made[0])))
		testPackage(t, made[0], top)
		testDeb(t, made[0])
	})
	t.Run("recipes", func(t *testing.T) { testRecipes(t, top) })
	t.Run("packages", func(t *testing.T) {
		need(t, "bsdtar")
		tool := nfpmHere(t)
		try(t, source, env, program, "packages", "-version", testVersion, "-into", dist, "-nfpm", tool, "linux/amd64")
		try(t, other, elsewhere, "sh", "-c", `umask 077; exec "$@"`, "sh", program, "packages", "-version", testVersion, "-into", again, "-nfpm", tool, "linux/amd64")
		for _, name := range []string{"gitdd-0.99.0-1.x86_64.rpm", "gitdd_0.99.0-r1_x86_64.apk", "gitdd-0.99.0-1-x86_64.pkg.tar.zst"} {
			sameFile(t, filepath.Join(dist, name), filepath.Join(again, name))
			testPackage(t, filepath.Join(dist, name), top)
		}
	})
	t.Run("go install", func(t *testing.T) { testGoInstall(t, other) })
}

// elsewhere is another user's environment, but for the go command's caches.
func elsewhere(t *testing.T) []string {
	out := try(t, ".", nil, "go", "env", "GOCACHE", "GOMODCACHE", "GOPROXY")
	caches := strings.Split(strings.TrimSpace(out), "\n")
	return []string{
		"GOCACHE=" + caches[0], "GOMODCACHE=" + caches[1], "GOPROXY=" + caches[2], "HOME=" + t.TempDir(), "TMPDIR=" + t.TempDir(),
		"TZ=Asia/Tokyo", "GOFLAGS=-ldflags=-s", "GOAMD64=v3", "CGO_CFLAGS=-O3", "GIT_DIR=/nowhere",
	}
}

// testArchive looks at a tar.gz, and at what is unpacked of it in top.
func testArchive(t *testing.T, name, top string) {
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	compressed, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	r := tar.NewReader(compressed)
	for {
		h, err := r.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		names = append(names, h.Name)
		mode := map[string]int64{"gitdd": 0o755, "git-dd": 0o777}[filepath.Base(h.Name)]
		switch {
		case h.Typeflag == tar.TypeDir:
			mode = 0o755
		case mode == 0:
			mode = 0o644
		}
		if h.Uid != 0 || h.Gid != 0 || h.Uname != "" || h.Gname != "" || h.ModTime.Unix() != 1700000000 || h.Mode != mode {
			t.Errorf("%s: %+v, mode %o", h.Name, h, h.Mode)
		}
	}
	if !slices.IsSorted(names) {
		t.Errorf("not sorted: %q", names)
	}
	for _, want := range []string{
		"README.md", "LICENSE", "LICENSES.txt", "CHANGELOG.md", "docs/search.md", "gitdd", "git-dd", "man/man1/gitdd.1", "man/man1/git-dd-run.1",
		"man/man7/gitdd-outcomes.7", "completions/gitdd.bash", "completions/_gitdd", "completions/_git-dd", "completions/gitdd.fish", "completions/gitdd.ps1",
	} {
		info, err := os.Stat(filepath.Join(top, want))
		if err != nil {
			t.Error(err)
		} else if info.Size() == 0 {
			t.Errorf("%s is empty", want)
		}
	}
	for _, program := range []string{"gitdd", "git-dd"} {
		said := try(t, top, nil, "./"+program, "version")
		if !strings.HasPrefix(said, "gitdd "+testVersion+" "+host+" ") || !strings.Contains(said, "for want of cgo") {
			t.Errorf("%s version: %s", program, said)
		}
	}
	// Without SOURCE_DATE_EPOCH its own pages have the time of the release as well.
	try(t, top, []string{"SOURCE_DATE_EPOCH="}, "./gitdd", "man", "again")
	sameFile(t, filepath.Join(top, "man/man1/gitdd.1"), filepath.Join(top, "again/man1/gitdd.1"))

	notice, err := os.ReadFile(filepath.Join(top, "LICENSES.txt"))
	if err != nil {
		t.Fatal(err)
	}
	info, err := buildinfo.ReadFile(filepath.Join(top, "gitdd"))
	if err != nil {
		t.Fatal(err)
	}
	for _, module := range info.Deps {
		if !strings.Contains(string(notice), "\n"+module.Path+" "+module.Version+": ") {
			t.Errorf("no licence of %s %s", module.Path, module.Version)
		}
	}
	for _, want := range []string{"Go, its standard library", "tree-sitter/tree-sitter-ruby", "go-tree-sitter v0.25.0: src/unicode/LICENSE", "Apache License", "Redistributions in binary form"} {
		if !strings.Contains(string(notice), want) {
			t.Errorf("the licences do not have %q", want)
		}
	}
	if home, err := os.UserHomeDir(); err == nil && home != "/" && bytes.Contains(notice, []byte(home)) {
		t.Error("the licences name a directory of who made them")
	}
}

func testZip(t *testing.T, name string) {
	r, err := zip.OpenReader(name)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	sizes := map[string]uint64{}
	for _, f := range r.File {
		sizes[strings.TrimPrefix(f.Name, "gitdd-"+testVersion+"-windows-amd64/")] = f.UncompressedSize64
		if f.Modified.Unix() != 1700000000 {
			t.Errorf("%s is of %v", f.Name, f.Modified)
		}
	}
	if sizes["gitdd.exe"] < 5e6 || sizes["git-dd.exe"] != sizes["gitdd.exe"] {
		t.Errorf("gitdd.exe %d bytes, git-dd.exe %d", sizes["gitdd.exe"], sizes["git-dd.exe"])
	}
	for _, want := range []string{"README.md", "LICENSE", "LICENSES.txt", "CHANGELOG.md", "man/man1/gitdd.1", "completions/gitdd.ps1"} {
		if sizes[want] == 0 {
			t.Errorf("no %s", want)
		}
	}
}

// TestOrder holds what archives are made of to their order, whatever that of the
// files given: twice the same bytes.
func TestOrder(t *testing.T) {
	files := []file{{name: "b", mode: 0o755, content: []byte("x")}, {name: "a/c", mode: 0o644}, {name: "a/b/d", mode: 0o777, link: "../c"}}
	at := time.Unix(1700000000, 0)
	for _, write := range []func(io.Writer, string, []file, time.Time) error{writeTar, writeZip} {
		var one, two bytes.Buffer
		if err := write(&one, "top", files, at); err != nil {
			t.Fatal(err)
		}
		slices.Reverse(files)
		if err := write(&two, "top", files, at.In(time.FixedZone("far", 9*3600)).UTC()); err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(one.Bytes(), two.Bytes()) {
			t.Error("the order of the files changes the archive")
		}
	}
	var names []string
	for _, f := range ordered("top", files) {
		names = append(names, f.name)
	}
	if want := []string{"top/", "top/a/", "top/a/b/", "top/a/b/d", "top/a/c", "top/b"}; !slices.Equal(names, want) {
		t.Errorf("%q, want %q", names, want)
	}
}

func TestRefused(t *testing.T) {
	t.Setenv("SOURCE_DATE_EPOCH", testEpoch)
	for _, row := range []struct {
		args []string
		want string
	}{
		{nil, "usage: "},
		{[]string{"archives", "-version", "../x"}, `version "../x"`},
		{[]string{"archives", "-version", "v1", "plan9/amd64"}, `target "plan9/amd64": want some of linux/amd64 `},
		{[]string{"deb", "-version", "v1", "linux/amd64"}, "usage: "},
		{[]string{"rpm", "-version", "v1"}, "usage: "},
	} {
		if len(row.args) > 0 {
			row.args = append([]string{row.args[0], "-into", t.TempDir()}, row.args[1:]...)
		}
		if err := run(row.args); err == nil || !strings.HasPrefix(err.Error(), row.want) {
			t.Errorf("%q: %v, want %s", row.args, err, row.want)
		}
	}
	t.Setenv("SOURCE_DATE_EPOCH", "")
	if err := run([]string{"archives", "-version", "v1", "-into", t.TempDir()}); err == nil || !strings.HasPrefix(err.Error(), "SOURCE_DATE_EPOCH") {
		t.Errorf("without a time: %v", err)
	}
}

// try runs a program, which has to succeed, and returns what it printed.
func try(t *testing.T, dir string, env []string, program string, args ...string) string {
	t.Helper()
	out, err := attempt(t, dir, env, program, args...)
	if err != nil {
		t.Fatalf("%s %q: %v\n%s", program, args, err, out)
	}
	return out
}

func attempt(t *testing.T, dir string, env []string, program string, args ...string) (string, error) {
	cmd := exec.CommandContext(t.Context(), program, args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), env...)
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// need skips a test where a program is not on PATH.
func need(t *testing.T, programs ...string) {
	t.Helper()
	for _, program := range programs {
		if _, err := exec.LookPath(program); err != nil {
			t.Skipf("%s is not here", program)
		}
	}
}

func sameFile(t *testing.T, a, b string) {
	t.Helper()
	one, err := os.ReadFile(a)
	if err != nil {
		t.Fatal(err)
	}
	two, err := os.ReadFile(b)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(one, two) {
		t.Errorf("%s and %s differ: %d bytes and %d", a, b, len(one), len(two))
	}
}

// copyTree copies the source as a clone has it: without what git holds, and what
// was built.
func copyTree(t *testing.T, from, to string) {
	t.Helper()
	err := filepath.WalkDir(from, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		relative, err := filepath.Rel(from, name)
		if err != nil {
			return err
		}
		switch relative {
		case ".git", "dist", "gitdd", "git-dd":
			if d.IsDir() {
				return fs.SkipDir
			}
			return nil
		}
		target := filepath.Join(to, relative)
		if d.IsDir() {
			return os.MkdirAll(target, 0o777)
		}
		if !d.Type().IsRegular() {
			return nil
		}
		text, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		return os.WriteFile(target, text, 0o666)
	})
	if err != nil {
		t.Fatal(err)
	}
}

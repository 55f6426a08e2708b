package main

import (
	"debug/elf"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/mod/module"
	modzip "golang.org/x/mod/zip"
)

// testDeb installs a package for real, in a root of its own with a data base of
// its own: that of this machine is not touched. In it git and libc6 are there.
func testDeb(t *testing.T, deb string) {
	need(t, "dpkg")
	dpkg := []string{"dpkg"}
	if os.Geteuid() != 0 {
		need(t, "fakeroot") // files of root are unpacked
		dpkg = []string{"fakeroot", "dpkg"}
	}
	root := t.TempDir()
	data := filepath.Join(root, "var/lib/dpkg")
	for _, dir := range []string{"info", "updates", "triggers"} {
		if err := os.MkdirAll(filepath.Join(data, dir), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	known := func(gitVersion string) {
		status := ""
		for _, name := range []string{"git 1:" + gitVersion, "libc6 2.99"} {
			name, version, _ := strings.Cut(name, " ")
			status += "Package: " + name + "\nStatus: install ok installed\nMaintainer: nobody <nobody@example.org>\nArchitecture: all\nVersion: " + version + "\nDescription: there\n\n"
		}
		if err := os.WriteFile(filepath.Join(data, "status"), []byte(status), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	// A container may leave out manual pages by its configuration of dpkg.
	options := []string{"--root=" + root, "--log=" + filepath.Join(root, "log"), "--path-include=*", "--force-not-root", "--force-bad-path"}
	call := func(args ...string) (string, error) {
		all := append(append(dpkg[1:len(dpkg):len(dpkg)], options...), args...)
		return attempt(t, root, []string{"LC_ALL=C"}, dpkg[0], all...)
	}

	known("2.30.2")
	if out, err := call("--install", deb); err == nil || !strings.Contains(out, "gitdd depends on git (>= 1:2.36)") {
		t.Errorf("beside an old git: %v\n%s", err, out)
	}
	if out, err := call("--purge", "gitdd"); err != nil {
		t.Fatalf("purge: %v\n%s", err, out)
	}
	known("2.36.0")
	if out, err := call("--install", deb); err != nil {
		t.Fatalf("install: %v\n%s", err, out)
	}
	if out, err := call("--status", "gitdd"); err != nil || !strings.Contains(out, "Status: install ok installed") || !strings.Contains(out, "Version: 0.99.0-1") {
		t.Errorf("status: %v\n%s", err, out)
	}
	if out, err := call("--verify", "gitdd"); err != nil || out != "" { // by the package's md5sums
		t.Errorf("verify: %v\n%s", err, out)
	}
	if out := try(t, root, []string{"LC_ALL=C"}, "dpkg-deb", "--contents", deb); strings.Count(out, " root/root ") != strings.Count(out, "\n") {
		t.Errorf("not all files are owned by root:\n%s", out)
	}

	bin, share := filepath.Join(root, "usr/bin"), filepath.Join(root, "usr/share")
	path := "PATH=" + bin + ":" + os.Getenv("PATH")
	if out := try(t, root, nil, filepath.Join(bin, "gitdd"), "version"); !strings.HasPrefix(out, "gitdd "+testVersion+" ") {
		t.Errorf("gitdd version: %s", out)
	}
	if out := try(t, root, []string{path}, "git", "dd", "version"); !strings.HasPrefix(out, "gitdd "+testVersion+" ") {
		t.Errorf("git dd version: %s", out)
	}
	for _, name := range []string{"copyright", "changelog.gz", "changelog.Debian.gz", "README.md"} {
		if info, err := os.Stat(filepath.Join(share, "doc/gitdd", name)); err != nil || info.Size() == 0 || info.Mode().Perm() != 0o644 {
			t.Errorf("%s: %v, %v", name, info, err)
		}
	}
	t.Run("man", func(t *testing.T) {
		need(t, "man")
		env := []string{path, "MANPATH=" + filepath.Join(share, "man"), "MANPAGER=cat", "LC_ALL=C", "MANWIDTH=80"}
		for _, args := range [][]string{{"gitdd"}, {"1", "gitdd-run"}, {"7", "gitdd-outcomes"}} {
			out := try(t, root, env, "man", args...)
			if want := strings.ToUpper(args[len(args)-1]) + "("; !strings.Contains(out, want) {
				t.Errorf("man %q does not have %s:\n%.300s", args, want, out)
			}
		}
		if out := try(t, root, env, "git", "help", "dd"); !strings.Contains(out, "GIT-DD(1)") {
			t.Errorf("git help dd:\n%.300s", out)
		}
	})
	t.Run("bash", func(t *testing.T) {
		need(t, "bash")
		for _, file := range []string{"gitdd", "git-dd"} {
			out := try(t, root, []string{path}, "bash", "--norc", "-c", `source "$1" && complete -p gitdd`, "bash", filepath.Join(share, "bash-completion/completions", file))
			if !strings.Contains(out, "-F __start_gitdd gitdd") {
				t.Errorf("%s: %s", file, out)
			}
		}
		if out := try(t, root, nil, filepath.Join(bin, "gitdd"), "__complete", "ver"); !strings.HasPrefix(out, "version\t") {
			t.Errorf("completion of ver: %s", out)
		}
	})

	if out, err := call("--purge", "gitdd"); err != nil {
		t.Fatalf("purge: %v\n%s", err, out)
	}
	for _, dir := range []string{"usr", "etc", "opt"} {
		if _, err := os.Lstat(filepath.Join(root, dir)); !os.IsNotExist(err) {
			left := try(t, root, nil, "find", dir)
			t.Errorf("left behind:\n%s", left)
		}
	}
}

// testGoInstall makes a module of the source, as a proxy serves it, and installs
// that: what go install github.com/gitdd/gitdd/cmd/gitdd@latest will find.
func testGoInstall(t *testing.T, source string) {
	const path = "github.com/gitdd/gitdd"
	proxy := t.TempDir()
	dir := filepath.Join(proxy, filepath.FromSlash(path), "@v")
	if err := os.MkdirAll(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	goMod, err := os.ReadFile(filepath.Join(source, "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"list": testVersion + "\n", testVersion + ".info": `{"Version":"` + testVersion + `"}`, testVersion + ".mod": string(goMod),
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	f, err := os.Create(filepath.Join(dir, testVersion+".zip"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	// It refuses what is no module: names that differ in case alone, or cannot be on
	// some system, and what is too large.
	if err := modzip.CreateFromDir(f, module.Version{Path: path, Version: testVersion}, source); err != nil {
		t.Fatal(err)
	}
	if info, err := f.Stat(); err != nil || info.Size() > 10<<20 {
		t.Errorf("the module takes %d bytes for everyone who installs it: %v", info.Size(), err)
	}

	known := strings.Split(strings.TrimSpace(try(t, ".", nil, "go", "env", "GOMODCACHE", "GOPROXY")), "\n")
	bin := t.TempDir()
	try(t, bin, []string{
		// What this test was built with is in the cache; it is a proxy as well.
		"GOPROXY=file://" + filepath.ToSlash(proxy) + ",file://" + filepath.ToSlash(known[0]) + "/cache/download," + known[1],
		"GOMODCACHE=" + t.TempDir(), "GOSUMDB=off", "GOFLAGS=-trimpath -modcacherw", "CGO_ENABLED=0", "GOBIN=" + bin, "GOWORK=off",
	}, "go", "install", path+"/cmd/gitdd@latest")
	if said := try(t, bin, nil, filepath.Join(bin, "gitdd"+executable(host)), "version"); !strings.HasPrefix(said, "gitdd "+testVersion+" ") {
		t.Errorf("gitdd version: %s", said)
	}
}

func TestDebianVersion(t *testing.T) {
	at := time.Unix(1700000000, 0).UTC()
	versions := []string{ // each is newer than the one before
		"af22903", "0.1.0-rc.1", "v0.1.0-rc.2-3-gaf22903", "v0.1.0", "v0.1.0-dirty", "v0.1.0-12-gaf22903", "v0.1.0-12-gaf22903-dirty", "v0.2.0-beta", "v0.2.0", "v1.10.0", "2.0",
	}
	want := []string{
		"0~20231114.221320+af22903-1", "0.1.0~rc.1-1", "0.1.0~rc.2+3.af22903-1", "0.1.0-1", "0.1.0+dirty-1", "0.1.0+12.af22903-1", "0.1.0+12.af22903+dirty-1",
		"0.2.0~beta-1", "0.2.0-1", "1.10.0-1", "2.0-1",
	}
	plain := regexp.MustCompile(`^[0-9][0-9A-Za-z.+~]*-1$`)
	for i, version := range versions {
		if got := debianVersion(version, at); got != want[i] || !plain.MatchString(got) {
			t.Errorf("%s: %s, want %s", version, got, want[i])
		}
	}
	if got := debianVersion("3948b8a-dirty", at); got != "0~20231114.221320+3948b8a.dirty-1" {
		t.Errorf("a commit that begins with a digit: %s", got)
	}
	need(t, "dpkg")
	for i := range want[1:] {
		if want[i] == "0.1.0+dirty-1" || strings.Contains(want[i+1], "dirty") {
			continue // what is dirty is no release
		}
		if out, err := attempt(t, ".", nil, "dpkg", "--compare-versions", want[i], "lt", want[i+1]); err != nil {
			t.Errorf("%s is not older than %s: %v %s", want[i], want[i+1], err, out)
		}
	}
}

// TestNeededLibc asks for the library of programs that are here: this test, which is linked
// with it if there is cgo, and the shell and git, which mostly are.
func TestNeededLibc(t *testing.T) {
	if got := newest([]string{"2.2.5", "2.34", "2.4", "2.34.1", "2.17"}); got != "2.34.1" {
		t.Errorf("newest: %s", got)
	}
	if runtime.GOOS != "linux" {
		t.Skip("programs are not ELF here")
	}
	for _, name := range []string{"/proc/self/exe", "sh", "git"} {
		path, err := exec.LookPath(name)
		if err != nil {
			t.Fatal(err)
		}
		program, err := elf.Open(path)
		if err != nil {
			t.Logf("%s is a script: %v", path, err)
			continue
		}
		defer program.Close()
		libraries, err := program.ImportedLibraries()
		if err != nil {
			t.Fatal(err)
		}
		got, err := neededLibc(program)
		if err != nil {
			t.Fatal(err)
		}
		if linked := slices.Contains(libraries, "libc.so.6"); linked != regexp.MustCompile(`^2\.\d+`).MatchString(got) {
			t.Errorf("%s: libc6 %q, linked with %v", path, got, libraries)
		}
	}
}

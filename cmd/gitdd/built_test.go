package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"testing"
)

// built puts the programs that tests start at the begin of PATH, where testscript has this
// test binary as gitdd: that does the same, but takes twice the time to begin, for what
// only tests need. The gitdd of PATH is built with the race detector, and with grammars, if
// this binary has the detector or GITDD_TEST_RACE is set: the detector is to watch gitdd, and
// makes this binary only slower. Else it is built as this binary was. In the directory plainBuild beside it are programs built as an archive
// of a release has them, without the race detector and without cgo: gitdd, which most
// tests start (see [watched]), and supervised of testdata where calls can be supervised.
//
// Without the go command, for Windows and to measure coverage, gitdd is this binary.
var built = sync.OnceValue(func() error {
	if _, err := exec.LookPath("go"); err != nil || runtime.GOOS == "windows" || testing.CoverMode() != "" {
		return nil
	}
	before, err := exec.LookPath("gitdd")
	if err != nil {
		return err
	}
	bin := filepath.Dir(before)
	dir, err := os.MkdirTemp(bin, "built") // what runs now is not written to
	if err != nil {
		return err
	}
	build := func(into string, env []string, args ...string) error {
		args = append([]string{"build", "-buildvcs=false", "-ldflags=-w", "-o", filepath.Join(dir, into) + "/"}, args...)
		cmd := exec.Command("go", args...)
		cmd.Env = append(os.Environ(), env...)
		if out, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("go %q: %w\n%s", args, err, out)
		}
		return nil
	}
	packages := []string{"."}
	if runtime.GOOS == "linux" && runtime.GOARCH == "amd64" {
		packages = append(packages, "./testdata/supervised")
	}
	// The tests of packaging compile the same: what is left is to link.
	plain := append([]string{"-trimpath"}, packages...)
	if err := build(plainBuild, []string{"CGO_ENABLED=0"}, plain...); err != nil {
		return err
	}
	raced, env := []string{"-trimpath", "."}, []string(nil) // as make test compiles this binary
	info, ok := debug.ReadBuildInfo()
	if os.Getenv("GITDD_TEST_RACE") != "" || ok && slices.Contains(info.Settings, debug.BuildSetting{Key: "-race", Value: "true"}) {
		raced, env = []string{"-race", "."}, []string{"CGO_ENABLED=1"}
	}
	if err := build("", env, raced...); err != nil {
		return err
	}
	for _, in := range []string{dir, filepath.Join(dir, plainBuild)} {
		if err := os.Link(filepath.Join(in, "gitdd"), filepath.Join(in, "git-dd")); err != nil {
			return err
		}
	}
	files, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, f := range files {
		if err := os.Rename(filepath.Join(dir, f.Name()), filepath.Join(bin, f.Name())); err != nil {
			return err
		}
	}
	return os.Remove(dir)
})

// plainBuild is the directory beside gitdd that has programs without the race detector.
const plainBuild = "plain"

// plainPath is PATH with the programs of plainBuild before all others.
func plainPath() string {
	path := os.Getenv("PATH")
	gitdd, err := exec.LookPath("gitdd")
	if err != nil {
		return path
	}
	return filepath.Join(filepath.Dir(gitdd), plainBuild) + string(filepath.ListSeparator) + path
}

// unraced names a program that was built without the race detector, which makes gitdd take
// twice the time.
func unraced(program string) string {
	gitdd, err := exec.LookPath("gitdd")
	if err != nil {
		return program
	}
	path := filepath.Join(filepath.Dir(gitdd), plainBuild, program)
	if _, err := os.Stat(path); err != nil {
		return program
	}
	return path
}

// watched reports whether the race detector has to watch the gitdd of a command line: it
// performs several trials at once, here or on other machines. A test that does other
// things to gitdd while it works, such as to kill it, asks for the detector by itself.
func watched(argv []string) bool {
	for i, arg := range argv {
		name, _, _ := strings.Cut(arg, "=")
		one := name == "-j" && i+1 < len(argv) && argv[i+1] == "1"
		if !one && slices.Contains([]string{"-j", "--jobs", "--remote", "--slurm"}, name) {
			return true
		}
	}
	return false
}

package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"sync"
	"testing"
)

// built puts the gitdd that tests start at the begin of PATH, where testscript has this
// test binary under that name: it does the same, but takes twice the time to begin, for
// what only tests need. gitdd is built as this binary was, with the race detector if it
// has that. Beside it are programs built plainly: gitdd for [unraced], and supervised of
// testdata where calls can be supervised.
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
	// make cross compiles the same: what is left is to link.
	plain := append([]string{"-trimpath"}, packages...)
	if err := build(plainBuild, []string{"CGO_ENABLED=0"}, plain...); err != nil {
		return err
	}
	raced := []string{"."}
	if info, ok := debug.ReadBuildInfo(); ok && slices.Contains(info.Settings, debug.BuildSetting{Key: "-race", Value: "true"}) {
		raced = append([]string{"-race"}, raced...)
	}
	if err := build("", nil, raced...); err != nil {
		return err
	}
	if err := os.Link(dir+"/gitdd", dir+"/git-dd"); err != nil {
		return err
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

// unraced names a program that was built without the race detector, which makes gitdd
// take half as long again. It is for commands that begin no goroutine of their own, and
// for searches that many others with the detector go the way of.
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

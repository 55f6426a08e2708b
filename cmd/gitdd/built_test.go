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
// has that; and with it supervised of testdata, where calls can be supervised.
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
	args := []string{"build", "-buildvcs=false", "-ldflags=-w", "-o", dir + "/"}
	if info, ok := debug.ReadBuildInfo(); ok && slices.Contains(info.Settings, debug.BuildSetting{Key: "-race", Value: "true"}) {
		args = append(args, "-race")
	}
	args = append(args, ".")
	if runtime.GOOS == "linux" && runtime.GOARCH == "amd64" {
		args = append(args, "./testdata/supervised")
	}
	if out, err := exec.Command("go", args...).CombinedOutput(); err != nil {
		return fmt.Errorf("go %q: %w\n%s", args, err, out)
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

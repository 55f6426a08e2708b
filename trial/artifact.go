package trial

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"os"
	"path"
	"slices"
)

// An Artifact is what a trial in a fresh workspace left at one of
// Options.Artifacts.
type Artifact struct {
	Path    string `json:"path"`
	Digest  string `json:"digest"`            // of names, contents, executable bits and targets of symbolic links; "" = there is a Problem
	Problem string `json:"problem,omitempty"` // why there is no digest: "there is none", or what reading it met
}

// artifacts digests what lies at the paths below root, files or directories.
// Symbolic links are not followed, and times do not count: to build the same
// once more gives the same digest. It reads each file once.
func artifacts(root *os.Root, paths []string) (list []Artifact) {
	for _, name := range paths {
		a := Artifact{Path: name}
		sum := sha256.New()
		switch err := digestPath(root, path.Clean(name), ".", sum); {
		case err == nil:
			a.Digest = hex.EncodeToString(sum.Sum(nil))
		case errors.Is(err, fs.ErrNotExist):
			a.Problem = "there is none"
		default:
			a.Problem = err.Error()
		}
		list = append(list, a)
	}
	return list
}

// digestPath adds one file, and all below a directory, under the name as.
func digestPath(root *os.Root, name, as string, sum hash.Hash) error {
	info, err := root.Lstat(name)
	if err != nil {
		return err
	}
	// Lengths go before what is of any length: no two trees read the same.
	fmt.Fprintf(sum, "%d:%s %v %v ", len(as), as, info.Mode().Type(), info.Mode().Perm()&0o100 != 0 && info.Mode().IsRegular())
	switch {
	case info.Mode().IsRegular():
		f, err := root.Open(name)
		if err != nil {
			return err
		}
		defer f.Close()
		content := sha256.New()
		if _, err := io.Copy(content, f); err != nil {
			return err
		}
		sum.Write(content.Sum(nil))
	case info.Mode()&fs.ModeSymlink != 0:
		target, err := root.Readlink(name)
		if err != nil {
			return err
		}
		fmt.Fprintf(sum, "%d:%s", len(target), target)
	case info.IsDir():
		f, err := root.Open(name)
		if err != nil {
			return err
		}
		names, err := f.Readdirnames(-1)
		f.Close()
		if err != nil {
			return err
		}
		slices.Sort(names)
		for _, n := range names {
			if err := digestPath(root, path.Join(name, n), path.Join(as, n), sum); err != nil {
				return err
			}
		}
		fmt.Fprint(sum, "end ")
	}
	return nil
}

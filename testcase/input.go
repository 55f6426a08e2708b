package testcase

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"strings"
)

// A File is one file of an Input.
type File struct {
	Path    string      // slash-separated, local, the base name of the input first
	Mode    fs.FileMode // permission bits; with fs.ModeSymlink Content is the target
	Content []byte      // not to be changed
}

// An Input is what a command fails on: one file, or the files of a directory.
type Input struct {
	Files []File // in the order of their paths
	Dir   bool   // a directory, or several paths were named
}

// Size returns the bytes of all files together.
func (in Input) Size() int64 {
	var sum int64
	for _, f := range in.Files {
		sum += int64(len(f.Content))
	}
	return sum
}

// Digest returns a hash of the paths, modes and contents of the files. It does not depend on Dir.
func (in Input) Digest() string {
	h := sha256.New()
	number := func(n int) {
		var b [8]byte
		binary.BigEndian.PutUint64(b[:], uint64(n))
		h.Write(b[:])
	}
	number(len(in.Files))
	for _, f := range in.Files {
		number(len(f.Path))
		h.Write([]byte(f.Path))
		number(int(f.Mode))
		number(len(f.Content))
		h.Write(f.Content)
	}
	return hex.EncodeToString(h.Sum(nil))
}

// Summary says how large an input is, as in "the input of 3 files and 200 bytes".
func (in Input) Summary() string {
	if in.Dir {
		return fmt.Sprintf("the input of %d files and %d bytes", len(in.Files), in.Size())
	}
	return fmt.Sprintf("the input of %d bytes", in.Size())
}

// Empty returns the input with nothing in it: an empty file, or no files. An input that is no directory must
// have a file.
func (in Input) Empty() Input {
	if in.Dir {
		return Input{Dir: true}
	}
	f := in.Files[0]
	f.Content = nil
	return Input{Files: []File{f}}
}

// Top is the name that all files lie below, or that the one file has; "" if they
// have nothing in common.
func (in Input) Top() string {
	name := ""
	for i, f := range in.Files {
		first, _, _ := strings.Cut(f.Path, "/")
		if i > 0 && first != name {
			return ""
		}
		name = first
	}
	return name
}

// Check refuses what cannot be written below a directory.
func (in Input) Check() error {
	for _, f := range in.Files {
		if !filepath.IsLocal(filepath.FromSlash(f.Path)) || path.Clean(f.Path) != f.Path || f.Path == "." || strings.ContainsRune(f.Path, 0) {
			return fmt.Errorf("input file %q: not a name below a directory", f.Path)
		}
	}
	return nil
}

package workspace

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/gitdd/gitdd/internal/git"
)

// A relocation makes the copy of a file name places in the workspace where the original names places in the checkout,
// so that a test runs and imports what lies beside the copy, and does not write into the checkout. Only scripts with a #!
// line are read, and files whose names namesPlaces knows: a directory of dependencies has a hundred thousand others.
type relocation struct {
	from []string // the spellings of the directory that is copied from
	to   string
}

// mostRelocated is the size in bytes of the largest file that is relocated.
const mostRelocated = 1 << 20

// namesPlaces reports whether a file with that name lists places: in Python, where imports are looked for, and in a
// virtual environment, what a shell reads to use it.
func namesPlaces(name string) bool {
	ext := path.Ext(name)
	return ext == ".pth" || ext == ".egg-link" || ext == ".py" && strings.Contains(name, "editable") || strings.HasPrefix(name, "activate")
}

// read returns what the copy of a file holds, nil if that is what the file itself holds. Of a script these are its first
// two lines: an interpreter with a long path is named in the second one, by pip. A line that gets too long for the
// system makes the script fail; it is not left to run the interpreter of the checkout.
func (r *relocation) read(in *os.File, info fs.FileInfo) ([]byte, error) {
	if r == nil || info.Size() > mostRelocated {
		return nil, nil
	}
	whole := namesPlaces(info.Name())
	if !whole {
		var begin [2]byte
		if info.Mode().Perm()&0o111 == 0 {
			return nil, nil
		}
		if _, err := in.ReadAt(begin[:], 0); err != nil && !errors.Is(err, io.EOF) {
			return nil, err
		}
		if string(begin[:]) != "#!" {
			return nil, nil
		}
	}
	text, err := io.ReadAll(io.NewSectionReader(in, 0, mostRelocated)) // and io.Copy still begins at the start
	if err != nil {
		return nil, err
	}
	head := text
	if !whole {
		first, rest, _ := bytes.Cut(text, []byte{'\n'})
		second, _, _ := bytes.Cut(rest, []byte{'\n'})
		head = text[:min(len(first)+1+len(second), len(text))]
	}
	relocated := r.apply(head)
	if bytes.Equal(relocated, head) {
		return nil, nil
	}
	return append(relocated, text[len(head):]...), nil
}

// apply replaces the directory wherever text names it or a path below it. What stands before and behind decides whether
// it is named: /src/a is neither in /old/src/a nor in /src/a-b.
func (r *relocation) apply(text []byte) []byte {
	const before = " \t\r\n\"'`=:;,!([{<>|&"
	const behind = "/:\"'\r\n" + string(filepath.Separator)
	var out []byte
	done := 0
	for at := 0; at < len(text); at++ {
		if at > 0 && strings.IndexByte(before, text[at-1]) < 0 {
			continue
		}
		for _, from := range r.from {
			rest, found := bytes.CutPrefix(text[at:], []byte(from))
			if found && (len(rest) == 0 || strings.IndexByte(behind, rest[0]) >= 0) {
				out = append(append(out, text[done:at]...), r.to...)
				done = at + len(from)
				at = done - 1
				break
			}
		}
	}
	return append(out, text[done:]...)
}

// topsOf returns the spellings of the top of the checkout: git's, and that of the current directory, which may have
// been reached through symbolic links.
func topsOf(repo *git.Repo) []string {
	if repo.Top() == "" {
		return nil
	}
	tops := []string{filepath.FromSlash(repo.Top())}
	if real, err := filepath.EvalSymlinks(repo.Top()); err == nil {
		tops = append(tops, real)
	}
	if now, err := os.Getwd(); err == nil {
		top := filepath.Clean(strings.TrimSuffix(now, filepath.FromSlash(repo.Prefix())))
		there, err := os.Stat(top)
		if mine, failed := os.Stat(repo.Top()); err == nil && failed == nil && os.SameFile(there, mine) {
			tops = append(tops, top)
		}
	}
	slices.Sort(tops)
	return slices.Compact(tops)
}

package folders

import (
	"archive/tar"
	"archive/zip"
	"bufio"
	"bytes"
	"compress/bzip2"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"

	"github.com/klauspost/compress/zstd"
	"github.com/ulikunitz/xz"

	"github.com/gitdd/gitdd/internal/git"
)

// Extensions are those by which the names of archives usually end.
var Extensions = []string{"tar", "gz", "tgz", "bz2", "tbz2", "xz", "txz", "zst", "zip", "jar", "whl", "crate"}

// mostWindow is the largest window of zstd that is read, in bytes. It is that of zstd --ultra -22.
const mostWindow = 128 << 20

// readArchive stores the files of an archive. What kind of archive it is, its first bytes say.
func (e *end) readArchive() error {
	f, err := os.Open(e.name)
	if err != nil {
		return err
	}
	defer f.Close()
	before, err := f.Stat()
	if err != nil {
		return err
	}
	if err := e.readPacked(f, before.Size()); err != nil {
		return err
	}
	after, err := f.Stat()
	if err == nil && (after.Size() != before.Size() || !after.ModTime().Equal(before.ModTime())) {
		return fmt.Errorf("%s has changed while it was read: nothing may write there until gitdd has read it", e.name)
	}
	return err
}

func (e *end) readPacked(f *os.File, size int64) error {
	in := bufio.NewReaderSize(f, 1<<18)
	begin, err := in.Peek(512)
	if err != nil && err != io.EOF {
		return fmt.Errorf("read %s: %w", e.name, err)
	}
	begins := func(magic string) bool { return bytes.HasPrefix(begin, []byte(magic)) }
	const magicOfTar, atOfTar = "ustar", 257
	switch {
	case begins("PK\x03\x04"), begins("PK\x05\x06"):
		return e.readZip(f, size)
	case begins("\x1f\x8b"):
		unzipped, err := gzip.NewReader(in)
		if err != nil {
			return fmt.Errorf("read %s: %w", e.name, err)
		}
		return e.readTar(unzipped)
	case begins("BZh"):
		return e.readTar(bzip2.NewReader(in))
	case begins("\xfd7zXZ\x00"):
		unpacked, err := xz.NewReader(in)
		if err != nil {
			return fmt.Errorf("read %s: %w", e.name, err)
		}
		return e.readTar(unpacked)
	case begins("\x28\xb5\x2f\xfd"):
		unpacked, err := zstd.NewReader(in, zstd.WithDecoderMaxWindow(mostWindow), zstd.WithDecoderConcurrency(1))
		if err != nil {
			return fmt.Errorf("read %s: %w", e.name, err)
		}
		defer unpacked.Close()
		return e.readTar(unpacked)
	case len(begin) > atOfTar && strings.HasPrefix(string(begin[atOfTar:]), magicOfTar):
		return e.readTar(in)
	}
	return fmt.Errorf("%s is neither a folder nor an archive that gitdd reads: tar, also compressed by gzip, bzip2, xz or zstd, or zip", e.name)
}

// readTar stores the files of a tar archive.
func (e *end) readTar(from io.Reader) error {
	r := tar.NewReader(from)
	for first := true; ; first = false {
		h, err := r.Next()
		switch {
		case err == io.EOF:
			return nil
		case err != nil && first:
			return fmt.Errorf("%s: no tar archive can be read from it: %w", e.name, err)
		case err != nil && !errors.Is(err, tar.ErrInsecurePath): // such names are refused below
			return fmt.Errorf("%s is damaged: %w", e.name, err)
		case h.Typeflag == tar.TypeXGlobalHeader:
			continue
		}
		name, err := e.nameOf(h.Name, h.Typeflag == tar.TypeDir)
		if err != nil {
			return err
		}
		if name == "" {
			continue
		}
		mode := git.Regular
		if h.Mode&0o100 != 0 {
			mode = git.Executable
		}
		switch h.Typeflag {
		case tar.TypeReg, tar.TypeGNUSparse:
			err = e.add(name, mode, h.Size, r)
		case tar.TypeSymlink:
			err = e.add(name, git.Symlink, int64(len(h.Linkname)), strings.NewReader(h.Linkname))
		case tar.TypeLink:
			var to string
			if to, err = e.nameOf(h.Linkname, false); err == nil {
				err = e.link(name, to)
			}
		default:
			err = fmt.Errorf("%s: %s is a device, a named pipe or of another kind (%q) that is no file: pack it without that", e.name, shown(h.Name), h.Typeflag)
		}
		if err != nil {
			return err
		}
	}
}

// readZip stores the files of a zip archive.
func (e *end) readZip(from io.ReaderAt, size int64) error {
	r, err := zip.NewReader(from, size)
	if err != nil && !errors.Is(err, zip.ErrInsecurePath) { // such names are refused below
		return fmt.Errorf("%s is damaged: %w", e.name, err)
	}
	for _, f := range r.File {
		if err := e.readZipped(f); err != nil {
			return err
		}
	}
	return nil
}

func (e *end) readZipped(f *zip.File) error {
	name, err := e.nameOf(f.Name, strings.HasSuffix(f.Name, "/"))
	if name == "" || err != nil {
		return err
	}
	const encrypted = 1
	if f.Flags&encrypted != 0 {
		return fmt.Errorf("%s: %s is encrypted: unpack it into a folder and name that", e.name, shown(f.Name))
	}
	mode := git.Regular
	switch {
	case f.Mode()&fs.ModeSymlink != 0:
		mode = git.Symlink
	case !f.Mode().IsRegular():
		return fmt.Errorf("%s: %s is a %s, and no file: pack it without that", e.name, shown(f.Name), kind(f.Mode()))
	case f.Mode()&0o100 != 0:
		mode = git.Executable
	}
	if f.UncompressedSize64 > uint64(mostFile) {
		f.UncompressedSize64 = uint64(mostFile) + 1 // add refuses it, in whatever number of bits
	}
	content, err := f.Open()
	if err != nil {
		return fmt.Errorf("%s: %s: %w: unpack it into a folder and name that", e.name, shown(f.Name), err)
	}
	defer content.Close()
	return e.add(name, mode, int64(f.UncompressedSize64), content)
}

// nameOf is the path that an entry of an archive has in a tree; "" if it is a directory, which is entered, or is left out.
func (e *end) nameOf(entry string, dir bool) (string, error) {
	name := strings.TrimPrefix(entry, "./")
	if strings.HasPrefix(name, "/") {
		return "", fmt.Errorf("%s: the name of %s is absolute, and would lead out of the folder: pack it with names below one directory", e.name, shown(entry))
	}
	if slices.Contains(strings.Split(name, "/"), "..") {
		return "", fmt.Errorf("%s: the name of %s leads out of the folder: pack it with names below one directory", e.name, shown(entry))
	}
	name = path.Clean(name)
	own, isGit := gitPart(name)
	switch {
	case name == ".":
		return "", nil
	case isGit:
		if !slices.Contains(e.left, own) {
			e.left = append(e.left, own)
		}
		return "", nil
	case dir:
		return "", e.enterDir(name)
	}
	return name, nil
}

// gitPart is the begin of a path up to a directory or file .git, if there is one.
func gitPart(name string) (string, bool) {
	parts := strings.Split(name, "/")
	i := slices.Index(parts, ".git")
	return strings.Join(parts[:i+1], "/"), i >= 0
}

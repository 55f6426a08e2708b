package trial

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/gitdd/gitdd/internal/disk"
	"github.com/gitdd/gitdd/internal/jsonlog"
)

// An archive of a session is a tar file, compressed by gzip, with the files of its directory: first the journal, then the others
// but for those that say something of this machine alone or can be made again.

// leftOut are the names of the files and directories of a session that its archive does not have.
var leftOut = []string{ImportedFile, lockFile, workDir, placesFile, objectsDir, "answer", "patched-trees", "by-hand", "by-hand.json", "events.jsonl"}

// ImportedFile is the name of a file of sessions that Import has made. Whoever lets the command of such a session run has asked
// the user for that, and removes the file: an archive may be anybody's.
const ImportedFile = "imported"

// archived reports whether an archive has a file of a session, by its path below the directory. Sessions of single tests
// lie within that of their suite.
func archived(path string) bool {
	names := strings.Split(path, "/")
	if names[0] == "tests" && len(names) > 2 {
		names = names[2:]
	} else if path == journalFile { // it comes first
		return false
	}
	if names[0] == FoldersDir {
		return foldersPack(names)
	}
	repository := func(name string) bool { return strings.EqualFold(name, ".git") }
	return !slices.Contains(leftOut, names[0]) && !strings.HasPrefix(names[0], ".") && !strings.HasPrefix(names[0], unfinishedFile) && !slices.ContainsFunc(names, repository)
}

// foldersPack reports whether the names of a path are those of objects of [FoldersDir], or of a directory above them. All else
// there is made again: a configuration of anybody's could name programs.
func foldersPack(names []string) bool {
	above := []string{FoldersDir, "objects", "pack"}
	if len(names) <= len(above) {
		return slices.Equal(names, above[:len(names)])
	}
	return len(names) == len(above)+1 && slices.Equal(names[:len(above)], above) && slices.Contains([]string{".pack", ".idx"}, filepath.Ext(names[len(above)]))
}

// ArchiveHeader reads the header of the session in an archive, as it was where the archive was made.
func ArchiveHeader(archive io.Reader) (Header, error) {
	zipped, err := gzip.NewReader(archive)
	if err != nil {
		return Header{}, fmt.Errorf("not an archive of a session: %w", err)
	}
	files := tar.NewReader(zipped)
	if entry, err := files.Next(); err != nil || entry.Name != journalFile {
		return Header{}, errors.New("not an archive of a session: it does not begin with a journal")
	}
	read, err := decodeJournal("the journal of the archive", files)
	return read.header, err
}

// Export writes an archive of the session. Whatever process uses the session may go on meanwhile.
func (s *Session) Export(to io.Writer) error {
	zipped := gzip.NewWriter(to)
	zipped.Name = s.Name()
	files := tar.NewWriter(zipped)
	journal, err := os.ReadFile(filepath.Join(s.dir, journalFile))
	if err == nil {
		err = writeEntry(files, tar.Header{Name: journalFile, Mode: 0o644}, journal)
	}
	if err == nil {
		err = fs.WalkDir(os.DirFS(s.dir), ".", func(path string, d fs.DirEntry, err error) error {
			switch {
			case errors.Is(err, fs.ErrNotExist): // a process has removed it meanwhile
				return nil
			case err != nil || path == ".":
				return err
			case d.IsDir() && !archived(path):
				return fs.SkipDir
			case !archived(path):
				return nil
			}
			err = exportFile(files, filepath.Join(s.dir, filepath.FromSlash(path)), path)
			if errors.Is(err, fs.ErrNotExist) {
				return nil
			}
			return err
		})
	}
	if err = errors.Join(err, files.Close(), zipped.Close()); err != nil {
		return fmt.Errorf("export session %s: %w", s.Name(), err)
	}
	return nil
}

// exportFile writes a file of a session, or a symbolic link of an overlay, as the entry of that name. It passes over all else.
func exportFile(to *tar.Writer, file, name string) error {
	info, err := os.Lstat(file)
	if err != nil {
		return err
	}
	switch {
	case info.Mode().IsRegular():
		text, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		return writeEntry(to, tar.Header{Name: name, Mode: int64(info.Mode().Perm())}, text)
	case info.Mode()&fs.ModeSymlink != 0 && mayLink(name):
		target, err := os.Readlink(file)
		if err != nil {
			return err
		}
		return writeEntry(to, tar.Header{Name: name, Typeflag: tar.TypeSymlink, Linkname: target}, nil)
	}
	return nil
}

// mayLink reports whether a file of an archive may be a symbolic link: what is put over configurations may.
func mayLink(name string) bool { return strings.HasPrefix(name, overlayDir+"/") }

func writeEntry(to *tar.Writer, h tar.Header, text []byte) error {
	h.Size = int64(len(text))
	if err := to.WriteHeader(&h); err != nil {
		return err
	}
	_, err := to.Write(text)
	return err
}

// ErrDiverged says that a session has gone on both here and where an archive of it was made.
var ErrDiverged = errors.New("the session has gone on here and there")

// Import copies the session of an archive to a directory below root, and returns that directory. The header of the
// archive has the directories of another machine; adopt changes the header for this machine, or returns an error that says
// why that is impossible. If root already has the session, Import adds the trials that only the archive has. If each of
// the two has trials that the other one lacks, the error is ErrDiverged. After an error, the journals below root are
// unchanged.
func Import(root string, archive io.Reader, adopt func(*Header) error) (dir string, err error) {
	zipped, err := gzip.NewReader(archive)
	if err != nil {
		return "", fmt.Errorf("not an archive of a session: %w", err)
	}
	name := zipped.Name
	if !sessionName().MatchString(name) || strings.HasPrefix(name, ".") {
		return "", fmt.Errorf("not an archive of a session: %q is not the name of one", name)
	}
	half := filepath.Join(root, removedPrefix+name) // a kill leaves what Clean removes
	err = os.MkdirAll(root, 0o777)
	if err == nil {
		err = disk.RemoveAll(half)
	}
	if err == nil {
		err = os.Mkdir(half, 0o777)
	}
	if err != nil {
		return "", cacheError(err)
	}
	defer disk.RemoveAll(half)
	if err := unpack(half, zipped, adopt); err != nil {
		return "", err
	}
	if err := os.WriteFile(filepath.Join(half, ImportedFile), nil, 0o666); err != nil {
		return "", err
	}
	dir = filepath.Join(root, name)
	switch news, err := behind(dir, half); {
	case err != nil || !news:
		return dir, err
	case begun(dir):
		old, err := OpenSession(dir)
		if err != nil {
			return dir, err
		}
		defer old.Close()
		return dir, takeOver(dir, half)
	}
	return dir, errors.Join(os.Rename(half, dir), disk.SyncDir(root))
}

// takeOver moves the files of a session that is further on into the directory of what it was before. The journal comes last: until then
// the session is what it was.
func takeOver(dir, newer string) error {
	err := fs.WalkDir(os.DirFS(newer), ".", func(path string, d fs.DirEntry, err error) error {
		to := filepath.Join(dir, filepath.FromSlash(path))
		switch {
		case err != nil || path == journalFile:
			return err
		case d.IsDir():
			return os.MkdirAll(to, 0o777)
		}
		return os.Rename(filepath.Join(newer, filepath.FromSlash(path)), to)
	})
	if err == nil {
		err = os.Rename(filepath.Join(newer, journalFile), filepath.Join(dir, journalFile))
	}
	return errors.Join(err, disk.SyncDir(dir))
}

// behind reports whether the session in dir, if there is one, has no trial that the one in newer lacks, and lacks some itself.
func behind(dir, newer string) (bool, error) {
	here, err := os.ReadFile(filepath.Join(dir, journalFile))
	if errors.Is(err, fs.ErrNotExist) {
		return true, nil
	}
	there, err2 := os.ReadFile(filepath.Join(newer, journalFile))
	if err := errors.Join(err, err2); err != nil {
		return false, err
	}
	_, here, _ = bytes.Cut(here, []byte{'\n'}) // the headers name directories
	_, there, _ = bytes.Cut(there, []byte{'\n'})
	switch {
	case bytes.HasPrefix(here, there):
		return false, nil
	case bytes.HasPrefix(there, here):
		return true, nil
	}
	return false, ErrDiverged
}

// unpack makes dir a session's directory of what an archive has.
func unpack(dir string, archive io.Reader, adopt func(*Header) error) error {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer root.Close()
	if err := root.Mkdir(trialsDir, 0o777); err != nil {
		return err
	}
	files := tar.NewReader(archive)
	for first := true; ; first = false {
		entry, err := files.Next()
		if errors.Is(err, io.EOF) && !first {
			return nil
		}
		if err != nil {
			return fmt.Errorf("read the archive of a session: %w", err)
		}
		name := filepath.FromSlash(entry.Name)
		switch {
		case first && entry.Name == journalFile:
			if err := unpackJournal(dir, files, adopt); err != nil {
				return err
			}
			continue
		case first:
			return errors.New("not an archive of a session: it does not begin with a journal")
		case entry.Typeflag != tar.TypeReg && !(entry.Typeflag == tar.TypeSymlink && mayLink(entry.Name)) || !filepath.IsLocal(name) || !archived(entry.Name):
			return fmt.Errorf("the archive has %q, which no session exports", entry.Name)
		}
		err = root.MkdirAll(filepath.Dir(name), 0o777)
		if err == nil {
			err = unpackFile(root, name, entry, files)
		}
		if err != nil {
			return fmt.Errorf("read the archive of a session: %w", err)
		}
	}
}

func unpackFile(root *os.Root, name string, entry *tar.Header, from io.Reader) error {
	if entry.Typeflag == tar.TypeSymlink {
		return root.Symlink(entry.Linkname, name)
	}
	mode := fs.FileMode(0o644)
	if entry.Mode&0o100 != 0 {
		mode = 0o755
	}
	f, err := root.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_WRONLY, mode)
	if err != nil {
		return err
	}
	_, err = io.Copy(f, from)
	return errors.Join(err, f.Sync(), f.Close())
}

// unpackJournal writes a journal with the header that adopt makes of its own.
func unpackJournal(dir string, from io.Reader, adopt func(*Header) error) error {
	text, err := io.ReadAll(from)
	if err != nil {
		return fmt.Errorf("read the archive of a session: %w", err)
	}
	read, err := decodeJournal("the journal of the archive", bytes.NewReader(text))
	if err != nil {
		return err
	}
	if err := adopt(&read.header); err != nil {
		return err
	}
	header, err := jsonlog.Encode(headerLine, read.header)
	if err != nil {
		return err
	}
	_, rest, _ := bytes.Cut(text[:read.whole], []byte{'\n'})
	return disk.WriteFile(filepath.Join(dir, journalFile), slices.Concat(header, rest))
}

package git

import (
	"compress/zlib"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
)

// Scratch is a private object store on top of the repository's: git finds the
// repository's objects in it (alternates included) and writes new ones to it,
// so nothing is written into the user's repository. It has a private index too.
type Scratch struct {
	repo    *Repo
	objects string
	place   place
	deflate sync.Pool // of *zlib.Writer: one takes most of a megabyte
}

// NewScratch makes dir, or takes up the scratch store that is there already.
// The caller owns dir and removes it in the end.
func (r *Repo) NewScratch(dir string) (*Scratch, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, fmt.Errorf("scratch store: %w", err)
	}
	s := &Scratch{repo: r, objects: filepath.Join(dir, "objects")}
	if err := os.MkdirAll(s.objects, 0o777); err != nil {
		return nil, fmt.Errorf("scratch store: %w", err)
	}
	if err := s.heal(filepath.Join(dir, "index")); err != nil {
		return nil, fmt.Errorf("scratch store: %w", err)
	}
	// Without a work tree: no command can reach for the user's files.
	s.place = r.place(dir, "", append(s.env(), "GIT_INDEX_FILE="+filepath.Join(dir, "index"))...)
	return s, nil
}

// heal removes what a power failure leaves of files that nobody had put on the
// disk: an empty index, which git refuses, and empty objects, which git takes
// for stored. A living writer has neither: it renames what is complete.
func (s *Scratch) heal(index string) error {
	empty := func(path string) error {
		info, err := os.Stat(path)
		if err == nil && info.Mode().IsRegular() && info.Size() == 0 {
			err = os.Remove(path)
		}
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		return err
	}
	if err := empty(index); err != nil {
		return err
	}
	objects, err := filepath.Glob(filepath.Join(globQuote.Replace(s.objects), "??", "[0-9a-f]*"))
	if err != nil {
		return err
	}
	for _, path := range objects {
		if err := empty(path); err != nil {
			return err
		}
	}
	return nil
}

// globQuote makes a name a pattern that matches only itself.
var globQuote = strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`)

// env returns the variables that put the store on top of the repository's. git
// follows the alternates of an alternate by itself.
func (s *Scratch) env() []string {
	return []string{
		asStored,
		"GIT_OBJECT_DIRECTORY=" + s.objects,
		alternates(append([]string{filepath.Join(s.repo.commonDir, "objects")}, s.repo.added...)...),
	}
}

// alternates is the variable that makes git find the objects of directories, too; ""
// is none.
func alternates(dirs ...string) string {
	var list []string
	for _, dir := range dirs {
		if dir != "" {
			list = append(list, quoteAlternate(dir))
		}
	}
	return "GIT_ALTERNATE_OBJECT_DIRECTORIES=" + strings.Join(list, string(os.PathListSeparator))
}

// quoteAlternate protects a directory from being taken for a list.
func quoteAlternate(dir string) string {
	if !strings.ContainsAny(dir, "\"\\\n"+string(os.PathListSeparator)) {
		return dir
	}
	return cQuoted(dir)
}

// cQuoted is a text as git reads it in its config and in lists of alternates.
func cQuoted(text string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`, "\t", `\t`).Replace(text) + `"`
}

// Git runs git on the repository with this store and its index, without a work
// tree, in the scratch directory.
func (s *Scratch) Git(ctx context.Context, args ...string) ([]byte, error) {
	return s.place.run(ctx, nil, args...)
}

// Put stores an object of that kind ("blob", "tree", "commit") and returns its
// id. It does not look into the repository: an object that is there already is
// stored twice.
func (s *Scratch) Put(kind string, content []byte) (ID, error) {
	id := s.repo.HashObject(kind, content)
	path := filepath.Join(s.objects, string(id[:2]), string(id[2:]))
	// A file of length zero is what a power failure may leave of one.
	if info, err := os.Stat(path); err == nil && info.Size() > 0 {
		return id, nil
	}
	if err := s.write(path, kind, content); err != nil {
		return "", fmt.Errorf("store %s %s: %w", kind, id, err)
	}
	return id, nil
}

// write writes a loose object: under a temporary name, then renamed. Like git
// by default (core.fsync), it does not sync each one.
func (s *Scratch) write(path, kind string, content []byte) (err error) {
	dir := filepath.Dir(path)
	file, err := os.CreateTemp(dir, "tmp_obj_*")
	if errors.Is(err, fs.ErrNotExist) {
		if err := os.MkdirAll(dir, 0o777); err != nil {
			return err
		}
		file, err = os.CreateTemp(dir, "tmp_obj_*")
	}
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			file.Close()
			os.Remove(file.Name())
		}
	}()
	z, ok := s.deflate.Get().(*zlib.Writer)
	if ok {
		z.Reset(file)
	} else if z, err = zlib.NewWriterLevel(file, zlib.BestSpeed); err != nil {
		return err
	}
	defer s.deflate.Put(z)
	if _, err := fmt.Fprintf(z, "%s %d\x00", kind, len(content)); err != nil {
		return err
	}
	if _, err := z.Write(content); err != nil {
		return err
	}
	if err := z.Close(); err != nil {
		return err
	}
	if err := file.Chmod(0o444); err != nil {
		return err
	}
	if err := file.Close(); err != nil {
		return err
	}
	return os.Rename(file.Name(), path)
}

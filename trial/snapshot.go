package trial

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"runtime"
	"slices"
	"strings"
	"sync"
)

// A walker reads a whole directory for a snapshot, several files at a time. What git
// keeps beside the files, entries named .git, is left out, and so is what is neither a
// file nor a directory nor a symlink.
type walker struct {
	ctx   context.Context
	top   string                                    // the path of the directory; "" = it is the top of the snapshot
	known func(path string, info fs.FileInfo) *Leaf // nil = none; of a file that is as it was
	told  func(path string, info fs.FileInfo, f *Leaf)
	free  chan struct{} // holds a token for each goroutine beside the first

	mu  sync.Mutex
	err error // the first one
}

// walk reads what lies below root. Folders that are as in old, which may be nil, are
// those of old. Cost: all contents are read, but for those of known files; the memory
// of 80,000 files is some 20 MB.
func (w *walker) walk(root *os.Root, old *Folder) (*Folder, error) {
	w.free = make(chan struct{}, 2*runtime.GOMAXPROCS(0))
	f := w.folder(root, w.top, old)
	if w.err != nil {
		return nil, w.err
	}
	return f, w.ctx.Err()
}

func (w *walker) failed(path string, err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.err == nil {
		w.err = fmt.Errorf("read %q of a workspace: %w", path, err)
	}
}

// ended reports whether there is nothing more to be done.
func (w *walker) ended() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.err != nil || w.ctx.Err() != nil
}

// aside runs do, in another goroutine if there is one to spare.
func (w *walker) aside(group *sync.WaitGroup, do func()) {
	select {
	case w.free <- struct{}{}:
		group.Go(func() {
			do()
			<-w.free
		})
	default:
		do()
	}
}

// folder reads dir, which has the path, "" being the top.
func (w *walker) folder(dir *os.Root, at string, old *Folder) *Folder {
	listed, err := fs.ReadDir(dir.FS(), ".")
	if err != nil {
		w.failed(at, err)
		return nil
	}
	f := &Folder{Entries: make([]Entry, 0, len(listed))}
	for _, d := range listed { // in the order of their names
		if d.Name() != ".git" && (d.IsDir() || d.Type().IsRegular() || d.Type() == fs.ModeSymlink) {
			f.Entries = append(f.Entries, Entry{Name: d.Name()})
		}
	}
	var group sync.WaitGroup
	for i := range f.Entries {
		if w.ended() {
			break
		}
		e := &f.Entries[i]
		here := path.Join(at, e.Name)
		info, err := dir.Lstat(e.Name)
		switch {
		case err != nil:
			w.failed(here, err)
		case info.Mode()&fs.ModeSymlink != 0:
			if e.Target, err = dir.Readlink(e.Name); err != nil {
				w.failed(here, err)
			}
		case info.IsDir():
			var before *Folder
			if old != nil {
				was, _ := old.find(e.Name)
				before = was.Folder
			}
			w.aside(&group, func() {
				inner, err := dir.OpenRoot(e.Name)
				if err != nil {
					w.failed(here, err)
					return
				}
				defer inner.Close()
				e.Folder = w.folder(inner, here, before)
			})
		default:
			if w.known != nil {
				e.File = w.known(here, info)
			}
			if e.File == nil {
				w.aside(&group, func() { e.File = w.file(dir, e.Name, here, info) })
			}
		}
	}
	group.Wait()
	if old != nil && slices.EqualFunc(f.Entries, old.Entries, sameEntry) {
		return old
	}
	return f
}

func sameEntry(a, b Entry) bool {
	if a.File != nil && b.File != nil && *a.File != *b.File {
		return false
	}
	return a.Name == b.Name && (a.File != nil) == (b.File != nil) && a.Target == b.Target && a.Folder == b.Folder
}

// buffers are what files are read into.
var buffers = sync.Pool{New: func() any { b := make([]byte, 64<<10); return &b }}

func (w *walker) file(dir *os.Root, name, at string, info fs.FileInfo) *Leaf {
	f, err := dir.Open(name)
	if err != nil {
		w.failed(at, err)
		return nil
	}
	defer f.Close()
	sum := sha256.New()
	buffer := buffers.Get().(*[]byte)
	n, err := io.CopyBuffer(sum, struct{ io.Reader }{f}, *buffer)
	buffers.Put(buffer)
	if err != nil {
		w.failed(at, err)
		return nil
	}
	leaf := &Leaf{Path: at, Executable: info.Mode()&0o100 != 0, Size: n, Sum: [32]byte(sum.Sum(nil))}
	if w.told != nil {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.told(at, info, leaf)
	}
	return leaf
}

// isDir reports whether the folder has a directory at a path, which may lead through
// symlinks as long as they stay below it.
func (f *Folder) isDir(at string) bool {
	at = path.Clean(at)
	for links := 0; links <= 40; links++ {
		next, through := f.resolve(at)
		if !through {
			if next == "." {
				return true
			}
			e, ok := f.find(next)
			return ok && e.Folder != nil
		}
		at = next
		if at == ".." || strings.HasPrefix(at, "../") || path.IsAbs(at) {
			return false
		}
	}
	return false
}

// resolve replaces the first symlink of a path by what it leads to, if there is one.
func (f *Folder) resolve(at string) (next string, through bool) {
	names := strings.Split(at, "/")
	for i := range names {
		e, ok := f.find(path.Join(names[:i+1]...))
		if !ok || e.Target == "" {
			continue
		}
		if path.IsAbs(e.Target) {
			return e.Target, true
		}
		return path.Join(append(append(slices.Clone(names[:i]), e.Target), names[i+1:]...)...), true
	}
	return at, false
}

// errAltered says that a file of a staging workspace is not what it was.
var errAltered = errors.New("it is not what it was before: somebody has changed it, or a filter gives another content each time; `gitdd resume` goes on in a new workspace")

// A checked reader gives an error at its end unless what was read is the leaf.
type checked struct {
	from io.Reader
	leaf *Leaf
	sum  interface {
		io.Writer
		Sum(b []byte) []byte
	}
}

func check(from io.Reader, leaf *Leaf) checked { return checked{from, leaf, sha256.New()} }

func (c checked) Read(p []byte) (n int, err error) {
	n, err = c.from.Read(p)
	c.sum.Write(p[:n])
	if err == io.EOF && [32]byte(c.sum.Sum(nil)) != c.leaf.Sum {
		err = fmt.Errorf("%q in a workspace: %w", c.leaf.Path, errAltered)
	}
	return n, err
}

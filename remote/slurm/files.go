package slurm

import (
	"archive/tar"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"strings"
	"time"

	"github.com/gitdd/gitdd/trial"
)

// A base is what tasks have in common: the files of the first of them. The nodes keep it.
type base struct {
	root *trial.Folder
	name string   // by its content
	tar  *os.File // all of it below base/, without the end of an archive; removed when it is closed
	size int64
}

// made is the time of all files that are sent: what a command does must not depend on
// when they were.
var made = time.Unix(1_000_000_000, 0)

// baseOf makes the base of the first task, which is that of all others.
func (c *Cluster) baseOf(ctx context.Context, s *trial.Snapshot) (*base, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.base != nil {
		return c.base, nil
	}
	file, err := os.CreateTemp("", "gitdd-slurm-")
	if err != nil {
		return nil, fmt.Errorf("make a file for what is sent to the nodes: %w; set TMPDIR to a directory that can be written", err)
	}
	os.Remove(file.Name()) // it has no name any more, so nothing can be left of it
	b := &base{root: s.Root, tar: file}
	digest := sha256.New()
	err = writeTar(ctx, file, s, "base", entriesOf(s.Root, "", nil), digest)
	if err == nil {
		b.size, err = file.Seek(0, io.SeekCurrent)
	}
	if err != nil {
		file.Close()
		return nil, fmt.Errorf("pack the files for the nodes: %w", err)
	}
	b.name = hex.EncodeToString(digest.Sum(nil)[:8])
	c.base = b
	return b, nil
}

// An entry is one of a snapshot, with its path from the top.
type entry struct {
	path string
	trial.Entry
}

// entriesOf appends all that is below a folder, each folder before what is in it.
func entriesOf(f *trial.Folder, under string, all []entry) []entry {
	for _, e := range f.Entries {
		all = appendEntry(all, e, under)
	}
	return all
}

// differences are what is gone from one folder to the other, or is something else there,
// and what has to be written then. Folders that both share are not looked into.
func differences(from, to *trial.Folder, under string) (gone []string, written []entry) {
	if from == to {
		return nil, nil
	}
	i, j := 0, 0
	for i < len(from.Entries) || j < len(to.Entries) {
		switch {
		case j == len(to.Entries) || i < len(from.Entries) && from.Entries[i].Name < to.Entries[j].Name:
			gone = append(gone, path.Join(under, from.Entries[i].Name))
			i++
		case i == len(from.Entries) || from.Entries[i].Name > to.Entries[j].Name:
			written = appendEntry(written, to.Entries[j], under)
			j++
		default:
			old, now := from.Entries[i], to.Entries[j]
			at := path.Join(under, now.Name)
			switch {
			case old.Folder != nil && now.Folder != nil:
				g, w := differences(old.Folder, now.Folder, at)
				gone, written = append(gone, g...), append(written, w...)
			case old.File != nil && now.File != nil && old.File.Sum == now.File.Sum && old.File.Executable == now.File.Executable:
			case old.File == nil && now.File == nil && old.Folder == nil && now.Folder == nil && old.Target == now.Target:
			default:
				gone = append(gone, at)
				written = appendEntry(written, now, under)
			}
			i, j = i+1, j+1
		}
	}
	return gone, written
}

func appendEntry(all []entry, e trial.Entry, under string) []entry {
	at := path.Join(under, e.Name)
	all = append(all, entry{at, e})
	if e.Folder != nil {
		all = entriesOf(e.Folder, at, all)
	}
	return all
}

// writeTar writes entries of a snapshot below a directory, without the end of an
// archive, and tells digest what they are.
func writeTar(ctx context.Context, out io.Writer, s *trial.Snapshot, dir string, entries []entry, digest io.Writer) error {
	w := tar.NewWriter(out)
	top := ""
	if dir != "" {
		top = dir + "/"
		if err := w.WriteHeader(header(top, tar.TypeDir, 0o755, 0)); err != nil {
			return err
		}
	}
	var files []*trial.Leaf
	at := map[*trial.Leaf]string{}
	for _, e := range entries {
		var h *tar.Header
		switch {
		case e.Folder != nil:
			h = header(top+e.path+"/", tar.TypeDir, 0o755, 0)
		case e.File != nil:
			files = append(files, e.File)
			at[e.File] = e.path
			fmt.Fprintf(digest, "%q %x %v\n", e.path, e.File.Sum, e.File.Executable)
			continue
		default:
			h = header(top+e.path, tar.TypeSymlink, 0o777, 0)
			h.Linkname = e.Target
		}
		fmt.Fprintf(digest, "%q %q\n", e.path, e.Target)
		if err := w.WriteHeader(h); err != nil {
			return err
		}
	}
	if len(files) > 0 {
		var failed error
		err := s.Read(ctx, files, func(f *trial.Leaf, content io.Reader) error {
			mode := int64(0o644)
			if f.Executable {
				mode = 0o755
			}
			if failed = w.WriteHeader(header(top+at[f], tar.TypeReg, mode, f.Size)); failed == nil {
				var n int64
				if n, failed = io.Copy(w, content); failed == nil && n != f.Size {
					failed = fmt.Errorf("%s has %d bytes, not %d", f.Path, n, f.Size)
				}
			}
			return failed
		})
		if err = errors.Join(err, failed); err != nil {
			return err
		}
	}
	return w.Flush()
}

// header is that of an entry; of the formats GNU's takes any bytes for a name.
func header(name string, kind byte, mode, size int64) *tar.Header {
	return &tar.Header{Name: name, Typeflag: kind, Mode: mode, Size: size, ModTime: made, Format: tar.FormatGNU}
}

// pack makes what is sent for a task beside the base: its wrapper, and what it differs
// in from the base. It ends the archive.
func (c *Cluster) pack(ctx context.Context, t trial.Task, b *base) ([]byte, error) {
	var all bytes.Buffer
	w := tar.NewWriter(&all)
	file := func(name string, text []byte) error {
		if err := w.WriteHeader(header(name, tar.TypeReg, 0o644, int64(len(text)))); err != nil {
			return err
		}
		_, err := w.Write(text)
		return err
	}
	if b != nil {
		gone, written := differences(b.root, t.Files.Root, "")
		var remove, changed bytes.Buffer
		for _, name := range gone {
			remove.WriteString("rm -rf " + quoted("./"+name) + " || exit 1\n")
		}
		if err := writeTar(ctx, &changed, t.Files, "", written, io.Discard); err != nil {
			return nil, fmt.Errorf("pack what differs: %w", err)
		}
		if err := tar.NewWriter(&changed).Close(); err != nil {
			return nil, err
		}
		if err := errors.Join(file("remove.sh", remove.Bytes()), file("changed.tar", changed.Bytes())); err != nil {
			return nil, err
		}
	}
	layout := trial.Layout{Top: "w", Out: "out"}
	if t.Files == nil {
		layout = trial.Layout{Top: t.Shared, Out: "out", State: t.State}
	}
	if err := errors.Join(file("run.sh", t.Wrapper(layout)), w.Close()); err != nil {
		return nil, err
	}
	return all.Bytes(), nil
}

// quoted is a word for a shell.
func quoted(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }

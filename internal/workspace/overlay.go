package workspace

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/gitdd/gitdd/internal/disk"
	"github.com/gitdd/gitdd/internal/git"
)

// An Overlay is a set of files that lie over every configuration. They are
// copied into the session once, so that what the user edits meanwhile changes
// neither a running search nor a resumed one.
type Overlay struct {
	Dir    string           // the copy; a file lies there as in the workspace
	files  map[string]entry // by path relative to the top
	Digest string           // of paths, modes and contents; "" = there is no overlay
}

// overlayOf makes the overlay of Options.
func overlayOf(ctx context.Context, o Options, scratch *git.Scratch) (Overlay, error) {
	if len(o.Overlay) == 0 {
		return Overlay{}, nil
	}
	top, prefix := o.Repo.Top(), o.Repo.Prefix()
	if top == "" {
		top = o.OverlayFrom
	}
	return NewOverlay("--overlay", o.OverlayCopy, top, func(c Copier) error {
		for _, p := range o.Overlay {
			if err := c.overlay(ctx, o.Repo, scratch, p, prefix); err != nil {
				return disk.Wrap("--overlay "+p, err)
			}
		}
		return nil
	})
}

// NewOverlay lets fill copy files from below a directory into dir, unless dir exists, and returns what is in dir
// then. An error of anything but fill names the operation.
func NewOverlay(operation, dir, from string, fill func(Copier) error) (o Overlay, err error) {
	var filling error
	err = appear(dir, func(half string) error {
		to, err := os.OpenRoot(half)
		if err != nil {
			return err
		}
		defer to.Close()
		filling = fill(Copier{from: from, to: to, skip: func(rel string) bool { return path.Base(rel) == ".git" }})
		return filling
	})
	if err == nil {
		o, err = readOverlay(dir)
	}
	if err != nil && filling == nil {
		err = disk.Wrap(operation, err)
	}
	return o, err
}

// appear makes the directory dir with what fill puts into half, a directory of another name, or makes none. If dir exists, it
// stays as it is.
func appear(dir string, fill func(half string) error) error {
	_, err := os.Lstat(dir)
	if !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	half := dir + ".half"
	err = disk.RemoveAll(half)
	if err == nil {
		err = os.Mkdir(half, 0o777)
	}
	if err == nil {
		err = fill(half)
	}
	if err == nil {
		err = os.Rename(half, dir)
	}
	return err
}

// overlay copies what p names: a path of the checkout if there is such a one,
// else what a revision has. prefix is where in the checkout gitdd was called.
func (c Copier) overlay(ctx context.Context, repo *git.Repo, scratch *git.Scratch, p, prefix string) error {
	rel, err := inCheckout(c.from, prefix, p)
	if rev, path, ok := revisionPath(p); ok && err != nil {
		return c.overlayRevision(ctx, repo, scratch, rev, path, err)
	}
	if err == nil {
		err = checkPath(rel)
	}
	if err == nil {
		err = c.Copy(rel)
	}
	return err
}

// readOverlay lists the copied files below dir.
func readOverlay(dir string) (Overlay, error) {
	o := Overlay{Dir: dir, files: map[string]entry{}}
	all := sha256.New()
	err := filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		rel, err := filepath.Rel(dir, name)
		if err != nil {
			return err
		}
		rel = filepath.ToSlash(rel)
		info, err := d.Info()
		if err != nil {
			return err
		}
		mode := git.Regular
		switch {
		case info.Mode()&fs.ModeSymlink != 0:
			mode = git.Symlink
		case info.Mode()&0o100 != 0:
			mode = git.Executable
		}
		content, err := o.read(rel, mode)
		if err != nil {
			return err
		}
		sum := sha256.Sum256(content)
		o.files[rel] = entry{mode: mode, id: git.ID("overlay " + hex.EncodeToString(sum[:]))}
		fmt.Fprintf(all, "%s\x00%v %x\n", rel, mode, sum)
		return nil
	})
	if err != nil {
		return Overlay{}, err
	}
	o.Digest = hex.EncodeToString(all.Sum(nil)[:8])
	return o, nil
}

// read returns the content of an overlaid file, or the target of a symlink.
func (o Overlay) read(rel string, mode git.Mode) ([]byte, error) {
	name := filepath.Join(o.Dir, filepath.FromSlash(rel))
	if mode == git.Symlink {
		target, err := os.Readlink(name)
		return []byte(target), err
	}
	return os.ReadFile(name)
}

// modTime returns the modification time of an overlaid file in a workspace: that of the user's file, which is
// older than what a workspace writes of a configuration. So make builds a program anew that lies in the
// overlay beside its sources, and that the user has built from others. A source in the overlay that a trial changes gets
// that time again, too: what make has built of the change then counts as newer. now is the latest time to return.
func (o Overlay) modTime(rel string, now time.Time) (time.Time, error) {
	info, err := os.Lstat(filepath.Join(o.Dir, filepath.FromSlash(rel)))
	if err != nil || info.ModTime().After(now) {
		return now, err
	}
	return info.ModTime(), nil
}

// hides reports whether the overlay decides about a path of the tree: it has
// that path itself, needs it as a directory, or has a file where the path
// needs a directory.
func (o Overlay) hides(rel string) bool {
	if _, ok := o.files[rel]; ok {
		return true
	}
	for above := path.Dir(rel); above != "."; above = path.Dir(above) {
		if _, ok := o.files[above]; ok {
			return true
		}
	}
	for other := range o.files {
		if strings.HasPrefix(other, rel+"/") {
			return true
		}
	}
	return false
}

// inCheckout returns the path that p names relative to the top of the user's
// checkout: p is absolute, or relative to the directory that gitdd was called
// in, or else to the top. It need not be tracked, but must exist.
func inCheckout(top, prefix, p string) (string, error) {
	if top == "" {
		return "", errors.New("the repository is bare: there is no checkout to take files from")
	}
	names := []string{p}
	if !filepath.IsAbs(p) {
		names = []string{
			filepath.Join(top, filepath.FromSlash(prefix), p),
			filepath.Join(top, p),
		}
	}
	for _, name := range names {
		_, err := os.Lstat(name)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return "", err
		}
		rel, err := filepath.Rel(top, name)
		if err != nil || !filepath.IsLocal(rel) || rel == "." {
			return "", fmt.Errorf("lies outside of the checkout %s: copy it to where each workspace shall have it", top)
		}
		return filepath.ToSlash(rel), nil
	}
	return "", fmt.Errorf("there is no such file or directory; it is looked for in %s", filepath.Dir(names[0]))
}

// keepPaths resolves Options.Keep and returns the tracked paths below them,
// which are not copied: the workspace has its own.
func keepPaths(ctx context.Context, repo *git.Repo, keep []string) (paths []string, tracked map[string]bool, err error) {
	if len(keep) == 0 {
		return nil, nil, nil
	}
	for _, p := range keep {
		rel, err := inCheckout(repo.Top(), repo.Prefix(), p)
		if err != nil {
			return nil, nil, fmt.Errorf("--keep %s: %w", p, err)
		}
		if err := checkPath(rel); err != nil {
			return nil, nil, fmt.Errorf("--keep %s: it belongs to git", p)
		}
		paths = append(paths, rel)
	}
	slices.Sort(paths)
	out, err := repo.Git(ctx, slices.Concat([]string{"--literal-pathspecs", "ls-files", "-z", "--"}, paths)...)
	if err != nil {
		return nil, nil, fmt.Errorf("--keep: %w", err)
	}
	tracked = map[string]bool{}
	for name := range strings.SplitSeq(string(out), "\x00") {
		tracked[name] = true
	}
	return paths, tracked, nil
}

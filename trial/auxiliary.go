package trial

import (
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/gitdd/gitdd/internal/disk"
	"github.com/gitdd/gitdd/internal/snapshot"
	"github.com/gitdd/gitdd/internal/workspace"
	"github.com/gitdd/gitdd/testcase"
)

// The two directories of a task of Inputs or of an Executor. The command runs in the first, which has the files of
// the trial. GITDD_DIR names the second, which has the auxiliary files.
const (
	inputTop     = "in"
	auxiliaryTop = "dir"
)

// programsDir is the directory, below the second, of programs that are not in the directory that gitdd was started in.
const programsDir = ".programs"

// AuxiliaryOptions name files of this machine that commands need on others.
type AuxiliaryOptions struct {
	Start string   // the directory that names are relative to
	Paths []string // files and directories below Start; they keep their places

	// Jobs are the commands. The program of a command is copied if its name has a slash and names a file relative to
	// Start. The files of a Job are not copied.
	Jobs []Job

	// Programs are the absolute names of programs that are brought from anywhere. An argument of a command that is
	// such a name becomes that of the copy.
	Programs []string
}

// An Auxiliary is a copy of the files that other machines get beside those of each trial, in the directory that GITDD_DIR
// names. The files are the same for all tasks, so that an adapter sends them only once.
type Auxiliary struct {
	files    workspace.Overlay
	start    string
	folder   *Folder
	programs map[string]string // the paths in a task of programs, by their absolute names here
}

// NewAuxiliary copies the files into the directory dir, which it makes. If dir exists, NewAuxiliary uses the files that
// an earlier call has copied there.
func NewAuxiliary(ctx context.Context, dir string, o AuxiliaryOptions) (*Auxiliary, error) {
	a := &Auxiliary{start: o.Start, folder: &Folder{}, programs: map[string]string{}}
	paths := slices.Clone(o.Paths)
	for _, job := range o.Jobs {
		if name := job.program(); fromHere(name, o.Start) != name {
			paths = append(paths, name)
			a.programs[fromHere(name, o.Start)] = path.Join(auxiliaryTop, filepath.ToSlash(name))
		}
	}
	for i, name := range o.Programs {
		a.programs[name] = path.Join(auxiliaryTop, copyOf(i, name))
	}
	if len(a.programs)+len(paths) == 0 {
		return a, nil
	}
	var err error
	a.files, err = workspace.NewOverlay("copy files for other machines", dir, o.Start, func(c workspace.Copier) error {
		for _, p := range paths {
			if err := a.copyNamed(c, p); err != nil {
				return disk.Wrap("copy "+p+" for other machines", err)
			}
		}
		for i, p := range o.Programs {
			if err := c.As(p, copyOf(i, p)); err != nil {
				return disk.Wrap("copy "+p+" for other machines", err)
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	root, err := os.OpenRoot(a.files.Dir)
	if err != nil {
		return nil, disk.Wrap("read what is copied for other machines", err)
	}
	defer root.Close()
	a.folder, err = snapshot.Reader{Top: auxiliaryTop}.Read(ctx, root, nil)
	return a, err
}

// copyOf is the path of the copy of AuxiliaryOptions.Programs[i]: several may have one name in different directories.
func copyOf(i int, name string) string {
	return path.Join(programsDir, strconv.Itoa(i), filepath.Base(name))
}

// copyNamed copies what the user has named, which has to lie below the start. Where that is a symbolic link to a file, the
// copy is the file.
func (a *Auxiliary) copyNamed(c workspace.Copier, name string) error {
	if !filepath.IsAbs(name) {
		name = filepath.Join(a.start, name)
	}
	rel, err := filepath.Rel(a.start, name)
	if err != nil || !filepath.IsLocal(rel) || rel == "." {
		return fmt.Errorf("other machines get files and directories below %s only", a.start)
	}
	info, err := os.Stat(name)
	if err != nil {
		return err
	}
	if !info.Mode().IsRegular() {
		return c.Copy(filepath.ToSlash(rel))
	}
	return c.As(name, filepath.ToSlash(rel))
}

// program is the name of the program that a command calls on another machine.
func (a *Auxiliary) program(name string) string {
	if at, ok := a.programs[fromHere(name, a.start)]; ok {
		return TopDir + "/" + at
	}
	return name
}

// names is a command with the names that programs have on another machine.
func (a *Auxiliary) names(argv []string) []string {
	argv = slices.Clone(argv)
	for i, arg := range argv {
		if i == 0 || filepath.IsAbs(arg) {
			argv[i] = a.program(arg)
		}
	}
	return argv
}

// beside returns what a machine gets for a trial: the files, in folder, which may have empty directories, and the
// auxiliary files.
func (a *Auxiliary) beside(folder *Folder, files []testcase.File) *Snapshot {
	contents := map[string][]byte{}
	var edits []snapshot.Edit
	for _, f := range files {
		e := Entry{Target: string(f.Content)}
		if f.Mode&fs.ModeSymlink == 0 {
			at := path.Join(inputTop, f.Path)
			e = Entry{File: &Leaf{Path: at, Executable: f.Mode&0o100 != 0, Size: int64(len(f.Content)), Sum: sha256.Sum256(f.Content)}}
			contents[at] = f.Content
		}
		edits = append(edits, snapshot.Edit{Path: f.Path, To: e})
	}
	s := &Snapshot{Root: &Folder{Entries: []Entry{
		{Name: auxiliaryTop, Folder: a.folder},
		{Name: inputTop, Folder: snapshot.With(folder, edits)},
	}}}
	s.Read = func(ctx context.Context, files []*Leaf, use func(f *Leaf, content io.Reader) error) error {
		for _, f := range files {
			if err := ctx.Err(); err != nil {
				return err
			}
			if text, ok := contents[f.Path]; ok {
				if err := use(f, bytes.NewReader(text)); err != nil {
					return err
				}
				continue
			}
			if err := a.read(f, use); err != nil {
				return err
			}
		}
		return nil
	}
	return s
}

// read calls use with the content of an auxiliary file.
func (a *Auxiliary) read(f *Leaf, use func(f *Leaf, content io.Reader) error) error {
	file, err := os.Open(filepath.Join(a.files.Dir, filepath.FromSlash(strings.TrimPrefix(f.Path, auxiliaryTop+"/"))))
	if err != nil {
		return disk.Wrap("read what is copied for other machines", err)
	}
	defer file.Close()
	return use(f, snapshot.Check(file, f))
}

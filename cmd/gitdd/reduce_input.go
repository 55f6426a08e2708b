package main

import (
	"archive/tar"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/gitdd/gitdd/testcase"
	"github.com/gitdd/gitdd/trial"
)

// stdinPath names standard input among the paths of the user, and stdinName in words.
// What was read from it is a file stdinFile in the directory of a trial.
const (
	stdinPath = "-"
	stdinName = "standard input"
	stdinFile = "stdin"
)

// readUnlessEnded returns the result of read, or the cause of ctx if ctx ends first: read may wait
// for a terminal or a pipe, and is then left running.
func readUnlessEnded(ctx context.Context, read func() ([]byte, error)) ([]byte, error) {
	type result struct {
		text []byte
		err  error
	}
	done := make(chan result, 1)
	go func() {
		text, err := read()
		done <- result{text, err}
	}()
	select {
	case r := <-done:
		return r.text, r.err
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

// fromStdin: the input is read from standard input, once, by a new reduction.
func (s *reducing) fromStdin() bool { return slices.Equal(s.paths, []string{stdinPath}) }

// named is what a sentence calls the input.
func (s *reducing) named() string {
	if s.fromStdin() {
		return stdinName
	}
	return strings.Join(s.paths, " and ")
}

// read reads the input as it is now.
func (s *reducing) read(ctx context.Context) (testcase.Input, error) {
	if !s.fromStdin() {
		return readInput(s.paths)
	}
	text, err := readUnlessEnded(ctx, func() ([]byte, error) { return io.ReadAll(os.Stdin) })
	if err != nil {
		return testcase.Input{}, fmt.Errorf("read standard input: %w", err)
	}
	return testcase.Input{Files: []testcase.File{{Path: stdinFile, Mode: 0o644, Content: text}}}, nil
}

// onStdin reports whether the candidate is the standard input of the command: if <{} is one of its
// arguments, or if the input is not a directory and no argument refers to it.
func (s *reducing) onStdin(dir bool) bool {
	return slices.Contains(s.command, trial.OnStdin) || !dir && !s.usesInput()
}

// readInput reads the files of an input as they are now: one file, or all that
// lies in the directories and files that are named, below their base names. What
// a .git directory holds is left out.
func readInput(paths []string) (testcase.Input, error) {
	in := testcase.Input{Dir: len(paths) > 1}
	named := map[string]string{} // by base name
	for _, name := range paths {
		abs, err := filepath.Abs(name)
		if err != nil {
			return in, err
		}
		base := filepath.Base(abs)
		if other, taken := named[base]; taken {
			return in, fmt.Errorf("%s and %s have the same name: COMMAND finds both in one directory; name the directory that they are in", other, name)
		}
		named[base] = name
		info, err := os.Stat(name)
		if errors.Is(err, fs.ErrNotExist) {
			return in, fmt.Errorf("there is no file %s", name)
		}
		if err != nil {
			return in, err
		}
		if !info.IsDir() {
			f, err := readFile(name, base, info.Mode())
			if err != nil {
				return in, err
			}
			in.Files = append(in.Files, f)
			continue
		}
		in.Dir = true
		files, err := readDir(abs, base, false)
		if err != nil {
			return in, err
		}
		in.Files = append(in.Files, files...)
	}
	slices.SortFunc(in.Files, func(a, b testcase.File) int { return strings.Compare(a.Path, b.Path) })
	return in, nil
}

// readDir reads the files below a directory, which may be named by a symlink, and
// those of .git directories only where all are wanted.
func readDir(dir, base string, all bool) (files []testcase.File, err error) {
	if dir, err = filepath.EvalSymlinks(dir); err != nil {
		return nil, err
	}
	err = filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			if err == nil && d.Name() == ".git" && !all {
				return fs.SkipDir
			}
			return err
		}
		rel, err := filepath.Rel(dir, name)
		if err != nil {
			return err
		}
		f, err := readFile(name, path.Join(base, filepath.ToSlash(rel)), d.Type())
		if err == nil {
			files = append(files, f)
		}
		return err
	})
	return files, err
}

// readFile reads a file, or a symlink unless mode says that it was followed.
func readFile(name, as string, mode fs.FileMode) (f testcase.File, err error) {
	f.Path = as
	switch mode.Type() {
	case fs.ModeSymlink:
		target, err := os.Readlink(name)
		f.Mode, f.Content = fs.ModeSymlink, []byte(target)
		return f, err
	case 0:
	default:
		return f, fmt.Errorf("%s is no file: gitdd reads files and directories", name)
	}
	info, err := os.Stat(name)
	if err == nil {
		f.Mode = info.Mode().Perm()
		f.Content, err = os.ReadFile(name)
	}
	return f, err
}

// originalFile is where a session keeps its input: a resumed one goes on with
// that, whatever became of the files.
const (
	originalFile = "input.tar"
	passingFile  = "passing.tar"
)

// keepInput writes an input into the session.
func keepInput(session *trial.Session, name string, in testcase.Input) error {
	var text bytes.Buffer
	w := tar.NewWriter(&text)
	if in.Dir { // else it is one file
		if err := w.WriteHeader(&tar.Header{Typeflag: tar.TypeDir, Name: "./", Mode: 0o755}); err != nil {
			return err
		}
	}
	for _, f := range in.Files {
		h := tar.Header{Typeflag: tar.TypeReg, Name: f.Path, Mode: int64(f.Mode.Perm()), Size: int64(len(f.Content)), Format: tar.FormatPAX}
		content := f.Content
		if f.Mode&fs.ModeSymlink != 0 {
			h.Typeflag, h.Linkname, h.Size, content = tar.TypeSymlink, string(f.Content), 0, nil
		}
		if err := w.WriteHeader(&h); err != nil {
			return fmt.Errorf("keep the input: %s: %w", f.Path, err)
		}
		if _, err := w.Write(content); err != nil {
			return err
		}
	}
	if err := w.Close(); err != nil {
		return err
	}
	return session.WriteFile(name, text.Bytes())
}

// keptInput reads what keepInput wrote.
func keptInput(session *trial.Session, name string) (testcase.Input, error) {
	var in testcase.Input
	text, err := session.ReadFile(name)
	if err != nil {
		return in, fmt.Errorf("read the input of session %s: %w", session.Name(), err)
	}
	r := tar.NewReader(bytes.NewReader(text))
	for {
		h, err := r.Next()
		if err == io.EOF {
			return in, nil
		}
		if err != nil {
			return in, fmt.Errorf("read the input of session %s: %w", session.Name(), err)
		}
		if h.Typeflag == tar.TypeDir {
			in.Dir = true
			continue
		}
		f := testcase.File{Path: h.Name, Mode: fs.FileMode(h.Mode).Perm(), Content: []byte(h.Linkname)}
		if h.Typeflag == tar.TypeSymlink {
			f.Mode = fs.ModeSymlink
		} else if f.Content, err = io.ReadAll(r); err != nil {
			return in, fmt.Errorf("read the input of session %s: %w", session.Name(), err)
		}
		in.Files = append(in.Files, f)
	}
}

package git

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
)

// An Import stores files in a repository of its own, by one process of git fast-import. Its methods are called one
// after the other. After an error only Close may be called.
type Import struct {
	stream *bufio.Writer
	pipe   *io.PipeWriter
	marks  int
	ended  chan error
	failed error
}

// A Stored is the content of a file that an [Import] has stored.
type Stored struct{ mark int }

// An Imported is one file of a commit that an [Import] makes.
type Imported struct {
	Path    string // slash-separated; the caller has checked it
	Mode    Mode
	Content Stored
}

// NewImport makes dir, in which there may be objects already, a bare repository, whose workspaces have all files byte for byte as they were stored,
// whatever attribute files and the user's configuration say, and begins to store files in it. HEAD is the branch of
// that name. The repository can be opened by [OpenAt] after Close.
func NewImport(ctx context.Context, dir, branch string) (*Import, error) {
	program, err := findProgram()
	if err != nil {
		return nil, err
	}
	if dir, err = filepath.Abs(dir); err != nil {
		return nil, fmt.Errorf("import: %w", err)
	}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return nil, fmt.Errorf("import: %w", err)
	}
	if err := initialize(ctx, program, dir, branch, "--bare", "--object-format=sha1"); err != nil {
		return nil, err
	}
	if err := storeAsIs(dir); err != nil {
		return nil, fmt.Errorf("import: %w", err)
	}
	in, out := io.Pipe()
	i := &Import{stream: bufio.NewWriterSize(out, 1<<18), pipe: out, ended: make(chan error, 1)}
	at := place{program: program, dir: dir, gitDir: dir}
	go func() {
		// Packs even for few files, without deltas, which most contents do not gain by and all pay for.
		_, err := at.run(ctx, in, "-c", "fastimport.unpackLimit=0", "-c", "pack.compression=1", "fast-import", "--quiet", "--done", "--depth=0")
		i.ended <- err
		in.CloseWithError(err) // or else writing would wait for ever
	}()
	return i, nil
}

// storeAsIs configures a repository so that no file is converted. The attributes have precedence over those of the
// files that are stored, and workspaces have copies of both.
func storeAsIs(gitDir string) error {
	config := "[core]\n\tautocrlf = false\n\teol = lf\n"
	if runtime.GOOS != "windows" {
		config += "\tsymlinks = true\n"
	}
	attributes := "* -text -eol -crlf -filter -ident -working-tree-encoding\n"
	file, err := os.OpenFile(filepath.Join(gitDir, "config"), os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		return err
	}
	_, err = file.WriteString(config)
	if err := errors.Join(err, file.Close()); err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Join(gitDir, "info"), 0o777); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(gitDir, "info", "attributes"), []byte(attributes), 0o666)
}

// Store stores the content of a file, which has that size. It returns io.ErrUnexpectedEOF if there is less to read.
func (i *Import) Store(size int64, from io.Reader) (Stored, error) {
	i.marks++
	i.printf("blob\nmark :%d\ndata %d\n", i.marks, size)
	if i.failed != nil {
		return Stored{}, i.failed
	}
	n, err := io.Copy(i.stream, io.LimitReader(from, size))
	if err == nil && n < size {
		err = io.ErrUnexpectedEOF
	}
	if err != nil {
		i.failed = err
		return Stored{}, err
	}
	i.printf("\n")
	return Stored{i.marks}, i.failed
}

// Commit makes a branch with one commit, which has no parent and these files.
func (i *Import) Commit(branch, message string, files []Imported) error {
	i.begin(branch, message)
	for _, f := range files {
		i.printf("M %06o :%d %s\n", uint32(f.Mode), f.Content.mark, cQuoted(f.Path))
	}
	i.printf("\n")
	return i.failed
}

// CommitTree is Commit for a tree that the repository has already.
func (i *Import) CommitTree(branch, message string, tree ID) error {
	i.begin(branch, message)
	i.printf("M %06o %s \"\"\n\n", uint32(Directory), tree)
	return i.failed
}

func (i *Import) begin(branch, message string) {
	i.printf("commit refs/heads/%s\ncommitter gitdd <gitdd> 0 +0000\ndata %d\n%s\n", branch, len(message), message)
}

func (i *Import) printf(format string, args ...any) {
	if i.failed == nil {
		_, i.failed = fmt.Fprintf(i.stream, format, args...)
	}
}

// Close ends the import. What was stored is there if no method has returned an error.
func (i *Import) Close() error {
	i.printf("done\n")
	if i.failed == nil {
		i.failed = i.stream.Flush()
	}
	i.pipe.CloseWithError(i.failed)
	ended := <-i.ended
	if i.failed != nil && !refused(i.failed) {
		return i.failed // of which git only says that its input ended too early
	}
	return ended
}

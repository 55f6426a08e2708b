package trial

import (
	"context"
	"errors"
	"fmt"
	"path"
	"runtime"
	"slices"
	"strings"

	"github.com/gitdd/gitdd/internal/git"
)

// Most files are written byte for byte as the tree has them. Some are not:
// attributes (filter=lfs, eol=crlf, ident, working-tree-encoding) or the
// user's configuration ask git to convert them on checkout. A converter knows
// which paths these are, and lets git convert them.
type converter struct {
	scratch *git.Scratch    // holds the blobs that git converts; its index is empty
	dir     string          // the workspace, whose attribute files count
	crlf    bool            // the configuration asks for CRLF where no attribute decides
	plain   map[string]bool // by path: git would write it as it is; from the last check-attr
	stale   bool            // an attribute file has changed since then
}

// conversions are the attributes that make git write other bytes than the
// blob's; crlf is an old name of text.
var conversions = []string{"filter", "working-tree-encoding", "ident", "text", "eol", "crlf"}

// argumentBytes bounds the paths of one check-attr; the system allows 128 KiB
// for a single argument and a quarter of the stack (2 MiB) for all.
const argumentBytes = 128 << 10

// newConverter asks the repository's configuration once. The workspace's
// directory is set by the workspace.
func newConverter(ctx context.Context, repo *git.Repo, scratch *git.Scratch) (converter, error) {
	c := converter{scratch: scratch, crlf: runtime.GOOS == "windows"}
	out, err := repo.Git(ctx, "config", "--get-regexp", `^core\.(autocrlf|eol)$`)
	var failed *git.Error
	if err != nil && !(errors.As(err, &failed) && failed.Exit == 1) { // 1: neither is set
		return c, fmt.Errorf("read the configuration of line ends: %w", err)
	}
	for line := range strings.Lines(strings.ToLower(string(out))) {
		switch strings.TrimSpace(line) {
		case "core.autocrlf false", "core.autocrlf input", "core.eol lf", "core.eol native":
		default:
			c.crlf = true // git decides, by content too
		}
	}
	return c, nil
}

// at returns the converter of the workspace in dir.
func (c converter) at(dir string) *converter {
	c.dir, c.plain = dir, map[string]bool{}
	return &c
}

// learn asks git once about all paths that are not known.
func (c *converter) learn(ctx context.Context, paths []string) error {
	var unknown []string
	for _, p := range paths {
		if _, ok := c.plain[p]; !ok {
			unknown = append(unknown, p)
		}
	}
	for len(unknown) > 0 {
		n, bytes := 0, 0
		for n < len(unknown) && (n == 0 || bytes+len(unknown[n]) < argumentBytes) {
			bytes += len(unknown[n]) + 1
			n++
		}
		if err := c.ask(ctx, unknown[:n]); err != nil {
			return err
		}
		unknown = unknown[n:]
	}
	return nil
}

func (c *converter) ask(ctx context.Context, paths []string) error {
	out, err := c.git(ctx, slices.Concat([]string{"check-attr", "-z"}, conversions, []string{"--"}, paths)...)
	if err != nil {
		return fmt.Errorf("ask for attributes: %w", err)
	}
	// path NUL attribute NUL value NUL, for each attribute of each path
	fields := strings.Split(string(out), "\x00")
	if len(fields) != 3*len(conversions)*len(paths)+1 {
		return fmt.Errorf("ask for attributes of %d paths: git check-attr answered %d fields", len(paths), len(fields)-1)
	}
	for i, p := range paths {
		value := map[string]string{}
		for j := range conversions {
			at := 3 * (i*len(conversions) + j)
			value[fields[at+1]] = fields[at+2]
		}
		c.plain[p] = c.isPlain(value)
	}
	return nil
}

// isPlain is the decision of git's convert.c, leaving all doubtful cases to
// git itself.
func (c *converter) isPlain(value map[string]string) bool {
	off := func(attribute string) bool {
		return value[attribute] == "unspecified" || value[attribute] == "unset"
	}
	if !off("filter") || !off("working-tree-encoding") || !off("ident") || value["crlf"] != "unspecified" {
		return false
	}
	switch {
	case value["text"] == "unset" || value["eol"] == "lf":
		return true
	case value["eol"] == "unspecified":
		return !c.crlf
	}
	return false
}

// convert returns what git would write into the workspace for a blob at a path
// that learn was asked about.
func (c *converter) convert(ctx context.Context, path string, blob []byte) ([]byte, error) {
	if c.plain[path] {
		return blob, nil
	}
	id, err := c.scratch.Put("blob", blob)
	if err != nil {
		return nil, machineError(fmt.Sprintf("convert %q", path), err)
	}
	out, err := c.git(ctx, "cat-file", "--filters", "--path="+path, string(id))
	if err != nil {
		return nil, fmt.Errorf("convert %q: %w", path, err)
	}
	return out, nil
}

// changed is told that a path has been written or removed.
func (c *converter) changed(p string) {
	c.stale = c.stale || isAttributes(p)
}

func isAttributes(p string) bool { return path.Base(p) == ".gitattributes" }

// git runs git with the attribute files of the workspace. The scratch store's
// index is empty, so an attribute file that the configuration does not have is
// not looked up in the index instead.
func (c *converter) git(ctx context.Context, args ...string) ([]byte, error) {
	return c.scratch.Git(ctx, slices.Concat([]string{"-C", c.dir, "--work-tree=" + c.dir}, args)...)
}

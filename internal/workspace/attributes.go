package workspace

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"syscall"

	"github.com/gitdd/gitdd/changes"
	"github.com/gitdd/gitdd/internal/disk"
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
	noLinks bool            // the configuration asks for files in the place of symlinks
	rules   map[string]rule // by path, from the last check-attr
	shared  *sharedRules    // of all workspaces
	stale   bool            // an attribute file has changed since then
}

// A rule is what the attributes say about the conversions of a path.
type rule struct {
	values string // of all of conversions
	plain  bool   // git would write the blob as it is
}

// conversions are the attributes that make git write other bytes than the
// blob's; crlf is an old name of text.
var conversions = []string{"filter", "working-tree-encoding", "ident", "text", "eol", "crlf"}

// argumentBytes bounds the paths of one check-attr; the system allows 128 KiB
// for a single argument and a quarter of the stack (2 MiB) for all.
const argumentBytes = 128 << 10

// newConverter asks the repository's configuration once. Method at makes of the result the converter of
// one workspace.
func newConverter(ctx context.Context, repo *git.Repo, scratch *git.Scratch) (_ converter, err error) {
	c := converter{scratch: scratch, crlf: runtime.GOOS == "windows", shared: &sharedRules{}}
	setting := func(key string) string {
		value, _, failed := repo.Setting(ctx, key)
		err = cmp.Or(err, failed)
		return strings.ToLower(value)
	}
	switch setting("core.symlinks") {
	case "false", "no", "off", "0":
		c.noLinks = true
	}
	switch setting("core.autocrlf") {
	case "", "false", "input":
	default:
		c.crlf = true // git decides, by content too
	}
	switch setting("core.eol") {
	case "", "lf", "native":
	default:
		c.crlf = true
	}
	if err != nil {
		return c, fmt.Errorf("read the configuration of line ends: %w", err)
	}
	return c, nil
}

// at returns the converter of the workspace in dir.
func (c converter) at(dir string) *converter {
	c.dir, c.rules = dir, map[string]rule{}
	return &c
}

// learn asks git once about all paths that are not known.
func (c *converter) learn(ctx context.Context, paths []string) error {
	var unknown []string
	files := attributeSources{dir: c.dir, by: map[string]string{}}
	for _, p := range paths {
		if _, ok := c.rules[p]; ok {
			continue
		}
		if r, ok := c.shared.get(p, files.of(path.Dir(p))); ok {
			c.rules[p] = r
		} else {
			unknown = append(unknown, p)
		}
	}
	asked := unknown
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
	for _, p := range asked {
		c.shared.put(p, files.of(path.Dir(p)), c.rules[p])
	}
	return nil
}

// sharedRules are the rules of paths by the attribute files above them: workspaces in which these are the
// same have the same rules, for all else that git reads is the repository's and the user's.
type sharedRules struct{ by sync.Map }

type ruleKey struct{ path, files string }

// get returns the rule of a path, if it is known; files is what attributeSources.of returns.
func (s *sharedRules) get(path, files string) (rule, bool) {
	r, ok := s.by.Load(ruleKey{path, files})
	if !ok {
		return rule{}, false
	}
	return r.(rule), true
}

func (s *sharedRules) put(path, files string, r rule) {
	if files != unreadable {
		s.by.Store(ruleKey{path, files}, r)
	}
}

// attributeSources reads the attribute files of a workspace once.
type attributeSources struct {
	dir string
	by  map[string]string // what of returned, by folder
}

// unreadable stands for attribute files of which one is no file that can be read.
const unreadable = "?"

// of returns the contents of the attribute files in a folder and those above it, with their places; "" if
// there are none. The folder is "." or a path with slashes, relative to the workspace.
func (a attributeSources) of(folder string) string {
	if known, ok := a.by[folder]; ok {
		return known
	}
	above := ""
	if folder != "." {
		above = a.of(path.Dir(folder))
	}
	all := above
	name := filepath.Join(a.dir, filepath.FromSlash(folder), ".gitattributes")
	info, err := os.Lstat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, syscall.ENOTDIR):
	case err != nil || !info.Mode().IsRegular() || above == unreadable:
		all = unreadable
	default:
		content, err := os.ReadFile(name)
		if err != nil {
			all = unreadable
			break
		}
		all = fmt.Sprintf("%s%q%q", above, folder, content)
	}
	a.by[folder] = all
	return all
}

func (c *converter) ask(ctx context.Context, paths []string) error {
	out, err := c.git(ctx, slices.Concat([]string{"check-attr", "-z"}, conversions, []string{"--"}, paths)...)
	if err != nil {
		return fmt.Errorf("ask for attributes: %w", err)
	}
	answers, err := parseAttributes(out, paths)
	if err != nil {
		return fmt.Errorf("ask for attributes of %d paths: %w", len(paths), err)
	}
	for i, value := range answers {
		c.rules[paths[i]] = rule{values: strings.Join(value, "\x00"), plain: c.isPlain(value)}
	}
	return nil
}

// parseAttributes reads what `git check-attr -z` says about paths: path NUL
// attribute NUL value NUL, for each attribute of each path. It returns for each
// path the values in the order of conversions.
func parseAttributes(out []byte, paths []string) ([][]string, error) {
	fields := strings.Split(string(out), "\x00")
	if len(fields) != 3*len(conversions)*len(paths)+1 || fields[len(fields)-1] != "" {
		return nil, fmt.Errorf("git check-attr answered %d fields", len(fields)-1)
	}
	answers := make([][]string, len(paths))
	for i, p := range paths {
		for j, attribute := range conversions {
			at := 3 * (i*len(conversions) + j)
			if fields[at] != p || fields[at+1] != attribute {
				return nil, fmt.Errorf("git check-attr answered %q of %q where %s of %q was asked", fields[at+1], fields[at], attribute, p)
			}
			answers[i] = append(answers[i], fields[at+2])
		}
	}
	return answers, nil
}

// isPlain is the decision of git's convert.c on the values of conversions, leaving
// all doubtful cases to git itself.
func (c *converter) isPlain(values []string) bool {
	value := func(attribute string) string { return values[slices.Index(conversions, attribute)] }
	off := func(attribute string) bool {
		return value(attribute) == "unspecified" || value(attribute) == "unset"
	}
	if !off("filter") || value("working-tree-encoding") != "unspecified" || !off("ident") || value("crlf") != "unspecified" {
		return false
	}
	switch {
	case value("text") == "unset" || value("eol") == "lf":
		return true
	case value("eol") == "unspecified":
		return !c.crlf
	}
	return false
}

// convert returns what git would write into the workspace for a blob at a path
// that learn was asked about.
func (c *converter) convert(ctx context.Context, path string, blob []byte) ([]byte, error) {
	if c.rules[path].plain {
		return blob, nil
	}
	id, err := c.scratch.Put("blob", blob)
	if err != nil {
		return nil, disk.Wrap(fmt.Sprintf("convert %q", path), err)
	}
	out, err := c.git(ctx, "cat-file", "--filters", "--path="+path, string(id))
	var failed *git.Error
	switch {
	case err == nil:
		return out, nil
	case errors.As(err, &failed) && !disk.Full(err):
		return nil, &unfitError{path, fmt.Errorf("git cannot convert it as its attributes ask: %w", err)}
	}
	return nil, disk.Wrap(fmt.Sprintf("convert %q", path), err)
}

// onDisk is the mode that an entry of a tree has in the workspace.
func (c *converter) onDisk(mode git.Mode) git.Mode {
	if mode == git.Symlink && c.noLinks {
		return git.Regular
	}
	return mode
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

// watched returns the paths below the attribute files among paths for which the
// configurations of set may have other conversions, and so other bytes, than base
// has, though their blob is the same. What git does there differs: a checkout of
// the whole tree converts them, a switch from one tree to the other does not.
func (w *Workspace) watched(ctx context.Context, set *changes.Set, paths []string) ([]string, error) {
	var more []string
	for _, p := range paths {
		if !isAttributes(p) {
			continue
		}
		var contents []string
		for _, tree := range []git.ID{w.base, set.Good.Tree, set.Bad.Tree} {
			e, err := w.source.trees.entry(ctx, tree, p)
			if err != nil {
				return nil, err
			}
			content := ""
			if e.mode.IsFile() {
				blob, err := w.source.repo.Blob(ctx, e.id)
				if err != nil {
					return nil, fmt.Errorf("read %q: %w", p, err)
				}
				content = string(blob)
			}
			contents = append(contents, content)
		}
		if !otherConversions(contents) {
			continue
		}
		below, err := w.source.trees.files(ctx, w.base, path.Dir(p))
		if err != nil {
			return nil, err
		}
		more = append(more, below...)
	}
	return more, nil
}

// otherConversions reports whether versions of an attribute file may differ in what
// they say of conversions.
func otherConversions(versions []string) bool {
	words := append([]string{"binary"}, conversions...)
	differ := false
	seen := map[string]int{}
	for _, v := range versions {
		if strings.Contains(v, "[attr]") {
			words = []string{""} // any word may be the name of a macro
		}
		differ = differ || v != versions[0]
		for _, line := range slices.Compact(slices.Sorted(strings.SplitSeq(v, "\n"))) {
			seen[line]++
		}
	}
	if !differ {
		return false
	}
	moved := true // only the order of the lines differs, or how often they stand
	for line, count := range seen {
		if count == len(versions) {
			continue
		}
		moved = false
		if slices.ContainsFunc(words, func(word string) bool { return strings.Contains(line, word) }) {
			return true
		}
	}
	return moved
}

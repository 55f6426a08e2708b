package workspace

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/gitdd/gitdd/changes"
	"github.com/gitdd/gitdd/internal/disk"
	"github.com/gitdd/gitdd/internal/git"
)

// Patches lie on every configuration, as a fix without which it does not build.
// Only workspaces have them: trees, and so all that is told and kept of an
// answer, are without. They are copied into the session once, like an overlay,
// which lies above them.
//
// A part of a patch that a configuration has already, because the fix is among
// the changes, is left as it is: each file, and within a file each hunk, is
// either put on or there. What is neither does not apply.
type patches struct {
	names  []string // as the user gave them
	parts  [][]section
	paths  []string // that they read or write, sorted
	digest string

	store *git.Scratch // with an index of its own
	trees *treeCache
	repo  *git.Repo

	mu     sync.Mutex
	made   map[string]patched     // by what a configuration has at the paths
	listed map[listing][]git.Path // what good trees have there
}

// A listing is what a tree has at a path, and below it.
type listing struct {
	tree git.ID
	path string
}

// A patched is what patches make of a configuration: the entries that it has
// otherwise then, or why they do not apply.
type patched struct {
	files map[string]entry
	why   string
}

// A patchError says that a patch does not apply to a configuration: see Impossible.
type patchError struct{ what string }

func (e *patchError) Error() string { return e.what }

// newPatches copies the files into dir, unless an earlier run of the session has
// done it, and reads them.
func newPatches(ctx context.Context, repo *git.Repo, trees *treeCache, files []string, dir string) (*patches, error) {
	if len(files) == 0 {
		return nil, nil
	}
	err := appear(dir, func(half string) error { return copyPatches(files, half) })
	if err != nil {
		return nil, disk.Wrap("--with-patch", err)
	}
	p := &patches{names: files, repo: repo, trees: trees, made: map[string]patched{}, listed: map[listing][]git.Path{}}
	sum := sha256.New()
	for i, name := range files {
		copied := filepath.Join(dir, strconv.Itoa(i))
		text, err := os.ReadFile(copied)
		if err != nil {
			return nil, fmt.Errorf("--with-patch %s: %w", name, err)
		}
		if err := p.read(ctx, text, copied); err != nil {
			return nil, fmt.Errorf("--with-patch %s: %w", name, err)
		}
		fmt.Fprintf(sum, "%d %s", len(text), text)
	}
	slices.Sort(p.paths)
	p.paths = slices.Compact(p.paths)
	p.digest = hex.EncodeToString(sum.Sum(nil)[:8])
	if p.store, err = repo.NewScratch(filepath.Join(dir, "store")); err != nil {
		return nil, disk.Wrap("--with-patch", err)
	}
	return p, nil
}

// copyPatches copies files into dir, with numbers as their names.
func copyPatches(files []string, dir string) error {
	for i, name := range files {
		text, err := os.ReadFile(name)
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, strconv.Itoa(i)), text, 0o666)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// read adds one patch. git says whether it is one, and what it touches.
func (p *patches) read(ctx context.Context, text []byte, copied string) error {
	paths, err := p.repo.PatchPaths(ctx, copied)
	if failed, ok := errors.AsType[*git.Error](err); ok {
		return fmt.Errorf("git apply cannot read it: %s", strings.TrimSpace(failed.Stderr))
	}
	if err != nil {
		return err
	}
	parts, err := sections(text)
	if err != nil {
		return err
	}
	for _, name := range paths {
		if err := changes.CheckPath(name, git.Regular); err != nil {
			return err
		}
	}
	p.parts, p.paths = append(p.parts, parts), append(p.paths, paths...)
	return nil
}

// on returns what the patches make of a tree that set composed. *patchError when
// they do not apply. Trees that are alike at the paths of the patches cost
// nothing but to look there; others a few processes of git.
func (p *patches) on(ctx context.Context, set *changes.Set, tree *changes.Tree) (map[string]entry, error) {
	if p == nil {
		return nil, nil
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	before := git.Index{}
	var key strings.Builder
	for _, name := range p.paths {
		e, err := p.entry(ctx, set, tree, name)
		if err != nil {
			return nil, err
		}
		fmt.Fprintf(&key, "%v %s\n", e.mode, e.id)
		if e.mode != 0 {
			before[name] = git.Entry{Mode: e.mode, ID: e.id}
		}
	}
	made, ok := p.made[key.String()]
	if !ok {
		var err error
		if made, err = p.make(ctx, set, tree, before); err != nil {
			return nil, err
		}
		p.made[key.String()] = made
	}
	if made.why != "" {
		return nil, &patchError{made.why}
	}
	return made.files, p.room(ctx, set, tree, made.files)
}

// touches are the paths that patches read or write.
func (p *patches) touches() []string {
	if p == nil {
		return nil
	}
	return p.paths
}

// entry returns what a tree of set has at a path.
func (p *patches) entry(ctx context.Context, set *changes.Set, tree *changes.Tree, name string) (entry, error) {
	if f, ok := tree.File(name); ok {
		return entry{f.Mode, f.ID}, nil
	}
	return p.trees.entry(ctx, set.Good.Tree, name)
}

// make has git apply the patches where the tree has the entries before.
func (p *patches) make(ctx context.Context, set *changes.Set, tree *changes.Tree, before git.Index) (patched, error) {
	for _, f := range tree.Files {
		if before[f.Path].ID != f.ID || f.Mode == git.Gitlink || f.Mode == 0 {
			continue
		}
		content, err := set.Content(f)
		if err == nil {
			_, err = p.store.Put("blob", content)
		}
		if err != nil {
			return patched{}, fmt.Errorf("read %q: %w", f.Path, err)
		}
	}
	if err := p.store.SetIndex(ctx, before); err != nil {
		return patched{}, err
	}
	for i, parts := range p.parts {
		for _, s := range parts {
			why, err := p.put(ctx, s)
			if err != nil {
				return patched{}, err
			}
			if why != "" {
				return patched{why: fmt.Sprintf("%s does not apply: %s", p.names[i], why)}, nil
			}
		}
	}
	after, err := p.store.GetIndex(ctx)
	if err != nil {
		return patched{}, err
	}
	made := patched{files: map[string]entry{}}
	for name, e := range after {
		if e != before[name] {
			made.files[name] = entry{e.Mode, e.ID}
		}
	}
	for name := range before {
		if _, ok := after[name]; !ok {
			made.files[name] = entry{}
		}
	}
	return made, nil
}

// put puts a section on the store's index, if it is not there: as a whole, or
// else hunk by hunk. why is not empty when it does not apply.
func (p *patches) put(ctx context.Context, s section) (why string, err error) {
	if why, err = p.putPart(ctx, s.text, s.grows); why == "" || s.parts == nil {
		return why, err
	}
	for i, part := range s.parts {
		if why, err := p.putPart(ctx, part, s.grow[i]); why != "" || err != nil {
			return why, err
		}
	}
	return "", nil
}

// putPart puts a patch on the store's index, if it is not there. Where the lines
// would let it be both, what is nearer to its place counts, and when neither is,
// the longer of the two texts, which the other is a part of.
func (p *patches) putPart(ctx context.Context, patch []byte, grows bool) (why string, err error) {
	fits, err := p.store.Fit(ctx, patch, false)
	if err != nil {
		return "", err
	}
	there, err := p.store.Fit(ctx, patch, true)
	switch {
	case err != nil:
		return "", err
	case !fits.OK && !there.OK:
		return cmp.Or(fits.Why, "git apply refuses it"), nil
	case !fits.OK, there.OK && (there.Offset < fits.Offset || there.Offset == fits.Offset && grows):
		return "", nil
	}
	return "", p.store.ApplyToIndex(ctx, patch)
}

// room refuses what no tree can hold: a file where there is a directory, or below
// what is none. git would see that in a whole index only.
func (p *patches) room(ctx context.Context, set *changes.Set, tree *changes.Tree, made map[string]entry) error {
	for _, name := range slices.Sorted(maps.Keys(made)) {
		if made[name].mode == 0 {
			continue
		}
		for above := path.Dir(name); above != "."; above = path.Dir(above) {
			e, ok := made[above]
			if !ok {
				var err error
				if e, err = p.entry(ctx, set, tree, above); err != nil {
					return err
				}
			}
			if e.mode != 0 {
				return &patchError{fmt.Sprintf("%s does not apply: %s is no directory", strings.Join(p.names, " with "), above)}
			}
		}
		before, err := p.entry(ctx, set, tree, name)
		if err != nil {
			return err
		}
		if before.mode != 0 {
			continue // a file already
		}
		below, err := p.below(ctx, set, tree, made, name)
		if err != nil {
			return err
		}
		if below {
			return &patchError{fmt.Sprintf("%s does not apply: %s is a directory", strings.Join(p.names, " with "), name)}
		}
	}
	return nil
}

// below reports whether a tree of set has files below name.
func (p *patches) below(ctx context.Context, set *changes.Set, tree *changes.Tree, made map[string]entry, name string) (bool, error) {
	gone := map[string]bool{}
	for file, e := range made {
		gone[file] = e.mode == 0
	}
	for _, f := range tree.Files {
		if _, ok := gone[f.Path]; !ok {
			gone[f.Path] = f.Mode == 0
		}
	}
	for file, out := range gone {
		if !out && strings.HasPrefix(file, name+"/") {
			return true, nil
		}
	}
	at := listing{set.Good.Tree, name}
	list, ok := p.listed[at]
	if !ok {
		var err error
		if list, err = p.repo.PathsBelow(ctx, set.Good.Tree, name); err != nil {
			return false, err
		}
		p.listed[at] = list
	}
	return slices.ContainsFunc(list, func(f git.Path) bool { return f.Path != name && !gone[f.Path] }), nil
}

// content reads a blob that the patches have made, or of the repository.
func (p *patches) content(ctx context.Context, id git.ID) ([]byte, error) {
	return p.store.Blob(ctx, id)
}

package workspace

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/gitdd/gitdd/changes"
	"github.com/gitdd/gitdd/internal/disk"
	"github.com/gitdd/gitdd/internal/git"
)

// revisionPath splits REV:PATH at the first colon that is not within the braces
// of a revision, as in main@{12:00}:PATH or HEAD^{/fix: it}:PATH. A name that
// says it is a path, ./a:b or /a:b, is none.
func revisionPath(p string) (rev, file string, ok bool) {
	if filepath.IsAbs(p) || strings.HasPrefix(p, "./") || strings.HasPrefix(p, "../") {
		return "", "", false
	}
	depth := 0
	for i, c := range []byte(p) {
		switch {
		case c == '{':
			depth++
		case c == '}':
			depth--
		case c == ':' && depth <= 0:
			return p[:i], p[i+1:], true
		}
	}
	return "", "", false
}

// overlayRevision brings what a revision has at a path, as a checkout of that
// revision would write it. local is why it is no path of the checkout.
//
// A submodule below the path is left to each configuration.
func (c Copier) overlayRevision(ctx context.Context, repo *git.Repo, scratch *git.Scratch, rev, file string, local error) error {
	if rev == "" || file == "" {
		return fmt.Errorf("want REV:PATH, with a revision and a path in it; and as a path of the checkout: %w", local)
	}
	// As in git: relative to the top, with ./ or ../ to where the user stands.
	rel := path.Clean(file)
	if first, _, _ := strings.Cut(file, "/"); first == "." || first == ".." {
		rel = path.Join(repo.Prefix(), file)
	}
	if !filepath.IsLocal(filepath.FromSlash(rel)) {
		return fmt.Errorf("%s lies outside of the repository", file)
	}
	if rel == "." {
		return errors.New("this is the whole tree: every configuration would be the same; name a file or a directory in it")
	}
	at, err := repo.Resolve(ctx, rev)
	if _, ok := errors.AsType[*git.UnknownRevisionError](err); ok {
		return fmt.Errorf("%w; and as a path of the checkout: %w", err, local)
	}
	if err != nil {
		return err
	}
	list, err := repo.PathsBelow(ctx, at.Tree, rel)
	if err != nil {
		return err
	}
	if len(list) == 0 {
		return fmt.Errorf("%s has no %s; `git ls-tree -r --name-only %s` lists what it has", rev, rel, rev)
	}
	if err := soundPaths(list); err != nil {
		return err
	}
	list = slices.DeleteFunc(list, func(p git.Path) bool { return p.Mode == git.Gitlink })
	if len(list) == 0 {
		return fmt.Errorf("%s is a submodule in %s: its files are in another repository", rel, rev)
	}
	half, err := os.MkdirTemp(filepath.Dir(c.to.Name()), "overlay-")
	if err != nil {
		return err
	}
	defer disk.RemoveAll(half)
	if err := scratch.CheckoutPaths(ctx, at.Tree, half, list); err != nil {
		return err
	}
	return Copier{from: half, to: c.to}.Copy(rel)
}

// soundPaths refuses what git would not check out: names that some system takes
// for .git, and one path with two entries or with one below it.
func soundPaths(list []git.Path) error {
	seen := make(map[string]bool, len(list))
	for _, p := range list {
		if err := changes.CheckPath(p.Path, p.Mode); err != nil {
			return err
		}
		if seen[p.Path] {
			return fmt.Errorf("the tree has two entries named %q", p.Path)
		}
		seen[p.Path] = true
	}
	for _, p := range list {
		for above := path.Dir(p.Path); above != "."; above = path.Dir(above) {
			if seen[above] {
				return fmt.Errorf("the tree has %q, and %q as if that were a directory", above, p.Path)
			}
		}
	}
	return nil
}

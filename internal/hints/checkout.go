package hints

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/gitdd/gitdd/changes"
	"github.com/gitdd/gitdd/internal/git"
	"github.com/gitdd/gitdd/internal/prose"
	"github.com/gitdd/gitdd/internal/settings"
)

// leadsToCheckout says which word of the commands, or else which variable of the environment, names a directory or file
// of the checkout that an end has, too: what is loaded by it is the same in all trials. It returns "" if there is none.
func leadsToCheckout(ctx context.Context, s *settings.Search, repo *git.Repo, set *changes.Set, environment []string) string {
	if repo.Top() == "" {
		return ""
	}
	named := func(text string) string {
		for at := range strings.FieldsFuncSeq(text, parted) {
			p, err := filepath.Rel(repo.Top(), at)
			if err != nil || !filepath.IsAbs(at) || !filepath.IsLocal(p) {
				continue
			}
			for _, tree := range []git.ID{set.Good.Tree, set.Bad.Tree} {
				if list, err := repo.PathsBelow(ctx, tree, filepath.ToSlash(p)); err == nil && len(list) > 0 {
					return at
				}
			}
		}
		return ""
	}
	for _, line := range append([]string{s.Build}, s.Command...) {
		if at := named(line); at != "" {
			return fmt.Sprintf("%s is in your checkout, and no part of a trial: what is loaded from there is the same at both ends; in a trial, $GITDD_WORKSPACE is the top directory", prose.Printable(at))
		}
	}
	for _, variable := range environment {
		name, value, _ := strings.Cut(variable, "=")
		if name == "PWD" || name == "OLDPWD" || name == "_" || strings.HasPrefix(name, "GITDD_") {
			continue // the shell's, and gitdd's own
		}
		if at := named(value); at != "" {
			name = prose.Printable(name)
			return fmt.Sprintf("%s names your checkout (%s): what is loaded by it is the same at both ends; "+
				"in a trial, $GITDD_WORKSPACE is the top directory: env -u %s gitdd ..., or set it anew by -- sh -c '%s=$GITDD_WORKSPACE ...'", name, prose.Printable(at), name, name)
		}
	}
	return ""
}

// leadsOut says which word of the commands names a file beside the checkout by a relative path: a trial runs elsewhere, where there
// is none. It returns "" if there is none.
func leadsOut(s *settings.Search, repo *git.Repo) string {
	if repo.Top() == "" {
		return ""
	}
	for _, line := range append([]string{s.Build}, s.Command...) {
		for word := range strings.FieldsFuncSeq(line, parted) {
			at := filepath.Join(repo.Top(), filepath.FromSlash(repo.Prefix()), filepath.FromSlash(word))
			if p, err := filepath.Rel(repo.Top(), at); err != nil || filepath.IsLocal(p) || filepath.IsAbs(word) {
				continue
			}
			if _, err := os.Lstat(at); err == nil {
				return fmt.Sprintf("%s lies beside your checkout, and a trial runs in a directory of its own: name it by its whole path, %s", prose.Printable(word), prose.Printable(at))
			}
		}
	}
	return ""
}

// parted reports whether a character parts one path from what stands beside it, in a line of shell or in a list.
func parted(c rune) bool {
	return c == os.PathListSeparator || strings.ContainsRune(" \t\n\"'=;,()`", c)
}

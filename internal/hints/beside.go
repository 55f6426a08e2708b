package hints

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/gitdd/gitdd/changes"
	"github.com/gitdd/gitdd/internal/git"
	"github.com/gitdd/gitdd/internal/prose"
	"github.com/gitdd/gitdd/internal/settings"
	"github.com/gitdd/gitdd/isolate"
	"github.com/gitdd/gitdd/trial"
)

// sourceDirs are the directories in which a project often has what code imports by its name.
var sourceDirs = []string{"", "src", "lib"}

// beside says that the command does not find what both ends have: it lies above the directory in which the command runs, or an
// interpreter looks for it beside a script that lies elsewhere. It returns "" if the ends do not miss anything that they have there.
func beside(ctx context.Context, s *settings.Search, repo *git.Repo, set *changes.Set, err error) string {
	var ends *trial.EndsError
	if !errors.As(err, &ends) || ends.Flaky || ends.Good.Outcome != isolate.Fail || ends.Bad.Outcome != isolate.Fail {
		return ""
	}
	script, outside := scriptElsewhere(ctx, s.Command, repo, set)
	atBad := missed{}
	atBad.read(ends.Bad, missed.addObject)
	said := missedBy(err)
	for _, name := range said.names() {
		line := said[name]
		if atBad[name] == "" || !strings.Contains(line, name) {
			continue
		}
		if unfound(s.Command, ends.Good, ends.Bad)[name] == "" { // else see absent
			if hint := higher(ctx, repo, set, name, line); hint != "" {
				return hint
			}
		}
		if script == "" || strings.Contains(script, name) {
			continue
		}
		for _, dir := range sourceDirs {
			if !inTree(ctx, repo, set.Good.Tree, path.Join(repo.Prefix(), dir), name) || !inTree(ctx, repo, set.Bad.Tree, path.Join(repo.Prefix(), dir), name) {
				continue
			}
			var ways []string
			if strings.Contains(line, "No module named") {
				ways = append(ways, fmt.Sprintf("in Python, PYTHONPATH=%s before gitdd makes it look there, too", path.Join(".", dir)))
			}
			if outside {
				ways = append(ways, "copy the script into your checkout, and --overlay brings it along")
			}
			if len(ways) == 0 {
				return ""
			}
			return fmt.Sprintf("both ends have %s, which the output misses (%s), but it may be looked for beside %s, and not in the trial's directory: %s",
				prose.Printable(name), prose.Brief(line), prose.Printable(script), strings.Join(ways, "; else "))
		}
	}
	return ""
}

// higher says that what the output misses lies above the directory in which the command runs; "" if that directory has it, or if
// none above has it at both ends.
func higher(ctx context.Context, repo *git.Repo, set *changes.Set, name, line string) string {
	if inTree(ctx, repo, set.Good.Tree, repo.Prefix(), name) || inTree(ctx, repo, set.Bad.Tree, repo.Prefix(), name) {
		return ""
	}
	dir, ok := above(ctx, repo, set, name)
	if !ok || !inTree(ctx, repo, set.Good.Tree, dir, name) || !inTree(ctx, repo, set.Bad.Tree, dir, name) {
		return ""
	}
	up := prose.Words([]string{filepath.ToSlash(FromHere(repo, dir))})
	ways := fmt.Sprintf("gitdd run -C %s, with a command for that directory, runs it there", up)
	if strings.Contains(line, "No module named") {
		ways += fmt.Sprintf("; else, in Python, PYTHONPATH=%s before gitdd makes it look there, too", up)
	}
	return fmt.Sprintf("both ends have %s in %s, but the command runs in %s, the directory that you are in, and does not find it there (%s): %s",
		prose.Printable(name), cmp.Or(prose.Printable(dir), "the top directory"), prose.Printable(strings.TrimSuffix(repo.Prefix(), "/")), prose.Brief(line), ways)
}

// scriptElsewhere returns the first word of a command that names a file outside of the checkout by its whole path, other than the
// program that is run, or a file of both ends that lies in a directory; "" if there is none.
func scriptElsewhere(ctx context.Context, command []string, repo *git.Repo, set *changes.Set) (name string, outside bool) {
	for i, arg := range command {
		for j, word := range strings.FieldsFunc(arg, parted) {
			if i+j == 0 {
				continue
			}
			if !path.IsAbs(word) {
				if word = path.Clean(word); strings.Contains(word, "/") && path.Ext(word) != "" &&
					inTree(ctx, repo, set.Good.Tree, repo.Prefix(), word) && inTree(ctx, repo, set.Bad.Tree, repo.Prefix(), word) {
					return word, false
				}
				continue
			}
			info, err := os.Stat(word)
			if rel, outer := filepath.Rel(repo.Top(), word); err == nil && info.Mode().IsRegular() && (outer != nil || !filepath.IsLocal(rel)) {
				return word, true
			}
		}
	}
	return "", false
}

package hints

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/gitdd/gitdd/changes"
	"github.com/gitdd/gitdd/internal/git"
	"github.com/gitdd/gitdd/internal/lazyregexp"
	"github.com/gitdd/gitdd/internal/prose"
	"github.com/gitdd/gitdd/internal/settings"
	"github.com/gitdd/gitdd/isolate"
	"github.com/gitdd/gitdd/trial"
)

// unfound returns the words of a command that the outputs of all these trials say are missing, with the line of
// the first one that says so. Words are those of the arguments, which may be lines of shell.
func unfound(command []string, tried ...trial.Verdict) missed {
	said := make([]missed, len(tried))
	for i, v := range tried {
		said[i] = missed{}
		said[i].read(v, missed.addObject)
	}
	names := missed{}
	for _, arg := range command {
		for _, word := range nameWords().FindAllString(arg, -1) {
			line := ""
			for i := len(said) - 1; i >= 0; i-- {
				if line = said[i].of(word); line == "" || !strings.ContainsAny(word, "./") && !namesAlone(line, word) {
					line = ""
					break
				}
			}
			if line != "" {
				names[word] = line
			}
		}
	}
	return names
}

// namesAlone reports whether a line says of a word by itself that it is missing: in quotes, or beside what says so. A name
// without a dot and a slash is often that of the program that prints the line.
func namesAlone(line, word string) bool {
	w := regexp.QuoteMeta(word)
	return regexp.MustCompile("[\"'`‘“]" + w + "[\"'`’”]|(?i:module named|to make target|not found:|no such file or directory:) +" + w + `\b|(?:^|[^\w.-])` + w + `: (?i:(?:command )?not found|no such file)`).MatchString(line)
}

// addObject adds the words of a line, without the name of the program that prints it at its beginning.
func (m missed) addObject(line string) {
	said := missed{}
	if who, what, ok := strings.Cut(line, ": "); ok && !strings.ContainsAny(who, " \t") {
		said.add(what)
	}
	if len(said) == 0 {
		said.add(line)
	}
	for word := range said {
		if m[word] == "" {
			m[word] = line
		}
	}
}

// of is the line that says that a word is missing, which programs often make an absolute path of; "" if none does.
func (m missed) of(word string) string {
	word = path.Clean(word)
	for _, name := range m.names() {
		// The a/b that add makes of a.b was not printed, and b is not its name.
		if clean := path.Clean(name); clean == word || strings.HasSuffix(clean, "/"+word) && strings.Contains(m[name], name) {
			return m[name]
		}
	}
	return ""
}

// Lacked says what trials lack, if the ends that were tried say that something is missing, or if the command tests
// one built program at both: a program that has to be built, files of the checkout, or what the command itself
// names, so that its name may be wrong; "" if nothing is known.
func Lacked(ctx context.Context, s *settings.Search, repo *git.Repo, set *changes.Set, err error) string {
	names := unfoundAtEnds(s.Command, err)
	return cmp.Or(unbuilt(ctx, s, repo, set, names), KeepHint(ctx, s, repo, err), beside(ctx, s, repo, set, err), absent(ctx, s, repo, set, names), sharedProgram(ctx, s, repo, set, err))
}

// unfoundAtEnds are the words of a command that all ends that were tried say are missing, if none of them passes.
func unfoundAtEnds(words []string, err error) missed {
	var ends *trial.EndsError
	var command *trial.CommandError
	var tried []trial.Verdict
	switch {
	case errors.As(err, &ends) && !ends.Flaky:
		tried = []trial.Verdict{ends.Good, ends.Bad}
	case errors.As(err, &command):
		tried = []trial.Verdict{command.Verdict}
		if strings.Contains(command.Name, "/") && !strings.ContainsAny(command.Name, " \t") {
			return missed{command.Name: command.Detail}
		}
	}
	tried = slices.DeleteFunc(tried, func(v trial.Verdict) bool { return v.Trial == 0 })
	if len(tried) == 0 || slices.ContainsFunc(tried, func(v trial.Verdict) bool { return v.Outcome == isolate.Pass }) {
		return nil
	}
	return unfound(words, tried...)
}

// makefiles are what make reads without -f, and noRule is what it says without them.
var (
	makefiles = []string{"GNUmakefile", "makefile", "Makefile"}
	noRule    = lazyregexp.New(`make(?:\[\d+\])?: \*\*\* No rule to make target|make: don't know how to make`)
)

// absent says of names that the ends miss where these are not, so that the name may be wrong. It returns "" if
// there is none, or if an end has it.
func absent(ctx context.Context, s *settings.Search, repo *git.Repo, set *changes.Set, names missed) string {
	for _, name := range names.names() {
		if path.IsAbs(name) {
			if _, err := os.Lstat(name); err != nil {
				return fmt.Sprintf("there is no %s on this machine: is its name right?", name)
			}
			continue
		}
		if inTree(ctx, repo, set.Good.Tree, repo.Prefix(), name) || inTree(ctx, repo, set.Bad.Tree, repo.Prefix(), name) {
			continue
		}
		if dir, ok := above(ctx, repo, set, name); ok {
			return fmt.Sprintf("%s lies in %s, and the command runs in %s, the directory that you are in: %s names it",
				name, cmp.Or(dir, "the top directory"), strings.TrimSuffix(repo.Prefix(), "/"), prose.Words([]string{filepath.ToSlash(FromHere(repo, path.Join(dir, name)))}))
		}
		neither := fmt.Sprintf("neither in %s, nor in %s", set.Good.Rev, set.Bad.Rev)
		dir, where := filepath.Join(repo.Top(), filepath.FromSlash(repo.Prefix())), "in your checkout"
		if s.GoodDir != "" { // --overlay then brings what is here
			dir, where = "", "in the current directory"
		}
		if repo.Top() != "" || s.GoodDir != "" {
			if _, err := os.Lstat(filepath.Join(dir, filepath.FromSlash(name))); err == nil {
				return fmt.Sprintf("%s is %s, but %s: --overlay %s brings it along", name, where, neither, prose.Words([]string{strings.TrimPrefix(name, "./")}))
			}
			neither += ", nor " + where
		}
		if s.Build != "" {
			neither += ", and --build makes none"
		}
		if strings.ContainsAny(strings.TrimPrefix(name, "./"), "./") {
			return fmt.Sprintf("%s is %s: is its name right?", name, neither)
		}
		if noRule().MatchString(names[name]) && !slices.ContainsFunc(makefiles, func(file string) bool {
			return inTree(ctx, repo, set.Good.Tree, repo.Prefix(), file) || inTree(ctx, repo, set.Bad.Tree, repo.Prefix(), file)
		}) {
			return fmt.Sprintf("there is no Makefile in the directory in which make runs, neither in %s nor in %s: is it in another one (-C DIR), or is it made by --setup or --build?", set.Good.Rev, set.Bad.Rev)
		}
		return fmt.Sprintf("the command itself names %s, which is missing (%s): is that name right? If it is, --setup or --build can install or make it", name, prose.Quote(prose.Brief(names[name])))
	}
	return ""
}

// above returns the nearest directory above that of the user in which an end has what a word of the command
// names; "" is the top. ok is false if there is none.
func above(ctx context.Context, repo *git.Repo, set *changes.Set, name string) (dir string, ok bool) {
	for dir = strings.TrimSuffix(repo.Prefix(), "/"); dir != ""; {
		if dir = path.Dir(dir); dir == "." {
			dir = ""
		}
		if !filepath.IsLocal(path.Join(dir, name)) {
			continue
		}
		if inTree(ctx, repo, set.Good.Tree, dir, name) || inTree(ctx, repo, set.Bad.Tree, dir, name) {
			return dir, true
		}
	}
	return "", false
}

// inTree reports whether a tree has what a word of the command names, in a directory: a
// file, a directory or, as a.b of Python is, a module.
func inTree(ctx context.Context, repo *git.Repo, tree git.ID, in, name string) bool {
	name = path.Join(in, name)
	module := strings.ReplaceAll(name, ".", "/")
	for _, dir := range []string{path.Dir(name), path.Dir(module)} {
		list, err := repo.PathsBelow(ctx, tree, dir+"/")
		if err != nil {
			return true // it is but for a hint
		}
		for _, p := range list {
			if p.Path == name || strings.HasPrefix(p.Path, name+"/") || strings.HasPrefix(p.Path, module+".") || strings.HasPrefix(p.Path, module+"/") {
				return true
			}
		}
	}
	return false
}

package hints

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/gitdd/gitdd/internal/git"
	"github.com/gitdd/gitdd/internal/lazyregexp"
	"github.com/gitdd/gitdd/internal/prose"
	"github.com/gitdd/gitdd/internal/settings"
	"github.com/gitdd/gitdd/isolate"
	"github.com/gitdd/gitdd/trial"
)

// A MissingPath is a file or directory in the user's checkout that is not tracked and whose absence the
// good end reports.
type MissingPath struct {
	Path string // relative to the top, slash-separated; the topmost directory without tracked files
	Line string // of the output, that reports it
	Made bool   // it is a directory that git ignores, and the output names a file in it by its path that is no program: a build may make it
}

// Missing returns the untracked and ignored paths of the checkout that the good end reports as
// missing, if neither end passes or the command cannot run: a path that the output names, or a
// directory that holds what it names. It knows no particular tool: it reads the lines that match
// saysMissing. The output of the bad end is not read, since the bad end may fail earlier, because
// of the regression.
func Missing(ctx context.Context, s *settings.Search, repo *git.Repo, err error) []MissingPath {
	said := missedBy(err)
	if len(said) == 0 || repo.Top() == "" {
		return nil
	}
	var found []MissingPath
	ignored, err := repo.Ignored(ctx)
	if err != nil {
		return nil // it is but for a hint
	}
	for _, p := range NotTracked(ctx, repo) {
		if Brings(s, repo, p) || slices.ContainsFunc(found, func(l MissingPath) bool { return strings.HasPrefix(p, l.Path+"/") }) {
			continue
		}
		if line := said.line(repo, p); line != "" {
			// What is run is mostly a tool that belongs there, such as an interpreter.
			read := slices.ContainsFunc(said.names(), func(name string) bool {
				info, err := os.Stat(filepath.Join(repo.Top(), filepath.FromSlash(reached(repo, p, name))))
				return err == nil && info.Mode().IsRegular() && info.Mode()&0o111 == 0
			})
			found = append(found, MissingPath{p, line, read && slices.Contains(ignored, p+"/")})
		}
	}
	return found
}

// NotTracked lists what lies in the checkout and is not tracked, relative to the top.
func NotTracked(ctx context.Context, repo *git.Repo) []string {
	untracked, err := repo.Untracked(ctx)
	if err != nil {
		return nil // it is but for a hint
	}
	ignored, err := repo.Ignored(ctx)
	if err != nil {
		return nil
	}
	all := slices.Concat(untracked, ignored)
	for i := range all {
		all[i] = strings.TrimSuffix(all[i], "/")
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// Brings reports whether --keep or --overlay brings a path along.
func Brings(s *settings.Search, repo *git.Repo, p string) bool {
	return slices.ContainsFunc(slices.Concat(s.Kept(), s.Overlay), func(brought string) bool { // REV:PATH is no path here
		if !filepath.IsAbs(brought) {
			brought = filepath.Join(repo.Top(), filepath.FromSlash(repo.Prefix()), brought)
		}
		rel, err := filepath.Rel(brought, filepath.Join(repo.Top(), filepath.FromSlash(p)))
		return err == nil && filepath.IsLocal(rel)
	})
}

// IsSecret reports whether a file is one that mostly holds passwords: it is brought along
// by its name only.
func IsSecret(p string) bool {
	name := path.Base(p)
	return name == ".env" || strings.HasPrefix(name, ".env.")
}

// missed are the words that may name what is missing, with the line that each stands in.
type missed map[string]string

// saysMissing is how programs say that something is not there.
var saysMissing = lazyregexp.New(`(?i)not found|no such file|no module named|cannot find|can't find|could not find|` +
	`(?:cannot|could not|can't|unable to|failed to) (?:resolve|locate|load|import|open|read)|does(?: not|n't) exist|not installed|` +
	`ENOENT|no required module|unresolved import|missing|no rule to make target`)

// nameWords are names of files and modules; commonWords are those of the message around them.
var (
	nameWords   = lazyregexp.New(`[\w@./+~-]*\w`)
	quotedWords = lazyregexp.New("[\"'`‘“]([\\w@./+~-]+)[\"'`’”]")
	commonWords = strings.Fields("bash cannot command could directory error file files find found in is line missing module modules named no not of or package rule sh such target the to")
)

// mostMissed is how many words are looked for.
const mostMissed = 200

// Misses reports whether the good end has said that something is missing.
func Misses(err error) bool { return len(missedBy(err)) > 0 }

// missedBy returns what the good end has said is missing; nothing where an end passes, or
// the good one was not run.
func missedBy(err error) missed {
	var equal *trial.EndsError
	var command *trial.CommandError
	said := missed{}
	var good trial.Verdict
	switch {
	case errors.As(err, &equal) && !equal.Flaky && equal.Bad.Outcome != isolate.Pass:
		good = equal.Good
	case errors.As(err, &command):
		good = command.Verdict
		said[command.Name] = command.Detail // it is not always printed
	}
	if good.Outcome == isolate.Pass || good.Trial == 0 {
		return nil
	}
	said.read(good, missed.add)
	return said
}

// read calls add for the lines of a trial that say that something is missing.
func (m missed) read(v trial.Verdict, add func(m missed, line string)) {
	lines := func(text string) {
		for line := range strings.Lines(text) {
			if saysMissing().MatchString(line) && len(m) < mostMissed {
				add(m, line)
			}
		}
	}
	lines(v.LastLine) // of an input the files may be gone
	lines(beginOf(v.Stderr))
	lines(beginOf(v.Stdout))
}

// names are the words in their order.
func (m missed) names() []string { return slices.Sorted(maps.Keys(m)) }

// add adds the words of a line: those in quotes, if there are any.
func (m missed) add(line string) {
	var list []string
	for _, quoted := range quotedWords().FindAllStringSubmatch(line, -1) {
		list = append(list, quoted[1])
	}
	if len(list) == 0 {
		list = nameWords().FindAllString(line, -1)
	}
	for _, w := range list {
		if len(w) < 2 || strings.Trim(w, "0123456789.") == "" || slices.Contains(commonWords, strings.ToLower(w)) {
			continue
		}
		for _, name := range []string{w, strings.ReplaceAll(w, ".", "/")} { // a.b of Python is a/b
			if m[name] == "" {
				m[name] = line
			}
		}
	}
}

// line returns the line of output that reports p, which is relative to the top of the checkout, or
// something in p as missing; "" if there is none. A file that may hold passwords (see IsSecret)
// counts only if the output names its path.
func (m missed) line(repo *git.Repo, p string) string {
	names := m.names()
	for _, name := range names {
		if reached(repo, p, name) != "" {
			return m[name]
		}
	}
	if IsSecret(p) {
		return ""
	}
	held := map[string]bool{path.Base(p): true, stem(path.Base(p)): true}
	at := filepath.Join(repo.Top(), filepath.FromSlash(p))
	for _, root := range roots(at) {
		addEntries(held, root, 2)
	}
	for _, name := range names {
		for _, root := range roots(at) {
			_, err := os.Lstat(filepath.Join(root, filepath.FromSlash(name)))
			if held[name] || strings.Contains(name, "/") && err == nil {
				return m[name]
			}
		}
	}
	return ""
}

// reached returns p, or the existing file below p, whose path name is, as a program printed it, relative to the top; "" if there
// is none. A relative name is looked up from the top of the checkout and from the current
// directory. An absolute name is a path in a workspace, so p may stand anywhere in it.
func reached(repo *git.Repo, p, name string) string {
	here := []string{path.Clean(name), path.Join(repo.Prefix(), name)}
	if at := strings.Index(path.Clean(name)+"/", "/"+p+"/"); path.IsAbs(name) && at >= 0 {
		here = []string{path.Clean(name)[at+1:]}
	}
	for _, name := range here {
		_, err := os.Lstat(filepath.Join(repo.Top(), filepath.FromSlash(name)))
		if err == nil && (name == p || strings.HasPrefix(name, p+"/")) {
			return name
		}
	}
	return ""
}

// roots returns the directories in which modules and programs of dir are looked up: dir itself, and
// directories up to three levels below it such as site-packages and dist-packages of Python.
func roots(dir string) []string {
	list := []string{dir}
	for _, below := range []string{"", "*/", "*/*/"} {
		found, err := filepath.Glob(globQuote.Replace(filepath.ToSlash(dir)) + "/" + below + "*-packages")
		if err == nil { // else the pattern is none, and this is but for a hint
			list = append(list, found...)
		}
	}
	return list
}

// globQuote makes a name a pattern that matches only itself.
var globQuote = strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`)

// addEntries adds what lies in a directory, so many levels deep, by its name and by that
// without what stands behind the first dot.
func addEntries(held map[string]bool, dir string, levels int) {
	const most = 50_000
	entries, _ := os.ReadDir(dir) // what cannot be read holds nothing that could be brought along
	for _, e := range entries {
		if len(held) > most || strings.HasSuffix(e.Name(), ".pyc") { // of a module that is elsewhere, or gone
			continue
		}
		held[e.Name()], held[stem(e.Name())] = true, true
		if e.IsDir() && levels > 1 {
			addEntries(held, filepath.Join(dir, e.Name()), levels-1)
		}
	}
}

// stem is a name without what stands behind its first dot.
func stem(name string) string {
	first, _, _ := strings.Cut(strings.TrimLeft(name, "."), ".")
	return first
}

// keep says what trials lack that lies in the checkout; "" = nothing is known. built says that there is a --build.
func keep(lacks []MissingPath, built bool) string {
	if len(lacks) == 0 {
		return ""
	}
	var flags, paths []string
	more := " (so does --keep auto)"
	for _, l := range lacks {
		paths = append(paths, l.Path)
		flags = append(flags, "--keep", l.Path)
		if IsSecret(l.Path) { // which --keep auto leaves out
			more = "; " + l.Path + " may hold passwords"
		}
	}
	lie, them := "lies", "it"
	if len(paths) > 1 {
		lie, them = "lie", "them"
	}
	lie = fmt.Sprintf("%s %s in your checkout and in no commit, and the output misses %s (%s): ", strings.Join(paths, " and "), lie, them, prose.Quote(prose.Brief(lacks[0].Line)))
	if !slices.ContainsFunc(lacks, func(l MissingPath) bool { return !l.Made }) {
		build := "--build COMMAND makes " + them + " anew in each trial"
		if built {
			build = "--build has to make " + them + ", too"
		}
		return fmt.Sprintf("%sif a build makes %s from the sources, %s; else %s brings yours along", lie, them, build, prose.Words(flags))
	}
	return fmt.Sprintf("%s%s brings %s along%s", lie, prose.Words(flags), them, more)
}

// KeepHint says which files of the checkout the good end misses, and which flag brings them along; "" if
// none is known.
func KeepHint(ctx context.Context, s *settings.Search, repo *git.Repo, err error) string {
	return cmp.Or(environment(ctx, s, repo, err), keep(Missing(ctx, s, repo, err), s.Build != ""))
}

// environment says how the command uses a virtual environment of Python in the checkout that has what the good end
// misses, if it runs another interpreter, which does not look there; "" if there is no such environment.
func environment(ctx context.Context, s *settings.Search, repo *git.Repo, err error) string {
	said := missedBy(err)
	if len(said) == 0 || repo.Top() == "" {
		return ""
	}
	for _, p := range NotTracked(ctx, repo) {
		at := filepath.Join(repo.Top(), filepath.FromSlash(p))
		if _, err := os.Stat(filepath.Join(at, "pyvenv.cfg")); err != nil || said.line(repo, p) == "" {
			continue
		}
		if name := filepath.ToSlash(cmp.Or(FromHere(repo, p), p)); slices.ContainsFunc(s.Command, func(arg string) bool { return strings.Contains(arg, name+"/bin/") }) {
			continue // the command makes the interpreter look there, as its activate does
		}
		for _, arg := range s.Command {
			for _, word := range strings.Fields(arg) {
				if strings.Contains(word, "/") {
					continue
				}
				if info, err := os.Stat(filepath.Join(at, "bin", word)); err != nil || !info.Mode().IsRegular() {
					continue
				}
				name := filepath.ToSlash(cmp.Or(FromHere(repo, p), p))
				bring := ""
				if !Brings(s, repo, p) {
					bring = "--keep " + prose.Words([]string{name}) + ", and "
				}
				return fmt.Sprintf("%s, a virtual environment, has what the output misses (%s), and %s does not look there: %srun %s/bin/%s instead of %s",
					name, prose.Quote(prose.Brief(said.line(repo, p))), word, bring, name, word, word)
			}
		}
	}
	return ""
}

// FromHere is how the user names a path below the top from where he stands; "" if that cannot be said.
func FromHere(repo *git.Repo, p string) string {
	name, err := filepath.Rel(filepath.FromSlash(path.Join("/", repo.Prefix())), filepath.FromSlash("/"+p))
	if err != nil {
		return ""
	}
	return name
}

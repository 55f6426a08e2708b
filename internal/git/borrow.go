package git

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/gitdd/gitdd/internal/disk"
)

// A borrower has the files of a git directory that borrows the objects of another repository: their
// contents by name, without HEAD and the index. git commands that run there do not change the other
// repository.
//
// Only the refs of the user's repository keep the borrowed objects. To keep more of them, gitdd
// would have to write into that repository, or to copy them all. `git gc` and `git repack` do no
// harm, since git looks for packs again when one is gone. But if the user deletes the last ref to a
// revision and prunes at once, rather than after the two weeks that git waits, objects are missing,
// and reading them is an error.
type borrower map[string][]byte

// borrow replaces gitDir by a repository that borrows the objects of r, and has the refs and config
// that r had at the first call. head is the content of its HEAD; more is appended to its config.
func (r *Repo) borrow(ctx context.Context, gitDir, head, more string) error {
	files, err := r.borrower(ctx)
	if err != nil {
		return err
	}
	if err := disk.RemoveAll(gitDir); err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Join(gitDir, "refs"), 0o777); err != nil {
		return err
	}
	files = maps.Clone(files)
	files["HEAD"] = []byte(head + "\n")
	files["config"] = slices.Concat(files["config"], []byte(more))
	for name, content := range files {
		path := filepath.Join(gitDir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			return err
		}
		if err := os.WriteFile(path, content, 0o666); err != nil {
			return err
		}
	}
	return nil
}

// borrower reads what a repository that borrows from r consists of, once.
func (r *Repo) borrower(ctx context.Context) (borrower, error) {
	r.borrowing.Lock()
	defer r.borrowing.Unlock()
	if r.borrowed != nil {
		return r.borrowed, nil
	}
	files := borrower{}
	dirs, err := r.objectDirs(ctx)
	if err != nil {
		return nil, err
	}
	// All of them: git follows the alternates of alternates, but only so far.
	var alternates strings.Builder
	for _, dir := range dirs {
		alternates.WriteString(quoteAlternateLine(dir) + "\n")
	}
	files[alternatesFile] = []byte(alternates.String())
	for _, name := range []string{"shallow", "info/attributes", "info/exclude", "info/grafts"} {
		content, err := os.ReadFile(filepath.Join(r.commonDir, filepath.FromSlash(name)))
		if err == nil {
			files[name] = content
		} else if !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
	}
	if err := r.copyRefs(ctx, files); err != nil {
		return nil, err
	}
	settings, err := r.settings(ctx)
	if err != nil {
		return nil, err
	}
	files["config"] = []byte(r.copiedConfig(settings))
	r.borrowed = files
	return files, nil
}

const alternatesFile = "objects/info/alternates"

// quoteAlternateLine protects a directory in a file of alternates, one a line.
func quoteAlternateLine(dir string) string {
	if !strings.ContainsAny(dir, "\"\n") && !strings.HasPrefix(dir, "#") {
		return dir
	}
	return cQuoted(dir)
}

// ownRefs are the prefixes of refs that are not copied, because they belong to one checkout: those
// of bisects and rebases in progress.
var ownRefs = []string{"refs/bisect/", "refs/rewritten/", "refs/worktree/"}

// isOwn reports whether a ref belongs to one checkout: one of ownRefs, or the stash, whose entries are in
// a reflog, which is not copied.
func isOwn(ref string) bool {
	return ref == "refs/stash" || slices.ContainsFunc(ownRefs, func(begin string) bool { return strings.HasPrefix(ref, begin) })
}

// copyRefs adds the refs: packed, but for symbolic ones.
func (r *Repo) copyRefs(ctx context.Context, files borrower) error {
	// Of an annotated tag also the object that it points to: with it in packed-refs, `git describe` need
	// not open every tag. git fails if one is damaged; then leave them out.
	const format, pointsTo = "--format=%(objectname) %(refname) %(symref)", " %(*objecttype) %(*objectname)"
	out, err := r.Git(ctx, "for-each-ref", format+pointsTo)
	packed := "# pack-refs with: peeled sorted \n"
	if refused(err) {
		packed = "# pack-refs with: sorted \n"
		out, err = r.Git(ctx, "for-each-ref", format)
	}
	if err != nil {
		return err
	}
	text := []byte(packed)
	for line := range strings.Lines(string(out)) {
		field := append(strings.Split(strings.TrimSuffix(line, "\n"), " "), "", "")
		id, name, target, kind, to := field[0], field[1], field[2], field[3], field[4]
		switch {
		case isOwn(name):
		case target != "":
			files[name] = []byte("ref: " + target + "\n")
		default:
			text = append(text, id+" "+name+"\n"...)
			if !strings.HasPrefix(name, "refs/tags/") || to == "" {
				continue
			}
			if kind == "tag" { // a tag of a tag: git before 2.45 follows one of them
				whole, err := r.revParse(ctx, id+"^{}")
				if err != nil {
					return err
				}
				to = string(whole)
			}
			text = append(text, "^"+to+"\n"...)
		}
	}
	files["packed-refs"] = text
	return nil
}

// A setting is a line of git's config.
type setting struct {
	scope      string // "system", "global", "local", "worktree" or "command"
	key, value string
	bare       bool // a key without =, which is true
}

// own reports whether the repository's own config says so.
func (s setting) own() bool { return s.scope == "local" || s.scope == "worktree" }

// settings returns what git read at the first call, with what is included, in its order.
func (r *Repo) settings(ctx context.Context) ([]setting, error) {
	r.configuring.Lock()
	defer r.configuring.Unlock()
	if r.config != nil {
		return r.config, nil
	}
	out, err := r.Git(ctx, "config", "--list", "--null", "--show-scope")
	if err != nil {
		return nil, err
	}
	// Records are "scope NUL key LF value NUL"; a key without value has no LF.
	records := strings.Split(string(out), "\x00")
	var all []setting
	for i := 0; i+1 < len(records); i += 2 {
		key, value, valued := strings.Cut(records[i+1], "\n")
		all = append(all, setting{records[i], key, value, !valued})
	}
	r.config = all
	return all, nil
}

// Setting returns the last value of a key in git's configuration, as it was when the repository was opened:
// "true" for a key without a value. The key is in lower case but for a subsection. It is not ok if the key is
// not set.
func (r *Repo) Setting(ctx context.Context, key string) (value string, ok bool, err error) {
	all, err := r.settings(ctx)
	for _, s := range all {
		if s.key == key {
			value, ok = s.value, true
			if s.bare {
				value = "true"
			}
		}
	}
	return value, ok, err
}

// Remotes returns the names of the remotes that have an address, as they were when the repository was
// opened.
func (r *Repo) Remotes(ctx context.Context) ([]string, error) {
	all, err := r.settings(ctx)
	var names []string
	for _, s := range all {
		name, of := strings.CutPrefix(s.key, "remote.")
		name, address := strings.CutSuffix(name, ".url")
		if of && address && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names, err
}

// ownKeys are the config keys that are not copied: those that name programs (programKeys has some
// more), except filters, which determine the content of files; and those that describe the user's
// checkout.
var ownKeys = append([]string{
	"core.hookspath", "hook.*", "core.fsmonitor", "core.editor", "sequence.editor", "core.pager", "pager.*",
	"diff.external", "diff.*.command", "diff.*.textconv", "difftool.*", "interactive.difffilter",
	"merge.*.driver", "mergetool.*", "gpg.*", "trailer.*", "sendemail.*", "imap.*", "init.templatedir",
	"browser.*", "web.*", "man.*", "instaweb.*", "guitool.*", "gc.recentobjectshook",
	"remote.*.receivepack", "uploadpack.packobjectshook", "protocol.ext.allow",

	"core.bare", "core.worktree", "core.sparsecheckout", "core.sparsecheckoutcone", "index.sparse", "core.splitindex",
}, programKeys...)

// objectExtensions are the extensions of a repository's format that are about its
// objects. Others are about its refs, its worktrees and what is never deleted.
var objectExtensions = []string{"extensions.objectformat", "extensions.partialclone", "extensions.noop*"}

// copied reports whether a setting goes into the config of a repository that borrows.
func (s setting) copied() bool {
	switch {
	case matches(s.key, "include.path", "includeif.*"): // what is included is listed, too
		return false
	case !s.own():
		return true
	case strings.HasPrefix(s.key, "extensions."):
		return matches(s.key, objectExtensions...)
	case strings.HasPrefix(s.value, "!") && matches(s.key, "alias.*", "submodule.*.update"):
		return false
	}
	return !matches(s.key, ownKeys...)
}

// copiedConfig is the config of a repository that borrows from r.
func (r *Repo) copiedConfig(all []setting) string {
	// git reads the user's config for the copy, too, so it need not be written there. But an
	// includeIf whose condition holds for this repository may not hold for the copy. If there is
	// any, write all settings that hold here, but not those of the command line.
	conditional := slices.ContainsFunc(all, func(s setting) bool { return !s.own() && strings.HasPrefix(s.key, "includeif.") })
	var b strings.Builder
	section := ""
	for _, s := range all {
		if !s.own() && (!conditional || s.scope == "command") || !s.copied() {
			continue
		}
		if s.key == "lfs.storage" && !filepath.IsAbs(s.value) {
			s.value = filepath.Join(r.commonDir, s.value)
		}
		head, name := s.section()
		if head != section {
			b.WriteString(head + "\n")
			section = head
		}
		b.WriteString("\t" + name)
		if !s.bare {
			b.WriteString(" = " + cQuoted(s.value))
		}
		b.WriteString("\n")
	}
	fmt.Fprintf(&b, "[core]\n\tbare = false\n")
	return b.String()
}

// section returns the header of the section that a setting stands in, and its name
// there.
func (s setting) section() (head, name string) {
	section, rest, _ := strings.Cut(s.key, ".")
	dot := strings.LastIndex(rest, ".")
	if dot < 0 {
		return "[" + section + "]", rest
	}
	return "[" + section + ` "` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(rest[:dot]) + `"]`, rest[dot+1:]
}

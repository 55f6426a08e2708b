package hints

import (
	"context"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/gitdd/gitdd/changes"
	"github.com/gitdd/gitdd/internal/git"
	"github.com/gitdd/gitdd/internal/prose"
	"github.com/gitdd/gitdd/internal/settings"
)

// built says of a program in the checkout that the command names, and that is no part of a commit, that trials
// have to build it: of one that the ends miss, or with brought of one that --keep or --overlay brings, so that
// both ends ran the same. It returns "" if there is none.
func built(ctx context.Context, s *settings.Search, repo *git.Repo, set *changes.Set, names missed, brought bool) string {
	if repo.Top() == "" || brought && s.Build != "" { // which makes what it finds anew, if it does so at all
		return ""
	}
	untracked := NotTracked(ctx, repo)
	for _, arg := range s.Command {
		for _, word := range nameWords().FindAllString(arg, -1) {
			p := path.Join(repo.Prefix(), word)
			if path.IsAbs(word) || Brings(s, repo, p) != brought || !brought && names[word] == "" || !isProgram(filepath.Join(repo.Top(), filepath.FromSlash(p))) ||
				!slices.ContainsFunc(untracked, func(u string) bool { return p == u || strings.HasPrefix(p, u+"/") }) {
				continue
			}
			how := "with --build COMMAND each trial tests its own"
			switch {
			case s.Build != "":
				how = "let --build make it, too"
			case Has(ctx, repo, set.Good.Tree, "Makefile"):
				how = "with --build make, or what else makes it, each trial tests its own"
			}
			word = prose.Words([]string{word})
			if brought {
				return fmt.Sprintf("%s is a built program, and both ends ran the same one, which is right for a tool only: %s", word, how)
			}
			return fmt.Sprintf("%s is a built program, which no commit has: %s; --keep %s would bring the same one to both ends, which is right for a tool only", word, how, word)
		}
	}
	return ""
}

// isProgram reports whether a file is a program that a compiler or a linker wrote: of the formats ELF, Mach-O or PE.
func isProgram(name string) bool {
	info, err := os.Lstat(name) // a link is that of an environment
	if err != nil || !info.Mode().IsRegular() {
		return false
	}
	f, err := os.Open(name)
	if err != nil {
		return false
	}
	defer f.Close()
	magic := make([]byte, 4)
	if _, err := io.ReadFull(f, magic); err != nil {
		return false
	}
	begin := string(magic)
	return begin == "\x7fELF" || strings.HasPrefix(begin, "MZ") || slices.Contains([]string{"\xcf\xfa\xed\xfe", "\xce\xfa\xed\xfe", "\xca\xfe\xba\xbe"}, begin)
}

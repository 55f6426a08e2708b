package hints

import (
	"context"
	"errors"
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
	"github.com/gitdd/gitdd/trial"
)

// unbuilt says that a program which trials miss has to be built in each of them: one that the command names, that lies
// in the checkout, and that no commit has. names are the words of the command that trials miss. It returns "" if there is none.
func unbuilt(ctx context.Context, s *settings.Search, repo *git.Repo, set *changes.Set, names missed) string {
	program := namedProgram(ctx, s, repo, func(word, p string) bool { return names[word] != "" && !Brings(s, repo, p) })
	if program == "" {
		return ""
	}
	how := "let --build make it, too"
	if s.Build == "" {
		how = ownProgram(ctx, repo, set)
	}
	return fmt.Sprintf("%[1]s is a built program, which no commit has: %[2]s; --keep %[1]s would bring the same one to both ends, which is right for a tool only", program, how)
}

// sharedProgram says that both ends ran the same built program, which --keep or --overlay brought and no build could make
// anew; "" if that is not so.
func sharedProgram(ctx context.Context, s *settings.Search, repo *git.Repo, set *changes.Set, err error) string {
	if s.Build != "" || !errors.As(err, new(*trial.EndsError)) {
		return ""
	}
	program := namedProgram(ctx, s, repo, func(_, p string) bool { return Brings(s, repo, p) })
	if program == "" {
		return ""
	}
	return fmt.Sprintf("%s is a built program, and both ends ran the same one, which is right for a tool only: %s", program, ownProgram(ctx, repo, set))
}

// ownProgram says how each trial comes to test a program of its own.
func ownProgram(ctx context.Context, repo *git.Repo, set *changes.Set) string {
	if Has(ctx, repo, set.Good.Tree, "Makefile") {
		return "with --build make, or what else makes it, each trial tests its own"
	}
	return "with --build COMMAND each trial tests its own"
}

// namedProgram returns the first word of the command that names a built program of the checkout which git does not track and
// for which is holds; "" if there is none. is gets the word, and the path below the top.
func namedProgram(ctx context.Context, s *settings.Search, repo *git.Repo, is func(word, p string) bool) string {
	if repo.Top() == "" {
		return ""
	}
	untracked := NotTracked(ctx, repo)
	for _, arg := range s.Command {
		for _, word := range nameWords().FindAllString(arg, -1) {
			p := path.Join(repo.Prefix(), word)
			inside := func(u string) bool { return p == u || strings.HasPrefix(p, u+"/") }
			if !path.IsAbs(word) && is(word, p) && slices.ContainsFunc(untracked, inside) && isProgram(filepath.Join(repo.Top(), filepath.FromSlash(p))) {
				return prose.Words([]string{word})
			}
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

package changes

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/gitdd/gitdd/internal/git"
)

// checkPath refuses a path that git itself would not check out, by the rules of
// git's verify_path with core.protectHFS and core.protectNTFS both on, whatever
// the machine: a tree that is safe on one file system only is hostile.
func checkPath(path string, mode git.Mode) error {
	for name := range strings.SplitSeq(path, "/") {
		if err := checkName(name, mode); err != nil {
			return fmt.Errorf("path %s: %w", printable(path), err)
		}
	}
	return nil
}

// A RefusedError is about a tree that git would not check out: an entry named
// ".git", two entries of one name, and so on.
type RefusedError struct{ what string }

func (e *RefusedError) Error() string { return e.what }

func refuse(format string, args ...any) error { return &RefusedError{fmt.Sprintf(format, args...)} }

// CheckPath returns a *[RefusedError] for a path that no file of a sound tree has:
// a path that leaves its directory by one of its components, or that some
// system takes for the repository's own .git.
func CheckPath(path string, mode git.Mode) error {
	for path != "" {
		name, rest, below := strings.Cut(path, "/")
		of := mode
		if below {
			of = git.Directory
		}
		if err := checkName(name, of); err != nil {
			return err
		}
		if path = rest; below && rest == "" {
			return checkName("", mode)
		}
	}
	return nil
}

// checkName refuses a name that no entry of a tree may have.
func checkName(name string, mode git.Mode) error {
	switch {
	case name == "":
		return refuse("a tree entry has an empty name; git would not check it out")
	case name == "." || name == "..":
		return refuse("a tree entry is named %q, which would leave its directory", name)
	case strings.ContainsAny(name, "/\x00"):
		return refuse("a tree entry is named %s, which is not one name", printable(name))
	}
	// On Windows a backslash separates names, so each part must pass.
	for part := range strings.SplitSeq(name, `\`) {
		onMac, onWindows := hfs(part), ntfs(part)
		if onMac == ".git" || onWindows == ".git" || onWindows == "git~1" {
			return refuse("a tree entry is named %s, which some systems take for the repository's own .git", printable(name))
		}
		if mode == git.Symlink && (onMac == ".gitmodules" || onWindows == ".gitmodules" || shortGitmodules(onWindows)) {
			return refuse("a symbolic link is named %s, which some systems take for .gitmodules", printable(name))
		}
	}
	return nil
}

// hfs gives the name as HFS+ compares it: in lower case, without the code points
// that it ignores, and only as far as it is UTF-8.
func hfs(name string) string {
	var b strings.Builder
	for i, r := range name {
		switch {
		case r == utf8.RuneError && !strings.HasPrefix(name[i:], "\ufffd"):
			return b.String()
		case r >= 0x200c && r <= 0x200f, r >= 0x202a && r <= 0x202e, r >= 0x206a && r <= 0x206f, r == 0xfeff:
		case r >= 'A' && r <= 'Z':
			b.WriteRune(r + 'a' - 'A')
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// ntfs gives the name as NTFS compares it: in lower case, without the dots and
// spaces at its end and the name of an alternate data stream.
func ntfs(name string) string {
	name, _, _ = strings.Cut(name, ":")
	return strings.ToLower(strings.TrimRight(name, ". "))
}

// shortGitmodules reports whether NTFS may have given the short name to
// .gitmodules: gitmod~1 to gitmod~4, then gi7eba~1, gi7eb~10 and so on.
func shortGitmodules(name string) bool {
	stem, number, ok := strings.Cut(name, "~")
	switch {
	case !ok || number == "" || number[0] < '1' || number[0] > '9' || strings.Trim(number, "0123456789") != "":
		return false
	case stem == "gitmod":
		return number <= "4" && len(number) == 1
	}
	return len(name) == 8 && strings.HasPrefix("gi7eba", stem)
}

// printable gives a path as git prints it: quoted when it holds anything that
// could be taken for something else on a terminal.
func printable(path string) string {
	for _, r := range path {
		if r == utf8.RuneError || r == '"' || r == '\\' || !strconv.IsPrint(r) {
			return strconv.Quote(path)
		}
	}
	return path
}

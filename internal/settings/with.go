package settings

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/gitdd/gitdd/internal/git"
)

// A With is another repository in a search, as --with names it.
type With struct {
	Name      string
	Dir       string // a directory in it
	Good, Bad string // "" = tags of the versions of a dependency; see --into
}

// WithFlag adds --with.
func (s *Search) WithFlag(flags *pflag.FlagSet) {
	flags.StringArrayVar(&s.With, "with", nil, "search the changes of another repository, too, as `NAME=DIR:GOOD..BAD`: its files are in the folder NAME of each workspace; see gitdd help with (repeatable)")
}

// ParseWith reads NAME=DIR:GOOD..BAD, or NAME=DIR.
func ParseWith(text string) (w With, err error) {
	const want = "want NAME=DIR:GOOD..BAD, such as --with lib=../lib:v1..v2"
	var ok bool
	if w.Name, w.Dir, ok = strings.Cut(text, "="); !ok {
		return w, fmt.Errorf("--with %s: %s", text, want)
	}
	if i := strings.LastIndex(w.Dir, ":"); i >= 0 && strings.Contains(w.Dir[i:], "..") {
		w.Good, w.Bad, _ = strings.Cut(w.Dir[i+1:], "..")
		w.Dir = w.Dir[:i]
		if w.Good == "" || w.Bad == "" || strings.HasPrefix(w.Bad, ".") {
			return w, fmt.Errorf("--with %s: %s, with two revisions and two dots", text, want)
		}
	}
	if w.Dir == "" {
		return w, fmt.Errorf("--with %s: %s", text, want)
	}
	return w, nil
}

// Variable is the variable by which a command finds the folder of a name.
func Variable(name string) string {
	return "GITDD_" + strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' {
			return r
		}
		return '_'
	}, strings.ToUpper(name))
}

// ownVariables have a meaning of their own.
var ownVariables = []string{
	"GITDD_WORKSPACE", "GITDD_WORKER", "GITDD_TRIAL", "GITDD_ATTEMPT", "GITDD_SESSION", "GITDD_PORT",
	"GITDD_INPUT", "GITDD_DIR", "GITDD_BUILD", "GITDD_CACHE_DIR",
}

// Parts returns what --with names, which is checked: those with revisions.
func (s *Search) Parts() (list []With) {
	for _, text := range s.With {
		if w, err := ParseWith(text); err == nil && w.Good != "" {
			list = append(list, w)
		}
	}
	return list
}

// CheckWith is Check of --with.
func (s *Search) CheckWith() error {
	switch {
	case len(s.With) == 0:
		return nil
	case s.GoodDir != "" || s.BadDir != "":
		return errors.New("--with names another repository beside this one, --good-dir and --bad-dir are in none: want one of them")
	case s.Good == git.Auto || s.Green != "":
		return errors.New("--with takes the good revision of each repository from you: name that of this one, too, by --good")
	case s.Machines.Named():
		return errors.New("--with brings folders into workspaces on this machine only: want it without " + s.Machines.Flag())
	}
	names := map[string]string{}
	for _, text := range s.With {
		w, err := ParseWith(text)
		if err != nil {
			return err
		}
		if w.Good == "" && s.Into != IntoAlways {
			return fmt.Errorf("--with %s: which revisions? Want --with %s:GOOD..BAD, or --into, too, which takes a clone of a dependency", text, text)
		}
		if err := plainName(w.Name); err != nil {
			return fmt.Errorf("--with %s: %w", text, err)
		}
		variable := Variable(w.Name)
		if other, ok := names[variable]; ok {
			return fmt.Errorf("--with %s and --with %s: both would be %s: give one of them another name", other, w.Name, variable)
		}
		names[variable] = w.Name
	}
	return nil
}

// plainName says why a name cannot be that of a folder at the top of a workspace.
func plainName(name string) error {
	plain := strings.Trim(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-") == ""
	switch {
	case name == "" || !plain || strings.Trim(name, ".") == "" || strings.HasPrefix(name, "-") || strings.HasPrefix(strings.ToLower(name), ".git"):
		return fmt.Errorf("%q is no plain name: want letters, digits, dots, _ and -", name)
	case slices.Contains(ownVariables, Variable(name)):
		return fmt.Errorf("%s has another meaning: give it another name", Variable(name))
	}
	return nil
}

package updates

import (
	"errors"
	"strings"

	"golang.org/x/mod/modfile"
	"golang.org/x/mod/module"
	"golang.org/x/mod/semver"
)

// goCommand is the name by which a go.mod requires a version of Go, as the go command does
// (go.dev/ref/mod, "go directive").
const goCommand = "go"

// readGoMod reads a go.mod: an entry for each requirement, replacement and exclusion, and for the
// version of Go. What the modules require is not in it: see relateGo.
func readGoMod(name string, text []byte) ([]Entry, error) {
	f, err := modfile.Parse(name, text, nil)
	if err != nil {
		return nil, modError(err)
	}
	var list []Entry
	for _, r := range f.Require {
		m := r.Mod
		list = append(list, at(r.Syntax, Entry{
			ID: "require " + m.Path, Name: m.Path, Version: m.Version, Exact: true, Source: sourceOf(m, f.Replace),
			Provides: []string{moduleKey(m.Path)},
			Together: []string{"vendored " + m.Path},
		}))
	}
	list = append(list, replacements(f.Replace)...)
	for _, x := range f.Exclude {
		list = append(list, at(x.Syntax, Entry{ID: "exclude " + x.Mod.String(), Name: x.Mod.Path, Version: x.Mod.Version, Partial: true}))
	}
	if f.Go != nil {
		list = append(list, at(f.Go.Syntax, Entry{
			ID: "go", Name: goCommand, Version: f.Go.Version, Exact: true, Provides: []string{moduleKey(goCommand)},
		}))
	}
	if f.Toolchain != nil { // the go line asks for at least this, or the toolchain line for more
		list = append(list, at(f.Toolchain.Syntax, Entry{ID: "toolchain", Name: goCommand, Version: f.Toolchain.Name, Partial: true}))
	}
	return list, nil
}

// sourceOf is what the go command takes for a required module.
func sourceOf(m module.Version, replaced []*modfile.Replace) Source {
	to := replacement(m, replaced)
	if modfile.IsDirectoryPath(to.Path) {
		return Source{}
	}
	return Source{Name: to.Path, Version: to.Version}
}

// replacement is the module, or the directory, in the place of a module: the last line that replaces it counts.
func replacement(m module.Version, replaced []*modfile.Replace) module.Version {
	to := m
	for _, r := range replaced {
		if r.Old.Path == m.Path && (r.Old.Version == "" || r.Old.Version == m.Version) {
			to = r.New
		}
	}
	return to
}

// modError is the first error of a go.mod or go.work.
func modError(err error) error {
	var list modfile.ErrorList
	if errors.As(err, &list) && len(list) > 0 {
		return atLine(list[0].Pos.Line-1, "%v", list[0].Err)
	}
	return err
}

// readGoWork reads a go.work as far as it replaces modules.
func readGoWork(name string, text []byte) ([]Entry, error) {
	f, err := modfile.ParseWork(name, text, nil)
	if err != nil {
		return nil, modError(err)
	}
	list := replacements(f.Replace)
	if f.Go != nil {
		list = append(list, at(f.Go.Syntax, Entry{ID: "go", Name: goCommand, Version: f.Go.Version, Exact: true}))
	}
	return list, nil
}

// replacements are the entries of lines that replace a module: each goes together with the requirement.
func replacements(list []*modfile.Replace) (out []Entry) {
	for _, r := range list {
		out = append(out, at(r.Syntax, Entry{
			ID: "replace " + r.Old.String(), Name: r.Old.Path, Version: strings.TrimSpace(r.New.Path + " " + r.New.Version),
			Together: []string{"vendored " + r.Old.Path},
		}))
	}
	return out
}

// at places an entry on the lines of a directive.
func at(l *modfile.Line, e Entry) Entry {
	e.From, e.To = l.Start.Line-1, l.End.Line
	return e
}

func moduleKey(path string) string { return "module " + path }

// readGoSum reads a go.sum or go.work.sum.
func readGoSum(_ string, text []byte) (list []Entry, err error) {
	for n, line := range rows(text) {
		words := strings.Fields(string(line))
		if len(words) == 0 {
			continue
		}
		if len(words) != 3 || !strings.Contains(words[2], ":") {
			return nil, atLine(n, "want a module, a version and a checksum")
		}
		list = append(list, Entry{
			ID: words[0] + " " + words[1], Name: words[0], Version: strings.TrimSuffix(words[1], "/go.mod"), Partial: true, From: n, To: n + 1,
		})
	}
	return list, nil
}

func vendored(name string) bool { return strings.HasSuffix("/"+name, "/vendor/modules.txt") }

// readVendored reads vendor/modules.txt, which the go command compares with go.mod. A module begins with
// a line "# path version", or "# path => replacement", and has its packages below it.
func readVendored(_ string, text []byte) (list []Entry, err error) {
	for n, line := range rows(text) {
		words := strings.Fields(string(line))
		switch {
		case len(words) == 0:
			continue
		case words[0] == "##" && len(list) == 0: // ## workspace
			continue
		case words[0] == "#" && len(words) >= 3:
			e := Entry{ID: words[1], Name: words[1], From: n, To: n + 1, Together: []string{"vendored " + words[1]}}
			if e.Exact = semver.IsValid(words[2]); e.Exact {
				e.Version = words[2]
			} else { // at the end of the file: the module is replaced in every version
				e.ID = "replace " + e.ID
			}
			list = append(list, e)
		case len(list) == 0:
			return nil, atLine(n, "want a module before its packages")
		default:
			list[len(list)-1].To = n + 1
		}
	}
	return list, nil
}

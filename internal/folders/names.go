package folders

import (
	"fmt"
	"path"
	"runtime"
	"strings"

	"github.com/gitdd/gitdd/changes"
	"github.com/gitdd/gitdd/internal/git"
	"github.com/gitdd/gitdd/internal/prose"
)

// shown is a path as a message has it.
func shown(path string) string { return prose.Printable(path) }

// enter adds a file without content, if it can have that path.
func (e *end) enter(name string, mode git.Mode) error {
	if len(e.files) >= mostFiles {
		return fmt.Errorf("%s has more than %d files, which is more than gitdd takes: name smaller folders in it", e.name, mostFiles)
	}
	if err := changes.CheckPath(name, mode); err != nil {
		return fmt.Errorf("%s: %s: %w: rename it or leave it out, in both folders", e.name, shown(name), err)
	}
	if runtime.GOOS == "windows" && strings.Contains(name, `\`) {
		return fmt.Errorf("%s: %s has a backslash in its name, which separates directories on Windows", e.name, shown(name))
	}
	_, isFile := e.at[name]
	_, isDir := e.dirs[name]
	if isFile || isDir {
		return fmt.Errorf("%s has two entries of the name %s: which one is meant? Unpack it into a folder and name that", e.name, shown(name))
	}
	for dir := path.Dir(name); dir != "."; dir = path.Dir(dir) {
		if _, isFile := e.at[dir]; isFile {
			return fmt.Errorf("%s has %s as a file and as a directory: unpack it into a folder and name that", e.name, shown(dir))
		}
		if e.dirs[dir] {
			break // and so those above
		}
		e.dirs[dir] = true
	}
	e.at[name] = len(e.files)
	e.files = append(e.files, file{path: name, mode: mode})
	return nil
}

// enterDir adds a directory, which may turn out to be empty.
func (e *end) enterDir(name string) error {
	if err := changes.CheckPath(name, git.Directory); err != nil {
		return fmt.Errorf("%s: %s: %w: rename it or leave it out, in both folders", e.name, shown(name), err)
	}
	if len(e.dirs) >= mostFiles {
		return fmt.Errorf("%s has more than %d directories, which is more than gitdd takes: name smaller folders in it", e.name, mostFiles)
	}
	if _, isFile := e.at[name]; isFile {
		return fmt.Errorf("%s has %s as a file and as a directory: unpack it into a folder and name that", e.name, shown(name))
	}
	if !e.dirs[name] {
		e.dirs[name] = false
	}
	return nil
}

// ignoresCase: the file systems of this machine usually take names that differ in case for the same.
const ignoresCase = runtime.GOOS == "windows" || runtime.GOOS == "darwin"

// collision finds two paths of which such a file system holds only one.
func collision(of string, files []file) error {
	first := map[string]string{}
	for _, f := range files {
		for name := f.path; name != "."; name = path.Dir(name) {
			lower := strings.ToLower(name)
			if other, taken := first[lower]; taken && other != name {
				return fmt.Errorf("%s has %s and %s, which are the same to the file systems of this machine: search on Linux", of, shown(other), shown(name))
			} else if taken {
				break // and so those above
			}
			first[lower] = name
		}
	}
	return nil
}

// top is the directory in which everything of an archive lies; "" if there is none.
func (e *end) top() string {
	top := ""
	for _, f := range e.files {
		first, _, below := strings.Cut(f.path, "/")
		if !below || top != "" && first != top {
			return ""
		}
		top = first
	}
	return top
}

// has reports whether something at the top has that name.
func (e *end) has(name string) bool {
	_, isFile := e.at[name]
	return isFile || e.dirs[name]
}

// npmTop is the top of what npm pack writes, whatever the name of the package.
const npmTop = "package"

// stripTops takes the directory in which everything of an archive lies off its paths, unless the other end has it, too:
// those of two releases are called by their versions.
func stripTops(ends [2]*end, note func(string)) {
	tops := [2]string{}
	for i, e := range ends {
		top, other := e.top(), ends[1-i]
		if e.archive && top != "" && (!other.has(top) || top == npmTop && other.archive && other.top() == top) {
			tops[i] = top
		}
	}
	for i, e := range ends {
		if tops[i] != "" {
			e.stripped = tops[i] + "/"
			note(fmt.Sprintf("everything in %s lies in %s: paths are those below it", e.name, shown(e.stripped)))
		}
	}
}

// note says what is left out.
func note(ends [2]*end, note func(string)) {
	for _, e := range ends {
		first, more := "", -1
		for name, filled := range e.dirs {
			if !filled {
				if more++; first == "" || name < first {
					first = name
				}
			}
		}
		if first != "" {
			note(fmt.Sprintf("empty directories of %s are left out, for git has none in its trees: %s", e.name, andMore(first, more)))
		}
		if len(e.left) > 0 {
			note(fmt.Sprintf("what git keeps in %s is left out: %s", e.name, andMore(e.left[0], len(e.left)-1)))
		}
	}
	if isCheckout(ends[0]) && isCheckout(ends[1]) {
		note("both are checkouts of git: in a repository that has both revisions, --good REV --bad REV finds the commit, too")
	}
}

func isCheckout(e *end) bool { return len(e.left) > 0 && e.left[0] == ".git" }

// andMore is a path and how many others there are.
func andMore(first string, more int) string {
	if more == 0 {
		return shown(first)
	}
	return fmt.Sprintf("%s and %d more", shown(first), more)
}

package grouping

import (
	"bytes"
	"path"
	"slices"
	"strings"

	"github.com/gitdd/gitdd/changes"
	"github.com/gitdd/gitdd/internal/lazyregexp"
)

// A Nature says what changes consist of, as far as that is a reason to doubt
// that they do anything.
type Nature uint8

const (
	Code          Nature = iota // anything that may count; what cannot be read, too
	Comments                    // comments, and white space around them
	Space                       // white space that has no meaning in the language
	Layout                      // white space that may have one: in Python, a string, a file of no known language
	Documentation               // a file for readers
)

// String returns the nature as a word: "code", "comments", ...
func (n Nature) String() string {
	return [...]string{"code", "comments", "white space", "layout", "documentation"}[n]
}

// Natures says of each change of a cause what it consists of, in increasing
// order of cause. without and with are the trees of s without and with the whole
// cause and equal otherwise: a hunk is a comment only if its file, taken as a
// whole, is the same code before and after, whatever the hunk looks like alone.
//
// Precision comes first: what is not sure to be anything else is Code. Comments
// that tools are known to read ("//go:build", "# type:", "#!") are Code, and so
// is a file that does not read as its language. Cost: two parses of each file.
// The error is that of reading contents.
func Natures(s *changes.Set, without, with *changes.Tree, cause []int) ([]Nature, error) {
	p := newParsers()
	defer p.close()
	known := map[[2]string]Nature{}
	list := make([]Nature, len(cause))
	for k, i := range cause {
		c := &s.Changes[i]
		if documents(c.Path) && documents(c.OldPath) {
			list[k] = Documentation
			continue
		}
		if c.Kind != changes.Text {
			continue
		}
		id := [2]string{c.Path, c.OldPath}
		if _, ok := known[id]; !ok {
			before, err := contentIn(s, without, c)
			if err != nil {
				return nil, err
			}
			after, err := contentIn(s, with, c)
			if err != nil {
				return nil, err
			}
			known[id] = p.nature(c.Path, before, after)
		}
		list[k] = known[id]
	}
	// Beside another kind of change in the same file, text is not judged alone.
	for k, i := range cause {
		c := &s.Changes[i]
		if c.Kind == changes.Text || list[k] != Code {
			continue
		}
		for m, j := range cause {
			if o := &s.Changes[j]; o.Path == c.Path || o.OldPath == c.OldPath {
				list[m] = Code
			}
		}
	}
	return list, nil
}

// contentIn returns what the file of a text change holds in a tree of s; nil
// where it is no regular file.
func contentIn(s *changes.Set, tree *changes.Tree, c *changes.Change) ([]byte, error) {
	for _, name := range []string{c.Path, c.OldPath} {
		f := s.GoodFile(name)
		if composed, ok := tree.File(name); ok {
			f = composed
		}
		if f.Mode.IsFile() {
			return s.Content(f)
		}
	}
	return nil, nil
}

// nature judges what makes the difference of two contents of one file.
func (p *parsers) nature(name string, before, after []byte) Nature {
	for _, content := range [][]byte{before, after} {
		if len(content) == 0 || bytes.IndexByte(content, 0) >= 0 || len(content) > parseFileBytes {
			return Code
		}
	}
	l := languageOf(name, after)
	blank := bytes.Equal(withoutBlanks(before), withoutBlanks(after))
	switch {
	case l == languageOf(name, before) && p.sameCode(name, l, before, after):
		if blank {
			return Space
		}
		return Comments
	case blank:
		return Layout
	}
	return Code
}

// sameCode reports whether two contents are the same but for comments, and white
// space that has no meaning in l.
func (p *parsers) sameCode(name string, l language, before, after []byte) bool {
	same := func(read func(content []byte) ([]extent, bool)) bool {
		x, ok := read(before)
		y, ok2 := read(after)
		return ok && ok2 && bytes.Equal(normalized(l, before, x), normalized(l, after, y))
	}
	lexical := func(content []byte) ([]extent, bool) { return lexicalExtents(name, l, content) }
	switch {
	case l == golang:
		return same(goExtents)
	case !p.reads(l):
		return same(lexical)
	case !same(func(content []byte) ([]extent, bool) { return p.extents(l, content) }):
		return false
	}
	// What the grammar does not understand whole, as C before its preprocessor,
	// must look the same to somebody else.
	return p.clean(l, before) && p.clean(l, after) || same(lexical)
}

// withoutBlanks is a content without its white space and empty lines, as git
// diff -w --ignore-blank-lines compares it.
func withoutBlanks(content []byte) []byte {
	out := make([]byte, 0, len(content))
	for line := range bytes.Lines(content) {
		if fields := bytes.Fields(line); len(fields) > 0 {
			out = append(append(out, bytes.Join(fields, nil)...), '\n')
		}
	}
	return out
}

// documents reports whether a file is for readers: by its name, whatever holds
// code in a directory of documents.
func documents(name string) bool {
	base := strings.ToLower(path.Base(name))
	ext := path.Ext(base)
	switch ext {
	case ".md", ".markdown", ".mkd", ".rst", ".adoc", ".asciidoc", ".texi", ".texinfo", ".pod":
		return true
	case "", ".txt", ".html", ".tex", ".1", ".3", ".5", ".7", ".8":
		if base == "requirements.txt" || base == "cmakelists.txt" {
			return false
		}
		stem := strings.TrimSuffix(base, ext)
		if ext == "" || ext == ".txt" || ext == ".html" {
			if slices.Contains([]string{"readme", "changelog", "changes", "news", "authors", "contributors", "copying", "license", "licence", "notice", "contributing", "history", "install", "todo", "thanks", "maintainers", "code_of_conduct"}, stem) {
				return true
			}
		}
		if ext != "" {
			for _, dir := range strings.Split(strings.ToLower(path.Dir(name)), "/") {
				switch dir {
				case "doc", "docs", "documentation", "man":
					return true
				}
			}
		}
	}
	return false
}

// IsTest reports whether the file of that name is a test, or what tests read:
// by the usual names of files and directories.
func IsTest(name string) bool {
	for _, dir := range strings.Split(path.Dir(name), "/") {
		switch dir {
		case "test", "tests", "testdata", "__tests__", "spec", "specs", "testing", "Tests", "fixtures":
			return true
		}
	}
	return testName().MatchString(path.Base(name))
}

var testName = lazyregexp.New(`^test_.*\.\w+$|^tests?\.\w+$|^conftest\.py$|[_-](test|tests|spec)\.\w+$|\.(test|spec|cy|e2e)\.[cm]?[jt]sx?$|[a-z0-9](Test|Tests|Spec|IT|TestCase)\.(java|kt|scala|groovy|cs|php|swift|vb|fs)$|\.(bats|t|feature)$`)

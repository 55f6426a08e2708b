package apply

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"

	"github.com/gitdd/gitdd/changes"
	"github.com/gitdd/gitdd/report"
)

// missing returns the changes that the causes of a result need, as far as their texts are known, and that the files below dir have
// not. They have a change of text if the lines that it brings are in the file, or, if it brings none, those that it removes are
// not. Of other kinds of changes it knows whether a file is there.
func missing(dir string, result report.Result) (list []report.Reference) {
	for _, c := range result.Causes()[:result.Together()] {
		for _, m := range c.ContextDiff {
			at := slices.IndexFunc(c.Present, func(p report.Reference) bool { return p.ID == m.ID })
			if at >= 0 && !has(dir, m) && !slices.Contains(list, c.Present[at]) {
				list = append(list, c.Present[at])
			}
		}
	}
	return list
}

// mostRead is how many bytes a file has at most that is read.
const mostRead = 16 << 20

// has reports whether the files below dir have a change. It reports true if that is not known.
func has(dir string, c report.Change) bool {
	name := filepath.Join(dir, filepath.FromSlash(c.Path))
	info, err := os.Lstat(name)
	switch there := err == nil; c.Kind {
	case changes.Created.String():
		return there
	case changes.Deleted.String():
		return !there
	case changes.Text.String():
		before, after := textOf(c.RawOld, c.Old), textOf(c.RawNew, c.New)
		if !there {
			return len(after) == 0
		}
		if !info.Mode().IsRegular() || info.Size() > mostRead {
			return true
		}
		content, err := os.ReadFile(name)
		if err != nil {
			return true
		}
		content = unixLines(content) // as git may have checked it out
		if len(after) > 0 {
			return bytes.Contains(content, after)
		}
		return !bytes.Contains(content, before)
	}
	return true
}

// textOf is a text of a change: raw has its bytes if they are no UTF-8.
func textOf(raw []byte, text string) []byte {
	if raw == nil {
		raw = []byte(text)
	}
	return unixLines(raw)
}

// unixLines ends each line by \n alone.
func unixLines(text []byte) []byte { return bytes.ReplaceAll(text, []byte("\r\n"), []byte("\n")) }

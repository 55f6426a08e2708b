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

func has(dir string, c report.Change) bool {
	name := filepath.Join(dir, filepath.FromSlash(c.Path))
	info, err := os.Lstat(name)
	there := err == nil
	var content []byte
	if there && info.Mode().IsRegular() && info.Size() <= mostRead {
		if content, err = os.ReadFile(name); err != nil {
			return true // it is not known
		}
		content = bytes.ReplaceAll(content, []byte("\r\n"), []byte("\n")) // as git may have checked it out
	} else if there && c.Kind == changes.Text.String() {
		return true
	}
	switch c.Kind {
	case changes.Text.String():
		if after := exact(c.RawNew, c.New); len(after) > 0 {
			return there && bytes.Contains(content, after)
		}
		return !there || !bytes.Contains(content, exact(c.RawOld, c.Old))
	case changes.Created.String():
		return there
	case changes.Deleted.String():
		return !there
	}
	return true
}

// exact are the bytes of a text, which raw has if they are no UTF-8, with \n behind each line.
func exact(raw []byte, text string) []byte {
	if raw != nil {
		return bytes.ReplaceAll(raw, []byte("\r\n"), []byte("\n"))
	}
	return bytes.ReplaceAll([]byte(text), []byte("\r\n"), []byte("\n"))
}

package apply

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"slices"

	"github.com/gitdd/gitdd/changes"
	"github.com/gitdd/gitdd/internal/git"
	"github.com/gitdd/gitdd/report"
)

// A reader returns the content of a file, by its path in the repository. If it is not known, as of what is no regular file or
// has more than mostRead bytes, content is nil. If there is no such file, there is false.
type reader func(path string) (content []byte, there bool)

// mostRead is how many bytes a file has at most that is read.
const mostRead = 16 << 20

// missing returns the changes that the causes of a result need, as far as their texts are known, and that the files have not.
// They have a change of text if the lines that it brings are in the file, or, if it brings none, those that it removes are
// not. Of other kinds of changes it knows whether a file is there.
func missing(result report.Result, read reader) (list []report.Reference) {
	for _, c := range result.Causes()[:result.Together()] {
		for _, m := range c.ContextDiff {
			at := slices.IndexFunc(c.Present, func(p report.Reference) bool { return p.ID == m.ID })
			if at >= 0 && !has(m, read) && !slices.Contains(list, c.Present[at]) {
				list = append(list, c.Present[at])
			}
		}
	}
	return list
}

// has reports whether the files have a change. It reports true if that is not known.
func has(c report.Change, read reader) bool {
	content, there := read(c.Path)
	switch c.Kind {
	case changes.Created.String():
		return there
	case changes.Deleted.String():
		return !there
	case changes.Text.String():
		before, after := textOf(c.RawOld, c.Old), textOf(c.RawNew, c.New)
		if !there {
			return len(after) == 0
		}
		if content == nil {
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

// below reads the files in a directory.
func below(dir string) reader {
	return func(path string) (content []byte, there bool) {
		name := filepath.Join(dir, filepath.FromSlash(path))
		info, err := os.Lstat(name)
		if err != nil {
			return nil, false
		}
		if info.Mode().IsRegular() && info.Size() <= mostRead {
			content, _ = os.ReadFile(name) // else it is not known
		}
		return content, true
	}
}

// within reads the files of a tree.
func within(ctx context.Context, repo *git.Repo, tree git.ID) reader {
	return func(path string) (content []byte, there bool) {
		list, err := repo.PathsBelow(ctx, tree, path)
		if err != nil {
			return nil, true
		}
		if len(list) != 1 || list[0].Path != path {
			return nil, len(list) > 0
		}
		if size, err := repo.BlobSize(ctx, list[0].ID); err == nil && size <= mostRead {
			content, _ = repo.Blob(ctx, list[0].ID) // else it is not known
		}
		return content, true
	}
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

package record

import (
	"bytes"
	"cmp"
	"io/fs"
	"slices"
	"strings"

	"github.com/gitdd/gitdd/reduction"
	"github.com/gitdd/gitdd/report"
	"github.com/gitdd/gitdd/testcase"
)

// Of the files of a reduction a story keeps so many, and so many bytes of their
// texts before, and after.
const (
	storyFilesMost = 500
	storyTextBytes = 64 << 10
)

// Files returns the files of the input before, with what is left of each in the input after, as a story has
// them. formats are those of the files of after. followed has the trails of the texts from before to after,
// and may be nil.
func Files(before, after testcase.Input, formats []string, followed *reduction.Trails) []report.File {
	left := make(map[string]int, len(after.Files))
	for i, f := range after.Files {
		left[f.Path] = i
	}
	// Invariant: what stayed stands in front, both parts in the order of their paths.
	files := slices.Clone(before.Files)
	slices.SortStableFunc(files, func(a, b testcase.File) int {
		_, here := left[a.Path]
		_, there := left[b.Path]
		switch {
		case here != there && here:
			return -1
		case here != there:
			return 1
		case !here:
			return cmp.Compare(len(b.Content), len(a.Content))
		}
		return 0
	})
	files = files[:min(len(files), storyFilesMost)]
	was, is := storyTextBytes, storyTextBytes
	var list []report.File
	for _, f := range files {
		one := report.File{Path: validText(f.Path), Before: int64(len(f.Content)), After: -1, Was: begin(f, &was)}
		if i, stays := left[f.Path]; stays {
			now := after.Files[i]
			one.After, one.Is = int64(len(now.Content)), begin(now, &is)
			if one.Was != "" && len(one.Was) == len(f.Content) {
				one.Kept = followed.Kept(f.Path, now.Content)
			}
			if i < len(formats) {
				one.Format = formats[i]
			}
		}
		list = append(list, one)
	}
	return list
}

// begin is the begin of the text of a file, as far as there is room, which it takes;
// "" if it is no text.
func begin(f testcase.File, room *int) string {
	if f.Mode&fs.ModeSymlink != 0 || bytes.IndexByte(f.Content, 0) >= 0 {
		return ""
	}
	text := report.NewExcerpt("", f.Content, *room).Text
	*room -= len(text)
	return text
}

func validText(text string) string { return strings.ToValidUTF8(text, "\uFFFD") }

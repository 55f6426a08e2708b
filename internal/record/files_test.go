package record

import (
	"fmt"
	"io/fs"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gitdd/gitdd/reduction"
	"github.com/gitdd/gitdd/report"
	"github.com/gitdd/gitdd/testcase"
)

func TestStoryFiles(t *testing.T) {
	file := func(path, text string) testcase.File { return testcase.File{Path: path, Content: []byte(text)} }
	before := testcase.Input{Dir: true, Files: []testcase.File{
		file("d/a", "one\ntwo\n"), file("d/b", "small"), file("d/c\xff", "x\x00y"), file("d/d", "much more text"),
		{Path: "d/e", Mode: fs.ModeSymlink, Content: []byte("a")}, file("d/z", "caf\xe9\n"),
	}}
	after := testcase.Input{Dir: true, Files: []testcase.File{file("d/a", "two\n"), file("d/z", "")}}
	followed := reduction.NewTrails(before)
	followed.Follow(testcase.Input{Dir: true, Files: []testcase.File{before.Files[0], file("d/z", "c")}})
	followed.Follow(after)
	want := []report.File{
		{Path: "d/a", Format: "lines", Before: 8, After: 4, Was: "one\ntwo\n", Is: "two\n", Kept: [][2]int{{4, 8}}},
		{Path: "d/z", Format: "c", Before: 5, Was: "caf\uFFFD\n"},
		{Path: "d/d", Before: 14, After: -1, Was: "much more text"},
		{Path: "d/b", Before: 5, After: -1, Was: "small"},
		{Path: "d/c\uFFFD", Before: 3, After: -1},
		{Path: "d/e", Before: 1, After: -1},
	}
	if d := cmp.Diff(want, Files(before, after, []string{"lines", "c"}, followed)); d != "" {
		t.Errorf("-want +got:\n%s", d)
	}

	// Many, and large ones.
	var many testcase.Input
	for i := range 2000 {
		many.Files = append(many.Files, file(fmt.Sprintf("d/%04d", i), strings.Repeat("a line\n", 100)))
	}
	got := Files(many, testcase.Input{Dir: true, Files: many.Files[1990:]}, nil, nil)
	bytes := 0
	for _, f := range got {
		bytes += len(f.Was)
	}
	if len(got) != 500 || got[0].Path != "d/1990" || got[0].After != 700 || got[10].After != -1 || bytes > 64<<10 || bytes < 60<<10 {
		t.Errorf("%d files with %d bytes of text, the first %s", len(got), bytes, got[0].Path)
	}
}

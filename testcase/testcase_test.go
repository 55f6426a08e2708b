package testcase

import (
	"io/fs"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func put(t *testing.T, dir string, files ...File) {
	t.Helper()
	if err := (Input{Files: files, Dir: true}).CreateBelow(dir); err != nil {
		t.Fatal(err)
	}
}

func TestRead(t *testing.T) {
	dir := t.TempDir()
	put(t, dir,
		File{Path: "d/b/two", Mode: 0o644, Content: []byte("2\n")},
		File{Path: "d/a", Mode: 0o755, Content: []byte("1\n")},
		File{Path: "d/link", Mode: fs.ModeSymlink, Content: []byte("a")},
		File{Path: "d/.git/config", Mode: 0o644},
		File{Path: "e/a", Mode: 0o600, Content: []byte{0, 255}},
		File{Path: "e/f", Mode: fs.ModeSymlink, Content: []byte("../d/a")},
	)
	t.Chdir(dir)
	paths := func(in Input) (list []string) {
		for _, f := range in.Files {
			list = append(list, f.Path)
		}
		return list
	}
	for _, c := range []struct {
		paths []string
		want  []string
		dir   bool
	}{
		{[]string{"d/a"}, []string{"a"}, false},
		{[]string{"d"}, []string{"d/a", "d/b/two", "d/link"}, true},
		{[]string{"e/a", "d/b"}, []string{"a", "b/two"}, true},
		{[]string{"e/f"}, []string{"f"}, false}, // the file that it names
	} {
		in, err := Read(c.paths...)
		if err != nil || in.Dir != c.dir || !cmp.Equal(paths(in), c.want) {
			t.Errorf("%v: %v of directory %v, error %v", c.paths, paths(in), in.Dir, err)
		}
	}
	if in, err := Read("e/f"); err != nil || string(in.Files[0].Content) != "1\n" || in.Files[0].Mode != 0o755 {
		t.Errorf("through a link: %+v, error %v", in, err)
	}
	if all, err := ReadDir("d"); err != nil || !cmp.Equal(paths(all), []string{".git/config", "a", "b/two", "link"}) {
		t.Errorf("all files: %v, error %v", paths(all), err)
	}
	for want, list := range map[string][]string{
		"there is no file none":            {"none"},
		"e/a and d/a have the same name: ": {"e/a", "d/a"},
	} {
		if _, err := Read(list...); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v: %v, want %s", list, err, want)
		}
	}
}

// An input is what its files are when they were written, and its archive.
func TestRoundTrip(t *testing.T) {
	for _, in := range []Input{
		{Files: []File{{Path: "one", Mode: 0o640, Content: []byte("x")}}},
		{Dir: true},
		{Dir: true, Files: []File{
			{Path: "d/" + strings.Repeat("long", 50), Mode: 0o644, Content: []byte("\xff\n")},
			{Path: "d/b \"c\"\n", Mode: 0o400, Content: []byte{}},
			{Path: "d/l", Mode: fs.ModeSymlink, Content: []byte("nowhere")},
		}},
	} {
		text, err := in.Archive()
		if err != nil {
			t.Fatal(err)
		}
		if got, err := FromArchive(text); err != nil || got.Digest() != in.Digest() || got.Dir != in.Dir {
			t.Errorf("an archive of %+v is read as %+v, error %v", in, got, err)
		}
		dir := t.TempDir()
		if err := in.CreateBelow(dir); err != nil {
			t.Fatal(err)
		}
		if !in.Dir {
			continue
		}
		got, err := ReadDir(dir)
		if err != nil || len(got.Files) != len(in.Files) {
			t.Fatalf("%+v is written as %+v, error %v", in, got, err)
		}
		byPath := map[string]File{}
		for _, f := range got.Files {
			byPath[f.Path] = f
		}
		for _, f := range in.Files {
			if !cmp.Equal(byPath[f.Path], f) {
				t.Errorf("%+v is written as %+v", f, byPath[f.Path])
			}
		}
		if len(in.Files) > 0 {
			if err := in.CreateBelow(dir); err == nil {
				t.Error("a file was written over another")
			}
		}
	}
	if _, err := FromArchive([]byte("no archive")); err == nil {
		t.Error("what is no archive was read")
	}
}

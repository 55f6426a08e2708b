package trial

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// asIs leaves a header as it is.
func asIs(*Header) error { return nil }

// exported is the archive of the session in dir.
func exported(t *testing.T, dir string) []byte {
	t.Helper()
	s, err := ReadSession(dir)
	if err != nil {
		t.Fatal(err)
	}
	var text bytes.Buffer
	if err := s.Export(&text); err != nil {
		t.Fatal(err)
	}
	return text.Bytes()
}

// further appends records to the journal in dir.
func further(t *testing.T, dir string, numbers ...int) {
	t.Helper()
	s, err := OpenSession(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range numbers {
		if err := s.append(record(n)); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
}

// trialsOf are the numbers of the records in dir.
func trialsOf(t *testing.T, dir string) (numbers []int) {
	t.Helper()
	s, err := ReadSession(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, rec := range s.Records() {
		numbers = append(numbers, rec.Trial)
	}
	return numbers
}

// A session goes to another machine, goes on there, and comes back; what this machine alone needs stays.
func TestSessionArchive(t *testing.T) {
	here, _ := writeJournal(t, 2)
	for name, text := range map[string]string{"trials/1.out": "printed\n", "result.json": "{}", "by-hand.json": "{}", "places": "\"/x\"", "by-hand/repo/f": "x", "work/w/f": "x"} {
		name = filepath.Join(here, filepath.FromSlash(name))
		if err := errors.Join(os.MkdirAll(filepath.Dir(name), 0o777), os.WriteFile(name, []byte(text), 0o666)); err != nil {
			t.Fatal(err)
		}
	}
	// What is put over configurations may have any name and any mode, and may be a symbolic link.
	for _, name := range []string{"overlay/.env", "overlay/objects/x", "overlay/" + workDir + "/answer", "overlay/check.sh"} {
		name = filepath.Join(here, filepath.FromSlash(name))
		if err := errors.Join(os.MkdirAll(filepath.Dir(name), 0o777), os.WriteFile(name, []byte("x"), 0o755)); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink("check.sh", filepath.Join(here, "overlay", "link")); err != nil {
		t.Fatal(err)
	}
	there := t.TempDir()
	dir, err := Import(there, bytes.NewReader(exported(t, here)), func(h *Header) error { h.Dir = "/there"; return nil })
	if err != nil {
		t.Fatal(err)
	}
	if want := filepath.Join(there, filepath.Base(here)); dir != want {
		t.Errorf("imported as %s, want %s", dir, want)
	}
	var names []string
	err = filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			name, _ := filepath.Rel(dir, path)
			names = append(names, filepath.ToSlash(name))
		}
		return err
	})
	if want := []string{"imported", "journal.jsonl", "overlay/.env", "overlay/check.sh", "overlay/link", "overlay/objects/x", "overlay/" + workDir + "/answer", "result.json", "trials/1.out"}; err != nil || !slices.Equal(names, want) {
		t.Errorf("the session has %q, %v; want %q", names, err, want)
	}
	if info, err := os.Stat(filepath.Join(dir, "overlay", "check.sh")); err != nil || info.Mode().Perm()&0o100 == 0 {
		t.Errorf("a program of the overlay has lost its mode: %v, %v", info, err)
	}
	if to, err := os.Readlink(filepath.Join(dir, "overlay", "link")); to != "check.sh" {
		t.Errorf("a link of the overlay leads to %q: %v", to, err)
	}
	s, err := ReadSession(dir)
	if err != nil {
		t.Fatal(err)
	}
	if s.Header().Dir != "/there" {
		t.Errorf("it was begun in %s", s.Header().Dir)
	}
	if diff := cmp.Diff([]Record{record(1), record(2)}, s.Records()); diff != "" {
		t.Error(diff)
	}

	root := filepath.Dir(here)
	further(t, dir, 3)
	back := exported(t, dir)
	for range 2 { // the second time there is nothing new
		if _, err := Import(root, bytes.NewReader(back), asIs); err != nil {
			t.Fatal(err)
		}
		if numbers := trialsOf(t, here); !slices.Equal(numbers, []int{1, 2, 3}) {
			t.Errorf("brought back, the session has the trials %v", numbers)
		}
	}
	further(t, here, 4)
	if _, err := Import(root, bytes.NewReader(back), asIs); err != nil {
		t.Errorf("an older archive: %v", err)
	}
	further(t, dir, 5)
	if _, err := Import(root, bytes.NewReader(exported(t, dir)), asIs); !errors.Is(err, ErrDiverged) {
		t.Errorf("both have gone on: %v", err)
	}
	if numbers := trialsOf(t, here); !slices.Equal(numbers, []int{1, 2, 3, 4}) {
		t.Errorf("the session has the trials %v", numbers)
	}
	if left, _ := filepath.Glob(filepath.Join(root, ".*")); left != nil {
		t.Errorf("left: %q", left)
	}
	held, err := OpenSession(here)
	if err != nil {
		t.Fatal(err)
	}
	defer held.Close()
	further(t, dir) // of what is held here, nothing is replaced
	if _, err := Import(root, bytes.NewReader(exported(t, dir)), asIs); err == nil {
		t.Error("a session that is held was replaced")
	}
}

// Archives that no session has written are refused, and leave nothing, inside or outside.
func TestHostileArchive(t *testing.T) {
	dir, journal := writeJournal(t, 1)
	name := filepath.Base(dir)
	type entry struct {
		name, text string
		kind       byte
	}
	archive := func(name string, entries ...entry) []byte {
		var text bytes.Buffer
		zipped := gzip.NewWriter(&text)
		zipped.Name = name
		files := tar.NewWriter(zipped)
		for _, e := range entries {
			h := &tar.Header{Name: e.name, Mode: 0o777, Size: int64(len(e.text)), Typeflag: e.kind}
			if e.kind == tar.TypeSymlink {
				h.Size, h.Linkname = 0, e.text
			}
			if err := files.WriteHeader(h); err != nil {
				t.Fatal(err)
			}
			if h.Size > 0 {
				if _, err := files.Write([]byte(e.text)); err != nil {
					t.Fatal(err)
				}
			}
		}
		if err := errors.Join(files.Close(), zipped.Close()); err != nil {
			t.Fatal(err)
		}
		return text.Bytes()
	}
	first := entry{journalFile, string(journal), tar.TypeReg}
	file := func(name string) entry { return entry{name, "x", tar.TypeReg} }
	whole := archive(name, first, file("trials/1.out"))
	for _, tt := range []struct {
		what string
		text []byte
		want string
	}{
		{"text", []byte("session"), "not an archive of a session"},
		{"nothing", nil, "not an archive of a session"},
		{"another name", archive("../x", first), "is not the name of one"},
		{"a hidden name", archive(".removed-"+name, first), "is not the name of one"},
		{"no journal", archive(name, file("trials/1.out")), "does not begin with a journal"},
		{"no file", archive(name), "read the archive"},
		{"above", archive(name, first, file("../x")), "no session exports"},
		{"absolute", archive(name, first, file("/tmp/x")), "no session exports"},
		{"places", archive(name, first, file("places")), "no session exports"},
		{"places of a test", archive(name, first, file("tests/x/places")), "no session exports"},
		{"a lock", archive(name, first, file("lock")), "no session exports"},
		{"a hidden file", archive(name, first, file("trials/.git/config")), "no session exports"},
		{"a configuration of folders", archive(name, first, file("folders/config")), "no session exports"},
		{"alternates of folders", archive(name, first, file("folders/objects/info/alternates")), "no session exports"},
		{"no pack of folders", archive(name, first, file("folders/objects/pack/x.pack/x.sh")), "no session exports"},
		{"two journals", archive(name, first, first), "no session exports"},
		{"a symlink", archive(name, first, entry{"trials", "/tmp", tar.TypeSymlink}), "no session exports"},
		{"a symlink to write through", archive(name, first, entry{"overlay/x", "/tmp", tar.TypeSymlink}, file("overlay/x/y")), "read the archive"},
		{"a directory for a file", archive(name, first, file("trials/1.out"), file("trials/1.out/x")), "read the archive"},
		{"a file twice", archive(name, first, file("x"), file("x")), "read the archive"},
		{"a damaged journal", archive(name, entry{journalFile, strings.Replace(string(journal), "exit 1", "exit 2", 1), tar.TypeReg}), "damaged"},
		{"cut", whole[:len(whole)-20], "read the archive"},
	} {
		root := filepath.Join(t.TempDir(), "root")
		_, err := Import(root, bytes.NewReader(tt.text), asIs)
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v, want %q", tt.what, err, tt.want)
		}
		if left, _ := filepath.Glob(filepath.Join(root, "*")); left != nil {
			t.Errorf("%s left %q", tt.what, left)
		}
		if left, _ := filepath.Glob(filepath.Join(root, ".*")); left != nil {
			t.Errorf("%s left %q", tt.what, left)
		}
		if outside, _ := os.ReadDir(filepath.Dir(root)); len(outside) > 1 {
			t.Errorf("%s wrote outside: %v", tt.what, outside)
		}
	}
	refuses := errors.New("not here")
	if _, err := Import(t.TempDir(), bytes.NewReader(whole), func(*Header) error { return refuses }); !errors.Is(err, refuses) {
		t.Errorf("a header that is refused: %v", err)
	}
	if _, err := Import(t.TempDir(), bytes.NewReader(whole), asIs); err != nil {
		t.Errorf("a whole archive: %v", err)
	}
}

package disk

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"
)

// TestReplace: a file is replaced as a whole, or it and its directory are as before.
func TestReplace(t *testing.T) {
	broken := errors.New("broken")
	for _, c := range []struct {
		name string
		fail error
		path string // below the directory
		want string // what file holds afterwards
	}{
		{"replaced", nil, "file", "new"},
		{"not written", broken, "file", "old"},
		{"not renamed", nil, "file/below", "old"},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			file := filepath.Join(dir, "file")
			if err := os.WriteFile(file, []byte("old"), 0o600); err != nil {
				t.Fatal(err)
			}
			f, err := os.CreateTemp(dir, "")
			if err != nil {
				t.Fatal(err)
			}
			err = Replace(f, filepath.Join(dir, filepath.FromSlash(c.path)), 0o640, func(w io.Writer) error {
				_, err := io.WriteString(w, "new")
				return errors.Join(err, c.fail)
			})
			if wanted := c.want == "old"; (err != nil) != wanted || c.fail != nil && !errors.Is(err, c.fail) {
				t.Errorf("the error is %v", err)
			}
			text, err := os.ReadFile(file)
			if err != nil || string(text) != c.want {
				t.Errorf("the file holds %q, %v, want %q", text, err, c.want)
			}
			entries, err := os.ReadDir(dir)
			if err != nil || len(entries) != 1 {
				t.Errorf("the directory holds %v, %v, want the file alone", entries, err)
			}
			info, err := os.Stat(file)
			if want := map[string]os.FileMode{"new": 0o640, "old": 0o600}[c.want]; err != nil || filepath.Separator == '/' && info.Mode().Perm() != want {
				t.Errorf("the permissions are %v, %v, want %v", info.Mode(), err, want)
			}
		})
	}
}

// TestWriteFile: the file is made or replaced, or the error says why not.
func TestWriteFile(t *testing.T) {
	name := filepath.Join(t.TempDir(), "file")
	for _, want := range []string{"one", "two"} {
		if err := WriteFile(name, []byte(want)); err != nil {
			t.Fatal(err)
		}
		if text, err := os.ReadFile(name); err != nil || string(text) != want {
			t.Errorf("it holds %q, %v, want %q", text, err, want)
		}
	}
	if err := WriteFile(filepath.Join(name, "below"), nil); err == nil {
		t.Error("a file was made below a file")
	}
}

// TestRemoveAll: directories that must not be changed are removed all the same.
func TestRemoveAll(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "cache")
	inner := filepath.Join(dir, "module")
	if err := errors.Join(os.MkdirAll(inner, 0o755), os.WriteFile(filepath.Join(inner, "file"), nil, 0o444), os.Chmod(inner, 0o555)); err != nil {
		t.Fatal(err)
	}
	if err := RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Lstat(dir); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("it is still there: %v", err)
	}
}

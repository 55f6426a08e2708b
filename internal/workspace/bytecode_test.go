package workspace

import (
	"encoding/binary"
	"os"
	"slices"
	"testing"
	"time"
)

// TestDropBytecode: only bytecode goes that says to be that of the source.
func TestDropBytecode(t *testing.T) {
	dir := t.TempDir()
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	written := time.Date(2026, 1, 2, 3, 4, 5, 678, time.UTC)
	bytecode := func(flags uint32, at time.Time, size uint32) []byte {
		text := []byte("\xa7\r\r\n")
		for _, n := range []uint32{flags, uint32(at.Unix()), size} {
			text = binary.LittleEndian.AppendUint32(text, n)
		}
		return append(text, "code"...)
	}
	if err := root.MkdirAll("pkg/__pycache__", 0o777); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string][]byte{
		"a.cpython-311.pyc":              bytecode(0, written, 9),
		"a.cpython-311-pytest-8.0.0.pyc": bytecode(0, written, 9),
		"a.earlier.pyc":                  bytecode(0, written.Add(-time.Second), 9),
		"a.larger.pyc":                   bytecode(0, written, 10),
		"a.hashed.pyc":                   bytecode(1, written, 9),
		"a.short.pyc":                    bytecode(0, written, 9)[:15],
		"a.cpython-311.txt":              bytecode(0, written, 9),
		"ab.cpython-311.pyc":             bytecode(0, written, 9),
	} {
		if err := root.WriteFile("pkg/__pycache__/"+name, text, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	w := writer{root: root}
	for _, path := range []string{"pkg/a.txt", "a.py", "none/a.py", "pkg/c.py"} {
		w.dropBytecode(path, written, 9)
	}
	left := func() (names []string) {
		entries, err := os.ReadDir(dir + "/pkg/__pycache__")
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range entries {
			names = append(names, e.Name())
		}
		return names
	}
	if n := len(left()); n != 8 {
		t.Errorf("%d files are left, want 8", n)
	}
	w.dropBytecode("pkg/a.py", written, 9)
	if got := left(); slices.Contains(got, "a.cpython-311.pyc") || slices.Contains(got, "a.cpython-311-pytest-8.0.0.pyc") || len(got) != 6 {
		t.Errorf("left are %q", got)
	}

	// A test may have put a link there.
	other := t.TempDir()
	if err := os.WriteFile(other+"/b.x.pyc", bytecode(0, written, 9), 0o666); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(other, dir+"/__pycache__"); err != nil {
		t.Skip(err)
	}
	w.dropBytecode("b.py", written, 9)
	if _, err := os.Stat(other + "/b.x.pyc"); err != nil {
		t.Error(err)
	}
}

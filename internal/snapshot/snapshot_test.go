package snapshot

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"testing"
)

// TestIsDir: directories are found as the commands find them.
func TestIsDir(t *testing.T) {
	leaf := Entry{File: &Leaf{}}
	named := func(name string, e Entry) Entry { e.Name = name; return e }
	f := With(&Folder{}, []Edit{
		{"a/b/file", leaf}, {"a/up", named("", Entry{Target: ".."})}, {"around", Entry{Target: "around"}},
		{"away", Entry{Target: "../.."}}, {"fixed", Entry{Target: "/tmp"}}, {"to", Entry{Target: "a/./b/"}},
	})
	for path, want := range map[string]bool{
		".": true, "a": true, "a/b": true, "a/b/file": false, "to": true, "to/file": false, "a/up": true, "a/up/to": true, "a/up/a/up/a/b": true,
		"around": false, "away": false, "fixed": false, "nosuch": false, "nosuch/a": false, "a/": true,
	} {
		if got := IsDir(f, path); got != want {
			t.Errorf("%q: %v, want %v", path, got, want)
		}
	}
}

// TestMemory: a file of a snapshot takes some 300 bytes beside its names.
func TestMemory(t *testing.T) {
	const dirs, files = 50, 80
	top := t.TempDir()
	for i := range dirs {
		dir := filepath.Join(top, fmt.Sprintf("directory%d/inner", i))
		if err := os.MkdirAll(dir, 0o777); err != nil {
			t.Fatal(err)
		}
		for j := range files {
			if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("file%d.c", j)), []byte("x"), 0o666); err != nil {
				t.Fatal(err)
			}
		}
	}
	root, err := os.OpenRoot(top)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	heap := func() uint64 {
		var m runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	before := heap()
	f, err := Reader{}.Read(t.Context(), root, nil)
	if err != nil {
		t.Fatal(err)
	}
	if each := int(heap()-before) / (dirs * files); each > 400 {
		t.Errorf("%d bytes for each of %d files", each, dirs*files)
	}
	runtime.KeepAlive(f)
}

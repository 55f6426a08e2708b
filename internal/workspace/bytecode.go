package workspace

import (
	"encoding/binary"
	"io"
	"io/fs"
	"os"
	"strings"
	"time"
)

// bytecodeDir is where Python keeps the bytecode of the sources beside it, a.cpython-311.pyc that of a.py.
const bytecodeDir = "__pycache__"

// dropBytecode removes bytecode that Python would take for that of a source which was just written with a modification time
// and a size, and is not: Python compares whole seconds and the size. Two versions of one size may be written in
// one second, and then a trial would import the first one again. Errors are left to Python, which may not
// read what cannot be read or removed here.
func (w writer) dropBytecode(path string, mtime time.Time, size int64) {
	stem, ok := strings.CutSuffix(path, ".py")
	if !ok {
		return
	}
	c, _, err := w.descend(path, false)
	if err != nil {
		return
	}
	defer c.close()
	dir, err := c[len(c)-1].OpenRoot(bytecodeDir)
	if err != nil {
		return
	}
	defer dir.Close()
	entries, err := fs.ReadDir(dir.FS(), ".")
	if err != nil {
		return
	}
	prefix := stem[strings.LastIndexByte(stem, '/')+1:] + "."
	for _, e := range entries {
		if name := e.Name(); strings.HasPrefix(name, prefix) && strings.HasSuffix(name, ".pyc") && e.Type().IsRegular() && compiledFrom(dir, name, mtime, size) {
			_ = dir.Remove(name)
		}
	}
}

// compiledFrom reports whether a file of bytecode says that its source has a modification time and a size: behind four bytes for
// the version of Python come three little-endian numbers, 0, the seconds and the size (PEP 552). Python itself compares the last 32 bits of both.
func compiledFrom(dir *os.Root, name string, mtime time.Time, size int64) bool {
	f, err := dir.Open(name)
	if err != nil {
		return false
	}
	defer f.Close()
	var head [16]byte
	if _, err := io.ReadFull(f, head[:]); err != nil {
		return false
	}
	number := func(at int) uint32 { return binary.LittleEndian.Uint32(head[at:]) }
	return number(4) == 0 && number(8) == uint32(mtime.Unix()) && number(12) == uint32(size)
}

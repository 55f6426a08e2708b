package git

import (
	"bufio"
	"bytes"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Whatever git prints, or something that calls itself git, the parsers of its output
// return a value that can be printed again, or an error.

const fuzzID = "1111111111111111111111111111111111111111"

func FuzzParseRaw(f *testing.F) {
	f.Add([]byte(":100644 100755 " + fuzzID + " " + fuzzID + " M\x00a b\x00"))
	f.Add([]byte(":100644 100644 " + fuzzID + " " + fuzzID + " R086\x00old\nname\x00new\x00:000000 120000 " + fuzzID + " " + fuzzID + " A\x00\xff\x00"))
	f.Add([]byte(":100644 000000 " + fuzzID + " " + fuzzID + " D\x00a"))
	f.Fuzz(func(t *testing.T, out []byte) {
		deltas, err := parseRaw(out)
		if err != nil {
			return
		}
		var again bytes.Buffer
		for _, d := range deltas {
			if d.OldPath == "" || d.NewPath == "" || d.OldMode == 0 && d.OldID != "" || d.NewMode == 0 && d.NewID != "" {
				t.Fatalf("%q: %+v", out, d)
			}
			fmt.Fprintf(&again, ":%06o %06o %s %s %c%03d\x00%s\x00", uint32(d.OldMode), uint32(d.NewMode), d.OldID, d.NewID, d.Status, d.Score, d.OldPath)
			if d.Status == 'R' || d.Status == 'C' {
				again.WriteString(d.NewPath + "\x00")
			} else if d.OldPath != d.NewPath {
				t.Fatalf("%q: two paths in %+v", out, d)
			}
		}
		if now, err := parseRaw(again.Bytes()); err != nil || !cmp.Equal(now, deltas) {
			t.Errorf("%q printed again as %q: %v, %v", out, again.Bytes(), now, err)
		}
	})
}

func FuzzParseTree(f *testing.F) {
	f.Add([]byte("100644 a\x00"+strings.Repeat("x", 20)+"40000 b\x00"+strings.Repeat("y", 20)), false)
	f.Add([]byte("120000 .git\x00"+strings.Repeat("x", 32)), true)
	f.Add([]byte("0100644 ../a\x00"+strings.Repeat("x", 20)), false)
	f.Fuzz(func(t *testing.T, content []byte, sha256 bool) {
		size := 20
		if sha256 {
			size = 32
		}
		entries, err := parseTree(content, size)
		if err != nil {
			return
		}
		read := 0
		for _, e := range entries {
			if e.Name == "" || strings.ContainsRune(e.Name, 0) || len(e.ID) != 2*size {
				t.Fatalf("%q: %+v", content, e)
			}
			read += len(e.Name) + 2 + size
		}
		if read > len(content) {
			t.Errorf("%d bytes were read of %d", read, len(content))
		}
	})
}

func FuzzParseGitlinks(f *testing.F) {
	f.Add([]byte("100644 blob " + fuzzID + "\ta\x00160000 commit " + fuzzID + "\ts\tu\nb\x00"))
	f.Add([]byte("160000 commit " + fuzzID + "\t\x00"))
	f.Fuzz(func(t *testing.T, out []byte) {
		links, err := parseGitlinks(out)
		if err != nil {
			return
		}
		for path, id := range links {
			if path == "" || strings.ContainsRune(path, 0) || strings.ContainsAny(string(id), " \t\x00") || !bytes.Contains(out, []byte("160000 ")) {
				t.Errorf("%q: %q at %q", out, id, path)
			}
		}
	})
}

func FuzzParseModuleNames(f *testing.F) {
	f.Add([]byte("submodule.a b.path\nsub/x\x00submodule...path\nx\x00"))
	f.Add([]byte("submodule.../../x.path\ny\x00submodule./abs.path\nz\x00submodule.c.path\nsub/x\x00"))
	f.Add([]byte("submodule.a\\..\\b.path\n-u\x00submodule.path\n\x00"))
	f.Fuzz(func(t *testing.T, out []byte) {
		for path, name := range parseModuleNames(out) {
			at := filepath.Join("/git/modules", filepath.FromSlash(name))
			if path == "" || !strings.HasPrefix(at, "/git/modules/") {
				t.Errorf("%q: %q is called %q, which lies in %s", out, path, name, at)
			}
		}
	})
}

func FuzzParseCommits(f *testing.F) {
	f.Add([]byte("commit " + fuzzID + "\n" + fuzzID + "\x00" + fuzzID + "\x00" + fuzzID + " " + fuzzID + "\x00Ada\x002026-01-02T03:04:05Z\x00Sub\x1bject\n"))
	f.Add([]byte("commit -" + fuzzID + "\n\x00\x00\x00\x00\x00\n"))
	f.Fuzz(func(t *testing.T, out []byte) {
		list, err := parseCommits(out)
		if err != nil {
			return
		}
		if lines := bytes.Count(out, []byte("\n")) + 1; len(list) > lines {
			t.Errorf("%d commits in %d lines", len(list), lines)
		}
		for _, c := range list {
			for _, text := range append([]string{string(c.ID), string(c.Tree), c.Author, c.Subject}, strings.Fields(fmt.Sprint(c.Parents))...) {
				if strings.ContainsAny(text, "\x00\n") {
					t.Errorf("%q: %+v", out, c)
				}
			}
		}
	})
}

// FuzzCatFile: an answer of cat-file takes no more memory than has arrived, whatever
// size it claims.
func FuzzCatFile(f *testing.F) {
	f.Add([]byte(fuzzID + " blob 3\nabc\n"))
	f.Add([]byte(fuzzID + " blob 9223372036854775807\nabc\n"))
	f.Add([]byte(fuzzID + " missing\n"))
	f.Add([]byte(fuzzID + " blob -1\nabc\n"))
	f.Fuzz(func(t *testing.T, out []byte) {
		p := &catProcess{out: bufio.NewReader(bytes.NewReader(out))}
		kind, size, err := p.answer(fuzzID)
		if err != nil {
			return
		}
		if size > 1<<20 && size <= 64<<20 {
			size = 1 << 20 // what is trusted is allocated
		}
		content, err := p.content(size)
		if err == nil && (int64(len(content)) != size || kind == "" || !bytes.Contains(out, content)) {
			t.Errorf("%q: %s of %d bytes: %q", out, kind, size, content)
		}
	})
}

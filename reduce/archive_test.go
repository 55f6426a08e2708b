package reduce

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/gitdd/gitdd/isolate"
	"github.com/gitdd/gitdd/testcase"
)

func zipped(t *testing.T, files ...string) string {
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	for i := 0; i < len(files); i += 2 {
		f, err := w.Create(files[i])
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(f, files[i+1]); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

func tarred(t *testing.T, files ...string) string {
	var out bytes.Buffer
	w := tar.NewWriter(&out)
	for i := 0; i < len(files); i += 2 {
		if err := w.WriteHeader(&tar.Header{Name: files[i], Mode: 0o640, Size: int64(len(files[i+1]))}); err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(w, files[i+1]); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

func gzipped(t *testing.T, content string) string {
	var out bytes.Buffer
	w := gzip.NewWriter(&out)
	w.Name = "some name"
	if _, err := io.WriteString(w, content); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// listed reads an archive as a program would that knows nothing of ours: names
// with contents, "?" if it is none.
func listed(content []byte) string {
	var list []string
	if r, err := zip.NewReader(bytes.NewReader(content), int64(len(content))); err == nil && isZip(content) {
		for _, f := range r.File {
			in, err := f.Open()
			if err != nil {
				return "?"
			}
			b, err := io.ReadAll(in)
			if err != nil {
				return "?"
			}
			list = append(list, f.Name+"="+inner(b))
		}
		return "zip[" + strings.Join(list, " ") + "]"
	}
	in := io.Reader(bytes.NewReader(content))
	kind := "tar"
	if z, err := gzip.NewReader(bytes.NewReader(content)); err == nil {
		in, kind = z, "gz:"+z.Name
	}
	r := tar.NewReader(in)
	for {
		h, err := r.Next()
		if err == io.EOF {
			return kind + "[" + strings.Join(list, " ") + "]"
		}
		if err != nil {
			return "?"
		}
		b, err := io.ReadAll(r)
		if err != nil {
			return "?"
		}
		list = append(list, h.Name+"="+inner(b))
	}
}

func inner(b []byte) string {
	if archiverOf(b) != nil {
		return listed(b)
	}
	return string(b)
}

func TestArchives(t *testing.T) {
	many := []string{"top/bug.txt", "x\nneedle\ny\n", "top/sub/", "", "../../etc/passwd", "root", "/abs", "a", "same", "1", "same", "2", "", "no name"}
	for i := range 12 {
		many = append(many, fmt.Sprintf("top/sub/%d.txt", i), strings.Repeat("text\n", i))
	}
	needle := func(content []byte) bool {
		return strings.Contains(listed(content), "bug.txt=") && strings.Contains(listed(content), "needle")
	}
	kinds := map[string]struct{ content, want string }{
		"zip":    {zipped(t, many...), "zip[top/bug.txt=needle]"},
		"tar":    {tarred(t, many[:12]...), "tar[top/bug.txt=needle]"},
		"tar.gz": {gzipped(t, tarred(t, many[:12]...)), "gz:some name[top/bug.txt=needle]"},
		"nested": {zipped(t, "a.tar", tarred(t, "b", "1", "c.zip", zipped(t, many...)), "d", "2"), "zip[a.tar=tar[c.zip=zip[top/bug.txt=needle]]]"},
	}
	for name, k := range kinds {
		for _, jobs := range []int{1, 3} {
			result, err := Reduce(t.Context(), oneFile("in."+name, k.content), fails(func(in testcase.Input) bool {
				return len(in.Files) == 1 && in.Files[0].Path == "in."+name && needle(in.Files[0].Content)
			}), Options{Jobs: jobs})
			if err != nil {
				t.Fatal(name, err)
			}
			if got := listed(result.Output.Files[0].Content); got != k.want || !result.Minimal || len(result.Notes) > 0 {
				t.Errorf("%s: reduced to %s, minimal %v, notes %q", name, got, result.Minimal, result.Notes)
			}
			if format := strings.Replace(name, "nested", "zip", 1); !slices.Equal(result.Formats, []string{format}) {
				t.Errorf("%s: formats %q", name, result.Formats)
			}
			if result.Output.Files[0].Mode != 0o644 {
				t.Errorf("%s: mode %v", name, result.Output.Files[0].Mode)
			}
		}
	}
	// Within a directory an archive can go as a whole.
	in := directory("a.zip", zipped(t, "x", "y"), "b.zip", zipped(t, "x", "needle", "z", ""))
	result, err := Reduce(t.Context(), in, fails(func(in testcase.Input) bool {
		return slices.ContainsFunc(in.Files, func(f testcase.File) bool { return strings.Contains(listed(f.Content), "needle") })
	}), Options{})
	if err != nil || len(result.Output.Files) != 1 || listed(result.Output.Files[0].Content) != "zip[x=needle]" {
		t.Errorf("%d files, %v", len(result.Output.Files), err)
	}
}

// TestArchivesAsBytes: what cannot be taken apart, or must not be written again,
// is a file like any other.
func TestArchivesAsBytes(t *testing.T) {
	good := zipped(t, "a", "b", "c", "d")
	encrypted := []byte(good)
	encrypted[bytes.Index(encrypted, []byte("PK\x01\x02"))+8] |= 1
	for name, c := range map[string]struct{ content, note string }{
		"cut":       {good[:len(good)-4], "not as zip"},
		"encrypted": {string(encrypted), "encrypted"},
		"tar":       {tarred(t, "a", strings.Repeat("b", 700))[:1024+600], "unexpected EOF"},
		"as it is":  {good, "fails only as it is"},
	} {
		original := []byte(c.content)
		// Fails as long as its first 30 bytes are there, but not when it is written again.
		result, err := Reduce(t.Context(), oneFile(name, c.content), func(_ context.Context, in testcase.Input) (isolate.Outcome, error) {
			got := in.Files[0].Content
			if name == "as it is" && bytes.HasPrefix(got, original[:6]) && got[6] != original[6] {
				return isolate.Pass, nil
			}
			if bytes.HasPrefix(got, original[:30]) {
				return isolate.Fail, nil
			}
			return isolate.Pass, nil
		}, Options{Passes: []string{"structure"}})
		if err != nil || len(result.Notes) != 1 || !strings.Contains(result.Notes[0], c.note) {
			t.Errorf("%s: notes %q, %v", name, result.Notes, err)
		}
		if got := len(result.Output.Files[0].Content); got != 30 {
			t.Errorf("%s: %d bytes are left", name, got)
		}
	}
}

// TestArchiveBombs: what archives in archives unpack to is counted together.
func TestArchiveBombs(t *testing.T) {
	zeros := zipped(t, "zeros", strings.Repeat("\x00", 1<<16))
	var bombs []string
	for i := range 50 {
		bombs = append(bombs, fmt.Sprint(i), zeros)
	}
	bomb := zipped(t, bombs...)
	kind := archiverOf([]byte(bomb))
	for _, left := range []allowance{{1 << 20, 1 << 20}, {1 << 30, 99}} {
		a := archives{map[string]*archive{}, map[string]*member{}}
		if _, err := a.open("x/", []byte(bomb), *kind, &left, 0); !errors.Is(err, errTooMuch) {
			t.Errorf("%v: %v", left, err)
		}
	}
	a := archives{map[string]*archive{}, map[string]*member{}}
	if files, err := a.open("x/", []byte(bomb), *kind, &allowance{1 << 30, 100}, 0); err != nil || len(files) != 101 {
		t.Errorf("%d files, %v", len(files), err)
	}
}

// TestArchiveOfOneName opens an archive of many members of one name: to count them
// from the first for each takes minutes.
func TestArchiveOfOneName(t *testing.T) {
	const n = 15_000
	content := []byte(tarred(t, slices.Repeat([]string{"x", ""}, n)...))
	a := archives{map[string]*archive{}, map[string]*member{}}
	files, err := a.open("a.tar/", content, *archiverOf(content), &allowance{1, n}, 0)
	if err != nil {
		t.Fatal(err)
	}
	if last := files[len(files)-1].Path; len(files) != n+1 || files[1].Path != "a.tar/x" || files[2].Path != "a.tar/x#2" || last != "a.tar/x#15000" {
		t.Errorf("%d files, %q, %q ... %q", len(files), files[1].Path, files[2].Path, last)
	}
}

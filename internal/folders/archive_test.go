package folders

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gitdd/gitdd/internal/git"
	"github.com/gitdd/gitdd/internal/seed"
)

// packed makes a tar archive of headers, each with the content that its Size counts.
func packed(t *testing.T, headers ...tar.Header) []byte {
	t.Helper()
	var out bytes.Buffer
	w := tar.NewWriter(&out)
	for _, h := range headers {
		text := ""
		if h.Typeflag == tar.TypeReg && h.Size == 0 {
			text = "content of " + h.Name
			h.Size = int64(len(text))
		}
		if err := w.WriteHeader(&h); err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(w, text); err != nil {
			t.Fatal(err)
		}
	}
	_ = w.Close() // which complains about a file that is shorter than its header says
	return out.Bytes()
}

// tarOf makes a tar archive of a folder, below a directory if top is not "".
func tarOf(t *testing.T, all contents, top string) []byte {
	t.Helper()
	var out bytes.Buffer
	w := tar.NewWriter(&out)
	for name, what := range all {
		kind, text, _ := strings.Cut(what, " ")
		h := tar.Header{Name: top + name, Typeflag: tar.TypeReg, Mode: 0o644, Size: int64(len(text)), Format: tar.FormatGNU}
		switch kind {
		case "true":
			h.Mode = 0o755
		case "link":
			h.Typeflag, h.Linkname, h.Size, text = tar.TypeSymlink, text, 0, ""
		}
		if err := w.WriteHeader(&h); err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(w, text); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// zipOf is tarOf for a zip archive.
func zipOf(t *testing.T, all contents, top string) []byte {
	t.Helper()
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	for name, what := range all {
		kind, text, _ := strings.Cut(what, " ")
		h := zip.FileHeader{Name: top + name, Method: zip.Deflate}
		h.SetMode(map[string]fs.FileMode{"true": 0o755, "false": 0o644, "link": 0o777 | fs.ModeSymlink}[kind])
		f, err := w.CreateHeader(&h)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(f, text); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func gzipped(t *testing.T, content []byte) []byte {
	t.Helper()
	var out bytes.Buffer
	w := gzip.NewWriter(&out)
	if _, err := w.Write(content); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// compressed is what a program makes of its input; nil where it is missing.
func compressed(t *testing.T, program string, content []byte) []byte {
	t.Helper()
	if _, err := exec.LookPath(program); err != nil {
		return nil
	}
	cmd := exec.Command(program, "-c")
	cmd.Stdin = bytes.NewReader(content)
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// cut is the first n bytes; nil if there is nothing to cut.
func cut(content []byte, n int) []byte { return content[:min(n, len(content))] }

func inFile(t *testing.T, content []byte) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "archive")
	if err := os.WriteFile(name, content, 0o666); err != nil {
		t.Fatal(err)
	}
	return name
}

// An archive of each kind gives the same tree as its folder.
func TestArchives(t *testing.T) {
	seed.SkipLong(t, 4)
	r := rand.New(rand.NewPCG(seed.New(t), 0))
	kinds := map[string]func(contents) []byte{
		"tar":     func(all contents) []byte { return tarOf(t, all, "") },
		"tar.gz":  func(all contents) []byte { return gzipped(t, tarOf(t, all, "./")) },
		"tar.bz2": func(all contents) []byte { return compressed(t, "bzip2", tarOf(t, all, "")) },
		"tar.xz":  func(all contents) []byte { return compressed(t, "xz", tarOf(t, all, "")) },
		"tar.zst": func(all contents) []byte { return compressed(t, "zstd", tarOf(t, all, "")) },
		"zip":     func(all contents) []byte { return zipOf(t, all, "") },
		"top":     func(all contents) []byte { return tarOf(t, all, "name-1.0/") },
	}
	for range 10 {
		all := draw(r)
		all["beside"], all["two"] = "false beside", "false two" // so that there is more than one name at the top
		dir := t.TempDir()
		write(t, dir, all)
		for kind, pack := range kinds {
			archive := pack(all)
			if archive == nil {
				continue
			}
			repo, good, bad, notes, err := store(t, inFile(t, archive), dir)
			if err != nil {
				t.Fatalf("%s: %v", kind, err)
			}
			if good.Tree != bad.Tree || (kind == "top") != (len(notes) == 1) {
				t.Errorf("%s: the trees are %s and %s, notes %q:\n%s", kind, good.Tree, bad.Tree, notes, cmp.Diff(checkedOut(t, repo, bad.Tree), checkedOut(t, repo, good.Tree)))
			}
		}
	}
}

// The directory in which everything lies is taken off where the other end has another one.
func TestTops(t *testing.T) {
	folder := t.TempDir()
	write(t, folder, contents{"src/x": "false x", "y": "false y"})
	archive := func(top string) string {
		return inFile(t, tarOf(t, contents{"x": "false x"}, top))
	}
	for _, test := range []struct {
		good, bad         string
		wantGood, wantBad string // a path
	}{
		{archive("a-1/"), archive("a-2/"), "x", "x"},
		{archive("a-1/"), archive("a-1/"), "a-1/x", "a-1/x"},
		{archive("package/"), archive("package/"), "x", "x"},
		{archive("a-1/"), archive(""), "x", "x"},
		{archive("src/"), folder, "src/x", "src/x"},
		{folder, archive("a-2/"), "src/x", "x"},
		{archive(""), archive(""), "x", "x"},
	} {
		repo, good, bad, notes, err := store(t, test.good, test.bad)
		if err != nil {
			t.Fatal(err)
		}
		for i, end := range []struct {
			tree git.ID
			want string
		}{{good.Tree, test.wantGood}, {bad.Tree, test.wantBad}} {
			if got := checkedOut(t, repo, end.tree); got[end.want] == "" {
				t.Errorf("%v: end %d has %q, want %s; notes %q", test, i, got, end.want, notes)
			}
		}
	}
}

// A hard link has the content and the mode of the file before it that it names.
func TestHardLink(t *testing.T) {
	archive := packed(t, tar.Header{Name: "./x", Typeflag: tar.TypeReg, Mode: 0o755}, tar.Header{Name: "y", Typeflag: tar.TypeLink, Linkname: "./x"})
	other := t.TempDir()
	write(t, other, contents{"z": "false z"})
	repo, good, _, _, err := store(t, inFile(t, archive), other)
	if err != nil {
		t.Fatal(err)
	}
	if got := checkedOut(t, repo, good.Tree); got["y"] != got["x"] || !strings.HasPrefix(got["y"], "true content of") {
		t.Errorf("got %q", got)
	}
}

// Archives that are damaged, hostile, or of no kind that is read are refused with what was seen.
func TestRefusedArchives(t *testing.T) {
	reg := func(name string) tar.Header { return tar.Header{Name: name, Typeflag: tar.TypeReg, Mode: 0o644} }
	whole := packed(t, reg("x"))
	encrypted := zipOf(t, contents{"x": "false x"}, "")
	for _, magic := range []string{"PK\x03\x04", "PK\x01\x02"} {
		at := bytes.Index(encrypted, []byte(magic)) + map[string]int{"PK\x03\x04": 6, "PK\x01\x02": 8}[magic]
		encrypted[at] |= 1
	}
	folder := t.TempDir()
	write(t, folder, contents{"z": "false z"})
	for name, test := range map[string]struct {
		archive []byte
		want    string
	}{
		"up":        {packed(t, reg("a/../../x")), "the name of a/../../x leads out of the folder"},
		"absolute":  {packed(t, reg("/etc/x")), "the name of /etc/x is absolute"},
		"twice":     {packed(t, reg("x"), reg("./x")), "has two entries of the name x"},
		"below":     {packed(t, reg("x"), reg("x/y")), "has x as a file and as a directory"},
		"above":     {packed(t, reg("x/y"), reg("x")), "has two entries of the name x"},
		"device":    {packed(t, tar.Header{Name: "d", Typeflag: tar.TypeChar}), "d is a device"},
		"fifo":      {packed(t, tar.Header{Name: "d", Typeflag: tar.TypeFifo}), "d is a device, a named pipe"},
		"hard link": {packed(t, tar.Header{Name: "y", Typeflag: tar.TypeLink, Linkname: "x"}, reg("x")), "y is a hard link to x, which is no file before it"},
		"GIT":       {packed(t, reg("a/.Git/config")), "some systems take for the repository's own .git"},
		"large":     {packed(t, tar.Header{Name: "x", Typeflag: tar.TypeReg, Size: mostFile + 1}), "x has 4294967297 bytes"},
		"cut":       {whole[:520], "is damaged"},
		"gz cut":    {gzipped(t, whole)[:40], "unexpected EOF"},
		"gz":        {gzipped(t, []byte("no archive")), "no tar archive can be read from it"},
		"xz":        {compressed(t, "xz", []byte("no archive")), "no tar archive can be read from it"},
		"xz cut":    {cut(compressed(t, "xz", whole), 60), "unexpected EOF"},
		"zstd":      {compressed(t, "zstd", []byte("no archive")), "no tar archive can be read from it"},
		"zstd cut":  {cut(compressed(t, "zstd", whole), 40), "unexpected EOF"},
		"text":      {[]byte("text\n"), "is neither a folder nor an archive that gitdd reads: tar, also compressed by gzip, bzip2, xz or zstd, or zip"},
		"nothing":   {[]byte{}, "is neither a folder nor an archive"},
		"encrypted": {encrypted, "x is encrypted"},
		"zip up":    {zipOf(t, contents{"../x": "false x"}, ""), "the name of ../x leads out of the folder"},
		"zip cut":   {zipOf(t, contents{"x": "false x"}, "")[:60], "is damaged"},
	} {
		t.Run(name, func(t *testing.T) {
			if test.archive == nil {
				t.Skip("the program that makes it is missing")
			}
			_, _, _, _, err := store(t, folder, inFile(t, test.archive))
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("error %v, want %q", err, test.want)
			}
		})
	}
}

// What is taken of an archive is bounded, whatever it says of itself.
func TestBounds(t *testing.T) {
	defer func(file, bytes int64, files int) { mostFile, mostBytes, mostFiles = file, bytes, files }(mostFile, mostBytes, mostFiles)
	mostFile, mostBytes, mostFiles = 1<<20, 1<<21, 100
	folder := t.TempDir()
	write(t, folder, contents{"z": "false z"})
	zeros := "false " + strings.Repeat("\x00", 1<<20)
	three := contents{"a": zeros, "b": zeros, "c": zeros}
	var many []tar.Header
	for i := range 200 {
		many = append(many, tar.Header{Name: strings.Repeat("d/", i) + "x/", Typeflag: tar.TypeDir, Mode: 0o755})
	}
	lying := zipOf(t, contents{"x": zeros + "more"}, "") // of which it says less
	central := bytes.Index(lying, []byte("PK\x01\x02"))
	copy(lying[central+24:], []byte{1, 0, 0, 0})
	for want, archive := range map[string][]byte{
		"more than 0 GB":             gzipped(t, tarOf(t, three, "")),
		"more than 0 GB, which":      zipOf(t, three, ""),
		"gitdd takes files of up to": zipOf(t, contents{"x": zeros + "more"}, ""),
		"more than 100 directories":  packed(t, many...),
		"x: zip: ":                   lying,
	} {
		if _, _, _, _, err := store(t, folder, inFile(t, archive)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
}

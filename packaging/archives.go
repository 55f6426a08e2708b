package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/flate"
	"compress/gzip"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"slices"
	"strings"
	"time"
)

// archives makes an archive for each target, and SHA256SUMS of them all. They are
// built without cgo: a C compiler for each system would be needed, and what it
// links differs from one to the next. gitdd version says what that costs.
func (r release) archives(list []string) error {
	b, err := r.begin(list, targets)
	defer os.RemoveAll(b.scratch)
	if err != nil {
		return err
	}
	var sums strings.Builder
	for _, target := range slices.Sorted(slices.Values(list)) {
		binary, err := b.binary(target)
		if err != nil {
			return err
		}
		licences, err := r.licences(target)
		if err != nil {
			return err
		}
		files := append(slices.Clone(b.manuals), file{name: "LICENSES.txt", mode: 0o644, content: notice(r.version, licences)})
		files = append(files, b.about.files()...)
		files = append(files, programs(target, binary)...)
		name := fmt.Sprintf("gitdd-%s-%s", r.version, strings.ReplaceAll(target, "/", "-"))
		var packed bytes.Buffer
		ending := ".tar.gz"
		if strings.HasPrefix(target, "windows/") {
			ending = ".zip"
			err = writeZip(&packed, name, files, r.epoch)
		} else {
			err = writeTar(&packed, name, files, r.epoch)
		}
		if err == nil {
			err = r.write(name+ending, packed.Bytes())
		}
		if err != nil {
			return err
		}
		fmt.Fprintf(&sums, "%x  %s\n", sha256.Sum256(packed.Bytes()), name+ending)
	}
	return errors.Join(r.write("SHA256SUMS", []byte(sums.String())), r.recipes(list, sums.String()))
}

func executable(target string) string {
	if strings.HasPrefix(target, "windows/") {
		return ".exe"
	}
	return ""
}

// programs are gitdd and git-dd: a link, or a copy where there are none that
// unpacking makes.
func programs(target string, binary []byte) []file {
	ending := executable(target)
	gitdd := file{name: "gitdd" + ending, mode: 0o755, content: binary}
	dd := file{name: "git-dd" + ending, mode: 0o777, link: "gitdd"}
	if ending != "" {
		dd.mode, dd.content, dd.link = 0o755, binary, ""
	}
	return []file{gitdd, dd}
}

// files are the manual pages and completions as an archive has them. What the
// shells want them to be called is for who installs them.
func (p papers) files() []file {
	var files []file
	for name, text := range p.pages {
		files = append(files, file{name: "man/" + name, mode: 0o644, content: text})
	}
	names := map[string]string{"bash": "gitdd.bash", "zsh": "_gitdd", "fish": "gitdd.fish", "powershell": "gitdd.ps1"}
	for shell, name := range names {
		files = append(files, file{name: "completions/" + name, mode: 0o644, content: p.completions[shell]["gitdd"]})
	}
	return append(files, file{name: "completions/_git-dd", mode: 0o644, content: p.completions["zsh"]["git-dd"]})
}

// ordered returns files by their names, all below top, each directory before what
// is in it.
func ordered(top string, files []file) []file {
	all := map[string]file{}
	for _, f := range files {
		f.name = path.Join(top, f.name)
		all[f.name] = f
		for dir := path.Dir(f.name); dir != "."; dir = path.Dir(dir) {
			all[dir+"/"] = file{name: dir + "/", mode: os.ModeDir | 0o755}
		}
	}
	sorted := make([]file, 0, len(all))
	for _, f := range all {
		sorted = append(sorted, f)
	}
	slices.SortFunc(sorted, func(a, b file) int { return strings.Compare(a.name, b.name) })
	return sorted
}

// writeTar writes a tar.gz that nothing but names, modes, contents and the time
// goes into.
func writeTar(w io.Writer, top string, files []file, at time.Time) error {
	compressed, err := gzip.NewWriterLevel(w, gzip.BestCompression) // no name and no time in its header
	if err != nil {
		return err
	}
	archive := tar.NewWriter(compressed)
	for _, f := range ordered(top, files) {
		header := &tar.Header{Name: f.name, Mode: int64(f.mode.Perm()), ModTime: at, Format: tar.FormatPAX, Typeflag: tar.TypeReg, Size: int64(len(f.content))}
		switch {
		case f.mode.IsDir():
			header.Typeflag = tar.TypeDir
		case f.link != "":
			header.Typeflag, header.Linkname = tar.TypeSymlink, f.link
		}
		if err := archive.WriteHeader(header); err != nil {
			return err
		}
		if _, err := archive.Write(f.content); err != nil {
			return err
		}
	}
	if err := archive.Close(); err != nil {
		return err
	}
	return compressed.Close()
}

// writeZip is writeTar for a zip. It keeps modes for who unpacks it elsewhere
// than on Windows.
func writeZip(w io.Writer, top string, files []file, at time.Time) error {
	archive := zip.NewWriter(w)
	archive.RegisterCompressor(zip.Deflate, func(w io.Writer) (io.WriteCloser, error) {
		return flate.NewWriter(w, flate.BestCompression)
	})
	for _, f := range ordered(top, files) {
		header := &zip.FileHeader{Name: f.name, Method: zip.Deflate, Modified: at}
		header.SetMode(f.mode)
		if f.mode.IsDir() {
			header.Method = zip.Store
		}
		entry, err := archive.CreateHeader(header)
		if err != nil {
			return err
		}
		if _, err := entry.Write(f.content); err != nil {
			return err
		}
	}
	return archive.Close()
}

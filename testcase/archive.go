package testcase

import (
	"archive/tar"
	"bytes"
	"fmt"
	"io"
	"io/fs"
)

// Archive returns the input as a tar archive, from which FromArchive makes an equal one.
func (in Input) Archive() ([]byte, error) {
	var text bytes.Buffer
	w := tar.NewWriter(&text)
	if in.Dir { // else it is one file
		if err := w.WriteHeader(&tar.Header{Typeflag: tar.TypeDir, Name: "./", Mode: 0o755}); err != nil {
			return nil, err
		}
	}
	for _, f := range in.Files {
		h := tar.Header{Typeflag: tar.TypeReg, Name: f.Path, Mode: int64(f.Mode.Perm()), Size: int64(len(f.Content)), Format: tar.FormatPAX}
		content := f.Content
		if f.Mode&fs.ModeSymlink != 0 {
			h.Typeflag, h.Linkname, h.Size, content = tar.TypeSymlink, string(f.Content), 0, nil
		}
		if err := w.WriteHeader(&h); err != nil {
			return nil, fmt.Errorf("%s: %w", f.Path, err)
		}
		if _, err := w.Write(content); err != nil {
			return nil, err
		}
	}
	err := w.Close()
	return text.Bytes(), err
}

// FromArchive returns the input of an archive that Archive has returned.
func FromArchive(text []byte) (in Input, err error) {
	r := tar.NewReader(bytes.NewReader(text))
	for {
		h, err := r.Next()
		if err == io.EOF {
			return in, nil
		}
		if err != nil {
			return in, err
		}
		if h.Typeflag == tar.TypeDir {
			in.Dir = true
			continue
		}
		f := File{Path: h.Name, Mode: fs.FileMode(h.Mode).Perm(), Content: []byte(h.Linkname)}
		if h.Typeflag == tar.TypeSymlink {
			f.Mode = fs.ModeSymlink
		} else if f.Content, err = io.ReadAll(r); err != nil {
			return in, err
		}
		in.Files = append(in.Files, f)
	}
}

package reduce

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"errors"
	"io"
)

func isTar(content []byte) bool {
	const magicAt, magic = 257, "ustar"
	return len(content) >= 512 && hasPrefix(content[magicAt:], magic)
}

func readTar(content []byte, left *allowance) ([]*member, any, error) {
	members, err := tarMembers(bytes.NewReader(content), left)
	return members, nil, err
}

func tarMembers(in io.Reader, left *allowance) ([]*member, error) {
	r := tar.NewReader(in)
	var members []*member
	for {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			return members, nil
		}
		if err != nil && !(errors.Is(err, tar.ErrInsecurePath) && h != nil) {
			return nil, err
		}
		content, err := left.take(r)
		if err != nil {
			return nil, err
		}
		members = append(members, &member{name: h.Name, header: *h, content: content})
	}
}

func writeTar(members []*member, _ any) ([]byte, error) {
	var out bytes.Buffer
	w := tar.NewWriter(&out)
	for _, m := range members {
		h := m.header.(tar.Header)
		if h.Typeflag == tar.TypeGNUSparse {
			h.Typeflag = tar.TypeReg // its holes are zeros now
		}
		if h.Typeflag == tar.TypeReg {
			h.Size = int64(len(m.content))
		}
		if err := w.WriteHeader(&h); err != nil {
			return nil, err
		}
		if h.Typeflag != tar.TypeReg {
			continue
		}
		if _, err := w.Write(m.content); err != nil {
			return nil, err
		}
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}

func isTarGz(content []byte) bool {
	if !hasPrefix(content, "\x1f\x8b") {
		return false
	}
	r, err := gzip.NewReader(bytes.NewReader(content))
	if err != nil {
		return false
	}
	head := make([]byte, 512)
	_, err = io.ReadFull(r, head)
	return err == nil && isTar(head)
}

func readTarGz(content []byte, left *allowance) ([]*member, any, error) {
	r, err := gzip.NewReader(bytes.NewReader(content))
	if err != nil {
		return nil, nil, err
	}
	// Headers are not counted as content, and an archive may be nothing else.
	members, err := tarMembers(io.LimitReader(r, mostUnpacked+mostMembers*4<<10), left)
	return members, r.Header, err
}

func writeTarGz(members []*member, header any) ([]byte, error) {
	content, err := writeTar(members, nil)
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	w := gzip.NewWriter(&out)
	w.Header = header.(gzip.Header)
	if _, err := w.Write(content); err != nil {
		return nil, err
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}

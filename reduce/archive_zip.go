package reduce

import (
	"archive/zip"
	"bytes"
	"compress/flate"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"io"
)

func isZip(content []byte) bool {
	return hasPrefix(content, "PK\x03\x04") || hasPrefix(content, "PK\x05\x06")
}

func readZip(content []byte, left *allowance) ([]*member, any, error) {
	r, err := zip.NewReader(bytes.NewReader(content), int64(len(content)))
	if err != nil {
		return nil, nil, err
	}
	var members []*member
	for _, f := range r.File {
		const encrypted = 1
		if f.Flags&encrypted != 0 {
			return nil, nil, fmt.Errorf("%q in it is encrypted", f.Name)
		}
		in, err := f.Open()
		if err != nil {
			return nil, nil, fmt.Errorf("%q in it: %w", f.Name, err)
		}
		content, err := left.take(in)
		in.Close()
		if err != nil {
			return nil, nil, fmt.Errorf("%q in it: %w", f.Name, err)
		}
		members = append(members, &member{name: f.Name, header: f.FileHeader, content: content})
	}
	return members, r.Comment, nil
}

// writeZip writes sizes before contents, as most programs do, not behind them.
func writeZip(members []*member, comment any) ([]byte, error) {
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	for _, m := range members {
		h := m.header.(zip.FileHeader)
		const sizesBehind = 8
		h.Flags &^= sizesBehind
		h.Extra = withoutSizes(h.Extra)
		packed := m.content
		if h.Method != zip.Store {
			h.Method = zip.Deflate
			var err error
			if packed, err = deflated(m.content); err != nil {
				return nil, err
			}
		}
		h.CRC32 = crc32.ChecksumIEEE(m.content)
		h.CompressedSize64, h.UncompressedSize64 = uint64(len(packed)), uint64(len(m.content))
		f, err := w.CreateRaw(&h)
		if err != nil {
			return nil, err
		}
		if _, err := f.Write(packed); err != nil {
			return nil, err
		}
	}
	if err := w.SetComment(comment.(string)); err != nil {
		return nil, err
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}

func deflated(content []byte) ([]byte, error) {
	var out bytes.Buffer
	w, err := flate.NewWriter(&out, flate.DefaultCompression)
	if err != nil {
		return nil, err
	}
	if _, err := io.Copy(w, bytes.NewReader(content)); err != nil {
		return nil, err
	}
	err = w.Close()
	return out.Bytes(), err
}

// withoutSizes takes the fields of the zip64 format out of the extra fields of a
// header: the writer adds its own where they are needed.
func withoutSizes(extra []byte) []byte {
	var left []byte
	for len(extra) >= 4 {
		id, size := binary.LittleEndian.Uint16(extra), int(binary.LittleEndian.Uint16(extra[2:]))
		if len(extra) < 4+size {
			return left
		}
		const zip64 = 1
		if id != zip64 {
			left = append(left, extra[:4+size]...)
		}
		extra = extra[4+size:]
	}
	return left
}

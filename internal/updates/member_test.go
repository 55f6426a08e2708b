package updates

import (
	"io"
	"io/fs"
	"strings"
	"time"
)

// A member is a file of an archive, by its name and text.
type member [2]string

func (m member) Path() string                 { return m[0] }
func (m member) Lstat() (fs.FileInfo, error)  { return m, nil }
func (m member) Open() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(m[1])), nil }

func (m member) Name() string       { return m[0] }
func (m member) Size() int64        { return int64(len(m[1])) }
func (m member) Mode() fs.FileMode  { return 0o644 }
func (m member) ModTime() time.Time { return time.Time{} }
func (m member) IsDir() bool        { return false }
func (m member) Sys() interface{}   { return nil }

package reduction

import (
	"bytes"
	"unicode/utf8"

	"github.com/gitdd/gitdd/reduce"
	"github.com/gitdd/gitdd/testcase"
)

// trailBytes is the length of the longest text that is followed.
const trailBytes = 256 << 10

// Trails follow the texts of an input through its reduction. A text is followed from its first change on.
type Trails struct {
	now   map[string][]byte
	files map[string]*reduce.Trail
}

// NewTrails begins with an input.
func NewTrails(input testcase.Input) *Trails {
	t := &Trails{now: map[string][]byte{}, files: map[string]*reduce.Trail{}}
	for _, f := range input.Files {
		if text := f.Content; len(text) <= trailBytes && utf8.Valid(text) && bytes.IndexByte(text, 0) < 0 {
			t.now[f.Path] = text
		}
	}
	return t
}

// Follow goes on to the next smaller input.
func (t *Trails) Follow(in testcase.Input) {
	for _, f := range in.Files {
		text, followed := t.now[f.Path]
		if !followed || bytes.Equal(text, f.Content) {
			continue
		}
		if t.files[f.Path] == nil {
			t.files[f.Path] = reduce.NewTrail(text)
		}
		t.files[f.Path].Follow(f.Content)
		t.now[f.Path] = f.Content
	}
}

// Kept returns the ranges of bytes of the original text of a file that are left in now. It returns nil if the
// text has not changed, is not followed, or is another one than now; and for a nil *Trails.
func (t *Trails) Kept(path string, now []byte) [][2]int {
	if t == nil || t.files[path] == nil || !bytes.Equal(t.now[path], now) {
		return nil
	}
	return t.files[path].Kept()
}

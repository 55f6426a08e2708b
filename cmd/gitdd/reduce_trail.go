package main

import (
	"bytes"
	"unicode/utf8"

	"github.com/gitdd/gitdd/reduce"
	"github.com/gitdd/gitdd/testcase"
)

// trailBytes is the length of a text that is followed, at most.
const trailBytes = 256 << 10

// trails follow the texts of an input through its reduction: those that change, from
// the first time on.
type trails struct {
	before map[string][]byte
	now    map[string][]byte
	files  map[string]*reduce.Trail
}

func newTrails(input testcase.Input) *trails {
	t := &trails{before: map[string][]byte{}, now: map[string][]byte{}, files: map[string]*reduce.Trail{}}
	for _, f := range input.Files {
		if text := f.Content; len(text) <= trailBytes && utf8.Valid(text) && bytes.IndexByte(text, 0) < 0 {
			t.before[f.Path], t.now[f.Path] = text, text
		}
	}
	return t
}

// follow goes on to the next smaller input.
func (t *trails) follow(in testcase.Input) {
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

// kept are the bytes of a file that are left in a text, where that is known.
func (t *trails) kept(path string, is []byte) [][2]int {
	if t == nil || t.files[path] == nil || !bytes.Equal(t.now[path], is) {
		return nil
	}
	return t.files[path].Kept()
}

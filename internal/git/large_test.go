package git

import (
	"errors"
	"strings"
	"testing"
)

// A full takes some bytes, and then refuses as a full disk does.
type full struct{ room int }

var errFull = errors.New("no space left on device")

func (f *full) Write(text []byte) (int, error) {
	if f.room -= len(text); f.room < 0 {
		return 0, errFull
	}
	return len(text), nil
}

// TestCopyBlobFull: when the writer refuses, git dies of a broken pipe, but it is
// the writer's error that says why.
func TestCopyBlobFull(t *testing.T) {
	s := newSandbox(t)
	s.git("", "init", "-q", "r")
	r := s.open("r")
	content := strings.Repeat("x", 4<<20)
	id, err := (&Scratch{repo: r, objects: r.CommonDir() + "/objects"}).Put("blob", []byte(content))
	if err != nil {
		t.Fatal(err)
	}
	if err := r.CopyBlob(t.Context(), id, int64(len(content)), &full{room: 1 << 20}); !errors.Is(err, errFull) {
		t.Errorf("the error is %v", err)
	}
}

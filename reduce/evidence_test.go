package reduce

import (
	"bytes"
	"context"
	"testing"

	"github.com/gitdd/gitdd/isolate"
	"github.com/gitdd/gitdd/testcase"
)

// The evidence has all of the inputs that lack one element of what is left, as the
// test was given them, and none of them fails.
func TestEvidence(t *testing.T) {
	in := testcase.Input{Dir: true, Files: []testcase.File{
		{Path: "d/a", Mode: 0o644, Content: []byte("one\ntwo\nthree\n")},
		{Path: "d/b", Mode: 0o644, Content: []byte("four\nfive\n")},
	}}
	asked := map[string]isolate.Outcome{}
	test := func(_ context.Context, in testcase.Input) (isolate.Outcome, error) {
		o := isolate.Fail
		for _, word := range []string{"one", "three", "five"} {
			if !bytes.Contains(bytes.Join([][]byte{content(in, "d/a"), content(in, "d/b")}, nil), []byte(word)) {
				o = isolate.Pass
			}
		}
		asked[in.Digest()] = o
		return o, nil
	}
	got, err := Reduce(context.Background(), in, test, Options{Format: "lines", Evidence: true})
	if err != nil || !got.Minimal {
		t.Fatalf("%+v, %v", got, err)
	}
	var left []string
	for _, w := range got.Evidence {
		if o, ok := asked[w.Input.Digest()]; !ok || o != w.Outcome || o != isolate.Pass {
			t.Errorf("%q: asked %v, outcome %v, evidence %v", w.Input.Files, ok, o, w.Outcome)
		}
		left = append(left, string(content(w.Input, "d/a"))+"|"+string(content(w.Input, "d/b")))
	}
	if len(left) != 6 { // the directory, two files, three lines
		t.Errorf("%q", left)
	}
	if got, err := Reduce(context.Background(), in, test, Options{Format: "lines", Evidence: true, Fast: true}); err != nil || got.Evidence != nil {
		t.Errorf("fast: %+v, %v", got.Evidence, err)
	}
}

func content(in testcase.Input, path string) []byte {
	for _, f := range in.Files {
		if f.Path == path {
			return f.Content
		}
	}
	return nil
}

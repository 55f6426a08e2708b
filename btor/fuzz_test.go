package btor

import (
	"bytes"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Whatever a text is, reading it ends in an error with a line of it, or in a graph
// that is read again from what is printed of it.
func FuzzRead(f *testing.F) {
	for _, row := range rejections {
		f.Add([]byte(row.text))
	}
	f.Add([]byte(leaves + "5 write 4 1 2 3\n6 cond 4 4 1 -5\n7 nego 1 3\n8 eq 1 6 1\n9 root 1 8\n"))
	f.Add([]byte(leaves + "5 write 4 2 1 2 3\n6 anext 4 2 1 5\n7 slice 2 3 2 1 ; c\n8 constd 9 511\n9 var 4 ;\n"))
	f.Fuzz(func(t *testing.T, text []byte) { readAgain(t, text) })
}

// TestReadAgain holds texts that were changed at random to the same.
func TestReadAgain(t *testing.T) {
	r := randomly(t)
	for range 500 {
		readAgain(t, []byte(mutated(r, sample(r))))
	}
}

func readAgain(t *testing.T, text []byte) {
	file, err := Read(text)
	if err != nil {
		e, ok := err.(*Error)
		if lines := bytes.Count(text, []byte("\n")) + 1; !ok || e.Line < 1 || e.Line > lines {
			t.Fatalf("%v of %d lines: %q", err, lines, text)
		}
		for _, r := range e.Message {
			if r < ' ' || r > '~' {
				t.Fatalf("%q in the message %q", r, e.Message)
			}
		}
		return
	}
	if err := Check(file.Graph); err != nil {
		t.Fatalf("%v: %q", err, text)
	}
	g := file.Graph.Canonical()
	if err := Check(g); err != nil {
		t.Fatalf("%v: canonical: %q", err, text)
	}
	next := slices.ContainsFunc(g.Nodes, isNext)
	for version := 2; version <= 3; version++ {
		printed, err := Write(g, version)
		if version == 2 && next {
			if err == nil {
				t.Fatalf("next in version 2: %q", printed)
			}
			continue
		}
		if err != nil {
			t.Fatalf("%v: %q", err, text)
		}
		again, err := Read(printed)
		if err != nil {
			t.Fatalf("%v: %q, which was read from %q", err, printed, text)
		}
		if diff := cmp.Diff(normal(g), normal(again.Graph)); diff != "" {
			t.Fatalf("%s\n%q was read from %q", diff, printed, text)
		}
		if twice := Text(again.Graph.Canonical()); !bytes.Equal(twice, Text(g)) {
			t.Fatalf("%q, then %q", Text(g), twice)
		}
	}
}

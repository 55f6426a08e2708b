package report

import (
	"bytes"
	"html"
	"strings"
	"testing"

	"github.com/gitdd/gitdd/internal/lexical"
)

// Lines of files of anybody take milliseconds to colour: with a cost that grows as
// the square of their length these would take hours, more than any test has.
func TestTokensOfHostileLines(t *testing.T) {
	for _, piece := range []string{`\'`, `''`, `""`, `/**/`, "`", `'"`, "0'"} {
		line := strings.Repeat(piece, 1<<19)
		for _, name := range []string{"a.go", "a.js", "a.py", "a.sql"} {
			var text strings.Builder
			for _, tok := range tokens(lexical.RulesOf(name), []string{line})[0] {
				text.WriteString(tok.text)
			}
			if text.String() != line {
				t.Errorf("%s: a line of %s became another text", name, piece)
			}
		}
	}
}

// A line that is no UTF-8 has no begin of a character to be cut at.
func TestHTMLCutsAnyLine(t *testing.T) {
	r := Result{Status: Isolated, Cause: []Change{{
		ID: "1", Kind: "text", Path: "a.txt", OldPath: "a.txt", NewStart: 1, NewLines: 1, New: "?", RawNew: bytes.Repeat([]byte{0x80}, 10*pageColumn),
	}}}
	left := pageLines
	files, _ := htmlByFile(&r, r.Cause, &left)
	var line strings.Builder
	for _, p := range files[0].Changes[0].Cells[0].Pieces {
		line.WriteString(p.Text)
	}
	if n := strings.Count(line.String(), `\x80`); n < pageColumn || n > pageColumn+4 {
		t.Errorf("%d bytes of the line are shown, want %d", n, pageColumn)
	}
}

// Who copies the lines from a page is told when they are not all there.
func TestHTMLPatchSaysThatItIsCut(t *testing.T) {
	for length, want := range map[int]bool{100: false, pagePatch / 4: false, pagePatch/4 + 1: true} {
		text := strings.Repeat("a", length) + "\n"
		r := Result{Status: Isolated, Cause: []Change{{ID: "1", Kind: "text", Path: "a", OldPath: "a", NewStart: 1, NewLines: 1, New: text}}}
		var page bytes.Buffer
		if err := HTML(&page, r, Story{}); err != nil {
			t.Fatal(err)
		}
		if got := strings.Contains(html.UnescapeString(page.String()), "cut off: it is too long"); got != want {
			t.Errorf("a line of %d bytes: cut %v, want %v", length, got, want)
		}
	}
}

// Of a file of which the story has the begin only, nobody knows how many lines it has.
func TestReductionHTMLOfTheBeginOfAFile(t *testing.T) {
	r := Reduction{Status: Reduced, Input: Content{Files: 2, Bytes: 900_000}, Output: Content{Files: 2, Bytes: 800_100}}
	s := Story{Files: []File{
		{Path: "long", Before: 800_000, After: 800_000, Is: "one\ntwo\n"},
		{Path: "short", Before: 100_000, After: 8, Is: "one\ntwo\n"},
	}}
	list := texts(&r, &s)
	if len(list) != 2 || list[0].Extra != "800,000 bytes" || list[0].Note != "… more lines" {
		t.Errorf("%+v", list)
	}
	if len(list) != 2 || list[1].Extra != "2 lines, 8 bytes" || list[1].Note != "" {
		t.Errorf("%+v", list)
	}
}

// A group may be cleared without a trial in whole or in parts.
func TestGroupTreeOfWhatWasKnown(t *testing.T) {
	for _, c := range []struct {
		trials [2]int
		want   string
	}{
		{[2]int{0, 0}, "cleared in parts by what was known"},
		{[2]int{0, 7}, "cleared in parts by trial 7"},
		{[2]int{7, 7}, "cleared in parts by trial 7"},
		{[2]int{5, 7}, "cleared in parts by trials 5 to 7"},
	} {
		s := Stage{Of: "changes", Elements: 3, Groups: []Group{{Level: "file", Name: "a", From: 0, To: 2}}, Steps: []Step{
			{Trial: c.trials[0], Outcome: "pass", Suspects: "1-2"}, {Trial: c.trials[1], Outcome: "pass", Suspects: "2"},
		}}
		if nodes := groupTree(&s, "found"); len(nodes) == 0 || nodes[0].Fate != c.want {
			t.Errorf("trials %v: %+v, want %s", c.trials, nodes, c.want)
		}
	}
}

func TestCapital(t *testing.T) {
	for text, want := range map[string]string{"": "", "the end": "The end", "été.py is new": "Été.py is new", "--all was": "--all was"} {
		if got := capital(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

package report

import "github.com/gitdd/gitdd/internal/prose"

// openContext is how many lines of a context a page shows unfolded.
const openContext = 60

// An htmlContext has the changes that an answer needs.
type htmlContext struct {
	Title string
	Open  bool
	Files []htmlFile // those of one file may stand apart: the nearest to the cause come first
	Note  string
}

// newHTMLContext lays out the context of an answer, nil if it has none. Lines it shows come off
// left.
func newHTMLContext(r *Result, left *int) *htmlContext {
	if !r.showsContext(true) {
		return nil
	}
	h := &htmlContext{Title: contextTitle(r) + ": " + prose.Count(max(len(r.Present), len(r.ContextDiff)), "other change")}
	lines := 0
	for i := range r.ContextDiff {
		lines += r.ContextDiff[i].size()
	}
	h.Open = lines <= openContext
	h.Files, h.Note = htmlByFile(r, r.ContextDiff, left)
	if more := len(r.Present) - len(r.ContextDiff); more > 0 {
		h.Note = "The lines of " + prose.Count(more, "more change") + " are not shown on this page."
	}
	return h
}

package tui

import "github.com/gitdd/gitdd/internal/events"

// A Search shows a search among commits and changes while it goes on: on a terminal in a view that is
// drawn again and again, elsewhere in a line for each trial. Its methods may be called by several
// goroutines.
type Search interface {
	// Take takes an event of the stream, and does not change the event. Events come in the order of the stream.
	Take(*events.Event)
	// Close ends the view when the search is over, or was never begun. It may be called twice.
	Close()
}

// NewSearch returns a view of a search.
func NewSearch(o Options) Search {
	if size := sizeOf(o.Out); size != nil {
		return newLiveSearch(size, o)
	}
	return newSearchLines(o)
}

// liveSearch draws the model of a search on a terminal.
type liveSearch struct {
	*canvas
	model *searchModel
}

func newLiveSearch(size func() (int, int, error), o Options) *liveSearch {
	v := &liveSearch{model: newSearchModel(o)}
	v.canvas = newCanvas(size, o, v.model)
	return v
}

func (v *liveSearch) Take(e *events.Event) {
	if e.Note != nil {
		v.Note(e.Note.Text)
		return
	}
	v.change(func() { v.model.take(e, v.now()) })
}

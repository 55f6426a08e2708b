package tui

import (
	"github.com/gitdd/gitdd/search"
	"github.com/gitdd/gitdd/trial"
)

// A Search shows a search among commits and changes while it goes on: on a terminal in a view that is
// drawn again and again, elsewhere in a line for each trial. Its methods may be called by several
// goroutines.
type Search interface {
	// Trial takes an event of the trials of the search. Events come in the order of time.
	Trial(trial.Event)
	// Event takes an event of the search.
	Event(search.Event)
	// Note shows at once something that the user should know: a sentence without its full stop.
	Note(string)
	// Close ends the view when the search is over, or was never begun. It may be called twice.
	Close()
}

// SearchOptions are those of a Search.
type SearchOptions struct {
	Options
	Changes int // among which is searched
	// Needs makes the view tell when the search has narrowed the suspects down to a few, and looks
	// for the other changes that these need to fail.
	Needs bool
}

// NewSearch returns a view of a search.
func NewSearch(o SearchOptions) Search {
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

func newLiveSearch(size func() (int, int, error), o SearchOptions) *liveSearch {
	v := &liveSearch{model: newSearchModel(o)}
	v.canvas = newCanvas(size, o.Options, v.model)
	return v
}

func (v *liveSearch) Trial(e trial.Event) {
	if e.Kind == trial.Lasts {
		v.Note(e.Lasting.String())
		return
	}
	v.change(func() { v.model.trial(e, v.now()) })
}

func (v *liveSearch) Event(e search.Event) {
	if note, ok := e.(search.Note); ok {
		v.Note(note.Text)
		return
	}
	v.change(func() { v.model.event(e, v.now()) })
}

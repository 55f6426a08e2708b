package byhand

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"

	"github.com/gitdd/gitdd/internal/git"
	"github.com/gitdd/gitdd/trial"
)

// Command is the name of the gitdd command that begins sessions by hand: their Header.Name.
const Command = "start"

// Is reports whether a session is one by hand.
func Is(h trial.Header) bool { return h.Name == Command }

// stateFile is the name of the session's file with its State.
const stateFile = "by-hand.json"

// A State is what a session remembers of the configuration that is to be judged.
type State struct {
	Into string `json:"into"` // the directory that configurations are put into, absolute; "" = the session's own
	Step int    `json:"step"` // how many configurations were judged before, plus 1
	Tree git.ID `json:"tree"` // of the configuration; "" = the search has ended

	After int    `json:"after"` // Last, when this was written: a kill may leave a state that is older than the journal
	Shown string `json:"shown"` // the directory that the configuration was put into, absolute
	Good  git.ID `json:"good"`  // the commit, or tree, that it is compared with; "" = no good one is known yet

	What string `json:"what"` // the configuration, in a line
	Left string `json:"left"` // what is still suspected, and how many more judgements it takes, in a line
	Best string `json:"best"` // what is known already, in a line; "" = nothing
}

// ReadState reads the state of a session, the zero State if it has none.
func ReadState(session *trial.Session) (s State, err error) {
	text, err := session.ReadFile(stateFile)
	if errors.Is(err, fs.ErrNotExist) {
		return s, nil
	}
	if err == nil {
		err = json.Unmarshal(text, &s)
	}
	if err != nil {
		return s, fmt.Errorf("read what is to be judged in session %s: %w", session.Name(), err)
	}
	return s, nil
}

// Write keeps the state in a session.
func (s State) Write(session *trial.Session) error {
	text, err := json.Marshal(s)
	if err != nil {
		return err
	}
	return session.WriteFile(stateFile, text)
}

// Shows reports whether the directory that the configuration was put into still shows it.
func (s State) Shows(session *trial.Session) bool {
	m, _, ok := Marked(s.Shown)
	return ok && m.Session == session.Dir() && m.Tree == s.Tree && m.Next == ""
}

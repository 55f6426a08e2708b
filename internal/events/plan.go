package events

import (
	"bytes"
	"errors"
	"slices"
	"strings"

	"github.com/gitdd/gitdd/changes"
	"github.com/gitdd/gitdd/internal/git"
	"github.com/gitdd/gitdd/internal/record"
	"github.com/gitdd/gitdd/isolate"
	"github.com/gitdd/gitdd/search"
)

// along begins a stage in a line of commits.
func (o *Observer) along(e search.LineBegun) {
	line := e.Commits
	if o.runner != nil {
		e.SetNumber = o.runner.Line(line)
	}
	clear(o.ran)
	p := Plan{Stage: e.Stage, Answer: e.Number, Of: "commits", Set: e.SetNumber, One: e.One, Elements: len(line) - 1}
	p.From, p.To = string(line[0].ID), string(line[len(line)-1].ID)
	if !o.plans[&line[0]] {
		o.plans[&line[0]] = true
		p.Commits, p.FromSubject = commitsOf(line[1:]), valid(line[0].Subject)
	}
	o.begin(p, func(s isolate.Step) isolate.Configuration { return s.Failing.Minus(s.Passing) })
}

func commitsOf(line []git.Commit) []Commit {
	list := make([]Commit, 0, len(line))
	for _, c := range line {
		list = append(list, Commit{ID: string(c.ID), Subject: valid(c.Subject)})
	}
	return list
}

// among begins a stage among the changes of an answer.
func (o *Observer) among(e search.ChangesBegun) {
	set, plan := e.Answer.Set, e.Answer.Plan
	o.phase.tells = e.Goal == isolate.Cause && !e.Rounds
	p := Plan{Stage: e.Stage, Answer: e.Number, Of: "changes", Set: o.setNumber(set, e.SetNumber), One: e.One, Elements: set.Len()}
	p.From, p.To = string(set.Good.ID()), string(set.Bad.ID())
	if !o.plans[plan] { // which belongs to one set
		o.plans[plan] = true
		p.Changes = Changes(set, plan.Symbols)
		p.Groups = record.Groups(set, plan, mostGroups)
		if !slices.IsSorted(plan.Order) {
			p.Order = plan.Order
		}
	}
	suspects := &record.Suspects{Needs: e.Goal == isolate.Cause}
	o.begin(p, suspects.Take)
}

// begin begins a stage.
func (o *Observer) begin(p Plan, look func(isolate.Step) isolate.Configuration) {
	o.stage = &stage{number: p.Stage, answer: p.Answer, set: p.Set, elements: p.Elements, changes: p.Of == "changes", look: look, left: isolate.Full(p.Elements)}
	o.emit("plan", Event{Plan: &p})
}

// What a plan tells is bounded.
const (
	mostGroups = 20_000
	sideBytes  = 2_000     // of each text of a change
	textBytes  = 1 << 20   // of all texts of a set
	mostFiles  = 200       // that are read, because they are created or deleted as a whole
	fileBytes  = 256 << 10 // of one of these
)

// Changes are those of a set as a plan tells them. symbols are those of grouping.Plan, or none.
func Changes(set *changes.Set, symbols []string) []Change {
	room, files := textBytes, 0
	list := make([]Change, 0, set.Len())
	for i := range set.Changes {
		c := &set.Changes[i]
		m := Change{
			ID: c.ID, Kind: c.Kind.String(), Path: valid(c.Path), OldStart: c.OldStart, OldLines: c.OldLines,
			NewStart: c.NewStart, NewLines: c.NewLines,
		}
		if c.OldPath != c.Path {
			m.OldPath = valid(c.OldPath)
		}
		if i < len(symbols) {
			m.Symbol = valid(symbols[i])
		}
		if c.Part != (changes.Part{}) {
			m.OldColumn, m.OldEndColumn, m.NewColumn, m.NewEndColumn = c.Part.OldFrom+1, c.Part.OldTo+1, c.Part.NewFrom+1, c.Part.NewTo+1
		}
		old, new := c.Old, c.New
		if c.Kind == changes.Created || c.Kind == changes.Deleted || c.Kind == changes.Type {
			files++
			var err error
			if old, new, err = wholeFile(set, c, files); err != nil {
				m.Cut = true
			}
		}
		m.Old, m.New = excerpt(old, &room), excerpt(new, &room)
		m.Cut = m.Cut || len(m.Old) < len(old) || len(m.New) < len(new)
		list = append(list, m)
	}
	return list
}

// wholeFile returns the texts of a change of a whole file, the nth of its set; nil if they are no text. The error says why they
// are not read.
func wholeFile(set *changes.Set, c *changes.Change, nth int) (old, new []byte, err error) {
	if nth > mostFiles {
		return nil, nil, errors.New("other files have been read")
	}
	old, new, err = set.WholeFile(c, fileBytes)
	if bytes.IndexByte(old, 0) >= 0 || bytes.IndexByte(new, 0) >= 0 {
		return nil, nil, err
	}
	return old, new, err
}

// excerpt is the begin of a text, as far as there is room, which it takes: whole lines, if there are any.
func excerpt(text []byte, room *int) string {
	most := min(sideBytes, *room)
	if len(text) > most {
		text = text[:most]
		if at := strings.LastIndexByte(string(text), '\n'); at >= 0 {
			text = text[:at+1]
		}
	}
	*room -= len(text)
	return valid(string(text))
}

// valid is a text as JSON can have it.
func valid(text string) string { return strings.ToValidUTF8(text, "\uFFFD") }

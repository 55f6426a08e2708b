package report

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/gitdd/gitdd/internal/prose"
)

// A Connection says how the place of a failure is connected with the cause.
type Connection string

// The connections, the closest first.
const (
	ChangedLines Connection = "changed-lines" // it is in the lines of the cause
	SameFunction Connection = "same-function" // it is in a function or the like that the cause changes
	UsesCause    Connection = "uses-cause"    // the function around it names one that the cause changes
	UsedByCause  Connection = "used-by-cause" // the cause, or the function around the cause, names the one around it
	ThroughStack Connection = "stack"         // the stack trace goes through a function that the cause changes
	SameName     Connection = "same-name"     // its line has a name that is in the lines of the cause
	SameFile     Connection = "same-file"     // it is in a file of the cause
	Unconnected  Connection = "none"          // nothing is known
)

// A FailurePlace is where the command failed, as its output says: a line of the failing tree.
type FailurePlace struct {
	Path       string     `json:"path"`
	Line       int        `json:"line"`      // in the tree of Failing, from 1
	NewLine    int        `json:"new_line"`  // as Change.NewStart counts, from 1: with all changes that were searched; 0 = it is not there, or it is not known
	BadLine    int        `json:"bad_line"`  // at Bad, from 1; 0 = it is not there, or it is not known
	Symbol     string     `json:"symbol"`    // that it lies in; "" = none is known
	Connection Connection `json:"relation"`  // with the cause
	Name       string     `json:"name"`      // of what connects it with the cause; "" = nothing in particular
	Context    bool       `json:"context"`   // its line is of the context
	Unchanged  bool       `json:"unchanged"` // it is in code of the repository that is no test, and no change that was searched touches the declaration around it, or the file
	Places     int        `json:"places"`    // how many places of the tree the output names, of which this is the closest to the cause; a stack trace is one
}

// valid returns a copy of a place whose texts are valid UTF-8; nil for nil.
func (at *FailurePlace) valid() *FailurePlace {
	if at == nil {
		return nil
	}
	p := *at
	p.Path, p.Symbol, p.Name = valid(at.Path), valid(at.Symbol), valid(at.Name)
	return &p
}

// said says what the command prints where it fails.
func (p *page) said() {
	if p.r.Line != "" && p.r.Status == Isolated && p.r.Measured == nil {
		p.item("failure", prose.Quote(p.r.Line))
	}
}

// place says where the command failed, and how that is connected with the cause.
func (p *page) place() {
	if at := p.r.Place; at != nil && p.r.Status == Isolated {
		text := p.r.placeText(p.placeName(at))
		if at.NewLine == 0 {
			text += "; the number of the line is that of the failing end of this answer"
		}
		p.item("fails at", text)
	}
}

// shownLine is the number of the line that a reader finds the place at: that of the hunks of the report, if it is there.
func (at *FailurePlace) shownLine() int { return cmp.Or(at.NewLine, at.Line) }

// placeName names the line of a place.
func (p *page) placeName(at *FailurePlace) string {
	line := fmt.Sprintf(":%d", at.shownLine())
	name := prose.Printable(at.Path)
	if !p.full {
		name = prose.Tail(name, p.width-labelWidth-len(line))
	}
	return name + line
}

// placeText says of the place of r, which is called name, how it is connected with the cause.
func (r *Result) placeText(name string) string {
	at, cause := r.Place, "the "+soughtChange(r)
	in := ""
	if at.Symbol != "" {
		in = " in " + cutName(at.Symbol)
	}
	parts := []string{name + in}
	switch at.Connection {
	case ChangedLines:
		parts[0] += ", a line of " + cause
	case SameFunction:
		parts[0] += ", where " + cause + " is"
	case UsesCause:
		parts[0] += ", which uses " + cutName(at.Name) + ", where " + cause + " is"
	case UsedByCause:
		if at.Name != "" {
			parts[0] += ", which " + cutName(at.Name) + " uses, where " + cause + " is"
		} else {
			parts[0] += ", which " + cause + " uses"
		}
	case ThroughStack:
		through := cause
		if at.Name != "" {
			through = cutName(at.Name) + ", where " + cause + " is"
		}
		parts = append(parts, "the stack trace goes through "+through)
	case SameName:
		parts[0] += ", a line with " + cutName(at.Name) + ", as in " + cause
	case SameFile:
		parts[0] += ", in the same file as " + cause
	}
	if at.Context {
		parts = append(parts, "it is a line that "+cause+" needs")
	}
	if at.Unchanged {
		parts = append(parts, "none of the changes touches that code")
	}
	return strings.Join(parts, "; ") + ofPlaces(at)
}

// ofPlaces says that the output names other places, too.
func ofPlaces(at *FailurePlace) string {
	switch {
	case at.Places < 2:
		return ""
	case at.Connection == Unconnected:
		return fmt.Sprintf(" (the first of %s places)", prose.Number(at.Places))
	}
	return fmt.Sprintf(" (the closest of %s places)", prose.Number(at.Places))
}

// cutName is a name in a sentence, printable and not too long.
func cutName(name string) string {
	return (&prose.Line{}).Add(prose.Plain, name).Cut(40).Render(false)
}

// soughtChange is what r has in the place of a cause: that, or a fix.
func soughtChange(r *Result) string {
	if sought(r) == "fix" {
		return "fix"
	}
	return "cause"
}

package search

import (
	"slices"

	"github.com/gitdd/gitdd/internal/git"
	"github.com/gitdd/gitdd/internal/prose"
	"github.com/gitdd/gitdd/isolate"
)

// Named returns the name of a commit for notes: its id with the beginning of its subject. line are the
// commits that are searched, of which the first is not a suspect.
func Named(id git.ID, line []git.Commit) string {
	text := "commit " + id.Short()
	if i := slices.IndexFunc(line, func(c git.Commit) bool { return c.ID == id }); i >= 0 && line[i].Subject != "" {
		subject := (&prose.Line{}).Add(prose.Plain, line[i].Subject).Cut(shownSubject).Render(false)
		text += " (" + subject + ")"
		if i == 0 {
			text += ", the start of the line"
		}
	}
	return text
}

// shownSubject is how much of a commit's subject is shown, in columns.
const shownSubject = 40

// Applied says how many of its changes a configuration has.
func Applied(c isolate.Configuration) string {
	return prose.Number(c.Len()) + " of " + prose.Count(c.N(), "change")
}

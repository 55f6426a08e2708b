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
	i := slices.IndexFunc(line, func(c git.Commit) bool { return c.ID == id })
	if i < 0 {
		return prose.Commit(id.Short(), "", false)
	}
	return prose.Commit(id.Short(), line[i].Subject, i == 0)
}

// Applied says how many of its changes a configuration has.
func Applied(c isolate.Configuration) string { return prose.Applied(c.Len(), c.N()) }

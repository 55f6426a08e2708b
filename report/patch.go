package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/gitdd/gitdd/internal/prose"
)

// PatchHead returns the text before the patch of those causes of r that r.Together counts. It says what the patch is, how to
// revert it, and which changes it needs that are not in it. gone says that the session will not be kept. Each line begins with
// a #, so that git apply and patch(1) do not read it as a part of the patch.
func PatchHead(r Result, gone bool) []byte {
	n, all := r.Together(), r.Causes()
	what := sought(&r)
	name, them := "The cause of the "+what, "it"
	if r.Direction == Fix && !undoes(&r) {
		name = "The fix"
	}
	switch fixes := what == "fix"; {
	case r.Beside && fixes:
		name = fmt.Sprintf("Fix %d of several", r.Number)
	case n > 1 && fixes:
		name, them = fmt.Sprintf("The %s fixes", prose.Number(n)), "them"
	case r.Beside:
		name = fmt.Sprintf("Cause %d of the %s", r.Number, what)
	case r.Status != Isolated || r.Inseparable:
		name = "What the " + what + " is among"
	case n > 1:
		name, them = fmt.Sprintf("The %s causes of the %s", prose.Number(n), what), "them"
	case len(all) > 1:
		name = fmt.Sprintf("Cause 1 of the %s, without %s,", what, besides(len(all)))
	}
	text := []string{fmt.Sprintf("%s that gitdd has found with %s, between %s and %s.", name, commandLine(r.Command), revision(r.Good), revision(r.Bad))}
	if r.Status == Isolated && (r.Apply != Conflicts || r.Direction == Fix) {
		text = append(text, fmt.Sprintf("`git apply -R` takes %s off %s, where the lines around are as here.", them, r.Bad.name()))
	}
	var command []string
	if needed := r.needed(n); len(needed) > 0 {
		text = append(text, sentenceOfNeeded(them, needed)+".")
		if end := r.without(); n == 1 && !gone {
			cause := ""
			if r.Beside {
				cause = fmt.Sprintf(" --cause %d", r.Number)
			}
			text = append(text, "This writes files that have these, and to which the patch can be applied:")
			command = []string{fmt.Sprintf("    gitdd checkout %s ../%s %s%s", end, end, prose.Printable(r.Session), cause)}
		}
	}
	var b strings.Builder
	for _, line := range append(prose.Wrap(prose.Printable(strings.Join(text, " ")), 76), command...) {
		b.WriteString("# " + line + "\n")
	}
	return []byte(b.String())
}

// besides names the causes beside the first of n.
func besides(n int) string {
	if n == 2 {
		return "cause 2"
	}
	return fmt.Sprintf("causes 2 to %d", n)
}

// without names the end of the answer that has not the cause.
func (r *Result) without() string {
	if r.Direction == Fix {
		return "failing"
	}
	return "passing"
}

// With names the end of the answer that has the cause.
func (r *Result) With() string {
	if r.Direction == Fix {
		return "passing"
	}
	return "failing"
}

// needed are the changes that the first n causes of r need, each once.
func (r *Result) needed(n int) (list []Reference) {
	if r.Goal == "revert" || r.Status != Isolated {
		return nil
	}
	for _, c := range r.Causes()[:n] {
		for _, p := range c.Present {
			if !slices.Contains(list, p) {
				list = append(list, p)
			}
		}
	}
	return list
}

func sentenceOfNeeded(them string, needed []Reference) string {
	verb := "It needs "
	if them == "them" {
		verb = "They need "
	}
	return verb + prose.Count(len(needed), "other change") + ", not in this patch: " + Named(needed)
}

// Named names the first of some changes.
func Named(list []Reference) string {
	const most = 3
	var names []string
	for _, p := range list[:min(len(list), most)] {
		name := p.Path
		if p.Line > 0 {
			name += fmt.Sprintf(":%d", p.Line)
		}
		names = append(names, prose.Printable(name))
	}
	return prose.List(names, len(list))
}

package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/gitdd/gitdd/internal/prose"
)

// next says how to look further.
func (p *page) next() {
	if !p.gone {
		p.commands()
	}
	p.hints(p.r.Hints)
	if p.r.Session != "" && !p.gone {
		p.item("session", p.r.Session)
	}
}

// unfit says why gitdd apply is not offered: the cause is made of changes of one commit, and other
// commits may have changed the same lines of bad or, for a fix, of good. The changes between good
// and bad always fit, so that unfit suggests --no-history if the history was searched.
func unfit(r *Result) string {
	what := "take the cause off"
	if (r.Direction == Fix) != undoes(r) {
		what = "put the fix on"
	}
	text, rev := fmt.Sprintf("`gitdd apply --revert` cannot %s %s: other commits changed or moved these lines", what, r.Bad.Rev), r.Bad.Rev
	if r.Direction == Fix {
		text, rev = fmt.Sprintf("`gitdd apply` cannot %s %s: the lines around it are others", what, r.Good.Rev), r.Good.Rev
	}
	if r.History != nil {
		text += fmt.Sprintf("; a search with --no-history may find the lines of %s itself", rev)
	}
	return text
}

// addLogs adds how to see what the trials printed that a reason is about, or all trials if none of them is known.
func addLogs(about []int, run Trials, add func(command, effect string)) {
	for _, n := range about {
		add(fmt.Sprintf("gitdd log --trial %d", n), fmt.Sprintf("all that trial %d printed", n))
	}
	if len(about) == 0 && run.Run > 0 {
		add("gitdd log", "each trial with its outcome and reason")
	}
}

// mostApplied is how many changes that could not be told apart a reader is offered to take off
// the working tree: among more than that, hardly any has to do with the failure.
const mostApplied = 100

// commands says what gitdd can do with the session.
func (p *page) commands() {
	r := p.r
	var commands [][2]string
	add := func(command, effect string) {
		if r.Number > 0 && command != "gitdd resume" {
			command += fmt.Sprintf(" --cause %d", r.Number)
		}
		command = p.called(command)
		if !slices.ContainsFunc(commands, func(c [2]string) bool { return c[0] == command }) {
			commands = append(commands, [2]string{command, effect})
		}
	}
	vague := r.Inseparable && len(r.Cause) > mostApplied
	useless := r.unrepaired()
	apply := func(command, effect string) {
		switch {
		case vague, useless:
		case r.Apply == Fits, r.Apply == "":
			add(command, effect)
		case r.Apply == Elsewhere:
			end := r.Bad.Rev
			if r.Direction == Fix && r.Goal != "revert" {
				end = r.Good.Rev
			}
			add(command, strings.Replace(effect, "your working tree", end+", once checked out", 1))
		}
	}
	number := "" // of the cause that apply takes alone
	if r.Apart > 0 {
		number = " --cause 1"
	}
	fix, cause := "put the fix on your working tree", "take the cause off your working tree"
	switch n := r.Together(); {
	case r.WholeHunks && n == 1:
		cause = "take its hunk off your working tree"
	case len(r.Dependents) > 0 && n == 1:
		cause = "take the cause, and what needs it, off your working tree"
	case r.Apart > 0:
		fix, cause = "put the first one on your working tree", "take the first one off your working tree"
	case n > 1:
		fix, cause = fmt.Sprintf("put the %s fixes on your working tree", prose.Number(n)), fmt.Sprintf("take the %s causes off your working tree", prose.Number(n))
	}
	if undoes(r) {
		fix, cause = cause, fix
	}
	switch {
	case r.Status == NotIsolated && r.ByHand > 0 && len(r.Command) == 0:
		add("gitdd undo", "take the last judgement back")
	case r.Status == NotIsolated:
		addLogs(r.About, r.Trials, add)
		if r.ByHand > 0 {
			add("gitdd next", "go on by hand")
		}
	case r.Status != Isolated && r.ByHand > 0: // gitdd resume asks the user, and does not run the command
		add("gitdd go -- COMMAND", "let a command go on from here")
		add("gitdd next", "go on by hand")
		add("gitdd log", "each trial with its outcome and reason")
	case r.Status != Isolated:
		add("gitdd resume", "go on from here")
		add("gitdd log", "each trial with its outcome and reason")
	case r.Goal == "revert":
		end := "passing"
		if r.Direction == Fix {
			end = "failing"
		}
		add("gitdd checkout "+end+" ../out", "write the "+end+" files there")
		apply("gitdd apply --revert", "take them off your working tree")
	case r.Direction == Fix:
		add("gitdd checkout passing ../out", "write the fixed files there")
		apply("gitdd apply"+number, fix)
	default:
		add("gitdd checkout failing ../out", "write the failing files there")
		apply("gitdd apply --revert"+number, cause)
	}
	if len(r.Causes()) > 1 {
		add("gitdd show --cause 2", "one cause alone; apply takes --cause, too")
	}
	if first := r.Others.First; first > 0 {
		add(fmt.Sprintf("gitdd log --trial %d", first), "what the other failure printed")
	}
	if p.shortened {
		add("gitdd show --full", "show all that was left out here")
	}
	label := "next"
	p.steps(&label, commands)
	if r.Status == Isolated && r.Apply == Conflicts && !vague && !useless {
		p.more(&label, p.called(unfit(r)))
	}
}

package report

import (
	"fmt"
	"io"
	"strings"

	"github.com/gitdd/gitdd/internal/prose"
	"github.com/gitdd/gitdd/isolate"
)

// ReductionText writes r for a reader: the verdict, how much is left, what is
// left, where it went, how sure it is and what can be done next. No line of it is
// wider than the width, but for lines of the input when Full.
func ReductionText(w io.Writer, r Reduction, o TextOptions) error {
	p := &reductionPage{sheet: newSheet(o), r: &r, plain: o.ASCII}
	p.verdict()
	p.sizes()
	p.shown()
	p.difference()
	p.blank()
	p.passes()
	p.curve()
	p.certainty()
	p.others()
	p.notes()
	p.effort()
	p.next()
	return p.writeTo(w)
}

// A reductionPage collects the lines of the report of a reduction.
type reductionPage struct {
	sheet
	r     *Reduction
	plain bool // no Braille
}

func (p *reductionPage) verdict() {
	p.paragraph(prose.Headline, p.called(p.headline()))
	p.paragraph(prose.Plain, p.tested())
}

// tested says what the command does.
func (p *reductionPage) tested() string {
	text := commandLine(p.r.Command)
	switch {
	case p.r.Failure == "":
		text = "Tested was " + text + "."
	case (p.r.Status == NotReduced || p.r.Status == NotIsolated || p.r.Status == Failed) && p.r.Interesting:
		text += " was run on " + names(p.r.Input) + ": " + p.r.Failure + "."
	case p.r.Status == NotReduced, p.r.Status == NotIsolated, p.r.Status == Failed, p.r.whole() && !p.r.Interesting && p.r.Regression == nil:
		text += " fails on " + names(p.r.Input) + ": " + p.r.Failure + "."
	case p.r.Interesting && p.r.Isolation != nil:
		text += " finds " + names(p.r.Input) + " interesting, and " + names(p.r.Isolation.Passing) + " not: " + p.r.Failure + "."
	case p.r.Interesting && p.r.whole():
		text += " finds it interesting: " + p.r.Failure + "."
	case p.r.Interesting:
		text += " finds " + p.both("both interesting", names(p.r.Input)+" interesting")
	case p.r.Isolation != nil:
		text += " fails on " + names(p.r.Input) + " and passes on " + names(p.r.Isolation.Passing) + ": " + p.r.Failure + "."
	case p.r.Regression != nil:
		text += " passes with " + revision(p.r.Regression.Good) + " and fails with " + revision(p.r.Regression.Bad) + ": " + p.r.Failure + "."
	default:
		text += " fails on " + p.both("both the same way", names(p.r.Input))
	}
	return text
}

// both says how the input and the output fail: in one clause behind alike if they print the same, otherwise in two, the
// first of which begins with input.
func (p *reductionPage) both(alike, input string) string {
	if p.r.OutputFailure == "" || p.r.OutputFailure == p.r.Failure {
		return alike + ": " + p.r.Failure + "."
	}
	return input + ": " + p.r.Failure + "; and on what is left: " + p.r.OutputFailure + "."
}

func (p *reductionPage) headline() string {
	r := p.r
	reason := strings.TrimSuffix(r.Reason, ".")
	begin := ""
	switch r.Status {
	case NotReduced:
		return "Not reduced: " + reason + "."
	case NotIsolated:
		return "Not isolated: " + reason + "."
	case Failed:
		return "Stopped: " + reason + "."
	case Budget:
		begin = "Budget spent: "
	case Interrupted:
		begin = "Interrupted: "
	}
	if i := r.Isolation; i != nil {
		what := "the failure"
		if r.Interesting {
			what = "what is interesting"
		}
		differences := prose.Number(i.Differences) + " of " + prose.Count(i.Total, "difference")
		switch {
		case begin != "" && i.Differences == i.Total && i.Total > 1:
			return begin + noneRuledOut(i.Total, prose.Count(i.Total, "difference")+" ("+i.Units+")")
		case begin != "":
			return begin + what + " lies among " + differences + " (" + i.Units + ")."
		}
		together := ""
		if i.Differences > 1 && r.Minimal {
			together = ", only together"
		}
		return strings.ToUpper(what[:1]) + what[1:] + " comes from " + differences + " (" + i.Units + ")" + together + "."
	}
	unit, left, whole := "byte", r.Output.Bytes, r.Input.Bytes
	if r.nodes() {
		unit, left, whole = "node", int64(r.Output.Nodes), int64(r.Input.Nodes)
	}
	size, of := prose.Count(int(left), unit), prose.Number(int(whole))
	switch {
	case r.whole() && r.Minimal && left == 1:
		return fmt.Sprintf("Nothing can be taken out of %s: it is a single %s.", names(r.Input), unit)
	case r.whole() && r.Minimal:
		return fmt.Sprintf("Nothing can be taken out of %s: all its %s are needed.", names(r.Input), size)
	case r.whole() && begin == "":
		return fmt.Sprintf("Nothing was found that can be taken out of %s, of %s.", names(r.Input), size)
	case r.Output.Bytes == r.Input.Bytes && left == whole && begin != "":
		return begin + names(r.Input) + verb(len(r.Input.Paths), " has all its ", " have all their ") + size + " so far."
	case begin != "":
		return fmt.Sprintf("%s%s %s %s so far, of %s (%s).", begin, names(r.Input), verb(len(r.Input.Paths), "has", "have"), size, of, share(left, whole))
	}
	does := verb(len(r.Input.Paths), "fails", "fail")
	if r.Interesting {
		does = verb(len(r.Input.Paths), "is interesting", "are interesting")
	}
	return fmt.Sprintf("%s "+does+" with %s, of %s (%s).", names(r.Input), size, of, share(left, whole))
}

// nodes: the input is a graph, and its nodes are what counts.
func (r *Reduction) nodes() bool { return r.Input.Nodes > 0 && r.Output.Nodes > 0 }

// whole: nothing could be taken out of the input.
func (r *Reduction) whole() bool {
	return r.Isolation == nil && r.Output.Bytes == r.Input.Bytes && r.Output.Files == r.Input.Files && r.Output.Nodes == r.Input.Nodes && r.Output.Bits == r.Input.Bits
}

// The name of standard input and of standard output among paths, and the latter in words.
const (
	stdio  = "-"
	stdout = "standard output"
)

// names are the paths of an input.
func names(c Content) string {
	const most = 3
	if len(c.Paths) == 1 && c.Paths[0] == stdio {
		return "standard input"
	}
	return prose.List(c.Paths[:min(len(c.Paths), most)], len(c.Paths))
}

// certainty says how far the answer is proven.
func (p *reductionPage) certainty() {
	r := p.r
	if r.Status == NotReduced || r.Status == NotIsolated || r.Status == Failed {
		return
	}
	var parts []string
	switch {
	case r.Isolation != nil && r.Minimal && r.Isolation.Differences == 1:
		parts = append(parts, "minimal: a single difference in "+r.Isolation.Units)
	case r.Isolation != nil && r.Minimal:
		parts = append(parts, fmt.Sprintf("minimal: none of the %s can be taken out of it", prose.Number(r.Isolation.Differences)))
	case r.Minimal && r.Output.Bytes == 0:
		parts = append(parts, "minimal: nothing is left")
	case r.Minimal && r.nodes() && r.Output.Files == 1:
		parts = append(parts, "minimal: no single node can be replaced by zero, its negation or a variable, each was tried")
	case r.Minimal:
		parts = append(parts, "minimal: no single "+element(r)+" can be taken out, each was tried")
	case r.Fast && r.Status == Reduced:
		parts = append(parts, "not shown to be minimal: --fast leaves that out")
	default:
		parts = append(parts, "not shown to be minimal")
	}
	if r.Verified {
		parts = append(parts, "it was tested again in a fresh directory")
	} else {
		parts = append(parts, "not tested again in a fresh directory")
	}
	switch wanted := r.Flaky.Wanted; {
	case float64(r.Confidence) < wanted:
		parts = append(parts, fmt.Sprintf("confidence %s so far, of %s", prose.Percent(r.Confidence), prose.Percent(wanted)))
	case r.Confidence > 0 && r.Confidence < 1:
		parts = append(parts, "confidence "+prose.Percent(r.Confidence)+r.promise())
	}
	p.item("checked", strings.Join(parts, "; "))
	if f := &r.Flaky; f.Wanted > 0 && f.Passing.total() > 0 {
		p.item("flaky", wrong(f, r.Interesting)+"; repeated for a confidence of "+prose.Percent(f.Wanted))
	}
}

// promise says what it is that there is confidence in, where that is less than
// all that was said before.
func (r *Reduction) promise() string {
	switch {
	case !r.Minimal && r.Interesting:
		return " that it is interesting"
	case !r.Minimal:
		return " that it fails"
	case r.Unjudged == 1:
		return ", but for one element without which it cannot be judged"
	case r.Unjudged > 1:
		return fmt.Sprintf(", but for %s without which it cannot be judged", prose.Count(r.Unjudged, "element"))
	}
	return ""
}

// element is what minimal is about.
func element(r *Reduction) string {
	switch {
	case r.Output.Files > 1:
		return "file or element of one"
	case r.Format == "":
		return "element"
	case r.Format == "bytes", r.Format == "lines", r.Format == "tokens":
		return strings.TrimSuffix(r.Format, "s")
	}
	return "element (" + r.Format + ")"
}

// others says how often another failure came in the way.
func (p *reductionPage) others() {
	if p.r.Signature != "" {
		p.item("signature", p.r.Signature)
	}
	o := p.r.Others
	if o.Trials == 0 {
		return
	}
	text := o.sentence("trial", "the input does")
	if p.r.Interesting {
		text = strings.Replace(text, " failed otherwise", " ended with exit 0 otherwise", 1)
	}
	if p.r.SavedOthers != "" {
		text += "; saved in " + p.r.SavedOthers
	}
	p.item("other", text)
}

func (p *reductionPage) notes() {
	const most = 5
	for i, note := range p.r.Notes {
		if i == most-1 && len(p.r.Notes) > most && !p.full {
			p.item("note", prose.Number(len(p.r.Notes)-i)+p.called(" more (gitdd show --full)"))
			return
		}
		p.item("note", p.called(note))
	}
}

// effort says what the answer cost.
func (p *reductionPage) effort() {
	r := p.r
	t := r.Trials
	if t.Run+t.Cached > 0 {
		text := prose.Number(t.Run) + " run"
		if t.Cached > 0 && (p.full || t.Run == 0) { // if nothing was run, all outcomes are cached ones
			text += ", " + prose.Number(t.Cached) + " cached"
		}
		fails, passes := r.outcomes()
		text += fmt.Sprintf(": %s %s, %s %s, %s unresolved", prose.Number(t.Fail), fails, prose.Number(t.Pass), passes, prose.Number(t.Unresolved))
		p.trials(text, r.Seconds, r.Jobs)
	}
	p.machines(r.Remote)
	if p.full && r.Algorithm != "" {
		format := ""
		if r.Format != "" {
			format = "format " + r.Format + ", "
		}
		p.item("algorithm", fmt.Sprintf("%s%s; %s in the command", format, r.Algorithm, words(r.Seconds.Testing)))
	}
	if r.Reason != "" && (r.Status == Budget || r.Status == Interrupted) {
		p.item("stopped", p.called(r.Reason))
	}
}

// outcomes is what trials are counted by.
func (r *Reduction) outcomes() (fails, passes string) {
	if r.Interesting {
		return isolate.Fail.Word(true), isolate.Pass.Word(true)
	}
	return "still fail", "do not"
}

// next says how to look further.
func (p *reductionPage) next() {
	r := p.r
	var commands [][2]string
	add := func(command, effect string) { commands = append(commands, [2]string{p.called(command), effect}) }
	if !p.gone && r.Session != "" {
		switch r.Status {
		case Budget, Interrupted:
			add("gitdd resume", "go on from here")
		case Reduced:
			if r.Fast {
				add("gitdd resume --fast=false", "go on until it is minimal")
			}
		}
		if first := r.Others.First; first > 0 {
			add(fmt.Sprintf("gitdd log --trial %d", first), "what the other failure printed")
		} else if r.Status == NotReduced || r.Status == NotIsolated {
			addLogs(r.About, r.Trials, add)
		} else if r.Trials.Run > 0 && r.Status != Reduced && r.Status != Isolated {
			add("gitdd log", "each trial with its outcome and reason")
		}
		if p.shortened {
			add("gitdd show --full", "show all that was left out here")
		}
	}
	label := "next"
	if len(commands) > 0 {
		p.steps(&label, commands)
	}
	if g := r.Regression; g != nil && len(g.Next) > 0 && r.Status != NotReduced {
		p.command(&label, "to find the changes that make it fail:", p.called(prose.Words(g.Next)))
	}
	p.hints(r.Hints)
	if i := r.Isolation; i != nil && i.NearFailing != "" {
		fails, passes := "fails", "passes"
		if r.Interesting {
			fails, passes = "is interesting", "is not"
		}
		p.item("files", i.NearPassing+" "+passes+", "+i.NearFailing+" "+fails)
	} else if len(r.Output.Paths) > 0 {
		written := names(r.Output)
		if r.Output.Paths[0] == stdio {
			written = stdout
		}
		if r.whole() {
			written += ", the same as the input"
		}
		p.item("written", written)
	}
	if r.Session != "" && !p.gone {
		p.item("session", r.Session)
	}
}

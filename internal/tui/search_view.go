package tui

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/gitdd/gitdd/internal/prose"
	"github.com/gitdd/gitdd/isolate"
)

// render draws s for a screen, in lines of less than width columns and, as far
// as the first two allow, less than height lines.
func (s *searchModel) render(width, height int, now time.Time) []*prose.Line {
	s.locate()
	p := &screenful{width: width}
	p.add(always, "suspects", suspectLine(s, width-1-labels))
	p.add(always, "trials", trialLine(&s.trialModel, width))
	p.outcomes(&s.trialModel)
	if !s.confirming && s.searched && !s.measures {
		p.text(expecting, "to go", s.expected())
	}
	if s.step != nil && s.step.Needs && !s.among() {
		text := lookedFor(s.step)
		if prose.Columns(text) > width-1-labels {
			text = strings.TrimPrefix(text, "finding ")
		}
		p.text(best, "phase", text)
	}
	p.workers(s.running(), s.printed, now)
	if s.rejected > 0 {
		p.text(best, "check", "rejected "+prose.Count(s.rejected, "configuration"))
	}
	if text := s.cluster.String(); text != "" {
		p.text(best, "cluster", text)
	}
	if len(s.workers) > shownWorkers && s.searched {
		p.text(best, "ahead", s.ahead.String())
	}
	if s.last != nil {
		p.add(lastOne, "last", s.lastLine())
	}
	if s.searched && s.among() {
		p.text(best, "between", s.between[0]+" and "+s.between[1])
	} else if s.best != nil {
		p.text(best, "best", fmt.Sprintf("passes with %s, fails with %s", prose.Number(s.best.Passing), prose.Number(s.best.Failing)))
		if len(s.places) > 0 {
			p.text(best, "where", places(s.places, width-1-labels))
		}
	}
	return p.fit(height)
}

// expected says how many trials are still to come, and how long they take.
func (s *searchModel) expected() string {
	if s.step == nil || s.step.TrialsLeft[1] == 0 {
		return "a last check"
	}
	least, most := s.step.TrialsLeft[0], s.step.TrialsLeft[1]
	text := fromTo(least, most) + " trials"
	if most == 1 {
		text = fromTo(least, most) + " trial"
	}
	if left := s.step.SecondsLeft; left != nil {
		text += ", " + between(seconds(left[0]), seconds(left[1]))
	}
	if s.among() {
		text += ", then the changes"
	}
	return text
}

// letter is an outcome in one column: told apart without colours.
func (s *trialModel) letter(o isolate.Outcome) string {
	switch {
	case o == isolate.Unresolved:
		return "u"
	case s.interesting:
		return map[isolate.Outcome]string{isolate.Pass: "n", isolate.Fail: "I"}[o]
	}
	return map[isolate.Outcome]string{isolate.Pass: "p", isolate.Fail: "F"}[o]
}

// word is what an outcome is called.
func (s *trialModel) word(o isolate.Outcome) string { return o.Word(s.interesting) }

// outcomes are the last outcomes, the newest at the end.
func (p *screenful) outcomes(s *trialModel) {
	if len(s.outcomes) == 0 {
		return
	}
	l := &prose.Line{}
	shown := s.outcomes[max(0, len(s.outcomes)-min(p.width-1-labels, 60)):]
	for _, o := range shown {
		if o.measured {
			l.Add(prose.Plain, "m")
			continue
		}
		l.Add(outcomeStyle(o.Outcome), s.letter(o.Outcome))
	}
	p.add(outcomes, "outcomes", l)
}

// suspectLine is the bar of the changes, or commits, in the order of the search, with those
// still suspected filled in, and their number.
func suspectLine(s *searchModel, width int) *prose.Line {
	if s.total == 0 {
		return (&prose.Line{}).Add(prose.Plain, "going back to a commit that passes")
	}
	what := "change"
	if s.among() && s.searched {
		what = "commit"
	}
	count := fmt.Sprintf("  %s of %s", prose.Number(s.suspects), prose.Count(s.total, what))
	columns := min(width-len(count), 60)
	l := &prose.Line{}
	for c := range max(columns, 0) {
		// A column is filled when any of the parts below it is.
		from := c * len(s.bar) / columns
		to := max(((c+1)*len(s.bar)+columns-1)/columns, from+1)
		if !s.searched || slices.Contains(s.bar[from:min(to, len(s.bar))], true) {
			l.Add(prose.Hash, "█")
		} else {
			l.Add(prose.Note, "░")
		}
	}
	return l.Add(prose.Plain, count)
}

// trialLine counts trials by outcome; where there is no room for words, by the letters
// of outcomes.
func trialLine(s *trialModel, width int) *prose.Line {
	l := &prose.Line{}
	if width >= 60 {
		l.Add(prose.Plain, fmt.Sprintf("%s run: ", prose.Number(s.trials())))
	}
	counts := []struct {
		n       int
		outcome isolate.Outcome
	}{{s.pass, isolate.Pass}, {s.fail, isolate.Fail}, {s.unresolved, isolate.Unresolved}}
	add := func(name func(isolate.Outcome) string) *prose.Line {
		if s.measured > 0 {
			l.Add(prose.Plain, prose.Number(s.measured)+" measured, ")
		}
		for i, c := range counts {
			style, and := prose.Plain, ", "
			if c.n > 0 {
				style = outcomeStyle(c.outcome)
			}
			if i == len(counts)-1 {
				and = ""
			}
			l.Add(style, prose.Number(c.n)+" "+name(c.outcome)).Add(prose.Plain, and)
		}
		return l
	}
	if add(s.word).Columns() < width-labels {
		return l
	}
	l = &prose.Line{}
	return add(s.letter)
}

func outcomeStyle(o isolate.Outcome) prose.Style {
	switch o {
	case isolate.Pass:
		return prose.Added
	case isolate.Fail:
		return prose.Removed
	}
	return prose.Hash
}

// away says where a trial on another machine is.
func (w *worker) away() string {
	switch {
	case w.state == "" || w.machine == "" || w.state == "lost":
		return w.waits()
	case w.state == "running":
		return " on " + prose.Printable(w.machine)
	}
	return w.waits() + " on " + prose.Printable(w.machine)
}

// waits is away in few columns: what there is to say of a trial beside that it runs.
func (w *worker) waits() string {
	if w.state == "" || w.state == "running" && w.machine != "" {
		return ""
	}
	return ", " + stateWords[w.state]
}

// Columns of a line that are worth more than what stands before them.
const (
	shownSaid  = 24 // of what a trial prints: than the machine that it runs on
	shownBrief = 14 // of what it is about: than how long it runs
)

// at is what a busy worker is at, and what that printed last, else what it is about. Where
// width columns are not enough for all of it, the name of the machine goes first, and the
// time last.
func (w *worker) at(width int, said string, now time.Time) *prose.Line {
	l := &prose.Line{}
	doing := w.doing + ", " + elapsed(now.Sub(w.since))
	fits := func(text string, more int) bool { return prose.Columns(text)+more <= width }
	if said != "" {
		place := w.away()
		if !fits(doing+place+": ", min(prose.Columns(said), shownSaid)) {
			place = w.waits()
		}
		return l.Add(prose.Plain, doing+place+": ").Add(prose.Note, said)
	}
	brief := cmp.Or(w.brief, w.on)
	switch {
	case fits(doing+w.away()+w.on, 0):
		return l.Add(prose.Plain, doing+w.away()+w.on)
	case fits(doing+w.waits()+w.on, 0):
		return l.Add(prose.Plain, doing+w.waits()+w.on)
	case fits(doing+w.waits(), min(prose.Columns(brief), shownBrief)):
		return l.Add(prose.Plain, doing+w.waits()+brief)
	}
	return l.Add(prose.Plain, w.doing+w.waits()+brief)
}

// workers adds a line for each worker, with what its trial printed last, of many for the
// slowest, behind one that counts all; where there is one worker, that has a line of its
// own, as soon as any trial printed something.
func (p *screenful) workers(workers []*worker, printed bool, now time.Time) {
	width := p.width - 1 - labels
	at := func(w *worker, said, idle string) *prose.Line {
		if !w.busy {
			return (&prose.Line{}).Add(prose.Plain, idle)
		}
		return w.at(width, said, now)
	}
	if len(workers) == 1 {
		w := workers[0]
		p.add(working, "now", at(w, "", "…"))
		if printed {
			p.add(lastOne, "prints", (&prose.Line{}).Add(prose.Note, cmp.Or(w.said, "nothing so far")))
		}
		return
	}
	rank := working
	if len(workers) > shownWorkers {
		p.text(rank, "workers", countWorkers(workers))
		rank = moreWorking
	}
	for _, i := range shownOf(workers) {
		p.add(rank, workerLabel(i, len(workers)), at(workers[i], workers[i].said, "idle"))
		rank = moreWorking
	}
}

// lastLine says how the last trial went, with the last words of the command.
func (s *trialModel) lastLine() *prose.Line {
	e := s.last
	l := (&prose.Line{}).Add(prose.Plain, e.numbered()+": ")
	if s.unjudged && e.Value != nil {
		l.Add(prose.Plain, e.amount())
	} else {
		l.Add(outcomeStyle(outcomeOf(e.Outcome)), e.wentAs(s.interesting)).Add(prose.Plain, e.number())
	}
	if said := strings.TrimSpace(asShown([]byte(e.Last))); said != "" {
		l.Add(prose.Plain, ", ").Add(prose.Note, said)
	}
	return l
}

// places names as many files as fit, and at least one.
func places(files []string, width int) string {
	and := func(n int) string {
		if n == 0 {
			return ""
		}
		return " and " + prose.Number(n) + " more"
	}
	text := prose.Printable(files[0])
	if prose.Columns(text+and(len(files)-1)) > width {
		return "…/" + prose.Printable(path.Base(files[0])) + and(len(files)-1)
	}
	for i, file := range files[1:] {
		named := text + ", " + prose.Printable(file)
		if prose.Columns(named+and(len(files)-i-2)) > width {
			return text + and(len(files)-i-1)
		}
		text = named
	}
	return text
}

// summary is what stays on the screen when the search is over.
func (s *trialModel) summary(now time.Time) string {
	if s.trials() == 0 {
		return ""
	}
	check := ""
	if s.rejected > 0 {
		check = fmt.Sprintf("; %d rejected by --check", s.rejected)
	}
	measured := ""
	if s.measured > 0 {
		measured = fmt.Sprintf("%d measured, ", s.measured)
	}
	return fmt.Sprintf("gitdd: %s: %s%d %s, %d %s, %d unresolved%s; %s",
		prose.Count(s.trials(), "trial"), measured, s.pass, s.word(isolate.Pass), s.fail, s.word(isolate.Fail), s.unresolved, check, prose.Duration(now.Sub(s.started)))
}

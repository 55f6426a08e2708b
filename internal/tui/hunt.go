package tui

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/gitdd/gitdd/btor/hunt"
	"github.com/gitdd/gitdd/internal/prose"
)

// A Hunt shows a hunt while it goes on: on a terminal in a view that is drawn again and again,
// elsewhere in a line for each finding. Its methods may be called by several goroutines.
type Hunt interface {
	// Event takes an event of the hunt.
	Event(hunt.Event)
	// Close ends the view when the hunt is over. It may be called twice.
	Close()
}

// NewHunt returns a view of a hunt.
func NewHunt(o Options) Hunt {
	if size := sizeOf(o.Out); size != nil {
		return newLiveHunt(size, o)
	}
	return &huntLines{lines: lines{out: o.Out, verbose: o.Verbose}, model: newHuntModel(o), now: o.Now, told: o.Now()}
}

func newLiveHunt(size func() (int, int, error), o Options) *liveHunt {
	v := &liveHunt{model: newHuntModel(o)}
	v.canvas = newCanvas(size, o, v.model)
	return v
}

// A huntModel is the model of a hunt.
type huntModel struct {
	started time.Time
	runs    int // that count, and were made by this process
	known   int // that count, and were made before
	next    uint64
	classes map[hunt.Class]int
	kinds   map[string]uint64 // the first seed of each kind of finding
	workers []huntWorker
	last    *hunt.Finding
	printed bool // a run, or a trial of a reduction, has printed something
}

// A huntWorker is what one of them does now.
type huntWorker struct {
	worker
	seed   uint64
	reduce bool
	trials int
	left   int // nodes; 0 = not known
}

func newHuntModel(o Options) *huntModel {
	return &huntModel{started: o.Now(), workers: make([]huntWorker, o.Jobs), classes: map[hunt.Class]int{}, kinds: map[string]uint64{}}
}

func (s *huntModel) event(e hunt.Event, now time.Time) {
	switch e.Kind {
	case hunt.Running, hunt.Reducing:
		w := huntWorker{worker: worker{busy: true, since: now}, seed: e.Seed, reduce: e.Kind == hunt.Reducing}
		w.worker.doing = fmt.Sprintf("seed %d", e.Seed)
		if !w.reduce {
			w.serial, w.files = int(e.Seed)+1, e.Outputs
		}
		s.workers[e.Worker] = w
	case hunt.TrialStarted:
		w := &s.workers[e.Worker]
		w.serial, w.files = -e.Trial, e.Outputs
		w.worker.doing = fmt.Sprintf("seed %d, trial %d", w.seed, e.Trial)
	case hunt.TrialFinished:
		s.workers[e.Worker].trials++
	case hunt.Asked:
		if e.Nodes > 0 {
			s.workers[e.Worker].left = e.Nodes
		}
	case hunt.Ran, hunt.Reduced, hunt.Abandoned:
		s.workers[e.Worker] = huntWorker{}
	case hunt.Counted:
		s.next = e.Seed + 1
		if e.Known {
			s.known++
		} else {
			s.runs++
		}
		if e.Run.Failure != nil {
			s.classes[e.Run.Failure.Class]++
			s.last = &hunt.Finding{Run: *e.Run}
		}
	case hunt.Settled:
		f := hunt.Finding{Run: *e.Run, Reduction: e.Reduction}
		if _, known := s.kinds[f.Kind()]; !known {
			s.kinds[f.Kind()] = e.Seed
		}
		if s.last != nil && s.last.Seed == e.Seed {
			s.last = &f
		}
	}
}

func (s *huntModel) running() []*worker {
	all := make([]*worker, len(s.workers))
	for i := range s.workers {
		all[i] = &s.workers[i].worker
	}
	return all
}

func (s *huntModel) looked() { s.printed = true }

// found is how many findings there are of each class, in words.
func (s *huntModel) found() string {
	total := 0
	var parts []string
	for class, n := range s.classes {
		total += n
		parts = append(parts, fmt.Sprintf("%s %s", prose.Number(n), class))
	}
	if total == 0 {
		return "no findings"
	}
	slices.Sort(parts)
	return prose.Count(total, "finding") + " (" + strings.Join(parts, ", ") + ")"
}

func (s *huntModel) rate(now time.Time) string {
	seconds := now.Sub(s.started).Seconds()
	if seconds < 0.5 || s.runs == 0 {
		return ""
	}
	rate := float64(s.runs) / seconds
	switch {
	case rate < 0.95:
		return fmt.Sprintf("%.1f per min", rate*60)
	case rate < 10:
		return fmt.Sprintf("%.1f per s", rate)
	}
	return prose.Number(int(rate)) + " per s"
}

// count is the runs, the rate, what was found and the time in words.
func (s *huntModel) count(now time.Time) string {
	parts := []string{prose.Count(s.runs+s.known, "run")}
	if rate := s.rate(now); rate != "" {
		parts = append(parts, rate)
	}
	return strings.Join(append(parts, s.found(), prose.Duration(now.Sub(s.started))), ", ")
}

func (w *huntWorker) does(now time.Time) string {
	if !w.busy {
		return "idle"
	}
	text := fmt.Sprintf("seed %d, %s", w.seed, elapsed(now.Sub(w.since)))
	if w.reduce {
		text = "reducing " + text + ": " + prose.Count(w.trials, "trial")
		if w.left > 0 {
			text += ", " + prose.Count(w.left, "node") + " left"
		}
	}
	return text
}

// render draws s for a screen.
func (s *huntModel) render(width, height int, now time.Time) []*prose.Line {
	p := &screenful{width: width}
	runs := prose.Number(s.runs + s.known)
	if rate := s.rate(now); rate != "" {
		runs += ", " + rate
	}
	p.text(always, "runs", fmt.Sprintf("%s; %s; next seed %d", runs, elapsed(now.Sub(s.started)), s.next))
	found := s.found()
	if len(s.kinds) > 0 {
		found += ", " + prose.Count(len(s.kinds), "kind")
	}
	p.text(always, "found", found)
	if len(s.workers) == 1 {
		p.text(working, "now", s.workers[0].does(now))
		if s.printed {
			p.add(lastOne, "prints", (&prose.Line{}).Add(prose.Note, s.workers[0].said))
		}
	} else {
		if len(s.workers) > shownWorkers {
			p.text(moreWorking, "workers", countWorkers(s.running()))
		}
		for _, i := range shownOf(s.running()) {
			l := (&prose.Line{}).Add(prose.Plain, s.workers[i].does(now))
			if said := s.workers[i].said; said != "" {
				l.Add(prose.Plain, ": ").Add(prose.Note, said)
			}
			p.add(moreWorking, workerLabel(i, len(s.workers)), l)
		}
	}
	if s.last != nil {
		p.text(lastOne, "last", findingLine(*s.last))
	}
	return p.fit(height)
}

func (s *huntModel) summary(now time.Time) string {
	if s.runs == 0 {
		return ""
	}
	return "gitdd: " + s.count(now)
}

// findingLine is a finding in one line.
func findingLine(f hunt.Finding) string {
	failure := f.Told()
	text := fmt.Sprintf("seed %d: %v", f.Seed, failure)
	if failure.Line != "" && failure.Class != hunt.Disagreement {
		text += ": " + failure.Printed()
	}
	return text
}

// liveHunt draws the model of a hunt on a terminal.
type liveHunt struct {
	*canvas
	model *huntModel
}

func (v *liveHunt) Event(e hunt.Event) {
	if e.Kind == hunt.Noted {
		v.Note(e.Text)
		return
	}
	v.change(func() { v.model.event(e, v.now()) })
}

// quiet is how long a hunt says nothing, at most.
const quiet = 30 * time.Second

// huntLines writes a line for each finding, when it counts, and for its reduction, in
// the order of their seeds; and how far it has come, now and then.
type huntLines struct {
	lines
	model   *huntModel
	now     func() time.Time
	resumed bool // and it has not said so
	told    time.Time
}

func (p *huntLines) Event(e hunt.Event) {
	if e.Kind == hunt.Noted {
		p.Note(e.Text)
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	switch e.Kind {
	case hunt.Opened:
		p.resumed = e.Known
		return
	case hunt.TrialStarted:
		return
	case hunt.TrialFinished, hunt.Asked:
		p.model.event(e, p.now())
		if p.now().Sub(p.told) >= quiet {
			p.say(p.model.workers[e.Worker].does(p.now()))
		}
		return
	}
	if !e.Known && p.resumed {
		p.resumed = false
		fmt.Fprintf(p.out, "gitdd: going on behind %s: %s\n", prose.Count(p.model.known, "run"), p.model.found())
	}
	p.model.event(e, p.now())
	if e.Known {
		return
	}
	switch e.Kind {
	case hunt.Counted:
		if e.Run.Failure != nil {
			p.say(findingLine(hunt.Finding{Run: *e.Run}))
		}
	case hunt.Settled:
		f := hunt.Finding{Run: *e.Run, Reduction: e.Reduction}
		if e.Reduction == nil {
			break
		}
		like := "a new kind"
		if first := p.model.kinds[f.Kind()]; first != f.Seed {
			like = fmt.Sprintf("like seed %d", first)
		}
		text := fmt.Sprintf("seed %d: %s: %s", f.Seed, f.Remainder(), like)
		if f.Reduced() && f.Reduction.Reason != "" {
			text += "; stopped " + f.Reduction.Reason
		}
		p.say(text)
	}
	if p.now().Sub(p.told) >= quiet || e.Kind == hunt.Counted && landmark(p.model.runs+p.model.known) {
		p.say(fmt.Sprintf("%s, next seed %d", p.model.count(p.now()), p.model.next))
	}
}

// landmark are the numbers of runs that are worth a line: 100, 200, 500, 1000, ...
func landmark(n int) bool {
	for n >= 1000 && n%10 == 0 {
		n /= 10
	}
	return n == 100 || n == 200 || n == 500
}

// say writes a line. mu is held.
func (p *huntLines) say(text string) {
	fmt.Fprintf(p.out, "gitdd: %s\n", prose.Printable(text))
	p.told = p.now()
}

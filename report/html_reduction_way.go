package report

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/gitdd/gitdd/internal/prose"
)

// The units of a picture of the way: it is stretched to the width of the page, so
// that letters stand beside it and not in it.
const (
	wayWidth  = 2000
	wayHeight = 600
)

// A way is a picture of how the size went down: one axis of trials below the curve
// of the size, the outcomes, and the passes.
type way struct {
	Trials int // the axis goes from 0 to here
	Unit   string
	Width  int
	Height int
	Line   string // of the curve, as the d of a path
	Area   string // below it
	Asked  string // points: what was asked about, and is not on the curve
	Ticks  []wayTick
	Grid   string
	Axis   []string // below it: the begin, the middle, the end
	Label  string
	Rows   []wayRow // outcomes
	Passes []wayRow
	Strips bool    // it is known which trials the passes made
	points []Point // of the curve, by the trials of the story
}

// A wayTick is a size beside the curve.
type wayTick struct {
	Text string
	At   float64 // from above, in per cent
	End  bool    // the size at the begin, or at the end
}

// A wayRow is a line of trials below the curve.
type wayRow struct {
	Outcome string // for the outcomes, else ""
	Name    string
	Trials  string
	Share   string // of all trials, of outcomes
	Removed string // of passes
	Part    float64
	Some    string // the trials of the row, as the d of a path
	Best    string // those that made the input smaller
	Idle    bool   // a pass that removed nothing
	Label   string
}

// newWay draws r; nil where there is nothing to see.
func newWay(r *Reduction, s *Story) *way {
	trials := r.Trials.Run
	if n := len(r.Curve); n > 0 {
		trials = max(trials, r.Curve[n-1].Trial)
	}
	if n := len(s.Trials); n > 0 {
		trials = max(trials, s.Trials[n-1].Number)
	}
	if trials < 3 || len(s.Trials) == 0 && len(r.Passes) == 0 && len(r.Curve) < 2 {
		return nil
	}
	w := &way{Trials: trials, Width: wayWidth, Height: wayHeight, Axis: []string{"0", prose.Number(trials)}}
	if trials%2 == 0 {
		w.Axis = []string{"0", prose.Number(trials / 2), prose.Number(trials)}
	}
	w.points = pointsOf(r, s)
	w.curve(r, s)
	w.outcomes(r, s)
	w.passes(r, s)
	return w
}

// pointsOf is the curve of r with trials as the story numbers them: the reduction
// numbers its questions, the story what was run for them and besides.
func pointsOf(r *Reduction, s *Story) []Point {
	points := slices.Clone(r.Curve)
	if len(s.Trials) == 0 {
		return points
	}
	at := 0 // of Trials: a smaller input comes of a later trial, but for what ran ahead
	for i := range points[min(1, len(points)):] {
		p := &points[i+1]
		found := func(t Trial) bool { return t.Outcome == "fail" && t.Purpose == "search" && int64(t.Applied) == p.Bytes }
		if k := slices.IndexFunc(s.Trials[at:], found); k >= 0 {
			at += k
			p.Trial = s.Trials[at].Number
			at++
		} else if k := slices.IndexFunc(s.Trials, found); k >= 0 {
			p.Trial = s.Trials[k].Number
		}
	}
	return points
}

// x is where a trial ends on the axis.
func (w *way) x(trial int) int { return trial * wayWidth / w.Trials }

// curve draws the size over the trials, on a logarithmic scale.
func (w *way) curve(r *Reduction, s *Story) {
	if len(w.points) < 2 {
		return
	}
	nodes := r.nodes()
	size := func(n int64) string {
		if nodes {
			return prose.Number(int(n))
		}
		return prose.Size(n)
	}
	high, low := w.points[0].size(nodes), w.points[len(w.points)-1].size(nodes)
	if high <= low {
		return
	}
	w.Unit = "bytes"
	if nodes {
		w.Unit = "nodes"
	}
	// A little room above and below, so that the line is not cut.
	const margin = 20
	logHigh, logLow := math.Log(float64(high)), math.Log(float64(max(low, 1)))
	if logHigh == logLow {
		logLow-- // from one to none
	}
	y := func(n int64) int {
		part := (logHigh - math.Log(float64(max(n, 1)))) / (logHigh - logLow)
		return margin + int(math.Round(min(max(part, 0), 1)*(wayHeight-2*margin)))
	}
	var line strings.Builder
	fmt.Fprintf(&line, "M0 %d", y(high))
	lastX, lastY := 0, y(high)
	for _, p := range w.points[1:] {
		// Invariant: the line has come to lastX, lastY; where several trials are one
		// place, their steps are one line down.
		x, at := max(lastX, w.x(p.Trial)), y(p.size(nodes))
		if x != lastX {
			fmt.Fprintf(&line, "H%d", x)
		}
		if at != lastY {
			fmt.Fprintf(&line, "V%d", at)
		}
		lastX, lastY = x, at
	}
	fmt.Fprintf(&line, "H%d", wayWidth)
	w.Line = line.String()
	w.Area = w.Line + fmt.Sprintf("V%dH0Z", wayHeight)
	if !nodes {
		w.Asked = asked(s, w.x, y)
	}
	at := func(n int64) float64 { return hundredths(100 * float64(y(n)) / wayHeight) }
	w.Ticks = []wayTick{{Text: size(high), At: at(high), End: true}}
	var grid strings.Builder
	for _, n := range round(low, high, nodes) {
		fmt.Fprintf(&grid, "M0 %dH%d", y(n), wayWidth)
		const apart = 12 // per cent: labels closer than that would lie on each other
		if here := at(n); here-w.Ticks[len(w.Ticks)-1].At >= apart && at(low)-here >= apart {
			w.Ticks = append(w.Ticks, wayTick{Text: size(n), At: here})
		}
	}
	w.Ticks = append(w.Ticks, wayTick{Text: size(low), At: at(low), End: true})
	w.Grid = grid.String()
	w.Label = fmt.Sprintf("Size over %s: from %s to %s, on a logarithmic scale.", prose.Count(w.Trials, "trial"), size(high), size(low))
	if nodes {
		w.Label = fmt.Sprintf("Nodes over %s: from %s to %s, on a logarithmic scale.", prose.Count(w.Trials, "trial"), size(high), size(low))
	}
}

// round are round numbers between two sizes, the large ones first.
func round(low, high int64, nodes bool) []int64 {
	var list []int64
	for k, unit := 0, int64(1); k < 5; k++ {
		for _, n := range []int64{unit, 10 * unit, 100 * unit} {
			if n > low && n < high {
				list = append(list, n)
			}
		}
		if unit *= 1024; nodes {
			unit = unit / 1024 * 1000
		}
	}
	slices.Reverse(list)
	return list
}

// asked are the sizes that were asked about, and did not fail, as points. Points
// that fall together are one.
func asked(s *Story, x func(int) int, y func(int64) int) string {
	var b strings.Builder
	last := [2]int{-1, -1}
	for i := range s.Trials {
		t := &s.Trials[i]
		if t.Purpose != "search" || t.Outcome == "fail" {
			continue
		}
		p := [2]int{x(t.Number), y(int64(t.Applied))}
		if p != last {
			fmt.Fprintf(&b, "M%d %dh0", p[0], p[1])
		}
		last = p
	}
	return b.String()
}

// runs are trials as bars of a strip, of which neighbours are one.
func (w *way) runs(numbers []int) string {
	var b strings.Builder
	for i := 0; i < len(numbers); {
		k := i + 1
		for k < len(numbers) && numbers[k] <= numbers[k-1]+1 {
			k++
		}
		from, to := w.x(numbers[i]-1), max(w.x(numbers[k-1]), w.x(numbers[i]-1)+1)
		for k < len(numbers) && w.x(numbers[k]-1) <= to { // they would touch
			to = max(to, w.x(numbers[k]))
			k++
		}
		fmt.Fprintf(&b, "M%d 0h%dv1h-%dz", from, to-from, to-from)
		i = k
	}
	return b.String()
}

// outcomes are the trials by outcome.
func (w *way) outcomes(r *Reduction, s *Story) {
	fails, passes := r.outcomes()
	for _, o := range []struct {
		outcome, name string
		count         int
	}{{"fail", fails, r.Trials.Fail}, {"pass", passes, r.Trials.Pass}, {"unresolved", "unresolved", r.Trials.Unresolved}} {
		if o.count == 0 {
			continue
		}
		var numbers []int
		for i := range s.Trials {
			if s.Trials[i].Outcome == o.outcome {
				numbers = append(numbers, s.Trials[i].Number)
			}
		}
		w.Rows = append(w.Rows, wayRow{
			Outcome: o.outcome, Name: o.name, Trials: prose.Number(o.count), Share: share(int64(o.count), int64(r.Trials.Run)), Part: hundredths(100 * float64(o.count) / float64(max(1, r.Trials.Run))),
			Some: w.runs(numbers), Label: prose.Count(o.count, "trial") + ": " + o.name,
		})
	}
}

// passes are the passes, in the order of their first run.
func (w *way) passes(r *Reduction, s *Story) {
	smaller := map[int]bool{} // trials that made the input smaller
	for _, p := range w.points {
		smaller[p.Trial] = true
	}
	by := map[string][]int{}
	for i := range s.Trials {
		if t := &s.Trials[i]; t.Pass != "" {
			by[t.Pass] = append(by[t.Pass], t.Number)
		}
	}
	w.Strips = len(by) > 0
	most := 1
	for _, p := range r.Passes {
		most = max(most, p.Trials)
	}
	for i := range r.Passes {
		p := &r.Passes[i]
		row := wayRow{
			Name: prose.Printable(p.Name), Trials: prose.Number(p.Trials), Removed: p.removed(), Idle: p.idle(),
			Part: hundredths(100 * float64(p.Trials) / float64(most)), Some: w.runs(by[p.Name]),
		}
		var best []int
		for _, n := range by[p.Name] {
			if smaller[n] {
				best = append(best, n)
			}
		}
		row.Best = w.runs(best)
		row.Label = fmt.Sprintf("%s: %s, %s", row.Name, prose.Count(p.Trials, "trial"), row.Removed)
		w.Passes = append(w.Passes, row)
	}
}

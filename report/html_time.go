package report

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/gitdd/gitdd/internal/prose"
)

// htmlTimes is how long the trials took: a column for each, in their order, and for
// several workers what each did when.
type htmlTimes struct {
	Text  string
	Build string // paths in a field of 1000 by 100
	Test  string
	Rugs  []htmlRug // of each outcome, at which columns it was
	Width int       // of a column's stroke
	Most  string    // the highest column
	First string    // the numbers of the first and the last trial
	Last  string
	Lanes []htmlLane
	Until string // the end of the lanes
}

// An htmlRug marks columns.
type htmlRug struct{ Outcome, Path, Count string }

// An htmlLane is what a worker did, over time.
type htmlLane struct {
	Name                          string
	Build, Pass, Fail, Unresolved string
}

// newHTMLTimes lays out the times of the trials; nil when there are none.
func newHTMLTimes(r *Result, s *Story) *htmlTimes {
	trials := s.Trials
	var all, build, longest float64
	which := 0
	var each []float64
	for _, t := range trials {
		took := t.took()
		all, build = all+took-t.build(), build+t.build()
		each = append(each, took)
		if took > longest {
			longest, which = took, t.Number
		}
	}
	if longest == 0 {
		return nil
	}
	slices.Sort(each)
	h := &htmlTimes{Most: words(longest), First: "trial " + strconv.Itoa(trials[0].Number), Last: "trial " + strconv.Itoa(trials[len(trials)-1].Number)}
	h.Text = fmt.Sprintf("%s took %s in the command", prose.Count(len(trials), "trial"), words(all))
	if build > 0 {
		h.Text += " and " + words(build) + " to build"
	}
	h.Text += fmt.Sprintf("; the median is %s, the longest %s (trial %d).", words(each[len(each)/2]), words(longest), which)
	h.Text = tied(h.Text)
	h.columns(trials, longest)
	if r.Jobs > 1 {
		h.lanes(trials)
	}
	return h
}

// columns draws a column for each trial, at most about a thousand: with more of
// them, neighbours share one that is as high as the highest.
func (h *htmlTimes) columns(trials []Trial, longest float64) {
	n := len(trials)
	step := barWidth / float64(n)
	h.Width = max(1, min(24, int(step*0.8)))
	if step < 3 {
		h.Width = max(1, int(math.Ceil(step)))
	}
	rugs := map[string]*strings.Builder{}
	counts := map[string]int{}
	var build, test strings.Builder
	last := map[string]int{}
	for i, t := range trials {
		x := int(math.Round((float64(i) + 0.5) * step))
		b := int(math.Round(t.build() / longest * 100))
		c := max(1, int(math.Round(t.took()/longest*100))-b)
		if b > 0 {
			fmt.Fprintf(&build, "M%d 100v-%d", x, b)
		}
		fmt.Fprintf(&test, "M%d %dv-%d", x, 100-b, c)
		o := outcomeWord(t.Outcome)
		if rugs[o] == nil {
			rugs[o] = &strings.Builder{}
			last[o] = -1
		}
		counts[o]++
		if last[o] != x {
			fmt.Fprintf(rugs[o], "M%d 0v10", x)
			last[o] = x
		}
	}
	h.Build, h.Test = build.String(), test.String()
	for _, o := range []string{"pass", "fail", "unresolved"} {
		if counts[o] > 0 {
			h.Rugs = append(h.Rugs, htmlRug{o, rugs[o].String(), prose.Number(counts[o])})
		}
	}
}

// lanes draws what each worker did when, if that is known of all trials.
func (h *htmlTimes) lanes(trials []Trial) {
	type key struct{ process, worker int }
	var keys []key
	end := 0.0
	for _, t := range trials {
		if t.Ended <= 0 {
			return
		}
		if k := (key{t.Process, t.Worker}); !slices.Contains(keys, k) {
			keys = append(keys, k)
		}
		end = max(end, t.Ended)
	}
	const most = 64
	if len(keys) > most {
		return
	}
	slices.SortFunc(keys, func(a, b key) int {
		if a.process != b.process {
			return a.process - b.process
		}
		return a.worker - b.worker
	})
	several := keys[0].process != keys[len(keys)-1].process
	for _, k := range keys {
		lane := htmlLane{Name: "worker " + strconv.Itoa(k.worker)}
		if several {
			lane.Name = fmt.Sprintf("run %d, worker %d", k.process, k.worker)
		}
		paths := map[string]*strings.Builder{"build": {}, "pass": {}, "fail": {}, "unresolved": {}}
		at := func(seconds float64) int { return int(math.Round(max(0, seconds) / end * barWidth)) }
		put := func(where string, from, to int) {
			fmt.Fprintf(paths[where], "M%d 5h%d", from, max(1, to-from-1))
		}
		for _, t := range trials {
			if t.Process != k.process || t.Worker != k.worker {
				continue
			}
			from, mid, to := at(t.Ended-t.took()), at(t.Ended-t.took()+t.build()), at(t.Ended)
			if t.build() > 0 {
				put("build", from, mid)
			}
			put(outcomeWord(t.Outcome), mid, to)
		}
		lane.Build, lane.Pass, lane.Fail, lane.Unresolved = paths["build"].String(), paths["pass"].String(), paths["fail"].String(), paths["unresolved"].String()
		h.Lanes = append(h.Lanes, lane)
	}
	h.Until = words(end)
}

package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/gitdd/gitdd/internal/prose"
)

// An htmlStage is one search of a story as a picture: a row for each question, with
// the suspects that were left after it.
type htmlStage struct {
	ID, Title string
	Lead      string // what it searched
	From, To  string // what is at either end of the bars
	Bars      bool   // there are suspects to draw
	Blocks    []htmlBlock
	Tree      []htmlNode
	Left      string
}

// An htmlBlock is rows below each other; with a summary they are folded.
type htmlBlock struct {
	Summary string
	Before  string // path of the suspects before a fold, and after it
	Bar     string
	Rows    []htmlRow
	First   bool // it has the headers that are seen
	Bars    bool
}

// An htmlRow is a trial, or a question that needed none.
type htmlRow struct {
	Number  int // of the trial; 0 = there was none
	ID      string
	Outcome string
	What    string // what was tested
	Notes   []string
	Before  string // path of the suspects before it, if it cleared some
	Bar     string // path of the suspects after it
	Left    string // how many
	Seconds string
	Build   string // path of its build's share of the longest trial
	Test    string // path of the command's
	count   int
	thin    bool
}

// Kind is the class of the row.
func (r htmlRow) Kind() string {
	if r.thin {
		return "thin"
	}
	return ""
}

// A history of trials, for the rows.
type htmlTrials struct {
	r       *Result
	s       *Story
	by      map[int]*Trial // by number
	told    map[int]bool   // those that have a row
	longest float64        // seconds
	repeats map[string][]int
	first   map[string]int // the number of the first trial of a tree
	earlier []int          // steps of each stage that the story lacks; nil = it has all
}

func newHTMLTrials(r *Result, s *Story) *htmlTrials {
	h := &htmlTrials{r: r, s: s, by: map[int]*Trial{}, told: map[int]bool{}, repeats: map[string][]int{}, first: map[string]int{}}
	for i := range s.Trials {
		t := &s.Trials[i]
		h.by[t.Number] = t
		h.longest = max(h.longest, t.took())
		if h.first[t.Tree] == 0 {
			h.first[t.Tree] = t.Number
		}
		if t.Attempt > 1 {
			h.repeats[t.Tree] = append(h.repeats[t.Tree], t.Number)
		}
	}
	return h
}

// row is the part of a row that its trial says.
func (h *htmlTrials) row(t *Trial) htmlRow {
	row := htmlRow{Number: t.Number, Outcome: outcomeWord(t.Outcome), Seconds: words(t.took())}
	if !h.told[t.Number] {
		h.told[t.Number] = true
		row.ID = "trial-" + strconv.Itoa(t.Number)
	}
	if h.longest > 0 {
		at := func(seconds float64) int { return int(math.Round(seconds / h.longest * 100)) }
		build, all := at(t.build()), max(1, at(t.took()))
		if build > 0 {
			row.Build = fmt.Sprintf("M0 5h%d", build)
		}
		if all > build {
			row.Test = fmt.Sprintf("M%d 5h%d", build, all-build)
		}
	}
	if number := t.number(h.r.Measured); number != "" {
		row.Notes = append(row.Notes, number)
	}
	if t.Rejected {
		row.Notes = append(row.Notes, "rejected by the check")
	}
	if t.Other {
		row.Notes = append(row.Notes, "another failure")
	}
	row.Notes = append(row.Notes, t.elsewhere()...)
	return row
}

// elsewhere is what a cluster did with a trial.
func (t *Trial) elsewhere() []string {
	var notes []string
	switch {
	case t.Cached:
		notes = append(notes, "from the cache")
	case t.Machine != "":
		notes = append(notes, "on "+prose.Printable(t.Machine))
	}
	if t.Lost > 0 {
		notes = append(notes, "lost "+prose.Count(t.Lost, "time"))
	}
	return notes
}

// took is how long a trial was, build how long of it what goes before the command.
func (t *Trial) took() float64  { return max(0, t.Seconds) + t.build() }
func (t *Trial) build() float64 { return max(0, t.BuildSeconds) + max(0, t.CheckSeconds) }

// outcomeWord keeps what a page has a mark for.
func outcomeWord(o string) string {
	if o == "pass" || o == "fail" {
		return o
	}
	return "unresolved"
}

// stages are the pictures of all searches of the story, and before and behind them
// the trials of the ends.
func (h *htmlTrials) stages() []htmlStage {
	var list []htmlStage
	if st, ok := h.purpose("ends", "Both ends", "end"); ok {
		list = append(list, st)
	}
	if st, ok := h.purpose("older", "Back to a revision that passes", "older"); ok {
		list = append(list, st)
	}
	number := 0
	for i := range h.s.Stages {
		if st := h.stage(i); len(st.Blocks) > 0 {
			number++
			st.Title = fmt.Sprintf("%d. %s", number, st.Title)
			list = append(list, st)
		}
	}
	if st, ok := h.purpose("confirm", "Tested again in a "+h.r.workspace()+" workspace", "confirm"); ok {
		list = append(list, st)
	}
	if st, ok := h.rest(); ok {
		list = append(list, st)
	}
	return list
}

// purpose are the trials for one purpose.
func (h *htmlTrials) purpose(id, title string, purposes ...string) (htmlStage, bool) {
	st := htmlStage{ID: id, Title: title}
	var rows []htmlRow
	for i := range h.s.Trials {
		t := &h.s.Trials[i]
		if !slices.Contains(purposes, t.Purpose) || t.Stage >= 0 && t.Stage < len(h.s.Stages) {
			continue
		}
		row := h.row(t)
		row.What = h.tree(t)
		rows = append(rows, row)
	}
	st.Blocks = fold(rows, false)
	return st, len(rows) > 0
}

// rest are trials that no other picture has: attempts, and those of searches that
// began again.
func (h *htmlTrials) rest() (htmlStage, bool) {
	st := htmlStage{ID: "others", Title: "Other trials"}
	var rows []htmlRow
	for i := range h.s.Trials {
		t := &h.s.Trials[i]
		if h.told[t.Number] {
			continue
		}
		row := h.row(t)
		row.What = h.tree(t)
		switch {
		case t.Attempt > 1:
			note := "attempt " + prose.Number(t.Attempt)
			if first := h.first[t.Tree]; first != t.Number {
				note = fmt.Sprintf("as trial %d, %s", first, note)
			}
			row.Notes = append(row.Notes, note)
		case t.Stage >= 0 && t.Stage < len(h.s.Stages):
			row.Notes = append(row.Notes, "run ahead, and not needed")
		}
		rows = append(rows, row)
	}
	if len(h.s.Stages) > 0 {
		st.Lead = "Repeated attempts, what was run ahead and then not needed, and the trials of searches that began again."
	} else {
		st.Title = "Trials of the search"
	}
	st.Blocks = fold(rows, false)
	return st, len(rows) > 0
}

// tree says what a trial tested that is not a step of a search.
func (h *htmlTrials) tree(t *Trial) string {
	r := h.r
	switch {
	case t.Tree == "":
	case t.Tree == r.Good.Tree:
		return prose.Printable(r.Good.Rev) + ", nothing applied"
	case t.Tree == r.Bad.Tree:
		return prose.Printable(r.Bad.Rev) + ", everything applied"
	case t.Tree == r.Passing.Tree && r.Status == Isolated:
		return "the passing configuration of the answer, " + prose.Count(r.Passing.Changes, "change") + " applied"
	case t.Tree == r.Failing.Tree && r.Status == Isolated:
		return "the failing configuration of the answer, " + prose.Count(r.Failing.Changes, "change") + " applied"
	}
	if t.Commit != "" {
		return "commit " + prose.Printable(short(t.Commit))
	}
	return prose.Number(t.Applied) + " applied, tree " + prose.Printable(short(t.Tree))
}

// stage is the picture of one search.
func (h *htmlTrials) stage(index int) htmlStage {
	s := &h.s.Stages[index]
	st := htmlStage{ID: fmt.Sprint("stage-", index+1), Bars: true, Left: prose.Printable(s.Left)}
	unit := "change"
	if s.Of == "commits" {
		unit = "commit"
	}
	st.Title = "Among " + prose.Count(s.Elements, unit)
	if s.Of == "commits" && s.From == "" && s.To == "" {
		st.Title += " beside the line"
	}
	if s.Answer > 0 {
		st.Title += ", for another cause"
	} else if index > 0 && h.s.Stages[index-1].Of == s.Of && h.s.Stages[index-1].Answer == s.Answer {
		st.Title += ", finer"
	}
	st.From, st.To = h.place(s.From), h.place(s.To)
	if s.Of == "commits" {
		st.From, st.To = cmp.Or(st.From, "oldest"), cmp.Or(st.To, "newest")
	} else {
		st.From, st.To = "first", "last"
	}
	var rows []htmlRow
	before := barPath([]run{{0, s.Elements}}, s.Elements)
	count := s.Elements
	for i := range s.Steps {
		step := &s.Steps[i]
		now := barPath(parseRuns(step.Suspects, s.Elements), s.Elements)
		if step.Count == count && now == before && h.told[step.Trial] && len(step.Learned) == 0 {
			continue // what an earlier picture has said, mostly of the ends
		}
		var row htmlRow
		if t := h.by[step.Trial]; t != nil {
			row = h.row(t)
			if t.Commit != "" {
				row.What = commitName(s, t.Commit)
			}
			if more := h.again(t); more != "" {
				row.Notes = append(row.Notes, more)
			}
		} else {
			row = htmlRow{Number: step.Trial, thin: true}
			row.Notes = append(row.Notes, "known without a trial")
		}
		row.Outcome = outcomeWord(step.Outcome)
		if row.What == "" {
			row.What = prose.Number(step.Applied) + " of " + prose.Number(s.Elements) + " applied"
		}
		if n := len(step.Learned); n > 0 {
			row.Notes = append(row.Notes, "learned "+prose.Count(n, "requirement"))
		}
		row.Bar = now
		row.count = step.Count
		row.Left = prose.Number(step.Count)
		if step.Count != count || now != before {
			row.Before = before
		}
		count, before = step.Count, now
		rows = append(rows, row)
	}
	if index < len(h.earlier) && h.earlier[index] > 0 {
		st.Lead = fmt.Sprintf("The last %s of more. The bars have the %s in the order of the search.", prose.Count(len(rows), "question"), unit+"s")
		st.Blocks = fold(rows, true)
		return st
	}
	st.Lead = fmt.Sprintf("%s, from %s to %s. The bars have the %s in the order of the search.", prose.Count(len(rows), "question"), prose.Count(s.Elements, "suspect"), prose.Number(count), unit+"s")
	st.Blocks = fold(rows, true)
	if s.Left == "" {
		st.Tree = groupTree(s, h.found(index))
	}
	return st
}

// commitName is a commit by its id and, where a group has it, its subject.
func commitName(s *Stage, id string) string {
	const letters = 36
	id = short(id)
	for i := range s.Groups {
		if g := &s.Groups[i]; g.Level == "commit" && id != "" && strings.HasPrefix(g.Name, id) {
			return (&prose.Line{}).Add(prose.Plain, g.Name).Cut(letters).Render(false)
		}
	}
	return "commit " + prose.Printable(id)
}

// place names a commit or a tree that ends a stage.
func (h *htmlTrials) place(id string) string {
	for _, end := range []Revision{h.r.Good, h.r.Bad} {
		if id != "" && (id == end.Commit || id == end.Tree) {
			return prose.Printable(end.Rev)
		}
	}
	return prose.Printable(short(id))
}

// found is what became of what a stage found.
func (h *htmlTrials) found(index int) string {
	s := h.s.Stages[index]
	for _, later := range h.s.Stages[index+1:] {
		if later.Answer == s.Answer {
			return "searched on"
		}
	}
	if h.r.Status != Isolated {
		return "not cleared"
	}
	if s.Of == "commits" {
		return "found"
	}
	return "in the " + strings.ToLower(strings.TrimPrefix(causeTitle(h.r), "The "))
}

// again names the further attempts at what a trial tested.
func (h *htmlTrials) again(t *Trial) string {
	var numbers []string
	for _, n := range h.repeats[t.Tree] {
		if n == t.Number || h.told[n] {
			continue
		}
		numbers = append(numbers, strconv.Itoa(n)+" "+outcomeWord(h.by[n].Outcome))
	}
	if len(numbers) == 0 {
		return ""
	}
	const most = 6
	return "repeated as " + prose.List(numbers[:min(len(numbers), most)], len(numbers))
}

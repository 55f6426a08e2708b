package report

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/gitdd/gitdd/internal/prose"
)

// htmlFlaky is how steady the test was.
type htmlFlaky struct {
	Text string
	Rows []htmlTries
	Torn []htmlTorn
	More string
}

// htmlTries are attempts at one place.
type htmlTries struct{ Where, Pass, Fail, Unresolved, Wrong string }

// An htmlTorn is a tree with several outcomes.
type htmlTorn struct {
	Tree   string
	Trials []htmlTrialLink
}

// An htmlTrialLink names a trial; Linked when the page has a row of it.
type htmlTrialLink struct {
	Number  int
	Outcome string
	Linked  bool
}

// newHTMLFlaky is nil where the test was steady and nothing was repeated.
func newHTMLFlaky(r *Result, link func(int) bool) *htmlFlaky {
	f := &r.Flaky
	if f.Wanted == 0 && len(f.Torn) == 0 {
		return nil
	}
	h := &htmlFlaky{Text: "The same files had several outcomes."}
	if f.Wanted > 0 {
		h.Text = fmt.Sprintf("Repeated for a confidence of %s; reached are %s.", prose.Percent(f.Wanted), prose.Percent(r.Confidence))
		add := func(where string, t Tries, wrong string) {
			if t.total() > 0 {
				h.Rows = append(h.Rows, htmlTries{where, prose.Number(t.Pass), prose.Number(t.Fail), prose.Number(t.Unresolved), wrong})
			}
		}
		passes, fails := prose.Printable(r.Good.Rev), prose.Printable(badName(r))
		good, bad := rate(f.WrongFail), rate(f.WrongPass)
		if r.Direction == Fix {
			good, bad = bad, good
		}
		add("good end, "+passes, f.Good, good)
		add("bad end, "+fails, f.Bad, bad)
		add("where it passes, all that the answer rests on", f.Passing, rate(f.WrongFail))
		add("where it fails, all that the answer rests on", f.Failing, rate(f.WrongPass))
	}
	const most = 50
	for _, t := range f.Torn[:min(len(f.Torn), most)] {
		torn := htmlTorn{Tree: prose.Printable(short(t.Tree))}
		for i, n := range t.Trials {
			if i < len(t.Outcomes) {
				torn.Trials = append(torn.Trials, htmlTrialLink{n, outcomeWord(t.Outcomes[i]), link(n)})
			}
		}
		h.Torn = append(h.Torn, torn)
	}
	if more := len(f.Torn) - most; more > 0 {
		h.More = "… " + prose.Number(more) + " more like that"
	}
	return h
}

// rate is a small probability to a reader.
func rate(p float64) string {
	if p <= 0 {
		return "not known"
	}
	return strconv.FormatFloat(p*100, 'g', 2, 64) + " %"
}

// An htmlUnresolved is what trials that could not be judged printed, those that
// printed the same together.
type htmlUnresolved struct {
	Trials      []htmlTrialLink
	More        string
	Reason      string
	Diagnostics string
	Other       bool
	Open        bool
}

// newHTMLUnresolved lists them, and says how many there are.
func newHTMLUnresolved(s *Story, link func(int) bool) (list []htmlUnresolved, note string) {
	const most, named, open = 200, 12, 4
	index := map[string]int{}
	hidden, total := 0, 0
	for i := range s.Trials {
		t := &s.Trials[i]
		if outcomeWord(t.Outcome) != "unresolved" {
			continue
		}
		total++
		key := t.Reason + "\x00" + t.Diagnostics
		k, ok := index[key]
		if !ok {
			if len(list) == most {
				hidden++
				continue
			}
			k = len(list)
			index[key] = k
			list = append(list, htmlUnresolved{Reason: cmp.Or(prose.Printable(t.Reason), "unresolved"), Diagnostics: printed(t.Diagnostics), Other: t.Other, Open: k < open && t.Diagnostics != ""})
		}
		u := &list[k]
		u.Trials = append(u.Trials, htmlTrialLink{t.Number, "", link(t.Number)})
	}
	for i := range list {
		if more := len(list[i].Trials) - named; more > 0 {
			list[i].Trials = list[i].Trials[:named]
			list[i].More = " and " + prose.Number(more) + " more"
		}
	}
	if total > len(list) {
		note = prose.Count(total, "trial") + " could not be judged, in " + prose.Count(len(list), "way") + "."
	}
	if hidden > 0 {
		note += " " + prose.Count(hidden, "more trial") + " are not shown here."
	}
	return list, note
}

// printed is output of a command as a page shows it: its lines, made printable and
// cut where they are very long.
func printed(text string) string {
	const mostLines, mostColumns = 12, 400
	var out []string
	for line := range strings.Lines(text) {
		if len(out) == mostLines {
			out = append(out, "…")
			break
		}
		line = strings.ReplaceAll(strings.TrimRight(line, "\r\n"), "\t", "    ")
		out = append(out, (&prose.Line{}).Add(prose.Plain, line).Cut(mostColumns).Render(false))
	}
	return strings.Join(out, "\n")
}

// An htmlProof is what shows that a member of the cause is needed.
type htmlProof struct {
	Place    string
	Trials   []htmlTrialLink
	More     string
	Unproven bool
}

// newHTMLProofs is a row for each member of the cause, if the story has them.
func newHTMLProofs(r *Result, s *Story, h *htmlTrials) []htmlProof {
	if r.Status != Isolated || len(s.Needed) == 0 {
		return nil
	}
	const most = 40
	by := map[string][]int{}
	for _, n := range s.Needed {
		by[n.Change] = n.Trials
	}
	var list []htmlProof
	for i := range r.Cause[:min(len(r.Cause), most)] {
		c := &r.Cause[i]
		ref := Reference{Path: c.path(), Symbol: c.Symbol}
		if c.Kind == "text" {
			ref.Line = max(1, c.NewStart)
		}
		p := htmlProof{Place: prose.Printable(ref.Place()), Unproven: slices.Contains(r.Unproven, c.ID)}
		numbers, known := by[c.ID]
		if !known {
			continue
		}
		const named = 6
		if more := len(numbers) - named; more > 0 {
			p.More = " and " + prose.Number(more) + " more"
		}
		for _, n := range numbers[:min(len(numbers), named)] {
			outcome := ""
			if t := h.by[n]; t != nil {
				outcome = outcomeWord(t.Outcome)
			}
			p.Trials = append(p.Trials, htmlTrialLink{n, outcome, h.told[n]})
		}
		list = append(list, p)
	}
	return list
}

package report

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf16"

	"github.com/gitdd/gitdd/internal/prose"
)

// An annotation is what is said of one change outside of the report, where a
// machine shows it beside the lines that it is about: a result of SARIF, or an
// annotation of a CI service.
type annotation struct {
	r        *Result // with the answer that c is of in the place of the first
	relation Relation
	c        *Change
	unproven bool
}

// annotationsOf are those of all changes of all answers, the ones that say most
// first: of an answer those shown to be needed before those that are not, each in
// the order of their places.
func annotationsOf(r *Result) []annotation {
	list := annotated(nil, r, "")
	for _, f := range r.Further {
		of := r.first(f)
		list = annotated(list, &of, f.Relation)
	}
	return list
}

// answered are those of annotationsOf that say something where at most so many suspects do: none of a search without
// an answer, or with more suspects.
func answered(r *Result, suspects int) []annotation {
	list := annotationsOf(r)
	if r.Status == NotIsolated || r.Status == Failed || r.Status != Isolated && len(list) > suspects {
		return nil
	}
	return list
}

func annotated(list []annotation, r *Result, relation Relation) []annotation {
	unproven := make(map[string]bool, len(r.Unproven))
	for _, id := range r.Unproven {
		unproven[id] = true
	}
	for _, doubtful := range []bool{false, true} {
		for i := range r.Cause {
			if c := &r.Cause[i]; unproven[c.ID] == doubtful {
				list = append(list, annotation{r: r, relation: relation, c: c, unproven: doubtful})
			}
		}
	}
	return list
}

// level says how bad the change is; mild is the word for one that mends the failure.
func (a *annotation) level(mild string) string {
	switch {
	case a.suspected():
		return "warning"
	case a.mends():
		return mild
	}
	return "error"
}

// suspected says that the search was cut short, so the change may be innocent.
func (a *annotation) suspected() bool { return a.r.Status != Isolated }

// mends says that what was found is what makes the test pass.
func (a *annotation) mends() bool { return (a.r.Direction == Fix) != undoes(a.r) }

// region is where the change stands at Bad: lines from start, as many as the newer side
// has, at least one. Of lines that went it is the one before them. ok is false for a
// change of a whole file, and where later commits changed the lines.
func (a *annotation) region() (start, end int, ok bool) {
	c := a.c
	if start = c.BadLine; start == 0 && a.same() && c.Kind == "text" {
		start = max(c.NewStart, 1) // in a result of an older version
	}
	return start, max(start, start+c.NewLines-1), start > 0
}

// at names the file and, where it is known, the line of the change at Bad.
func (a *annotation) at() string {
	at := prose.Printable(a.c.path())
	if start, _, ok := a.region(); ok {
		at += fmt.Sprintf(":%d", start)
	}
	return at
}

// columns are those of a change within a line, of its newer side: from start to before end, in
// units of UTF-16, from 1. ok is false where region is not, and for other changes.
func (a *annotation) columns() (start, end int, ok bool) {
	if _, _, ok := a.region(); !ok || !a.c.within() {
		return 0, 0, false
	}
	_, p := a.c.parts()
	text := strings.TrimSuffix(a.c.newText(), "\n")
	return column(text, min(p.from, len(text))), column(text, min(p.to, len(text))), true
}

// column is that of a byte of a line, in units of UTF-16, from 1.
func column(line string, at int) int { return len(utf16.Encode([]rune(line[:at]))) + 1 }

// same reports whether the newer side of the change is Bad itself, as far as that is
// known.
func (a *annotation) same() bool {
	if a.relation != "" {
		return false
	}
	h := a.r.History
	return h == nil || h.FirstBad == a.r.Bad.Commit
}

// title is the annotation in a few words.
func (a *annotation) title() string {
	switch {
	case a.suspected() && a.mends():
		return "suspect for the fix"
	case a.suspected():
		return "suspect for the failure"
	case a.mends():
		return "what fixed the failure"
	}
	return "cause of the failure"
}

// A markup says how texts that come from a repository are written in an annotation, so that they
// mean nothing to what shows it. All of these texts are printable.
type markup struct {
	name    func(string) string            // a name of something
	subject func(string) string            // of a commit
	command func(string) string            // the command line
	prose   func(string) string            // a sentence with names in it
	place   func(id int, at string) string // where another change stands, by the id of its location
	shown   string                         // a sentence that says which trials show that the change is needed; "" = not known
}

// plainly is for text without any markup.
var plainly = markup{
	name:    func(s string) string { return s },
	subject: func(s string) string { return `"` + s + `"` },
	command: func(s string) string { return "`" + s + "`" },
	prose:   func(s string) string { return s },
	place:   func(_ int, at string) string { return at },
}

// sentences say what the change does, in which commit, and how sure that is. The
// first can stand alone.
func (a *annotation) sentences(t markup) []string {
	list := []string{a.effect(t)}
	if a.suspected() {
		return append(list, a.search())
	}
	if others := a.others(t); others != "" {
		list = append(list, others)
	}
	list = append(list, a.sureness(t)...)
	if _, _, ok := a.region(); !ok && a.c.Kind == "text" {
		list = append(list, "Later commits changed these lines.")
	}
	for _, s := range a.r.Suspicions {
		if slices.Contains(s.Changes, a.c.ID) {
			list = append(list, "To be doubted: "+t.prose(strings.TrimSuffix(prose.Printable(s.Text), "."))+".")
		}
	}
	return list
}

// effect is what the change does to the test.
func (a *annotation) effect(t markup) string {
	r := a.r
	what := "This change"
	if r.Status == Isolated && undoes(r) {
		what = "Undoing this change"
	}
	if a.c.Kind != "text" {
		what += " (" + t.name(prose.Printable(describe(a.c))) + ")"
	}
	if a.c.Symbol != "" {
		what += " in " + t.name(prose.Printable(a.c.Symbol))
	}
	if titles := r.updatesOf(a.c.ID); len(titles) > 0 {
		what += ", " + t.name(theUpdates(titles)) + ","
	}
	if from := a.made(t); from != "" {
		what = strings.TrimSuffix(what, ",") + ", from " + from + ","
	}
	command, passes := "the command", "passes"
	switch {
	case len(r.Tests) > 0:
		if command = a.tests(t); len(r.Tests) > 1 {
			passes = "pass"
		}
	case len(r.Command) > 0:
		command = t.command((&prose.Line{}).Add(prose.Plain, prose.Words(r.Command)).Cut(60).Render(false))
	}
	if r.Number > 0 {
		what = fmt.Sprintf("Cause %d: ", r.Number) + strings.ToLower(what[:1]) + what[1:]
	}
	result, other := "fail", "pass"
	if r.Direction == Fix {
		result, other = other, result
	}
	if m := r.Measured; m != nil {
		result, other = m.effect()
		passes, _ = r.said()
	}
	switch {
	case a.suspected():
		return fmt.Sprintf("%s may make %s %s.", what, command, result)
	case a.relation == Interacting:
		return fmt.Sprintf("%s is why the first cause makes %s %s: without it that makes no difference.", what, command, result)
	case a.relation == Fault:
		return fmt.Sprintf("%s is what the cause switches on: with the cause, but without it, %s %s.", what, command, passes)
	case a.relation == Within:
		return fmt.Sprintf("Without %s, and with all other changes, %s %s.", strings.ToLower(what[:1])+what[1:], command, passes)
	case r.Goal == "introduce":
		return fmt.Sprintf("%s makes %s %s on %s.", what, command, result, t.name(prose.Printable(r.Good.Rev)))
	case r.Goal == "revert":
		return fmt.Sprintf("%s has to be taken out of %s to make %s %s.", what, t.name(prose.Printable(badName(r))), command, other)
	}
	return fmt.Sprintf("%s makes %s %s.", what, command, result)
}

// tests names the tests that the change makes fail, where there are several causes: the first ones, if they are many.
func (a *annotation) tests(t markup) string {
	const most = 5
	var names []string
	for _, name := range a.r.Tests[:min(len(a.r.Tests), most)] {
		names = append(names, t.name((&prose.Line{}).Add(prose.Plain, name).Cut(200).Render(false)))
	}
	return prose.List(names, len(a.r.Tests))
}

// made names the commits that made the change.
func (a *annotation) made(t markup) string {
	const most = 3
	ids := a.c.Commits
	if len(ids) == 0 && a.r.Commit != nil {
		ids = []string{a.r.Commit.ID}
	}
	switch {
	case len(ids) == 0:
		return ""
	case len(ids) > 1:
		var names []string
		for _, id := range ids[:min(len(ids), most)] {
			names = append(names, prose.Printable(a.r.commitName(id)))
		}
		return "commits " + prose.List(names, len(ids))
	}
	if a.r.recorded(ids[0]) {
		return "the uncommitted changes"
	}
	name := "commit " + short(prose.Printable(ids[0]))
	c := a.r.commit(ids[0])
	if c.Subject == "" && a.r.Commit != nil && a.r.Commit.ID == ids[0] {
		c = *a.r.Commit
	}
	if c.Subject != "" {
		name += " " + t.subject((&prose.Line{}).Add(prose.Plain, c.Subject).Cut(72).Render(false))
		if c.Author != "" {
			name += " by " + t.name((&prose.Line{}).Add(prose.Plain, c.Author).Cut(40).Render(false))
		}
	}
	return name
}

// others says what goes with the change: by place, if they are few.
func (a *annotation) others(t markup) string {
	const most = 3
	n := len(a.r.Cause) - 1
	if n == 0 || a.relation == Interacting || a.relation == Fault || a.relation == Within {
		return ""
	}
	names := prose.Count(n, "other change")
	if n <= most {
		var places []string
		for i := range a.r.Cause {
			c := &a.r.Cause[i]
			if c == a.c {
				continue
			}
			places = append(places, t.place(len(places)+1, (&annotation{r: a.r, relation: a.relation, c: c}).at()))
		}
		names = "the " + verb(n, "change", "changes") + " at " + prose.List(places, n)
	}
	switch {
	case a.r.Goal == "revert":
		return fmt.Sprintf("So %s %s.", verb(n, "has", "have"), names)
	case a.r.Minimal:
		return fmt.Sprintf("It does so only together with %s.", names)
	}
	return fmt.Sprintf("It does so together with %s.", names)
}

// sureness says how far that is proven.
func (a *annotation) sureness(t markup) []string {
	var list []string
	switch {
	case a.unproven && len(a.r.Cause) > 1 && a.r.alongLine():
		list = append(list, "They could not be told apart by their numbers.")
	case a.unproven && len(a.r.Cause) > 1 && len(a.r.Unproven) == len(a.r.Cause):
		list = append(list, "They could not be told apart: without just one of them the command could not be judged.")
	case a.unproven:
		list = append(list, "That it is needed is not proven: without it the command could not be judged.")
	case !a.r.shown():
		list = append(list, "That it is needed was not shown.")
	case t.shown != "":
		list = append(list, t.shown)
	default:
		list = append(list, "It is shown to be needed.")
	}
	if a.r.Verified {
		list = append(list, "Both ends were tested again in a "+a.r.workspace()+" workspace.")
	} else {
		list = append(list, "The answer was not tested again in a fresh workspace.")
	}
	if p := a.r.Confidence; p > 0 && p < 1 {
		list = append(list, "The answer is right with a confidence of "+prose.Percent(p)+".")
	}
	return list
}

// search says how far a search came that did not end by itself.
func (a *annotation) search() string {
	n := len(a.r.Cause)
	text := fmt.Sprintf("It is one of %s that are left", prose.Count(n, "suspect"))
	if n == 1 {
		text = "It is the only suspect that is left"
	}
	return text + ". " + capital(stopped(a.r))
}

// stopped says what ended a search before it had an answer, and how to go on.
func stopped(r *Result) string {
	text := "the search ended early"
	if reason := strings.TrimSuffix(prose.Printable(r.Reason), "."); reason != "" {
		text += ": " + reason
	}
	text += "."
	if r.Session != "" && (r.Status == Budget || r.Status == Interrupted) {
		text += " `gitdd resume` goes on with it."
	}
	return text
}

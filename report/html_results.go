package report

import (
	"fmt"
	"io"
	"strings"

	"github.com/gitdd/gitdd/internal/prose"
)

// How much of the tests a page of results shows.
const (
	seenTests    = 10      // of a list that are not folded
	pageTests    = 10_000  // of a list
	pageMessages = 1 << 20 // bytes of the messages of all tests
	pageName     = 500     // columns of a name, or of what is said behind it
	navCauses    = 20      // that the top of the page has links to
)

// ResultsHTML writes r as a page of the kind that [HTML] writes: what [ResultsText] says, with each test, what is
// said of its failure, and the lines of each cause. e is where the search ran. link returns the reference of the page
// of a cause, relative to this one, by the number of the cause; nil = there are no such pages. Equal arguments give
// equal bytes. A page of 10,000 tests stays below 5 MB.
func ResultsHTML(w io.Writer, r Results, e Environment, link func(number int) string) error {
	r.complete()
	return writeHTML(w, "results", newResultsPage(&r, &e, link))
}

// CauseHTML writes what [HTML] writes of the result of a cause, with a link to the page of [ResultsHTML] that has the
// reference index.
func CauseHTML(w io.Writer, c Cause, s Story, index string) error {
	p := newSearchPage(&c.Result, &s)
	p.Kind += fmt.Sprintf(", cause %d", c.Number)
	p.Index = pathURI(index)
	return writeHTML(w, "search", p)
}

// A resultsPage is what the template "results" shows.
type resultsPage struct {
	htmlPage
	Causes []htmlCause
	Others []htmlOthers // tests that are of no cause
	Next   []fact
	Cost   []fact
}

// An htmlCause is one cause of several.
type htmlCause struct {
	ID, Title string
	Headline  []proseRun
	Page      string // the reference of its own page; "" = there is none
	Warnings  []string
	Tests     htmlTests
	Answer    htmlAnswer
	Within    []htmlAnswer // as those of a searchPage
	Faults    []htmlAnswer
}

// An htmlOthers is a list of tests that are of no cause.
type htmlOthers struct {
	ID, Title string
	Tests     htmlTests
}

// An htmlTests is a list of tests: the first ones are seen, the others folded.
type htmlTests struct {
	Seen, Folded []htmlTest
	More, Cut    string // says how many are folded, and how many are not even that
}

// An htmlTest is a test with what is said of it.
type htmlTest struct {
	Name    string
	Note    string // behind its name
	Message string
}

func newResultsPage(r *Results, e *Environment, link func(number int) string) *resultsPage {
	p := &resultsPage{}
	p.Headline = prose.Printable(resultsHeadline(r))
	p.Title = "gitdd: " + p.Headline
	p.Kind = strings.TrimSpace("search " + prose.Printable(r.Session))
	p.Generator = generator(*e)
	p.Mood = mood(r.Status)
	p.Lead = inProse(suiteEnds(r))
	p.Glance = resultsGlances(r)
	left, messages := pageLines, pageMessages
	for i := range r.Causes {
		c := newHTMLCause(&r.Causes[i], &left, &messages)
		if link != nil {
			c.Page = pathURI(link(r.Causes[i].Number))
		}
		p.Causes = append(p.Causes, c)
		if i < navCauses {
			p.Sections = append(p.Sections, htmlSection{c.ID, c.Title})
		}
	}
	if n := len(r.Unanswered); n > 0 {
		tests := newHTMLTests(n, func(i int) htmlTest {
			u := r.Unanswered[i]
			return htmlTest{Name: testName(u.Name), Note: testName(u.Reason)}
		})
		p.Others = append(p.Others, htmlOthers{"unanswered", "Tests without an answer", tests})
	}
	for _, l := range r.lists() {
		if len(l.names) > 0 {
			tests := newHTMLTests(len(l.names), func(i int) htmlTest { return htmlTest{Name: testName(l.names[i])} })
			p.Others = append(p.Others, htmlOthers{l.label, l.title, tests})
		}
	}
	for _, o := range p.Others {
		p.Sections = append(p.Sections, htmlSection{o.ID, o.Title})
	}
	p.Next = facts(r.frame(), func(p *page) { p.resultsNext(r) })
	p.Cost = facts(r.frame(), func(p *page) { p.resultsCost(r) })
	p.environment(e, r.Command)
	p.around("good", end(r.Good))
	p.around("bad", end(r.Bad))
	p.around("format", r.Format)
	p.around("workers", prose.Number(max(1, r.Jobs)))
	p.around("cluster", e.Cluster)
	p.section("environment", "Do it again", true)
	p.Footer = footer(*e, r.Schema)
	return p
}

// resultsGlances say what has no answer, and what the search cost.
func resultsGlances(r *Results) (list []glance) {
	if n := len(r.Unanswered); n > 0 {
		list = append(list, glance{tied(prose.Count(n, "test") + " without an answer"), true})
	}
	if n := len(r.Open); n > 0 {
		list = append(list, glance{tied(prose.Count(n, "test") + " not searched for"), true})
	}
	if r.Trials.Run > 0 {
		list = append(list, glance{tied(prose.Count(r.Trials.Run, "trial") + " in " + words(r.Seconds.Total)), false})
	}
	return list
}

// newHTMLCause lays out a cause. Lines that it shows come off left, bytes of messages off messages.
func newHTMLCause(c *Cause, left, messages *int) htmlCause {
	r := &c.Result
	h := htmlCause{
		ID: fmt.Sprintf("cause-%d", c.Number), Title: fmt.Sprintf("Cause %d, of %s", c.Number, prose.Count(len(c.Tests), "test")), Headline: inProse(headline(r)),
	}
	for _, f := range facts(r, (*page).suspicions) {
		h.Warnings = append(h.Warnings, f.Text)
	}
	h.Tests = newHTMLTests(len(c.Tests), func(i int) htmlTest { return newHTMLTest(&c.Tests[i], messages) })
	full := *left <= 0 // nothing of the lines is shown, so they are not there to be copied, either
	h.Answer = newHTMLAnswer(r, h.ID, "", left)
	h.Answer.Reasons = facts(r, func(p *page) { p.place(); p.certainty(); p.flaky() })
	if full {
		h.Answer.Patch = ""
	}
	for _, f := range r.Further {
		if !f.ofCause() {
			continue
		}
		part := r.first(f)
		a := newHTMLAnswer(&part, "", prose.Printable(f.title(1, r)), left)
		if f.Relation == Within {
			h.Within = append(h.Within, a)
		} else {
			h.Faults = append(h.Faults, a)
		}
	}
	return h
}

// newHTMLTests lays out n tests, each as test returns it.
func newHTMLTests(n int, test func(i int) htmlTest) (list htmlTests) {
	for i := range min(n, pageTests) {
		if i < seenTests {
			list.Seen = append(list.Seen, test(i))
		} else {
			list.Folded = append(list.Folded, test(i))
		}
	}
	list.More = prose.Count(n-len(list.Seen), "more test")
	if more := n - pageTests; more > 0 {
		list.Cut = "… " + prose.Count(more, "more test")
	}
	return list
}

// newHTMLTest lays out a test that fails. Bytes of its message come off left.
func newHTMLTest(t *FailingTest, left *int) htmlTest {
	h := htmlTest{Name: testName(t.Name)}
	if t.File != "" {
		h.Note = testName(t.File)
		if t.Line > 0 {
			h.Note += fmt.Sprintf(":%d", t.Line)
		}
	}
	if text := printed(t.Message); len(text) <= *left {
		*left -= len(text)
		h.Message = text
	}
	return h
}

// testName is a name of a test as a page shows it.
func testName(name string) string {
	return (&prose.Line{}).Add(prose.Plain, name).Cut(pageName).Render(false)
}

package report_test

import (
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	xhtml "golang.org/x/net/html"

	"github.com/gitdd/gitdd/internal/seed"
	"github.com/gitdd/gitdd/report"
)

func html(t testing.TB, r report.Result, s report.Story) string {
	t.Helper()
	var b strings.Builder
	if err := report.HTML(&b, r, s); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// pages are results with stories, by name.
func pages() map[string]func() (report.Result, report.Story) {
	list := map[string]func() (report.Result, report.Story){
		"attacked": attackedSearch,
		"all": func() (report.Result, report.Story) {
			r, s := searched(60, 30, 2)
			r.Further = allCauses().Further
			return r, s
		},
		"switched on": func() (report.Result, report.Story) {
			r, s := searched(60, 30, 2)
			fault := r
			fault.Cause = r.Cause[:1]
			r.Further = append([]report.Further{fault.AsFurther(report.Fault)}, allCauses().Further...)
			return r, s
		},
		"workers": func() (report.Result, report.Story) {
			r, s := searched(60, 30, 2)
			r.Jobs = 4
			return r, s
		},
		"repeated": func() (report.Result, report.Story) {
			_, s := searched(60, 30, 2)
			return repeated(), s
		},
	}
	for name, n := range map[string][3]int{"small": {24, 12, 1}, "middle": {800, 90, 3}} {
		list[name] = func() (report.Result, report.Story) { return searched(n[0], n[1], n[2]) }
	}
	for _, name := range []string{"learned", "flaky"} { // of real searches
		list["real "+name] = func() (r report.Result, s report.Story) {
			for kind, read := range map[string]func(io.Reader) error{
				"result": func(f io.Reader) (err error) { r, err = report.ReadJSON(f); return },
				"story":  func(f io.Reader) (err error) { s, err = report.ReadStory(f); return },
			} {
				f, err := os.Open("testdata/stories/" + name + "." + kind + ".json")
				if err == nil {
					err = errors.Join(read(f), f.Close())
				}
				if err != nil {
					panic(err)
				}
			}
			return r, s
		}
	}
	for name, r := range cases() {
		list["case "+name] = func() (report.Result, report.Story) { return r, report.Story{} }
	}
	return list
}

// One whole page, but for its style sheet.
func TestHTML(t *testing.T) {
	r, s := searched(24, 12, 1)
	page := html(t, r, s)
	begin, end := strings.Index(page, "<style>")+len("<style>"), strings.Index(page, "</style>")
	golden(t, "testdata/search.html", page[:begin]+page[end:])
	if again := html(t, r, s); again != page {
		t.Error("another page for the same result")
	}
}

// The pictures of the numbers of a search that measures.
func TestHTMLNumbers(t *testing.T) {
	for name, r := range cases() {
		if r.Measured == nil {
			continue
		}
		_, section, _ := strings.Cut(html(t, r, report.Story{}), `<section aria-labelledby="numbers">`)
		section, _, _ = strings.Cut(section, "</section>")
		golden(t, "testdata/"+name+".html", section)
	}
}

// What the terminal says the page says, in the same words.
func TestHTMLSaysTheText(t *testing.T) {
	item := regexp.MustCompile(`^([a-z]+(?: [a-z]+)?) {2,}(.*)`)
	for name, r := range cases() {
		t.Run(name, func(t *testing.T) {
			said := squeeze(texts(parse5(t, html(t, r, report.Story{}))))
			said = strings.ReplaceAll(said, "`", "")
			blocks := strings.Split(text(t, r, report.TextOptions{Width: 200}), "\n\n")
			var sentences []string
			for i, block := range blocks {
				if i == 0 { // the verdict, without the quotes of the command
					sentences = append(sentences, strings.ReplaceAll(block, "`", ""))
					continue
				}
				label, sentence := "", ""
				flush := func() {
					if label != "" && label != "next" && !strings.HasSuffix(sentence, "…") {
						sentences = append(sentences, strings.ReplaceAll(sentence, "`", ""))
					}
				}
				for line := range strings.Lines(block) {
					if m := item.FindStringSubmatch(strings.TrimRight(line, "\n")); m != nil {
						flush()
						label, sentence = m[1], m[2]
					} else if strings.HasPrefix(line, "          ") && label != "" {
						sentence += " " + strings.TrimSpace(line)
					} else {
						flush()
						label = ""
					}
				}
				flush()
			}
			if len(sentences) < 2 {
				t.Fatalf("found no sentences in\n%s", strings.Join(blocks, "\n\n"))
			}
			for _, s := range sentences {
				if !strings.Contains(said, squeeze(s)) {
					t.Errorf("the page does not say %q", squeeze(s))
				}
			}
			for i := range r.Cause[:min(len(r.Cause), 10)] {
				if c := r.Cause[i]; c.Symbol != "" && c.RawPath == nil && !strings.ContainsFunc(c.Symbol, unicode.IsControl) && !strings.Contains(said, c.Symbol) && len(r.Cause) < 100 {
					t.Errorf("the page does not name %s", c.Symbol)
				}
			}
		})
	}
}

func squeeze(s string) string { return strings.Join(strings.Fields(s), " ") }

// parse5 reads a page as a browser does, which mends what is wrong; wellFormed finds
// what is.
func parse5(t *testing.T, page string) *xhtml.Node {
	t.Helper()
	root, err := xhtml.Parse(strings.NewReader(page))
	if err != nil {
		t.Fatal(err)
	}
	return root
}

// texts is what a reader sees of a node.
func texts(n *xhtml.Node) string {
	if n.Type == xhtml.TextNode {
		return n.Data
	}
	if n.Data == "style" || n.Data == "title" {
		return ""
	}
	var b strings.Builder
	for c := range n.ChildNodes() {
		b.WriteString(texts(c))
	}
	switch n.Data {
	case "p", "div", "td", "th", "dd", "dt", "li", "h1", "h2", "h3", "summary", "figcaption", "option", "span":
		b.WriteByte(' ')
	}
	return b.String()
}

func TestHTMLStructure(t *testing.T) {
	for name, make := range pages() {
		t.Run(name, func(t *testing.T) {
			r, s := make()
			checkPage(t, html(t, r, s))
		})
	}
}

// checkPage holds a page to what each of ours must be. It may have links to pages beside it.
func checkPage(t *testing.T, page string, beside ...string) {
	t.Helper()
	if !utf8.ValidString(page) {
		t.Error("not UTF-8")
	}
	wellFormed(t, page)
	ids := map[string]bool{}
	var refs []string
	heading, tables := 0, 0
	var walk func(n *xhtml.Node)
	walk = func(n *xhtml.Node) {
		if n.Type == xhtml.TextNode {
			for _, c := range n.Data {
				if !unicode.IsPrint(c) && c != '\n' && c != '\t' && c != '\u3000' && c != '\u00a0' {
					t.Errorf("%U in %.80q", c, n.Data)
					break
				}
			}
		}
		if n.Type == xhtml.ElementNode {
			switch n.Data {
			case "script", "img", "iframe", "object", "embed", "link", "form", "base", "video", "audio", "foreignobject":
				t.Errorf("a <%s>", n.Data)
			case "h1", "h2", "h3", "h4":
				level := int(n.Data[1] - '0')
				if level > heading+1 {
					t.Errorf("<%s> below a heading of level %d", n.Data, heading)
				}
				heading = level
			case "table":
				tables++
				if !strings.Contains(render(t, n), `scope="col"`) {
					t.Error("a table without headers")
				}
			case "details":
				if n.FirstChild == nil || n.FirstChild.Data != "summary" || strings.TrimSpace(texts(n.FirstChild)) == "" {
					t.Error("details without a summary")
				}
			}
			for _, a := range n.Attr {
				switch {
				case a.Key == "id":
					if ids[a.Val] {
						t.Errorf("id %s twice", a.Val)
					}
					ids[a.Val] = true
				case a.Key == "href" && strings.HasPrefix(a.Val, "#"):
					refs = append(refs, a.Val[1:])
				case a.Key == "href" && n.Data == "a" && slices.Contains(beside, a.Val):
				case a.Key == "aria-labelledby":
					refs = append(refs, a.Val)
				case a.Key == "href", a.Key == "src", a.Key == "action", a.Key == "srcset", a.Key == "data", strings.HasPrefix(a.Key, "on"):
					t.Errorf("attribute %s=%q", a.Key, a.Val)
				case strings.Contains(a.Val, "url(") && a.Val != "url(#arrow)":
					t.Errorf("attribute %s=%q", a.Key, a.Val)
				case strings.Contains(a.Val, "ZgotmplZ"):
					t.Errorf("attribute %s was refused", a.Key)
				}
				for _, c := range a.Val {
					if !unicode.IsPrint(c) && c != '\u00a0' {
						t.Errorf("%U in attribute %s", c, a.Key)
						break
					}
				}
			}
		}
		for c := range n.ChildNodes() {
			walk(c)
		}
	}
	walk(parse5(t, page))
	for _, id := range refs {
		if !ids[id] {
			t.Errorf("a link to %s, which is not there", id)
		}
	}
	style := page[strings.Index(page, "<style>"):strings.Index(page, "</style>")]
	if strings.Contains(style, "url(") || strings.Contains(style, "@import") {
		t.Error("the style sheet asks for something")
	}
	if !strings.Contains(page, `content="default-src &#39;none&#39;; style-src &#39;unsafe-inline&#39;`) && !strings.Contains(page, `content="default-src 'none'; style-src 'unsafe-inline'`) {
		t.Error("no policy that forbids to ask for anything")
	}
}

func render(t *testing.T, n *xhtml.Node) string {
	t.Helper()
	var b strings.Builder
	if err := xhtml.Render(&b, n); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// wellFormed finds tags that are not closed in their order: a browser would mend
// them, each in its way.
func wellFormed(t *testing.T, page string) {
	t.Helper()
	void := map[string]bool{"meta": true, "br": true, "hr": true, "wbr": true, "col": true}
	var open []string
	z := xhtml.NewTokenizer(strings.NewReader(page))
	for {
		switch z.Next() {
		case xhtml.ErrorToken:
			if len(open) > 0 {
				t.Errorf("not closed: %v", open)
			}
			return
		case xhtml.StartTagToken:
			if name, _ := z.TagName(); !void[string(name)] {
				open = append(open, string(name))
			}
		case xhtml.EndTagToken:
			name, _ := z.TagName()
			if len(open) == 0 || open[len(open)-1] != string(name) {
				t.Fatalf("</%s> in %v", name, open)
			}
			open = open[:len(open)-1]
		}
	}
}

// Whatever a repository holds: it stays text.
func TestHTMLHostile(t *testing.T) {
	r, s := attackedSearch()
	page := html(t, r, s)
	for _, want := range []string{"&lt;script&gt;alert(1)", `\u202e`, `\x1b`, "{{.}}"} {
		if !strings.Contains(page, want) {
			t.Errorf("%s is not shown", want)
		}
	}
}

// A story is read from a file, and may be of another hand: whatever its numbers are,
// the page is well formed.
func TestHTMLAnyStory(t *testing.T) {
	rnd := rand.New(rand.NewPCG(seed.New(t), 6))
	number := func() int {
		return []int{0, 1, 2, 3, 5, 8, 12, 13, -1, -7, 100, math.MaxInt32, math.MinInt64, math.MaxInt64}[rnd.IntN(14)]
	}
	seconds := func() float64 { return []float64{0, 0.1, 3, -1, 1e300}[rnd.IntN(5)] }
	word := func() string {
		return []string{"", "pass", "fail", "unresolved", "cc", "dd", "0-3", "2,5-7", "x", "c1", "commit", "file"}[rnd.IntN(12)]
	}
	ref := func() report.Reference {
		return report.Reference{ID: word(), Path: word(), Symbol: word(), Line: number()}
	}
	for range 60 {
		r := three()
		r.Jobs = number()
		var s report.Story
		for range rnd.IntN(20) {
			s.Trials = append(s.Trials, report.Trial{
				Number: number(), Purpose: []string{"end", "search", "confirm", "again", ""}[rnd.IntN(5)], Stage: number(), Tree: word(), Commit: word(), Applied: number(), Attempt: number(),
				Worker: number(), Process: number(), Outcome: word(), Seconds: seconds(), BuildSeconds: seconds(), Ended: seconds(),
			})
		}
		for range rnd.IntN(3) {
			stage := report.Stage{Of: []string{"commits", "changes"}[rnd.IntN(2)], Elements: number(), Answer: number(), Left: word()}
			for range rnd.IntN(6) {
				stage.Groups = append(stage.Groups, report.Group{Level: word(), Name: word(), From: number(), To: number()})
				stage.Requires = append(stage.Requires, report.Edge{From: ref(), To: ref(), Kind: word()})
				stage.Steps = append(stage.Steps, report.Step{Trial: number(), Outcome: word(), Applied: number(), Suspects: word(), Count: number()})
			}
			s.Stages = append(s.Stages, stage)
		}
		s.Needed = []report.Needed{{Change: "c1", Trials: []int{number(), number()}}}
		checkPage(t, html(t, r, s))
		if t.Failed() {
			t.Fatalf("of this story: %+v", s)
		}
	}
}

// Both colour schemes, and paper, are readable: each pair of text and ground has the
// contrast that WCAG 2.2 asks for (1.4.3), and what only has to be seen that of
// pictures (1.4.11).
func TestHTMLContrast(t *testing.T) {
	css, err := os.ReadFile("html/style.css")
	if err != nil {
		t.Fatal(err)
	}
	variable := regexp.MustCompile(`--([a-z-]+): (#[0-9a-f]{6});`)
	schemes := map[string]map[string]string{}
	parts := strings.Split(string(css), ":root {")
	if len(parts) != 4 {
		t.Fatalf("%d colour schemes, want 3: light, dark and paper", len(parts)-1)
	}
	for i, name := range []string{"light", "dark", "paper"} {
		schemes[name] = map[string]string{}
		block, _, _ := strings.Cut(parts[i+1], "}")
		for _, m := range variable.FindAllStringSubmatch(block, -1) {
			schemes[name][m[1]] = m[2]
		}
	}
	code := []string{"text", "keyword", "string", "comment", "number", "name"}
	grounds := []string{"added", "added-strong", "removed", "removed-strong"}
	type pair struct {
		over, ground string
		least        float64
	}
	var pairs []pair
	for _, ground := range grounds {
		for _, c := range code {
			pairs = append(pairs, pair{c, ground, 4.5})
		}
	}
	for _, c := range []string{"text", "muted", "accent", "pass", "fail", "unresolved", "comment"} {
		pairs = append(pairs, pair{c, "ground", 4.5}, pair{c, "panel", 4.5})
	}
	pairs = append(pairs, pair{"muted", "added", 4.5}, pair{"muted", "removed", 4.5}, pair{"muted", "nothing", 4.5},
		pair{"text", "warn-ground", 4.5}, pair{"warn", "warn-ground", 4.5}, pair{"warn", "ground", 4.5}, pair{"ground", "text", 4.5},
		pair{"muted", "warn-ground", 4.5},
		pair{"suspect", "ground", 3}, pair{"suspect", "never", 3}, pair{"suspect", "cleared", 3}, pair{"inside", "pass", 3}, pair{"inside", "fail", 3}, pair{"inside", "unresolved", 3})
	for name, colours := range schemes {
		for _, p := range pairs {
			a, b := colours[p.over], colours[p.ground]
			if a == "" || b == "" {
				t.Fatalf("%s: no colour %s or %s", name, p.over, p.ground)
			}
			if got := contrast(t, a, b); got < p.least {
				t.Errorf("%s: --%s on --%s has a contrast of %.2f, of %g", name, p.over, p.ground, got, p.least)
			}
		}
	}
}

// contrast is that of two colours "#rrggbb" by WCAG 2.2: 1 to 21.
func contrast(t *testing.T, a, b string) float64 {
	t.Helper()
	luminance := func(colour string) float64 {
		sum := 0.0
		for i, weight := range []float64{0.2126, 0.7152, 0.0722} {
			n, err := strconv.ParseUint(colour[1+2*i:3+2*i], 16, 8)
			if err != nil {
				t.Fatal(err)
			}
			c := float64(n) / 255
			if c <= 0.04045 {
				c /= 12.92
			} else {
				c = math.Pow((c+0.055)/1.055, 2.4)
			}
			sum += weight * c
		}
		return sum
	}
	x, y := luminance(a), luminance(b)
	return (max(x, y) + 0.05) / (min(x, y) + 0.05)
}

// A page stays small enough to be sent, however long the search was.
func TestHTMLSize(t *testing.T) {
	for _, test := range []struct{ changes, trials, cause, bytes int }{
		{1, 2, 1, 40 << 10},
		{5000, 1000, 3, 2 << 20},
		{5000, 1000, 4000, 2 << 20},
		{100_000, 1000, 3, 5 << 20},
	} {
		r, s := searched(test.changes, test.trials, test.cause)
		if got := len(html(t, r, s)); got > test.bytes {
			t.Errorf("%d bytes for %d changes, %d trials and a cause of %d: more than %d", got, test.changes, test.trials, test.cause, test.bytes)
		}
	}
}

// What is too long for a page is cut, and the page says so.
func TestHTMLCuts(t *testing.T) {
	lines := strings.Repeat("a line of text\n", 10_000)
	whole := report.Change{ID: "w", Kind: "created", Path: "big.txt", OldPath: "big.txt", NewMode: "100644", New: lines, Commits: []string{ada}}
	line := strings.Repeat("x", 100_000)
	for name, test := range map[string]struct {
		cause []report.Change
		want  []string
	}{
		"a file of 10,000 lines": {[]report.Change{whole}, []string{"… 9,600 more lines", "10,000</span>", "it is too long for a page"}},
		"a line of 100,000 bytes": {
			[]report.Change{hunk("l", "a.js", "", 1, line+"1"+line+"\n", line+"2"+line+"\n", ada)},
			[]string{"… 99,", "byte"},
		},
		"5,000 changes": {many(5000, report.Isolated).Cause, []string{"more changes are not shown", "<th scope=\"col\">Changes</th>"}},
	} {
		page := html(t, base(test.cause...), report.Story{})
		for _, want := range test.want {
			if !strings.Contains(page, want) {
				t.Errorf("%s: the page does not say %q", name, want)
			}
		}
		if len(page) > 1<<20 {
			t.Errorf("%s: %d bytes", name, len(page))
		}
	}
}

// What was not resolved is not shown as something empty.
func TestNothingResolved(t *testing.T) {
	r := notIsolated()
	r.Good, r.Bad, r.Trials, r.Session = report.Revision{Rev: "v1"}, report.Revision{Rev: "HEAD"}, report.Trials{}, ""
	r.About = nil
	page := texts(parse5(t, html(t, r, report.Story{})))
	for _, said := range []string{page, text(t, r, report.TextOptions{})} {
		if !strings.Contains(said, "between v1 and HEAD.") || strings.Contains(said, "tree ") {
			t.Errorf("it says\n%s", said)
		}
	}
	if strings.Contains(html(t, r, report.Story{}), "<dd><ul") {
		t.Error("an empty list of what to do next")
	}
}

// Trials that a page links to have their row there, and each has one row.
func TestHTMLTrials(t *testing.T) {
	r, s := searched(800, 90, 3)
	s.Needed = append(s.Needed, report.Needed{Change: r.Cause[0].ID, Trials: []int{12345}})
	page := html(t, r, s)
	for n := 1; n <= 90; n++ {
		if got := strings.Count(page, fmt.Sprintf(`id="trial-%d"`, n)); got != 1 {
			t.Errorf("trial %d has %d rows", n, got)
		}
	}
	if strings.Contains(page, "#trial-12345") {
		t.Error("a link to a trial that is not there")
	}
}

func BenchmarkHTML(b *testing.B) {
	r, s := searched(5000, 1000, 3)
	for b.Loop() {
		html(b, r, s)
	}
}

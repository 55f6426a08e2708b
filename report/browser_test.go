//go:build unix

package report_test

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/gitdd/gitdd/internal/chromium"
	"github.com/gitdd/gitdd/internal/seed"
	"github.com/gitdd/gitdd/report"
)

var pictures = flag.String("pictures", "", "write what a browser shows of each page to this directory")

var (
	only  = flag.String("page", "", "look only at pages whose names have this")
	files = flag.String("files", "", "look at the pages that this pattern names, too")
)

// browserFile is a file of testdata/browser.
func browserFile(t *testing.T, name string) []byte {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", "browser", name))
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// faults looks at a page in each view, unfolded as well, and returns what is wrong,
// each line behind the name of its view.
func faults(t *testing.T, b *chromium.Browser, name string, page []byte, views ...chromium.View) []string {
	t.Helper()
	check, unfold := string(browserFile(t, "check.js")), string(browserFile(t, "unfold.js"))
	var all []string
	note := func(where string, faults []string) {
		for _, f := range faults {
			all = append(all, where+": "+f)
		}
	}
	b.Look(views[0])
	note("as it loads", b.Open(page))
	loaded := len(b.Events)
	for i, v := range views {
		b.Look(v)
		note(v.String(), b.Run(check, map[string]bool{"print": v.Print}))
		if *pictures != "" {
			b.Picture(filepath.Join(*pictures, name+" "+strings.ReplaceAll(v.String(), ",", "")+".png"), v)
		}
		if i < len(views)-1 {
			continue
		}
		for _, v := range views {
			// Each width and each scheme once more; of a huge page only the harder ones.
			if v == smallDark || v == desk && len(page) < 1<<20 {
				b.Look(v)
				note(v.String()+", unfolded", append(b.Run(unfold), b.Run(check, map[string]bool{"print": false})...))
			}
		}
	}
	note("as it was looked at", b.Events[loaded:])
	return all
}

var (
	desk      = chromium.View{Width: 1280}
	deskDark  = chromium.View{Width: 1280, Dark: true}
	small     = chromium.View{Width: 390}
	smallDark = chromium.View{Width: 390, Dark: true}
	paper     = chromium.View{Width: 700, Print: true} // A4 within its margins
)

// What the looking finds: else that it finds nothing would say nothing.
func TestPageFaults(t *testing.T) {
	b := chromium.Start(t)
	found := faults(t, b, "faulty", browserFile(t, "faulty.html"), desk, deskDark, small, paper)
	text := strings.Join(found, "\n")
	for _, want := range []string{
		"as it loads: it asks for http://example.invalid/x.png",
		"as it loads: error of security: ",
		"1280 px: no title",
		"1280 px: no language",
		"1280 px: no viewport",
		"1280 px: a script",
		"1280 px: a heading skips a level (1)",
		"1280 px: an id twice (1)",
		"1280 px: a link to nothing (1)",
		"1280 px: a label that is not there (1)",
		"1280 px: a table without headings (1)",
		"1280 px: the page is wider than its window (1): 1500 of 1280 px",
		`1280 px: sticks out of the window (1): <div> "wider than its window"`,
		`1280 px: cut off (1): <div> "cut off on the right"`,
		`1280 px: cut off below (1): <div> "cutoff below"`,
		`1280 px: sticks out of its box (1): <div> "sticks out of its box`,
		`1280 px: letters too small (2): <p> "letters too small"`,
		`1280 px: too little contrast (7): <p> "too little contrast" 2.85: #999999 on #ffffff; <p> "faded"`,
		`<text> "dark on dark" of a label 1.32: #222222 on #000000`,
		`1280 px: a picture without a name (1)`,
		`1280 px: sticks out of its picture (1): <text> "out of it, and small"`,
		`1280 px: labels lie on each other (1): <text> "first label" and <text> "second label"`,
		`1280 px, dark: too little contrast`,
		`<p.dim> "dim in the dark only"`,
		"390 px: the page is wider than its window (1): 1500 of 390 px",
		`700 px, print: cut in print (2): <div> "cut off on the right" 300 in 200 px; <div.scroll>`,
		`700 px, print: folded in print (2)`,
		"1280 px, unfolded: details without a summary",
		"1280 px, unfolded: nothing is folded: empty",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("not found: %s", want)
		}
	}
	if t.Failed() {
		t.Logf("found:\n%s", text)
	}
	// And a page that has none of it.
	if found := faults(t, b, "faultless", browserFile(t, "faultless.html"), desk, deskDark, small, smallDark, paper); len(found) > 0 {
		t.Errorf("found in a page without a fault:\n%s", strings.Join(found, "\n"))
	}
}

// A page is one that a browser looks at.
type looked struct {
	name  string
	page  []byte
	views []chromium.View
}

func searchPage(t *testing.T, r report.Result, s report.Story) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := report.HTML(&b, r, s); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func reductionPage(t *testing.T, r report.Reduction, s report.Story) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := report.ReductionHTML(&b, r, s); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// realPages are those of sessions that were.
func realPages(t *testing.T, views []chromium.View) (list []looked) {
	t.Helper()
	names, err := filepath.Glob("testdata/stories/*.story.json")
	if err != nil || len(names) == 0 {
		t.Fatalf("no stories: %v", err)
	}
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		story, err := report.ReadStory(bytes.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		base := strings.TrimSuffix(name, ".story.json")
		if text, err = os.ReadFile(base + ".result.json"); err != nil {
			t.Fatal(err)
		}
		if report.SchemaOf(text) == report.ReductionSchema {
			r, err := report.ReadReduction(bytes.NewReader(text))
			if err != nil {
				t.Fatal(err)
			}
			list = append(list, looked{"real " + filepath.Base(base), reductionPage(t, r, story), views})
			continue
		}
		r, err := report.ReadJSON(bytes.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, looked{"real " + filepath.Base(base), searchPage(t, r, story), views})
	}
	return list
}

// The pages hold what they should in each width, scheme and medium, however many
// changes there are and whatever they say.
func TestPages(t *testing.T) {
	seed.SkipLong(t, 8)
	b := chromium.Start(t)
	one, oneStory := searched(1, 3, 1)
	many, manyStory := searched(5000, 1000, 5000)
	few, fewStory := searched(5000, 200, 3)
	bad, badStory := attackedSearch()
	plain, plainStory := minimised(1000)
	dir, dirStory := manyFiles(60)
	evil, evilStory := attackedReduction()
	each := []chromium.View{desk, deskDark, small, smallDark, paper}
	some := []chromium.View{desk, smallDark, paper} // of long pages: each width, scheme and medium once
	list := []looked{
		{"one", searchPage(t, one, oneStory), each},
		{"many", searchPage(t, many, manyStory), some},
		{"few of many", searchPage(t, few, fewStory), some},
		{"attacked", searchPage(t, bad, badStory), each},
		{"reduced", reductionPage(t, plain, plainStory), some},
		{"reduced directory", reductionPage(t, dir, dirStory), some},
		{"reduced attacked", reductionPage(t, evil, evilStory), each},
		{"reduced graph", reductionPage(t, reducedGraph(), report.Story{}), each},
		{"isolated", reductionPage(t, isolatedInput(), report.Story{}), each},
		{"not reduced", reductionPage(t, notReduced(), report.Story{}), each},
		{"regression", reductionPage(t, reducedRegression(), report.Story{}), each},
	}
	for name, r := range resultsCases() {
		if len(r.Both) > 1000 {
			r = resultsMany(500) // ten thousand take a minute
		}
		list = append(list, looked{name, []byte(resultsHTML(t, r, causePage)), each})
	}
	for name, r := range cases() {
		if r.Measured != nil {
			list = append(list, looked{name, searchPage(t, r, report.Story{}), each})
		}
	}
	list = append(list, realPages(t, some)...)
	named, err := filepath.Glob(*files)
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range named {
		page, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, looked{"file " + filepath.Base(file), page, each})
	}
	for _, l := range list {
		if *only != "" && !strings.Contains(l.name, *only) || testing.Short() && len(l.page) > 1<<20 {
			continue
		}
		begin := time.Now()
		if found := faults(t, b, l.name, l.page, l.views...); len(found) > 0 {
			t.Errorf("%s:\n%s", l.name, strings.Join(found, "\n"))
		}
		// What the general rules do not see: a picture that is squeezed.
		for _, low := range b.Run(`() => [...document.querySelectorAll('.curve')].filter((c) => c.getBoundingClientRect().height < 150).map(() => 'the curve is too low')`) {
			t.Errorf("%s: %s", l.name, low)
		}
		t.Logf("%s: %d bytes, looked at in %v", l.name, len(l.page), time.Since(begin))
	}
}

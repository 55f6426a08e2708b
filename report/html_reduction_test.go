package report_test

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/gitdd/gitdd/report"
)

func reductionHTML(t *testing.T, r report.Reduction, s report.Story) string {
	t.Helper()
	var b bytes.Buffer
	if err := report.ReductionHTML(&b, r, s); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// body is what a page shows, without its styles.
func body(page string) string {
	_, page, _ = strings.Cut(page, "<header>")
	page, _, _ = strings.Cut(page, "</body>")
	return page
}

func TestReductionHTML(t *testing.T) {
	r, s := minimised(8)
	r.Others = report.OtherFailures{Trials: 1, First: 3, Reason: "exit status 2", Line: "x"}
	golden(t, filepath.Join("testdata", "reduction.html"), body(reductionHTML(t, r, s)))
}

// Whatever a reduction is, its page says what its text does, is balanced, the same
// each time, and holds nothing that acts by itself.
func TestReductionPages(t *testing.T) {
	pages := map[string]func() (report.Reduction, report.Story){
		"story":     func() (report.Reduction, report.Story) { return minimised(300) },
		"directory": func() (report.Reduction, report.Story) { return manyFiles(20) },
		"attacked":  attackedReduction,
	}
	for name, r := range reductions() {
		pages[name] = func() (report.Reduction, report.Story) { return r, report.Story{} }
	}
	for name, make := range pages {
		r, s := make()
		page := reductionHTML(t, r, s)
		if again := reductionHTML(t, r, s); again != page {
			t.Errorf("%s: another page the second time", name)
		}
		balanced(t, name, page)
		harmless(t, name, page)
		text := plainText(t, page)
		for _, line := range strings.Split(reductionText(t, r, report.TextOptions{Width: 200, Full: true}), "\n")[:1] {
			if name != "attacked" && !strings.Contains(text, line) { // its is wrapped
				t.Errorf("%s: the page does not say %q", name, line)
			}
		}
		for _, part := range append(r.Hints, r.Notes...) {
			if name != "attacked" && name != "reduced_hostile" && !strings.Contains(text, part) {
				t.Errorf("%s: the page does not say %q", name, part)
			}
		}
		for _, p := range r.Passes {
			if name != "reduced_hostile" && name != "attacked" && !strings.Contains(text, p.Name) {
				t.Errorf("%s: the page does not name %q", name, p.Name)
			}
		}
	}
}

// The parts that depend on what there is.
func TestReductionParts(t *testing.T) {
	for _, test := range []struct {
		name   string
		r      report.Reduction
		s      report.Story
		has    []string
		hasNot []string
	}{
		{
			"regression", reducedRegression(), report.Story{},
			[]string{"v1, commit " + ada + ": it passes with what is left", "HEAD, commit " + linus + ": it fails with what is left", "make -s",
				"to find the changes that make it fail:", "gitdd run --good v1 --bad HEAD --build 'make -s' -- ./cc -O2 -c /home/ada/crash.c.reduced"}, nil,
		},
		{
			"isolated", isolatedInput(), report.Story{},
			[]string{"The failure comes from 2 of 44 differences (tokens), only together.", "The difference", "@@ -3,3 +3,3 @@", "good.json: 880 bytes, 236 tokens, 30 lines", "bad.json.passing passes, bad.json.failing fails"},
			[]string{"What is left", "Where it was"},
		},
		{
			"not reduced", notReduced(), report.Story{Trials: []report.Trial{{Number: 1, Purpose: "end", Outcome: "pass", Applied: 48210, Reason: "exit status 0"}}},
			[]string{"Not reduced: the command does not fail on crash.c", "Each trial", "the input"}, []string{"What is left", "minimal"},
		},
		{
			"budget", reducedBudget(), report.Story{},
			[]string{"Budget spent: crash.c has 3,000 bytes so far", "gitdd resume", "not shown to be minimal", "after 100 trials (--max-trials)"}, nil,
		},
		{
			"confidence", reducedConfidence(), report.Story{},
			[]string{"confidence 99.2 %, but for 3 elements without which it cannot be judged", "wrong in 0 of 40 tries where it passes, in 9 of 39 tries where it fails"}, nil,
		},
		{"graph", reducedGraph(), report.Story{}, []string{"nodes", "bits", "-1,217 nodes", "-11 bits", "-1 B", "the smallest so far, in nodes"}, []string{"tokens"}},
		{"other failures of an older version", reducedDirectory(), report.Story{}, []string{"exit status 2 where the input ends with 1", "7 trials, such as 19", "undefined: x", "gitdd log --trial 19"}, nil},
		{"zero", report.Reduction{Schema: report.ReductionSchema}, report.Story{}, []string{"Do it again"}, []string{"What is left"}},
	} {
		text := plainText(t, reductionHTML(t, test.r, test.s))
		for _, want := range test.has {
			if !strings.Contains(text, want) {
				t.Errorf("%s: no %q in\n%s", test.name, want, text)
			}
		}
		for _, want := range test.hasNot {
			if strings.Contains(text, want) {
				t.Errorf("%s: %q is in\n%s", test.name, want, text)
			}
		}
	}
}

// What is left stands beside the lines that it was in.
func TestReductionBeside(t *testing.T) {
	r := reduced()
	s := report.Story{Files: []report.File{{Path: "a.txt", Before: 24, After: 7, Was: "one\ntwo\nthree\nfour\nfive\n", Is: "two\nur\n", Kept: [][2]int{{4, 8}, {16, 19}}}}}
	text := body(reductionHTML(t, r, s))
	want := strings.Join([]string{
		`<div class="beside"><i>1</i><code>one</code></div>`, `<div class="gap"></div>`,
		`<div class="kept"><i>2</i><code><span class="d">two</span></code></div>`, `<div class="kept"><i>1</i><code>two</code></div>`,
		`<div class="beside"><i>3</i><code>three</code></div>`, `<div class="gap"></div>`,
		`<div class="kept"><i>4</i><code>fo<span class="d">ur</span></code></div>`, `<div class="kept"><i>2</i><code>ur</code></div>`,
		`<div class="beside"><i>5</i><code>five</code></div>`, `<div class="gap"></div>`,
	}, "\n")
	if !strings.Contains(text, want) {
		t.Errorf("no\n%s\nin\n%s", want, text)
	}
}

// A page does not grow with what it is about.
func TestReductionPageSize(t *testing.T) {
	huge, hugeStory := minimised(60_000)
	huge.Shown = report.NewExcerpt("crash.c", bytes.Repeat([]byte(strings.Repeat("x", 900)+"\n"), 70), 64<<10)
	huge.Shown.Lines = 1_000_000
	hugeStory.Files[0].Was = huge.Shown.Text
	oneLine, oneStory := minimised(20)
	oneLine.Shown = report.NewExcerpt("x.json", bytes.Repeat([]byte(`{"a":1},`), 1<<13), 64<<10)
	oneStory.Files[0].Was, oneStory.Files[0].Before = oneLine.Shown.Text, 64<<10
	files, filesStory := manyFiles(100_000)
	usual, usualStory := minimised(1000)
	for _, test := range []struct {
		name string
		r    report.Reduction
		s    report.Story
		most int
	}{{"1,000 trials", usual, usualStory, 400_000}, {"60,000 trials", huge, hugeStory, 1_000_000}, {"one line", oneLine, oneStory, 100_000}, {"100,000 files", files, filesStory, 400_000}} {
		if n := len(reductionHTML(t, test.r, test.s)); n > test.most {
			t.Errorf("%s: %d bytes of %d", test.name, n, test.most)
		}
	}
}

// inlineStyle are the inline styles that a page may have.
var inlineStyle = regexp.MustCompile(`^((width|top|left|height):[0-9.]+%|--digits: [0-9]+)$`)

// balanced holds a page to tags that are closed as they were opened, none of which
// runs anything or asks for what is outside.
func balanced(t *testing.T, name, page string) {
	t.Helper()
	_, page, _ = strings.Cut(page, "</style>") // which is no XML
	d := xml.NewDecoder(strings.NewReader("<html><head>" + page))
	d.AutoClose = xml.HTMLAutoClose
	d.Entity = xml.HTMLEntity
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return
		} else if err != nil {
			t.Errorf("%s: %v", name, err)
			return
		}
		tag, ok := token.(xml.StartElement)
		if !ok {
			continue
		}
		if strings.Contains("script img iframe object embed link style form input base audio video", tag.Name.Local) && len(tag.Name.Local) > 2 {
			t.Errorf("%s: there is a <%s>", name, tag.Name.Local)
		}
		for _, a := range tag.Attr {
			switch n := a.Name.Local; {
			case n == "href" && !strings.HasPrefix(a.Value, "#"), n == "src", strings.HasPrefix(n, "on"), n == "style" && !inlineStyle.MatchString(a.Value):
				t.Errorf("%s: <%s %s=%q>", name, tag.Name.Local, n, a.Value)
			}
		}
	}
}

// plainText is what a page says, tags away.
func plainText(t *testing.T, page string) string {
	t.Helper()
	_, page, _ = strings.Cut(page, "</style>")
	d := xml.NewDecoder(strings.NewReader("<html><head>" + page))
	d.AutoClose, d.Entity = xml.HTMLAutoClose, xml.HTMLEntity
	var b strings.Builder
	for {
		token, err := d.Token()
		if err != nil {
			return b.String()
		}
		if text, ok := token.(xml.CharData); ok {
			b.Write(text)
		}
	}
}

// harmless holds a page to characters that show as what they are.
func harmless(t *testing.T, name, page string) {
	t.Helper()
	for i, r := range page {
		if r < ' ' && r != '\n' && r != '\t' || r == 0x7f || r >= 0x80 && r < 0xa0 || r >= 0x200b && r <= 0x200f || r >= 0x202a && r <= 0x202e || r >= 0x2060 && r <= 0x2069 {
			t.Errorf("%s: %U is in it: %q", name, r, page[max(0, i-40):i])
			return
		}
	}
}

package report

import (
	"bytes"
	"fmt"
	"html"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/gitdd/gitdd/internal/prose"
)

// markdownLimit is how many characters a result has as Markdown at most: GitHub refuses a comment of more than 65,536,
// and the reader may put something around it.
const markdownLimit = 60_000

// Markdown writes r in GitHub's Markdown, for the summary of a job or a comment: the answer in a sentence, the commit
// and the cause as a diff, and, folded, the context, what the answer rests on and what it took.
//
// Text of a repository is within fences that are longer than any row of backticks in the text, or it is escaped. So it
// cannot end its block or mention anybody. An output of more than 60,000 characters is cut, and says so.
func Markdown(w io.Writer, r Result) error {
	fillArrays(&r)
	m := &markdown{left: markdownLimit}
	m.heading(headline(&r))
	m.paragraph(withCommand(ends(&r), r.Command))
	within := 0
	for _, f := range r.Further {
		if f.Relation == Within {
			within++
			m.further(&r, &f, strings.TrimSuffix(f.title(0, &r), ":"))
		}
	}
	if within > 0 {
		m.paragraph("**All of the cause**")
	}
	m.answer(&r)
	for _, f := range r.Further {
		title := "Another cause"
		switch f.Relation {
		case Fault:
			title = "What the cause switches on"
		case Within:
			continue
		case Interacting:
			title = "An earlier change that the cause needs"
		}
		m.further(&r, &f, title)
	}
	m.folded("How sure this is", facts(&r, (*page).reasons))
	m.folded("What it took", facts(&r, func(p *page) { p.effort(); p.surroundings() }))
	m.facts(facts(&r, func(p *page) { p.hints(r.Hints) }))
	return m.writeTo(w)
}

// further shows an answer beside that of r.
func (m *markdown) further(r *Result, f *Further, title string) {
	other := r.first(*f)
	m.paragraph("**" + title + "**")
	m.facts(facts(&other, (*page).furtherStep))
	m.answer(&other)
}

// ResultsMarkdown writes r as [Markdown] writes a result: a table of the causes and their tests, then each cause.
func ResultsMarkdown(w io.Writer, r Results) error {
	r.complete()
	m := &markdown{left: markdownLimit}
	m.heading(resultsHeadline(&r))
	if r.Tests != (Suites{}) {
		m.paragraph(withCommand(suiteEnds(&r), r.Command))
	}
	m.table(r.Causes)
	for i := range r.Causes {
		c := &r.Causes[i]
		m.paragraph(fmt.Sprintf("**Cause %d** %s", c.Number, inert(headline(&c.Result))))
		m.answer(&c.Result)
		m.folded("How sure this is", facts(&c.Result, func(p *page) { p.place(); p.certainty(); p.flaky() }))
	}
	var others []fact
	for _, u := range r.Unanswered {
		others = append(others, fact{Label: "no answer", Text: u.Name + ": " + u.Reason})
	}
	for _, l := range r.lists() {
		if n := len(l.names); n > 0 {
			others = append(others, fact{Label: l.label, Text: fmt.Sprintf("%s %s: %s", prose.Count(n, "test"), verb(n, l.one, l.many), prose.List(l.names[:min(n, mostNamed)], n))})
		}
	}
	m.facts(others)
	m.facts(facts(r.frame(), func(p *page) { p.resultsCost(&r); p.hints(r.Hints) }))
	return m.writeTo(w)
}

// withCommand is a text that names a command, as code.
func withCommand(text string, command []string) string {
	name := commandLine(command)
	before, after, ok := strings.Cut(text, name)
	if !ok || len(command) == 0 {
		return inert(text)
	}
	return inert(before) + codeSpan(name[1:len(name)-1]) + inert(after)
}

// A markdown collects blocks, each with a blank line behind it.
type markdown struct {
	out  bytes.Buffer
	left int // characters
	cut  bool
}

// markdownRest is what is kept free to say that something was cut.
const markdownRest = 200

// add adds a block if there is room for it.
func (m *markdown) add(block string) {
	n := utf8.RuneCountInString(block) + 2
	if n > m.left-markdownRest {
		m.cut = true
		return
	}
	m.left -= n
	m.out.WriteString(block + "\n\n")
}

func (m *markdown) heading(text string)   { m.paragraph("### " + inert(text)) }
func (m *markdown) paragraph(text string) { m.add(text) }

// answer adds the commit of an answer and its changes, and its context folded.
func (m *markdown) answer(r *Result) {
	for _, f := range facts(r, (*page).suspicions) {
		m.paragraph("**Warning:** " + inert(f.Text))
	}
	if c := r.Commit; c != nil {
		day, _, _ := strings.Cut(c.Date, "T")
		text := "Commit " + inert(short(c.ID))
		if r.recorded(c.ID) {
			text = "Uncommitted"
		}
		if day != "" {
			text += ", " + inert(day)
		}
		if c.Author != "" && !r.recorded(c.ID) {
			text += ", by " + codeSpan(brief(c.Author))
		}
		if c.Subject != "" {
			text += ": " + codeSpan(brief(c.Subject))
		}
		m.paragraph(text)
	}
	m.fence("diff", diffOf(r, func(p *page) {
		if !p.suspectCommits() {
			p.cause()
		}
	}))
	if r.showsContext(false) {
		m.fold(contextTitle(r), func() { m.fence("diff", diffOf(r, (*page).contextChanges)) })
	}
}

// brief is a line of text that is not too long for a paragraph.
func brief(text string) string { return (&prose.Line{}).Add(prose.Plain, text).Cut(200).Render(false) }

// diffOf is what the text has of changes: whole if that is no more than a reader scrolls through.
func diffOf(r *Result, write func(*page)) string {
	const columns, most = 500, 20_000
	for _, full := range []bool{true, false} {
		p := &page{sheet: newSheet(TextOptions{Width: 120, Full: full, Gone: true}), r: r, told: map[string]bool{}}
		p.columns = columns
		if r.Commit != nil {
			p.told[r.Commit.ID] = true
		}
		if write(p); !full || p.out.Len() <= most {
			return strings.Trim(p.out.String(), "\n")
		}
	}
	return ""
}

// fence adds lines as code, as many as there is room for.
func (m *markdown) fence(language, text string) {
	if text == "" {
		return
	}
	longest, run := 2, 0
	for _, c := range text {
		if run++; c != '`' {
			run = 0
		}
		longest = max(longest, run)
	}
	fence := strings.Repeat("`", longest+1)
	lines := strings.Split(text, "\n")
	n := m.fitting(lines)
	if n == 0 || 2*len(fence) > 2000 {
		m.cut = true
		return
	}
	m.add(fence + language + "\n" + strings.Join(lines[:n], "\n") + "\n" + fence)
	if n < len(lines) {
		m.add("… " + prose.Count(len(lines)-n, "more line"))
	}
}

// fold adds what write adds so that it has to be unfolded. What is inside is Markdown behind a blank line only.
func (m *markdown) fold(title string, write func()) {
	const end = "</details>"
	if m.left < markdownRest+500 {
		m.cut = true
		return
	}
	m.left -= len(end) + 2                                                // it is closed, whatever is cut
	m.add("<details><summary>" + html.EscapeString(title) + "</summary>") // nothing in this block is Markdown
	write()
	m.out.WriteString(end + "\n\n")
}

func (m *markdown) folded(title string, list []fact) {
	if len(list) > 0 {
		m.fold(title, func() { m.facts(list) })
	}
}

// facts adds a list.
func (m *markdown) facts(list []fact) {
	var items []string
	for _, f := range list {
		text := "- "
		if f.Label != "" {
			text += "**" + inert(f.Label) + "** "
		}
		text += inert(cutText(f.Text))
		if f.Command != "" {
			text += " " + codeSpan(cutText(f.Command))
		}
		items = append(items, text)
	}
	if n := m.fitting(items); n > 0 {
		m.add(strings.Join(items[:n], "\n"))
	}
}

// cutText is a text that leaves room for others.
func cutText(text string) string {
	return (&prose.Line{}).Add(prose.Plain, strings.ReplaceAll(text, "\u00a0", " ")).Cut(2000).Render(false) // as facts ties words
}

// table adds the causes, a row each, with their first tests.
func (m *markdown) table(list []Cause) {
	if len(list) == 0 {
		return
	}
	const most = 100
	rows := []string{"| cause | tests | changes | commit |", "|---:|---|---:|---|"}
	for i := range list[:min(len(list), most)] {
		c := &list[i]
		var names []string
		for _, name := range c.Names()[:min(len(c.Tests), mostNamed)] {
			names = append(names, brief(name))
		}
		commit := ""
		if c.Result.Commit != nil {
			commit = inert(c.Result.commitName(c.Result.Commit.ID))
		}
		rows = append(rows, fmt.Sprintf("| %d | %s | %d | %s |", c.Number, inert(prose.List(names, len(c.Tests))), len(c.Result.Cause), commit))
	}
	n := m.fitting(rows)
	if n <= 2 {
		return
	}
	m.add(strings.Join(rows[:n], "\n"))
	if more := len(list) - (n - 2); more > 0 {
		m.add("… " + prose.Count(more, "more cause"))
	}
}

// fitting is how many of some lines there is room for, beside a note that says what is cut.
func (m *markdown) fitting(lines []string) int {
	room := m.left - markdownRest - 100
	for i, line := range lines {
		if room -= utf8.RuneCountInString(line) + 1; room < 0 {
			m.cut = true
			return i
		}
	}
	return len(lines)
}

// writeTo writes the blocks, and says that some were cut.
func (m *markdown) writeTo(w io.Writer) error {
	if m.cut {
		fmt.Fprintf(&m.out, "*This is cut to %s characters: `gitdd show --full` shows all.*\n", prose.Number(markdownLimit))
	}
	text := append(bytes.TrimRight(m.out.Bytes(), "\n"), '\n')
	if _, err := w.Write(text); err != nil {
		return fmt.Errorf("write Markdown: %w", err)
	}
	return nil
}

// inert is text that means nothing to GitHub: neither Markdown nor HTML, nor a table, nor a name, a number or a link
// that it would find behind all escapes. A zero-width space is what it does not look behind. What means something at
// the begin of a line only is not escaped: there are words of gitdd's there.
func inert(text string) string { return markdownEscapes.Replace(prose.Printable(text)) }

var markdownEscapes = strings.NewReplacer(
	`\`, `\\`, "`", "\\`", "*", `\*`, "_", `\_`, "[", `\[`, "]", `\]`, "<", `\<`, ">", `\>`, "~", `\~`, "&", `\&`, "$", `\$`, "|", "&#124;",
	"@", "\\@\u200b", "#", "\\#\u200b", "://", ":\u200b//", "www.", "www\u200b.", "GH-", "GH\u200b-", "gh-", "gh\u200b-",
)

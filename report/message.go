package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/gitdd/gitdd/internal/prose"
)

// A Message is what a commit message needs that is not in a result.
type Message struct {
	Revert  bool   // the commit takes the cause out, else it puts the cause on
	Onto    string // the revision it stands on, by its name
	Tested  string // how a trial of the commit's own tree ended: "pass", "fail", "unresolved"; "" = there was none
	Version string // of gitdd
	Command string // the gitdd command line that found the cause
}

// The widths of commit messages: a subject that no list of commits cuts, and text
// that is still within 80 columns when git log indents it.
const (
	subjectWidth = 68
	bodyWidth    = 72
)

// CommitMessage is the message of a commit that takes the cause of r out of a
// revision, or puts it on one: the subject, why, the cause as a diff, the commits
// it is from, and the evidence. No line of it can be taken for a diff by who
// applies the commit as a mail, and no byte of it reaches a terminal unescaped.
func CommitMessage(r Result, m Message) string {
	p := narrowPage(&r, bodyWidth, nil)
	var b strings.Builder
	b.WriteString(p.subject(m) + "\n")
	paragraph := func(text string) {
		b.WriteString("\n")
		for _, s := range prose.Wrap(prose.Printable(text), bodyWidth) {
			b.WriteString(s + "\n")
		}
	}
	causes := r.Causes()[:r.Together()]
	them := these(len(r.Cause))
	if len(causes) > 1 {
		them = "the changes of all"
	}
	what := "puts " + them + " on "
	if m.Revert {
		what = "takes " + them + " out of "
	}
	heading := headline(&r)
	if len(causes) > 1 {
		heading = fmt.Sprintf("The %s has %s causes.", sought(&r), prose.Number(len(causes)))
	}
	paragraph(heading + " " + ends(&r) + " This commit " + what + m.Onto + ":")

	diff := narrowPage(&r, bodyWidth-4, nil)
	for i := range causes {
		diff.r = &causes[i]
		diff.cause()
	}
	b.WriteString("\n")
	for line := range strings.Lines(strings.Trim(diff.out.String(), "\n")) {
		if line = strings.TrimRight(line, "\n"); line != "" {
			line = "    " + line
		}
		b.WriteString(line + "\n")
	}

	verb := "This puts on part of commit "
	if m.Revert != undoes(&r) {
		verb = "This reverts part of commit "
	}
	const most = 10 // commits named
	var commits []Commit
	for _, c := range causes {
		of := c.Commits
		if len(of) == 0 && c.Commit != nil {
			of = []Commit{*c.Commit}
		}
		for _, commit := range of {
			if !slices.Contains(commits, commit) {
				commits = append(commits, commit)
			}
		}
	}
	commits = slices.DeleteFunc(commits, func(c Commit) bool { return r.recorded(c.ID) }) // git does not know them
	for i, c := range commits {
		if i == most {
			paragraph("The rest is from " + prose.Count(len(commits)-most, "other commit") + ".")
			break
		}
		paragraph(verb + c.ID + fmt.Sprintf(" (%s, by %s, %.10s).", c.Subject, c.Author, c.Date))
	}
	others := 0
	for _, f := range r.Further {
		if !f.ofCause() && !(f.isCause() && len(causes) > 1) {
			others++
		}
	}
	if others > 0 {
		paragraph("Not of this commit: " + prose.Count(others, "further cause") + " that gitdd found besides.")
	}

	b.WriteString("\n")
	for _, e := range p.evidence(m) {
		for i, s := range prose.Wrap(prose.Printable(e), bodyWidth-2) {
			bullet := "  "
			if i == 0 {
				bullet = "- "
			}
			b.WriteString(bullet + s + "\n")
		}
	}
	b.WriteString("\nGitdd-Version: " + prose.Printable(m.Version) + "\n")
	b.WriteString("Gitdd-Session: " + prose.Printable(r.Session) + "\n")
	b.WriteString("Gitdd-Command: " + prose.Printable(m.Command) + "\n")
	return b.String()
}

func these(n int) string {
	if n == 1 {
		return "it"
	}
	return "them"
}

// subject is the first line.
func (p *page) subject(m Message) string {
	r := p.r
	verb := "Put on"
	if m.Revert {
		verb = "Revert"
	}
	text := verb + " what makes " + commandLine(r.Command) + " fail"
	if r.Direction == Fix {
		text = verb + " what makes " + commandLine(r.Command) + " pass"
	}
	if r.Measured != nil {
		result, _ := r.Measured.effect()
		text = verb + " what makes " + commandLine(r.Command) + " " + result
	}
	if r.Commit != nil && r.Together() == 1 {
		if verb = "Put on"; m.Revert != undoes(r) {
			verb = "Revert"
		}
		text = verb + ` part of "` + r.Commit.Subject + `"`
	}
	return (&prose.Line{}).Add(prose.Plain, text).Cut(subjectWidth).Render(false)
}

// evidence says what the commit rests on.
func (p *page) evidence(m Message) []string {
	r := p.r
	list := []string{
		fmt.Sprintf("passing tree %s, with %s of %s", r.Passing.Tree, prose.Number(r.Passing.Changes), prose.Count(total(r), "change")),
		fmt.Sprintf("failing tree %s, with %s", r.Failing.Tree, prose.Number(r.Failing.Changes)),
	}
	t := r.Trials
	if r.Measured != nil {
		list = append(list, fmt.Sprintf("%s, %s of them unresolved", prose.Count(t.Run, "trial"), prose.Number(t.Unresolved)))
	} else {
		list = append(list, fmt.Sprintf("%s: %s pass, %s fail, %s unresolved", prose.Count(t.Run, "trial"), prose.Number(t.Pass), prose.Number(t.Fail), prose.Number(t.Unresolved)))
	}
	certainty := narrowPage(r, 1<<20, p.called)
	certainty.certainty()
	list = append(list, strings.TrimSpace(strings.TrimPrefix(strings.TrimSpace(certainty.out.String()), "checked")))
	for _, patch := range r.Around.Patches {
		list = append(list, "tested with the patch "+patch+" on every configuration")
	}
	for _, overlay := range r.Around.Overlay {
		list = append(list, "tested with "+overlay+" laid over every configuration")
	}
	switch m.Tested {
	case "":
		return append(list, "the tree of this commit itself was in no trial: test it")
	case "unresolved":
		return append(list, "the tree of this commit itself was tested, and could not be judged")
	}
	if r.Measured != nil { // Tested is by the exit status
		return append(list, "the tree of this commit itself was measured")
	}
	return append(list, "the tree of this commit itself was tested: "+m.Tested)
}

// narrowPage is a page of some width for a text that outlives the session.
func narrowPage(r *Result, width int, called func(string) string) *page {
	p := &page{sheet: newSheet(TextOptions{Gone: true, Named: called}), r: r, told: map[string]bool{}}
	p.width, p.columns = width, width
	return p
}

package report

import (
	"fmt"
	"strings"

	"github.com/gitdd/gitdd/internal/prose"
)

// OtherFailures are trials that failed, but not as the failing end did: by
// another class of exit status or another signal, by an output that does not
// match, or with another signature. They are among the unresolved ones.
type OtherFailures struct {
	Trials int    `json:"trials"` // how many
	First  int    `json:"first"`  // the number of the first of them; 0 = there is none
	Reason string `json:"reason"` // of that trial: how it ended, and what the failing end did
	Line   string `json:"line"`   // the last line that it printed
}

// signature says what the failure was told by.
func (p *page) signature() {
	if p.r.Signature != "" {
		p.item("signature", p.r.Signature)
	}
}

// others says how often another failure came in the way.
func (p *page) others() {
	o := p.r.Others
	if o.Trials == 0 {
		return
	}
	p.item("other", o.sentence("unresolved trial", "the failing end"))
}

// sentence says how many trials failed otherwise than something does, and shows one.
func (o OtherFailures) sentence(trial, than string) string {
	text := fmt.Sprintf("%s failed otherwise than %s, as trial %d", prose.Count(o.Trials, trial), than, o.First)
	if o.Line != "" && !strings.Contains(o.Reason, o.Line) { // the reason may quote it
		text += fmt.Sprintf(" with the output line %s", quoted(o.Line))
	}
	if o.Reason != "" {
		text += ": " + o.Reason
	}
	return text
}

// quoted is a line of output, shortened to a readable length.
func quoted(line string) string {
	return `"` + (&prose.Line{}).Add(prose.Plain, line).Cut(60).Render(false) + `"`
}

// A Suspicion is a reason to doubt that the cause makes the difference.
type Suspicion struct {
	Kind    Doubt    `json:"kind"`
	Text    string   `json:"text"`    // what is odd, and what to do about it
	Changes []string `json:"changes"` // ids of the members of the cause that it is about; all, for what is built
}

// A Doubt is a kind of suspicion.
type Doubt string

// What is odd about a cause. More may come.
const (
	OnlyComments      Doubt = "comments"      // comments, with or without white space and documentation
	OnlySpace         Doubt = "white-space"   // nothing else
	OnlyDocumentation Doubt = "documentation" // files for readers
	OnlyTests         Doubt = "tests"         // files of tests
	OwnTest           Doubt = "own-test"      // files that the command runs
	SameArtifact      Doubt = "same-artifact" // both ends build to the same
	NoArtifact        Doubt = "no-artifact"   // an end has nothing to compare
	BeganAgain        Doubt = "began-again"   // a first answer was contradicted when its ends were tested again
	OtherMessage      Doubt = "other-message" // with the cause the test prints another error, message or value than the failing end
	PassingError      Doubt = "passing-error" // the passing end of the answer prints an error that neither end of the search prints
	OtherExit         Doubt = "other-exit"    // failing trials had another exit status than the failing end, whose output varies
)

// An Artifact is what the fresh builds of both ends of an answer left at a path.
type Artifact struct {
	Path    string `json:"path"`    // from the top of the workspace
	Passing string `json:"passing"` // a digest; "" = there was nothing to read
	Failing string `json:"failing"`
}

// suspicions are told before the changes that are blamed.
func (p *page) suspicions() {
	if len(p.r.Suspicions) == 0 {
		return
	}
	p.blank()
	for _, s := range p.r.Suspicions {
		p.item("warning", s.Text)
	}
}

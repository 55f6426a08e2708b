package report

import (
	"fmt"
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
	text := fmt.Sprintf("%s failed otherwise than the failing end, as trial %d: %s", Count(o.Trials, "unresolved trial"), o.First, o.Reason)
	if o.Line != "" {
		text += fmt.Sprintf(", last output line %s", quoted(o.Line))
	}
	p.item("other", text)
}

// quoted is a line of output, shortened to a readable length.
func quoted(line string) string {
	return `"` + (&Line{}).Add(Plain, line).Cut(60).Render(false) + `"`
}

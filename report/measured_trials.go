package report

import (
	"fmt"
	"strings"

	"github.com/gitdd/gitdd/internal/prose"
)

// byNumber returns s with the outcomes that the numbers of its trials tell by the threshold of the answer. In the session
// a trial that ends with status 0 passes, whatever its number. Steps have the outcomes that the search took them for.
func (r *Result) byNumber(s *Story) *Story {
	good, bad, ok := r.Measured.levels()
	if !ok {
		return s
	}
	side := map[string]string{} // of trees that are an end of an answer
	for _, f := range r.Further {
		side[f.Passing.Tree], side[f.Failing.Tree] = "pass", "fail"
	}
	side[r.Passing.Tree], side[r.Failing.Tree] = "pass", "fail"
	delete(side, "")
	judged := *s
	judged.Trials = append([]Trial(nil), s.Trials...)
	middle := good/2 + bad/2
	for i := range judged.Trials {
		t := &judged.Trials[i]
		switch known := side[t.Tree]; {
		case t.Value == nil || t.Outcome != "pass":
		case known != "":
			t.Outcome = known
		case *t.Value != middle && (*t.Value > middle) == (bad > good):
			t.Outcome = "fail"
		}
	}
	return &judged
}

// number is that of a trial for a reader, "" if it has none.
func (t *Trial) number(m *Measured) string {
	if m == nil || t.Value == nil {
		return ""
	}
	return prose.Printable(m.amount(*t.Value))
}

// effect says what a change makes a command do, and what the command does without it.
func (m *Measured) effect() (result, other string) {
	verb := m.verb()
	good, bad, ok := m.levels()
	if !ok {
		return verb + " another number", verb + " another number"
	}
	return fmt.Sprintf("%s %s instead of %s", verb, m.about(bad), m.about(good)), fmt.Sprintf("%s %s instead of %s", verb, m.about(good), m.about(bad))
}

// verb says what a command does with its number.
func (m *Measured) verb() string {
	switch what, _, _ := strings.Cut(m.What, ":"); what {
	case "time", "cpu", "memory", "instructions":
		return "take"
	case "size":
		return "make"
	}
	return "give"
}

package main

import (
	"fmt"

	"github.com/gitdd/gitdd/isolate"
	"github.com/gitdd/gitdd/trial"
)

type view struct{ a *app }

func (a *app) view(n, jobs int) *view { return &view{a} }
func (v *view) event(e trial.Event) {
	if e.Kind == trial.Finished {
		fmt.Fprintf(v.a.stderr, "gitdd: trial %d: %d changes: %v (%s)\n", e.Trial, e.Config.Len(), e.Verdict.Outcome, e.Verdict.Reason)
	}
}
func (v *view) step(answer, isolate.Step) {}
func (v *view) ends(trial.Ends)           {}
func (v *view) note(s string)             { v.a.complain(fmt.Errorf("%s", s)) }
func (v *view) close()                    {}

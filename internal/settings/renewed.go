package settings

import (
	"fmt"

	"github.com/spf13/pflag"
)

// Renewed has the settings that a session can be told anew when it is resumed.
type Renewed struct {
	judging
	Machines
	maxCost int
	finish  bool
	fast    bool
	into    string
	given   *pflag.FlagSet // knows which flags were given
}

// Flags adds the flags of gitdd resume.
func (r *Renewed) Flags(flags *pflag.FlagSet) {
	r.given = flags
	flags.SortFlags = false
	flags.IntVarP(&r.Jobs, "jobs", "j", 1, "run `N` trials at a time from now on (default as before)")
	flags.Lookup("jobs").DefValue = "0" // not shown beside that
	flags.IntVar(&r.MaxTrials, "max-trials", 0, "stop after `N` trials, those of before included (default no limit)")
	flags.DurationVar(&r.MaxTime, "max-time", 0, "stop after `TIME` from now (default no limit)")
	flags.IntVar(&r.maxCost, "max-cost", 0, "look ahead by at most `N` trials from now on (default as before)")
	FinishFlag(flags, &r.finish)
	flags.BoolVar(&r.fast, "fast", false, "of a reduction: go on with or without trying each element (default as before)")
	intoFlag(flags, &r.into)
	r.Machines.moved(flags)
}

// Renew takes what a session is told anew, and checks the settings. The session has the name session.
func (s *Search) Renew(r *Renewed, session string) error {
	s.judging.renew(r)
	if r.given.Changed("max-cost") {
		s.maxCost = r.maxCost
	}
	if r.given.Changed("into") {
		s.Into = r.into
	}
	if err := s.Machines.Renew(r.Machines.Options); err != nil {
		return err
	}
	if s.Bisect.WriteBack = s.Bisect.WriteBack || r.finish; r.finish && s.Bisect.Log == "" {
		return notBisect(session)
	}
	return s.Check()
}

// Renew is Search.Renew for a reduction.
func (s *Reduction) Renew(r *Renewed, session string) error {
	s.judging.renew(r)
	if r.given.Changed("fast") {
		s.Fast = r.fast
	}
	if r.given.Changed("finish") {
		return notBisect(session)
	}
	if err := s.Machines.Renew(r.Machines.Options); err != nil {
		return err
	}
	return s.Check()
}

func (s *judging) renew(r *Renewed) {
	if r.given.Changed("jobs") {
		s.Jobs = r.Jobs
	}
	s.MaxTrials, s.MaxTime = r.MaxTrials, r.MaxTime
}

// notBisect is the error where the verdict on a session should go into a git bisect, and it is about none.
func notBisect(session string) error {
	return fmt.Errorf("--finish: session %s is not one of `gitdd bisect`", session)
}

package settings

import (
	"fmt"
	"path/filepath"
	"slices"

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
	with    []string
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
	flags.StringArrayVar(&r.with, "with", nil, "take a dependency for --into from the clone `NAME=DIR`; see gitdd help into (repeatable)")
	r.Machines.moved(flags)
}

// Absolute makes the paths of the flags absolute, as the session may have been begun elsewhere.
func (r *Renewed) Absolute() error {
	for i, text := range r.with {
		w, err := ParseWith(text)
		if err != nil || w.Good != "" {
			continue // which Renew refuses
		}
		if w.Dir, err = filepath.Abs(w.Dir); err != nil {
			return err
		}
		r.with[i] = w.Name + "=" + w.Dir
	}
	return r.Machines.Absolute()
}

// clones takes the clones of dependencies that --with names, each in the place of one of that name.
func (s *Search) clones(r *Renewed, session string) error {
	if in := s.Insides(); len(in) > 0 && len(r.with) > 0 {
		return fmt.Errorf("--with: session %s is inside %s already, with the files that it has: `gitdd resume --into --with NAME=DIR %s` goes into it anew", session, in[len(in)-1].Name, in[0].Session)
	}
	for _, text := range r.with {
		w, err := ParseWith(text)
		if err != nil {
			return err
		}
		if w.Good != "" {
			return fmt.Errorf("--with %s: session %s has both ends of its search: want NAME=DIR, a clone of a dependency for --into; `gitdd run --with` searches several repositories", text, session)
		}
		s.With = slices.DeleteFunc(s.With, func(text string) bool {
			had, err := ParseWith(text)
			return err == nil && had.Good == "" && had.Name == w.Name
		})
		s.With = append(s.With, text)
	}
	return nil
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
	if err := s.clones(r, session); err != nil {
		return err
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
	if r.given.Changed("into") || r.given.Changed("with") {
		return fmt.Errorf("--into and --with are about dependencies, and session %s has reduced an input", session)
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

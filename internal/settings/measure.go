package settings

import (
	"errors"
	"fmt"

	"github.com/spf13/pflag"

	"github.com/gitdd/gitdd/internal/git"
	"github.com/gitdd/gitdd/internal/measure"
	"github.com/gitdd/gitdd/search"
	"github.com/gitdd/gitdd/trial"
)

// measuring has the settings of trials that have a number.
type measuring struct {
	Measure measure.What  // the zero What = trials have none
	Worse   measure.Worse // the difference that matters; zero = none was named
	Better  bool          // search for what made the number better

	worse      string // --worse, which can be read when Measure is known
	inParallel bool
}

// MeasureFlags adds the flags of trials that have a number.
func (s *measuring) MeasureFlags(flags *pflag.FlagSet) {
	flags.Var((*whatMeasured)(&s.Measure), "measure", "measure `WHAT` in each trial that ends with status 0: time, cpu, memory, size:PATH, regex:RE, json:FILE:POINTER, go-bench:NAME, hyperfine:FILE or instructions; without a number it is unresolved; see gitdd help measure")
	flags.BoolVar(&s.inParallel, "measure-in-parallel", false, "with -j, measure times of trials that run at the same time")
	flags.StringVar(&s.worse, "worse", "", "with --measure, the `DIFFERENCE` that matters: a percentage as 5%, or an amount as 30ms, 300kB or 0.2")
	flags.BoolVar(&s.Better, "better", false, "with --measure, search for what made the number better")
}

// checkMeasure is Check of what is measured, and reads --worse.
func (s *Search) checkMeasure() (err error) {
	switch {
	case s.Measure.IsZero() && (s.worse != "" || s.Better || s.inParallel):
		return errors.New("--worse, --better and --measure-in-parallel are about the number of --measure: name it, too, such as --measure time")
	case s.Measure.IsZero():
		return nil
	case s.Good == git.Auto:
		return errors.New("--good auto goes back until a commit passes, and a number does not pass by itself: with --measure name the good revision")
	case s.Each != "":
		return errors.New("--measure takes one number of each trial, and --each an outcome for each test: want one of them")
	case s.Measure.Clock() && s.Jobs > 1 && !s.inParallel:
		return fmt.Errorf("--measure %s depends on what else the machine does, and -j %d runs trials at the same time: want -j 1, or --measure-in-parallel when the search begins", s.Measure, s.Jobs)
	}
	if s.Machines.Named() {
		if err := trial.MeasuredAway(s.Measure); err != nil {
			return fmt.Errorf("--measure %s: %w", s.Measure, err)
		}
	}
	s.Worse = measure.Worse{}
	if s.worse != "" {
		if s.Worse, err = measure.ParseWorse(s.worse, s.Measure); err != nil {
			return fmt.Errorf("--worse: %w", err)
		}
	}
	return nil
}

// numbers is how the search judges numbers. --repeat is how often either end is measured at most.
func (s *Search) numbers() *search.Numbers {
	n := &search.Numbers{Confidence: s.Confidence, Exact: s.Measure.Deterministic(), Format: measure.Format}
	n.Noisy = s.Confidence > 0 && !n.Exact
	if s.repeat > 1 {
		n.Repeats = s.repeat
	}
	if !s.Worse.IsZero() {
		n.Least = s.Worse.At
	}
	switch {
	case !s.Measure.LessIsBetter(): // whichever way it went
	case s.Better:
		n.Larger = -1
	default:
		n.Larger = 1
	}
	return n
}

// A whatMeasured is the value of --measure.
type whatMeasured measure.What

func (w *whatMeasured) Set(word string) error {
	what, err := measure.Parse(word)
	if err == nil {
		*w = whatMeasured(what)
	}
	return err
}

func (w *whatMeasured) String() string { return measure.What(*w).String() }

func (w *whatMeasured) Type() string { return "what" }

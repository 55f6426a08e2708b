package main

import (
	"fmt"
	"regexp"

	"github.com/gitdd/gitdd/isolate"
	"github.com/gitdd/gitdd/report"
	"github.com/gitdd/gitdd/trial"
)

// otherwise hints at failing trials that ended as the failing end did as far as
// was asked for, but by another exit status, or with another last line. They may
// be another failure, which a search cannot know. "" when there are none.
func otherwise(records []trial.Record, end *trial.Record) string {
	if end == nil {
		return ""
	}
	failed, others := 0, 0
	var first trial.Record
	for _, r := range records {
		if r.Purpose == trial.End || r.Key != end.Key || isolate.Outcome(r.Outcome) != isolate.Fail {
			continue
		}
		failed++
		if ending(r) == ending(*end) {
			continue
		}
		if others++; others == 1 || r.Trial < first.Trial {
			first = r
		}
	}
	if others == 0 {
		return ""
	}
	return fmt.Sprintf("%s of %s ended otherwise than the failing end, as trial %d (%s): if that is another failure, --match or --same-output tells them apart",
		report.Number(others), report.Count(failed, "failing trial"), first.Trial, told(first))
}

// otherFailures counts the trials that failed, but are unresolved because the
// failing end failed otherwise.
func otherFailures(records []trial.Record, end *trial.Record) (o report.OtherFailures) {
	if end == nil {
		return o
	}
	for _, r := range records {
		if !r.Other || r.Key != end.Key {
			continue
		}
		if o.Trials++; o.Trials == 1 || r.Trial < o.First {
			o.First, o.Reason, o.Line = r.Trial, r.Reason, r.Last
		}
	}
	return o
}

// failingEnd is the trial that all failures are compared with, nil if the ends do
// not differ. A flaky end has attempts that say something else.
func failingEnd(records []trial.Record, ends trial.Ends) *trial.Record {
	failing := ends.Bad
	if ends.Direction == trial.Fix {
		failing = ends.Good
	}
	if ends.Good.Outcome == ends.Bad.Outcome || failing.Outcome != isolate.Fail {
		return nil
	}
	for i, r := range records {
		if r.Trial == failing.Trial {
			return &records[i]
		}
	}
	return nil
}

// ending is how a trial ended, without what differs from one run to the next:
// numbers, times and addresses.
func ending(r trial.Record) string {
	return fmt.Sprint(r.Exit, r.Signal, r.TimedOut, numbersIn.ReplaceAllString(r.Last, "0"))
}

var numbersIn = regexp.MustCompile(`0x[0-9a-fA-F]+|[0-9a-fA-F]*[0-9][0-9a-fA-F]*`)

// told is how a trial ended, in words.
func told(r trial.Record) string {
	text := fmt.Sprintf("exit %d", r.Exit)
	switch {
	case r.TimedOut:
		text = "no end in time"
	case r.Signal != "":
		text = r.Signal
	}
	if r.Last == "" {
		return text + ", no output"
	}
	return text + ", \"" + (&report.Line{}).Add(report.Plain, r.Last).Cut(60).Render(false) + "\""
}

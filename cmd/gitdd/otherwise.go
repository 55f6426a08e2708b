package main

import (
	"fmt"
	"regexp"

	"github.com/gitdd/gitdd/internal/git"
	"github.com/gitdd/gitdd/isolate"
	"github.com/gitdd/gitdd/report"
	"github.com/gitdd/gitdd/trial"
)

// otherwise hints at failing trials that ended as the failing end did as far as
// was asked for, but by another exit status, or with another last line. They may
// be another failure, which a search cannot know. "" when there are none.
func otherwise(records []trial.Record) string {
	end := failingEnd(records)
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
func otherFailures(records []trial.Record) (o report.OtherFailures) {
	end := failingEnd(records)
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

// signature is that of the failing end.
func signature(records []trial.Record) string {
	if end := failingEnd(records); end != nil {
		return end.Signature
	}
	return ""
}

// failingEnd is the trial of the end that fails, nil if there is none: with the
// settings of the last, for a resumed session may have other ones. Of a flaky
// test it is the first trial of the end that fails more often.
func failingEnd(records []trial.Record) (end *trial.Record) {
	type place struct {
		tree git.ID
		key  string
	}
	fails := map[place]int{}
	first := map[place]*trial.Record{}
	for i, r := range records {
		if r.Purpose != trial.End || isolate.Outcome(r.Outcome) != isolate.Fail {
			continue
		}
		p := place{r.Tree, r.Key}
		if fails[p]++; fails[p] == 1 {
			first[p] = &records[i]
		}
		if end == nil || end.Key != r.Key || fails[p] >= fails[place{end.Tree, end.Key}] {
			end = first[p]
		}
	}
	return end
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

package main

import (
	"fmt"
	"regexp"

	"github.com/gitdd/gitdd/isolate"
	"github.com/gitdd/gitdd/report"
	"github.com/gitdd/gitdd/trial"
)

// otherwise warns of failing trials that did not end as the failing end did: by
// their exit status, or the last line that they printed. They may be another
// failure, which a search cannot know. "" when there are none.
func otherwise(records []trial.Record) string {
	var end *trial.Record
	for i, r := range records {
		if r.Purpose == trial.End && isolate.Outcome(r.Outcome) == isolate.Fail {
			end = &records[i] // the last: a resumed session may have other settings
		}
	}
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
	return fmt.Sprintf("%s of %s ended otherwise than the failing end, as trial %d (%s): if that is another failure, --match tells them apart",
		report.Number(others), report.Count(failed, "failing trial"), first.Trial, told(first))
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

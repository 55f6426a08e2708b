package main

import (
	"bytes"
	"encoding/json"
	"os"
	"strings"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/rogpeppe/go-internal/testscript"

	"github.com/gitdd/gitdd/report"
)

// promised are the keys of schema gitdd.result/1 as it was published, objects
// below their key: later versions may add keys, but keep these and their order.
const promised = `
schema session status reason direction
good good.rev good.commit good.tree bad bad.rev bad.commit bad.tree
changes changes.total changes.files
commit commit.id commit.subject commit.author commit.date
cause cause.id cause.kind cause.path cause.old_path cause.old_start cause.old_lines cause.new_start cause.new_lines
cause.symbol cause.commits cause.old cause.new
context passing passing.tree passing.changes failing failing.tree failing.changes
minimal unproven verified confidence
trials trials.run trials.cached trials.pass trials.fail trials.unresolved
seconds seconds.total seconds.testing jobs algorithm seed`

// ordered checks that the promised keys are there, in their order, in a result of one
// commit with at least one member of the cause.
func ordered(ts *testscript.TestScript, text string) {
	keys := keys(ts, text)
	// Invariant: the promised keys before this one are all there, in order.
	for _, key := range strings.Fields(promised) {
		for len(keys) > 0 && keys[0] != key {
			keys = keys[1:]
		}
		if len(keys) == 0 {
			ts.Fatalf("key %s is missing, or not in its place, in\n%s", key, text)
		}
	}
}

// keys lists the keys of a JSON text as they come, below the keys of the
// objects that they are in.
func keys(ts *testscript.TestScript, text string) []string {
	var list []string
	d := json.NewDecoder(strings.NewReader(text))
	var value func(above string)
	value = func(above string) {
		token, err := d.Token()
		ts.Check(err)
		delim, nested := token.(json.Delim)
		if !nested {
			return
		}
		for d.More() {
			key := above
			if delim == '{' {
				name, err := d.Token()
				ts.Check(err)
				key = strings.TrimPrefix(above+"."+name.(string), ".")
				list = append(list, key)
			}
			value(key)
		}
		_, err = d.Token()
		ts.Check(err)
	}
	value("")
	return list
}

// same compares two results but for what cannot be the same: the session, the
// time it took, and what was asked once more when a session was resumed.
func same(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: same FILE FILE")
	}
	var results [2]report.Result
	for i, name := range args {
		var err error
		results[i], err = report.ReadJSON(strings.NewReader(ts.ReadFile(name)))
		ts.Check(err)
	}
	if diff := answersDiffer(results[0], results[1]); diff != "" {
		ts.Fatalf("-%s +%s:\n%s", args[0], args[1], diff)
	}
}

// answersDiffer is "" when two results give the same answer. How many trials
// more than one job has run ahead is a matter of time.
func answersDiffer(a, b report.Result) string {
	ignored, flaky := []string{"Session", "Seconds", "Jobs"}, []string{}
	if a.Jobs > 1 || b.Jobs > 1 {
		ignored = append(ignored, "Trials", "Timeouts")
		flaky = append(flaky, "Torn")
		a.Checks.Run, a.Checks.Rejected = b.Checks.Run, b.Checks.Rejected
	}
	return cmp.Diff(a, b, cmpopts.IgnoreFields(report.Result{}, append(ignored, "Beyond")...), cmpopts.IgnoreFields(report.Trials{}, "Cached"),
		cmpopts.IgnoreFields(report.Timeouts{}, "Shortest", "Longest"), cmpopts.IgnoreFields(report.Surroundings{}, "Memory", "Disk"), cmpopts.IgnoreFields(report.Flaky{}, flaky...))
}

// readResult reads the result in a file.
func readResult(name string) (report.Result, error) {
	text, err := os.ReadFile(name)
	if err != nil {
		return report.Result{}, err
	}
	return report.ReadJSON(bytes.NewReader(text))
}

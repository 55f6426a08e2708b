package suite

import (
	"slices"
	"strings"

	"github.com/gitdd/gitdd/isolate"
)

// A Result is what one test did.
type Result struct {
	Name    string          // printable, unique in a Report; see the package comment
	Parent  string          // the Name of the test or package that this test is part of, "" if none is known
	Outcome isolate.Outcome // Unresolved if it was skipped or cut short
	Message string          // of a failure: the beginning of what is said of it, of several lines; at most 1,000 bytes
	File    string          // where the message places the failure, with slashes; "" if it does not
	Line    int             // the line in File, 0 if it is not known
}

// A Report is what the tests of a suite did in one run.
type Report struct {
	Tests      []Result // sorted by Name, each name once
	Repeated   []string `json:",omitempty"` // sorted names of tests with several results, of which Tests has the worst; none of pytest and unittest, which tell results twice
	NotRun     []string // sorted names of packages, files, modules, classes or binaries that were not built or set up, or crashed
	Incomplete string   // why Tests may lack tests that the suite has; "" if it has all
	Format     string   `json:",omitempty"` // the name of the format that auto has found, "" of others
	NotFound   string   `json:",omitempty"` // what the runner was asked for and does not have, if it ran no test because of that: pytest
	Build      string   // the first 64 KiB of what a build printed, where the format has that apart: go
}

// Outcome returns the outcome of a test, Unresolved if the report does not have it. It takes logarithmic time.
func (r Report) Outcome(name string) isolate.Outcome {
	return r.Find(name).Outcome
}

// Find returns the result of a test, the zero Result if the report does not have it. It takes logarithmic time.
func (r Report) Find(name string) Result {
	at, found := slices.BinarySearchFunc(r.Tests, name, func(t Result, name string) int { return strings.Compare(t.Name, name) })
	if !found {
		return Result{}
	}
	return r.Tests[at]
}

// Innermost returns the results without those that other results say already, in their order: a parent is left out unless
// it fails and none of its parts does. Of the tests that fail it leaves those whose failure is not the failure of a part.
func Innermost(results []Result) []Result {
	parents, failing := map[string]bool{}, map[string]bool{} // of any part, and of one that fails
	for _, r := range results {
		parents[r.Parent] = true
		if r.Outcome == isolate.Fail {
			failing[r.Parent] = true
		}
	}
	return slices.DeleteFunc(slices.Clone(results), func(r Result) bool {
		return parents[r.Name] && (r.Outcome != isolate.Fail || failing[r.Name])
	})
}

// A Count has how many tests had each outcome.
type Count struct{ Pass, Fail, Unresolved int }

// Total returns how many tests there are.
func (c Count) Total() int { return c.Pass + c.Fail + c.Unresolved }

// Count counts the tests of a report, without those that Innermost leaves out.
func (r Report) Count() (c Count) {
	for _, t := range Innermost(r.Tests) {
		switch t.Outcome {
		case isolate.Pass:
			c.Pass++
		case isolate.Fail:
			c.Fail++
		default:
			c.Unresolved++
		}
	}
	return c
}

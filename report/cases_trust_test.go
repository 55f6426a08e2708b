package report_test

import (
	"fmt"

	"github.com/gitdd/gitdd/report"
)

// otherwise met other failures than that of the failing end.
func otherwise() report.Result {
	r := one()
	r.Signature = "go test: TestLookup/with_defaults"
	r.Others = report.OtherFailures{
		Trials: 2, First: 7,
		Reason: `exit 1, but with signature "go test: TestParse"; at the failing end: "go test: TestLookup/with_defaults"`,
		Line:   "FAIL\tgithub.com/someone/config/internal/environment/lookup\t0.003s\x1b[2J",
	}
	return r
}

// timedOut met mixtures that hang.
func timedOut() report.Result {
	r := one()
	r.Timeouts = report.Timeouts{Trials: 28, Shortest: 2, Longest: 10}
	return r
}

// suspicious is an answer to doubt.
func suspicious() report.Result {
	r := one()
	r.Suspicions = []report.Suspicion{
		{Kind: report.OnlyComments, Changes: []string{"c1"}, Text: "the cause is only comments, which no program should notice: is the test flaky (--confidence 0.99 tells), or does the build read them?"},
		{Kind: report.SameArtifact, Changes: []string{"c1"}, Text: "the passing and the failing configuration build to identical bin/\x1b[2Jtool: it was not these changes"},
	}
	r.Artifacts = []report.Artifact{{Path: "bin/\x1b[2Jtool", Passing: "ab", Failing: "ab"}}
	return r
}

// suspiciousFurther has a reason to doubt the second answer only.
func suspiciousFurther() report.Result {
	r := allCauses()
	r.Further = r.Further[:1:1]
	r.Further[0].Suspicions = suspicious().Suspicions[:1]
	return r
}

// onlyTogether is an answer of n changes of which no part could be judged.
func onlyTogether(n int) report.Result {
	var list []report.Change
	for i := range n {
		c := hunk(fmt.Sprint("change", i), "config/strict.go", "", 10*i+1, "a\n", "b\n", ada)
		list = append(list, c)
	}
	r := base(list...)
	r.Inseparable, r.Minimal = true, false
	r.Messages = []report.Diagnostic{
		{Text: "undefined: parseAll", Trials: 31},
		{Text: "too many arguments in call to \x1b[31mread", Trials: 1},
		{Text: "declared and not used: rest", Trials: 1},
		{Text: "missing return", Trials: 1},
	}
	return r
}

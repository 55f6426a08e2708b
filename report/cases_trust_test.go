package report_test

import "github.com/gitdd/gitdd/report"

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

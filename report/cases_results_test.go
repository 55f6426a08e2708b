package report_test

import (
	"fmt"
	"strings"
	"sync"

	"github.com/gitdd/gitdd/report"
)

// resultsCases are results of searches for several tests, by the name of their golden file.
var resultsCases = sync.OnceValue(func() map[string]report.Results {
	return map[string]report.Results{
		"results_none":         resultsNone(),
		"results_one":          resultsOf(causeOf(one(), "TestParse")),
		"results_several":      resultsSeveral(),
		"results_fixed":        resultsFixed(),
		"results_budget":       resultsBudget(),
		"results_unanswered":   resultsUnanswered(),
		"results_not_isolated": resultsNotIsolated(),
		"results_hostile":      resultsHostile(),
		"results_many":         resultsMany(10_000),
	}
})

// causeOf is a cause of tests, each with a message.
func causeOf(r report.Result, tests ...string) report.Cause {
	c := report.Cause{Session: "20240305-141501-7f3b", Result: r}
	for i, name := range tests {
		c.Tests = append(c.Tests, report.FailingTest{
			Name: name, Message: fmt.Sprintf("got %d, want \"\"\n\tparse_test.go:%d: in <%s> & others", i, 10+i, name), File: "config/parse_test.go", Line: 10 + i,
		})
	}
	return c
}

// resultsOf are results with causes, the tests of which make up most of what fails.
func resultsOf(causes ...report.Cause) report.Results {
	r := report.Results{
		Schema:  report.ResultsSchema,
		Session: "20240305-141500-7f3a",
		Status:  report.Isolated,
		Good:    report.Revision{Rev: "v1.16.0", Commit: "1a2b3c4d5e6f708192a3b4c5d6e7f80918273645", Tree: "aa"},
		Bad:     report.Revision{Rev: "HEAD", Commit: "9f8e7d6c5b4a39281706f5e4d3c2b1a098765432", Tree: "bb"},
		Command: []string{"go", "test", "-json", "./..."},
		Format:  "go",
		Tests:   report.Suites{Good: report.SuiteTally{Pass: 1200, Fail: 2, Unresolved: 7}, Bad: report.SuiteTally{Pass: 1190, Fail: 12, Unresolved: 7}},
		Causes:  causes,
		Trials:  report.Trials{Run: 31, Cached: 4, Pass: 2, Fail: 29},
		Seconds: report.Seconds{Total: 312, Testing: 610},
		Jobs:    2,
	}
	for i := range r.Causes {
		r.Causes[i].Number = i + 1
	}
	return r
}

func resultsNone() report.Results {
	r := resultsOf()
	r.Unanswered = []report.UnansweredTest{{Name: "TestFlaky", Reason: "the test passed and failed at HEAD"}}
	return r
}

func resultsSeveral() report.Results {
	r := resultsOf(
		causeOf(three(), "config.TestParse", "config.TestParse/empty", "config.TestLookup", "env.TestEnv", "env.TestPrefix", "cmd.TestRun", "cmd.TestFlags", "cmd.TestHelp"),
		causeOf(suspicious(), "doc.TestLinks"), causeOf(switchesOn(true), "net.TestDial", "net.TestListen"))
	r.Both = []string{"old.TestA", "old.TestB"}
	r.New = []string{"new.TestC"}
	r.Gone = []string{"gone.TestD"}
	r.Repeated = []string{"new.TestC"}
	r.Hints = []string{"run with --build 'go build ./...' so that what does not build is told from what fails"}
	return r
}

func resultsFixed() report.Results {
	r := resultsOf(causeOf(fix(), "TestParse", "TestLookup"))
	r.Fixed = true
	return r
}

func resultsBudget() report.Results {
	r := resultsOf(causeOf(one(), "TestParse", "TestEnv"))
	r.Status, r.Reason = report.Budget, "40 trials were run (--max-trials)"
	for i := range 12 {
		r.Open = append(r.Open, fmt.Sprintf("TestOpen%d", i))
	}
	return r
}

func resultsUnanswered() report.Results {
	r := resultsOf(causeOf(one(), "TestParse"))
	for i := range 11 {
		r.Unanswered = append(r.Unanswered, report.UnansweredTest{Name: fmt.Sprintf("TestFlaky%d", i), Reason: "the failing configuration passed when it was tested again"})
	}
	return r
}

func resultsNotIsolated() report.Results {
	r := resultsOf()
	r.Status, r.Reason = report.NotIsolated, "no test passes at good and fails at bad"
	r.Trials = report.Trials{Run: 2, Pass: 2}
	r.Both = []string{"TestOld"}
	return r
}

// evilNames would like to be more than names.
var evilNames = []string{"<script>alert(1)</script>", "a\x1b[2J\u202eb\x00", "\"&'`::error::%0A", "{{.}} [x](http://evil)", "caf\xe9 \ufffe", "]]>"}

func resultsHostile() report.Results {
	c := causeOf(hostile(), evilNames...)
	c.Tests[0].Message = "]]> <img src=x>\r\n\x1b]0;owned\a\n::error::x\x00 \xff\ufffe\n"
	c.Tests[0].File, c.Tests[1].Message = "a\x1b[2J\n</a>", ""
	c.Session = "../../s\x1b[2J"
	r := resultsOf(c)
	r.Session, r.Command, r.Good.Rev, r.Format = "s\x1b[2J", []string{"make", "te\x1b[2Jst\nrm", "</code>"}, "v1\x1b[7m", "lines:<b>\x1b"
	r.Open, r.Both, r.New, r.Gone, r.Repeated = evilNames, evilNames, evilNames, evilNames, evilNames
	for _, name := range evilNames {
		r.Unanswered = append(r.Unanswered, report.UnansweredTest{Name: name, Reason: name + "\n" + name})
	}
	r.Hints = []string{"see \x1b[31mred"}
	return r
}

// resultsMany has n tests of two causes, and n more of none.
func resultsMany(n int) report.Results {
	var names, others []string
	for i := range n {
		names = append(names, fmt.Sprintf("example.com/library/internal/package%03d.TestOfSomething%d", i%331, i))
		others = append(others, fmt.Sprintf("example.com/library/internal/package%03d.TestOfAnother%d", i%331, i))
	}
	r := resultsOf(causeOf(three(), names[:n-20]...), causeOf(one(), names[n-20:]...))
	r.Causes[0].Tests[0].Message = strings.Repeat("a long line of a message\n", 40)
	r.Both = others
	return r
}

package report_test

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/gitdd/gitdd/report"
)

const (
	ada   = "3f2a91c7e0b14d2f9a6c5b8d7e4f3a2b1c0d9e8f"
	linus = "b7c41d90a2e35f68471b0c9d8e7f6a5b4c3d2e1f"
)

var commits = map[string]report.Commit{
	ada:   {ID: ada, Subject: "Parse: accept empty keys", Author: "Ada Lovelace", Date: "2024-03-02T10:11:12+01:00"},
	linus: {ID: linus, Subject: "Look up defaults before the environment, not after it, so that they can be told apart", Author: "Linus Torvalds", Date: "2024-03-01T09:00:00Z"},
}

// cases are results of every shape there is, by the name of their golden file.
var cases = sync.OnceValue(func() map[string]report.Result {
	return map[string]report.Result{
		"one":                one(),
		"three":              three(),
		"many":               many(5000, report.Isolated),
		"unproven":           unproven(),
		"inseparable":        inseparable(),
		"unproven_one":       unprovenOne(),
		"unproven_fix":       unprovenFix(),
		"unproven_revert":    unprovenRevert(),
		"untested":           untested(),
		"fix":                fix(),
		"below":              below(three(), "config", "cmd/*.go"),
		"below_none":         below(notIsolated(), "doc"),
		"introduce":          introduce(),
		"revert":             revert(),
		"budget":             budget(),
		"budget_both":        untold(2),
		"budget_all":         untold(3),
		"budget_cached":      cached(),
		"interrupted":        many(5000, report.Interrupted),
		"last_suspect":       lastSuspect(),
		"not_isolated":       notIsolated(),
		"flaky":              flaky(),
		"repeated":           repeated(),
		"repeated_budget":    repeatedBudget(),
		"torn":               tornTrees(),
		"kinds":              kinds(),
		"no_commits":         noCommits(),
		"machines":           machines(),
		"machines_slurm":     machinesOfSlurm(),
		"hostile":            hostile(),
		"long_hunk":          longHunk(),
		"long_hunk_printed":  printed(longHunk(), "71"),
		"long_line":          longLine(),
		"rather_long":        ratherLong(17, 18),
		"rather_long_4":      ratherLong(4, 4, 10, 11),
		"white_space":        whiteSpace(),
		"within_lines":       withinLines(),
		"no_newline":         noNewline(),
		"wide":               wide(),
		"whole_context":      wholeContext(),
		"context_lines":      contextLines(),
		"fault":              switchesOn(true),
		"fault_unproven":     switchesOn(false),
		"within":             within(),
		"within_beside":      withinBeside("Keys"),
		"within_around":      withinBeside(""),
		"context_lines_cut":  cutShort(contextLines()),
		"context_large":      contextLarge(nil),
		"context_unblamed":   unblamed(contextLarge(nil)),
		"context_commit":     contextLarge(&report.History{Suspects: []report.Commit{commits[ada]}, LastGood: "a", FirstBad: ada}),
		"place":              failsAt(one(), report.FailurePlace{Path: "config/lookup.go", Line: 7, NewLine: 9, BadLine: 9, Symbol: "lookup", Connection: report.UsedByCause, Context: true, Places: 1}),
		"place_stack":        failsAt(one(), report.FailurePlace{Path: "config/very/deep/in/the/tree/of/packages/where/nobody/looks/lookup_test.go", Line: 1234, NewLine: 1234, Symbol: "TestLookupOfKeysThatAreEmpty", Connection: report.ThroughStack, Name: "Parse", Places: 1200}),
		"place_none":         failsAt(fix(), report.FailurePlace{Path: "main.c", Line: 12, Connection: report.Unconnected, Places: 2}),
		"several_made_it":    severalMadeIt(),
		"history":            history(),
		"history_fix":        historyFix(),
		"history_merge":      historyMerge(),
		"history_bisect":     historyBisect(report.Break),
		"history_bisect_fix": historyBisect(report.Fix),
		"history_unused":     historyUnused(),
		"history_whole":      historyWhole(report.Break, parse()),
		"history_both":       historyWhole(report.Fix, parse(), env()),
		"whole":              whole(),
		"context_files":      contextFiles(report.Isolated),
		"context_budget":     contextFiles(report.Budget),
		"conflict":           conflict(report.Break, report.Conflicts),
		"conflict_fix":       conflict(report.Fix, report.Conflicts),
		"bare":               conflict(report.Break, report.NoFiles),
		"history_several":    historySeveral(),
		"history_budget":     historyBudget(),
		"history_undone":     undone(report.Break, report.Fits),
		"history_undone_fix": undone(report.Fix, report.Conflicts),
		"all":                allCauses(),
		"alone":              aloneToo(),
		"learned":            learned(),
		"learned_mutual":     together(),
		"learned_elsewhere":  learnedElsewhere(0),
		"learned_partly":     learnedElsewhere(1),
		"otherwise":          otherwise(),
		"timed_out":          timedOut(),
		"only_together":      onlyTogether(12),
		"inseparable_many":   onlyTogether(101),
		"chosen":             chosen("dd+", ""),
		"rounds":             chosen("cgr", "8 trials at a time are likely to tell more than cuts one after another"),
		"suspicious":         suspicious(),
		"suspicious_further": suspiciousFurther(),
		"measured_exact":     measuredExact(),
		"measured_noisy":     measuredNoisy(),
		"measured_steps":     measuredSteps(),
		"measured_drift":     measuredDrift(),
		"measured_equal":     measuredEqual(),
		"measured_budget":    measuredBudget(),
		"measured_along":     measuredAlong(),
		"measured_unsure":    measuredUnsure(),
		"measured_begun":     measuredBegun(),
		"measured_hostile":   measuredHostile(),
	}
})

// base is a result whose cause is left to the case.
func base(cause ...report.Change) report.Result {
	r := report.Result{
		Schema:     report.Schema,
		Session:    "20240305-141500-7f3a",
		Status:     report.Isolated,
		Direction:  report.Break,
		Good:       report.Revision{Rev: "v1.16.0", Commit: "1a2b3c4d5e6f708192a3b4c5d6e7f80918273645", Tree: "aa"},
		Bad:        report.Revision{Rev: "HEAD", Commit: "9f8e7d6c5b4a39281706f5e4d3c2b1a098765432", Tree: "bb"},
		Changes:    report.Extent{Total: 120, Files: 14},
		Cause:      cause,
		Passing:    report.End{Tree: "cc", Changes: 57},
		Failing:    report.End{Tree: "dd", Changes: 57 + len(cause)},
		Minimal:    true,
		Verified:   true,
		Confidence: 1,
		Trials:     report.Trials{Run: 14, Cached: 3, Pass: 6, Fail: 5, Unresolved: 3},
		Seconds:    report.Seconds{Total: 12.5, Testing: 12.1},
		Jobs:       1,
		Algorithm:  "cpi",
		Why:        "fewest trials; no order of the changes is known to build",
		Goal:       "cause",
		Command:    []string{"make", "test"},
	}
	seen := map[string]bool{}
	for _, c := range cause {
		for _, id := range c.Commits {
			if !seen[id] {
				seen[id] = true
				r.Commits = append(r.Commits, commits[id])
			}
		}
	}
	return r
}

// hunk is a text change of path.
func hunk(id, path, symbol string, start int, old, new string, commits ...string) report.Change {
	return report.Change{
		ID: id, Kind: "text", Path: path, OldPath: path, Symbol: symbol, Commits: commits, Old: old, New: new,
		OldStart: start, OldLines: strings.Count(old, "\n"), NewStart: start + 1, NewLines: strings.Count(new, "\n"), BadLine: start + 1,
	}
}

func parse() report.Change {
	return hunk("c1", "config/parse.go", "Parse", 10,
		"\tif key == \"\" {\n\t\treturn nil\n", "\tif key == \"\" && !strict {\n\t\treturn lookup(def)\n\t}\n", ada)
}

func lookup() report.Change {
	return hunk("c2", "config/parse.go", "(*Config).Lookup", 52, "\treturn env(key)\n", "\treturn env(key, c.prefix)\n", linus)
}

func env() report.Change {
	return hunk("c3", "internal/env/env.go", "env", 7, "func env(key string) string {\n", "func env(key, prefix string) string {\n", linus)
}

func one() report.Result {
	r := base(parse())
	r.Commit = &r.Commits[0]
	r.Present = []report.Reference{
		{ID: "p1", Kind: "text", Path: "config/lookup.go", Symbol: "lookup"},
		{ID: "p2", Kind: "created", Path: "config/strict.go"},
	}
	r.Context = []string{"p1", "p2"}
	return r
}

// chosen is a search whose user has asked for an algorithm or, if there is a reason for the
// algorithm, for few rounds.
func chosen(algorithm, why string) report.Result {
	r := one()
	r.Algorithm, r.Why, r.Rounds = algorithm, why, why != ""
	return r
}

func three() report.Result { return base(parse(), lookup(), env()) }

func many(n int, status report.Status) report.Result {
	var cause []report.Change
	for i := range n {
		path := fmt.Sprintf("vendor/github.com/someone/library/internal/package%03d/file.go", i*i%331)
		cause = append(cause, hunk(fmt.Sprint("m", i), path, "", i, "old\n", "new\nnewer\n"))
	}
	// The cause of a result is sorted by path.
	slices.SortStableFunc(cause, func(a, b report.Change) int { return strings.Compare(a.Path, b.Path) })
	r := base(cause...)
	r.Status = status
	r.Changes = report.Extent{Total: 27154, Files: 4600}
	if status == report.Interrupted {
		r.Reason = "interrupt"
		r.Minimal, r.Verified = false, false
	}
	return r
}

func unproven() report.Result {
	r := three()
	r.Minimal, r.Unproven = false, []string{"c1", "c3"}
	r.Confidence = 0.98765
	r.Hints = []string{"run with --build 'go build ./...' so that what does not build is told from what fails"}
	return r
}

// inseparable is a cause of members that are unresolved without each other.
func inseparable() report.Result {
	r := three()
	r.Minimal, r.Unproven = false, []string{"c1", "c2", "c3"}
	return r
}

// unprovenOne has one of several members that was not shown to be needed.
func unprovenOne() report.Result {
	r := three()
	r.Minimal, r.Unproven = false, []string{"c3"}
	return r
}

func unprovenFix() report.Result {
	r := fix()
	r.Cause, r.Minimal, r.Unproven = r.Cause[:1], false, []string{"c2"}
	return r
}

func unprovenRevert() report.Result {
	r := inseparable()
	r.Goal = "revert"
	return r
}

// untested is a search that was cut short before it had tested anything.
func untested() report.Result {
	r := one()
	r.Status, r.Minimal, r.Verified, r.Unproven = report.Budget, false, false, []string{"c1"}
	r.Changes, r.Trials = report.Extent{Total: 1, Files: 1}, report.Trials{}
	r.Passing.Tree, r.Failing.Tree = "", ""
	return r
}

func fix() report.Result {
	r := base(lookup(), env())
	r.Direction = report.Fix
	r.Commit = &r.Commits[0]
	r.Command = []string{"sh", "-c", "go test -run 'TestParse|TestLookup' ./config && ! grep -q panic log.txt"}
	return r
}

// below is a result of a search with --path.
func below(r report.Result, paths ...string) report.Result {
	r.Paths = paths
	return r
}

func introduce() report.Result {
	r := base(parse(), env())
	r.Goal = "introduce"
	return r
}

func revert() report.Result {
	r := base(parse(), env())
	r.Goal = "revert"
	return r
}

func budget() report.Result {
	var cause []report.Change
	for i := range 12 {
		cause = append(cause, hunk(fmt.Sprint("b", i), fmt.Sprintf("config/part%d.go", i/5), "", 10*i+1, "a\n", "b\nc\n", ada))
	}
	r := base(cause...)
	r.Status, r.Reason = report.Budget, "40 trials were run (--max-trials)"
	r.Minimal, r.Verified = false, false
	r.Commit = &r.Commits[0]
	r.Jobs = 4
	return r
}

// untold is a search that was cut short before it could tell n changes apart.
func untold(n int) report.Result {
	r := base([]report.Change{parse(), env(), hunk("c", "config/strict.go", "", 5, "a\n", "b\n", ada)}[:n]...)
	r.Status, r.Reason = report.Budget, "after 2 trials (--max-trials)"
	r.Changes.Total, r.Changes.Files = n, n
	r.Minimal, r.Verified = false, false
	r.Trials = report.Trials{Run: 2, Pass: 1, Fail: 1}
	return r
}

// cached is a search that was cut short, and that ran nothing: others had done so.
func cached() report.Result {
	r := untold(2)
	r.Trials = report.Trials{Cached: 2}
	return r
}

func lastSuspect() report.Result {
	r := one()
	r.Status, r.Reason = report.Interrupted, "interrupt"
	r.Verified, r.Minimal = false, false
	return r
}

func notIsolated() report.Result {
	r := base()
	r.Status, r.Reason = report.NotIsolated, "the command passes at both ends"
	r.About = []int{2}
	r.Minimal, r.Verified, r.Confidence = false, false, 0
	r.Trials = report.Trials{Run: 2, Pass: 2}
	r.Hints = []string{"if the test itself is new at HEAD, put it over both ends with --overlay PATH"}
	return r
}

func flaky() report.Result {
	r := notIsolated()
	r.Reason = "the failing configuration passed when it was tested again in a fresh workspace; the answer is withheld."
	r.About = []int{30, 31}
	r.Trials = report.Trials{Run: 31, Cached: 1200, Pass: 16, Fail: 12, Unresolved: 3}
	r.Seconds.Total = 3905
	r.Hints = nil
	return r
}

// repeated is the answer of a search with --confidence.
func repeated() report.Result {
	r := three()
	r.Confidence = 0.9934
	for i := range r.Cause {
		r.Cause[i].Confidence = 0.9961
	}
	r.Flaky = report.Flaky{
		Wanted: 0.99, Good: report.Tries{Pass: 9}, Bad: report.Tries{Pass: 2, Fail: 6}, WrongFail: 0.05, WrongPass: 0.28,
		Passing: report.Tries{Pass: 1031}, Failing: report.Tries{Pass: 9, Fail: 24, Unresolved: 1},
		Torn: []report.Torn{
			{Tree: "t", Trials: []int{2, 4, 6}, Outcomes: []string{"fail", "fail", "pass"}},
			{Tree: "u", Trials: []int{3, 8, 9}, Outcomes: []string{"fail", "unresolved", "unresolved"}},
		},
	}
	return r
}

// repeatedBudget is one that was cut short before it was as sure as that.
func repeatedBudget() report.Result {
	r := repeated()
	r.Status, r.Reason, r.Verified, r.Confidence = report.Budget, "after 40 trials (--max-trials)", false, 0.8261
	return r
}

// tornTrees is what contradicts itself without --confidence.
func tornTrees() report.Result {
	r := one()
	r.Flaky = report.Flaky{Torn: []report.Torn{
		{Tree: "t", Trials: []int{2, 4, 6}, Outcomes: []string{"fail", "fail", "pass"}},
		{Tree: "u", Trials: []int{3, 8}, Outcomes: []string{"fail", "unresolved"}},
	}}
	return r
}

func kinds() report.Result {
	const b1, b2 = "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391", "5716ca5987cbf97d6bb54920bea6adde242d87e6"
	r := base(
		report.Change{ID: "k0", Kind: "copied", Path: "a/copy.go", OldPath: "a/orig.go"},
		report.Change{ID: "k1", Kind: "renamed", Path: "b/new name.go", OldPath: "b/old.go"},
		hunk("k2", "b/new name.go", "", 3, "x\n", "y\n"),
		report.Change{ID: "k3", Kind: "mode", Path: "bin/run.sh", OldPath: "bin/run.sh", OldMode: "100644", NewMode: "100755"},
		report.Change{ID: "k4", Kind: "symlink", Path: "current", OldPath: "current", Old: "releases/v1", New: "releases/v2", OldMode: "120000", NewMode: "120000"},
		report.Change{ID: "k5", Kind: "binary", Path: "logo.png", OldPath: "logo.png", OldBlob: b1, NewBlob: b2},
		report.Change{ID: "k6", Kind: "submodule", Path: "third_party/zlib", OldPath: "third_party/zlib", OldBlob: ada, NewBlob: linus},
		report.Change{ID: "k7", Kind: "created", Path: "x/new.go", OldPath: "x/new.go", NewMode: "100644", NewBlob: b2, New: "package x\n\nfunc New() int { return 1 }\n"},
		report.Change{ID: "k8", Kind: "deleted", Path: "x/old.sh", OldPath: "x/old.sh", OldMode: "100755", OldBlob: b2},
		report.Change{ID: "k9", Kind: "type", Path: "y", OldPath: "y", OldMode: "100644", NewMode: "120000"},
	)
	return r
}

func noCommits() report.Result {
	c := parse()
	c.Commits = nil
	r := base(c)
	r.Good = report.Revision{Rev: "v1.16.0^{tree}", Tree: "4b825dc642cb6eb9a060e54bf8d69288fbee4904"}
	r.Bad = report.Revision{Rev: "9f8e7d6", Commit: "9f8e7d6c5b4a39281706f5e4d3c2b1a098765432", Tree: "bb"}
	r.Command = nil
	return r
}

// hostile is what a repository of an attacker would like to print.
func hostile() report.Result {
	c := hunk("h1", "a\x1b[2J\x1b]0;owned\a\nb\u202egpj.go", "Evil\x1b[31m\r", 1,
		"if ok {\x1b[1A\x1b[2K // \u202e } \u2066 admin\n", "caf\ufffd \u009b31m\x00 zero\u200bwidth \b\b\b\x7f\n", "e1")
	c.RawNew = []byte("caf\xe9 \u009b31m\x00 zero\u200bwidth \b\b\b\x7f\n")
	r := base(c)
	r.Session = "s\x1b[2J"
	r.Good.Rev = "v1\x1b[7m"
	r.Command = []string{"make", "te\x1b[2Jst\nrm"}
	r.Commits = []report.Commit{{ID: "e1", Subject: "fix\x1b]8;;http://evil\x07\r\n", Author: "Mal\x1b[5mlory", Date: "+292277026596-12-04T15:30:08Z"}}
	r.Commit = &r.Commits[0]
	r.Context = []string{"p"}
	r.Present = []report.Reference{{ID: "p", Kind: "text", Path: "x\x1b[31m", Symbol: "\x1b[0m"}}
	needed := c
	needed.ID, needed.NewStart = "p", 9
	r.ContextDiff = []report.Change{needed}
	r.Place = &report.FailurePlace{Path: "a\x1b[2J\nb\u202e.go", Line: 3, Symbol: "Evil\x1b[31m\r", Connection: report.UsesCause, Name: "\x1b]0;owned\a", Context: true, Places: 3}
	r.Hints = []string{"see \x1b[31mred"}
	r.Algorithm = "dd\x1b"
	return r
}

// printed is r of a failing end that printed names.
func printed(r report.Result, names ...string) report.Result {
	r.Printed = names
	return r
}

func longHunk() report.Result {
	var old, new strings.Builder
	for i := range 150 {
		fmt.Fprintf(&old, "line %d of the old text\n", i+1)
	}
	for i := range 4 {
		fmt.Fprintf(&new, "line %d of the new text\n", i+1)
	}
	r := base(hunk("l1", "big.txt", "", 1, old.String(), new.String(), ada))
	r.Commit = &r.Commits[0]
	return r
}

// ratherLong has changes that are longer than their share of the screen.
func ratherLong(lines ...int) report.Result {
	var cause []report.Change
	for i, n := range lines {
		var text strings.Builder
		for j := range n {
			fmt.Fprintf(&text, "line %d of %d\n", j+1, n)
		}
		cause = append(cause, hunk(fmt.Sprint("r", i), "long.go", "", 100*i+1, "", text.String(), ada))
	}
	return base(cause...)
}

func longLine() report.Result {
	data := strings.Repeat("{\"a\":1},", 60)
	return base(hunk("l2", strings.Repeat("very/deep/", 30)+"min.js", "", 1,
		data+"retry=3;"+data+"\n", data+"retry=0;"+data+"\n", ada))
}

func withinLines() report.Result {
	// within is a change in the last line of old and new, from a column to before another on each side.
	within := func(id, path string, old, new string, columns [4]int) report.Change {
		c := hunk(id, path, "", 4, old, new, ada)
		c.OldColumn, c.OldEndColumn, c.NewColumn, c.NewEndColumn = columns[0], columns[1], columns[2], columns[3]
		return c
	}
	data := strings.Repeat("{\"a\":1},", 60)
	old, new := "\tprice := rate\t* größe(a, 2)\n", "\tprice := rate\t/ größe(b, 3, 界)\n"
	rates, more := data+"retry=3;"+data+"\n", data+"retry=0;"+data+"\n"
	return base(
		within("n1", "price.go", old, new, [4]int{16, 17, 16, 17}),
		within("n2", "price.go", old, new, [4]int{29, 30, 29, 35}),
		within("n3", "price.go", "f(a, b)\n", "f(a)\n", [4]int{4, 7, 4, 4}),
		within("n4", "rates.json", rates, more, [4]int{487, 488, 487, 488}),
		within("n5", "strange.txt", "ab\n", "ac", [4]int{2, 900, 2, 900}),
	)
}

func whiteSpace() report.Result {
	return base(
		hunk("w1", "Makefile", "all", 3, "all:\n\tgo build\n", "all:\n    go build \n", ada),
		hunk("w2", "dos.bat", "", 1, "echo a\r\necho b\r\n", "echo a\necho b\n", ada),
		hunk("w3", "dos2.bat", "", 1, "echo a\r\n", "echo c\r\n", ada),
	)
}

func noNewline() report.Result {
	c := hunk("n1", "VERSION", "", 1, "1.16.0\n", "1.18.0", ada)
	c.NewLines = 1
	return base(c)
}

func wide() report.Result {
	return base(hunk("u1", "文档/説明書.md", "한국어", 1,
		strings.Repeat("漢字かな", 20)+"\n", strings.Repeat("漢字かな", 19)+"e\u0301e\u0301 ✅ 🎉\n", ada))
}

func wholeContext() report.Result {
	r := one()
	r.Present, r.Context = nil, nil
	for i := range 57 {
		r.Present = append(r.Present, report.Reference{ID: fmt.Sprint("p", i), Kind: "text", Path: fmt.Sprintf("internal/pkg%d/file.go", i/2), Symbol: "F"})
		r.Context = append(r.Context, fmt.Sprint("p", i))
	}
	r.ContextUnproven = r.Context[7:]
	return r
}

// withContext gives r a context, the changes of which are in the order of their nearness.
func withContext(r report.Result, context ...report.Change) report.Result {
	r.Context, r.Present, r.ContextDiff = nil, nil, context
	for _, c := range context {
		r.Context = append(r.Context, c.ID)
		r.Present = append(r.Present, report.Reference{ID: c.ID, Kind: c.Kind, Path: c.Path, Symbol: c.Symbol, Line: c.NewStart})
	}
	return r
}

// failsAt gives r a place of the failure.
func failsAt(r report.Result, at report.FailurePlace) report.Result {
	r.Place = &at
	return r
}

// switchesOn is an answer whose cause switches on a line of the context.
func switchesOn(minimal bool) report.Result {
	r := contextLines()
	fault := r
	fault.Cause, fault.ContextDiff, fault.Present, fault.Minimal = r.ContextDiff[:1], nil, nil, minimal
	r.Further = []report.Further{fault.AsFurther(report.Fault)}
	return r
}

// within is an answer with a long cause, of which some lines were found without which the test passes: two that follow
// each other, and one apart.
func within() report.Result {
	const added = "\tkeys := split(text)\n\tfor _, key := range keys {\n\t\tif key == \"\" {\n\t\t\tkeys = nil\n\t\t}\n\t}\n\tsort(keys)\n\treturn keys\n"
	c := hunk("p1", "config/parse.go", "Keys", 40, "\treturn all(text)\n", added, ada)
	r := base(c)
	r.Commit = &r.Commits[0]
	part := r
	for i, line := range []string{"\t\t\tkeys = nil\n", "\t\t}\n", "\tsort(keys)\n"} {
		l := hunk(fmt.Sprint("l", i), "config/parse.go", "Keys", 0, "", line, ada)
		l.OldStart, l.NewStart, l.BadLine = 39, 43+i+i/2, 43+i+i/2
		part.Cause = append(part.Cause[:i:i], l)
	}
	part.Minimal, part.Unproven = false, []string{"l0", "l1", "l2"}
	r.Further = []report.Further{part.AsFurther(report.Within)}
	return r
}

// withinBeside is an answer where the lines without which the test passes stand beside the cause, in a declaration or in none: the
// last of them is of no commit that is known.
func withinBeside(symbol string) report.Result {
	r := within()
	part := r
	for i, line := range []string{"\tif len(keys) > most {\n", "\t\treturn nil\n", "\t}\n"} {
		l := hunk(fmt.Sprint("l", i), "config/parse.go", symbol, 0, "", line, ada)
		l.OldStart, l.NewStart, l.BadLine = 44, 54+i, 54+i
		part.Cause = append(part.Cause[:i:i], l)
	}
	part.Commit, part.Cause[2].Commits = nil, nil
	part.Minimal, part.Unproven = false, []string{"l0", "l1", "l2"}
	r.Repaired, r.RepairedReason = "unresolved", "the build failed: exit 1"
	r.Further = []report.Further{part.AsFurther(report.Within)}
	return r
}

// cutShort is r of a search that spent its budget.
func cutShort(r report.Result) report.Result {
	r.Status, r.Reason = report.Budget, "40 trials were run (--max-trials)"
	r.Minimal, r.Verified = false, false
	return r
}

// contextLines has a context of some changes, of which the last do not fit on a screen.
func contextLines() report.Result {
	c := parse()
	c.Old, c.New, c.OldLines, c.NewLines = "", "\treturn lookup(key)\n", 0, 1
	r := base(c)
	r.Commit = &r.Commits[0]
	return withContext(r,
		hunk("p1", "config/parse.go", "lookup", 40, "", "func lookup(key string) string {\n\tvalue := defaults[key]\n\treturn value[1:]\n}\n", ada),
		report.Change{ID: "p2", Kind: "created", Path: "config/defaults.go", OldPath: "config/defaults.go", NewMode: "100644", Commits: []string{ada},
			New: "package config\n\nvar defaults = map[string]string{\n\t\"a\": \"1\",\n\t\"b\": \"2\",\n\t\"c\": \"3\",\n\t\"d\": \"4\",\n\t\"e\": \"5\",\n\t\"f\": \"6\",\n\t\"g\": \"7\",\n}\n"},
		hunk("p3", "go.mod", "", 3, "go 1.20\n", "go 1.21\n", linus),
		hunk("p4", "main.go", "main", 30, "\tconfig.Read()\n", "\tconfig.Parse()\n", linus),
	)
}

// contextLarge has a context of more lines than anybody reads, some of which the commit of the cause
// made.
func contextLarge(h *report.History) report.Result {
	r := base(parse())
	r.Commit, r.History = &r.Commits[0], h
	made := hunk("p0", "config/parse.go", "Parse", 13, "", "\tstrict := true\n", ada)
	if h != nil {
		made.Commits = nil
	}
	context := []report.Change{made}
	for i := range 60 {
		context = append(context, hunk(fmt.Sprint("p", i+1), fmt.Sprintf("internal/pkg%d/file.go", i/2), "F", 10*i, "old\nold\nold\nold\n", "new\nnew\nnew\n", linus))
	}
	return withContext(r, context...)
}

// unblamed has a context of which nobody has asked which commits made it.
func unblamed(r report.Result) report.Result {
	for i := range r.ContextDiff {
		r.ContextDiff[i].Commits = nil
	}
	return r
}

func severalMadeIt() report.Result {
	c := parse()
	c.Commits = []string{ada, linus, "c0ffee0000000000000000000000000000000000", "c0ffee1111111111111111111111111111111111", "c0ffee2222222222222222222222222222222222"}
	return base(c)
}

// machines is of a search with 200 workers on a cluster.
func machines() report.Result {
	r := one()
	r.Jobs, r.Trials, r.Beyond = 200, report.Trials{Run: 412, Cached: 40, Pass: 300, Fail: 100, Unresolved: 12}, 371
	r.Remote = &report.Remote{
		Engine: "reapi", Endpoint: "grpcs://farm.example.org:443", Instance: "main", Machines: 96, Cached: 31, Lost: 3, GaveUp: 1, Uploaded: 14 << 20,
	}
	return r
}

func machinesOfSlurm() report.Result {
	r := one()
	r.Jobs, r.Beyond = 4, 3
	r.Remote = &report.Remote{Engine: "slurm", Endpoint: "debug\x1b[2J", Shared: "/nfs/work", Machines: 2}
	return r
}

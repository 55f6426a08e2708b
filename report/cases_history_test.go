package report_test

import (
	"fmt"

	"github.com/gitdd/gitdd/report"
)

// history is a cause within a commit that was found first.
func history() report.Result {
	r := one()
	r.History = &report.History{
		Commits: 83, Tested: 9, Skipped: []string{linus, ada},
		LastGood: linus, FirstBad: ada, Suspects: []report.Commit{commits[ada]},
		Changes: report.Extent{Total: 5, Files: 2}, FirstParents: 83,
	}
	return r
}

func historyFix() report.Result {
	r := history()
	r.Direction = report.Fix
	r.History.Skipped = nil
	return r
}

// undone has the newer end for good: the commit that was found mended the failure
// or, for a fix, brought it.
func undone(d report.Direction, fit report.Fit) report.Result {
	r := conflict(d, fit)
	r.History.LastGood, r.History.FirstBad = r.History.FirstBad, r.History.LastGood
	return r
}

// historyWhole is a cause that is all of its commit.
func historyWhole(d report.Direction, cause ...report.Change) report.Result {
	r := base(cause...)
	r.Direction, r.History = d, history().History
	r.History.Changes.Total = len(cause)
	return r
}

// whole is a cause that is all there is.
func whole() report.Result {
	r := three()
	r.Changes = report.Extent{Total: 3, Files: 2}
	return r
}

// contextFiles needs several changes of a file, and not all of it has symbols.
func contextFiles(s report.Status) report.Result {
	r := one()
	r.Status, r.Present, r.Context = s, nil, nil
	if s != report.Isolated {
		r.Reason, r.Minimal, r.Verified = "after 40 trials (--max-trials)", false, false
	}
	for i, place := range [][2]string{
		{"parser/raw_html.go", ""}, {"parser/raw_html.go", "(*rawHTMLParser).Parse"}, {"parser/raw_html.go", "openProcessingInstruction"},
		{"parser/raw_html.go", "(*rawHTMLParser).Parse"}, {"util/util.go", "A"}, {"util/util.go", "B"}, {"util/util.go", "C"},
		{"util/util.go", "D"}, {"util/util.go", "E"}, {"go.mod", ""},
	} {
		id := fmt.Sprint("p", i)
		r.Present = append(r.Present, report.Reference{ID: id, Kind: "text", Path: place[0], Symbol: place[1], Line: 10*i + 1})
		r.Context = append(r.Context, id)
	}
	return r
}

// conflict is a cause that gitdd apply has nothing to say about.
func conflict(d report.Direction, fit report.Fit) report.Result {
	r := history()
	r.Direction, r.Apply = d, fit
	return r
}

// historyMerge is a cause with a member from each side of a merge.
func historyMerge() report.Result {
	r := three()
	r.History = history().History
	merge := report.Commit{ID: "77c2b1a0" + ada[8:], Subject: "Merge branch 'defaults'", Author: "Ada Lovelace", Date: "2024-03-03T10:11:12+01:00"}
	r.History.FirstBad, r.History.Suspects, r.History.Skipped = merge.ID, []report.Commit{merge}, nil
	r.History.Sides = []string{ada, linus}
	r.History.SideChanges = [][]string{{r.Cause[0].ID}, {r.Cause[1].ID, r.Cause[2].ID}}
	r.History.Commits, r.History.FirstParents, r.History.Merges = 91, 83, 5
	return r
}

// historyBisect went on with a bisect in terms of its own, with good commits that
// are not in the history of bad.
func historyBisect(d report.Direction) report.Result {
	r := historyMerge()
	r.Direction = d
	r.History.SideChanges = [][]string{{r.Cause[0].ID}, {r.Cause[1].ID}}
	r.History.Terms = report.Terms{Old: "fast", New: "slow"}
	r.Bases = []report.Base{
		{ID: linus, Subject: "Begin", Good: r.Good.Commit, Outcome: "pass"},
		{ID: ada, Subject: "Go on", Good: linus, Outcome: "fail"},
		{ID: linus, Subject: "Begin", Good: r.Good.Commit, Outcome: "unresolved"},
	}
	return r
}

// historyUnused parts from good where it fails already.
func historyUnused() report.Result {
	r := one()
	r.Unused = linus[:9] + ", where the histories of v1 and HEAD part, fails already: it was fixed on the side of v1, or the command does not test that commit (gitdd log --trial 3)"
	r.Bases = []report.Base{{ID: linus, Subject: "Begin", Good: r.Good.Commit, Outcome: "fail"}}
	return r
}

// historySeveral is a cause in commits of which only the last could be judged.
func historySeveral() report.Result {
	r := three()
	r.History = history().History
	r.History.Suspects = []report.Commit{commits[linus], commits[ada]}
	r.History.Skipped = []string{linus}
	return r
}

// historyBudget is a search that ended among the commits.
func historyBudget() report.Result {
	r := many(5000, report.Interrupted)
	r.Commit, r.Commits = nil, nil
	r.Status, r.Reason = report.Budget, "after 4 trials (--max-trials)"
	r.History = &report.History{Commits: 83, Tested: 4, LastGood: linus, FirstBad: ada, Changes: report.Extent{Total: 5000, Files: 331}}
	for i := range 21 {
		c := commits[[]string{ada, linus}[i%2]]
		c.ID = fmt.Sprintf("%08x", i*i*7919) + c.ID[8:]
		r.History.Suspects = append(r.History.Suspects, c)
	}
	return r
}

// allCauses is a cause that takes an earlier change as well, and another one
// beside it.
func allCauses() report.Result {
	r := history()
	r.Alone = "pass"
	partner, second := one(), three()
	second.Minimal, second.Unproven = false, []string{second.Cause[1].ID}
	second.Verified = false
	r.Further = []report.Further{partner.AsFurther(report.Interacting), second.AsFurther(report.Independent)}
	return r
}

func aloneToo() report.Result {
	r := historyFix()
	r.Alone = "pass"
	return r
}

// learned is a search by an algorithm that was chosen for it, and that read the
// output of unresolved trials.
func learned() report.Result {
	r := one()
	r.Algorithm, r.Why = "cpi", "2 of the first 12 trials were unresolved"
	at := func(path, symbol string, line int) report.Reference {
		return report.Reference{ID: fmt.Sprint(path, line), Kind: "text", Path: path, Symbol: symbol, Line: line}
	}
	r.Context = append(r.Context, at("src/new.c", "", 0).ID, at("parser/raw_html.go", "", 17).ID)
	r.Learned = []report.LearnedRequirement{
		{Change: at("parser/raw_html.go", "(*rawHTMLParser).Parse", 52), Requires: at("parser/raw_html.go", "openComment", 17)},
		{Change: at("Makefile", "", 3), Requires: at("src/new.c", "", 0)},
		{Change: at("src/main.c", "main", 120), Requires: at("src/new.c", "", 0)},
		{Change: at("src/main.c", "usage", 98), Requires: at("src/new.c", "", 0)},
	}
	return r
}

// learnedElsewhere is a search that learned of changes that the answer does not have, and of so many that it has.
func learnedElsewhere(own int) report.Result {
	r := learned()
	for i := range r.Learned[own:] {
		r.Learned[own+i].Change.ID, r.Learned[own+i].Requires.ID = fmt.Sprint("x", i), fmt.Sprint("y", i)
	}
	return r
}

// together is a search that learned of changes that require each other, on top of
// others: three of one function, and two that only their ids tell apart.
func together() report.Result {
	r := learned()
	at := func(line int) report.Reference {
		return report.Reference{ID: fmt.Sprint(line), Kind: "text", Path: "src/locfile.c", Symbol: "locfile_locate", Line: line}
	}
	r.Context = append(r.Context, "13", "15", "1")
	r.Learned = []report.LearnedRequirement{
		{Change: at(13), Requires: at(15)}, {Change: at(15), Requires: at(13)},
		{Change: at(40), Requires: at(15)}, {Change: at(15), Requires: at(40)},
		{Change: at(13), Requires: at(40)},
	}
	old := report.Reference{ID: "1", Kind: "text", Path: "src/emitter.c", Symbol: "analyze"}
	other := old
	other.ID = "2"
	r.Learned = append(r.Learned, report.LearnedRequirement{Change: old, Requires: other}, report.LearnedRequirement{Change: other, Requires: old})
	return r
}

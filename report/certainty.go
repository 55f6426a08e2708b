package report

import (
	"fmt"
	"strings"

	"github.com/gitdd/gitdd/internal/measure"
	"github.com/gitdd/gitdd/internal/prose"
)

// certainty says how far the answer is proven.
func (p *page) certainty() {
	r := p.r
	if r.Status == NotIsolated || r.Status == Failed {
		return
	}
	var parts []string
	n, unproven := len(r.Cause), len(r.Unproven)
	switch {
	case r.Inseparable:
		parts = append(parts, "not minimal: mixtures of the "+prose.Number(n)+" could not be judged")
	case !r.shown():
		parts = append(parts, "not shown to be minimal")
	case unproven > 0:
		parts = append(parts, unjudged(r))
	case n > 1 && r.members() == 1:
		parts = append(parts, "minimal: "+r.unitsOf()+" one change")
	case n > 1 && r.Goal == "revert":
		parts = append(parts, fmt.Sprintf("minimal: each of the %s was shown to be needed", prose.Number(r.members()))+r.oneEach())
	case n > 1:
		parts = append(parts, "minimal: "+interaction(r))
	default:
		parts = append(parts, "minimal")
	}
	switch {
	case r.Verified:
		parts = append(parts, "both ends tested again in a "+r.workspace()+" workspace")
	case r.ByHand == r.Trials.Run && r.Trials.Run > 0:
		parts = append(parts, "as it was judged by hand")
	case r.ByHand > 0:
		parts = append(parts, fmt.Sprintf("%d of the trials were judged by hand", r.ByHand))
	default:
		parts = append(parts, "not tested again in a fresh workspace")
	}
	if r.Repaired == "pass" {
		parts = append(parts, repairedName(r)+" "+repairedAs(r))
	}
	switch wanted := r.Flaky.Wanted; {
	case float64(r.Confidence) < wanted:
		parts = append(parts, fmt.Sprintf("confidence %s so far, of %s", prose.Percent(r.Confidence), prose.Percent(wanted)))
	case r.Confidence > 0 && r.Confidence < 1:
		parts = append(parts, "confidence "+prose.Percent(r.Confidence)+eachOf(r))
	}
	p.item("checked", strings.Join(parts, "; "))
	p.repaired()
}

// repairedAs says how a revision went that was repaired: with --measure by its number.
func repairedAs(r *Result) string {
	if m := r.Measured; m != nil && len(m.Repaired) > 0 {
		return "has " + m.amount(measure.Median(m.Repaired))
	}
	passes, fails := r.said()
	if r.Repaired == "fail" {
		return fails
	}
	return passes
}

// workspace says in what workspace a verified answer was tested again.
func (r *Result) workspace() string {
	if r.Cleaned {
		return "cleaned"
	}
	return "fresh"
}

// repaired says why the user's revision does not pass without the cause, or with the fix.
func (p *page) repaired() {
	r := p.r
	switch {
	case r.Otherwise != nil:
		p.item("repaired", fmt.Sprintf("%s no longer fails with %s; it still fails otherwise: %s", repairedName(r), prose.Quote(r.Otherwise.Match), prose.Quote(r.Otherwise.Line)))
	case r.Repaired == "unresolved":
		why := ""
		if r.RepairedReason != "" {
			why = " (" + r.RepairedReason + ")"
		}
		p.item("repaired", repairedName(r)+" could not be judged"+why+": there may be more to the "+sought(r))
	case r.Repaired == "fail" && r.Measured != nil:
		p.item("repaired", repairedName(r)+" still "+repairedAs(r)+": there is more to the "+sought(r))
	case r.Repaired == "fail":
		p.item("repaired", repairedName(r)+" still fails: there is another cause"+r.andIfFlaky())
	}
}

// andIfFlaky says how to find another cause, and whether there may be none: with a wanted
// confidence it is known how often the test fails by chance.
func (r *Result) andIfFlaky() string {
	all := ""
	if r.Goal == "cause" {
		all = ", which --all looks for"
	}
	switch passing := r.Flaky.Passing; {
	case r.Flaky.Wanted == 0 || passing.total() == 0:
		return all + ", or the test is flaky"
	case passing.Fail == 0:
		return all + fmt.Sprintf("; where the test passes, none of %s failed by chance", tries(passing))
	default:
		return all + fmt.Sprintf(", or this failed by chance, as %s of %s did where the test passes", prose.Number(passing.Fail), tries(passing))
	}
}

// unrepaired reports whether a trial has shown that gitdd apply does not mend the revision that fails.
func (r *Result) unrepaired() bool {
	return r.Repaired == "fail" || r.Repaired == "unresolved" && r.Otherwise == nil
}

// repairedName names what Result.Repaired is about.
func repairedName(r *Result) string {
	it := "it"
	if len(r.Cause) > 1 {
		it = "them"
	}
	if r.Direction == Fix && r.Goal != "revert" {
		return r.Good.name() + " with " + it
	}
	if r.WholeHunks {
		it = "the whole " + verb(len(r.Cause), "hunk", "hunks") + " around " + it
	}
	if n := len(r.Dependents); n > 0 {
		it += " and " + prose.Count(n, "change") + " that " + verb(n, "needs", "need") + " " + verb(len(r.Cause), "it", "them")
	}
	return badName(r) + " without " + it
}

// shown reports whether each member of the cause was shown to be needed, but for those
// that are unproven.
func (r *Result) shown() bool {
	return r.Minimal || r.Status == Isolated && len(r.Unproven) > 0 && !r.Inseparable
}

// alongLine reports whether the changes were measured along a line of them, because single runs did not tell on which side of
// the step they were.
func (r *Result) alongLine() bool { return r.Algorithm == "changepoint" }

// unjudged says of which members it is not known whether they are needed, and
// why: the end that has them all was tested without each of them alone (and
// without what requires it), and no more than that is known. To revert, it was
// the end that has none of them, with each alone.
func unjudged(r *Result) string {
	without := "without"
	if r.Goal == "revert" {
		without = "with"
	}
	switch n, unproven := len(r.Cause), len(r.Unproven); {
	case n == 1:
		return fmt.Sprintf("not proven to be needed: %s it the test could not be judged", without)
	case unproven == n && r.alongLine():
		return fmt.Sprintf("the %s could not be told apart by their numbers", prose.Number(n))
	case unproven == n:
		return fmt.Sprintf("the %s could not be told apart: %s just one of them the test could not be judged", prose.Number(n), without)
	case unproven == 1:
		return fmt.Sprintf("1 of the %s not proven to be needed: %s just this one the test could not be judged", prose.Number(n), without)
	default:
		return fmt.Sprintf("%s of the %s not proven to be needed: %s just one of these the test could not be judged", prose.Number(unproven), prose.Number(n), without)
	}
}

// interaction says what was tested of members that are all needed: to be
// minimal is to have a trial without each of them.
func interaction(r *Result) string {
	without, with := r.said()
	if r.Direction == Fix {
		without, with = with, without
	}
	if r.members() == 2 {
		return fmt.Sprintf("it %s with either of the 2 alone, and %s with both", without, with) + r.oneEach()
	}
	return fmt.Sprintf("it %s with all %s, and %s without any one of them", with, prose.Number(r.members()), without) + r.oneEach()
}

package search

import (
	"bytes"
	"context"
	"errors"
	"math/bits"
	"slices"
	"strings"

	"github.com/gitdd/gitdd/changes"
	"github.com/gitdd/gitdd/isolate"
	"github.com/gitdd/gitdd/trial"
)

// linesWithin may take shareForLines times the trials of the search, but not fewer than leastForLines and not more than
// mostForLines; log2 b more among b blocks of changes that could not be told apart. The trial that confirms what was found is one of them.
const (
	leastForLines = 5
	mostForLines  = 9
	shareForLines = 0.3
)

// linesWithin looks for lines of a long, confirmed cause without which the failing end passes, with all other changes in
// place. The hunks of a long cause mostly fail only as a whole, and a part of them that fails alone is seldom the part
// that a reader looks for. linesWithin tries blocks: lines that belong together by their indentation, such as a
// statement with its body (see isolate.CorrectionSet). If each member of the cause is known to be needed, it does so in each
// long member, and otherwise in all of them together. It adds what it finds to the answer, as an answer with the relation
// Within. Like fault, it comes last: without it the answer is complete. Where bad fails without the whole
// cause, or where a program made its code, it looks for nothing.
//
// Where bad could not be judged without the cause, the other changes of the declarations that its members stand in belong to the
// blocks, too. A function that was rewritten is mostly one that mixes badly: the cause may be a mixture of its old and new lines that
// nobody has written, and that fails as the new function does.
func (w *searcher) linesWithin(ctx context.Context, first *Answer) error {
	found := first.Result
	if w.Finest != Auto || w.direction == trial.Fix || w.options.Goal != isolate.Cause || !w.once() || first.Plan == nil ||
		first.Repaired.Outcome == isolate.Fail.String() {
		return nil
	}
	members := slices.Collect(found.Cause.All())
	rewritten := first.Repaired.Outcome == isolate.Unresolved.String()
	if rewritten {
		members = declared(*first)
	}
	total := 0
	for _, i := range members {
		total += linesOf(&first.Set.Changes[i])
	}
	most := min(max(leastForLines, int(shareForLines*float64(first.Trials+w.jointly+w.confirmations()))), mostForLines)
	if total < ManyLines || first.FirstGenerated() != nil {
		return nil
	}
	a, p, starts, err := w.cutIntoLines(ctx, first, members, first.bad)
	if err != nil {
		return err
	}
	pieces := func(list ...int) isolate.Configuration { return isolate.Of(a.Set.Len(), carried(list, starts)...) }
	var searches [][]isolate.Configuration
	if found.Unproven.IsEmpty() && !rewritten {
		for _, i := range members {
			if linesOf(&first.Set.Changes[i]) >= ManyLines {
				searches = append(searches, blocks(a.Set, carried([]int{i}, starts)))
			}
		}
	} else {
		list := blocks(a.Set, carried(members, starts))
		if found.Inseparable { // nobody has tested bad without just one of the changes
			most += bits.Len(uint(len(list)))
			for _, i := range members {
				list = append(list, pieces(i))
			}
		}
		searches = append(searches, list)
	}
	noted := false
	for _, groups := range searches {
		groups = slices.DeleteFunc(groups, func(g isolate.Configuration) bool { return !brings(a.Set, pieces(members...).Minus(g)) })
		left, limited := w.left(first.Trials)
		if limited {
			most = min(most, left)
		}
		if len(groups) == 0 || most < 2 {
			continue
		}
		if !noted {
			w.note("looking for lines of the cause without which the test passes (--level hunk leaves this out)")
			noted = true
		}
		part, spent := a, w.spent
		confirmed, err := w.smallest(ctx, first, &part, p, groups, most-1)
		if confirmed {
			first.Further = append(first.Further, Further{part, Within, !w.Unconfirmed})
		}
		most -= part.Trials - first.Trials + w.spent - spent
		if errors.Is(err, isolate.ErrBudget) || ctx.Err() != nil {
			return nil
		} else if err != nil {
			return err
		}
	}
	return nil
}

// declared returns the cause of an answer and all other changes of the declarations that its members stand in.
func declared(a Answer) []int {
	type declaration struct{ path, symbol string }
	of := func(i int) declaration { return declaration{a.Set.Changes[i].Path, a.Plan.Symbols[i]} }
	in := map[declaration]bool{}
	for i := range a.Result.Cause.All() {
		in[of(i)] = a.Plan.Symbols[i] != ""
	}
	var list []int
	for i := range a.Set.Changes {
		if a.Result.Cause.Has(i) || in[of(i)] {
			list = append(list, i)
		}
	}
	return list
}

// smallest looks for the smallest of some groups of lines without which the test passes, in at most so many trials, and
// confirms it in one more, but for Options.Unconfirmed. It reports whether there is a group that part can show.
func (w *searcher) smallest(ctx context.Context, first, part *Answer, p isolate.Problem, groups []isolate.Configuration, most int) (bool, error) {
	w.number = 1 + len(first.Further)
	mark := w.stage
	var err error
	part.Result, _, err = w.round(ctx, *part, p, most+knownEnds, func(ctx context.Context, p isolate.Problem, test isolate.Test, opts isolate.Options) (isolate.Result, error) {
		// Without the lines of a function that reads all input, the test fails, but the failure is not that of the cause.
		alike := func(c isolate.Configuration) bool {
			got, _, _, err := w.Runner.OtherMessage(part.Set, c, 1)
			return err == nil && got == ""
		}
		return isolate.CorrectionSet(ctx, p, groups, most, alike, test, opts)
	})
	part.Trials += max(0, part.Result.Trials-knownEnds)
	if err != nil || part.Result.Passing.IsEmpty() {
		w.discard(mark, "no lines were found without which the test passes")
		return false, err
	}
	if w.Unconfirmed {
		return true, nil
	}
	v, err := w.Runner.Confirm(ctx, part.Set, part.Result.Passing, isolate.Pass)
	w.spent++
	if err == nil && v.Outcome != isolate.Pass {
		w.discard(mark, "it was not confirmed")
	}
	return err == nil && v.Outcome == isolate.Pass, err
}

// manyBlocks is how many blocks have to follow each other for halves of them to be tried.
const manyBlocks = 9

// brings reports whether some pieces of a set bring a line that is not blank, or are no lines of text. If what a group
// leaves of the cause brings nothing, the group is all of the cause, and says nothing new.
func brings(set *changes.Set, pieces isolate.Configuration) bool {
	for i := range pieces.All() {
		if c := &set.Changes[i]; c.Kind != changes.Text || len(bytes.TrimSpace(c.New)) > 0 {
			return true
		}
	}
	return false
}

// linesOf is how many lines of a change a reader looks at: those of its longer side.
func linesOf(c *changes.Change) int { return max(c.OldLines, c.NewLines, 1) }

// blocks returns the blocks among some pieces of a set, which are a line each. A block is a line that was added or replaced,
// the lines behind it that are indented further, and the line behind these if it only closes a bracket. Where a block is the
// whole body of another block, only the outer one is in the list. Lines that go on with the arguments of a call belong to its
// first line. Of manyBlocks or more that follow each other with the same indentation, each half is in the list as well, and
// the halves of each half: a long list is mostly one of entries, which do not need each other, and a short one of statements,
// which do.
func blocks(set *changes.Set, pieces []int) (list []isolate.Configuration) {
	var run []int // pieces whose new lines follow each other
	flush := func() {
		for _, b := range indented(set, run) {
			list = append(list, isolate.Of(set.Len(), run[b[0]:b[1]]...))
		}
		run = nil
	}
	for _, i := range pieces {
		c := &set.Changes[i]
		if c.Kind != changes.Text || c.NewLines == 0 {
			continue
		}
		if len(run) > 0 {
			if last := &set.Changes[run[len(run)-1]]; last.Path != c.Path || last.NewStart+last.NewLines != c.NewStart {
				flush()
			}
		}
		run = append(run, i)
	}
	flush()
	return list
}

// indented returns the blocks among pieces whose new lines follow each other, as ranges, see blocks.
func indented(set *changes.Set, run []int) (list [][2]int) {
	const blank = -1
	depth, closes, calls := make([]int, len(run)), make([]bool, len(run)), make([]bool, len(run))
	for k, i := range run {
		line, _, _ := strings.Cut(string(set.Changes[i].New), "\n")
		text := strings.TrimLeft(line, " \t")
		depth[k] = len(line) - len(text) + 7*strings.Count(line[:len(line)-len(text)], "\t")
		if text = strings.TrimRight(text, " \t\r"); text == "" {
			depth[k] = blank
		} else {
			closes[k] = strings.ContainsAny(text[:1], ")]}")
			calls[k] = strings.HasSuffix(text, ",") && strings.Count(text, "(") > strings.Count(text, ")")
		}
	}
	var halves func(siblings [][2]int)
	halves = func(siblings [][2]int) {
		if len(siblings) <= 2 {
			return
		}
		middle := len(siblings) / 2
		for _, half := range [][][2]int{siblings[:middle], siblings[middle:]} {
			if len(half) > 1 {
				list = append(list, [2]int{half[0][0], half[len(half)-1][1]})
			}
			halves(half)
		}
	}
	var within func(from, to int)
	within = func(from, to int) {
		var siblings [][2]int
		for k := from; k < to; {
			if depth[k] == blank {
				k++
				continue
			}
			last, closed := k+1, k+1 // behind its last line that is not blank; behind the lines that are indented further
			for end := k + 1; end < to; end++ {
				if depth[end] == blank {
					continue
				}
				if depth[end] < depth[k] || depth[end] == depth[k] && !closes[end] {
					break
				}
				if last = end + 1; depth[end] > depth[k] {
					closed = last
				}
			}
			siblings = append(siblings, [2]int{k, last})
			if !calls[k] {
				within(k+1, closed)
			}
			k = last
		}
		if from == 0 || len(siblings) > 1 {
			list = append(list, siblings...)
		}
		alike := 0
		for k := range siblings {
			if k+1 == len(siblings) || depth[siblings[k][0]] != depth[siblings[k+1][0]] {
				if k+1-alike >= manyBlocks {
					halves(siblings[alike : k+1])
				}
				alike = k + 1
			}
		}
	}
	within(0, len(run))
	return list
}

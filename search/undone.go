package search

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode"

	"github.com/gitdd/gitdd/changes"
	"github.com/gitdd/gitdd/internal/git"
	"github.com/gitdd/gitdd/isolate"
	"github.com/gitdd/gitdd/trial"
)

// A history may have commits in its middle that fail for a reason of their own, such as a build that a later commit mends. Where
// neither the exit status nor the words tell such a failure from that of the failing end, the first of these commits becomes the
// answer. Two facts contradict such an answer, and both rest on trials alone:
//
//   - A later commit takes all lines of the cause back, and the failing end fails without them. If that commit fails, and puts
//     other lines in their place, they may do the same: then the words have to tell, too. See undone.
//   - A commit behind the answer passes. Where the words of the failure leave room for doubt, such a commit is looked
//     for, see overtaken.
//
// Then the failures before that commit are set aside, and the search goes on behind it.

// A span is the part of the line of commits to which the search has come by such facts.
type span struct {
	from, until git.ID          // it begins and ends there; "" = at the end of the line
	skipped     map[git.ID]bool // commits of it that fail for another reason
	before      *Bisection      // what was found before; nil = nothing
}

// of returns the part of a line that is in the span, and how many commits of the line come before it.
func (s span) of(l line) (line, int) {
	first, last := 0, len(l.all)-1
	if i := indexOf(l.all, s.from); i > 0 {
		first = i
	}
	if i := indexOf(l.all, s.until); i > first {
		last = i
	}
	l.all = l.all[first : last+1]
	return l, first
}

// carry enters into b, which begins, the commits that were tested before, but for the outcomes of those that failed: the search asks
// for them again if they still count.
func (s span) carry(b *Bisection) {
	if s.before == nil {
		return
	}
	maps.Copy(b.tested, s.before.tested)
	for id, outcome := range s.before.Outcomes {
		if outcome != isolate.Fail {
			b.Outcomes[id] = outcome
		}
	}
}

func indexOf(line []git.Commit, id git.ID) int {
	return slices.IndexFunc(line, func(c git.Commit) bool { return c.ID == id })
}

// mayGoOn reports whether a later commit can contradict an answer: it is one commit of a history whose newer end fails, not that end itself.
func (w *searcher) mayGoOn(a Answer) bool {
	return w.history != nil && !w.history.back && w.direction == trial.Break && w.line == nil && w.options.Goal == isolate.Cause &&
		a.Commits.Narrowed() && a.Plan != nil && len(a.Commits.Sides) == 0 && !w.history.isEnd(a.Commits.To.ID) && !w.exhausted(a.Trials)
}

// undone reports whether a later commit has taken the lines of the cause of a back, so that the failure at the failing end, which
// does not have them, is another one. Then the search has to go on without the failures in between. It asks for the outcome of
// the commit that took them back, which is a trial unless it is known.
func (w *searcher) undone(ctx context.Context, a Answer) (bool, error) {
	if !w.mayGoOn(a) {
		return false, nil
	}
	f, err := w.footprintOf(a)
	if err != nil || f == nil {
		return false, err
	}
	all := w.history.line.all
	last := len(all) - 1
	off, err := f.isOff(ctx, w.history.repo, all[last].Tree)
	if err != nil || !off {
		return false, err
	}
	first := indexOf(all, a.Commits.To.ID) // of those that have the lines
	by := last
	for by > max(first+1, 0) {
		if off, err = f.isOff(ctx, w.history.repo, all[by-1].Tree); err != nil {
			return false, err
		}
		if !off {
			break
		}
		by--
	}
	if by <= max(first, 0) {
		return false, nil
	}
	if elsewhere, err := f.isElsewhere(ctx, w.history.repo, all[by-1].Tree, all[by].Tree); err != nil || elsewhere {
		return false, err
	}
	outcome, err := w.tryAside(ctx, a, all[by])
	if err != nil {
		return false, err
	}
	taker := Named(all[by].ID, all)
	if outcome == isolate.Pass {
		return true, w.goOn(a, by, span{from: all[by].ID}, fmt.Sprintf("%s takes it back and passes", taker))
	}
	if reworded, err := f.isReworded(ctx, w.history.repo, all[by-1].Tree, all[by].Tree); err != nil || reworded && !w.saysElse(a) {
		return false, err
	}
	begin := indexOf(all, a.Commits.From.ID)
	if begin < 0 || first < 0 {
		return false, nil
	}
	s := span{from: all[begin].ID, skipped: map[git.ID]bool{}}
	if outcome == isolate.Fail {
		s.until = all[by].ID
	}
	for _, c := range all[first:by] {
		s.skipped[c.ID] = true
	}
	return true, w.goOn(a, by, s, fmt.Sprintf("%s takes it back, and the test fails without it", taker))
}

// overtaken reports whether a commit behind the answer a passes, in which case the search has to go on behind it. It looks for one only
// if the failure of a says neither the same as that of the failing end nor something that is surely different: for the place
// from which on the commits say the same as the failing end. Cost: the logarithm of the number of commits behind a, less those that are
// known.
func (w *searcher) overtaken(ctx context.Context, a Answer) (bool, error) {
	if !w.mayGoOn(a) || w.surely() {
		return false, nil
	}
	all := w.history.line.all
	low, high, passing := indexOf(all, a.Commits.To.ID), len(all)-1, -1
	if low < 0 {
		return false, nil
	}
	if !w.saysElse(a) {
		return false, nil
	}
	for high-low > 1 {
		if w.exhausted(a.Trials) {
			return false, nil
		}
		middle := (low + high) / 2
		outcome, err := w.tryAside(ctx, a, all[middle])
		if err != nil {
			return false, err
		}
		alike := false
		switch outcome {
		case isolate.Pass:
			passing = middle
		case isolate.Fail:
			alike, _ = w.Runner.SaysAsFailingEnd(all[middle].Tree)
		}
		if alike {
			high = middle
		} else {
			low = middle
		}
	}
	if passing < 0 {
		return false, nil
	}
	return true, w.goOn(a, passing, span{from: all[passing].ID}, fmt.Sprintf("%s passes", Named(all[passing].ID, all)))
}

// saysElse reports whether the failing end of the commit of an answer is known to say something else than that of the search.
func (w *searcher) saysElse(a Answer) bool {
	alike, known := w.Runner.SaysAsFailingEnd(a.Commits.To.Tree)
	return known && !alike
}

// goOn sets the failures before a commit of the line aside, and makes the search go on in a span.
func (w *searcher) goOn(a Answer, by int, s span, why string) error {
	all := w.history.line.all
	w.note(fmt.Sprintf("%s fails, but %s: searching on", Named(a.Commits.To.ID, all), why))
	behind := map[git.ID]bool{}
	for _, c := range all[by:] {
		behind[c.Tree] = true
	}
	if len(s.skipped) > 0 {
		skipped := maps.Clone(w.history.known.Skipped)
		if skipped == nil {
			skipped = map[git.ID]bool{}
		}
		maps.Copy(skipped, s.skipped)
		w.history.known.Skipped, w.history.line.skip = skipped, skipped
	}
	s.before = a.Commits
	w.span = s
	w.spent += a.Trials - a.Commits.Trials()
	return w.Runner.SetAside(func(tree git.ID) bool { return !behind[tree] }, "later "+why)
}

// tryAside returns the outcome of a commit that the search does not depend on, and counts its trial.
func (w *searcher) tryAside(ctx context.Context, a Answer, c git.Commit) (isolate.Outcome, error) {
	b := *a.Commits
	b.tested, b.Outcomes, b.Skipped = maps.Clone(b.tested), maps.Clone(b.Outcomes), nil
	before := b.Trials()
	mark := w.stage
	outcome, err := w.try(ctx, &b, c)
	w.spent += b.Trials() - before
	w.discard(mark, "it only tells whether the answer holds")
	return outcome, err
}

// A footprint is what a cause makes of the files that it changes.
type footprint struct {
	paths []string
	files map[string]fileSides
}

// fileSides are both sides of a file of a footprint.
type fileSides struct {
	without      git.ID         // "" = there is no such file
	lines        map[string]int // of the file without the cause
	added, taken []string       // lines that the cause adds and removes
}

// footprintOf returns the footprint of the cause of an answer; nil if the cause neither adds nor removes a line that says something.
func (w *searcher) footprintOf(a Answer) (*footprint, error) {
	without, err := a.Set.Compose(a.Result.Passing.All())
	if err != nil {
		return nil, err
	}
	with, err := a.Set.Compose(a.Result.Failing.All())
	if err != nil {
		return nil, err
	}
	f := &footprint{files: map[string]fileSides{}}
	says := false
	for i := range a.Result.Cause.All() {
		for _, path := range []string{a.Set.Changes[i].Path, a.Set.Changes[i].OldPath} {
			if _, ok := f.files[path]; ok || path == "" {
				continue
			}
			var sides [2]map[string]int
			var ids [2]git.ID
			for k, tree := range []*changes.Tree{without, with} {
				file, ok := tree.File(path)
				if !ok {
					file = a.Set.GoodFile(path)
				}
				sides[k] = map[string]int{}
				if ids[k] = file.ID; !file.Mode.IsFile() {
					continue
				}
				content, err := a.Set.Content(file)
				if err != nil {
					return nil, err
				}
				sides[k] = countLines(content)
			}
			s := fileSides{without: ids[0], lines: sides[0]}
			for l, n := range sides[1] {
				if n > sides[0][l] {
					s.added = append(s.added, l)
				}
			}
			for l, n := range sides[0] {
				if n > sides[1][l] {
					s.taken = append(s.taken, l)
				}
			}
			says = says || slices.ContainsFunc(slices.Concat(s.added, s.taken), saysSomething)
			f.paths = append(f.paths, path)
			f.files[path] = s
		}
	}
	if !says {
		return nil, nil
	}
	return f, nil
}

func saysSomething(line string) bool {
	return strings.IndexFunc(line, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }) >= 0
}

// countLines counts the lines of a content that are not blank, by what they say.
func countLines(content []byte) map[string]int {
	lines := map[string]int{}
	for l := range bytes.Lines(content) {
		if text := strings.TrimSpace(string(l)); text != "" {
			lines[text]++
		}
	}
	return lines
}

// fileAt returns the id of what a tree has at a path, "" for nothing, and counts its lines if it is a file.
func fileAt(ctx context.Context, repo *git.Repo, tree git.ID, path string) (git.ID, map[string]int, error) {
	entry, ok, err := repo.EntryAt(ctx, tree, path)
	if err != nil || !ok {
		return "", nil, err
	}
	if !entry.Mode.IsFile() {
		return entry.ID, nil, nil
	}
	content, err := repo.Blob(ctx, entry.ID)
	if err != nil {
		return "", nil, err
	}
	return entry.ID, countLines(content), nil
}

// isOff reports whether a tree has none of the lines that the cause adds to a file, and all that it removes.
func (f *footprint) isOff(ctx context.Context, repo *git.Repo, tree git.ID) (bool, error) {
	for _, path := range f.paths {
		s := f.files[path]
		id, lines, err := fileAt(ctx, repo, tree, path)
		if err != nil {
			return false, err
		}
		if id == s.without {
			continue
		}
		for _, l := range s.added {
			if lines[l] > s.lines[l] {
				return false, nil
			}
		}
		for _, l := range s.taken {
			if lines[l] < s.lines[l] {
				return false, nil
			}
		}
	}
	return true, nil
}

// isReworded reports whether the commit from one tree to another, where the lines of the cause go, puts other lines into their files
// than the cause has removed: then these may do the same as those that went.
func (f *footprint) isReworded(ctx context.Context, repo *git.Repo, old, new git.ID) (bool, error) {
	for _, path := range f.paths {
		var sides [2]map[string]int
		for k, tree := range []git.ID{old, new} {
			_, lines, err := fileAt(ctx, repo, tree, path)
			if err != nil {
				return false, err
			}
			sides[k] = lines
		}
		for l, n := range sides[1] {
			if n > sides[0][l] && n > f.files[path].lines[l] && saysSomething(l) {
				return true, nil
			}
		}
	}
	return false, nil
}

// mostFiles is how many files of one commit are read to see whether it has moved lines.
const mostFiles = 200

// isElsewhere reports whether the commit from one tree to another has put the lines that the cause adds into other files.
func (f *footprint) isElsewhere(ctx context.Context, repo *git.Repo, old, new git.ID) (bool, error) {
	missing := map[string]bool{}
	for _, s := range f.files {
		for _, l := range s.added {
			if saysSomething(l) {
				missing[l] = true
			}
		}
	}
	if len(missing) == 0 {
		return false, nil
	}
	deltas, err := repo.DiffTrees(ctx, old, new, nil)
	if err != nil {
		return false, err
	}
	for _, d := range deltas[:min(len(deltas), mostFiles)] {
		if _, own := f.files[d.NewPath]; own || !d.NewMode.IsFile() {
			continue
		}
		content, err := repo.Blob(ctx, d.NewID)
		if err != nil {
			return false, err
		}
		was := map[string]int{}
		if d.OldPath == d.NewPath && d.OldMode.IsFile() {
			before, err := repo.Blob(ctx, d.OldID)
			if err != nil {
				return false, err
			}
			was = countLines(before)
		}
		for l, n := range countLines(content) {
			if n > was[l] {
				delete(missing, l)
			}
		}
	}
	return len(missing) == 0, nil
}

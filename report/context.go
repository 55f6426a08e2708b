package report

import (
	"bytes"
	"cmp"
	"fmt"
	"iter"
	"math"
	"path"
	"slices"
	"strings"

	"github.com/gitdd/gitdd/changes"
	"github.com/gitdd/gitdd/internal/prose"
)

const (
	shownContext = 20      // lines of a context, with the names of files and symbols
	largeContext = 400     // a context of more lines shows only what the commits of the cause made
	contextText  = 4 << 20 // bytes of text that a result has of a context; the first change is always there
)

// A vicinity knows where the changes of a cause are, and tells how near to these other changes are.
type vicinity struct {
	commits map[string]bool        // that made the cause
	ranges  map[string][]lineRange // of lines on the newer side, by path
	dirs    map[string]bool
}

// A lineRange is a range of lines, from begin to before end.
type lineRange struct{ begin, end int }

func rangeOf(c *changes.Change) lineRange {
	return lineRange{c.NewStart, c.NewStart + max(c.NewLines, 1)}
}

// distance is how many lines lie between two ranges.
func (s lineRange) distance(t lineRange) int { return max(0, s.begin-t.end, t.begin-s.end) }

func vicinityOf(set *changes.Set, cause iter.Seq[int]) *vicinity {
	v := &vicinity{commits: map[string]bool{}, ranges: map[string][]lineRange{}, dirs: map[string]bool{}}
	for i := range cause {
		c := &set.Changes[i]
		for _, commit := range c.Commits {
			v.commits[string(commit.ID)] = true
		}
		v.ranges[c.Path] = append(v.ranges[c.Path], rangeOf(c))
		v.dirs[path.Dir(c.Path)] = true
	}
	return v
}

// A nearness says how near a change is to the cause: smaller values are nearer.
type nearness struct {
	commit int // 0 = a commit of the cause made the change, 1 = another one, or it is not known
	place  int // 0 = in a file of the cause, 1 = in a directory of such a file, 2 = elsewhere
	space  int // 1 = it changes white space alone, which says little to a reader
	lines  int // between the change and the cause, in the same file
}

func (n nearness) compare(m nearness) int {
	return cmp.Or(cmp.Compare(n.commit, m.commit), cmp.Compare(n.place, m.place), cmp.Compare(n.space, m.space), cmp.Compare(n.lines, m.lines))
}

// of returns how near a change is.
func (v *vicinity) of(c *changes.Change) nearness {
	n := nearness{commit: 1, place: 2}
	if slices.ContainsFunc(c.Commits, func(commit changes.Commit) bool { return v.commits[string(commit.ID)] }) {
		n.commit = 0
	}
	if len(c.Old) > 0 && len(c.New) > 0 && squeeze(string(c.Old)) == squeeze(string(c.New)) {
		n.space = 1
	}
	switch ranges := v.ranges[c.Path]; {
	case len(ranges) > 0:
		n.place, n.lines = 0, math.MaxInt
		for _, s := range ranges {
			n.lines = min(n.lines, s.distance(rangeOf(c)))
		}
	case v.dirs[path.Dir(c.Path)]:
		n.place = 1
	}
	return n
}

// nearestFirst sorts the changes of a context: those that commits of the cause made come before
// others; of both those in files of the cause by the number of lines between, then those in the same
// directories, then the rest in the order of the tree. Of these three, changes of white space come last.
func nearestFirst(set *changes.Set, cause, context iter.Seq[int]) []int {
	v := vicinityOf(set, cause)
	near := map[int]nearness{}
	var list []int
	for i := range context {
		near[i] = v.of(&set.Changes[i])
		list = append(list, i)
	}
	slices.SortStableFunc(list, func(i, j int) int { return near[i].compare(near[j]) })
	return list
}

// contextDiff returns the changes of a context with their texts, the nearest to the cause first, as
// many as contextText allows.
func contextDiff(set *changes.Set, cause, context iter.Seq[int], f Facts) []Change {
	var list []Change
	left := contextText
	for _, i := range nearestFirst(set, cause, context) {
		m := member(&set.Changes[i], f.symbol(i), f.Blob)
		if left -= len(m.Old) + len(m.New); left < 0 && len(list) > 0 {
			break
		}
		if set.Changes[i].Kind == changes.Text && f.BadLine == nil {
			m.BadLine = max(m.NewStart, 1)
		}
		list = append(list, m)
	}
	return list
}

// size is the number of lines that a change takes away and brings.
func (c *Change) size() int {
	minus, plus := c.lineCounts()
	return minus + plus
}

// nearContext returns the part of the context that a reader is to see who has not asked for all: a
// large one is confined to what the commits of the cause made or, where the commits of the cause or of
// the context are not known, to the files of the cause.
func (r *Result) nearContext() []Change {
	total := 0
	for i := range r.ContextDiff {
		total += r.ContextDiff[i].size()
	}
	if total <= largeContext && len(r.ContextDiff) == len(r.Present) || r.oneCommit() {
		return r.ContextDiff
	}
	blamed := slices.ContainsFunc(r.ContextDiff, func(c Change) bool { return len(c.Commits) > 0 })
	commits, paths := map[string]bool{}, map[string]bool{}
	for i := range r.Cause {
		paths[r.Cause[i].path()] = true
		for _, id := range r.Cause[i].Commits {
			commits[id] = true
		}
	}
	end := slices.IndexFunc(r.ContextDiff, func(c Change) bool {
		if !blamed || len(commits) == 0 {
			return !paths[c.path()]
		}
		return !slices.ContainsFunc(c.Commits, func(id string) bool { return commits[id] })
	})
	if end < 0 {
		end = len(r.ContextDiff)
	}
	return r.ContextDiff[:end]
}

// oneCommit reports whether all changes that were searched are of one commit.
func (r *Result) oneCommit() bool {
	h := r.History
	return h != nil && len(h.Suspects) == 1 && len(h.Sides) == 0
}

// contextTitle is the heading of a context.
func contextTitle(r *Result) string {
	if r.Status != Isolated {
		return "Needed by the " + verb(len(r.Cause), "suspect", "suspects") + ", as far as is known"
	}
	return "Needed by the " + soughtChange(r)
}

// showsContext reports whether the lines of the context are shown: if those of the cause are, too.
func (r *Result) showsContext(full bool) bool {
	return r.Status != NotIsolated && r.Status != Failed && len(r.ContextDiff) > 0 && (full || len(r.Cause) <= shownChanges && !r.suspectsCommits())
}

// contextLines shows the lines of the context, the nearest to the cause first.
func (p *page) contextLines() {
	r := p.r
	if !r.showsContext(p.full) {
		return
	}
	p.blank()
	p.line((&prose.Line{}).Add(prose.Headline, contextTitle(r)+":"))
	p.contextChanges()
}

// contextChanges shows the changes of the context, below their files.
func (p *page) contextChanges() {
	r := p.r
	list, left := r.nearContext(), shownContext
	if p.full {
		list, left = r.ContextDiff, math.MaxInt32
	}
	var path string
	shown := 0
	for n := 0; len(list) > 0; list = list[n:] {
		n = oneLine(list)
		c := &list[0]
		header := 1
		if shown == 0 || c.path() != path {
			header = 2
		}
		if left < header+min(c.size(), 2) {
			break
		}
		before := p.out.Len()
		if header == 2 {
			path = c.path()
			p.path(path)
		}
		p.change(list[:n], false, contextLimit(c, left-header), 3)
		left -= bytes.Count(p.out.Bytes()[before:], []byte{'\n'})
		shown += n
	}
	p.contextRest(shown)
}

// contextLimit is how many lines of either side of a change are shown, where there is room for so
// many lines of both.
func contextLimit(c *Change, room int) int {
	if c.size() <= room {
		return room
	}
	return max(room/2, 1)
}

// contextRest says what of the context is not shown: all but the first changes of it.
func (p *page) contextRest(shown int) {
	r := p.r
	n := max(len(r.Present), len(r.ContextDiff)) - shown
	if n == 0 {
		return
	}
	lines, paths := 0, map[string]bool{}
	for i := shown; i < len(r.ContextDiff); i++ {
		lines += r.ContextDiff[i].size()
		paths[r.ContextDiff[i].path()] = true
	}
	switch {
	case len(r.ContextDiff) < len(r.Present): // the result does not have the lines of all
		p.leftOut(prose.Count(n, "more change"))
	case lines == 0:
		p.leftOut(prose.Count(n, "more change") + " in " + prose.Count(len(paths), "file"))
	default:
		p.leftOut(prose.Count(lines, "more line") + " in " + prose.Count(len(paths), "file"))
	}
}

// context says what must be present for the cause to make a difference, as far as the
// search came, and with how many other changes the cause was tested, if these are more.
func (p *page) context() {
	r := p.r
	n, what := len(r.Present), "the failure"
	if r.Direction == Fix {
		what = "the fix"
	}
	others := min(r.Passing.Changes, r.Failing.Changes)
	known, with := "", ""
	if r.Status == Isolated && r.Goal == "cause" && others > n && !p.interacting {
		known, with = ", as far as is known", fmt.Sprintf("; the cause was tested with %s", prose.Count(others, "other change"))
	} else if r.Status != Isolated {
		known = ", as far as is known"
	}
	switch {
	case n > 0 && (r.Status == Budget || r.Status == Interrupted || r.Status == Isolated):
		p.item("context", prose.Count(n, "other change")+" "+presence(r, n)+" for "+what+known+", in "+p.files(r.Present)+with)
	case r.Status == Isolated && r.Goal != "revert": // to revert, the rest of bad is the context
		p.item("context", p.noContext()+with)
	}
}

// noContext says that nothing else is needed. That was tested if the cause fails on the passing end alone. Where
// the history told the commit, the passing end of its changes is the commit before.
func (p *page) noContext() string {
	switch r := p.r; {
	case r.Passing.Changes > 0 && r.Failing.Changes > 0, r.History != nil && r.Commit == nil:
		return "no other change is known to be needed"
	case r.History != nil && r.History.Commits > 1:
		return "no other change of the commit is needed"
	}
	return "no other change is needed"
}

// presence says of n changes of the context of r that they are needed, or that this is not known of
// all of the context.
func presence(r *Result, n int) string {
	if len(r.ContextUnproven) == 0 {
		return "must be present"
	}
	return verb(n, "is", "are") + " taken to be needed"
}

// files names the files of changes, each once, with the symbols in them.
func (p *page) files(refs []Reference) string {
	const most = 4 // more are counted behind the first three
	var paths []string
	symbols := make(map[string][]string)
	for _, c := range refs {
		if _, seen := symbols[c.Path]; !seen {
			paths = append(paths, c.Path)
			symbols[c.Path] = nil
		}
		if c.Symbol != "" && !slices.Contains(symbols[c.Path], c.Symbol) {
			symbols[c.Path] = append(symbols[c.Path], c.Symbol)
		}
	}
	total, unit := len(paths), ""
	if total > most && !p.full {
		paths, unit = paths[:most-1], " files"
	}
	for i, path := range paths {
		names := symbols[path]
		if !p.full {
			path = prose.Tail(prose.Printable(path), p.width-labelWidth)
		}
		switch {
		case len(names) > most && !p.full:
			path += fmt.Sprintf(" (%s and %s more)", strings.Join(names[:most-1], ", "), prose.Number(len(names)-most+1))
		case len(names) > 0:
			path += " (" + strings.Join(names, ", ") + ")"
		}
		paths[i] = path
	}
	return prose.List(paths, total) + unit
}

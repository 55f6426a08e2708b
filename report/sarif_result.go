package report

import (
	"fmt"
	"strings"

	"github.com/owenrumney/go-sarif/v3/pkg/report/v210/sarif"

	"github.com/gitdd/gitdd/internal/prose"
)

// result is one change of an answer.
func (l *sarifRun) result(a *annotation) *sarif.Result {
	c := a.c
	rule := causeRule
	switch {
	case a.suspected():
		rule = suspectRule
	case a.mends():
		rule = fixRule
	}
	res := sarif.NewResult()
	res.RuleID, res.RuleIndex = new(sarifRules[rule].id), rule
	res.Level = sarifRules[rule].level
	if res.Level == sarif.LevelError && (a.unproven || len(a.r.Suspicions) > 0) {
		res.Level = sarif.LevelWarning
	}
	res.Locations = append(res.Locations, l.location(a))
	res.RelatedLocations = l.related(a)
	trials := l.evidence(a)
	plain, marked := unlinked, inMarkdown
	plain.shown = needing(a.r, trials)
	marked.shown = plain.shown
	res.Message = sarif.NewTextMessage(literally(strings.Join(a.sentences(plain), " ")))
	res.Message.Markdown = new(literally(strings.Join(a.sentences(marked), " ")))
	res.PartialFingerprints = map[string]string{"primaryLocationLineHash": c.ID + ":1", "gitddChange/v1": c.ID}
	commits := make([]Commit, 0, len(c.Commits))
	for _, id := range c.Commits {
		commit := Commit{ID: id}
		for _, known := range a.r.Commits {
			if known.ID == id {
				commit = known
			}
		}
		commits = append(commits, commit)
	}
	res.Properties = bag("change", c.ID, "kind", c.Kind, "commits", commits, "needed", !a.suspected() && a.r.shown() && !a.unproven,
		"confidence", c.Confidence, "evidence", trials)
	if a.relation != "" {
		res.Properties.Add("relation", string(a.relation))
	}
	if c.oldPath() != c.path() {
		res.Properties.Add("oldPath", c.OldPath)
	}
	if titles := a.r.updatesOf(c.ID); len(titles) > 0 {
		res.Properties.Add("updates", titles)
	}
	if fix := l.fix(a); fix != nil {
		res.Fixes = append(res.Fixes, fix)
	}
	return res
}

// location is where a change stands.
func (l *sarifRun) location(a *annotation) *sarif.Location {
	c := a.c
	at := place(c.path(), c.Symbol)
	start, end, ok := a.region()
	if !ok {
		return at
	}
	at.PhysicalLocation.Region = sarif.NewSimpleRegion(start, end)
	region := at.PhysicalLocation.Region
	if from, to, ok := a.columns(); ok {
		_, p := c.parts()
		region.StartColumn, region.EndColumn = new(from), new(to)
		if text := c.newText(); c.RawNew == nil && l.fits(len(text)) {
			region.Snippet = sarif.NewArtifactContent()
			region.Snippet.Text = new(text[p.from:p.to])
			around := sarif.NewSimpleRegion(start, end)
			around.StartColumn, around.EndColumn = new(1), new(lastColumn(text))
			around.Snippet = sarif.NewArtifactContent()
			around.Snippet.Text = new(text)
			at.PhysicalLocation.ContextRegion = around
		}
		return at
	}
	region.StartColumn = new(1)
	region.EndColumn = new(1) // of lines that went the end is not known
	if text := c.newText(); c.NewLines > 0 && text != "" {
		region.EndColumn = new(lastColumn(text))
		if c.RawNew == nil && l.fits(len(text)) {
			region.Snippet = sarif.NewArtifactContent()
			region.Snippet.Text = new(text)
		}
	}
	return at
}

// fits reports whether a text may go into the log, and counts it.
func (l *sarifRun) fits(bytes int) bool {
	if bytes > sarifText || l.texts+bytes > sarifTexts {
		return false
	}
	l.texts += bytes
	return true
}

// related are the changes that the blamed one goes together with, and those that
// must be present.
func (l *sarifRun) related(a *annotation) []*sarif.Location {
	list := []*sarif.Location{}
	if len(a.r.Cause) > sarifRelating {
		return list
	}
	add := func(at *sarif.Location, why string) {
		at.ID = len(list) + 1
		at.Message = sarif.NewTextMessage(why)
		list = append(list, at)
	}
	if len(a.r.Cause) <= sarifRelated+1 {
		for i := range a.r.Cause {
			if other := &a.r.Cause[i]; other != a.c {
				at := place(other.path(), other.Symbol)
				beside := annotation{r: a.r, relation: a.relation, c: other}
				if start, end, ok := beside.region(); ok {
					at.PhysicalLocation.Region = sarif.NewSimpleRegion(start, end)
				}
				why := "also of the cause"
				if a.suspected() {
					why = "also a suspect"
				} else if a.mends() {
					why = "also of the fix"
				}
				add(at, why)
			}
		}
	}
	if at := a.r.Place; at != nil {
		add(a.failure(), literally(withoutLink("fails here: "+a.r.placeText(prose.Printable(at.Path)+fmt.Sprintf(":%d", at.shownLine())))))
	}
	for _, at := range a.context() {
		add(at, presence(a.r, 1)+", too")
	}
	return list
}

// failure is where the command failed.
func (a *annotation) failure() *sarif.Location {
	at := a.r.Place
	l := place(at.Path, at.Symbol)
	if at.BadLine > 0 {
		l.PhysicalLocation.Region = sarif.NewSimpleRegion(at.BadLine, at.BadLine)
	}
	return l
}

// context is where changes of the context stand, the nearest ones first.
func (a *annotation) context() (list []*sarif.Location) {
	for i := range a.r.ContextDiff[:min(len(a.r.ContextDiff), sarifRelated)] {
		needed := annotation{r: a.r, relation: a.relation, c: &a.r.ContextDiff[i]}
		at := place(needed.c.path(), needed.c.Symbol)
		if start, end, ok := needed.region(); ok {
			at.PhysicalLocation.Region = sarif.NewSimpleRegion(start, end)
		}
		list = append(list, at)
	}
	if len(list) > 0 {
		return list
	}
	for _, ref := range a.r.Present[:min(len(a.r.Present), sarifRelated)] { // of a search that was cut short
		at := place(ref.Path, ref.Symbol)
		if ref.Line > 0 && a.same() {
			at.PhysicalLocation.Region = sarif.NewSimpleRegion(ref.Line, ref.Line)
		}
		list = append(list, at)
	}
	return list
}

// place is a location in a file, whose path is exact.
func place(path, symbol string) *sarif.Location {
	at := sarif.NewLocation()
	at.ID = 0 // instead of -1, which is no ID
	at.PhysicalLocation = sarif.NewPhysicalLocation()
	at.PhysicalLocation.ArtifactLocation = artifact(path)
	if symbol != "" {
		in := sarif.NewLogicalLocation()
		in.Name, in.FullyQualifiedName = new(prose.Printable(symbol)), new(prose.Printable(symbol))
		at.LogicalLocations = append(at.LogicalLocations, in)
	}
	return at
}

func artifact(path string) *sarif.ArtifactLocation {
	at := sarif.NewSimpleArtifactLocation(pathURI(path))
	at.URIBaseID = new(srcroot)
	return at
}

// pathURI is a path, whatever its bytes, as a relative reference (RFC 3986, 4.2).
// A colon is encoded, so that what stands before one is no scheme.
func pathURI(path string) string {
	const plain = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~/"
	var b strings.Builder
	for i := range len(path) {
		if c := path[i]; strings.IndexByte(plain, c) >= 0 {
			b.WriteByte(c)
		} else {
			fmt.Fprintf(&b, "%%%02X", c)
		}
	}
	return b.String()
}

// fix undoes a change of text, in the file as it is at Bad.
func (l *sarifRun) fix(a *annotation) *sarif.Fix {
	r, c := a.r, a.c
	line, _, ok := a.region()
	if !ok || a.suspected() || a.mends() || undoes(r) || c.path() != c.oldPath() || c.RawOld != nil || !l.fits(len(c.Old)) {
		return nil
	}
	if c.NewStart == 0 {
		if !a.same() {
			return nil // before the first line, or behind it
		}
		line = 0
	}
	gone, back := sarif.NewRegion(), c.Old
	gone.StartColumn, gone.EndColumn = new(1), new(1)
	from, to, within := a.columns()
	switch {
	case within:
		old, now := c.parts()
		back = c.Old[old.from:old.to]
		if c.RawNew != nil || strings.Contains(c.New[now.from:now.to], "\n") {
			return nil // there is no column behind the end of a line
		}
		gone.StartLine, gone.EndLine = new(line), new(line)
		gone.StartColumn, gone.EndColumn = new(from), new(to)
	case c.NewLines == 0: // insert behind the line before
		gone.StartLine, gone.EndLine = new(line+1), new(line+1)
	case strings.HasSuffix(c.New, "\n"):
		gone.StartLine, gone.EndLine = new(line), new(line+c.NewLines)
	default: // to the end of a file without a last newline
		gone.StartLine, gone.EndLine = new(line), new(line+c.NewLines-1)
		gone.EndColumn = new(lastColumn(c.New))
	}
	replacement := sarif.NewReplacement()
	replacement.DeletedRegion = gone
	if back != "" {
		replacement.InsertedContent = sarif.NewArtifactContent()
		replacement.InsertedContent.Text = new(back)
	}
	change := sarif.NewArtifactChange()
	change.ArtifactLocation = artifact(c.path())
	change.Replacements = append(change.Replacements, replacement)
	fix := sarif.NewFix()
	fix.Description = sarif.NewTextMessage("Take this change out.")
	if len(r.Cause) > 1 {
		fix.Description = sarif.NewTextMessage("Take this change of the cause out.")
	}
	fix.ArtifactChanges = append(fix.ArtifactChanges, change)
	return fix
}

// lastColumn is the column behind the last line of a text. That of a damaged result may be empty.
func lastColumn(text string) int {
	lines := cut(text).lines
	if len(lines) == 0 {
		return 1
	}
	last := strings.TrimSuffix(lines[len(lines)-1], "\r")
	return column(last, len(last))
}

// A shownTrial is one that a result rests on.
type shownTrial struct {
	Trial   int    `json:"trial"`
	Shows   string `json:"shows"` // "needed", "passing" or "failing"
	Outcome string `json:"outcome"`
	Tree    string `json:"tree"`
	Commit  string `json:"commit,omitempty"`
	Reason  string `json:"reason"`

	Value *float64 `json:"value,omitempty"` // see Trial
}

// evidence are the trials that show that a change is needed, and those of both ends.
func (l *sarifRun) evidence(a *annotation) []shownTrial {
	list := []shownTrial{}
	add := func(t *Trial, shows string) {
		list = append(list, shownTrial{Trial: t.Number, Shows: shows, Outcome: t.Outcome, Tree: t.Tree, Commit: t.Commit, Reason: t.Reason, Value: t.Value})
	}
	for _, number := range l.needed[a.c.ID] {
		if t := l.trials[number]; t != nil && !a.suspected() && len(list) < sarifTrials {
			add(t, "needed")
		}
	}
	for _, end := range []struct{ tree, outcome, shows string }{
		{a.r.Passing.Tree, "pass", "passing"}, {a.r.Failing.Tree, "fail", "failing"},
	} {
		n := 0
		for _, t := range l.trees[end.tree] {
			if t.Outcome == end.outcome && n < sarifTrials {
				add(t, end.shows)
				n++
			}
		}
	}
	return list
}

// needing says which trials show that the change is needed.
func needing(r *Result, trials []shownTrial) string {
	var names []string
	outcome := ""
	for _, t := range trials {
		if t.Shows != "needed" {
			continue
		}
		names = append(names, fmt.Sprint(t.Trial))
		if outcome != "" && t.Outcome != outcome {
			outcome = "unresolved"
			continue
		}
		outcome = t.Outcome
	}
	if len(names) == 0 {
		return ""
	}
	const most = 5
	n := len(names)
	which := fmt.Sprintf("%s %s", verb(n, "trial", "trials"), prose.List(names[:min(n, most)], n))
	if outcome == "unresolved" {
		return capital(which) + verb(n, " shows", " show") + " that it is needed."
	}
	without := "Without it "
	if r.Goal == "revert" {
		without = "With it "
	}
	if r.Measured != nil {
		passes, fails := r.said()
		if outcome == "fail" {
			passes = fails
		}
		return without + which + " " + verb(n, passes, strings.Replace(passes, "has ", "have ", 1)) + "."
	}
	return without + which + " " + outcome + verb(n, map[string]string{"pass": "es", "fail": "s"}[outcome], "") + "."
}

package results

import (
	"bytes"
	"context"
	"slices"
	"strings"

	"github.com/gitdd/gitdd/changes"
	"github.com/gitdd/gitdd/grouping"
	"github.com/gitdd/gitdd/internal/failure"
	"github.com/gitdd/gitdd/internal/git"
	"github.com/gitdd/gitdd/isolate"
	"github.com/gitdd/gitdd/report"
	"github.com/gitdd/gitdd/search"
	"github.com/gitdd/gitdd/trial"
)

// addFailure adds to facts what the output of the failure of a confirmed answer says: the place of the failure, and the
// names of code in it. It adds nothing if there is no output of such a failure.
func addFailure(ctx context.Context, repo *git.Repo, session *trial.Session, a search.Answer, facts *report.Facts) error {
	end, err := failureOf(session, a, directionOf(facts))
	if err != nil || end == nil {
		return err
	}
	facts.Line = end.failureLine()
	facts.Place = failurePlace(ctx, repo, end, a, facts)
	facts.Printed = grouping.Names(end.output, end.passing)
	return nil
}

func directionOf(facts *report.Facts) trial.Direction {
	if facts.Direction == report.Fix {
		return trial.Fix
	}
	return trial.Break
}

// failurePlace says where the command failed with the cause of an answer, and how that is connected with
// the cause; nil if the output names no line of the failing tree.
func failurePlace(ctx context.Context, repo *git.Repo, end *failedEnd, a search.Answer, facts *report.Facts) *report.FailurePlace {
	files := &treeFiles{ctx: ctx, repo: repo, set: a.Set, tree: end.tree}
	cause := slices.Collect(a.Result.Cause.All())
	var names []string
	for _, i := range cause {
		names = append(names, a.Set.Changes[i].Path, a.Set.Changes[i].OldPath)
	}
	isOwn, isNamed := grouping.OwnTest(facts.Command, repo.Prefix()), grouping.Named(facts.Command, repo.Prefix())
	at, ok := a.Plan.Place(grouping.Failure{
		Applied: end.applied.All(),
		Cause:   cause, Context: slices.Collect(a.Result.Context.All()),
		Output: end.output, Passing: end.passing,
		Paths: files.paths, Content: files.content,
		Dir: strings.TrimSuffix(repo.Prefix(), "/"),
		Own: func(path string) bool { return !slices.Contains(names, path) && (isOwn(path) || isNamed(path)) },
	})
	if !ok {
		return nil
	}
	newLine := at.BadLine
	if a.Set.Bad.Tree != facts.Whole.Bad.Tree {
		at.BadLine = 0
	}
	return &report.FailurePlace{
		Path: at.Path, Line: at.Line, NewLine: newLine, BadLine: at.BadLine, Symbol: at.Symbol,
		Connection: report.Connection(at.Connection), Name: at.Name, Context: at.Context, Unchanged: at.Unchanged, Places: at.Named,
	}
}

// A failedEnd is a configuration that the command failed on, and what it printed.
type failedEnd struct {
	applied         isolate.Configuration
	tree            *changes.Tree
	output, passing []byte // passing is that of the passing configuration, nil if it is not there
	line            string // of the output, that tells why it failed
}

// failureLine is the line that tells why the command failed, "" if the passing configuration prints that line, too.
func (e *failedEnd) failureLine() string {
	for _, l := range failure.Lines(e.passing) {
		if l.Text == e.line || strings.HasSuffix(l.Text, " "+e.line) {
			return ""
		}
	}
	return e.line
}

// failureOf returns the failing configuration of an answer; if nothing that the command printed there
// is left, it returns the failing end of the answer's changes; nil if nothing is left of that either.
func failureOf(session *trial.Session, a search.Answer, direction trial.Direction) (*failedEnd, error) {
	whole, none, with, without := isolate.Full(a.Set.Len()), isolate.Empty(a.Set.Len()), a.Result.Failing, a.Result.Passing
	pairs := [][2]isolate.Configuration{{with, without}, {whole, none}}
	if direction == trial.Fix {
		pairs = [][2]isolate.Configuration{{without, with}, {none, whole}}
	}
	records := session.Records()
	for _, pair := range pairs {
		failing, err := a.Set.Compose(pair[0].All())
		if err != nil {
			return nil, err
		}
		output, line, ok := printedOn(session, records, failing.ID, isolate.Fail)
		if !ok {
			continue
		}
		passing, err := a.Set.Compose(pair[1].All())
		if err != nil {
			return nil, err
		}
		end := &failedEnd{applied: pair[0], tree: failing, output: output, line: line}
		end.passing, _, _ = printedOn(session, records, passing.ID, isolate.Pass)
		return end, nil
	}
	return nil, nil
}

// printedOn returns what the last trial of a tree with an outcome printed, and the line of it that tells best what happened.
func printedOn(session *trial.Session, records []trial.Record, tree git.ID, outcome isolate.Outcome) (output []byte, line string, ok bool) {
	for _, r := range slices.Backward(records) {
		if r.Tree != tree || isolate.Outcome(r.Outcome) != outcome {
			continue
		}
		if output, ok := session.Printed(r); ok {
			return output, r.Last, true
		}
	}
	return nil, "", false
}

// treeFiles are the files of a composed tree.
type treeFiles struct {
	ctx  context.Context
	repo *git.Repo
	set  *changes.Set
	tree *changes.Tree
}

// paths lists the files; it lists none if they cannot be read.
func (t *treeFiles) paths() (list []string) {
	out, err := t.repo.Git(t.ctx, "ls-tree", "-r", "-z", "--full-tree", "--name-only", string(t.set.Good.Tree))
	if err != nil {
		return nil
	}
	differs := map[string]bool{}
	for _, f := range t.tree.Files {
		differs[f.Path] = true
		if f.Mode != 0 {
			list = append(list, f.Path)
		}
	}
	for name := range bytes.SplitSeq(out, []byte{0}) {
		if len(name) > 0 && !differs[string(name)] {
			list = append(list, string(name))
		}
	}
	slices.Sort(list)
	return list
}

// mostOfPlace is how many bytes a file may have in which the line of a failure is looked up.
const mostOfPlace = 1 << 20

// content reads a file, unless it is a large one.
func (t *treeFiles) content(path string) ([]byte, bool) {
	for _, f := range t.tree.Files {
		if f.Path == path {
			content, err := t.set.Content(f)
			return content, err == nil
		}
	}
	found, err := t.repo.PathsBelow(t.ctx, t.set.Good.Tree, path)
	if err != nil || len(found) != 1 || found[0].Path != path {
		return nil, false
	}
	if size, err := t.repo.BlobSize(t.ctx, found[0].ID); err != nil || size > mostOfPlace {
		return nil, false
	}
	content, err := t.repo.Blob(t.ctx, found[0].ID)
	return content, err == nil
}

package git

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// A Bisect is the state of a git bisect in progress. Each worktree of a
// repository has its own.
type Bisect struct {
	Old, New    string   // the terms: "good" and "bad" unless others were set
	Bad         Commit   // marked by New; its ID is "" when nothing is yet
	Goods       []Commit // marked by Old, without those that others have in their history; none when nothing is yet
	Skipped     []ID     // sorted
	Paths       []string // pathspecs, relative to the top of the work tree; none = all commits count
	FirstParent bool
	NoCheckout  bool
	Log         []byte // as `git bisect log` shows it
}

// ErrNoBisect: the worktree has no bisect in progress.
var ErrNoBisect = errors.New("no git bisect is in progress here")

// Bisect reads the state of the bisect in progress in the worktree that the
// repository was opened in. The error is ErrNoBisect when there is none; a state
// that is damaged is another error, which says how to mend it. Nothing is
// written. Cost: a handful of git processes.
func (r *Repo) Bisect(ctx context.Context) (*Bisect, error) {
	start, err := r.bisectFile("BISECT_START")
	if err != nil {
		return nil, err
	}
	if len(bytes.TrimSpace(start)) == 0 {
		return nil, ErrNoBisect
	}
	b := &Bisect{Old: "good", New: "bad"}
	if b.Log, err = r.bisectFile("BISECT_LOG"); err != nil {
		return nil, err
	}
	if _, err := r.revParse(ctx, "BISECT_HEAD"); err == nil {
		b.NoCheckout = true
	} else if !refused(err) {
		return nil, err
	}
	terms, err := r.bisectFile("BISECT_TERMS")
	if err != nil {
		return nil, err
	}
	if len(terms) > 0 {
		words := strings.Split(strings.TrimSuffix(string(terms), "\n"), "\n")
		if len(words) != 2 || words[0] == "" || words[1] == "" || words[0] == words[1] {
			return nil, damagedBisect(fmt.Sprintf("BISECT_TERMS does not hold two terms, but %.60q", terms))
		}
		b.New, b.Old = words[0], words[1]
	}
	names, err := r.bisectFile("BISECT_NAMES")
	if err != nil {
		return nil, err
	}
	if b.Paths, err = unquoteAll(string(names)); err != nil {
		return nil, damagedBisect("BISECT_NAMES: " + err.Error())
	}
	if len(b.Paths) > 0 && b.Paths[0] == "--" {
		b.Paths = b.Paths[1:]
	}
	first, err := r.bisectFile("BISECT_FIRST_PARENT")
	if err != nil {
		return nil, err
	}
	b.FirstParent = first != nil
	if err := r.bisectRefs(ctx, b); err != nil {
		return nil, err
	}
	return b, b.lost()
}

// lost reports marks that stand in the log and are gone from the refs.
func (b *Bisect) lost() error {
	log, err := ParseBisectLog(b.Log)
	if err != nil {
		return nil // it is for people, and for replay
	}
	marked := func(term string) bool {
		return slices.ContainsFunc(log.Marks, func(m BisectMark) bool { return m.Term == term })
	}
	if b.Bad.ID == "" && marked(b.New) {
		return damagedBisect("its log marks a commit as " + b.New + ", but refs/bisect/" + b.New + " is gone")
	}
	if len(b.Goods) == 0 && marked(b.Old) {
		return damagedBisect("its log marks a commit as " + b.Old + ", but refs/bisect/" + b.Old + "-* are gone")
	}
	return nil
}

// bisectRefs reads what was marked, which only the refs say for sure: a log may
// name a commit by any name.
func (r *Repo) bisectRefs(ctx context.Context, b *Bisect) error {
	out, err := r.Git(ctx, "for-each-ref", "--format=%(objectname) %(refname)", "refs/bisect/")
	if err != nil {
		return err
	}
	var bad ID
	var goods, skipped []ID
	for line := range strings.Lines(string(out)) {
		id, name, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		switch name = strings.TrimPrefix(name, "refs/bisect/"); {
		case name == b.New:
			bad = ID(id)
		case strings.HasPrefix(name, b.Old+"-"):
			goods = append(goods, ID(id))
		case strings.HasPrefix(name, "skip-"):
			skipped = append(skipped, ID(id))
		}
	}
	commits := func(ids ...ID) ([]Commit, error) {
		if len(ids) == 0 {
			return nil, nil
		}
		list, err := r.commitsOf(ctx, ids)
		if refused(err) || err == nil && len(list) == 0 {
			err = damagedBisect(fmt.Sprintf("refs/bisect/ has a commit that cannot be read (%v)", err))
		}
		return list, err
	}
	list, err := commits(skipped...)
	if err != nil {
		return err
	}
	for _, c := range list {
		b.Skipped = append(b.Skipped, c.ID)
	}
	slices.Sort(b.Skipped)
	if bad != "" {
		if list, err = commits(bad); err != nil {
			return err
		}
		b.Bad = list[0]
	}
	if len(goods) > 1 {
		if goods, err = r.independent(ctx, goods); err != nil {
			return err
		}
	}
	b.Goods, err = commits(goods...)
	return err
}

// damagedBisect says what is wrong with a bisect's state, and how to get on.
func damagedBisect(what string) error {
	return fmt.Errorf("the git bisect in progress is damaged: %s; `git bisect log >FILE` saves it, and `git bisect reset` and `git bisect replay FILE` make it anew", what)
}

// bisectFile reads a file of the bisect state, nil when there is none.
func (r *Repo) bisectFile(name string) ([]byte, error) {
	text, err := os.ReadFile(filepath.Join(r.gitDir, name))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read the state of git bisect: %w", err)
	}
	return text, nil
}

// independent returns the commits that are not in the history of another one,
// sorted.
func (r *Repo) independent(ctx context.Context, commits []ID) ([]ID, error) {
	args := []string{"merge-base", "--independent"}
	for _, id := range commits {
		args = append(args, string(id))
	}
	out, err := r.Git(ctx, args...)
	if refused(err) {
		err = damagedBisect(err.Error())
	}
	list := ids(out)
	slices.Sort(list)
	return list, err
}

// ids reads an id a line, whatever stands behind it.
func ids(out []byte) []ID {
	var list []ID
	for line := range strings.Lines(string(out)) {
		id, _, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		list = append(list, ID(id))
	}
	return list
}

// A Verdict is what a search among the commits of a bisect has found. Marks that
// the bisect has already need not be left out.
type Verdict struct {
	Bad     ID   // fails, and is like the bad end
	Goods   []ID // are like the good ends
	Skipped []ID // cannot be judged
}

// FinishBisect marks in a bisect what was found, as git bisect would: in
// refs/bisect and in BISECT_LOG, whose last lines then name the first bad commit,
// or all that it may be if those between cannot be judged. If there are others
// between, the bisect is not at its end, and only marked. Nothing is checked out.
// It returns the commits that the bisect is left with: one, unless some could not
// be judged, or were not.
//
// was is the state that the verdict is about. When the worktree's has become
// another one, or the verdict cannot be told to git, the error says so and
// nothing was written; a verdict that is there already is none. All refs are
// written in one transaction, and the log is replaced as a whole.
func (r *Repo) FinishBisect(ctx context.Context, was *Bisect, v Verdict) ([]Commit, error) {
	marks := slices.Clone(v.Goods)
	for _, c := range was.Goods {
		marks = append(marks, c.ID)
	}
	left, err := r.Candidates(ctx, v.Bad, was.Paths, was.FirstParent, marks...)
	if err != nil {
		return nil, err
	}
	// Git does not count v.Bad as a candidate if it does not touch the paths.
	if len(left) == 0 {
		return nil, fmt.Errorf("a bisect that is limited to %s cannot name %s, which does not touch it: the bisect was left as it is",
			strings.Join(was.Paths, " "), v.Bad)
	}
	text, refs, err := r.verdict(ctx, was, v, left)
	if err != nil {
		return nil, err
	}
	if _, err := ParseBisectLog(text); err != nil {
		return nil, fmt.Errorf("the log of the git bisect in progress has a mistake in %w: the bisect was left as it is", err)
	}
	now, err := r.Bisect(ctx)
	switch {
	case errors.Is(err, ErrNoBisect):
		return nil, fmt.Errorf("%w any more: it was reset meanwhile", err)
	case err != nil:
		return nil, err
	case bytes.Equal(now.Log, text):
		return left, nil
	case !bytes.Equal(now.Log, was.Log):
		return nil, errors.New("the git bisect in progress is not as it was, `git bisect log` shows it: the bisect was left as it is")
	}
	return left, r.writeVerdict(ctx, text, refs)
}

// isOpen: git would go on and test it.
func isOpen(was *Bisect, v Verdict, c Commit) bool {
	return c.ID != v.Bad && !slices.Contains(v.Skipped, c.ID) && !slices.Contains(was.Skipped, c.ID)
}

// verdict is the log with a verdict, and the refs that go with it, by name.
func (r *Repo) verdict(ctx context.Context, was *Bisect, v Verdict, left []Commit) ([]byte, [][2]string, error) {
	text := bytes.NewBuffer(slices.Clone(was.Log))
	var refs [][2]string
	mark := func(term string, id ID) error {
		c, err := r.CommitOf(ctx, id)
		if err != nil {
			return err
		}
		name := "refs/bisect/" + term
		if term != was.New {
			name += "-" + string(id)
		}
		refs = append(refs, [2]string{name, string(id)})
		fmt.Fprintf(text, "# %s: [%s] %s\ngit bisect %s %s\n", term, id, c.Subject, term, id)
		return nil
	}
	done := map[ID]bool{}
	for _, c := range was.Goods {
		done[c.ID] = true
	}
	for _, id := range v.Goods {
		if !done[id] {
			done[id] = true
			if err := mark(was.Old, id); err != nil {
				return nil, nil, err
			}
		}
	}
	for _, id := range v.Skipped {
		if !slices.Contains(was.Skipped, id) {
			if err := mark("skip", id); err != nil {
				return nil, nil, err
			}
		}
	}
	if v.Bad != was.Bad.ID {
		if err := mark(was.New, v.Bad); err != nil {
			return nil, nil, err
		}
	}
	var end strings.Builder
	switch {
	case len(left) == 1 && left[0].ID == v.Bad:
		fmt.Fprintf(&end, "# first %s commit: [%s] %s\n", was.New, left[0].ID, left[0].Subject)
	case !slices.ContainsFunc(left, func(c Commit) bool { return isOpen(was, v, c) }):
		end.WriteString("# only skipped commits left to test\n")
		for _, c := range left {
			fmt.Fprintf(&end, "# possible first %s commit: [%s] %s\n", was.New, c.ID, c.Subject)
		}
	}
	if !bytes.HasSuffix(text.Bytes(), []byte(end.String())) { // git has said so already
		text.WriteString(end.String())
	}
	return text.Bytes(), refs, nil
}

// writeVerdict writes the refs, then the log, as git does: what a crash between
// the two leaves is a bisect that knows more than its log tells. When the log
// cannot be written the refs go back.
func (r *Repo) writeVerdict(ctx context.Context, text []byte, refs [][2]string) error {
	ctx = context.WithoutCancel(ctx)
	name := filepath.Join(r.gitDir, "BISECT_LOG")
	info, err := os.Stat(name)
	if err != nil {
		return fmt.Errorf("write the log of git bisect: %w", err)
	}
	temporary, err := os.CreateTemp(r.gitDir, "BISECT_LOG.")
	if err != nil {
		return fmt.Errorf("write the log of git bisect: %w", err)
	}
	defer os.Remove(temporary.Name())
	_, err = temporary.Write(text)
	if err = errors.Join(err, temporary.Chmod(info.Mode().Perm()), temporary.Sync(), temporary.Close()); err != nil {
		return fmt.Errorf("write the log of git bisect: %w", err)
	}
	var forth, back strings.Builder
	for _, ref := range refs {
		before, err := r.Git(ctx, "for-each-ref", "--format=%(objectname)", ref[0])
		if err != nil {
			return err
		}
		fmt.Fprintf(&forth, "update %s %s\n", ref[0], ref[1])
		if old := strings.TrimSpace(string(before)); old != "" {
			fmt.Fprintf(&back, "update %s %s\n", ref[0], old)
		} else {
			fmt.Fprintf(&back, "delete %s\n", ref[0])
		}
	}
	if _, err := r.GitInput(ctx, strings.NewReader(forth.String()), "update-ref", "--stdin"); err != nil {
		return err
	}
	if err := os.Rename(temporary.Name(), name); err != nil {
		_, err2 := r.GitInput(ctx, strings.NewReader(back.String()), "update-ref", "--stdin")
		return errors.Join(fmt.Errorf("write the log of git bisect: %w", err), err2)
	}
	if len(refs) > 0 {
		// What git expects to be marked next is not what was marked.
		os.Remove(filepath.Join(r.gitDir, "BISECT_ANCESTORS_OK"))
		os.Remove(filepath.Join(r.gitDir, "BISECT_EXPECTED_REV"))
	}
	return nil
}

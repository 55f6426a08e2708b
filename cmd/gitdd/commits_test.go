package main

import (
	"fmt"
	"math/bits"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gitdd/gitdd/fixtures"
	"github.com/gitdd/gitdd/internal/seed"
)

// A past is a history in which most commits are harmless.
type past struct {
	*fixtures.History
	n int
}

// step commits files, given as path, content pairs ("" removes one), beside a few
// lines that do no harm.
func (p *past) step(message string, pairs ...string) {
	p.n++
	for i := range 3 {
		p.Write(fmt.Sprintf("noise/%d/%d", p.n%7, i), fmt.Sprintf("harmless\n%d\n", p.n))
	}
	for i := 0; i < len(pairs); i += 2 {
		if pairs[i+1] == "" {
			p.Remove(pairs[i])
		} else {
			p.Write(pairs[i], pairs[i+1])
		}
	}
	p.Commit(message)
}

func (p *past) steps(n int) {
	for range n {
		p.step(fmt.Sprintf("Harmless %d", p.n+1))
	}
}

// build makes the repository.
func (p *past) build(t *testing.T) {
	t.Helper()
	repo, err := p.Build(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	repo.Close()
}

// side makes a branch of its own noise, and comes back from it.
func (p *past) side(name string, commits func()) {
	p.Branch(name)
	commits()
	p.Checkout("main")
}

// begin is where every test's history starts, at v1.
func (p *past) begin() {
	p.step("Begin", "value", "2\n", "other", "old\n")
	p.Tag("v1")
}

// The value is broken in the commit "Culprit"; a tree with the file broken does
// not build.
const checkValue = `test ! -e broken || exit 125; ! grep -q 3 value`

func culprit(p *past) {
	p.step("Culprit", "value", "3\n", "other", "new\n", "more", "new\n")
}

func linear(p *past) {
	p.begin()
	p.steps(22)
	culprit(p)
	p.steps(17)
}

// topic is a side with the culprit on it, behind which comes the step that is given.
func topic(p *past, then ...string) {
	p.side("topic", func() {
		p.step("Topic", "topic", "1\n")
		p.step("Culprit", "value", "3\n", "topic", "2\n")
		if len(then) > 0 {
			p.step(then[0], then[1:]...)
		}
	})
}

// endsOf are the words of a line of flags, with v1 for the good revision where it names none.
func endsOf(line string) []string {
	words := strings.Fields(line)
	if !slices.Contains(words, "--good") {
		words = append(words, "--good", "v1")
	}
	return words
}

// TestCommitsFirst finds the commit first and then its cause, whatever the shape
// of the history is.
func TestCommitsFirst(t *testing.T) {
	tests := []struct {
		name  string
		build func(*past)
		more  string // shell, in the repository
		args  string // beside --good v1
		check string // checkValue unless given

		commit   string   // subject of the one that is singled out
		cause    string   // paths
		first    string   // subject of first_bad, if it is another; "-" = no history
		commits  int      // of the history
		skipped  int      //
		suspects []string // subjects, if they are several
		sides    int
		note     string // in the progress
		text     string // in the report
	}{
		{name: "linear", build: linear, commit: "Culprit", cause: "value", commits: 40,
			text: "The failure comes from 1 of 6 changes in commit "},
		{name: "without history", build: linear, args: "--no-history", commit: "Culprit", cause: "value", first: "-",
			text: "The failure comes from 1 of 42 changes."},
		{name: "another algorithm", build: linear, args: "--algorithm dd2", commit: "Culprit", cause: "value", first: "-"},
		{name: "another algorithm with history", build: linear, args: "--algorithm dd2 --history", commit: "Culprit", cause: "value", commits: 40},
		{name: "another goal", build: linear, args: "--goal revert", commit: "Culprit", cause: "value", first: "-"},
		{name: "path", build: linear, args: "--path value", commit: "Culprit", cause: "value", first: "-",
			note: "searching the whole difference: --path limits it"},
		{name: "a tree", build: linear, args: "--bad HEAD^{tree}", cause: "value", first: "-",
			note: "searching the whole difference: HEAD^{tree} is a tree, not a commit",
			text: "\nhistory   not used: HEAD^{tree} is a tree, not a commit\n"},
		{name: "one commit", build: func(p *past) { p.begin(); culprit(p) }, commit: "Culprit", cause: "value", commits: 1,
			text: "The failure comes from 1 of 6 changes.\n"},
		{name: "the first", build: func(p *past) { p.begin(); culprit(p); p.steps(9) }, commit: "Culprit", cause: "value", commits: 10},
		{name: "the last", build: func(p *past) { p.begin(); p.steps(9); culprit(p) }, commit: "Culprit", cause: "value", commits: 10},
		{name: "empty commits", build: func(p *past) {
			p.begin()
			p.steps(3)
			p.Commit("Empty")
			culprit(p)
			p.Commit("Empty")
			p.Commit("Empty")
		}, commit: "Culprit", cause: "value", commits: 7},
		{name: "reverted meanwhile", build: func(p *past) {
			p.begin()
			p.steps(5)
			culprit(p)
			p.step("Rewrite", "value", "4\n3\n", "more", "")
			p.steps(5)
		}, commit: "Culprit", cause: "value", commits: 12},

		{name: "some do not build", build: func(p *past) {
			p.begin()
			p.steps(12)
			p.step("Break the build", "broken", "x\n")
			p.steps(5)
			p.step("Mend the build", "broken", "")
			p.steps(3)
			culprit(p)
			p.steps(9)
		}, commit: "Culprit", cause: "value", commits: 32, skipped: -1, text: "could not be judged"},
		{name: "the culprit does not build", build: func(p *past) {
			p.begin()
			p.steps(7)
			p.step("Break the build", "broken", "x\n")
			culprit(p)
			p.step("Mend the build", "broken", "")
			p.steps(5)
		}, commit: "Culprit", cause: "value", first: "Mend the build", commits: 15, skipped: 2,
			suspects: []string{"Break the build", "Culprit", "Mend the build"}, text: "changes in 3 commits"},

		{name: "merged side", build: func(p *past) {
			p.begin()
			p.steps(6)
			topic(p, "Topic", "topic", "3\n")
			p.step("Main", "main", "1\n")
			p.Merge("topic", "Merge topic")
			p.steps(6)
		}, commit: "Culprit", cause: "value", commits: 14 + 3},
		{name: "side of a side", build: func(p *past) {
			p.begin()
			p.side("topic", func() {
				p.step("Topic", "topic", "1\n")
				p.Branch("subtopic")
				p.Write("value", "3\n")
				p.Write("sub", "1\n")
				p.Commit("Culprit")
				p.Write("sub", "2\n")
				p.Commit("Sub")
				p.Checkout("topic")
				p.Write("topic", "2\n")
				p.Commit("Topic")
				p.Merge("subtopic", "Merge subtopic")
			})
			p.Write("main", "1\n")
			p.Commit("Main")
			p.Merge("topic", "Merge topic")
			p.steps(3)
		}, commit: "Culprit", cause: "value", commits: 5 + 3 + 2},
		{name: "merged after good branched off", build: func(p *past) {
			p.step("Begin", "value", "2\n")
			p.side("topic", func() {
				p.step("Topic", "topic", "1\n")
				p.Tag("v1")
				p.step("Culprit", "value", "3\n", "topic", "2\n")
				p.step("Topic", "topic", "3\n")
			})
			p.Write("main", "1\n")
			p.Commit("Main")
			p.Merge("topic", "Merge topic")
		}, commit: "Culprit", cause: "value", commits: 2 + 2},
		{name: "only together", build: func(p *past) {
			p.begin()
			p.steps(3)
			p.side("topic", func() {
				p.step("Topic", "topic", "1\n")
				p.step("This", "this", "new\n", "topic", "2\n")
			})
			p.Write("that", "new\n")
			p.Write("main", "1\n")
			p.Commit("That")
			p.Merge("topic", "Merge topic")
			p.steps(4)
		}, check: "! test -e this || ! test -e that", cause: "that this", first: "Merge topic", commits: 9, sides: 2, text: "1 from "},
		{name: "only all three together", build: func(p *past) {
			p.begin()
			for _, name := range []string{"this", "that"} {
				p.side(name, func() {
					p.Write(name, "new\n")
					p.Commit(name)
				})
			}
			p.Write("third", "new\n")
			p.Commit("third")
		}, more: "git merge -q -m Octopus this that", check: "! test -e this || ! test -e that || ! test -e third",
			cause: "that third this", first: "Octopus", commits: 2, sides: 3},
		{name: "evil merge", build: func(p *past) {
			p.begin()
			p.side("topic", func() { p.step("Topic", "topic", "1\n") })
			p.Write("main", "1\n")
			p.Commit("Main")
		}, more: "git merge -q --no-commit topic && echo 3 >value && git commit -qam 'Evil'",
			cause: "value", commit: "Evil", commits: 2, sides: 2, text: "merge     the cause has 1 change made by the merge itself\n"},
		{name: "merged side fails from its begin on", build: func(p *past) {
			p.step("Bad begin", "value", "3\n")
			p.side("topic", func() { p.Write("topic", "1\n"); p.Commit("Topic") })
			p.step("Mend", "value", "2\n")
			p.Tag("v1")
		}, more: "git merge -q -s ours --no-commit topic && echo 3 >value && git commit -qam 'Back'", cause: "value", commit: "Back", commits: 1},
		{name: "merge of another root", build: func(p *past) { p.begin(); p.steps(3) },
			more:  "git checkout -q --orphan foreign; git rm -rqf .; echo 3 >bad; git add bad; git commit -qm Foreign; git checkout -q main; git merge -q --allow-unrelated-histories -m 'Merge foreign' foreign",
			check: "! test -e bad", cause: "bad", first: "Merge foreign", commit: "Foreign", commits: 4},

		{name: "within a merge of another root", build: func(p *past) { p.begin(); p.steps(3) },
			more:  "git checkout -q --orphan foreign; git rm -rqf .; for i in 1 2 3 4; do echo $i >f$i; git add f$i; git commit -qm Foreign$i; done; git checkout -q main; git merge -q --allow-unrelated-histories -m 'Merge foreign' foreign",
			check: "! test -e f3", cause: "f3", commit: "Foreign3", commits: 4 + 4},
		{name: "good on another branch", build: func(p *past) {
			p.step("Begin", "value", "2\n")
			p.steps(4)
			p.side("release", func() { p.step("Release", "release", "1\n"); p.Tag("v1") })
			p.steps(5)
			culprit(p)
			p.steps(2)
		}, commit: "Culprit", cause: "value", commits: 8},
		{name: "good mended it on another branch", build: func(p *past) {
			p.step("Begin", "value", "3\n")
			p.side("release", func() { p.Write("value", "2\n"); p.Commit("Release"); p.Tag("v1") })
			p.steps(5)
		}, cause: "value", first: "-", note: "fails already: it was fixed on the side of v1, or the command does not test that commit (gitdd log --trial 3)",
			text: "where the histories of v1 and HEAD part, fails\n"},
		{name: "good mended it on another branch, backwards", build: func(p *past) {
			p.step("Begin", "value", "2\n")
			p.side("release", func() { p.Write("value", "3\n"); p.Commit("Release"); p.Tag("v1") })
			p.steps(5)
		}, cause: "value", first: "-", note: "passes already: it was broken on the side of v1, or the command does not test that commit (gitdd log --trial 3)",
			text: "where the histories of v1 and HEAD part, passes\n"},
		{name: "good mended what was merged", build: func(p *past) {
			p.step("Begin", "value", "2\n")
			p.side("topic", func() {
				p.Write("value", "3\n")
				p.Commit("Break")
				p.side("release", func() { p.Write("value", "2\n"); p.Commit("Release"); p.Tag("v1") })
				p.Checkout("topic")
			})
			p.Write("main", "1\n")
			p.Commit("Main")
			p.Merge("topic", "Merge topic")
			p.steps(2)
		}, cause: "value", first: "-", note: "fails already: it was fixed on the side of v1"},
		{name: "good mended it on a side that was merged", build: func(p *past) {
			p.step("Begin", "value", "3\n")
			p.side("topic", func() {
				p.step("Mend", "value", "2\n")
				p.side("release", func() { p.step("Release", "release", "1\n"); p.Tag("v1") })
				p.Checkout("topic")
			})
			p.step("Main", "main", "1\n")
		}, more: "git merge -q -s ours -m 'Merge topic' topic", cause: "value", first: "-", note: "fails already: it was fixed on the side of v1",
			text: "\nhistory   not used: "},
		{name: "good and bad part where nothing can be judged", build: func(p *past) {
			p.step("Begin", "value", "2\n")
			p.step("Broken", "broken", "x\n")
			p.side("release", func() { p.step("Release", "broken", ""); p.Tag("v1") })
			p.step("Mend", "broken", "", "main", "1\n")
			p.steps(3)
			culprit(p)
			p.steps(2)
		}, commit: "Culprit", cause: "value", commits: 7, skipped: 1, note: "could not be judged: going on as if it were like v1, as git bisect does",
			text: "could not be judged, and was taken"},
		{name: "first parents only", build: func(p *past) {
			p.begin()
			p.steps(2)
			topic(p)
			p.step("Main", "main", "1\n")
			p.Merge("topic", "Merge topic")
			p.steps(3)
		}, args: "--first-parent", commit: "Culprit", cause: "value", first: "Merge topic", commits: 7},
		{name: "a side's tip cannot be judged", build: func(p *past) {
			p.begin()
			p.steps(2)
			p.side("topic", func() {
				p.step("Topic", "topic", "1\n")
				p.step("Culprit", "value", "3\n", "topic", "2\n")
				p.step("Topic 2", "topic", "3\n")
				p.step("Break the build", "broken", "x\n")
			})
			p.step("Main", "main", "1\n")
			p.Merge("topic", "Merge topic")
		}, more: "git rm -qf broken && git commit -q --amend -m 'Merge topic'", commit: "Culprit", cause: "value", commits: 4 + 3, skipped: 1},
		{name: "a merge cannot be judged", build: func(p *past) {
			p.begin()
			p.steps(2)
			topic(p, "Topic 2", "topic", "3\n")
			p.step("Break the build", "broken", "x\n")
			p.Merge("topic", "Merge topic")
			p.step("Mend the build", "broken", "")
			p.steps(3)
		}, commit: "Culprit", cause: "value", commits: 8 + 3, skipped: 2},
		{name: "no common history", build: linear, args: "--bad foreign",
			more: "git checkout -q --orphan foreign; echo 3 >value; git commit -qam Foreign", cause: "value", first: "-",
			note: "searching the whole difference: v1 and foreign have no common history"},
		{name: "shallow", build: linear, more: "git clone -q --depth 30 file://$PWD ../shallow; mv .git ../whole; mv ../shallow/.git .git", args: "--good HEAD~29",
			commit: "Culprit", cause: "value", commits: 29},
		{name: "shallow between", build: linear, more: "git clone -q --depth 10 file://$PWD ../shallow; git -C ../shallow fetch -q --depth 1 origin tag v1; mv .git ../whole; mv ../shallow/.git .git",
			cause: "value", first: "-", note: "searching the whole difference: this shallow clone ends between v1 and HEAD"},

		{name: "fix", build: func(p *past) {
			p.step("Begin", "value", "3\n", "other", "old\n")
			p.Tag("v1")
			p.steps(10)
			p.step("Culprit", "value", "2\n", "other", "new\n")
			p.steps(10)
		}, commit: "Culprit", cause: "value", commits: 21, text: "The fix is 1 of "},
		{name: "backwards", build: linear, args: "--good HEAD --bad v1", check: "grep -q 3 value", commit: "Culprit", cause: "value", first: "Harmless 23", commits: 40,
			text: "The failure was fixed by 1 of 6 changes in commit "},
		{name: "backwards, fix", build: linear, args: "--good HEAD --bad v1", commit: "Culprit", cause: "value", first: "Harmless 23", commits: 40, text: "The failure comes from 1 of 6 changes in commit "},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			seed.SkipLong(t, 6)
			t.Parallel()
			f := newField(t)
			p := &past{History: fixtures.New(f.path("repo"))}
			tt.build(p)
			p.build(t)
			if tt.more != "" {
				f.sh("repo", tt.more)
			}
			if tt.check == "" {
				tt.check = checkValue
			}
			before := f.contents("repo")
			args := slices.Concat([]string{"gitdd", "run", "--json", "../result.json"}, endsOf(tt.args), []string{"--", "sh", "-c", tt.check})
			status, text, progress := f.status("repo", args...)
			if status != 0 {
				t.Fatalf("exit status %d\n%s%s", status, text, progress)
			}
			r, err := readResult(f.path("result.json"))
			if err != nil {
				t.Fatal(err)
			}
			subject := func(id string) string {
				return strings.TrimSpace(f.run("repo", "git", "log", "-1", "--format=%s", id))
			}
			got, want := []string{}, []string{}
			state := func(what string, is, should any) {
				got, want = append(got, fmt.Sprint(what, ": ", is)), append(want, fmt.Sprint(what, ": ", should))
			}
			commit := ""
			if r.Commit != nil {
				commit = r.Commit.Subject
			}
			state("commit", commit, tt.commit)
			var cause []string
			for _, c := range r.Cause {
				cause = append(cause, c.Path)
			}
			state("cause", strings.Join(cause, " "), tt.cause)
			state("minimal, verified", []bool{r.Minimal, r.Verified}, []bool{true, true})
			state("has history", r.History != nil, tt.first != "-")
			if h := r.History; h != nil {
				if tt.first == "" {
					tt.first = tt.commit
				}
				if tt.suspects == nil {
					tt.suspects = []string{tt.first}
					if strings.HasPrefix(tt.name, "backwards") {
						tt.suspects = []string{tt.commit}
					}
				}
				var suspects []string
				for _, c := range h.Suspects {
					suspects = append(suspects, c.Subject)
				}
				state("first bad", subject(h.FirstBad), tt.first)
				state("suspects", suspects, tt.suspects)
				state("commits", h.Commits, tt.commits)
				older, newer := r.Good.Commit, r.Bad.Commit
				if strings.HasPrefix(tt.name, "backwards") {
					older, newer = newer, older
				}
				state("first parents", h.FirstParents, strings.TrimSpace(f.run("repo", "git", "rev-list", "--first-parent", "--count", older+".."+newer)))
				state("merges", h.Merges, strings.TrimSpace(f.run("repo", "git", "rev-list", "--first-parent", "--merges", "--count", older+".."+newer)))
				state("sides", len(h.Sides), tt.sides)
				if tt.skipped < 0 && len(h.Skipped) > 0 {
					tt.skipped = len(h.Skipped)
				}
				state("skipped", len(h.Skipped), tt.skipped)
				// Halving, the two ends, one more for each line's end that is no power of two.
				if tt.skipped == 0 && tt.sides == 0 && h.Commits == tt.commits && h.Tested > 2+bits.Len(uint(h.Commits))+1 && !strings.Contains(tt.name, "side") {
					t.Errorf("%d revisions tested for %d commits", h.Tested, h.Commits)
				}
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("(-want +got):\n%s\n%s%s", diff, progress, text)
			}
			if tt.note != "" && !strings.Contains(progress, tt.note) || tt.note == "" && strings.Contains(progress, "searching the whole") {
				t.Errorf("want the note %q in\n%s", tt.note, progress)
			}
			if !strings.Contains(text, tt.text) {
				t.Errorf("%q is not in\n%s", tt.text, text)
			}
			if now := f.contents("repo"); now != before {
				t.Errorf("the repository was\n%s\nand is\n%s", before, now)
			}

			// Any number of jobs, any budget: the same answer.
			if !seed.OneIn(t, 4) || r.History == nil {
				return
			}
			for _, more := range [][]string{{"-j", "3"}, {"--max-trials", "4"}} {
				args := slices.Concat([]string{"gitdd", "run", "--json", "../again.json"}, endsOf(tt.args), more, []string{"--", "sh", "-c", tt.check})
				status, text, progress := f.status("repo", args...)
				if status == 3 {
					status, text, progress = f.status("repo", "gitdd", "resume", "--json", "../again.json")
				}
				if status != 0 {
					t.Fatalf("%v: exit status %d\n%s%s", more, status, text, progress)
				}
				again, err := readResult(f.path("again.json"))
				if err != nil {
					t.Fatal(err)
				}
				if diff := answersDiffer(r, again); diff != "" {
					t.Errorf("with %v:\n%s", more, diff)
				}
			}
		})
	}
}

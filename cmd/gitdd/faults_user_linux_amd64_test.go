package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// movesHead are the faults that move HEAD to another tree, and so change what the report says of
// gitdd apply.
var movesHead = []string{"commits", "checks another commit out", "moves the revisions"}

// userFaults let the user work on in the repository while gitdd searches.
func userFaults(t *testing.T, l *ledger) {
	for i, u := range []struct {
		name, script string
		refuse       string
	}{
		{"commits", `echo more > b; git add .; git commit -qm More`, ""},
		{"edits and stages", `echo more > b; echo new > e; git add e`, ""},
		{"checks another commit out", `git checkout -q --detach old`, ""},
		{"deletes the revisions", `git tag -d old new once`, ""},
		{"moves the revisions", `git tag -f once old; git tag -f old main; git update-ref refs/heads/main old`, ""},
		{"collects garbage", `git gc -q --prune=now`, ""},
		{"repacks", `git repack -adfq; git pack-refs --all; git prune`, ""},
		{"prunes worktrees", `git worktree prune --expire=now`, ""},
		{"adds a worktree", `git worktree add -q ../beside old; git worktree remove ../beside`, ""},
		{"bisects", `git bisect start new old >/dev/null; git bisect reset 2>/dev/null`, ""},
		{"looks at the session", `gitdd list; gitdd log; gitdd log --trial 1; gitdd show || :`, ""},
		{"cleans", `gitdd clean`, ""},
		{"cleans the workspaces", `gitdd clean --workspaces`, ""},
		{"resumes", `gitdd resume && exit 1 || :`, ""},
		{"runs another search", `gitdd run --good old --bad new -- sh check; gitdd run --good old --bad once -- grep -q 1 b`, ""},
		{"removes the repository", `rm -rf .git`, "not a git repository"},
	} {
		for _, trial := range turn([]int{1, 5, 11}, i) {
			l.inject(t, "the user works in the repository", fmt.Sprintf("%s, trial %d", u.name, trial), atOnce, func(f *fault) {
				f.refuse, f.moved = u.refuse, slices.Contains(movesHead, u.name)
				var left string
				f.begin(f.afterTrial(trial, func() {
					if u.refuse != "" {
						left = f.path("saved")
						f.outside("cp -a repo saved")
					}
					f.outside("cd repo\n" + u.script)
					f.before = f.contents("repo")
				}))
				if f.status == 0 {
					f.compare()
				}
				if left != "" { // what is gone does not come back by itself
					if err := os.RemoveAll(f.path("repo")); err != nil {
						f.t.Fatal(err)
					}
					if err := os.Rename(left, f.path("repo")); err != nil {
						f.t.Fatal(err)
					}
					f.before, f.refuse = f.contents("repo"), ""
				}
				f.named = f.session()
			})
		}
	}
	for _, round := range pick([]int{1, 2, 3, 4, 5, 6}, 3) {
		l.inject(t, "two gitdd in one repository", fmt.Sprint(round), atOnce, func(f *fault) {
			done := make(chan string, 1)
			go func() {
				status, _, errs := f.field.status("repo", append([]string{"gitdd", "run"}, commits...)...)
				done <- fmt.Sprint(status, errs)
			}()
			f.begin(nil)
			if f.status == 0 {
				f.compare()
			}
			if end := <-done; !strings.HasPrefix(end, "0") {
				f.t.Error("the other one: ", end)
			}
			f.named = f.session()
		})
	}
}

// session is the name of the session that the search of the fault is in, "" if
// there is none.
func (f *fault) session() string {
	journals, err := filepath.Glob(f.path(".sessions/*/*/journal.jsonl"))
	if err != nil {
		f.t.Fatal(err)
	}
	for _, name := range journals {
		text, err := os.ReadFile(name)
		if err != nil {
			f.t.Fatal(err)
		}
		head, _, _ := strings.Cut(string(text), "\n")
		if strings.Contains(head, `"Rev":"once"`) && strings.Contains(head, `"command":["sh","check"]`) {
			return filepath.Base(filepath.Dir(name))
		}
	}
	return ""
}

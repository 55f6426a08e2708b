package main

import (
	"fmt"
	"strings"
	"testing"
)

// testFaults let the tests do what tests should not.
func testFaults(t *testing.T, l *ledger) {
	// After the verdict: what the next trial finds is another matter.
	for _, d := range []struct{ name, script string }{
		{"deletes tracked files", `rm -f b value c`},
		{"deletes all files", `rm -rf ./* .[!.]*`},
		{"dirties tracked files", `echo total=3 > value; echo 2 > b; echo x > check`},
		{"appends to tracked files", `for i in b c d value; do echo x >> $i; done`},
		{"renames tracked files", `mv b bb; mv value v; mv gen nig`},
		{"puts directories in their place", `rm -f b; mkdir b; echo > b/x; rm -rf gen; echo > gen`},
		{"puts symlinks in their place", `rm -f b; ln -s $FIELD/repo/b b; rm -rf gen; ln -s $FIELD/repo/gen gen`},
		{"puts pipes in their place", `rm -f b; mkfifo b; rm -f value; mkfifo value`},
		{"puts hard links in their place", `rm -f b; ln -f c b; ln -f d value`},
		{"write-protects files", `chmod 000 b c value check; chmod 500 gen .`},
		{"locks its directories", `chmod 000 gen .`},
		{"leaves read-only directories", `mkdir -p ro/a/b; echo > ro/a/b/x; chmod -R a-w ro`},
		{"leaves deep directories", `i=0; while [ $i -lt 60 ]; do mkdir ` + strings.Repeat("d", 200) + `; cd ` + strings.Repeat("d", 200) + `; i=$((i+1)); done 2>/dev/null`},
		{"leaves many files", `mkdir -p many; i=0; while [ $i -lt 300 ]; do : > many/$i; i=$((i+1)); done`},
		{"sets times into the future", `touch -d 2100-01-01 b c d value check gen Makefile .`},
		{"sets times into 1970", `touch -d 1970-01-01 b c d value check gen Makefile .`},
		{"keeps times and sizes", `touch -r b ../t; echo 9 > b; touch -r ../t b; touch -r value ../t; echo total=9 > value; touch -r ../t value`},
		{"deletes .git", `rm -rf .git`},
		{"makes .git a directory", `rm -rf .git; mkdir -p .git/objects .git/refs; echo x > .git/HEAD`},
		{"makes a repository", `rm -rf .git; git init -q .; git add .; git -c user.name=x -c user.email=x@y commit -qm x`},
		{"leaves an index lock", `: > $(git rev-parse --git-dir)/index.lock`},
		{"resets the index", `git read-tree --empty; git reset -q --hard`},
		{"hides changes from git", `git update-index --assume-unchanged b value; git update-index --skip-worktree c; echo x > b; echo x > value; echo x > c`},
		{"checks another commit out", `git checkout -qf --detach new`},
		{"makes attributes", `echo '* eol=crlf' > .gitattributes; echo '* -text' > $(git rev-parse --git-path info/attributes) 2>/dev/null; rm -f .gitattributes $(git rev-parse --git-path info/attributes)`},
		{"stashes", `echo x >> b; git rm -q --cached c`},
		{"removes its outputs", `rm -rf $GITDD_SESSION/trials/$GITDD_TRIAL.*`},
		{"closes its files", `exec 0<&- 1>&- 2>&- 3>&-`},
		{"fills its error output", `head -c 3000000 /dev/zero >&2`},
		{"writes to standard input", `echo x >&0; cat; read x`},
		{"changes the umask", `umask 777; : > u`},
		{"leaves a background process", `sleep 600 &`},
		{"leaves one in another session", `setsid sleep 600 &`},
		{"leaves one by a double fork", `(setsid sh -c 'sleep 600 & sleep 600 &' &) >/dev/null 2>&1`},
		{"leaves one without environment", `env -i setsid sleep 600 >/dev/null 2>&1 &`},
	} {
		for _, which := range []struct {
			name  string
			trial int
		}{{"every trial", 0}, {"trial 4", 4}} {
			if which.trial > 0 && !*everyFault {
				continue
			}
			l.inject(t, "the test "+kindOf(d.name), d.name+", "+which.name, atOnce, func(f *fault) {
				f.loose = strings.Contains(d.script, "check") || strings.Contains(d.script, "rm -rf ./*") // which no change concerns
				f.act(which.trial, "trap '(cd \"$GITDD_WORKSPACE\" || exit; "+strings.ReplaceAll(d.script, "'", `'\''`)+") >/dev/null 2>&1' EXIT")
				f.begin(nil)
			})
		}
	}
	for _, d := range []struct {
		name, script string
		trial        int
		flags        []string
	}{
		{"hangs", `sleep 600`, 4, []string{"--timeout", "3s"}},
		{"hangs with children", `sleep 600 & sleep 600 & (sleep 600; sleep 600)`, 3, []string{"--timeout", "3s"}},
		{"hangs and does not want to end", `trap '' TERM INT HUP; (trap '' TERM; sleep 600) & while :; do sleep 1; done`, 5, []string{"--timeout", "3s"}},
		{"stops itself", `kill -STOP $$`, 6, []string{"--timeout", "3s"}},
		{"leaves one that does not want to end", `(trap '' TERM HUP INT; exec setsid sh -c 'trap "" TERM; while :; do sleep 1; done') >/dev/null 2>&1 &`, 3, nil},
		{"dies of a signal", `kill -SEGV $$`, 4, nil},
		{"ends its process group", `kill -TERM 0; sleep 600`, 4, nil},
		{"prints a gigabyte", `head -c 1000000000 /dev/zero`, 3, nil},
		{"prints one long line", `head -c 20000000 /dev/zero | tr '\0' x`, 3, nil},
		{"cannot judge", `exit 125`, 4, nil},
		{"is slow", `sleep 2`, 7, nil},
		{"removes the workspace", `cd /; rm -rf "$GITDD_WORKSPACE"; exit 1`, 4, nil},
		{"removes the workspace", `cd /; rm -rf "$GITDD_WORKSPACE"; exit 1`, 1, nil},
		{"removes the workspace", `cd /; rm -rf "$GITDD_WORKSPACE"; exit 1`, 12, nil},
		{"replaces the workspace", `cd /; mv "$GITDD_WORKSPACE" "$GITDD_WORKSPACE.old"; mkdir "$GITDD_WORKSPACE"; exit 1`, 5, nil},
		{"removes all workspaces", `cd /; rm -rf $GITDD_SESSION/work; exit 1`, 5, nil},
		{"removes the session", `cd /; rm -rf $GITDD_SESSION; exit 1`, 5, nil},
		{"makes the session read-only", `chmod -R a-w $GITDD_SESSION`, 5, nil},
	} {
		search := append(append([]string{}, d.flags...), atOnce...)
		l.inject(t, "the test "+kindOf(d.name), fmt.Sprintf("%s, trial %d", d.name, d.trial), search, func(f *fault) {
			f.act(d.trial, d.script)
			f.loose = true // a trial may be unresolved
			f.begin(nil)
			if strings.Contains(d.name, "read-only") {
				f.outside("chmod -R u+w .sessions")
			}
		})
	}
}

// kindOf sorts what tests do into the rows of the table.
func kindOf(name string) string {
	for _, k := range []struct{ kind, words string }{
		{"leaves processes", "process session fork environment"},
		{"hangs, stops or dies", "hang stop dies ends slow judge not"},
		{"fills its outputs, or closes them", "print output input closes"},
		{"removes the workspace or the session", "workspace session"},
		{"changes its .git and index", "git repository index commit attributes stashes"},
	} {
		for word := range strings.FieldsSeq(k.words) {
			if strings.Contains(name, word) {
				return k.kind
			}
		}
	}
	return "changes its files"
}

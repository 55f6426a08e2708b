//go:build unix

package main

import (
	"fmt"
	"os/exec"
	"strings"
	"testing"

	"github.com/gitdd/gitdd/internal/seed"
)

// TestManyRenames searches 2,400 commits in which ten files are renamed in turn, each
// about 200 times, across directories, and edited between. The line that breaks is
// written in the middle under a name that neither end has.
func TestManyRenames(t *testing.T) {
	seed.SkipLong(t, 4)
	t.Parallel()
	const commits, files, culprit = 2400, 10, 1337
	f := newField(t)
	f.run("", "git", "init", "-q", "-b", "main", "repo")
	var in strings.Builder
	name := func(file, turn int) string { return fmt.Sprintf("d%d/e%d/file-%d-%d", turn%7, file%3, file, turn) }
	var text [files][40]string
	content := func(n int) string { return strings.Join(text[n][:], "\n") + "\n" }
	var turn [files]int
	data := func(s string) { fmt.Fprintf(&in, "data %d\n%s\n", len(s), s) }
	commit := func(n int) {
		fmt.Fprintf(&in, "commit refs/heads/main\ncommitter Ada <ada@example.com> %d +0000\n", 1767323045+n)
		data(fmt.Sprintf("Step %d", n))
	}
	commit(0)
	for n := range files {
		for i := range text[n] {
			text[n][i] = fmt.Sprintf("file %d line %d", n, i)
		}
		fmt.Fprintf(&in, "M 100644 inline %s\n", name(n, 0))
		data(content(n))
	}
	for c := 1; c < commits; c++ {
		commit(c)
		n := c % files
		switch {
		case c == culprit:
			text[n][20] = "wrong"
		case c%7 == 2:
			text[n][(c/7)%19] += "."
		default:
			fmt.Fprintf(&in, "R %s %s\n", name(n, turn[n]), name(n, turn[n]+1))
			turn[n]++
			continue
		}
		fmt.Fprintf(&in, "M 100644 inline %s\n", name(n, turn[n]))
		data(content(n))
	}
	in.WriteString("done\n")
	cmd := exec.CommandContext(t.Context(), "git", "fast-import", "--quiet", "--done")
	cmd.Dir, cmd.Env, cmd.Stdin = f.path("repo"), f.env, strings.NewReader(in.String())
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	f.run("repo", "git", "reset", "-q", "--hard")
	id := strings.TrimSpace(f.run("repo", "git", "rev-parse", fmt.Sprintf("main~%d", commits-1-culprit)))
	for _, test := range []struct {
		args   []string
		trials int
	}{
		{nil, 16}, // one of them tests the doubtful end again: the file was renamed later, so HEAD cannot be tested without the cause
		{[]string{"--no-history"}, 18},
	} {
		args := append([]string{"gitdd", "run", "--good", fmt.Sprintf("main~%d", commits-1), "--json", "../result.json"}, test.args...)
		out := f.run("repo", append(args, "--", "sh", "-c", "! grep -qrx wrong d*")...)
		result, err := readResult(f.path("result.json"))
		if err != nil {
			t.Fatal(err)
		}
		if len(result.Cause) != 1 || result.Cause[0].New != "wrong\n" || len(result.Cause[0].Commits) == 0 || string(result.Cause[0].Commits[len(result.Cause[0].Commits)-1]) != id {
			t.Errorf("%q: the cause is %+v, want one line of %s\n%s", test.args, result.Cause, id, out)
		}
		if result.Trials.Run != test.trials {
			t.Errorf("%q: %d trials, want %d", test.args, result.Trials.Run, test.trials)
		}
	}
}

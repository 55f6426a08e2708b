package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/gitdd/gitdd/internal/cli"
	"github.com/gitdd/gitdd/internal/reapitest"
	"github.com/gitdd/gitdd/internal/seed"
)

// A run says how an example is run, where that is not: by bash, in the repository
// of examples.sh, with exit status 0.
type run struct {
	status    int
	before    string // a line of shell
	after     string // another
	until     string // Ctrl-C is pressed when standard error has this
	shell     string // bash; "" is that, too
	elsewhere string // the script that runs it, for it takes long
}

// unfinished leaves one session, which resume goes on with: those of one second have no
// order.
const unfinished = "gitdd clean --all; gitdd run --good v1 --max-trials 2 -- make test; test $? = 3"

// byHand leaves a session by hand, in which so many configurations are judged.
func byHand(n int) string {
	return "gitdd clean --all; rm -rf ../judge; gitdd start v1 HEAD" + strings.Repeat(" && gitdd bad", n)
}

// exampleRuns are those of examples that need it.
var exampleRuns = map[string]run{
	"gitdd demo":        {elsewhere: "demo"},
	"gitdd demo --each": {elsewhere: "demo_each"},
	"gitdd run --good v1 --slurm=main -j 64 -- make test": {elsewhere: "../slurm/run"},
	"gitdd reduce a.c --remote grpc://farm:8980 -j 200 -- ./check.sh {}": {
		before: `printf 'int a;\nint b;\n' >a.c; printf '#!/bin/sh\n! grep -q b "$1"\n' >check.sh; chmod +x check.sh`,
		after:  "grep -q b a.c.reduced && ! grep -q 'int a' a.c.reduced; rm a.c a.c.reduced check.sh",
	},

	// What was to end early does.
	"gitdd run --good v1 --max-trials 5 --max-time 1h -- make test": {status: exitBudget},
	"gitdd resume --max-trials 100":                                 {before: unfinished},
	"gitdd resume --max-trials 200":                                 {before: unfinished},
	"gitdd resume":                                                  {before: unfinished},
	"gitdd resume --into":                                           {before: unfinished},
	"gitdd resume --into --with lib=../lib":                         {before: unfinished},
	"gitdd resume --into --with logrus=../logrus":                   {before: unfinished},
	"gitdd resume --remote-header x-api-key=@key -j 64": {
		before: "echo secret >key; gitdd clean --all; gitdd run --good v1 --remote grpc://farm:8980 --remote-header x-api-key=old --max-trials 2 -- make test; test $? = 3",
	},

	"gitdd start v1 HEAD --into ../judge": {after: "rm -r ../judge"},
	"gitdd next":                          {before: byHand(0)},
	"gitdd next --into ../judge":          {before: byHand(0)},
	"gitdd good":                          {before: byHand(0)},
	"gitdd bad":                           {before: byHand(0)},
	"gitdd skip":                          {before: byHand(0)},
	"gitdd undo":                          {before: byHand(1)},
	"gitdd status":                        {before: byHand(1)},
	"gitdd go -- make test":               {before: byHand(0)},
	"gitdd go --build 'make -s' -- ./check.sh": {before: byHand(1)},
	"gitdd skip --note 'does not build'":       {before: byHand(0)},
	"gitdd undo 2 # take the last two back":    {before: byHand(2)},
	"gitdd list --export search.gitdd":         {before: unfinished},
	"gitdd resume search.gitdd":                {before: byHand(1) + " && gitdd list --export search.gitdd && gitdd clean --all", after: "rm search.gitdd"},

	"git bisect start HEAD v1":                    {after: "git bisect reset"},
	"gitdd bisect -- make test":                   {before: "git bisect start main v1", after: "git bisect reset"},
	"gitdd bisect --finish -j 4 -- go test ./...": {before: "git bisect start main v1", after: "git bisect reset"},
	"gitdd show --edit":                           {before: "git config core.editor 'test -f'", after: "git config --unset core.editor"},
	"gitdd apply --revert":                        {after: "git checkout -qf main"},

	"source <(gitdd completion zsh)":                                  {shell: "zsh"},
	"gitdd completion fish | source":                                  {shell: "fish"},
	"gitdd btor compare a.btor --against 'z3 {smt2}' -- boolector {}": {status: exitNothing},

	"gitdd run --with lib=../lib:v3..v4 -- make test": {status: exitNothing}, // it fails with either

	"gitdd serve":           {until: "until Ctrl-C"},
	"gitdd serve --control": {until: "until Ctrl-C"},

	// These go on until somebody stops them, and each has a hunt of its own.
	"gitdd btor hunt -- boolector {}":                                        {until: "seed", status: exitInterrupted},
	"gitdd btor hunt -n 1000 --maxwidth 16 -j 4 -- boolector -rwl 3 {}":      {before: "rm -r gitdd-hunt-*", until: "seed", status: exitInterrupted},
	"gitdd btor hunt --max-time 1h --against 'z3 {smt2}' -- boolector {}":    {before: "rm -r gitdd-hunt-*", until: "seed", status: exitInterrupted},
	"gitdd btor hunt --cnf --clauses 2 --against 'z3 {smt2}' -- ./solver {}": {until: "seed", status: exitInterrupted},
	"gitdd btor hunt --good-exit 0 --runs 500 -- z3 -T:5 {smt2}":             {until: "seed", status: exitInterrupted},
	"gitdd btor hunt --remote grpc://farm:8980 -j 200 -- ./solver {}":        {before: "rm -r gitdd-hunt-*", until: "seed", status: exitInterrupted},
}

// TestExamples runs the examples of all commands and guides as they stand there, one
// after the other: whoever copies one is not told that it cannot be meant.
func TestExamples(t *testing.T) {
	t.Parallel()
	seed.SkipLong(t, 8)
	if runtime.GOOS == "windows" {
		t.Skip("the examples are lines of a shell of Unix")
	}
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("bash is not here")
	}
	examples := allExamples()
	for line := range exampleRuns {
		if !slices.Contains(examples, line) {
			t.Errorf("there is no example %s any more", line)
		}
	}
	if err := built(); err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	env := append(os.Environ(), "EXAMPLES="+dir)
	for _, pair := range environment(dir) {
		env = append(env, pair[0]+"="+pair[1])
	}
	env = append(env, "PATH="+filepath.Join(dir, "bin")+string(filepath.ListSeparator)+os.Getenv("PATH"))
	farm := reapitest.Start(t, reapitest.Options{Workers: 4, Env: env[len(env)-1:]}) // its machines have the PATH
	source, err := filepath.Abs("testdata/examples.sh")
	if err != nil {
		t.Fatal(err)
	}
	repo := filepath.Join(dir, "repo")
	command := func(name string, args ...string) *exec.Cmd {
		ctx, cancel := context.WithTimeout(t.Context(), patience)
		t.Cleanup(cancel)
		for i := range args {
			args[i] = strings.ReplaceAll(args[i], "grpc://farm:8980", farm.Endpoint())
		}
		cmd := exec.CommandContext(ctx, name, args...)
		cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
		cmd.Dir, cmd.Env = repo, env
		return cmd
	}
	prepare := command(bash, "-e", source)
	prepare.Dir = dir
	if out, err := prepare.CombinedOutput(); err != nil {
		t.Fatalf("prepare the examples: %v\n%s", err, out)
	}
	for _, line := range examples {
		t.Run(line, func(t *testing.T) {
			how := exampleRuns[line]
			if how.elsewhere != "" {
				text, err := os.ReadFile(filepath.Join("testdata/script", how.elsewhere+".txtar"))
				if err != nil || !regexp.MustCompile(`(?m)^exec `+regexp.QuoteMeta(line)+`( --.*)?$`).Match(text) {
					t.Errorf("the script %s does not run it (%v)", how.elsewhere, err)
				}
				return
			}
			shell := bash
			if how.shell != "" {
				if shell, err = exec.LookPath(how.shell); err != nil {
					t.Skipf("%s is not here", how.shell)
				}
			}
			around := func(script string) {
				if out, err := command(bash, "-c", script).CombinedOutput(); err != nil {
					t.Fatalf("%s: %v\n%s", script, err, out)
				}
			}
			around(how.before)
			defer around(how.after)
			script := line
			switch {
			case how.until != "":
				script = "exec " + line // Ctrl-C is for gitdd alone
			case how.shell == "zsh":
				script = "autoload -Uz compinit && compinit -D; " + line
			}
			out, err := interruptible(command(shell, "-c", script), how.until)
			status := 0
			if err != nil {
				exit, ok := err.(*exec.ExitError)
				if !ok {
					t.Fatal(err)
				}
				status = exit.ExitCode()
			}
			if status != how.status {
				t.Errorf("exit status %d, want %d:\n%s", status, how.status, out)
			}
		})
	}
}

// interruptible runs a command, and presses Ctrl-C when it has written a word. One
// that ends without having written it is an error.
func interruptible(cmd *exec.Cmd, word string) (string, error) {
	if word == "" {
		out, err := cmd.CombinedOutput()
		return string(out), err
	}
	stderr, err := cmd.StderrPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		return "", err
	}
	var text strings.Builder
	pressed := false
	lines := bufio.NewScanner(stderr)
	for lines.Scan() {
		fmt.Fprintln(&text, lines.Text())
		if !pressed && strings.Contains(lines.Text(), word) {
			pressed = true
			if err := cmd.Process.Signal(os.Interrupt); err != nil {
				return text.String(), err
			}
		}
	}
	err = cmd.Wait()
	if !pressed {
		return text.String(), fmt.Errorf("%q was not written (%v):\n%s", word, err, text.String())
	}
	return text.String(), err
}

// allExamples are the command lines that the help shows: the examples of commands,
// and the indented lines of the first page and of the guides that begin with gitdd.
// A line that ends in a backslash goes on in the next.
func allExamples() []string {
	var lines []string
	add := func(text string) {
		text = strings.ReplaceAll(text, "\\\n", "")
		for line := range strings.SplitSeq(text, "\n") {
			line = strings.Join(strings.Fields(line), " ")
			if line != "" && !slices.Contains(lines, line) {
				lines = append(lines, line)
			}
		}
	}
	root := (&app{stdout: io.Discard, stderr: io.Discard}).command("gitdd")
	page := regexp.MustCompile(`(?m)^  gitdd .*`)
	for cmd := range cli.Commands(root) {
		add(cmd.Example)
		if cmd == root {
			add(strings.Join(page.FindAllString(cmd.Long, -1), "\n"))
		}
	}
	for _, topic := range topics() {
		add(strings.Join(page.FindAllString(topic.Long, -1), "\n"))
	}
	return lines
}

// Every command that does something has an example.
func TestCommandsHaveExamples(t *testing.T) {
	root := (&app{stdout: io.Discard, stderr: io.Discard}).command("gitdd")
	for cmd := range cli.Commands(root) {
		if cmd.HasParent() && cmd.IsAvailableCommand() && !strings.Contains(cmd.Example, cmd.CommandPath()) {
			t.Errorf("%s has no example of itself", cmd.CommandPath())
		}
	}
}

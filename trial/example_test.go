package trial_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"github.com/gitdd/gitdd/changes"
	"github.com/gitdd/gitdd/isolate"
	"github.com/gitdd/gitdd/testcase"
	"github.com/gitdd/gitdd/trial"
)

// All of `gitdd run --no-history`, but for the groups: the changes between two
// revisions, each configuration of them in a workspace, the command run there, and
// the search over its outcomes. The main function of a program calls trial.Supervisor
// first.
func Example() {
	dir, err := os.MkdirTemp("", "trial-")
	if err == nil {
		defer os.RemoveAll(dir)
		err = isolateIn(context.Background(), dir)
	}
	if err != nil {
		fmt.Println(err)
	}
	// Output:
	// limits: "retries 0\n" instead of "retries 3\n"
	// fails with it, in 3 trials; it was tested again: fail
}

func isolateIn(ctx context.Context, dir string) error {
	top := filepath.Join(dir, "repository")
	if err := record(top, "retries 3\nwait 1\nport 80\nuser www\ncache on\nlog all\n"); err != nil {
		return err
	}
	if err := record(top, "retries 0\nwait 1\nport 8080\nuser www\ncache off\nlog all\n"); err != nil {
		return err
	}

	repo, err := changes.Open(ctx, top)
	if err != nil {
		return err
	}
	defer repo.Close()
	set, err := changes.Between(ctx, repo, "HEAD~", "HEAD", changes.Options{})
	if err != nil {
		return err
	}
	command := []string{"grep", "-q", "retries [1-9]", "limits"}
	// trial.Root(repo) is where gitdd keeps its sessions.
	session, err := trial.CreateSession(filepath.Join(dir, "sessions"), trial.Header{
		Started: time.Now(), Name: "example", CommonDir: repo.CommonDir(), Good: set.Good, Bad: set.Bad, Command: command,
	})
	if err != nil {
		return err
	}
	defer session.Close()
	runner, err := trial.New(ctx, trial.Options{Repo: repo, Session: session, Command: command, Jobs: 2})
	if err != nil {
		return err
	}
	defer runner.Close()
	if _, err := runner.Ends(ctx, set); err != nil { // they differ, and what a failure looks like
		return err
	}
	found, err := isolate.Search(ctx, isolate.Problem{N: set.Len(), Requires: set.Requires}, runner.Test(set), isolate.Options{Jobs: 2})
	if err != nil {
		return err
	}
	for i := range found.Cause.All() {
		c := set.Changes[i]
		fmt.Printf("%s: %q instead of %q\n", c.Path, c.New, c.Old)
	}
	v, err := runner.Confirm(ctx, set, found.Failing, isolate.Fail)
	fmt.Printf("fails with it, in %d trials; it was tested again: %v\n", found.Trials, v.Outcome)
	return err
}

// record commits the file limits, in a new repository if there is none.
func record(dir, content string) error {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(dir, "limits"), []byte(content), 0o666); err != nil {
		return err
	}
	for _, args := range [][]string{
		{"init", "-q"},
		{"add", "-A"},
		{"-c", "user.name=Ada", "-c", "user.email=ada@example.com", "commit", "-q", "-m", "next"},
	} {
		if text, err := exec.Command("git", append([]string{"-C", dir}, args...)...).CombinedOutput(); err != nil {
			return fmt.Errorf("git %v: %w: %s", args, err, text)
		}
	}
	return nil
}

// A command in place of a function: which files of a directory, or lines of a file,
// package reduce would ask about is tested by Inputs.
func ExampleInputs() {
	ctx := context.Background()
	dir, err := os.MkdirTemp("", "inputs-")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	input := func(text string) testcase.Input {
		return testcase.Input{Files: []testcase.File{{Path: "a.json", Content: []byte(text)}}}
	}
	session, err := trial.CreateSession(dir, trial.Header{Started: time.Now(), Name: "example"})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer session.Close()
	options := trial.InputOptions{Original: input(`{"a": [1, 2], "b": null}`)}
	options.Session, options.Command = session, []string{"sh", "-c", `! grep -q null "$1"`, "sh", "{}"}
	inputs, err := trial.NewInputs(ctx, options)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer inputs.Close()
	if _, err := inputs.Original(ctx); err != nil {
		fmt.Println(err)
		return
	}
	for _, text := range []string{`{"b": null}`, `{"a": [1, 2]}`, `{"b": null}`} {
		v, err := inputs.Test(ctx, input(text))
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(text, v.Outcome, "cached:", v.Cached)
	}
	// Output:
	// {"b": null} fail cached: false
	// {"a": [1, 2]} pass cached: false
	// {"b": null} fail cached: true
}

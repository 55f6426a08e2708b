package main

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/gitdd/gitdd/internal/tui"
)

// answerTime is how long gitdd waits for the answer to a question without which it can end.
const answerTime = time.Minute

// attended reports whether a person can be asked: standard input and standard error are terminals that this process has, nothing else
// reads the keys, such as a pager, and this is no CI job.
func (a *app) attended() bool {
	return !a.quiet && os.Getenv("CI") == "" && !piped(a.stdout) && tui.Attended(os.Stdin, a.stderr)
}

// confirm asks a question on standard error, and reports whether the answer is y or yes. There is no second question: any other
// answer is no, and so are the end of ctx and that of the time to wait.
func (a *app) confirm(ctx context.Context, question string, wait time.Duration) bool {
	ctx, cancel := context.WithTimeout(ctx, wait)
	defer cancel()
	line, err := a.ask(ctx, question+" [y/N] ")
	if err != nil {
		fmt.Fprintln(a.stderr)
	}
	switch strings.ToLower(strings.TrimSpace(line)) {
	case "y", "yes":
		return err == nil
	}
	return false
}

// ask prints a question on standard error, and returns the line that is read from standard input, or when ctx ends.
func (a *app) ask(ctx context.Context, question string) (string, error) {
	if a.answers == nil {
		a.answers = bufio.NewReader(os.Stdin)
	}
	fmt.Fprint(a.stderr, question)
	return readLine(ctx, a.answers)
}

// readLine reads a line, or returns when ctx ends.
func readLine(ctx context.Context, from *bufio.Reader) (string, error) {
	type result struct {
		line string
		err  error
	}
	read := make(chan result, 1)
	go func() {
		line, err := from.ReadString('\n')
		if line != "" {
			err = nil
		}
		read <- result{line, err}
	}()
	select {
	case <-ctx.Done():
		return "", ctx.Err()
	case r := <-read:
		return r.line, r.err
	}
}

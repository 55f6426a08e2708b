package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strings"

	"github.com/gitdd/gitdd/internal/byhand"
	"github.com/gitdd/gitdd/internal/git"
)

// openAndAsk runs a line of shell in the directory with the configuration, and asks on the terminal what it is. The judgement is nil if
// the user goes on later.
func (a *app) openAndAsk(ctx context.Context, h *byhand.Session, line string) (*byhand.Given, error) {
	for {
		if err := a.runThere(ctx, h.Into(), line); err != nil {
			return nil, err
		}
		answer, err := a.askJudgement(ctx)
		if err != nil {
			return nil, err
		}
		if j, judged := byhand.Judgement(answer, ""); judged {
			return &byhand.Given{Tree: h.State.Tree, Judgement: j}, nil
		}
		switch answer {
		case "undo":
			if err := h.TakeBack(1); err != nil {
				fmt.Fprintf(a.stderr, "gitdd: %v\n", err)
			} else if pending, err := a.advance(ctx, h, nil); err != nil || !pending {
				return nil, err
			}
		case "quit":
			fmt.Fprintln(a.aside(), a.named("gitdd: `gitdd next --open CMD` goes on"))
			return nil, nil
		}
	}
}

// runThere runs a line of shell in a directory and waits for its end. What it prints goes to standard error; its exit status
// is no judgement.
func (a *app) runThere(ctx context.Context, dir, line string) error {
	cmd := exec.CommandContext(ctx, "sh", "-c", line)
	cmd.Dir, cmd.Env = dir, git.Environ()
	cmd.Stdout, cmd.Stderr = a.stderr, a.stderr
	err := cmd.Run()
	var exit *exec.ExitError
	if errors.As(err, &exit) && ctx.Err() == nil {
		fmt.Fprintf(a.aside(), "gitdd: %s: %v\n", line, err)
		return nil
	}
	return errors.Join(err, ctx.Err())
}

// askJudgement asks for one of a few words, or its first letter, until it gets one.
func (a *app) askJudgement(ctx context.Context) (string, error) {
	for {
		line, err := a.ask(ctx, "good, bad, skip, again, undo or quit? ")
		if errors.Is(err, io.EOF) {
			fmt.Fprintln(a.stderr)
			return "quit", nil
		}
		if err != nil {
			return "", err
		}
		for _, word := range []string{"good", "bad", "skip", "again", "undo", "quit"} {
			if answer := strings.ToLower(strings.TrimSpace(line)); answer != "" && strings.HasPrefix(word, answer) {
				return word, nil
			}
		}
	}
}

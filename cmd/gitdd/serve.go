package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"path/filepath"
	"slices"
	"strconv"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/gitdd/gitdd/changes"
	"github.com/gitdd/gitdd/internal/cli"
	"github.com/gitdd/gitdd/internal/events"
	"github.com/gitdd/gitdd/internal/serve"
	"github.com/gitdd/gitdd/search"
	"github.com/gitdd/gitdd/trial"
)

func (a *app) serveCommand() *cobra.Command {
	port, control := 0, false
	cmd := &cobra.Command{
		Use:        "serve [--control] [SESSION]",
		Short:      "Show a search in a browser while it goes on",
		SuggestFor: []string{"watch", "web", "live", "follow"},
		Long: `Show the session of a search, the newest by default, as a page that is brought
up to date while the search goes on: the pictures of gitdd show --html, what
the workers do and print, the present configuration, and the best answer so
far. It only reads the session and the repository, so it can be started and
ended at any time. Of a search that has ended it shows the answer.

The page is for this machine only, at 127.0.0.1. Its address has a token: who
does not know it gets no answer. Ctrl-C ends it.

Nothing can be changed there without --control. With it the page has buttons.
In a search by hand they are good, bad, skip and undo. Of a search in which a
command judges they are stop, as by Ctrl-C, and go on, by gitdd resume with
another limit, until gitdd serve ends. A command that came with a file is run
by gitdd resume alone.`,
		Example: `  gitdd serve
  gitdd serve --control`,
		Args:              cli.Args(cobra.MaximumNArgs(1)),
		ValidArgsFunction: a.completeSession,
		RunE: func(cmd *cobra.Command, names []string) error {
			if port < 0 || port > 65535 {
				return &cli.UsageError{Cmd: cmd, Err: fmt.Errorf("--port %d: a port is a number from 1 to 65535, or 0 for any that is free", port)}
			}
			all, err := a.all(cmd.Context())
			if err != nil {
				return err
			}
			if here := a.marked.Session; len(names) == 0 && here != "" { // a directory of configurations
				names = []string{filepath.Base(here)}
			}
			if len(names) == 0 {
				all = slices.DeleteFunc(all, func(s trial.Summary) bool { return isReduction(s.Header) })
			}
			found, err := trial.Choose(all, names)
			if err != nil {
				return err
			}
			if found.State == trial.StateDamaged {
				return found.Err
			}
			if isReduction(found.Header) {
				return fmt.Errorf("session %s has reduced an input, and there is no page of that while it goes on: `gitdd show --html FILE %s` writes the page of its answer", found.Name, found.Name)
			}
			return a.serve(cmd.Context(), found, port, control)
		},
	}
	cmd.Flags().SortFlags = false
	cmd.Flags().BoolVar(&control, "control", false, "give the page buttons")
	cmd.Flags().IntVar(&port, "port", 0, "listen at port `N`; 0 = any that is free")
	return cmd
}

// serve answers the page of a session until ctx ends.
func (a *app) serve(ctx context.Context, session trial.Summary, port int, control bool) error {
	listener, err := net.Listen("tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(port)))
	if errors.Is(err, syscall.EADDRINUSE) {
		return fmt.Errorf("--port %d: another program listens there; choose another one, or leave --port out", port)
	}
	if err != nil {
		return fmt.Errorf("--port %d: %w", port, err)
	}
	page := serve.New(session.Dir, listener.Addr().(*net.TCPAddr).Port)
	page.Compare(func(of *trial.Session, good, it string) ([]events.Change, error) {
		return a.beyondGood(ctx, of, good, it)
	})
	if control {
		begun := &commandLines{ctx: ctx}
		defer begun.wait()
		page.Control(begun.gitdd)
	}
	server := &http.Server{
		Handler: page, ReadHeaderTimeout: 10 * time.Second, MaxHeaderBytes: 64 << 10,
		BaseContext: func(net.Listener) context.Context { return ctx },
	}
	stop := context.AfterFunc(ctx, func() { _ = server.Close() })
	defer stop()
	fmt.Fprintf(a.stdout, "%s\n", page.URL())
	fmt.Fprintf(a.aside(), "gitdd: session %s, until Ctrl-C\n", session.Name)
	if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

// beyondGood is a serve.Difference.
func (a *app) beyondGood(ctx context.Context, session *trial.Session, good, it string) ([]events.Change, error) {
	repo, err := a.openFor(ctx, session)
	if err != nil {
		return nil, err
	}
	defer repo.Close()
	if err := repo.AddRecorded(ctx, search.AnswerDir(session)); err != nil { // it has the bad revision without the cause
		return nil, err
	}
	set, err := changes.Between(ctx, repo, good, it, changes.Options{})
	if err != nil {
		return nil, err
	}
	return events.Changes(set, nil), nil
}

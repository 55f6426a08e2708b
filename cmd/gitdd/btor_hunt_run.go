package main

import (
	"cmp"
	"context"
	"errors"
	"os"
	"path/filepath"
	"sync"

	"github.com/gitdd/gitdd/btor"
	"github.com/gitdd/gitdd/hunt"
	"github.com/gitdd/gitdd/internal/tui"
	"github.com/gitdd/gitdd/trial"
)

// A hunter is one process that works in a hunt.
type hunter struct {
	*app
	hunting  hunting
	start    string // the directory that it was started in
	manifest *hunt.Manifest
	solvers  *hunt.Solvers
	view     tui.Hunt

	mu       sync.Mutex
	sessions map[uint64]*trial.Session // by seed, of reductions that have ended
}

// hunt searches in a new directory, or goes on in one.
func (a *app) hunt(ctx context.Context, s hunting) error {
	start, err := filepath.Abs(".")
	if err != nil {
		return err
	}
	if s.output, err = filepath.Abs(s.output); err != nil {
		return err
	}
	header := s.header()
	header.Started = a.now()
	manifest, known, err := hunt.Open(s.output, header)
	if err != nil {
		return err
	}
	h := &hunter{app: a, hunting: s, start: start, manifest: manifest, sessions: map[uint64]*trial.Session{}}
	sum, err := h.search(ctx, known)
	if errClose := manifest.Close(); errClose != nil {
		a.complain(errClose)
	}
	spent := errors.Is(err, errTime)
	if err != nil && !spent && !errors.Is(err, context.Canceled) {
		return err
	}
	if errOut := a.printHunt(s, sum, spent); errOut != nil {
		return &outputError{errOut}
	}
	switch {
	case err != nil && !spent:
		return err
	case len(sum.Findings) == 0:
		return errNoFinding
	}
	return nil
}

// errNoFinding: the report has said so.
var errNoFinding = errors.New("no findings")

func (h *hunter) search(ctx context.Context, known []hunt.Record) (hunt.Summary, error) {
	if h.hunting.maxTime > 0 {
		limited, cancel := context.WithTimeoutCause(ctx, h.hunting.maxTime, errTime)
		defer cancel()
		ctx = limited
	}
	if err := h.settled(known); err != nil {
		return hunt.Summary{}, err
	}
	commands := h.hunting.commands()
	var err error
	h.solvers, err = hunt.NewSolvers(h.manifest.Work("runs"), h.start, h.hunting.jobs, h.hunting.limits(), commands, btor.SMT2)
	if err != nil {
		return hunt.Summary{}, err
	}
	h.view = tui.NewHunt(tui.HuntOptions{Options: h.viewOptions(ctx, h.hunting.jobs), Outputs: h.solvers.Outputs, Resumed: len(known) > 0})
	defer h.view.Close()
	options := hunt.Options{
		First: h.hunting.generator.Seed, Jobs: h.hunting.jobs, Count: h.hunting.findings, Runs: h.hunting.runs,
		Good: h.hunting.goodExit, Labels: hunt.Label(commands), Known: known,
		Generate: h.generate, Run: h.solvers.Run, Keep: h.keep, Record: h.record, Observe: h.view.Event,
	}
	if !h.hunting.noReduce {
		options.Reduce = h.reduce
	}
	sum, err := hunt.Search(ctx, options)
	h.view.Close()
	if errClose := h.solvers.Close(); errClose != nil {
		h.complain(errClose)
	}
	return sum, err
}

func (h *hunter) generate(seed uint64) (hunt.Case, error) {
	o := h.hunting.generator
	o.Seed = seed
	g, text, err := btor.Generate(o)
	return hunt.Case{Seed: seed, Graph: g, Text: text}, err
}

// keep writes the files of a finding, the graph last: who finds that finds the others.
func (h *hunter) keep(c hunt.Case, _ hunt.Failure, all []trial.Execution) error {
	return errors.Join(
		h.manifest.Keep(c.Seed, ".out", all[0].Stdout),
		h.manifest.Keep(c.Seed, ".err", all[0].Stderr),
		h.manifest.Keep(c.Seed, ".btor", c.Text),
	)
}

// record puts a record into the manifest. The session of a reduction is needed no
// more then.
func (h *hunter) record(r hunt.Record) error {
	if err := h.manifest.Record(r); err != nil {
		return err
	}
	if r.Reduction == nil {
		return nil
	}
	h.mu.Lock()
	session := h.sessions[r.Reduction.Seed]
	delete(h.sessions, r.Reduction.Seed)
	h.mu.Unlock()
	return session.Discard()
}

// self is this program, as a command.
func self() (string, error) {
	name, err := os.Executable()
	return cmp.Or(name, os.Args[0]), err
}

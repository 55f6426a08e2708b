package hunt

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/gitdd/gitdd/btor"
	"github.com/gitdd/gitdd/isolate"
	"github.com/gitdd/gitdd/trial"
)

// ErrTime says that Options.MaxTime is spent.
var ErrTime = fmt.Errorf("%w: --max-time", isolate.ErrBudget)

// Search performs the hunt of gitdd btor hunt: it generates a graph for one seed after
// the other, runs the commands on each, keeps those that the tested one fails on, and
// reduces each of these at once; in the order of the seeds, until there are
// Options.Findings, or Options.Runs seeds were run, and all findings are reduced.
//
// The summary is valid with an error, too. The error is ErrTime if the time is spent and
// that of ctx if it ends: the same options then go on where that was. It is a
// *MismatchError if the directory has a hunt with other settings, and a *MissingError if
// a command cannot be executed. Invalid options are an error of Options.Check.
func Search(ctx context.Context, o Options) (Summary, error) {
	if err := o.Check(); err != nil {
		return Summary{}, err
	}
	o, err := o.completed()
	if err != nil {
		return Summary{}, err
	}
	manifest, known, err := Open(o.Dir, o.header())
	if err != nil {
		return Summary{}, err
	}
	h := &hunter{Options: o, manifest: manifest, sessions: map[uint64]*trial.Session{}}
	sum, err := h.search(ctx, known)
	if _, ok := errors.AsType[*trial.LostError](err); ok {
		err = fmt.Errorf("%w: see what `gitdd doctor` says of the machines; the same hunt goes on where this stopped", err)
	}
	h.trouble(manifest.Close())
	return sum, err
}

// A hunter performs one hunt, or a part of it.
type hunter struct {
	Options  // completed
	manifest *Manifest
	solvers  *solvers

	auxiliary *trial.Auxiliary                 // what other machines get, nil where there are none
	withGitdd func() (*trial.Auxiliary, error) // the same with gitdd, copied at the first call

	observing sync.Mutex // held while Observe is called

	mu       sync.Mutex
	sessions map[uint64]*trial.Session // by seed, of reductions that have ended
}

func (h *hunter) search(ctx context.Context, known []Record) (sum Summary, err error) {
	if h.MaxTime > 0 {
		limited, cancel := context.WithTimeoutCause(ctx, h.MaxTime, ErrTime)
		defer cancel()
		ctx = limited
	}
	if err := h.settled(known); err != nil {
		return sum, err
	}
	h.withGitdd = sync.OnceValues(func() (*trial.Auxiliary, error) {
		return h.Solving.auxiliary(ctx, h.manifest.Work(auxiliaryDir+"-gitdd"), h.Gitdd)
	})
	if h.KeepFirst && h.mayCarryGitdd() {
		h.auxiliary, err = h.withGitdd()
	} else {
		h.auxiliary, err = h.Solving.auxiliary(ctx, h.manifest.Work(auxiliaryDir))
	}
	if err != nil {
		return sum, err
	}
	h.solvers, err = newSolvers(h.manifest.Work(runsDir), h.Jobs, h.Solving, h.auxiliary, btor.SMT2)
	if err != nil {
		return sum, err
	}
	defer func() { h.trouble(h.solvers.Close()) }()
	h.observe(Event{Kind: Opened, Known: len(known) > 0})
	e := engine{
		First: h.Generator.Seed, Jobs: h.Jobs, Count: h.Findings, Runs: h.Runs,
		Good: h.GoodExit, Labels: labelsOf(h.commands()), Known: known,
		Generate: h.generate, Run: h.solvers.Run, Keep: h.keep, Record: h.record, Observe: h.observe,
	}
	if !h.NoReduce {
		e.Reduce = h.reduce
	}
	return e.run(ctx)
}

// observe passes an event on.
func (h *hunter) observe(e Event) {
	if h.Observe == nil {
		return
	}
	if e.Kind == Running && h.Remote == nil {
		e.Outputs = h.solvers.Outputs(e.Worker)
	}
	h.observing.Lock()
	defer h.observing.Unlock()
	h.Observe(e)
}

// trouble passes an error on that does not stop the hunt, if there is one.
func (h *hunter) trouble(err error) {
	if err != nil {
		h.observe(Event{Kind: Troubled, Err: err})
	}
}

func (h *hunter) generate(seed uint64) (Case, error) {
	o := h.Generator
	o.Seed = seed
	g, text, err := btor.Generate(o)
	return Case{Seed: seed, Graph: g, Text: text}, err
}

// keep writes the files of a finding, the graph last: who finds that finds the others.
func (h *hunter) keep(c Case, _ Failure, all []trial.Execution) error {
	return errors.Join(
		h.manifest.Keep(c.Seed, ".out", all[0].Stdout),
		h.manifest.Keep(c.Seed, ".err", all[0].Stderr),
		h.manifest.Keep(c.Seed, ".btor", c.Text),
	)
}

// record puts a record into the manifest. The session of a reduction is needed no
// more then.
func (h *hunter) record(r Record) error {
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

package trial

import (
	"context"
	"errors"
	"path/filepath"
	"sync"
	"time"

	"github.com/gitdd/gitdd/changes"
	"github.com/gitdd/gitdd/internal/git"
	"github.com/gitdd/gitdd/internal/workspace"
	"github.com/gitdd/gitdd/isolate"
	"github.com/gitdd/gitdd/suite"
)

// A Runner tests configurations. Its methods may be used by several
// goroutines; Options.Jobs of them run at once.
type Runner struct {
	*pool
	given  Options
	source *workspace.Source
	whole  *wholeSets

	// Guarded by the mutex of the pool.
	rounds map[any]int        // see round
	names  map[asked]question // with Options.Confidence: what was asked
	told   map[asked]int      // the numbers of the trials that answered

	hanging                    *Lasting // an end whose command runs, or was stopped; nil = none does. Guarded by the mutex
	leastLasting, firstLasting time.Duration

	confirming sync.Mutex // held while a suite confirms, see ForTest
	repeated   [][]Record // what repeatedTrials returned for so many records, guarded by the mutex
	repeatedOf int

	still sync.Mutex // held by the one Confirm, with Options.Artifacts

	// With Options.Remote only:
	snapshots *workspace.Snapshotter // nil with Options.Shared
	lasting   context.Context        // ends with Close
	stop      context.CancelFunc
	moves     int // workspaces that were given up, guarded by the mutex
}

// Options returns the options that New was called with.
func (r *Runner) Options() Options { return r.given }

// New prepares to run trials in the session, and takes up what its journal
// says. Workspaces are made when they are first needed.
func New(ctx context.Context, opts Options) (_ *Runner, err error) {
	given := opts
	if opts.Tests != (suite.Format{}) { // these are for one test
		opts.Repeat, opts.Confidence, opts.Match, opts.SameOutput, opts.StatusOnly, opts.OnSignal = 0, 0, nil, nil, false, Auto
	}
	snapshots := opts.Remote != nil && !opts.Shared
	if snapshots {
		opts.Clean = true // each trial has a directory of its own
	}
	base, err := newPool(opts)
	if err != nil {
		return nil, err
	}
	r := newRunner(ctx, base, given)
	r.whole = &wholeSets{sets: map[git.ID]*changes.Set{}}
	r.newPlace = r.newSpace
	if opts.Judge != nil {
		r.noCommand = true
		r.newPlace = func(context.Context, *worker, question, string) (place, error) { return judgedPlace{r: r}, nil }
	}
	if snapshots {
		r.newPlace = r.newRemoteTree
	}
	if r.source, err = workspace.Open(ctx, base.opts.workspaceOptions()); err != nil {
		return nil, err
	}
	r.closeRest = func() error {
		var err error
		if r.snapshots != nil {
			err = r.snapshots.Close()
		}
		return errors.Join(err, r.source.Close())
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, r.source.Close())
		}
	}()
	if err := r.begin(ctx, r.digest(r.clean), r.digest(true)); err != nil {
		return nil, err
	}
	if snapshots {
		r.snapshots = workspace.NewSnapshotter(r.source, filepath.Join(r.work, r.spaceName("snapshot")))
	}
	return r, nil
}

// newRunner makes a Runner that has no source, no whole and no places yet.
func newRunner(ctx context.Context, base *pool, given Options) *Runner {
	r := &Runner{pool: base, given: given, rounds: map[any]int{}, names: map[asked]question{}, told: map[asked]int{}, leastLasting: leastLimit, firstLasting: firstLasting}
	r.lasting, r.stop = context.WithCancel(context.WithoutCancel(ctx))
	return r
}

// Close ends the workers and removes the workspaces and temporary files. It waits
// for tests that still run: cancel these first.
func (r *Runner) Close() error {
	r.stop()
	return r.pool.Close()
}

// Test returns the test of the configurations of s, for isolate.Search. Its
// outcomes are true ones: Pass is exit 0. When Ends says Fix, the caller swaps
// Pass and Fail.
func (r *Runner) Test(s *changes.Set) isolate.Test {
	return func(ctx context.Context, c isolate.Configuration) (isolate.Outcome, error) {
		v, err := r.ask(ctx, s, c, Search)
		r.tell(s, c, v)
		return v.Outcome, err
	}
}

// tell notes which trial answered for a configuration of a set, or of a line of
// commits.
func (r *Runner) tell(of any, c isolate.Configuration, v Verdict) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.told[asked{r.round(of), c}] = v.Trial
}

// Told returns the number of the trial by which the test of s answered for c last,
// which an earlier process may have run; 0 = it was not asked, or needed none.
func (r *Runner) Told(s *changes.Set, c isolate.Configuration) int { return r.toldOf(s, c) }

// ToldCommit is Told for a configuration of a line of commits, as for Commits.
func (r *Runner) ToldCommit(line []git.Commit, c isolate.Configuration) int {
	return r.toldOf(&line[0], c)
}

func (r *Runner) toldOf(of any, c isolate.Configuration) int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.told[asked{r.round(of), c}]
}

// Attempts returns the numbers of the trials of c, in the order of their attempts,
// that had this outcome, as a true one, with the present settings.
func (r *Runner) Attempts(s *changes.Set, c isolate.Configuration, outcome isolate.Outcome) []int {
	q, err := r.question(s, c, Again)
	if err != nil {
		return nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	var trials []int
	for _, rec := range r.memo.attempts[q.key] {
		if r.outcome(rec) == outcome {
			trials = append(trials, rec.Trial)
		}
	}
	return trials
}

// question composes the tree of c. *changes.ConflictError when that is not
// possible.
func (r *Runner) question(s *changes.Set, c isolate.Configuration, purpose Purpose) (question, error) {
	tree, err := s.Compose(c.All())
	if err != nil {
		return question{}, err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	q := question{set: s, round: r.round(s), config: c, tree: tree, purpose: purpose, key: memoKey{tree: tree.ID, settings: r.key}}
	r.enter(q)
	return q, nil
}

// enter notes what is asked, for Step. r.mu is held.
func (r *Runner) enter(q question) {
	if r.sequential != nil && r.opts.MaxTrials > 0 && q.purpose == Search {
		r.names[asked{q.round, q.config}] = q
	}
}

// Set returns the number that the records of trials of s have: sets and lines of
// commits are counted in the order of their first use, and this may be that of s.
func (r *Runner) Set(s *changes.Set) int { return r.number(s) }

// Line is Set for a line of commits.
func (r *Runner) Line(line []git.Commit) int { return r.number(&line[0]) }

func (r *Runner) number(of any) int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.round(of)
}

package trial

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/gitdd/gitdd/changes"
	"github.com/gitdd/gitdd/internal/git"
	"github.com/gitdd/gitdd/isolate"
)

// A Runner tests configurations. Its methods may be used by several
// goroutines; Options.Jobs of them run at once.
type Runner struct {
	opts    Options
	ground  ground
	conv    converter
	session *Session
	turn    int       // Record.Process of this process
	began   time.Time // New
	work    string    // where the workspaces are
	temp    string    // where the workers' temporary files are, guarded by mu; "" until the first trial
	dir     string    // Options.Dir in the form of the system

	slots chan struct{} // holds a token for each trial that runs

	mu       sync.Mutex
	workers  []*worker
	clean    bool   // Options.Clean, or Distrust was called
	key      string // digest of what an outcome depends on beside the tree
	cleanKey string // what key is when each trial begins in a clean workspace
	limits   limits
	rounds   map[any]int             // see round
	whole    map[git.ID]*changes.Set // from good to a commit, see Commits
	outputs  int64                   // bytes of the kept outputs, if there is a MaxDisk
	apart    map[*workspace]int64    // likewise of the workspaces of Confirm, as last measured
	last     int                     // highest trial number given out
	fresh    int                     // workspaces made for Confirm
	still    sync.Mutex              // held by the one Confirm, with Options.Artifacts
	memo     memo

	// With Options.Confidence only:
	jury       *isolate.Jury
	rates      *isolate.Rates             // of Ends; nil before
	calibrated [2]string                  // good and bad, as the jury calls them
	names      map[asked]string           // as the jury calls what was asked
	counted    map[string]bool            // of these names, what Options.MaxTrials is for
	left       atomic.Int64               // see allow
	rested     map[string]isolate.Outcome // of these names, what answers rest on

	observed sync.Mutex // one event at a time
}

// New prepares to run trials in the session, and takes up what its journal
// says. Workspaces are made when they are first needed.
func New(ctx context.Context, opts Options) (*Runner, error) {
	if len(opts.Command) == 0 || opts.Command[0] == "" {
		return nil, errors.New("there is no command to run")
	}
	if opts.Dir != "" && !filepath.IsLocal(filepath.FromSlash(opts.Dir)) {
		return nil, fmt.Errorf("directory %q lies outside of the workspace", opts.Dir)
	}
	if opts.Session == nil || opts.Session.lock == nil {
		return nil, errors.New("there is no session that is open for writing")
	}
	if opts.MaxMemory > 0 && runtime.GOOS != "linux" {
		return nil, errors.New("the memory of trials can be bounded on Linux only")
	}
	if opts.MaxOutput == 0 {
		opts.MaxOutput = DefaultOutput
	}
	opts.Jobs, opts.Repeat = max(opts.Jobs, 1), max(opts.Repeat, 1)
	dir := opts.Session.dir
	r := &Runner{
		opts: opts, session: opts.Session, clean: opts.Clean, began: time.Now(),
		dir:    filepath.FromSlash(opts.Dir),
		slots:  make(chan struct{}, opts.Jobs),
		rounds: map[any]int{}, whole: map[git.ID]*changes.Set{}, apart: map[*workspace]int64{},
	}
	if opts.Confidence != 0 {
		if !(opts.Confidence > 0.5 && opts.Confidence < 1) {
			return nil, fmt.Errorf("confidence %v is not above 0.5 and below 1", opts.Confidence)
		}
		r.jury = isolate.NewJury(opts.Confidence)
		r.names, r.counted = map[asked]string{}, map[string]bool{}
		r.rested = map[string]isolate.Outcome{}
	}
	var err error
	r.ground = ground{repo: opts.Repo, trees: newForest(opts.Repo)}
	if r.ground.keep, r.ground.inIndex, err = keepPaths(ctx, opts.Repo, opts.Keep); err != nil {
		return nil, err
	}
	if opts.Submodules {
		r.ground.library = newLibrary()
	}
	scratch, err := opts.Repo.NewScratch(filepath.Join(dir, objectsDir))
	if err != nil {
		return nil, machineError("make a session", err)
	}
	if r.ground.overlay, err = newOverlay(ctx, opts.Repo, scratch, opts.Overlay, filepath.Join(dir, overlayDir)); err != nil {
		return nil, err
	}
	if r.ground.patches, err = newPatches(ctx, opts.Repo, r.ground.trees, opts.Patches, filepath.Join(dir, patchesDir)); err != nil {
		return nil, err
	}
	if r.conv, err = newConverter(ctx, opts.Repo, scratch); err != nil {
		return nil, err
	}
	if r.work, err = r.newWork(ctx); err != nil {
		return nil, err
	}
	for n := range opts.Jobs {
		r.workers = append(r.workers, &worker{number: n})
	}
	r.key, r.cleanKey = r.digest(r.clean), r.digest(true)
	records := opts.Session.Records()
	r.memo = newMemo(records, opts.Session.Lessons())
	for _, rec := range records {
		r.last = max(r.last, rec.Trial)
		r.turn = max(r.turn, rec.Process)
	}
	r.turn++
	if opts.MaxDisk > 0 {
		r.outputs = diskUsage(filepath.Join(dir, trialsDir))
	}
	return r, nil
}

// Distrust makes the workspace as new before each trial from now on, and
// forgets the outcomes that were found without, and what the ends taught: for
// when Confirm disagrees. Ends has to be asked again.
func (r *Runner) Distrust() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.clean = true
	r.key = r.cleanKey
	r.rates = nil
	r.limits = limits{}
}

// Close ends the workers and removes the workspaces and temporary files. It waits
// for tests that still run: cancel these first.
func (r *Runner) Close() error {
	for range r.opts.Jobs {
		r.slots <- struct{}{}
	}
	var problems []error
	for _, w := range r.workers {
		problems = append(problems, w.close())
	}
	problems = append(problems, r.ground.library.close())
	work := filepath.Join(r.session.dir, workDir)
	if err := errors.Join(problems...); err != nil {
		problems = []error{err}
		for _, dir := range append(places(r.session.dir), work) {
			problems = append(problems, removeWorkspaces(context.Background(), r.opts.Repo, dir))
		}
	}
	if r.temp != "" { // the session may have been taken away, and what it says of its places
		problems = append(problems, removeAll(r.temp))
	}
	return errors.Join(append(problems, removeAll(work), removePlaces(r.session.dir))...)
}

// Stats returns what the session has done so far.
func (r *Runner) Stats() Stats {
	r.mu.Lock()
	defer r.mu.Unlock()
	s := r.memo.stats
	s.Total += time.Since(r.began)
	return s
}

// Test returns the test of the configurations of s, for isolate.Search. Its
// outcomes are true ones: Pass is exit 0. When Ends says Fix, the caller swaps
// Pass and Fail.
func (r *Runner) Test(s *changes.Set) isolate.Test {
	return func(ctx context.Context, c isolate.Configuration) (isolate.Outcome, error) {
		v, err := r.ask(ctx, s, c, Search)
		return v.Outcome, err
	}
}

// A question is a configuration on its way to an outcome.
type question struct {
	set     *changes.Set
	round   int // what config is a set of, see Runner.round
	config  isolate.Configuration
	commit  git.ID // whose tree it is; "" for a configuration of changes
	tree    *changes.Tree
	purpose Purpose
	key     memoKey
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

// enter notes how the jury calls what is asked, for Step. r.mu is held.
func (r *Runner) enter(q question) {
	if r.jury != nil && r.opts.MaxTrials > 0 && q.purpose == Search {
		r.names[asked{q.round, q.config}] = q.name()
	}
}

// Set returns the number that the records of trials of s have: sets and lines of
// commits are counted in the order of their first use, and this may be that of s.
func (r *Runner) Set(s *changes.Set) int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.round(s)
}

func (r *Runner) rules() rules {
	r.mu.Lock()
	defer r.mu.Unlock()
	return rules{onSignal: r.opts.OnSignal, match: r.opts.Match, signature: r.opts.SameOutput, limits: r.limits}
}

package trial

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/gitdd/gitdd/changes"
	"github.com/gitdd/gitdd/internal/disk"
	"github.com/gitdd/gitdd/internal/git"
	"github.com/gitdd/gitdd/isolate"
	"github.com/gitdd/gitdd/suite"
	"github.com/gitdd/gitdd/testcase"
)

// A pool is what a Runner and Inputs have in common: workers that run a command
// once per attempt, whatever it is run on, and the memory of what came of it.
type pool struct {
	opts    Options
	session *Session
	turn    int       // Record.Process of this process
	began   time.Time // New
	work    string    // where the places are
	dir     string    // Options.Dir in the form of the system
	temp    string    // where the workers' temporary files are, guarded by mu; "" until the first trial

	// newPlace makes a place in dir for a worker, and leaves nothing if it cannot.
	newPlace func(ctx context.Context, w *worker, q question, dir string) (place, error)
	// noCommand is that no command runs in the places, so that they need no directory for temporary files.
	noCommand bool
	// closeRest, if not nil, is called by Close when nothing runs any more.
	closeRest func() error

	threshold atomic.Pointer[threshold] // with Options.Measure; nil = the status alone tells the outcome
	interpret rules                     // but for what Options and limits say

	closing sync.Once
	closed  error // what the first Close returned

	slots   chan struct{} // holds a token for each trial that runs
	dropped atomic.Bool   // no check is run any more, see DropCheck
	cheap   time.Duration // cheapBuild
	brief   atomic.Bool   // no build is run a second time any more, see printAll

	mu       sync.Mutex
	workers  []*worker
	clean    bool   // Options.Clean, or Distrust was called
	key      string // digest of what an outcome depends on beside what is tried
	firstKey string // what key was at first
	cleanKey string // what key is when each trial begins in a clean place
	limits   limits
	// reference is what failures are compared with; nil before the ends are known, and if
	// the user has said how failures are told apart.
	reference *reference
	spurious  bool // failures are rejected, see Runner.RejectSpurious
	phases    map[beginning]phases
	outputs   int64           // bytes of the kept outputs, if there is a MaxDisk
	apart     map[place]int64 // likewise of the places of Confirm, as last measured
	last      int             // highest trial number given out
	copies    int             // that run, or wait for a slot
	queue     []chan struct{} // of copies, which get the next slots
	fresh     int             // places made for Confirm
	making    time.Duration   // the longest that it took to make a place and to set it up
	paths     int             // the most that a workspace had when it was made
	memo      memo
	history   outputHistory // of inputs

	unit *string // with Options.Measure, that of the first number; nil = there is none yet

	// With Options.Remote only:
	patience   patience
	pace       pace
	background sync.WaitGroup // what nobody waits for any more

	// With Options.Tests only, guarded by mu:
	reports map[int]suite.Report // by the numbers of their trials
	tests   map[string]bool      // those that count; nil = all
	format  suite.Format         // that Options.Tests has turned out to be at an end
	halted  bool                 // see Runner.Stop
	choice  choice               // those that are asked for

	// With Options.Confidence only:
	sequential *isolate.SequentialTest
	rates      *isolate.Rates             // of the ends; nil before
	calibrated [2]string                  // good and bad, as the sequential test calls them
	counted    map[string]memoKey         // of the names that the sequential test knows, what Options.MaxTrials is for
	left       atomic.Int64               // see allow
	rested     map[string]isolate.Outcome // of these names, what answers rest on

	company company // with Jobs above 1

	observed sync.Mutex // one event at a time
}

// A place is where a worker puts what is asked about, and runs the command. It
// belongs to one worker at a time.
type place interface {
	// distance is how much it differs from what q wants: the least is taken.
	distance(q question) int
	// worn reports whether what earlier trials have left is there in the next one.
	worn() bool
	// renew makes it as new, unless it is.
	renew(ctx context.Context, w *worker) error
	// show puts what q asks about there. A *noTrial error when that cannot be.
	show(ctx context.Context, w *worker, q question) error
	// try runs what there is to run, and enters into rec what came of it.
	try(ctx context.Context, w *worker, q question, rec *Record) error
	// done keeps what is to be kept of a trial that counts and takes away what is
	// needed no more, with an error if the place is not what it was: then the trial
	// counts for nothing.
	done(q question, rec *Record) error
	// usage is what it has on the disk, in bytes.
	usage() int64
	remove() error
}

// nowhere has what a place does that has nothing on the disk.
type nowhere struct{}

func (nowhere) distance(question) int                         { return 0 }
func (nowhere) worn() bool                                    { return false }
func (nowhere) renew(context.Context, *worker) error          { return nil }
func (nowhere) show(context.Context, *worker, question) error { return nil }
func (nowhere) done(question, *Record) error                  { return nil }
func (nowhere) usage() int64                                  { return 0 }
func (nowhere) remove() error                                 { return nil }

// newPool is made ready by begin.
func newPool(opts Options) (*pool, error) {
	if opts.Judge == nil && (len(opts.Command) == 0 || opts.Command[0] == "") {
		return nil, errors.New("there is no command to run")
	}
	if opts.Dir != "" && !filepath.IsLocal(filepath.FromSlash(opts.Dir)) {
		return nil, fmt.Errorf("directory %q lies outside of the workspace", opts.Dir)
	}
	if opts.Session == nil || opts.Session.lock == nil {
		return nil, errors.New("there is no session that is open for writing")
	}
	if err := errors.Join(opts.checkRemote(), opts.checkMeasure()); err != nil {
		return nil, err
	}
	if opts.MaxMemory > 0 && runtime.GOOS != "linux" {
		return nil, errors.New("the memory of trials can be bounded on Linux only")
	}
	if opts.MaxOutput == 0 {
		opts.MaxOutput = DefaultOutput
	}
	opts.Jobs, opts.Repeat = max(opts.Jobs, 1), max(opts.Repeat, 1)
	r := &pool{
		opts: opts, session: opts.Session, clean: opts.Clean, began: time.Now(),
		dir:   filepath.FromSlash(opts.Dir),
		slots: make(chan struct{}, opts.Jobs), cheap: cheapBuild,
		reports: map[int]suite.Report{}, choice: choice{sure: map[string]bool{}, whole: map[git.ID]bool{}}, apart: map[place]int64{}, phases: map[beginning]phases{}, patience: patienceOf(opts),
	}
	if opts.Confidence != 0 {
		if !(opts.Confidence > 0.5 && opts.Confidence < 1) {
			return nil, fmt.Errorf("confidence %v is not above 0.5 and below 1", opts.Confidence)
		}
		r.sequential = isolate.NewSequentialTest(opts.Confidence)
		r.counted, r.rested = map[string]memoKey{}, map[string]isolate.Outcome{}
	}
	return r, nil
}

// begin takes up what the journal says, and makes the directory for the places.
// The keys are those of key, cleanKey and firstKey.
func (r *pool) begin(ctx context.Context, key, cleanKey string) (err error) {
	if r.work, err = r.newWork(ctx); err != nil {
		return err
	}
	for n := range r.opts.Jobs {
		r.workers = append(r.workers, &worker{number: n})
	}
	r.key, r.firstKey, r.cleanKey = key, key, cleanKey
	records := r.opts.Session.Records()
	inferences := r.opts.Session.inferencesRead()
	if r.opts.ByHand {
		r.memo = newSharedMemo(key, records, inferences, func(rec Record) bool { return r.opts.remembers(key, rec) })
	} else {
		r.memo = newMemo(records, inferences)
	}
	r.spurious = slices.ContainsFunc(records, func(rec Record) bool { return rec.Spurious })
	r.last = r.opts.Session.lastTrial()
	for _, rec := range records {
		r.turn = max(r.turn, rec.Process)
		if r.unit == nil && rec.Value != nil {
			r.unit = &rec.Unit
		}
		r.measure(rec)
	}
	r.turn++
	if r.opts.MaxDisk > 0 {
		r.outputs = disk.Usage(filepath.Join(r.session.dir, trialsDir))
	}
	return nil
}

// Distrust makes the workspace as new before each trial from now on, and
// forgets the outcomes that were found without, and what the ends taught: for
// when Confirm disagrees. Ends, or Original, has to be asked again.
func (r *pool) Distrust() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.clean = true
	r.key = r.cleanKey
	r.rates = nil
	r.limits, r.reference = limits{}, nil
}

// Close ends the workers and removes the workspaces and temporary files. It waits
// for tests that still run: cancel these first. A second call returns what the first one did.
func (r *pool) Close() error {
	r.closing.Do(func() { r.closed = r.close() })
	return r.closed
}

func (r *pool) close() error {
	for range r.opts.Jobs {
		r.slots <- struct{}{}
	}
	var problems []error
	for _, w := range r.workers {
		problems = append(problems, w.close())
	}
	r.background.Wait()
	if r.closeRest != nil {
		problems = append(problems, r.closeRest())
	}
	work := filepath.Join(r.session.dir, workDir)
	if r.temp != "" { // the session may have been taken away, and what it says of its places
		problems = append(problems, disk.RemoveAll(r.temp))
	}
	return errors.Join(append(problems, disk.RemoveAll(work), removePlaces(r.session.dir))...)
}

// Stats returns what the session has done so far.
func (r *pool) Stats() Stats {
	r.mu.Lock()
	defer r.mu.Unlock()
	s := r.memo.stats
	s.Total += time.Since(r.began)
	return s
}

// A question is a configuration, or an input, on its way to an outcome.
type question struct {
	key     memoKey
	purpose Purpose

	// Of a Runner.
	set    *changes.Set
	round  int // what config is a set of, see Runner.round
	config isolate.Configuration
	commit git.ID // whose tree it is; "" for a configuration of changes
	tree   *changes.Tree

	cleaned bool    // it is confirmed in a cleaned place
	varies  bool    // see Event.Varies
	other   Verdict // of an end: on the other one; zero = not known

	input *testcase.Input // of Inputs, else nil
}

func (r *pool) rules() rules {
	r.mu.Lock()
	defer r.mu.Unlock()
	rules := r.interpret
	rules.measured = r.threshold.Load() != nil
	rules.onSignal, rules.match, rules.signature, rules.limits = r.opts.OnSignal, r.opts.Match, r.opts.SameOutput, r.limits
	return rules
}

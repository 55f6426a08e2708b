package trial

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/gitdd/gitdd/changes"
	"github.com/gitdd/gitdd/internal/git"
	"github.com/gitdd/gitdd/isolate"
)

// Options say what is run, where and how often. Repo, Command and Session are
// needed, everything else may be zero.
type Options struct {
	Repo    *git.Repo
	Session *Session // open; the caller closes it after the Runner
	Command []string // argv, run without a shell
	Dir     string   // where, relative to the top of the workspace, slash-separated

	Setup string // run with sh -c once per workspace; its failure is an error
	Build string // run with sh -c before each test; its failure is unresolved

	Overlay []string // files and directories of the checkout, or REV:PATH, to put over every configuration
	Keep    []string // untracked ones to bring into each workspace

	Submodules bool     // check the pinned revisions of submodules out
	Patches    []string // files with patches to put on every configuration

	MaxMemory int64 // bytes that all processes of a trial may take at once; 0 = no limit. Linux only
	MaxDisk   int64 // bytes that workspaces, temporary files and outputs may take together; 0 = no limit
	MaxOutput int64 // bytes that are kept of each output of a trial; 0 = DefaultOutput

	WorkspaceRoot string // an existing directory outside of the checkout to make workspaces in; "" = the session's

	Timeout  time.Duration  // of one test; 0 = 10 times the slower end, at least 10 s
	Clean    bool           // make the workspace as new before each trial, and set it up again
	Match    *regexp.Regexp // a fail whose output does not match is unresolved; nil = any
	OnSignal OnSignal

	// SameOutput is what a fail has in common with that of the failing end: one
	// whose output has another signature, or none, is unresolved; nil = any.
	SameOutput *Signature

	// Artifacts are files and directories, relative to the top of the workspace,
	// of which Confirm notes what the build and the command left there. Its
	// workspaces then all have the same path, one after the other, since builds
	// tend to name it in what they make.
	Artifacts []string

	Repeat int // trials per outcome, all of which must agree; 0 = 1
	Jobs   int // trials at once; 0 = 1

	// Confidence, above 0.5 and below 1, is for a test that is sometimes wrong:
	// an outcome is what a jury makes of as many attempts as it takes for the
	// whole answer to be right with this probability. 0 = an attempt is an
	// outcome. With it no trial is a contradiction, and Repeat counts for nothing.
	Confidence float64
	MaxTrials  int // with Confidence: Ends, Settle and Confirm give isolate.ErrBudget when so many are spent, see Step; 0 = no limit

	Observe func(Event) // if not nil, called for every event, one at a time
}

// DefaultOutput is how much of each output of a trial is kept.
const DefaultOutput = 64 << 20

// An Event is for the eyes of the user: its order depends on Jobs and on time.
type Event struct {
	Kind    EventKind
	Worker  int // 0..Jobs-1
	Trial   int // 0 for Preparing
	Attempt int // from 1
	Purpose Purpose
	Config  isolate.Configuration
	Commit  git.ID // of Runner.Commits, else ""
	Tree    git.ID
	Verdict Verdict // of Finished
}

// EventKind says what has happened.
type EventKind uint8

const (
	Preparing EventKind = iota // a workspace is being checked out and set up
	Started                    // the trial begins
	Finished                   // it has a verdict, which is in the journal
	Abandoned                  // it was cancelled, or an error ended it: it counts for nothing
)

// A Verdict is the outcome of a configuration and how it was come by.
type Verdict struct {
	Outcome        isolate.Outcome // Pass = exit 0, whichever end of the set passes
	Exit           int             // of the command, or of the build that did not go through
	Signal         string          // that ended it, "" if none
	TimedOut       bool
	Reason         string        // in words
	Signature      string        // of a failure, with Options.SameOutput
	Other          bool          // it failed, but not as the failing end did
	Artifacts      []Artifact    // of Confirm, with Options.Artifacts
	Duration       time.Duration // of the command, without the build; the longest if repeated
	Trial          int           // its number; 0 = no command was run
	Cached         bool          // no trial was needed
	Stdout, Stderr string        // file names: of the build if that failed
	LastLine       string        // the last line of output that is not blank

	build   time.Duration
	over    excess
	unbuilt bool // Exit and the rest are the build's, which did not go through
	missing bool // the command could not be started
}

// Stats count what a session has done, over all processes that worked in it.
type Stats struct {
	Run                    int // trials; Pass + Fail + Unresolved
	Cached                 int // questions that were answered without a trial
	Pass, Fail, Unresolved int
	Memory                 int64         // bytes, of the trial that took most at once; 0 = not known
	Testing                time.Duration // in commands and builds, over all workers
	Total                  time.Duration // since New, and from New to the last trial in earlier processes
}

// A StoppedError says that a command was ended by a signal, and SignalStop
// asks to stop then.
type StoppedError struct {
	Trial  int
	Reason string
}

func (e *StoppedError) Error() string {
	return fmt.Sprintf("trial %d: %s: stopped, as --on-signal=stop asks", e.Trial, e.Reason)
}

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
		rounds: map[any]int{}, whole: map[git.ID]*changes.Set{},
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

// newWork makes a directory for workspaces. What killed processes have left is
// removed, in this session and in the others of the repository; what cannot be
// is no reason not to work. The name is a new one each time: a git that
// outlived the killed process may still take away, at its end, a worktree that
// it could not finish.
func (r *Runner) newWork(ctx context.Context) (string, error) {
	work := filepath.Join(r.session.dir, workDir)
	left := append(places(r.session.dir), work)
	for _, dir := range left {
		_ = removeWorkspaces(ctx, r.opts.Repo, dir)
	}
	_ = removePlaces(r.session.dir)
	_, _ = r.opts.Repo.PruneWorktrees(ctx, filepath.Dir(r.session.dir)) // not those in use
	if err := ctx.Err(); err != nil {
		return "", err
	}
	if r.opts.WorkspaceRoot != "" {
		return r.workBelow(r.opts.WorkspaceRoot)
	}
	if err := os.MkdirAll(work, 0o777); err != nil {
		return "", cacheError(err)
	}
	dir, err := os.MkdirTemp(work, "")
	if err != nil {
		return "", cacheError(err)
	}
	return dir, nil
}

// workBelow makes a place for workspaces in a directory of the user's.
func (r *Runner) workBelow(root string) (string, error) {
	abs, err := filepath.Abs(root)
	if err != nil {
		return "", fmt.Errorf("workspace root: %w", err)
	}
	real, err := filepath.EvalSymlinks(abs) // as git names worktrees
	if errors.Is(err, fs.ErrNotExist) {
		return "", fmt.Errorf("workspace root %s does not exist: make it first, with mkdir -p", abs)
	}
	if err != nil {
		return "", fmt.Errorf("workspace root: %w", err)
	}
	for _, users := range []string{r.opts.Repo.Top(), r.opts.Repo.CommonDir()} {
		if users == "" {
			continue // a bare repository
		}
		if users, err := filepath.EvalSymlinks(users); err == nil && strings.HasPrefix(real+string(filepath.Separator), users+string(filepath.Separator)) {
			return "", fmt.Errorf("workspace root %s lies in the repository %s: name a directory outside of it", abs, users)
		}
	}
	place, err := r.session.newPlace(real)
	if err != nil {
		return "", machineError("make a directory for workspaces in "+root, err)
	}
	return place, nil
}

// digest returns a digest of all settings that an outcome depends on, beside
// the tree. Repeat and Jobs are not among them.
func (r *Runner) digest(clean bool) string {
	match := ""
	if r.opts.Match != nil {
		match = r.opts.Match.String()
	}
	list := []any{
		r.opts.Command, r.opts.Dir, r.opts.Setup, r.opts.Build, r.ground.overlay.digest, r.ground.keep,
		r.opts.Timeout, clean, match, r.opts.OnSignal,
	}
	// What came later is there only when it is asked for: a session of an older
	// version goes on with its trials.
	if r.opts.SameOutput != nil {
		list = append(list, "same-output", r.opts.SameOutput.String())
	}
	if r.opts.Submodules {
		list = append(list, "recurse-submodules")
	}
	if r.opts.MaxMemory > 0 {
		list = append(list, "max-memory", r.opts.MaxMemory)
	}
	if r.opts.MaxDisk > 0 {
		list = append(list, "max-disk", r.opts.MaxDisk)
	}
	if r.opts.MaxOutput != DefaultOutput && (r.opts.Match != nil || r.opts.SameOutput != nil) {
		list = append(list, "max-output", r.opts.MaxOutput)
	}
	if r.ground.patches != nil {
		list = append(list, "with-patch", r.ground.patches.digest)
	}
	text, err := json.Marshal(list)
	if err != nil {
		panic(err) // strings, numbers and booleans
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:8])
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

func (r *Runner) observe(e Event) {
	if r.opts.Observe == nil {
		return
	}
	r.observed.Lock()
	defer r.observed.Unlock()
	r.opts.Observe(e)
}

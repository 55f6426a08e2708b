package trial

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"path/filepath"
	"regexp"
	"time"

	"github.com/gitdd/gitdd/internal/failure"
	"github.com/gitdd/gitdd/internal/git"
	"github.com/gitdd/gitdd/internal/measure"
	"github.com/gitdd/gitdd/internal/workspace"
	"github.com/gitdd/gitdd/suite"
)

// Options say what is run, where, and how often. Repo, Command and Session are
// required; every other field may be zero.
type Options struct {
	Repo    *git.Repo
	Session *Session // open; the caller closes it after the Runner
	Command []string // argv, run without a shell
	Dir     string   // where, relative to the top of the workspace, slash-separated

	Setup string // run with sh -c once per workspace; its failure is an error
	Build string // run with sh -c before each test; its failure is unresolved

	// Check is run with sh -c before build and test, until [Runner.DropCheck] is called. If
	// it fails, neither of them is run. Such a configuration is unresolved, and is not a trial.
	Check string

	Overlay []string // files and directories of the checkout, or REV:PATH, to put over every configuration
	// OverlayFrom is the directory whose files Overlay names where Repo has no checkout; "" = there is none.
	OverlayFrom string
	Keep        []string // untracked files and directories to bring into each workspace
	Variables   []Variable

	Submodules bool     // check the pinned revisions of submodules out
	Patches    []string // files with patches to put on every configuration

	MaxMemory int64 // bytes that all processes of a trial may take at once; 0 = no limit. Linux only
	MaxDisk   int64 // bytes that workspaces, temporary files and outputs may take together; 0 = no limit
	MaxOutput int64 // bytes that are kept of each output of a trial; 0 = DefaultOutput

	WorkspaceRoot string // an existing directory outside of the checkout to make workspaces in; "" = the session's

	Timeout  time.Duration  // of one test; 0 = 10 times the slower end, at least 10 s, and less for mixtures, see Runner.Rerun
	Clean    bool           // make the workspace as new before each trial, and set it up again
	Match    *regexp.Regexp // a fail whose output does not match is unresolved; nil = any
	OnSignal OnSignal

	// SameOutput is a signature that the output of a fail must have in common with the output of
	// the failing end. A failure with another signature, or with none, is unresolved. nil = not compared.
	SameOutput *failure.Signature
	// StatusOnly makes every failure with the exit status of the failing end a fail, whatever it
	// prints. Without StatusOnly, Match and SameOutput, a failure is unresolved if it prints
	// something else than the failing end; see failure.go.
	StatusOnly bool

	// Artifacts are files and directories, relative to the top of the workspace,
	// whose content after the build and the command Confirm records. The workspaces of
	// Confirm then all have the same path, one after the other, because builds
	// often write their path into what they make.
	Artifacts []string

	Confirmation Confirmation // the workspace of Confirm; with Artifacts InFresh, or the zero value for it

	// Tests is the format in which the command, a test suite, reports what each test did. A trial then has an outcome
	// for each test, see Runner.ForTest; the outcome of the trial itself is that of the whole suite. With the zero Format
	// the exit status decides. In Command, TestsWord and TestsFileWord are replaced by arguments that choose tests, see
	// Runner.Select. A Format that reads files, and TestsFileWord, cannot be used on other machines.
	Tests suite.Format

	// ByHand is for a session whose configurations are judged by a person, by a command, or by several commands one after
	// the other. An outcome counts, whoever gave it. But each command tests both ends itself.
	ByHand bool
	// Judge, if not nil, gives outcomes in the place of Command, which may then be nil; ByHand has to be set. There are no
	// workspaces. An error of Judge ends the search; the configuration then has no outcome.
	Judge func(ctx context.Context, q Request) (Judgement, error)

	// Measure says which number is measured in each trial whose command ends with status 0. If such a trial has no
	// number, it is unresolved. Check and Build are not measured. With the zero What, trials have no numbers.
	Measure measure.What

	Repeat int // trials per outcome, all of which must agree; 0 = 1
	Jobs   int // trials at once; 0 = 1

	// Remote performs trials on other machines; nil = trials run here. A remote trial has
	// the environment of its machine, no ports, and no .git. It has a directory of its own,
	// with the files of the configuration and nothing of other trials. Setup is a part of
	// each trial, so it runs on that configuration; if it fails, the trial is unresolved, and at
	// an end it is an error. MaxMemory, MaxDisk and Artifacts are not available.
	Remote Remote
	// Shared makes workspaces in WorkspaceRoot, a directory that the machines have under the
	// same name. Such workspaces have a .git, and are kept from one trial to the next.
	Shared bool
	// Patience is about how long gitdd waits for machines that do not answer; it determines the
	// waits between two performances of a lost trial. 0 = DefaultPatience. If a Remote waits for
	// its machines itself, a trial is performed MostLosses times.
	Patience time.Duration
	// Upload brings a snapshot to the machines, for Prefetch; may be nil.
	Upload func(ctx context.Context, s *Snapshot) error

	// Confidence, above 0.5 and below 1, is for a test that sometimes has a wrong outcome. A
	// sequential test then derives each outcome from several attempts, as many as are needed so
	// that the whole answer is right with this probability. 0 = one attempt is an outcome. With
	// Confidence, different outcomes of equal trees are not an error, and Repeat is ignored.
	Confidence float64
	MaxTrials  int // with Confidence: Ends, Settle and Confirm give isolate.ErrBudget when so many are spent, see Step; 0 = no limit

	Observe func(Event) // if not nil, called for every event, one at a time
}

// A Variable of the environment of commands names a file or directory of their workspace.
type Variable struct {
	Name string
	Path string // relative to the top of the workspace, slash-separated
}

// DefaultOutput is how much of each output of a trial is kept.
const DefaultOutput = 64 << 20

// workspaceOptions are the options of the workspaces.
func (o Options) workspaceOptions() workspace.Options {
	dir := o.Session.dir
	return workspace.Options{
		Repo: o.Repo, Objects: filepath.Join(dir, objectsDir), Submodules: o.Submodules, Keep: o.Keep,
		Overlay: o.Overlay, OverlayFrom: o.OverlayFrom, OverlayCopy: filepath.Join(dir, overlayDir),
		Patches: o.Patches, PatchesCopy: filepath.Join(dir, patchesDir),
	}
}

// digest returns a digest of all settings that an outcome depends on, beside
// the tree. Repeat and Jobs are not among them.
func (r *Runner) digest(clean bool) string {
	if r.opts.Judge != nil {
		return byHand
	}
	match := ""
	if r.opts.Match != nil {
		match = r.opts.Match.String()
	}
	list := []any{
		r.opts.Command, r.opts.Dir, r.opts.Setup, r.opts.Build, r.source.OverlayDigest(), r.source.Kept(),
		r.opts.Timeout, clean, match, r.opts.OnSignal,
	}
	// What came later is there only when it is asked for: a session of an older
	// version goes on with its trials.
	if r.opts.SameOutput != nil {
		list = append(list, "same-output", r.opts.SameOutput.String())
	}
	if r.opts.StatusOnly {
		list = append(list, "status-only")
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
	if patches := r.source.PatchesDigest(); patches != "" {
		list = append(list, "with-patch", patches)
	}
	if len(r.opts.Variables) > 0 {
		list = append(list, "variables", r.opts.Variables)
	}
	if r.opts.Check != "" {
		list = append(list, "check", r.opts.Check)
	}
	if r.opts.Remote != nil {
		list = append(list, "remote", r.opts.Shared)
	}
	if r.hasTests() {
		list = append(list, "tests", r.opts.Tests.String())
	}
	if !r.opts.Measure.IsZero() {
		list = append(list, "measure", r.opts.Measure.String())
	}
	return digestOf(list)
}

// digestOf identifies a list of strings, numbers, booleans and lists of these.
func digestOf(list []any) string {
	text, err := json.Marshal(list)
	if err != nil {
		panic(err) // strings, numbers and booleans
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:8])
}

package reapi

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"
	"sync/atomic"

	repb "github.com/bazelbuild/remote-apis/build/bazel/remote/execution/v2"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/gitdd/gitdd/trial"
)

// Run performs a task: it is a trial.Remote. Before much is uploaded, the cache of the
// server is asked; if it has the answer, nothing runs and nothing is sent.
//
// Streams that break are taken up again, and blobs that the server lost are sent again,
// without the task being lost; see trial.LostError for when it is.
func (c *Client) Run(ctx context.Context, t trial.Task) (trial.TaskResult, error) {
	r, _, err := c.perform(ctx, t)
	return r, err
}

// perform is Run, and says what the server noted about the execution.
func (c *Client) perform(ctx context.Context, t trial.Task) (trial.TaskResult, *repb.ExecutedActionMetadata, error) {
	a, err := c.action(t)
	if err != nil {
		return trial.TaskResult{}, nil, err
	}
	var sent atomic.Int64
	outer := ctx
	ctx = counted(c.outgoing(ctx, a.hash()), &sent)
	p := &performance{Client: c, task: t, action: a}
	result, about, err := p.run(ctx)
	if err != nil {
		return trial.TaskResult{}, nil, endOf(outer, err)
	}
	result.Uploaded = sent.Load()
	return result, about, nil
}

// A performance is one task on its way.
type performance struct {
	*Client
	task   trial.Task
	action *action

	plain bool // outputs with an answer made it larger than a message may be: they are read one by one

	ran bool // it was seen to run: what a cache has of it then is no find

	state, machine string // what was told
}

func (p *performance) tell(state, machine string) {
	if machine == "" {
		machine = p.machine
	}
	if state == p.state && machine == p.machine {
		return
	}
	p.state, p.machine = state, machine
	if p.task.Told != nil {
		p.task.Told(trial.TaskEvent{State: state, Machine: machine})
	}
}

// How often a task is begun anew, since the server lost blobs, or since what its cache
// says is of no use.
const (
	mostLosses = 4
	mostVain   = 2
)

// run looks into the cache, uploads, executes and fetches. The cache is asked before much
// is uploaded, and while little is: there are servers whose Execute does not ask it
// (Buildbarn).
func (p *performance) run(ctx context.Context) (trial.TaskResult, *repb.ExecutedActionMetadata, error) {
	asking, enough := context.WithCancel(ctx)
	defer enough()
	anew := false // what the cache has is of no use
	asked := p.ask(asking)
	if !p.little(p.task.Files.Root) {
		found := <-asked
		r, useful, err := p.recall(ctx, found)
		if useful || err != nil {
			return r, found.GetExecutionMetadata(), err
		}
		asked, anew = nil, found != nil
	}
	for losses, vain := 0, 0; ; {
		p.tell("uploading", "")
		doubts := p.store.doubted()
		if err := p.provide(ctx, p.task.Files, p.action.blobs...); err != nil {
			return trial.TaskResult{}, nil, err
		}
		if asked != nil {
			found := <-asked
			r, useful, err := p.recall(ctx, found)
			if useful || err != nil {
				return r, found.GetExecutionMetadata(), err
			}
			asked, anew = nil, anew || found != nil
		}
		answer, err := p.execute(ctx, anew)
		st := status.FromProto(answer.GetStatus())
		if (code(err) == codes.InvalidArgument || st.Code() == codes.InvalidArgument) && p.narrow() {
			asked = p.ask(asking) // it is another action now
			continue
		}
		if err != nil {
			return trial.TaskResult{}, nil, err
		}
		if st.Code() == codes.FailedPrecondition && losses < mostLosses {
			if _, named := missingBlobs(st); named || losses == 0 {
				losses++
				p.forget(st, losses, doubts)
				continue
			}
		}
		if st.Code() != codes.OK {
			return trial.TaskResult{}, nil, p.unfinished(st, answer)
		}
		p.performed.Store(true)
		// A server that goes on to answer from its cache has another reason to.
		cached := answer.GetCachedResult() && !p.ran
		r, err := p.take(ctx, answer.GetResult(), cached && vain < mostVain)
		if err == nil {
			if r.Cached = cached; cached {
				p.store.learn(false)
			}
			return r, answer.GetResult().GetExecutionMetadata(), nil
		}
		// A cache that keeps what failed would answer so for ever.
		var lost *trial.LostError
		if !errors.As(err, &lost) || vain == mostVain || !answer.GetCachedResult() && !gone(err) {
			return trial.TaskResult{}, nil, err
		}
		vain++
		anew = true
	}
}

// ask begins to ask the cache for the action. It gives one answer, see lookup.
func (p *performance) ask(ctx context.Context) <-chan *repb.ActionResult {
	answer := make(chan *repb.ActionResult, 1)
	go func() { answer <- p.lookup(ctx) }()
	return answer
}

// recall takes what the cache has, if it is of use.
func (p *performance) recall(ctx context.Context, found *repb.ActionResult) (r trial.TaskResult, useful bool, err error) {
	if found == nil {
		return r, false, nil
	}
	r, err = p.take(ctx, found, true)
	if lost := (*trial.LostError)(nil); errors.As(err, &lost) {
		return trial.TaskResult{}, false, nil
	}
	if err == nil {
		r.Cached = true
		p.store.learn(false) // what the next task needs may be there, too
	}
	return r, err == nil, err
}

// narrow gives a task that has no limit of its own another one than that which the server
// does not like, perhaps. It reports whether there is another.
func (p *performance) narrow() bool {
	if !p.action.open || int(p.action.narrowed) == len(unlimited)-1 {
		return false
	}
	p.narrowed.CompareAndSwap(p.action.narrowed, p.action.narrowed+1)
	a, err := p.Client.action(p.task)
	if err != nil {
		return false
	}
	p.action = a
	return true
}

// forget takes back that the server has blobs which it says it lacks. One that does not
// say which, or goes on to lack others, is asked about all of them again.
func (p *performance) forget(st *status.Status, losses, doubts int) {
	if blobs, ok := missingBlobs(st); ok && losses == 1 {
		p.store.forget(blobs)
		return
	}
	p.store.forgetAll(doubts)
}

// unfinished is the error for a task that did not come to its end, of itself.
func (p *performance) unfinished(st *status.Status, answer *repb.ExecuteResponse) error {
	reason := "the server could not finish the task"
	switch st.Code() {
	case codes.DeadlineExceeded:
		reason = "the task took longer than the server allows (--timeout ends it before, and then it has an outcome)"
	case codes.Canceled:
		reason = "the server cancelled the task"
	case codes.FailedPrecondition:
		if _, named := missingBlobs(st); !named && !p.performed.Load() {
			return p.exec.advice("run a task", st.Err(), "see whether a worker is there that has just these properties (--remote-property), and no others")
		}
		reason = "the server could not begin the task (is there a worker with these properties? `gitdd doctor` tells more)"
	case codes.ResourceExhausted:
		reason = "the server has no room for the task"
	}
	err := p.failed(p.exec, reason, st.Err())
	if lost, ok := errors.AsType[*trial.LostError](err); ok {
		lost.Machine, lost.Away = p.worker(answer.GetResult()), false // it was the server that said so
	}
	return err
}

func (p *performance) worker(r *repb.ActionResult) string {
	if name := workerName(r.GetExecutionMetadata()); name != "" {
		return name
	}
	return p.machine
}

// workerName is what a server calls the worker. One whose workers have several names
// writes them as JSON (Buildbarn): their values are what a user wants to see.
func workerName(about *repb.ExecutedActionMetadata) string {
	name := about.GetWorker()
	var names map[string]string
	if !strings.HasPrefix(name, "{") || json.Unmarshal([]byte(name), &names) != nil {
		return name
	}
	var values []string
	for _, key := range slices.Sorted(maps.Keys(names)) {
		values = append(values, names[key])
	}
	return strings.Join(values, "/")
}

// lookup is what the cache of the server has for the action; nil = nothing.
func (p *performance) lookup(ctx context.Context) *repb.ActionResult {
	if p.noLookup.Load() {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, p.times.attempt)
	defer cancel()
	ask := func() (*repb.ActionResult, error) {
		return repb.NewActionCacheClient(p.storage.quiet().conn()).GetActionResult(ctx, &repb.GetActionResultRequest{
			InstanceName:      p.opts.Instance,
			ActionDigest:      p.action.proto(),
			DigestFunction:    repb.DigestFunction_SHA256,
			InlineStderr:      !p.plain,
			InlineOutputFiles: p.inlined(),
		})
	}
	found, err := ask()
	if tooLarge(err) && !p.plain {
		p.plain = true
		found, err = ask()
	}
	switch code(err) {
	case codes.OK:
		return found
	case codes.Unimplemented, codes.PermissionDenied:
		p.noLookup.Store(true) // executing looks there, too
	}
	return nil
}

// errDoubtful is the reason for which a result of the cache is not taken.
var errDoubtful = errors.New("it may be that of the machine")

// take writes what a task left to its files. A result that is cached, and may be that of a
// machine in trouble, is not taken.
func (p *performance) take(ctx context.Context, result *repb.ActionResult, cached bool) (trial.TaskResult, error) {
	machine := p.worker(result)
	if exit := result.GetExitCode(); exit != 0 {
		return trial.TaskResult{}, &trial.LostError{
			Reason:  fmt.Sprintf("the script of the task ended with exit code %d%s", exit, p.complaint(ctx, result)),
			Machine: machine,
		}
	}
	files := map[string]*repb.OutputFile{}
	for _, f := range result.GetOutputFiles() {
		files[strings.TrimPrefix(f.GetPath(), outName+"/")] = f
	}
	if files[outcomeName] == nil {
		return trial.TaskResult{}, &trial.LostError{Reason: "the task left no " + outcomeName + p.complaint(ctx, result), Machine: machine}
	}
	if n := files[outcomeName].GetDigest().GetSizeBytes(); n > mostOutcome {
		return trial.TaskResult{}, &trial.LostError{Reason: fmt.Sprintf("the task left an %s of %d bytes", outcomeName, n), Machine: machine}
	}
	var outcome bytes.Buffer
	if err := p.fetch(ctx, map[string]*repb.OutputFile{outcomeName: files[outcomeName]}, func(string) (io.WriteCloser, error) {
		outcome.Reset()
		return unclosed{&outcome}, nil
	}); err != nil {
		return trial.TaskResult{}, err
	}
	r, err := trial.ReadOutcome(outcome.Bytes())
	if err != nil {
		return trial.TaskResult{}, &trial.LostError{Reason: "the task left an " + outcomeName + " that cannot be read", Machine: machine, Err: err}
	}
	if cached && r.Doubtful() {
		return trial.TaskResult{}, &trial.LostError{Reason: "the outcome that the cache has is not taken", Machine: machine, Err: errDoubtful}
	}
	for name := range files {
		if !slices.Contains(trial.OutputNames, name) || !r.Of(name).Ran {
			delete(files, name)
		}
	}
	if reason := p.doubtful(r, files); reason != "" {
		return trial.TaskResult{}, &trial.LostError{Reason: reason, Machine: machine}
	}
	if err := p.fetch(ctx, files, func(name string) (io.WriteCloser, error) { return os.Create(p.task.Output(name)) }); err != nil {
		return trial.TaskResult{}, err
	}
	r.Machine = machine
	about := result.GetExecutionMetadata()
	if about.GetQueuedTimestamp() != nil && about.GetWorkerStartTimestamp() != nil {
		r.Queued = max(0, about.GetWorkerStartTimestamp().AsTime().Sub(about.GetQueuedTimestamp().AsTime()))
	}
	return r, nil
}

// mostOutcome is more than an outcome file ever has.
const mostOutcome = 64 << 10

// doubtful says what is wrong with the outputs that the server has of a task; "" = nothing.
// A step that ran has both of its own, be they empty: a verdict may depend on what they say.
// The wrapper keeps them short, but for what is still printed behind its end.
func (p *performance) doubtful(r trial.TaskResult, files map[string]*repb.OutputFile) string {
	for _, name := range trial.OutputNames {
		if !r.Of(name).Ran {
			continue
		}
		if files[name] == nil {
			return "the server has no " + name + " of the task"
		}
		if n := files[name].GetDigest().GetSizeBytes(); p.task.Keep > 0 && n-2<<20 > 2*p.task.Keep {
			return fmt.Sprintf("the task left an %s of %d bytes", name, n)
		}
	}
	return ""
}

type unclosed struct{ io.Writer }

func (unclosed) Close() error { return nil }

// complaint is the end of what the script itself wrote to stderr, for the eyes of the
// user; "" = nothing, or it is not to be had.
func (p *performance) complaint(ctx context.Context, result *repb.ActionResult) string {
	text := result.GetStderrRaw()
	if d, ok := readDigest(result.GetStderrDigest()); ok && len(text) == 0 && d.size > 0 && d.size < 64<<10 {
		var b bytes.Buffer
		if err := p.read(ctx, d, &b); err == nil {
			text = b.Bytes()
		}
	}
	lines := strings.FieldsFunc(strings.ToValidUTF8(string(text), "?"), func(r rune) bool { return r == '\n' || r == '\r' })
	if len(lines) == 0 {
		return ""
	}
	last := lines[len(lines)-1]
	if len(last) > 200 {
		last = last[:200]
	}
	return fmt.Sprintf(": %q", strings.ToValidUTF8(last, ""))
}

package reapitest

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"sync"
	"time"

	"cloud.google.com/go/longrunning/autogen/longrunningpb"
	repb "github.com/bazelbuild/remote-apis/build/bazel/remote/execution/v2"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/anypb"
	"google.golang.org/protobuf/types/known/emptypb"
	"google.golang.org/protobuf/types/known/timestamppb"
)

var (
	errAway     = errors.New("the server went away")
	errUnwanted = errors.New("nobody wants the action any more")
	errLost     = status.Error(codes.Unavailable, "reapitest: the scheduler was lost")
)

// executor is the service Execution.
type executor struct {
	repb.UnimplementedExecutionServer
	server *Server
}

// An execution is an action on its way through the stages. Several operations may wait
// for it.
type execution struct {
	server *Server
	job    *job
	ctx    context.Context
	cancel context.CancelCauseFunc
	lost   chan struct{} // closed by LostOperation

	mu       sync.Mutex
	stage    repb.ExecutionStage_Value
	meta     *repb.ExecutedActionMetadata
	response *repb.ExecuteResponse // nil = not done
	changed  chan struct{}         // closed at the next change
	wanted   int                   // operations that were not cancelled
}

// An operation is what one client asked for.
type operation struct {
	name      string
	execution *execution
	request   *repb.ExecuteRequest
	cancelled chan struct{}
	once      sync.Once

	mu        sync.Mutex
	listeners int // streams
}

func (x *executor) Execute(r *repb.ExecuteRequest, stream repb.Execution_ExecuteServer) error {
	s := x.server
	if err := s.here(r.InstanceName, r.DigestFunction); err != nil {
		return err
	}
	key, err := s.digestOf("Execute", r.ActionDigest)
	if err != nil {
		return err
	}
	if s.strikes(Refused, key.hash) {
		return status.Error(codes.Unavailable, "reapitest: Execute refused")
	}
	if s.strikes(Exhausted, key.hash) {
		return comeAgain("reapitest: too many actions")
	}
	j, err := s.job(key)
	if err != nil {
		return err
	}
	if err := s.suited(j); err != nil {
		return err
	}
	o, err := s.begin(j, r)
	if err != nil {
		return err
	}
	return s.follow(stream.Context(), o, stream.Send, BrokenExecute, EndedExecute)
}

func (x *executor) WaitExecution(r *repb.WaitExecutionRequest, stream repb.Execution_WaitExecutionServer) error {
	o, err := x.server.operation(r.Name)
	if err != nil {
		return err
	}
	return x.server.follow(stream.Context(), o, stream.Send, BrokenWait, BrokenWait)
}

func (s *Server) operation(name string) (*operation, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	o, ok := s.operations[name]
	if !ok {
		return nil, status.Errorf(codes.NotFound, "no operation %q", name)
	}
	return o, nil
}

// begin makes an operation of a request: on what the action cache has, on an execution
// that there is, or on a new one.
func (s *Server) begin(j *job, r *repb.ExecuteRequest) (*operation, error) {
	var cached *repb.ActionResult
	if !r.SkipCacheLookup && !j.action.DoNotCache && !s.o.Blind {
		cached, _ = s.remembered(j.key)
	}
	shares := !s.o.NoMerge && !j.action.DoNotCache && !r.SkipCacheLookup

	s.mu.Lock()
	defer s.mu.Unlock()
	e := s.inflight[j.key]
	fresh := false
	switch {
	case cached != nil:
		s.count.add(func(c *Counts) { c.Cached++ })
		e = s.newExecution(j)
		e.stage = repb.ExecutionStage_COMPLETED
		e.response = &repb.ExecuteResponse{Result: cached, CachedResult: true}
		if s.strikes(LostOutput, j.key.hash) {
			s.lose(cached)
		}
	case shares && e != nil && e.join():
		s.count.add(func(c *Counts) { c.Merged++ })
	case s.o.Queue > 0 && s.waiting >= s.o.Queue+len(s.workers):
		return nil, status.Error(codes.ResourceExhausted, "reapitest: the queue is full")
	default:
		e, fresh = s.newExecution(j), true
		if shares {
			s.inflight[j.key] = e
		}
		s.waiting++
	}
	s.serial++
	o := &operation{
		name:      fmt.Sprintf("operations/%d-%s", s.serial, rand.Text()),
		execution: e, request: r, cancelled: make(chan struct{}),
	}
	s.operations[o.name] = o
	if fresh {
		s.busy.Add(1)
		go e.perform()
	}
	return o, nil
}

func (s *Server) newExecution(j *job) *execution {
	e := &execution{
		server: s, job: j, stage: repb.ExecutionStage_CACHE_CHECK, wanted: 1,
		meta:    &repb.ExecutedActionMetadata{QueuedTimestamp: timestamppb.Now()},
		changed: make(chan struct{}), lost: make(chan struct{}),
	}
	e.ctx, e.cancel = context.WithCancelCause(context.Background())
	return e
}

// join reports whether another operation may wait for e.
func (e *execution) join() bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.wanted == 0 || e.response != nil {
		return false
	}
	e.wanted++
	return true
}

// lose drops the outputs of a result.
func (s *Server) lose(r *repb.ActionResult) {
	for _, d := range outputsOf(r) {
		s.store.drop(d)
	}
}

// set changes e and tells those who wait.
func (e *execution) set(change func()) {
	e.mu.Lock()
	defer e.mu.Unlock()
	change()
	close(e.changed)
	e.changed = make(chan struct{})
}

// perform brings e from the queue to its end.
func (e *execution) perform() {
	s := e.server
	defer s.busy.Done()
	defer e.cancel(nil)
	e.set(func() { e.stage = repb.ExecutionStage_QUEUED })
	var w *worker
	select {
	case w = <-s.workers:
	case <-e.ctx.Done():
	}
	s.mu.Lock()
	s.waiting--
	s.mu.Unlock()
	response := &repb.ExecuteResponse{Status: status.New(codes.Canceled, "cancelled").Proto()}
	if w != nil {
		var clean func()
		response, clean = w.perform(e)
		defer func() {
			clean()
			s.workers <- w
		}()
	}
	if err := s.delayed(e); err != nil {
		response = &repb.ExecuteResponse{Status: status.New(codes.Canceled, "cancelled").Proto()}
	}
	s.mu.Lock()
	if s.inflight[e.job.key] == e {
		delete(s.inflight, e.job.key)
	}
	s.mu.Unlock()
	e.set(func() {
		e.stage = repb.ExecutionStage_COMPLETED
		e.response = response
	})
}

func (s *Server) delayed(e *execution) error { return s.lag(e.ctx, e.job.key.hash) }

// forget makes the server know nothing of an execution any more: its streams break.
func (s *Server) forget(e *execution) {
	s.mu.Lock()
	for name, o := range s.operations {
		if o.execution == e {
			delete(s.operations, name)
		}
	}
	if s.inflight[e.job.key] == e {
		delete(s.inflight, e.job.key)
	}
	s.mu.Unlock()
	close(e.lost)
}

// drop cancels an operation; with the last one its execution ends.
func (s *Server) drop(o *operation) {
	o.once.Do(func() {
		close(o.cancelled)
		e := o.execution
		e.mu.Lock()
		e.wanted--
		ends := e.wanted == 0 && e.response == nil
		e.mu.Unlock()
		if ends {
			s.count.add(func(c *Counts) { c.Cancelled++ })
			e.cancel(errUnwanted)
		}
	})
}

// follow sends the state of an operation, and each change, until it is done. On its way
// the stream may break, or end too early.
func (s *Server) follow(ctx context.Context, o *operation, send func(*longrunningpb.Operation) error, breaks, ends Fault) error {
	o.listen(+1)
	defer s.unlistened(o)
	e, tried := o.execution, false
	broken := func(why error) error {
		// The client has the name in any case: with it, it can ask again.
		return cmp.Or(send(o.message(repb.ExecutionStage_EXECUTING, nil, nil)), why)
	}
	for {
		e.mu.Lock()
		said, changed := e.say(o), e.changed
		stage := e.stage
		e.mu.Unlock()
		select {
		case <-e.lost: // before its end is known: who comes to hear of both at once hears of this
			return broken(errLost)
		default:
		}
		if stage >= repb.ExecutionStage_EXECUTING && !tried {
			tried = true
			if s.strikes(breaks, e.job.key.hash) {
				return broken(status.Error(codes.Unavailable, "reapitest: the stream broke"))
			}
			if ends != breaks && s.strikes(ends, e.job.key.hash) {
				return send(o.message(repb.ExecutionStage_EXECUTING, nil, nil))
			}
		}
		if err := send(said); err != nil {
			return err
		}
		if said.Done {
			return nil
		}
		select {
		case <-changed:
		case <-e.lost:
		case <-o.cancelled:
			return send(o.message(repb.ExecutionStage_COMPLETED, nil,
				&repb.ExecuteResponse{Status: status.New(codes.Canceled, "cancelled").Proto()}))
		case <-ctx.Done():
			return status.FromContextError(ctx.Err()).Err()
		}
	}
}

func (o *operation) listen(n int) int {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.listeners += n
	return o.listeners
}

// unlistened notes that a stream ended. An operation without one is dropped after a while.
func (s *Server) unlistened(o *operation) {
	if o.listen(-1) > 0 || s.o.Abandon == 0 {
		return
	}
	time.AfterFunc(s.o.Abandon, func() {
		if o.listen(0) == 0 {
			s.drop(o)
		}
	})
}

// say is what an operation on e looks like now. Its lock is held.
func (e *execution) say(o *operation) *longrunningpb.Operation {
	return o.message(e.stage, proto.Clone(e.meta).(*repb.ExecutedActionMetadata), e.response)
}

func (o *operation) message(stage repb.ExecutionStage_Value, meta *repb.ExecutedActionMetadata, response *repb.ExecuteResponse) *longrunningpb.Operation {
	said := &longrunningpb.Operation{Name: o.name, Metadata: pack(&repb.ExecuteOperationMetadata{
		Stage: stage, ActionDigest: o.execution.job.key.proto(), PartialExecutionMetadata: meta,
	})}
	if response == nil {
		return said
	}
	s := o.execution.server
	response = proto.Clone(response).(*repb.ExecuteResponse)
	if response.Result != nil {
		s.inline(response.Result, o.request.InlineStdout, o.request.InlineStderr, o.request.InlineOutputFiles)
	}
	said.Done = true
	said.Result = &longrunningpb.Operation_Response{Response: pack(response)}
	return said
}

func pack(m proto.Message) *anypb.Any {
	a, err := anypb.New(m)
	if err != nil {
		panic(err) // a message that was made here
	}
	return a
}

// canceller is what there is of the service Operations.
type canceller struct {
	longrunningpb.UnimplementedOperationsServer
	server *Server
}

func (c *canceller) CancelOperation(_ context.Context, r *longrunningpb.CancelOperationRequest) (*emptypb.Empty, error) {
	o, err := c.server.operation(r.Name)
	if err != nil {
		return nil, err
	}
	c.server.drop(o)
	return &emptypb.Empty{}, nil
}

func (c *canceller) GetOperation(_ context.Context, r *longrunningpb.GetOperationRequest) (*longrunningpb.Operation, error) {
	o, err := c.server.operation(r.Name)
	if err != nil {
		return nil, err
	}
	o.execution.mu.Lock()
	defer o.execution.mu.Unlock()
	return o.execution.say(o), nil
}

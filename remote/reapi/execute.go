package reapi

import (
	"context"
	"io"
	"time"

	"cloud.google.com/go/longrunning/autogen/longrunningpb"
	repb "github.com/bazelbuild/remote-apis/build/bazel/remote/execution/v2"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/gitdd/gitdd/trial"
)

// A stream that brings something and lives shorter than brief is of no use; so many in a
// row are not followed by another.
const (
	brief     = time.Second
	mostBrief = 20
)

// How often a server may forget the operation of a task: each time may be another execution.
// And how often one that has no WaitExecution is asked anew behind a stream that broke: with a
// proxy that ends each after a minute, a task can take three hours.
const (
	mostForgotten = 10
	mostAnew      = 200
)

// execute has the action performed and waits for its end. anew asks for an execution
// whatever the cache has. What the server says of the action's inputs or of its end is in
// the status of the answer; an error is one of failed, or that of ctx.
//
// A stream that breaks is taken up by WaitExecution, as long as the operation is known;
// and if it is not, by Execute, which costs nothing: servers join equal actions, and
// what was done meanwhile is in the cache.
func (p *performance) execute(ctx context.Context, anew bool) (*repb.ExecuteResponse, error) {
	l := p.wait()
	defer l.leave()
	name := ""            // of the operation
	var trouble time.Time // since when nothing has come
	pause, short := p.times.pause, 0
	forgotten, begunAnew := 0, 0
	for attempt := 1; ; attempt++ {
		begun, conn := time.Now(), l.conn()
		answer, some, err := p.follow(ctx, conn, l.note, &name, anew)
		switch {
		case ctx.Err() != nil:
			p.cancel(name)
			return nil, ctx.Err()
		case answer != nil:
			return answer, nil
		case code(err) == codes.FailedPrecondition:
			return &repb.ExecuteResponse{Status: status.Convert(err).Proto()}, nil
		}
		lived := time.Since(begun)
		if some || trouble.IsZero() || lived >= p.times.patience {
			trouble, attempt = time.Now(), 1
		}
		if lived >= brief {
			short, pause = 0, p.times.pause
		} else if some {
			short++
		}
		switch code := code(err); {
		case name != "" && code == codes.NotFound:
			if forgotten++; forgotten == mostForgotten {
				return nil, &trial.LostError{Reason: "the server forgot the task, again and again", Machine: p.machine, Err: said{err}}
			}
			name, trouble = "", time.Now()
		case name != "" && code == codes.Unimplemented: // it cannot be asked
			if begunAnew++; begunAnew == mostAnew {
				return nil, &trial.LostError{Reason: "the connection to " + p.opts.Endpoint + " broke, again and again", Machine: p.machine, Err: said{err}}
			}
			name, trouble = "", time.Now()
		case tooLarge(err) && !p.plain:
			p.plain, name, trouble = true, "", time.Now()
			if !anew { // there are servers whose Execute would not find it
				if found := p.lookup(ctx); found != nil {
					return &repb.ExecuteResponse{Result: found}, nil
				}
			}
		case name != "" && mayPass(err, attempt):
		case code == codes.Unavailable && askedFor(err) == 0 && !distrusted(err), code == codes.Canceled && conn != l.conn():
			// It is the connection, or what is in front of the server.
		default:
			return nil, p.failed(p.exec, "run the task", err)
		}
		switch {
		case short >= mostBrief:
			return nil, &trial.LostError{Reason: "the connection to " + p.opts.Endpoint + " broke, again and again", Machine: p.machine, Err: said{err}}
		case time.Since(trouble) >= p.times.patience:
			return nil, &trial.LostError{Reason: p.opts.Endpoint + " does not answer", Machine: p.machine, Away: away(err), Err: said{err}}
		}
		if err := rest(ctx, max(pause, askedFor(err))); err != nil {
			p.cancel(name)
			return nil, err
		}
		pause = min(2*pause, p.times.longest)
	}
}

// follow opens a stream for the action, or for the operation if its name is known, and
// reads it to its end. some reports whether anything came. The answer is nil if it is not
// complete.
func (p *performance) follow(ctx context.Context, conn *grpc.ClientConn, note func(), name *string, anew bool) (answer *repb.ExecuteResponse, some bool, err error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	server := repb.NewExecutionClient(conn)
	var updates grpc.ServerStreamingClient[longrunningpb.Operation]
	if *name == "" {
		updates, err = server.Execute(ctx, &repb.ExecuteRequest{
			InstanceName:      p.opts.Instance,
			ActionDigest:      p.action.proto(),
			DigestFunction:    repb.DigestFunction_SHA256,
			SkipCacheLookup:   anew,
			InlineStderr:      !p.plain,
			InlineOutputFiles: p.inlined(),
		})
	} else {
		updates, err = server.WaitExecution(ctx, &repb.WaitExecutionRequest{Name: *name})
	}
	if err != nil {
		return nil, false, err
	}
	for {
		op, err := updates.Recv()
		if err == io.EOF {
			return nil, some, status.Error(codes.Unavailable, "the stream ended before the task")
		}
		if err != nil {
			return nil, some, err
		}
		note()
		some = true
		if op.GetName() != "" {
			*name = op.GetName()
		}
		p.progress(op)
		if !op.GetDone() {
			continue
		}
		if failed := op.GetError(); failed != nil { // servers must not, and some do
			return &repb.ExecuteResponse{Status: failed}, true, nil
		}
		answer := &repb.ExecuteResponse{}
		if err := op.GetResponse().UnmarshalTo(answer); err != nil {
			return nil, true, status.Errorf(codes.Internal, "the answer cannot be read: %v", err)
		}
		return answer, true, nil
	}
}

// inlined are the outputs that the server may write into its answer.
func (p *performance) inlined() []string {
	if p.plain {
		return nil
	}
	return p.action.outputs
}

// progress tells how far an operation is.
func (p *performance) progress(op *longrunningpb.Operation) {
	about := &repb.ExecuteOperationMetadata{}
	if op.GetMetadata().UnmarshalTo(about) != nil {
		return // it is for the eyes of the user only
	}
	machine := workerName(about.GetPartialExecutionMetadata())
	switch about.GetStage() {
	case repb.ExecutionStage_CACHE_CHECK, repb.ExecutionStage_QUEUED:
		p.tell("queued", machine)
	case repb.ExecutionStage_EXECUTING:
		p.ran = true
		p.tell("running", machine)
	}
}

// cancel cancels an operation, if the server has such a thing; the end of the stream has
// told it that nobody waits. It does not wait for that.
func (p *performance) cancel(name string) {
	if name == "" || p.noCancel.Load() {
		return
	}
	c := p.Client
	c.farewells.Go(func() {
		ctx, cancel := context.WithTimeout(c.outgoing(context.Background(), p.action.hash()), c.times.farewell)
		defer cancel()
		_, err := longrunningpb.NewOperationsClient(c.exec.quiet().conn()).CancelOperation(ctx, &longrunningpb.CancelOperationRequest{Name: name})
		if code(err) == codes.Unimplemented {
			c.noCancel.Store(true)
		}
	})
}

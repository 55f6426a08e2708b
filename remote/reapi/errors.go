package reapi

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"strconv"
	"strings"
	"time"

	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/gitdd/gitdd/trial"
)

// callFor makes a call, and makes it again while what went wrong may pass: a server that
// is not there for as long as patience lasts, other trouble a few times. Each attempt has
// a deadline. When nothing helps, the error is a *trial.LostError, or says what to do if
// that is for the user; that of a call whose code has a meaning of its own, such as
// NOT_FOUND, is still there for status.Code.
func (c *Client) callFor(ctx context.Context, p *peer, patience time.Duration, what string, call func(context.Context, *grpc.ClientConn) error) error {
	pause := c.times.pause
	begun := time.Now()
	for attempt := 1; ; attempt++ {
		l := p.quiet()
		conn := l.conn()
		one, cancel := context.WithTimeout(ctx, min(c.times.attempt, patience))
		err := call(one, conn)
		silent := one.Err() != nil && ctx.Err() == nil
		cancel()
		if silent {
			l.redial(conn) // the connection may be dead, and nobody was told
		}
		if err == nil {
			return nil
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		asked := askedFor(err)
		if !mayPass(err, attempt) || time.Since(begun)+asked >= patience {
			return c.failed(p, what, err)
		}
		if err := rest(ctx, max(pause, asked)); err != nil {
			return err
		}
		pause = min(2*pause, c.times.longest)
	}
}

// call is callFor at the storage, for as long as any call.
func (c *Client) call(ctx context.Context, what string, call func(context.Context, *grpc.ClientConn) error) error {
	return c.callFor(ctx, c.storage, c.times.patience, what, call)
}

// mayPass reports whether a call that failed for this reason may work when it is made
// again.
func mayPass(err error, attempt int) bool {
	switch code(err) {
	case codes.Unavailable, codes.DeadlineExceeded, codes.Aborted, codes.Canceled:
		return !distrusted(err)
	case codes.Internal, codes.Unknown, codes.ResourceExhausted, codes.DataLoss:
		return attempt < 4 && !tooLarge(err)
	}
	return false
}

// code is that of a call's error; a stream that ends too early is a broken one.
func code(err error) codes.Code {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return codes.Unavailable
	}
	return status.Code(err)
}

// distrusted reports whether one side does not take the other's certificate.
func distrusted(err error) bool {
	return code(err) == codes.Unavailable && (strings.Contains(err.Error(), " tls: ") || strings.Contains(err.Error(), " x509: "))
}

// doReach says what to do when a server cannot be reached. Who speaks no gRPC without TLS
// ends a connection at its first words, or answers them with others.
func doReach(err error) string {
	if text := err.Error(); strings.Contains(text, "server preface") {
		return "what listens there does not speak gRPC without TLS: write grpcs:// if the server has TLS, and see whether the port is its own"
	}
	return "see whether the server runs there, and whether this machine may reach it"
}

// tooLarge reports whether the other side does not take messages of this size.
func tooLarge(err error) bool {
	return code(err) == codes.ResourceExhausted && strings.Contains(err.Error(), "larger than max")
}

// rest waits, for about d: many that were stopped by one thing shall not all come back
// at one time.
func rest(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d + time.Duration(rand.Int64N(int64(d)/4+1)))
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// mostAsked is the longest that a server is left alone when it wants to.
const mostAsked = 15 * time.Minute

// askedFor is how long the server wants not to be asked again; 0 = it did not say.
func askedFor(err error) time.Duration {
	for _, d := range status.Convert(err).Details() {
		if info, ok := d.(*errdetails.RetryInfo); ok {
			return min(max(0, info.GetRetryDelay().AsDuration()), mostAsked)
		}
	}
	return 0
}

// failed is what the error of a call to p means to a task: a *trial.LostError for what says nothing
// about the configuration, else what the user can do.
func (c *Client) failed(p *peer, what string, err error) error {
	if _, ok := errors.AsType[*trial.LostError](err); ok {
		return err
	}
	switch code(err) {
	case codes.ResourceExhausted:
		if tooLarge(err) {
			return p.advice(what, err, "a message is larger than the other side takes, though it has no more than it must; see what limits messages at the server, or at a proxy in front of it")
		}
	case codes.Unavailable:
		if distrusted(err) {
			return p.advice(what, err, "see what --remote-ca, --remote-cert and --remote-key name, and whether the server has TLS at all (grpcs://, or grpc:// without)")
		}
	case codes.Unauthenticated:
		return p.advice(what, err, "the server does not know who you are; give a key by --remote-header, or a client certificate by --remote-cert and --remote-key")
	case codes.PermissionDenied:
		return p.advice(what, err, "the server does not allow this with these keys; trials need the right to upload and to execute")
	case codes.NotFound:
		return p.advice(what, err, "the server does not know "+c.instance()+"; give it by --remote-instance")
	case codes.InvalidArgument, codes.OutOfRange:
		return p.advice(what, err, "the server refuses the request; look at --remote-property and --timeout, and at what `gitdd doctor --remote "+c.opts.Endpoint+"` finds")
	case codes.Unimplemented:
		return p.advice(what, err, "the server does not offer this; it has to speak the Remote Execution API, version 2, with execution")
	}
	return &trial.LostError{Reason: what, After: askedFor(err), Away: away(err), Err: said{err}}
}

// away reports whether a call failed since nobody answers, or only what is in front of the
// server.
func away(err error) bool {
	switch code(err) {
	case codes.Unavailable, codes.DeadlineExceeded:
		return !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF)
	}
	return false
}

func (c *Client) instance() string {
	if c.opts.Instance == "" {
		return "an instance without a name"
	}
	return fmt.Sprintf("the instance %q", c.opts.Instance)
}

// advice keeps the status of a call for callers to look at.
func (p *peer) advice(what string, err error, do string) error {
	return &advised{fmt.Errorf("%s of %s: %w", what, p.endpoint, said{err}), do}
}

// An advised error says what was seen, and what to do.
type advised struct {
	saw error
	do  string
}

func (e *advised) Error() string { return e.saw.Error() + "; " + e.do }

func (e *advised) Unwrap() error { return e.saw }

// said is the error of a call in words fit for users: without "rpc error: code = ...".
type said struct{ err error }

func (s said) Error() string {
	st, ok := status.FromError(s.err)
	if !ok {
		return s.err.Error()
	}
	name, message := words(st.Code()), st.Message()
	if inner, ok := strings.CutPrefix(message, `connection error: desc = "`); ok {
		message = strings.TrimPrefix(strings.TrimSuffix(inner, `"`), "transport: Error while dialing: ")
	}
	if message == "" {
		return name
	}
	return name + ": " + message
}

func (s said) Unwrap() error { return s.err }

func (s said) GRPCStatus() *status.Status { return status.Convert(s.err) }

// words is a code as it is said: "deadline exceeded".
func words(code codes.Code) string {
	var b strings.Builder
	for i, r := range code.String() {
		if i > 0 && r >= 'A' && r <= 'Z' {
			b.WriteByte(' ')
		}
		b.WriteRune(r)
	}
	return strings.ToLower(b.String())
}

// missingBlobs are those that a FAILED_PRECONDITION names. The second result is false if
// it names none that can be read.
func missingBlobs(st *status.Status) ([]digest, bool) {
	if st.Code() != codes.FailedPrecondition {
		return nil, false
	}
	var blobs []digest
	for _, d := range st.Details() {
		failure, ok := d.(*errdetails.PreconditionFailure)
		if !ok {
			continue
		}
		for _, v := range failure.GetViolations() {
			if v.GetType() != "MISSING" {
				return nil, false // something else is wrong, too
			}
			if d, ok := subject(v.GetSubject()); ok {
				blobs = append(blobs, d)
			}
		}
	}
	return blobs, len(blobs) > 0
}

// subject reads "blobs/HASH/SIZE", which may have an instance name in front.
func subject(text string) (digest, bool) {
	parts := strings.Split(text, "/")
	if len(parts) < 3 || parts[len(parts)-3] != "blobs" {
		return digest{}, false
	}
	size, err := strconv.ParseInt(parts[len(parts)-1], 10, 64)
	if err != nil {
		return digest{}, false
	}
	return digestOfHash(parts[len(parts)-2], size)
}

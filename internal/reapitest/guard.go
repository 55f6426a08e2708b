package reapitest

import (
	"context"
	"time"

	repb "github.com/bazelbuild/remote-apis/build/bazel/remote/execution/v2"
	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/protoadapt"
	"google.golang.org/protobuf/types/known/durationpb"
)

// guard lets in who has the credentials.
func (s *Server) guard(ctx context.Context, request any, _ *grpc.UnaryServerInfo, next grpc.UnaryHandler) (any, error) {
	if err := s.admit(ctx); err != nil {
		return nil, err
	}
	return next(ctx, request)
}

func (s *Server) guardStream(server any, stream grpc.ServerStream, _ *grpc.StreamServerInfo, next grpc.StreamHandler) error {
	if err := s.admit(stream.Context()); err != nil {
		return err
	}
	return next(server, stream)
}

func (s *Server) admit(ctx context.Context) error {
	name, want := s.o.Header[0], s.o.Header[1]
	if name == "" {
		return nil
	}
	md, _ := metadata.FromIncomingContext(ctx)
	switch got := md.Get(name); {
	case len(got) == 0:
		return status.Errorf(codes.Unauthenticated, "no %s in the request", name)
	case len(got) > 1 || got[0] != want:
		return status.Errorf(codes.Unauthenticated, "the %s is not known", name)
	}
	return nil
}

// here checks what most requests carry.
func (s *Server) here(instance string, f repb.DigestFunction_Value) error {
	if instance != s.o.Instance {
		return status.Errorf(codes.NotFound, "no instance %q", instance)
	}
	if f != repb.DigestFunction_UNKNOWN && f != repb.DigestFunction_SHA256 {
		return s.invalid("digest function %v was not announced", f)
	}
	return nil
}

// lag waits for the delay of a slow answer.
func (s *Server) lag(ctx context.Context, subject string) error {
	if !s.strikes(SlowAnswer, subject) {
		return nil
	}
	return pause(ctx, s.o.Delay)
}

func pause(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return nil
	}
}

// detailed is a status with a detail.
func detailed(code codes.Code, message string, detail protoadapt.MessageV1) *status.Status {
	s, err := status.New(code, message).WithDetails(detail)
	if err != nil {
		panic(err) // a detail is a known message
	}
	return s
}

func comeAgain(message string) error {
	return detailed(codes.ResourceExhausted, message,
		&errdetails.RetryInfo{RetryDelay: durationpb.New(20 * time.Millisecond)}).Err()
}

// missing says which blobs are not there, in the words of the protocol.
func missing(blobs []digest) *status.Status {
	failure := &errdetails.PreconditionFailure{}
	for _, d := range blobs {
		failure.Violations = append(failure.Violations,
			&errdetails.PreconditionFailure_Violation{Type: "MISSING", Subject: "blobs/" + d.String()})
	}
	return detailed(codes.FailedPrecondition, "blobs are missing", failure)
}

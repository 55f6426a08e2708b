package reapi

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/durationpb"

	"github.com/gitdd/gitdd/trial"
)

// TestAskedToWait meets a server that wants to be asked again at some time: within the
// patience it is waited for in the call, and else the task is lost until then, which can
// be seen; but nobody waits for ever.
func TestAskedToWait(t *testing.T) {
	t.Parallel()
	for _, row := range []struct{ asked, waited, after time.Duration }{
		{20 * time.Second, 20 * time.Second, 0},
		{5 * time.Minute, 0, 5 * time.Minute},
		{1000 * time.Hour, 0, mostAsked},
		{1<<63 - 1, 0, mostAsked},
		{-time.Hour, 0, 0},
	} {
		synctest.Test(t, func(t *testing.T) {
			c := &Client{storage: &peer{lines: []*line{{}}}, times: timesFor(Options{})}
			busy, err := status.New(codes.ResourceExhausted, "busy").WithDetails(&errdetails.RetryInfo{RetryDelay: durationpb.New(row.asked)})
			if err != nil {
				t.Fatal(err)
			}
			begun, calls := time.Now(), 0
			err = c.call(t.Context(), "try", func(context.Context, *grpc.ClientConn) error {
				if calls++; calls == 1 {
					return busy.Err()
				}
				return nil
			})
			var lost *trial.LostError
			switch waited := time.Since(begun); {
			case (err != nil) != (row.after > 0) || err != nil && (!errors.As(err, &lost) || lost.After != row.after):
				t.Errorf("asked for %v: %v", row.asked, err)
			case waited < row.waited || waited > row.waited+row.waited/4+time.Second:
				t.Errorf("asked for %v: waited %v", row.asked, waited)
			}
		})
	}
}

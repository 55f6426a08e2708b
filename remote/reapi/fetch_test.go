package reapi

import (
	"bytes"
	"net"
	"sync/atomic"
	"testing"

	"google.golang.org/genproto/googleapis/bytestream"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/status"
)

// A cutter sends all of a blob, and breaks the stream before its end. What begins behind
// the last byte is out of range, as many servers have it.
type cutter struct {
	bytestream.UnimplementedByteStreamServer
	blob  []byte
	calls atomic.Int32
}

func (s *cutter) Read(r *bytestream.ReadRequest, stream bytestream.ByteStream_ReadServer) error {
	s.calls.Add(1)
	if r.ReadOffset >= int64(len(s.blob)) {
		return status.Error(codes.OutOfRange, "no such offset")
	}
	if err := stream.Send(&bytestream.ReadResponse{Data: s.blob[r.ReadOffset:]}); err != nil {
		return err
	}
	return status.Error(codes.Unavailable, "going away")
}

// TestCutBehindAll has all of an output when the stream breaks.
func TestCutBehindAll(t *testing.T) {
	t.Parallel()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	server, cut := grpc.NewServer(), &cutter{blob: []byte("printed")}
	bytestream.RegisterByteStreamServer(server, cut)
	go server.Serve(listener)
	t.Cleanup(server.Stop)
	l, err := newLine(func() (*grpc.ClientConn, error) {
		return grpc.NewClient(listener.Addr().String(), grpc.WithTransportCredentials(insecure.NewCredentials()))
	})
	if err != nil {
		t.Fatal(err)
	}
	at := &peer{lines: []*line{l}}
	c := &Client{exec: at, storage: at, times: timesFor(Options{})}
	t.Cleanup(func() { c.Close() })
	var got bytes.Buffer
	if err := c.read(t.Context(), digestOf(cut.blob), &got); err != nil || got.String() != "printed" || cut.calls.Load() != 1 {
		t.Errorf("%q, %v, after %d calls", got.String(), err, cut.calls.Load())
	}
}

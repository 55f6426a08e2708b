package reapitest

import (
	"context"
	"maps"
	"path"
	"sync"

	"google.golang.org/grpc/stats"
)

// Counts say what a server did.
type Counts struct {
	Executions int // commands that were started
	Finished   int // of them, those that came to their own end
	Cached     int // answers of the action cache
	Merged     int // requests that joined an execution
	Cancelled  int // executions that were ended since nobody wants them

	Blobs     int   // that are there
	BlobBytes int64 //
	Needless  int   // uploads of what was there

	Methods map[string]Traffic // by the name of the method: "FindMissingBlobs", "Write"
	Faults  map[Fault]int      // that befell somebody
}

// Traffic is what went over the wire for a method: messages with their frame, without
// what HTTP/2 adds.
type Traffic struct {
	Calls    int
	Received int64 // bytes, from clients
	Sent     int64 // bytes
}

// Received is the sum over all methods: what clients uploaded, in bytes.
func (c Counts) Received() int64 {
	var sum int64
	for _, m := range c.Methods {
		sum += m.Received
	}
	return sum
}

// Counts returns what was counted until now.
func (s *Server) Counts() Counts {
	s.count.mu.Lock()
	c := s.count.Counts
	c.Methods = maps.Clone(c.Methods)
	s.count.mu.Unlock()
	c.Blobs, c.BlobBytes = s.store.size()
	s.faults.mu.Lock()
	c.Faults = maps.Clone(s.faults.struck)
	s.faults.mu.Unlock()
	return c
}

// A counter counts; it is told of the traffic by grpc.
type counter struct {
	mu sync.Mutex
	Counts
}

func (c *counter) add(f func(*Counts)) {
	c.mu.Lock()
	defer c.mu.Unlock()
	f(&c.Counts)
}

type methodKey struct{}

func (c *counter) TagRPC(ctx context.Context, info *stats.RPCTagInfo) context.Context {
	return context.WithValue(ctx, methodKey{}, path.Base(info.FullMethodName))
}

func (c *counter) HandleRPC(ctx context.Context, s stats.RPCStats) {
	method, _ := ctx.Value(methodKey{}).(string)
	c.add(func(n *Counts) {
		if n.Methods == nil {
			n.Methods = map[string]Traffic{}
		}
		t := n.Methods[method]
		switch s := s.(type) {
		case *stats.Begin:
			t.Calls++
		case *stats.InPayload:
			t.Received += int64(s.WireLength)
		case *stats.OutPayload:
			t.Sent += int64(s.WireLength)
		}
		n.Methods[method] = t
	})
}

func (c *counter) TagConn(ctx context.Context, _ *stats.ConnTagInfo) context.Context { return ctx }
func (c *counter) HandleConn(context.Context, stats.ConnStats)                       {}

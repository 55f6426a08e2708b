package reapitest

import (
	"context"
	"crypto/tls"
	"fmt"
	"net"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"cloud.google.com/go/longrunning/autogen/longrunningpb"
	repb "github.com/bazelbuild/remote-apis/build/bazel/remote/execution/v2"
	bspb "google.golang.org/genproto/googleapis/bytestream"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials"
)

// Options say what a server is like. The zero value has four workers, one instance
// without a name, no TLS, and does not fail.
type Options struct {
	Workers    int                 // actions at once; 0 = 4
	Queue      int                 // actions that may wait for a worker, more are RESOURCE_EXHAUSTED; 0 = any number
	Instance   string              // the one instance that there is
	Properties map[string][]string // the platform properties that workers have, with their values; nil = any
	Env        []string            // NAME=value that workers give to every command beside its own

	MaxTimeout time.Duration // a longer one of an action is refused; 0 = none is

	MaxBatch   int64 // announced, and held to; bytes; 0 = 4,000,000
	MaxMessage int   // bytes of a message that is accepted; 0 = 4 MiB, that of most servers
	Inline     int64 // bytes of outputs that are put into an answer whose client asks for them; 0 = 1 MiB

	NoExecution bool    // a cache only
	Storage     *Server // which has the blobs and the action cache; this one executes only; nil = it has its own
	NoCancel    bool    // without CancelOperation
	NoMerge     bool    // two who ask for one action at a time make it run twice
	NoResume    bool    // what came of a broken upload is forgotten
	NoAbsolute  bool    // symbolic links with absolute targets are refused
	WholeOnly   bool    // the action cache keeps no result that lacks one of its outputs
	Careless    bool    // the action cache answers with results whose outputs are gone
	Blind       bool    // Execute does not look into the action cache, as that of Buildbarn
	Linked      Linked  // files and folders that actions share

	// Abandon is how long an action goes on whose streams are all closed; 0 = to its end.
	Abandon time.Duration

	Header     [2]string // name, in small letters, and value that each call must carry; "" = none
	TLS        bool      // see Server.Authority
	ClientCert bool      // clients must have a certificate; implies TLS

	Fault    func(f Fault, subject string, nth int) bool // whether to fail now; nil = never. See Fault
	Delay    time.Duration                               // of SlowAnswer; 0 = 50 ms
	Straggle time.Duration                               // of Straggler; 0 = 500 ms

	// Announce may change what the server says of itself.
	Announce func(*repb.ServerCapabilities)
}

// A Server listens on a port of the loopback that stays its own until the test ends.
type Server struct {
	t       testing.TB
	o       Options
	dir     string // of the workers
	gate    *gate
	tls     *authority // nil = none
	store   *store
	cache   *cache
	kept    *kept
	workers chan *worker
	faults  occasions
	count   counter

	mu         sync.Mutex
	running    *grpc.Server // nil = away
	operations map[string]*operation
	inflight   map[digest]*execution // that another may join
	serial     int                   // of operations and executions
	waiting    int                   // for a worker
	violations []string

	busy   sync.WaitGroup // executions
	active atomic.Int64   // commands that run now
}

// Start starts a server that ends with the test. What the client did against the
// protocol then fails the test.
func Start(t testing.TB, o Options) *Server {
	t.Helper()
	if o.Workers == 0 {
		o.Workers = 4
	}
	if o.MaxBatch == 0 {
		o.MaxBatch = 4_000_000
	}
	if o.MaxMessage == 0 {
		o.MaxMessage = 4 << 20
	}
	if o.Inline == 0 {
		o.Inline = 1 << 20
	}
	if o.Delay == 0 {
		o.Delay = 50 * time.Millisecond
	}
	if o.Straggle == 0 {
		o.Straggle = 500 * time.Millisecond
	}
	s := &Server{
		t: t, o: o, dir: t.TempDir(), store: newStore(), cache: newCache(),
		workers:    make(chan *worker, o.Workers),
		operations: map[string]*operation{}, inflight: map[digest]*execution{},
	}
	for i := range o.Workers {
		name := fmt.Sprintf("worker-%d", i+1)
		s.workers <- &worker{name: name, dir: filepath.Join(s.dir, name), warm: map[string]*warm{}}
	}
	if o.Storage != nil {
		s.store, s.cache = o.Storage.store, o.Storage.cache
	}
	s.kept = &kept{dir: filepath.Join(s.dir, "kept"), store: s.store, entries: map[string]int{}}
	if o.TLS || o.ClientCert {
		s.tls = newAuthority(t)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s.gate = newGate(listener)
	s.Return()
	t.Cleanup(s.stop)
	return s
}

// stop ends the server, waits for all that it began, and tells of violations.
func (s *Server) stop() {
	s.Leave()
	s.gate.close()
	if what := s.kept.spoiled(); what != "" {
		s.violate("%s", what)
	}
	removeAll(s.kept.dir)
	for _, v := range s.Violations() {
		s.t.Errorf("the client violates the protocol: %s", v)
	}
}

// Address is host:port.
func (s *Server) Address() string { return s.gate.listener.Addr().String() }

// Endpoint is the address as a URL, grpc://host:port, or grpcs:// with TLS.
func (s *Server) Endpoint() string {
	if s.tls != nil {
		return "grpcs://" + s.Address()
	}
	return "grpc://" + s.Address()
}

// Leave makes the server go away: connections break, running actions are killed and
// forgotten. Its blobs and its action cache it has still when it returns.
func (s *Server) Leave() {
	s.mu.Lock()
	running := s.running
	s.running = nil
	gone := s.operations
	s.operations, s.inflight = map[string]*operation{}, map[digest]*execution{}
	s.mu.Unlock()
	if running == nil {
		return
	}
	s.gate.shut()
	for _, o := range gone {
		o.execution.cancel(errAway)
	}
	running.Stop()
	s.busy.Wait()
}

// Return lets a server that went away listen again, at the same address.
func (s *Server) Return() {
	options := []grpc.ServerOption{
		grpc.MaxRecvMsgSize(s.o.MaxMessage), grpc.StatsHandler(&s.count),
		grpc.UnaryInterceptor(s.guard), grpc.StreamInterceptor(s.guardStream),
		grpc.WaitForHandlers(true),
	}
	if s.tls != nil {
		config := &tls.Config{Certificates: []tls.Certificate{s.tls.server}, MinVersion: tls.VersionTLS12}
		if s.o.ClientCert {
			config.ClientAuth, config.ClientCAs = tls.RequireAndVerifyClientCert, s.tls.pool
		}
		options = append(options, grpc.Creds(credentials.NewTLS(config)))
	}
	g := grpc.NewServer(options...)
	repb.RegisterCapabilitiesServer(g, &capabilities{server: s})
	if s.o.Storage == nil {
		repb.RegisterContentAddressableStorageServer(g, &storage{server: s})
		repb.RegisterActionCacheServer(g, &actionCache{server: s})
		bspb.RegisterByteStreamServer(g, &streams{server: s})
	}
	if !s.o.NoExecution {
		repb.RegisterExecutionServer(g, &executor{server: s})
		if !s.o.NoCancel {
			longrunningpb.RegisterOperationsServer(g, &canceller{server: s})
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.running != nil {
		s.t.Error("reapitest: the server returns, but did not leave")
		return
	}
	s.running = g
	listener := s.gate.open()
	go g.Serve(listener) // ends with Stop; its error says no more than that
}

// Forget drops all blobs; the action cache stays.
func (s *Server) Forget() { s.store.clear() }

// Running is the number of commands that run now.
func (s *Server) Running() int { return int(s.active.Load()) }

// Await waits until done holds of the counters; the test fails if that is not so within
// some minutes.
func (s *Server) Await(done func(Counts) bool) {
	s.t.Helper()
	ctx, cancel := context.WithTimeout(s.t.Context(), 5*time.Minute)
	defer cancel()
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	for !done(s.Counts()) {
		select {
		case <-ctx.Done():
			s.t.Fatalf("reapitest: waited in vain; counted %+v", s.Counts())
		case <-tick.C:
		}
	}
}

// violate notes what the client must not do.
func (s *Server) violate(format string, a ...any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.violations = append(s.violations, fmt.Sprintf(format, a...))
}

// Violations takes what the client did against the protocol until now, each sort once:
// it fails the test no more.
func (s *Server) Violations() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	taken := s.violations
	s.violations = nil
	slices.Sort(taken)
	return slices.Compact(taken)
}

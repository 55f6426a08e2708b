package reapitest

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"regexp"
	"sync"

	repb "github.com/bazelbuild/remote-apis/build/bazel/remote/execution/v2"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"
)

// A digest is the address of a blob.
type digest struct {
	hash string // SHA-256, lower-case hexadecimal
	size int64
}

var hashForm = regexp.MustCompile(`^[0-9a-f]{64}$`)

func sum(content []byte) digest {
	h := sha256.Sum256(content)
	return digest{hex.EncodeToString(h[:]), int64(len(content))}
}

func (d digest) String() string      { return fmt.Sprintf("%s/%d", d.hash, d.size) }
func (d digest) proto() *repb.Digest { return &repb.Digest{Hash: d.hash, SizeBytes: d.size} }

// digestOf checks the form of a digest that a client sent.
func (s *Server) digestOf(what string, d *repb.Digest) (digest, error) {
	switch {
	case d == nil:
		return digest{}, s.invalid("%s has no digest", what)
	case !hashForm.MatchString(d.Hash):
		return digest{}, s.invalid("%s: %q is no SHA-256 in small hexadecimal digits", what, d.Hash)
	case d.SizeBytes < 0:
		return digest{}, s.invalid("%s: size %d", what, d.SizeBytes)
	}
	return digest{d.Hash, d.SizeBytes}, nil
}

// invalid notes a violation, and is the answer to it.
func (s *Server) invalid(format string, a ...any) error {
	s.violate(format, a...)
	return status.Errorf(codes.InvalidArgument, format, a...)
}

// A store has blobs by digest, and the beginnings of those that are on their way.
type store struct {
	mu      sync.Mutex
	blobs   map[digest][]byte
	bytes   int64
	partial map[string][]byte // by resource name
}

func newStore() *store {
	return &store{blobs: map[digest][]byte{}, partial: map[string][]byte{}}
}

// get returns a blob; the empty one is always there.
func (s *store) get(d digest) ([]byte, bool) {
	if d.size == 0 {
		return nil, d == sum(nil)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	b, ok := s.blobs[d]
	return b, ok
}

func (s *store) has(d digest) bool {
	_, ok := s.get(d)
	return ok
}

// put adds content and reports whether it was new.
func (s *store) put(content []byte) (digest, bool) {
	d := sum(content)
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, ok := s.blobs[d]; ok || d.size == 0 {
		return d, false
	}
	s.blobs[d] = content
	s.bytes += d.size
	return d, true
}

func (s *store) drop(d digest) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, ok := s.blobs[d]; ok {
		delete(s.blobs, d)
		s.bytes -= d.size
	}
}

func (s *store) clear() {
	s.mu.Lock()
	defer s.mu.Unlock()
	clear(s.blobs)
	clear(s.partial)
	s.bytes = 0
}

func (s *store) size() (int, int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.blobs), s.bytes
}

// begun returns what has come of an upload, and whether anything has.
func (s *store) begun(name string) ([]byte, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	b, ok := s.partial[name]
	return b, ok
}

func (s *store) keep(name string, content []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.partial[name] = content
}

func (s *store) finish(name string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.partial, name)
}

// A cache has results of actions by the digest of the action.
type cache struct {
	mu      sync.Mutex
	results map[digest]*repb.ActionResult
}

func newCache() *cache { return &cache{results: map[digest]*repb.ActionResult{}} }

func (c *cache) get(action digest) (*repb.ActionResult, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	r, ok := c.results[action]
	if !ok {
		return nil, false
	}
	return proto.Clone(r).(*repb.ActionResult), true
}

func (c *cache) put(action digest, r *repb.ActionResult) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.results[action] = proto.Clone(r).(*repb.ActionResult)
}

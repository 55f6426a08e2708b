package reapitest

import (
	"context"

	"github.com/bazelbuild/remote-apis/build/bazel/semver"

	repb "github.com/bazelbuild/remote-apis/build/bazel/remote/execution/v2"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"
)

// capabilities is the service of that name.
type capabilities struct {
	repb.UnimplementedCapabilitiesServer
	server *Server
}

func (c *capabilities) GetCapabilities(_ context.Context, r *repb.GetCapabilitiesRequest) (*repb.ServerCapabilities, error) {
	s := c.server
	if err := s.here(r.InstanceName, repb.DigestFunction_UNKNOWN); err != nil {
		return nil, err
	}
	links := repb.SymlinkAbsolutePathStrategy_ALLOWED
	if s.o.NoAbsolute {
		links = repb.SymlinkAbsolutePathStrategy_DISALLOWED
	}
	sha := []repb.DigestFunction_Value{repb.DigestFunction_SHA256}
	said := &repb.ServerCapabilities{
		CacheCapabilities: &repb.CacheCapabilities{
			DigestFunctions:               sha,
			ActionCacheUpdateCapabilities: &repb.ActionCacheUpdateCapabilities{},
			MaxBatchTotalSizeBytes:        s.o.MaxBatch,
			SymlinkAbsolutePathStrategy:   links,
		},
		LowApiVersion:  &semver.SemVer{Major: 2},
		HighApiVersion: &semver.SemVer{Major: 2, Minor: 3},
	}
	if s.o.Storage != nil {
		said.CacheCapabilities = nil
	}
	if !s.o.NoExecution {
		said.ExecutionCapabilities = &repb.ExecutionCapabilities{
			DigestFunction: repb.DigestFunction_SHA256, DigestFunctions: sha, ExecEnabled: true,
		}
	}
	if s.o.Announce != nil {
		s.o.Announce(said)
	}
	return said, nil
}

// storage is the service ContentAddressableStorage.
type storage struct {
	repb.UnimplementedContentAddressableStorageServer
	server *Server
}

func (c *storage) FindMissingBlobs(ctx context.Context, r *repb.FindMissingBlobsRequest) (*repb.FindMissingBlobsResponse, error) {
	s := c.server
	if err := s.here(r.InstanceName, r.DigestFunction); err != nil {
		return nil, err
	}
	answer := &repb.FindMissingBlobsResponse{}
	told := map[digest]bool{}
	for i, b := range r.BlobDigests {
		d, err := s.digestOf("FindMissingBlobs", b)
		if err != nil {
			return nil, err
		}
		if i == 0 {
			if s.strikes(BrokenFind, d.hash) {
				return nil, status.Error(codes.Unavailable, "reapitest: FindMissingBlobs broke")
			}
			if err := s.lag(ctx, d.hash); err != nil {
				return nil, err
			}
		}
		if !told[d] && !s.store.has(d) {
			told[d] = true
			answer.MissingBlobDigests = append(answer.MissingBlobDigests, b)
		}
	}
	return answer, nil
}

func (c *storage) BatchUpdateBlobs(ctx context.Context, r *repb.BatchUpdateBlobsRequest) (*repb.BatchUpdateBlobsResponse, error) {
	s := c.server
	if err := s.here(r.InstanceName, r.DigestFunction); err != nil {
		return nil, err
	}
	var total int64
	for _, one := range r.Requests {
		total += int64(len(one.Data))
	}
	if total > s.o.MaxBatch {
		return nil, s.invalid("BatchUpdateBlobs with %d bytes, at most %d were announced", total, s.o.MaxBatch)
	}
	answer := &repb.BatchUpdateBlobsResponse{}
	broken, part := false, false
	var first string
	for i, one := range r.Requests {
		d, err := s.digestOf("BatchUpdateBlobs", one.Digest)
		if err != nil {
			return nil, err
		}
		if i == 0 {
			first = d.hash
			if s.strikes(BusyBatch, first) {
				return nil, comeAgain("reapitest: too many uploads")
			}
			broken, part = s.strikes(BrokenBatch, first), s.strikes(PartBatch, first)
		}
		if broken && i >= len(r.Requests)/2 {
			return nil, status.Error(codes.Unavailable, "reapitest: BatchUpdateBlobs broke")
		}
		told := status.New(codes.OK, "")
		switch {
		case one.Compressor != repb.Compressor_IDENTITY:
			return nil, s.invalid("BatchUpdateBlobs: compressor %v was not announced", one.Compressor)
		case sum(one.Data) != d:
			told = status.Convert(s.invalid("BatchUpdateBlobs: %s holds what has digest %s", d, sum(one.Data)))
		case part && i == len(r.Requests)/2:
			told = status.New(codes.ResourceExhausted, "reapitest: no room for this blob")
		default:
			s.took(one.Data)
		}
		answer.Responses = append(answer.Responses,
			&repb.BatchUpdateBlobsResponse_Response{Digest: one.Digest, Status: told.Proto()})
	}
	if err := s.lag(ctx, first); err != nil {
		return nil, err
	}
	return answer, nil
}

// took adds an uploaded blob.
func (s *Server) took(content []byte) {
	if _, fresh := s.store.put(content); !fresh {
		s.count.add(func(c *Counts) { c.Needless++ })
	}
}

func (c *storage) BatchReadBlobs(_ context.Context, r *repb.BatchReadBlobsRequest) (*repb.BatchReadBlobsResponse, error) {
	s := c.server
	if err := s.here(r.InstanceName, r.DigestFunction); err != nil {
		return nil, err
	}
	answer := &repb.BatchReadBlobsResponse{}
	var total int64
	for _, b := range r.Digests {
		d, err := s.digestOf("BatchReadBlobs", b)
		if err != nil {
			return nil, err
		}
		if total += d.size; total > s.o.MaxBatch {
			return nil, s.invalid("BatchReadBlobs asks for %d bytes or more, at most %d were announced", total, s.o.MaxBatch)
		}
		one := &repb.BatchReadBlobsResponse_Response{Digest: b, Status: status.New(codes.OK, "").Proto()}
		content, ok := s.store.get(d)
		if !ok {
			one.Status = status.Newf(codes.NotFound, "no blob %s", d).Proto()
		}
		one.Data = content
		answer.Responses = append(answer.Responses, one)
	}
	return answer, nil
}

func (c *storage) GetTree(r *repb.GetTreeRequest, stream repb.ContentAddressableStorage_GetTreeServer) error {
	s := c.server
	if err := s.here(r.InstanceName, r.DigestFunction); err != nil {
		return err
	}
	root, err := s.digestOf("GetTree", r.RootDigest)
	if err != nil {
		return err
	}
	if !s.store.has(root) {
		return status.Errorf(codes.NotFound, "no directory %s", root)
	}
	seen := map[digest]bool{}
	var send func(d digest) error
	send = func(d digest) error {
		if seen[d] || !s.store.has(d) {
			return nil
		}
		seen[d] = true
		folder, err := s.directory(d)
		if err != nil {
			return err
		}
		if err := stream.Send(&repb.GetTreeResponse{Directories: []*repb.Directory{folder}}); err != nil {
			return err
		}
		for _, sub := range folder.Directories {
			if err := send(digest{sub.Digest.Hash, sub.Digest.SizeBytes}); err != nil {
				return err
			}
		}
		return nil
	}
	return send(root)
}

// actionCache is the service ActionCache. Nobody but the workers may write to it.
type actionCache struct {
	repb.UnimplementedActionCacheServer
	server *Server
}

func (c *actionCache) GetActionResult(_ context.Context, r *repb.GetActionResultRequest) (*repb.ActionResult, error) {
	s := c.server
	if err := s.here(r.InstanceName, r.DigestFunction); err != nil {
		return nil, err
	}
	action, err := s.digestOf("GetActionResult", r.ActionDigest)
	if err != nil {
		return nil, err
	}
	result, ok := s.remembered(action)
	if !ok {
		return nil, status.Errorf(codes.NotFound, "no result of %s", action)
	}
	s.count.add(func(c *Counts) { c.Cached++ })
	s.inline(result, r.InlineStdout, r.InlineStderr, r.InlineOutputFiles)
	return result, nil
}

func (c *actionCache) UpdateActionResult(context.Context, *repb.UpdateActionResultRequest) (*repb.ActionResult, error) {
	return nil, status.Error(codes.PermissionDenied, "that clients may write to the action cache was not announced")
}

// remembered returns what the action cache has, if its outputs are there still.
func (s *Server) remembered(action digest) (*repb.ActionResult, bool) {
	result, ok := s.cache.get(action)
	if !ok {
		return nil, false
	}
	for _, d := range outputsOf(result) {
		if !s.o.Careless && !s.store.has(d) {
			return nil, false
		}
	}
	return result, true
}

// outputsOf lists the blobs that a result names; not those that are named in a Tree.
func outputsOf(r *repb.ActionResult) []digest {
	var all []digest
	add := func(d *repb.Digest) {
		if d != nil {
			all = append(all, digest{d.Hash, d.SizeBytes})
		}
	}
	for _, f := range r.OutputFiles {
		add(f.Digest)
	}
	for _, d := range r.OutputDirectories {
		add(d.TreeDigest)
	}
	add(r.StdoutDigest)
	add(r.StderrDigest)
	return all
}

// inline puts those contents into a result that the client asks for.
func (s *Server) inline(r *repb.ActionResult, stdout, stderr bool, files []string) {
	room := s.o.Inline
	take := func(d *repb.Digest) []byte {
		content, ok := s.store.get(digest{d.GetHash(), d.GetSizeBytes()})
		if !ok || int64(len(content)) > room {
			return nil
		}
		room -= int64(len(content))
		return content
	}
	if stdout {
		r.StdoutRaw = take(r.StdoutDigest)
	}
	if stderr {
		r.StderrRaw = take(r.StderrDigest)
	}
	for _, name := range files {
		for _, f := range r.OutputFiles {
			if f.Path == name {
				f.Contents = take(f.Digest)
			}
		}
	}
}

// message reads a message of the protocol that a client stored, and holds it to the one
// encoding that it may have. The kinds are those of missing and of invalid.
func (s *Server) message(what string, d digest, m proto.Message) error {
	content, ok := s.store.get(d)
	if !ok {
		return missing([]digest{d}).Err()
	}
	if err := (proto.UnmarshalOptions{DiscardUnknown: true}).Unmarshal(content, m); err != nil {
		return s.invalid("%s %s: %v", what, d, err)
	}
	again, err := proto.MarshalOptions{Deterministic: true}.Marshal(m)
	if err != nil {
		return s.invalid("%s %s: %v", what, d, err)
	}
	if sum(again) != d {
		return s.invalid("%s %s is not encoded in the order of its tags, or has fields that nobody knows", what, d)
	}
	return nil
}

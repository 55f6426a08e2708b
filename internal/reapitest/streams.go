package reapitest

import (
	"bytes"
	"context"
	"errors"
	"io"
	"regexp"
	"strconv"
	"strings"

	bspb "google.golang.org/genproto/googleapis/bytestream"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// streams is the service ByteStream.
type streams struct {
	bspb.UnimplementedByteStreamServer
	server *Server
}

var (
	uploadForm   = regexp.MustCompile(`^uploads/([^/]+)/blobs/([0-9a-f]{64})/(0|[1-9][0-9]{0,17})(/.*)?$`)
	downloadForm = regexp.MustCompile(`^blobs/([0-9a-f]{64})/(0|[1-9][0-9]{0,17})$`)
	uuidForm     = regexp.MustCompile(`^[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-4[0-9a-fA-F]{3}-[89abAB][0-9a-fA-F]{3}-[0-9a-fA-F]{12}$`)
)

// inside takes the name of the instance from a resource name.
func (s *Server) inside(name string) (string, error) {
	if s.o.Instance == "" {
		if i := strings.Index("/"+name, "/uploads/"); i > 0 {
			return "", status.Errorf(codes.NotFound, "no instance %q", name[:i-1])
		}
		return name, nil
	}
	rest, ok := strings.CutPrefix(name, s.o.Instance+"/")
	if !ok {
		return "", status.Errorf(codes.NotFound, "no instance in %q", name)
	}
	return rest, nil
}

// upload reads the name of an upload.
func (s *Server) upload(name string) (digest, error) {
	rest, err := s.inside(name)
	if err != nil {
		return digest{}, err
	}
	m := uploadForm.FindStringSubmatch(rest)
	if m == nil {
		return digest{}, s.invalid("%q is not the name of an upload", name)
	}
	if !uuidForm.MatchString(m[1]) {
		return digest{}, s.invalid("%q has no UUID of version 4", name)
	}
	size, err := strconv.ParseInt(m[3], 10, 64)
	if err != nil {
		return digest{}, s.invalid("%q: %v", name, err)
	}
	return digest{m[2], size}, nil
}

func (c *streams) Write(stream bspb.ByteStream_WriteServer) error {
	s := c.server
	first, err := stream.Recv()
	if errors.Is(err, io.EOF) {
		return s.invalid("a Write without a message")
	}
	if err != nil {
		return err
	}
	name := first.ResourceName
	d, err := s.upload(name)
	if err != nil {
		return err
	}
	if s.store.has(d) {
		// Another was faster: the client has to take that for success.
		s.store.finish(name)
		s.count.add(func(c *Counts) { c.Needless++ })
		return stream.SendAndClose(&bspb.WriteResponse{CommittedSize: d.size})
	}
	begun, _ := s.store.begun(name)
	content := bytes.Clone(begun)
	breaks := s.strikes(BrokenUpload, d.hash)
	for r := first; ; {
		switch {
		case r.ResourceName != "" && r.ResourceName != name:
			return s.invalid("a Write of %q goes on with %q", name, r.ResourceName)
		case r.WriteOffset != int64(len(content)):
			return s.invalid("a Write of %q: offset %d, but %d bytes are there", name, r.WriteOffset, len(content))
		case int64(len(content)+len(r.Data)) > d.size:
			return s.invalid("a Write of %q: more bytes than its size", name)
		case len(r.Data) == 0 && !r.FinishWrite:
			return s.invalid("a Write of %q has a message without data", name)
		}
		content = append(content, r.Data...)
		if !s.o.NoResume {
			s.store.keep(name, content)
		}
		if breaks {
			return status.Error(codes.Unavailable, "reapitest: Write broke")
		}
		if r.FinishWrite {
			break
		}
		r, err = stream.Recv()
		if errors.Is(err, io.EOF) {
			return s.invalid("a Write of %q ends without finish_write", name)
		}
		if err != nil {
			return err
		}
	}
	if r, err := stream.Recv(); err == nil {
		return s.invalid("a Write of %q goes on behind finish_write, at %d", name, r.WriteOffset)
	}
	s.store.finish(name)
	if sum(content) != d {
		return s.invalid("a Write of %q: what came has digest %s", name, sum(content))
	}
	s.took(content)
	if err := s.lag(stream.Context(), d.hash); err != nil {
		return err
	}
	return stream.SendAndClose(&bspb.WriteResponse{CommittedSize: d.size})
}

func (c *streams) QueryWriteStatus(_ context.Context, r *bspb.QueryWriteStatusRequest) (*bspb.QueryWriteStatusResponse, error) {
	s := c.server
	if s.o.NoResume {
		return nil, status.Error(codes.Unimplemented, "reapitest: without QueryWriteStatus")
	}
	d, err := s.upload(r.ResourceName)
	if err != nil {
		return nil, err
	}
	if s.store.has(d) {
		return &bspb.QueryWriteStatusResponse{CommittedSize: d.size, Complete: true}, nil
	}
	begun, ok := s.store.begun(r.ResourceName)
	if !ok {
		return nil, status.Errorf(codes.NotFound, "nothing came of %q", r.ResourceName)
	}
	return &bspb.QueryWriteStatusResponse{CommittedSize: int64(len(begun))}, nil
}

func (c *streams) Read(r *bspb.ReadRequest, stream bspb.ByteStream_ReadServer) error {
	s := c.server
	rest, err := s.inside(r.ResourceName)
	if err != nil {
		return err
	}
	m := downloadForm.FindStringSubmatch(rest)
	if m == nil {
		return s.invalid("%q is not the name of a download", r.ResourceName)
	}
	size, err := strconv.ParseInt(m[2], 10, 64)
	if err != nil {
		return s.invalid("%q: %v", r.ResourceName, err)
	}
	content, ok := s.store.get(digest{m[1], size})
	if !ok {
		return status.Errorf(codes.NotFound, "no blob %s/%d", m[1], size)
	}
	switch {
	case r.ReadOffset < 0 || r.ReadOffset > size:
		return status.Errorf(codes.OutOfRange, "offset %d of %d", r.ReadOffset, size)
	case r.ReadLimit < 0:
		return s.invalid("a Read with limit %d", r.ReadLimit)
	}
	content = content[r.ReadOffset:]
	if r.ReadLimit > 0 {
		content = content[:min(r.ReadLimit, int64(len(content)))]
	}
	if s.strikes(DamagedDownload, m[1]) && len(content) > 0 {
		content = bytes.Clone(content)
		content[0] ^= 1
	}
	end := len(content)
	breaks := s.strikes(BrokenDownload, m[1])
	if breaks {
		end /= 2
	}
	for chunk := range chunks(content[:end]) {
		if err := stream.Send(&bspb.ReadResponse{Data: chunk}); err != nil {
			return err
		}
	}
	if breaks {
		return status.Error(codes.Unavailable, "reapitest: Read broke")
	}
	return nil
}

// chunks cuts what goes into several messages.
func chunks(content []byte) func(yield func([]byte) bool) {
	return func(yield func([]byte) bool) {
		for len(content) > 0 {
			n := min(len(content), 64<<10)
			if !yield(content[:n]) {
				return
			}
			content = content[n:]
		}
	}
}

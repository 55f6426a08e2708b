package reapi

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"sync"
	"time"

	repb "github.com/bazelbuild/remote-apis/build/bazel/remote/execution/v2"
	"google.golang.org/genproto/googleapis/bytestream"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/gitdd/gitdd/trial"
)

// errGone is the error for an output that the server had and has not.
var errGone = errors.New("the server does not have it any more")

// gone reports whether err comes from such an output.
func gone(err error) bool { return errors.Is(err, errGone) }

// A memory has the small outputs that came last: those of most tasks are equal to others,
// and what has the same digest need not be read again.
type memory struct {
	mu       sync.Mutex
	contents map[digest][]byte
}

const (
	mostKept  = 256 // outputs
	smallKept = 4 << 10
)

func (m *memory) recall(d digest) ([]byte, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	data, ok := m.contents[d]
	return data, ok
}

func (m *memory) keep(d digest, data []byte) {
	if d.size > smallKept {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.contents == nil || len(m.contents) == mostKept {
		m.contents = map[digest][]byte{}
	}
	m.contents[d] = bytes.Clone(data) // it may be part of a large message
}

// fetch writes outputs where open says: from the message itself, in one message more, or
// as streams. open may be called again for one that did not arrive whole.
func (c *Client) fetch(ctx context.Context, files map[string]*repb.OutputFile, open func(name string) (io.WriteCloser, error)) error {
	batch := map[digest][]string{}
	room := c.limits.batch
	for _, name := range slices.Sorted(maps.Keys(files)) {
		f := files[name]
		d, ok := readDigest(f.GetDigest())
		if !ok {
			return &trial.LostError{Reason: fmt.Sprintf("the server names no SHA-256 for %s", name)}
		}
		known, ok := c.small.recall(d)
		switch {
		case ok:
			if err := write(open, name, known); err != nil {
				return err
			}
		case digestOf(f.GetContents()) == d: // also the empty one
			if err := write(open, name, f.GetContents()); err != nil {
				return err
			}
		case batch[d] != nil:
			batch[d] = append(batch[d], name)
		case d.size+entryRoom <= room:
			room -= d.size + entryRoom
			batch[d] = []string{name}
		default:
			if err := c.readFile(ctx, d, name, open); err != nil {
				return err
			}
		}
	}
	if len(batch) == 0 {
		return nil
	}
	contents, err := c.readBatch(ctx, slices.Collect(maps.Keys(batch)))
	if err != nil {
		return err
	}
	for d, names := range batch {
		for _, name := range names {
			data, ok := contents[d]
			if ok {
				c.small.keep(d, data)
				err = write(open, name, data)
			} else {
				err = c.readFile(ctx, d, name, open)
			}
			if err != nil {
				return err
			}
		}
	}
	return nil
}

func write(open func(name string) (io.WriteCloser, error), name string, data []byte) error {
	w, err := open(name)
	if err != nil {
		return err
	}
	_, err = w.Write(data)
	return errors.Join(err, w.Close())
}

// readBatch reads small blobs. Those that did not come, or not whole, are not in its
// result: reading them one by one tells why.
func (c *Client) readBatch(ctx context.Context, blobs []digest) (map[digest][]byte, error) {
	question := &repb.BatchReadBlobsRequest{InstanceName: c.opts.Instance, DigestFunction: repb.DigestFunction_SHA256}
	for _, d := range blobs {
		question.Digests = append(question.Digests, d.proto())
	}
	contents := map[digest][]byte{}
	err := c.call(ctx, "read the outputs", func(ctx context.Context, conn *grpc.ClientConn) error {
		answer, err := cas(conn).BatchReadBlobs(ctx, question)
		for _, r := range answer.GetResponses() {
			d, ok := readDigest(r.GetDigest())
			if ok && r.GetStatus().GetCode() == int32(codes.OK) && digestOf(r.GetData()) == d {
				contents[d] = r.GetData()
			}
		}
		return err
	})
	switch code(err) {
	case codes.Unimplemented, codes.InvalidArgument, codes.ResourceExhausted, codes.NotFound:
		return nil, nil
	}
	return contents, err
}

func (c *Client) readFile(ctx context.Context, d digest, name string, open func(name string) (io.WriteCloser, error)) error {
	w, err := open(name)
	if err != nil {
		return err
	}
	return errors.Join(c.read(ctx, d, w), w.Close())
}

// read reads a blob by ByteStream.Read, and goes on where a stream breaks.
func (c *Client) read(ctx context.Context, d digest, w io.Writer) error {
	sum := sha256.New()
	var at int64
	pause, since := c.times.pause, time.Now()
	for attempt := 1; ; attempt++ {
		n, wire, local := c.readOnce(ctx, d, at, io.MultiWriter(w, sum))
		at += n
		if at == d.size && local == nil {
			wire = nil // all of it is here, however the stream ended
		}
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case local != nil:
			return local
		case code(wire) == codes.NotFound:
			return &trial.LostError{Reason: "read an output", Err: fmt.Errorf("%w: %w", errGone, said{wire})}
		case wire == nil && [sha256.Size]byte(sum.Sum(nil)) != d.sum:
			return &trial.LostError{Reason: "an output arrived damaged"}
		case wire == nil:
			return nil
		}
		if n > 0 {
			attempt, since = 1, time.Now()
		}
		asked := askedFor(wire)
		if !mayPass(wire, attempt) || time.Since(since)+asked >= c.times.patience {
			return c.failed(c.storage, "read an output", wire)
		}
		if err := rest(ctx, max(pause, asked)); err != nil {
			return err
		}
		pause = min(2*pause, c.times.longest)
	}
}

// readOnce reads a blob from an offset on, and returns how much was written, the error of
// the call, and that of writing.
func (c *Client) readOnce(ctx context.Context, d digest, from int64, w io.Writer) (n int64, wire, local error) {
	ctx, server, moved, why := c.whileItMoves(ctx)
	defer why(nil)
	r, err := server.Read(ctx, &bytestream.ReadRequest{ResourceName: c.resource("blobs/" + d.String()), ReadOffset: from})
	if err != nil {
		return 0, why(err), nil
	}
	for {
		answer, err := r.Recv()
		switch {
		case err == io.EOF && from+n == d.size:
			return n, nil, nil
		case err == io.EOF:
			return n, status.Error(codes.Unavailable, "the stream ended before the output"), nil
		case err != nil:
			return n, why(err), nil
		case from+n+int64(len(answer.GetData())) > d.size:
			return n, status.Error(codes.DataLoss, "the server sends more than the output has"), nil
		}
		moved()
		m, err := w.Write(answer.GetData())
		n += int64(m)
		if err != nil {
			return n, nil, err
		}
	}
}

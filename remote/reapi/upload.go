package reapi

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"

	repb "github.com/bazelbuild/remote-apis/build/bazel/remote/execution/v2"
	"golang.org/x/sync/errgroup"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/gitdd/gitdd/trial"
)

const (
	asked   = 10_000 // digests in a question, 750 kB of them
	atOnce  = 4      // messages of one upload on their way
	batches = 8      // of all uploads

	loadRoom = 1 << 20 // of a message, so that it gets through in time; what is larger is a stream
)

// Upload brings what a snapshot holds to the server, as Run will want it: what is there
// is not sent, and what is on its way already is waited for. Errors are those of Run.
func (c *Client) Upload(ctx context.Context, s *trial.Snapshot) error {
	return c.provide(c.outgoing(ctx, ""), s)
}

// missing are those of some blobs that the server does not have, in their order.
func (c *Client) missing(ctx context.Context, blobs []blob) ([]blob, error) {
	lack := make([]map[digest]bool, (len(blobs)+asked-1)/asked)
	g, all := errgroup.WithContext(ctx)
	g.SetLimit(atOnce)
	for i := range lack {
		g.Go(func() error {
			some := blobs[i*asked : min((i+1)*asked, len(blobs))]
			question := &repb.FindMissingBlobsRequest{InstanceName: c.opts.Instance, DigestFunction: repb.DigestFunction_SHA256}
			for _, b := range some {
				question.BlobDigests = append(question.BlobDigests, b.proto())
			}
			return c.call(all, "ask which files are missing", func(ctx context.Context, conn *grpc.ClientConn) error {
				answer, err := cas(conn).FindMissingBlobs(ctx, question)
				if err != nil {
					return err
				}
				lack[i] = map[digest]bool{}
				for _, p := range answer.GetMissingBlobDigests() {
					if d, ok := readDigest(p); ok {
						lack[i][d] = true
					}
				}
				return nil
			})
		})
	}
	if err := g.Wait(); err != nil {
		return nil, endOf(ctx, err)
	}
	var missing []blob
	for i, b := range blobs {
		if lack[i/asked][b.digest] {
			missing = append(missing, b)
		}
	}
	return missing, nil
}

// endOf is the error of ctx if it has ended: what else went wrong is a consequence.
func endOf(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return err
}

// A load is what one message carries, or one blob that is too large for a message.
type load struct {
	blobs []blob
	large bool
	files bool // contents come from the snapshot; not all of the first that has some
	ready []*upload
	claim *claim
}

// loads divides blobs: those in memory, then the files, in the order in which they are
// read.
func (c *Client) loads(blobs []blob) []*load {
	most := min(loadRoom, c.limits.batch)
	var loads []*load
	var open *load
	var room int64
	for _, files := range []bool{false, true} {
		for _, b := range blobs {
			if fromFile := b.leaf != nil; fromFile != files {
				continue
			}
			need := b.size + entryRoom
			if need > most {
				loads = append(loads, &load{blobs: []blob{b}, large: true, files: files})
				continue
			}
			if open == nil || room < need {
				open, room = &load{}, most
				loads = append(loads, open)
			}
			open.files = files
			open.blobs = append(open.blobs, b)
			room -= need
		}
	}
	return loads
}

// unload ends the claim of a load, once.
func (c *Client) unload(l *load) {
	if l.claim != nil {
		c.store.end(l.claim, l.blobs)
		l.claim = nil
	}
}

// send sends some loads. Files are read one after another, while those that were read
// before are on their way.
func (c *Client) send(ctx context.Context, s *trial.Snapshot, loads []*load) error {
	g, all := errgroup.WithContext(ctx)
	g.SetLimit(atOnce)
	err := c.sendSmall(all, s, loads, g)
	if failed := g.Wait(); failed != nil {
		err = failed // what else failed did so since all was ended
	}
	for _, l := range loads {
		if err != nil {
			break
		}
		if l.large {
			if err = c.sendLarge(ctx, s, l.blobs[0]); err == nil {
				c.store.arrived(l.blobs...)
				c.unload(l)
			}
		}
	}
	return endOf(ctx, err)
}

// sendSmall starts the sending of all loads that one message carries. It does not wait
// for the last ones.
func (c *Client) sendSmall(ctx context.Context, s *trial.Snapshot, loads []*load, g *errgroup.Group) error {
	ship := func(l *load) {
		uploads := l.ready
		l.ready = nil // nothing of it stays in memory
		g.Go(func() error {
			if err := c.sendBatch(ctx, uploads); err != nil {
				return err
			}
			c.store.arrived(l.blobs...)
			c.unload(l)
			return nil
		})
	}
	var files []*trial.Leaf
	var filled []*load // whose contents are read, one after another
	for _, l := range loads {
		if l.large {
			continue
		}
		for _, b := range l.blobs {
			if b.leaf != nil {
				files = append(files, b.leaf)
				continue
			}
			data, err := c.inMemory(b)
			if err != nil {
				return err
			}
			l.ready = append(l.ready, &upload{Digest: b.proto(), Data: data})
		}
		if l.files {
			filled = append(filled, l)
			continue
		}
		ship(l)
		if ctx.Err() != nil {
			return ctx.Err()
		}
	}
	if len(files) == 0 {
		return nil
	}
	return s.Read(ctx, files, func(f *trial.Leaf, content io.Reader) error {
		data, err := readLeaf(f, content)
		if err != nil {
			return err
		}
		l := filled[0]
		if l.ready = append(l.ready, &upload{Digest: digestOfLeaf(f).proto(), Data: data}); len(l.ready) == len(l.blobs) {
			ship(l)
			filled = filled[1:]
		}
		return ctx.Err()
	})
}

func (c *Client) inMemory(b blob) ([]byte, error) {
	if b.folder == nil {
		return b.data, nil
	}
	return c.trees.encode(b.folder)
}

// readLeaf reads a file, and refuses what has changed since it was looked at: the server
// would, with words that lead nowhere.
func readLeaf(f *trial.Leaf, content io.Reader) ([]byte, error) {
	data := make([]byte, f.Size)
	if _, err := io.ReadFull(content, data); err != nil {
		if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			return nil, changedError(f)
		}
		return nil, fmt.Errorf("read %s: %w", f.Path, err)
	}
	if sha256.Sum256(data) != f.Sum {
		return nil, changedError(f)
	}
	return data, nil
}

func changedError(f *trial.Leaf) error {
	return fmt.Errorf("%s changed while it was being uploaded; see what writes to gitdd's workspaces, then `gitdd resume`", f.Path)
}

type upload = repb.BatchUpdateBlobsRequest_Request

// sendBatch sends blobs in one message. Where the server finds that too large, in two, and
// in the end each as a stream.
func (c *Client) sendBatch(ctx context.Context, uploads []*upload) error {
	select {
	case c.sending <- struct{}{}:
	case <-ctx.Done():
		return ctx.Err()
	}
	err := c.call(ctx, "upload files", func(ctx context.Context, conn *grpc.ClientConn) error {
		answer, err := cas(conn).BatchUpdateBlobs(ctx, &repb.BatchUpdateBlobsRequest{
			InstanceName: c.opts.Instance, DigestFunction: repb.DigestFunction_SHA256, Requests: uploads})
		if err != nil {
			return err
		}
		uploads, err = refused(uploads, answer)
		return err
	})
	<-c.sending
	switch {
	case err == nil:
		return nil
	case code(err) == codes.Unimplemented, len(uploads) == 1 && (tooLarge(err) || code(err) == codes.InvalidArgument):
		for _, u := range uploads {
			d, _ := readDigest(u.GetDigest())
			if err := c.stream(ctx, d, fromMemory(u.GetData())); err != nil {
				return err
			}
		}
		return nil
	case tooLarge(err), code(err) == codes.InvalidArgument:
		half := len(uploads) / 2
		if err := c.sendBatch(ctx, uploads[:half]); err != nil {
			return err
		}
		return c.sendBatch(ctx, uploads[half:])
	}
	return err
}

// refused are the uploads that the server did not say yes to, and why one was not taken, as
// the error of a call.
func refused(uploads []*upload, answer *repb.BatchUpdateBlobsResponse) ([]*upload, error) {
	taken := map[digest]bool{}
	why := status.New(codes.Unavailable, "the server did not say what became of an upload")
	for _, r := range answer.GetResponses() {
		st := status.FromProto(r.GetStatus())
		if d, ok := readDigest(r.GetDigest()); ok && (st.Code() == codes.OK || st.Code() == codes.AlreadyExists) {
			taken[d] = true
		} else if st.Code() != codes.OK {
			why = st
		}
	}
	var left []*upload
	for _, u := range uploads {
		if d, _ := readDigest(u.GetDigest()); !taken[d] {
			left = append(left, u)
		}
	}
	if len(left) == 0 {
		return nil, nil
	}
	return left, why.Err()
}

// sendLarge sends a blob as a stream.
func (c *Client) sendLarge(ctx context.Context, s *trial.Snapshot, b blob) error {
	if most := c.limits.blob; most > 0 && b.size > most {
		return fmt.Errorf("%s has %d bytes, and %s takes no more than %d of one file (max_cas_blob_size_bytes); "+
			"allow more there, or take the file out of what is compared", b.name(), b.size, c.storage.endpoint, most)
	}
	if b.leaf == nil {
		data, err := c.inMemory(b)
		if err != nil {
			return err
		}
		return c.stream(ctx, b.digest, fromMemory(data))
	}
	return c.stream(ctx, b.digest, func(ctx context.Context, use func(io.Reader) error) error {
		return s.Read(ctx, []*trial.Leaf{b.leaf}, func(f *trial.Leaf, content io.Reader) error {
			return use(&whole{file: f, content: content, sum: sha256.New()})
		})
	})
}

func (b blob) name() string {
	if b.leaf != nil {
		return b.leaf.Path
	}
	return "a folder's list"
}

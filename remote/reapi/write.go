package reapi

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"errors"
	"fmt"
	"hash"
	"io"
	"sync/atomic"
	"time"

	"google.golang.org/genproto/googleapis/bytestream"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/gitdd/gitdd/trial"
)

// piece is what one message of a stream carries.
const piece = 512 << 10

// An opener gives the content of a blob from its beginning, each time it is called.
type opener func(ctx context.Context, use func(io.Reader) error) error

func fromMemory(data []byte) opener {
	return func(_ context.Context, use func(io.Reader) error) error { return use(bytes.NewReader(data)) }
}

// whole reads a file, and finds at its end whether it is what it was.
type whole struct {
	file    *trial.Leaf
	content io.Reader
	sum     hash.Hash
	read    int64
}

func (w *whole) Read(p []byte) (int, error) {
	n, err := w.content.Read(p)
	w.sum.Write(p[:n])
	w.read += int64(n)
	if w.read > w.file.Size || err == io.EOF && (w.read < w.file.Size || [sha256.Size]byte(w.sum.Sum(nil)) != w.file.Sum) {
		return 0, changedError(w.file)
	}
	return n, err
}

// stream sends a blob by ByteStream.Write. A stream that breaks is taken up where the
// server says that it has come to; where it does not say, from the beginning.
func (c *Client) stream(ctx context.Context, d digest, open opener) error {
	name := c.uploadName(d)
	var from int64
	pause, since := c.times.pause, time.Now()
	for attempt := 1; ; attempt++ {
		var wire error // what happened on the way, which may pass; no other error does
		err := open(ctx, func(content io.Reader) error {
			var local error
			wire, local = c.writeOnce(ctx, name, d, from, content)
			return errors.Join(local, wire)
		})
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case wire == nil:
			return err
		}
		middle := from > 0 && !mayPass(wire, 1) // perhaps it cannot take up what was begun
		asked := askedFor(wire)
		if !middle && (!mayPass(wire, attempt) || time.Since(since)+asked >= c.times.patience) {
			return c.failed(c.storage, "upload a file", wire)
		}
		if err := rest(ctx, max(pause, asked)); err != nil {
			return err
		}
		pause = min(2*pause, c.times.longest)
		at, done := c.writeStatus(ctx, name, d)
		if done {
			return nil
		}
		if at > from {
			attempt, since = 1, time.Now() // it moves
		}
		from = at
		if from == 0 || middle {
			from, name = 0, c.uploadName(d) // under the old name there may be what does not fit
		}
	}
}

// writeOnce sends the content of a blob behind offset from. It returns the error of the
// call, and that of reading.
func (c *Client) writeOnce(ctx context.Context, name string, d digest, from int64, content io.Reader) (wire, local error) {
	if _, err := io.CopyN(io.Discard, content, from); err != nil {
		return nil, err
	}
	ctx, server, moved, why := c.whileItMoves(ctx)
	defer why(nil)
	w, err := server.Write(ctx)
	if err != nil {
		return why(err), nil
	}
	buffer := make([]byte, min(piece, d.size-from))
	for at := from; ; {
		n, err := io.ReadFull(content, buffer)
		if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
			return nil, err
		}
		last := at+int64(n) >= d.size
		if last { // let a reader that checks the content see its end
			if _, err := content.Read(make([]byte, 1)); err != nil && !errors.Is(err, io.EOF) {
				return nil, err
			}
		}
		request := &bytestream.WriteRequest{WriteOffset: at, FinishWrite: last, Data: buffer[:n]}
		if at == from {
			request.ResourceName = name
		}
		at += int64(n)
		if w.Send(request) != nil || last {
			break // if the server has ended it, the reason follows
		}
		moved()
	}
	moved()
	answer, err := w.CloseAndRecv()
	switch {
	case code(err) == codes.AlreadyExists:
		return nil, nil
	case err != nil:
		return why(err), nil
	case answer.GetCommittedSize() != d.size:
		return fmt.Errorf("%w: the server has %d of %d bytes", io.ErrUnexpectedEOF, answer.GetCommittedSize(), d.size), nil
	}
	return nil, nil
}

// writeStatus asks how far an upload has come, and whether it is complete. What cannot be
// known is 0.
func (c *Client) writeStatus(ctx context.Context, name string, d digest) (int64, bool) {
	ctx, cancel := context.WithTimeout(ctx, c.times.attempt)
	defer cancel()
	answer, err := bytestream.NewByteStreamClient(c.storage.quiet().conn()).QueryWriteStatus(ctx, &bytestream.QueryWriteStatusRequest{ResourceName: name})
	if err != nil || answer.GetCommittedSize() < 0 || answer.GetCommittedSize() > d.size {
		return 0, false
	}
	return answer.GetCommittedSize(), answer.GetComplete() && answer.GetCommittedSize() == d.size
}

// whileItMoves gives a server and a context for a stream, which ends when nothing has moved
// on it for as long as a call is given. moved tells that something has; why ends it, and says
// for the error of the stream whether that was the reason: then the connection is given up,
// too.
func (c *Client) whileItMoves(ctx context.Context) (_ context.Context, server bytestream.ByteStreamClient, moved func(), why func(error) error) {
	l := c.storage.quiet()
	conn := l.conn()
	ctx, stop := context.WithCancel(ctx)
	var still atomic.Bool
	timer := time.AfterFunc(c.times.attempt, func() { still.Store(true); stop() })
	moved = func() { timer.Reset(c.times.attempt) }
	why = func(err error) error {
		timer.Stop()
		stop()
		if err != nil && still.Load() {
			l.redial(conn)
			return status.Errorf(codes.DeadlineExceeded, "nothing moved for %v", c.times.attempt)
		}
		return err
	}
	return ctx, bytestream.NewByteStreamClient(conn), moved, why
}

// uploadName is the name of a new upload, with a random UUID.
func (c *Client) uploadName(d digest) string {
	var id [16]byte
	rand.Read(id[:])
	id[6] = id[6]&0x0f | 0x40
	id[8] = id[8]&0x3f | 0x80
	return c.resource(fmt.Sprintf("uploads/%x-%x-%x-%x-%x/blobs/%s", id[:4], id[4:6], id[6:8], id[8:10], id[10:], d))
}

// resource puts the instance name in front of a name.
func (c *Client) resource(name string) string {
	if c.opts.Instance == "" {
		return name
	}
	return c.opts.Instance + "/" + name
}

package git

import (
	"context"
	"encoding/hex"
	"fmt"
	"io"
)

// CopyBlob writes the content of a blob of that size to w without holding it in
// memory: for what is too large for [Repo.Blob]. What was written is the blob only
// if there is no error. Cost: a git process.
func (r *Repo) CopyBlob(ctx context.Context, id ID, size int64, w io.Writer) error {
	if !id.valid(r.format) {
		return fmt.Errorf("read blob: %q is not an object id of this repository (%s)", id, r.format)
	}
	h := r.newHash()
	fmt.Fprintf(h, "blob %d\x00", size)
	to := &refusing{Writer: w}
	_, err := r.store.program.at.stream(ctx, nil, io.MultiWriter(to, h), "cat-file", "blob", string(id))
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if to.err != nil { // of that git dies, too, by a broken pipe
		return fmt.Errorf("copy blob %s: %w", id, to.err)
	}
	if err != nil {
		return err
	}
	if got := hex.EncodeToString(h.Sum(nil)); got != string(id) {
		return fmt.Errorf("blob %s is damaged: its content has another hash; `git fsck` shows what else is", id)
	}
	return nil
}

// A refusing writer remembers the error with which it did not write.
type refusing struct {
	io.Writer
	err error
}

func (r *refusing) Write(text []byte) (n int, err error) {
	n, err = r.Writer.Write(text)
	r.err = err
	return n, err
}

// IsBlob reports whether content has just the size and the hash of a blob, without
// holding it in memory.
func (r *Repo) IsBlob(id ID, size int64, content io.Reader) (bool, error) {
	h := r.newHash()
	fmt.Fprintf(h, "blob %d\x00", size)
	n, err := io.Copy(h, content)
	return err == nil && n == size && hex.EncodeToString(h.Sum(nil)) == string(id), err
}

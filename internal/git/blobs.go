package git

import (
	"bufio"
	"context"
	"errors"
	"iter"
	"slices"
)

// manyBlobs is from how many blobs on [Repo.Blobs] starts a process for them.
const manyBlobs = 64

var streamArgs = []string{"cat-file", "--batch", "--buffer"}

// Blobs yields, in the order of ids, one function for each that returns its
// content as [Repo.Blob] does: checked against the id, and the caller's own.
// The blobs are read ahead of the calls, those of many ids by a git process that
// inflates the next ones meanwhile; the check is left to the functions, so that
// calls from several goroutines share it. Each is to be called at most once, at
// any time before the repository is closed.
//
// Memory: whatever was yielded and is still referred to, and one blob more.
func (r *Repo) Blobs(ctx context.Context, ids []ID) iter.Seq[func() ([]byte, error)] {
	return func(yield func(func() ([]byte, error)) bool) {
		if len(ids) >= manyBlobs {
			var done bool
			if ids, done = r.streamed(ctx, ids, yield); done {
				return
			}
		}
		for _, id := range ids {
			if !yield(func() ([]byte, error) { return r.Blob(ctx, id) }) {
				return
			}
		}
	}
}

// streamed yields what one git process answers for ids in their order. A process
// that fails says too little about why: the ids from there on are the rest, to be
// read one by one. done reports that yield wants no more.
func (r *Repo) streamed(ctx context.Context, ids []ID, yield func(func() ([]byte, error)) bool) (rest []ID, done bool) {
	if slices.ContainsFunc(ids, func(id ID) bool { return !id.valid(r.format) }) {
		return ids, false // another line than the one meant would be asked for
	}
	running, cancel := context.WithCancel(ctx)
	p, err := startCatFile(running, r.store.program.at, streamArgs)
	if err != nil {
		cancel()
		return ids, false
	}
	asked := make(chan struct{})
	defer func() {
		cancel()
		<-asked
		_ = p.end()
	}()
	// Git answers while it is still being asked, so that neither waits for ever
	// with a full pipe. A write that fails ends the answers too.
	go func() {
		defer close(asked)
		w := bufio.NewWriter(p.in)
		for _, id := range ids {
			_, _ = w.WriteString(string(id))
			_ = w.WriteByte('\n')
		}
		_ = w.Flush()
		_ = p.in.Close()
	}()
	for n, id := range ids {
		kind, size, err := p.answer(id)
		var content []byte
		if err == nil {
			content, err = p.content(size)
		}
		if err != nil && !errors.Is(err, errMissing) {
			return ids[n:], false
		}
		read := func() ([]byte, error) {
			if err == nil && r.HashObject(kind, content) == id {
				return ofKind("blob", id, kind, content)
			}
			return r.Blob(ctx, id) // says what is wrong
		}
		if !yield(read) {
			return nil, true
		}
	}
	return nil, true
}

package reapi

import (
	"context"
	"errors"
	"sync"

	"github.com/gitdd/gitdd/trial"
)

// A blob is something that the server has to have. Its content is in memory, in the
// encoding of a folder, or in a file of the snapshot.
type blob struct {
	digest
	data   []byte
	folder *trial.Folder
	leaf   *trial.Leaf
}

// A store is what this session knows of the server's: which blobs are there, and which
// are on their way, so that no blob is asked for twice, or sent twice at once.
//
// Invariant: a blob that is claimed is freed or found there by the one who claimed it,
// who waits for nobody else's claims meanwhile.
type store struct {
	mu     sync.Mutex
	blobs  map[digest]*claim // nil: it is there
	whole  map[digest]bool   // folders that are there with all that is below them
	losses int               // how often something was not there any more
	doubts int               // and how often everything had to be asked for again
	new    bool              // the server has nothing of what it was asked for last
}

// A claim is held by who looks for some blobs, or sends them.
type claim struct{ done chan struct{} }

func newStore() *store {
	return &store{blobs: map[digest]*claim{}, whole: map[digest]bool{}}
}

// take claims those of some blobs that are not there and that nobody has claimed, and
// returns them. The others are those that somebody else has; wait is closed when that has
// changed for one of them.
func (s *store) take(blobs []blob) (mine, others []blob, c *claim, wait <-chan struct{}) {
	c = &claim{make(chan struct{})}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, b := range blobs {
		if b.size == 0 {
			continue // servers have the empty blob
		}
		holder, known := s.blobs[b.digest]
		switch {
		case !known:
			s.blobs[b.digest] = c
			mine = append(mine, b)
		case holder == c, holder == nil: // twice in this list, or there
		default:
			others = append(others, b)
			wait = holder.done
		}
	}
	return mine, others, c, wait
}

// part gives some of the blobs of a claim to a new one, which ends by itself: who waits
// for one of them need not wait for all.
func (s *store) part(blobs []blob) *claim {
	c := &claim{make(chan struct{})}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, b := range blobs {
		s.blobs[b.digest] = c
	}
	return c
}

// arrived notes that a blob is there.
func (s *store) arrived(blobs ...blob) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, b := range blobs {
		s.blobs[b.digest] = nil
	}
}

// end frees what a claim still holds of some blobs, and tells those who wait.
func (s *store) end(c *claim, blobs []blob) {
	s.mu.Lock()
	for _, b := range blobs {
		if s.blobs[b.digest] == c {
			delete(s.blobs, b.digest)
		}
	}
	s.mu.Unlock()
	close(c.done)
}

// forget takes back that some blobs are there. What is on its way is left alone.
func (s *store) forget(blobs []digest) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, d := range blobs {
		if c, known := s.blobs[d]; known && c == nil {
			delete(s.blobs, d)
		}
	}
	clear(s.whole) // any of them may have been below any folder
	s.losses++
}

// forgetAll takes back that anything is there, unless that was done since doubts was
// what it is given as: many tasks can find out at once that a server has lost all.
func (s *store) forgetAll(doubts int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.doubts != doubts {
		return
	}
	for d, c := range s.blobs {
		if c == nil {
			delete(s.blobs, d)
		}
	}
	clear(s.whole)
	s.losses++
	s.doubts++
}

func (s *store) doubted() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.doubts
}

// age counts the losses. A folder may be called whole only if none was since the look at
// what is in it.
func (s *store) age() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.losses
}

func (s *store) complete(folders []digest, age int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.losses != age {
		return
	}
	for _, d := range folders {
		s.whole[d] = true
	}
}

func (s *store) isWhole(d digest) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.whole[d]
}

// has reports whether a blob is there.
func (s *store) has(d digest) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	c, known := s.blobs[d]
	return known && c == nil
}

// learn notes whether the server had nothing of what it was asked for.
func (s *store) learn(nothing bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.new = nothing
}

// isNew reports whether some blobs, which this session has not sent, are best sent without
// a question: they are small, and the server had nothing of those before. Where others have
// searched the same there, it has.
func (s *store) isNew(blobs []blob) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	bytes := int64(0)
	for _, b := range blobs {
		bytes += b.size
	}
	return s.new && len(blobs) <= littleBlobs && bytes <= littleBytes
}

// begun reports whether any tree is there.
func (s *store) begun() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.whole) > 0
}

// needs lists the folders and files of a tree of which this session does not know that
// they are there, each once, and the folders that are whole when these have come.
func (c *Client) needs(root *trial.Folder) (blobs []blob, folders []digest, err error) {
	seen := map[digest]bool{}
	skip := func(d digest) bool { return seen[d] || c.store.isWhole(d) }
	err = c.trees.walk(root, skip, func(d digest, folder *trial.Folder, leaf *trial.Leaf) error {
		if folder != nil {
			folders = append(folders, d)
		}
		if !seen[d] {
			seen[d] = true
			blobs = append(blobs, blob{digest: d, folder: folder, leaf: leaf})
		}
		return nil
	})
	return blobs, folders, err
}

// What is little to send does not wait for what the cache of actions says.
const (
	littleBlobs = 64
	littleBytes = 64 << 10
)

// little reports whether this session knows what the server has of a tree but for a few
// small blobs. It looks no further than it has to.
func (c *Client) little(root *trial.Folder) bool {
	known := func(d digest) bool { return d.size == 0 || c.store.has(d) }
	blobs, bytes := 0, int64(0)
	enough := errors.New("enough")
	err := c.trees.walk(root, c.store.isWhole, func(d digest, _ *trial.Folder, _ *trial.Leaf) error {
		if known(d) {
			return nil
		}
		if blobs, bytes = blobs+1, bytes+d.size; blobs > littleBlobs || bytes > littleBytes {
			return enough
		}
		return nil
	})
	return err == nil && c.store.begun()
}

// provide sees to it that the server has a snapshot and some more blobs. What others send
// meanwhile is waited for, and sent here if they give up.
func (c *Client) provide(ctx context.Context, s *trial.Snapshot, more ...blob) error {
	age := c.store.age()
	blobs, folders, err := c.needs(s.Root)
	if err != nil {
		return c.odd(err)
	}
	blobs = append(blobs, more...)
	for {
		mine, others, claim, wait := c.store.take(blobs)
		err := c.bring(ctx, s, mine, claim)
		if err != nil {
			return err
		}
		if len(others) == 0 {
			c.store.complete(folders, age)
			return nil
		}
		select {
		case <-wait:
		case <-ctx.Done():
			return ctx.Err()
		}
		blobs = others
	}
}

// bring asks which of some blobs are missing, unless that is likely for all of them, and
// sends them. At its end nothing is claimed any more.
func (c *Client) bring(ctx context.Context, s *trial.Snapshot, blobs []blob, claim *claim) error {
	missing := blobs
	if len(blobs) > 0 && !c.store.isNew(blobs) {
		var err error
		if missing, err = c.missing(ctx, blobs); err != nil {
			c.store.end(claim, blobs)
			return err
		}
		c.store.learn(len(missing) == len(blobs))
	}
	lack := map[digest]bool{}
	for _, b := range missing {
		lack[b.digest] = true
	}
	for _, b := range blobs {
		if !lack[b.digest] {
			c.store.arrived(b)
		}
	}
	loads := c.loads(missing)
	for _, l := range loads {
		l.claim = c.store.part(l.blobs)
	}
	c.store.end(claim, blobs)
	err := c.send(ctx, s, loads)
	for _, l := range loads {
		c.unload(l)
	}
	return err
}

package changes

import (
	"container/list"
	"sync"

	"github.com/gitdd/gitdd/internal/git"
)

const (
	cacheBytes   = 64 << 20 // of contents
	cacheRecipes = 1 << 16  // recipes whose id is known
)

// A cache holds the contents that were used last, up to cacheBytes, and the ids
// of recipes. It only saves time. Safe for concurrent use.
type cache struct {
	mu      sync.Mutex
	bytes   int
	recent  *list.List // of *content, the last used first
	byID    map[git.ID]*list.Element
	recipes map[string]git.ID
}

type content struct {
	id    git.ID
	bytes []byte
}

func newCache() *cache {
	return &cache{recent: list.New(), byID: make(map[git.ID]*list.Element), recipes: make(map[string]git.ID)}
}

func (c *cache) get(id git.ID) ([]byte, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	e, ok := c.byID[id]
	if !ok {
		return nil, false
	}
	c.recent.MoveToFront(e)
	return e.Value.(*content).bytes, true
}

// put keeps a content, unless it alone would push out most of the others.
func (c *cache) put(id git.ID, bytes []byte) {
	if len(bytes) > cacheBytes/4 {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if _, ok := c.byID[id]; ok {
		return
	}
	c.byID[id] = c.recent.PushFront(&content{id, bytes})
	c.bytes += len(bytes)
	for c.bytes > cacheBytes {
		e := c.recent.Back()
		old := c.recent.Remove(e).(*content)
		delete(c.byID, old.id)
		c.bytes -= len(old.bytes)
	}
}

// fill keeps a content while half of the cache is free, so that reading all
// files once, in their order, leaves the first ones: whoever reads next starts
// with these.
func (c *cache) fill(id git.ID, bytes []byte) {
	c.mu.Lock()
	room := cacheBytes/2 - c.bytes
	c.mu.Unlock()
	if len(bytes) <= room {
		c.put(id, bytes)
	}
}

func (c *cache) known(recipe string) (git.ID, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	id, ok := c.recipes[recipe]
	return id, ok
}

func (c *cache) remember(recipe string, id git.ID) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.recipes) >= cacheRecipes {
		clear(c.recipes)
	}
	c.recipes[recipe] = id
}

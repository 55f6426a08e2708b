package git

import (
	"bytes"
	"context"
	"crypto/sha1"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// ID is an object id in lower-case hexadecimal: 40 digits in a sha1 repository,
// 64 in a sha256 one. "" means none.
type ID string

// Short is an id of a commit as people read it: its first nine digits.
func (id ID) Short() string { return string(id[:9]) }

// valid reports whether id has the form of an id of that object format.
func (id ID) valid(format string) bool {
	digits := 2 * sha1.Size
	if format == "sha256" {
		digits = 2 * sha256.Size
	}
	if len(id) != digits {
		return false
	}
	for _, c := range []byte(id) {
		if (c < '0' || c > '9') && (c < 'a' || c > 'f') {
			return false
		}
	}
	return true
}

// Mode is the mode of a tree entry, as git writes it into trees.
type Mode uint32

// The modes that git writes today. Old trees hold others, 0o100664 for one.
const (
	Regular    Mode = 0o100644
	Executable Mode = 0o100755
	Symlink    Mode = 0o120000
	Gitlink    Mode = 0o160000 // the commit of a submodule
	Directory  Mode = 0o040000
)

// IsFile reports whether the mode is that of a file: not of a symbolic link, a directory or a gitlink, nor 0.
func (m Mode) IsFile() bool { return m&typeBits == Regular&typeBits }

// String returns the six octal digits of git's output.
func (m Mode) String() string { return fmt.Sprintf("%06o", uint32(m)) }

// Entry is one entry of a tree.
type Entry struct {
	Name string // raw bytes, any but NUL and, in sound trees, slash
	Mode Mode   // as stored, not normalised
	ID   ID
}

// Compare compares two entries in git's order of those of a tree: a directory sorts as if its name ended in a slash.
func (e Entry) Compare(f Entry) int { return strings.Compare(e.sortKey(), f.sortKey()) }

func (e Entry) sortKey() string {
	if canonical(e.Mode) == Directory {
		return e.Name + "/"
	}
	return e.Name
}

// Append appends the entry to the content of a tree. The error says that its ID is not one.
func (e Entry) Append(content []byte) ([]byte, error) {
	content = append(strconv.AppendUint(content, uint64(e.Mode), 8), ' ')
	content = append(append(content, e.Name...), 0)
	return hex.AppendDecode(content, []byte(e.ID))
}

// Tree returns the entries of one tree, one level, in git's order.
func (r *Repo) Tree(ctx context.Context, id ID) ([]Entry, error) {
	if entries, ok := r.recent.get(id); ok {
		return slices.Clone(entries), nil
	}
	content, err := r.object(ctx, "tree", id)
	if err != nil {
		return nil, err
	}
	entries, err := parseTree(content, r.newHash().Size())
	if err != nil {
		return nil, fmt.Errorf("tree %s: %w", id, err)
	}
	r.recent.put(id, slices.Clone(entries))
	return entries, nil
}

// recentTrees are the trees that were read last: from one commit to the next most of them are the same. It is safe for
// concurrent use.
type recentTrees struct {
	mu            sync.Mutex
	recent, older map[ID][]Entry // older is what recent was when it was full
	entries       int            // of the trees in recent
}

// cachedEntries is how many entries the trees in recentTrees.recent have at most, which take about 7 MB.
const cachedEntries = 1 << 16

func (c *recentTrees) get(id ID) ([]Entry, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	entries, ok := c.recent[id]
	if !ok {
		if entries, ok = c.older[id]; ok {
			c.add(id, entries)
		}
	}
	return entries, ok
}

func (c *recentTrees) put(id ID, entries []Entry) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.add(id, entries)
}

// add is like put, for callers that hold c.mu.
func (c *recentTrees) add(id ID, entries []Entry) {
	if c.entries += len(entries) + 1; c.recent == nil || c.entries > cachedEntries {
		c.recent, c.older, c.entries = map[ID][]Entry{}, c.recent, len(entries)+1
	}
	c.recent[id] = entries
}

// parseTree reads git's tree format: octal mode, space, name, NUL, raw id.
func parseTree(content []byte, hashSize int) ([]Entry, error) {
	var entries []Entry
	for len(content) > 0 {
		head, rest, ok := bytes.Cut(content, []byte{0})
		mode, name, named := bytes.Cut(head, []byte{' '})
		if !ok || !named || len(name) == 0 || len(rest) < hashSize {
			return nil, fmt.Errorf("entry %d is damaged", len(entries)+1)
		}
		bits, err := strconv.ParseUint(string(mode), 8, 32)
		if err != nil {
			return nil, fmt.Errorf("entry %d has mode %q", len(entries)+1, mode)
		}
		entries = append(entries, Entry{
			Name: string(name),
			Mode: Mode(bits),
			ID:   ID(hex.EncodeToString(rest[:hashSize])),
		})
		content = rest[hashSize:]
	}
	return entries, nil
}

// Blob returns the content of a blob. The caller owns the slice. A blob may be
// larger than memory: ask [Repo.BlobSize] first.
func (r *Repo) Blob(ctx context.Context, id ID) ([]byte, error) {
	return r.object(ctx, "blob", id)
}

// HashObject returns the id of an object of that kind ("blob", "tree",
// "commit") and content in this repository, without storing it.
func (r *Repo) HashObject(kind string, content []byte) ID {
	h := r.newHash()
	fmt.Fprintf(h, "%s %d\x00", kind, len(content))
	h.Write(content)
	return ID(hex.EncodeToString(h.Sum(nil)))
}

func (r *Repo) newHash() hash.Hash {
	if r.format == "sha256" {
		return sha256.New()
	}
	return sha1.New()
}

package reapi

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"
	"weak"

	repb "github.com/bazelbuild/remote-apis/build/bazel/remote/execution/v2"
	"google.golang.org/protobuf/encoding/protowire"

	"github.com/gitdd/gitdd/trial"
)

// A digest names a blob. The size belongs to the name: servers look at both.
type digest struct {
	sum  [sha256.Size]byte
	size int64
}

func digestOf(data []byte) digest { return digest{sha256.Sum256(data), int64(len(data))} }

func digestOfLeaf(f *trial.Leaf) digest { return digest{f.Sum, f.Size} }

func (d digest) hash() string { return hex.EncodeToString(d.sum[:]) }

func (d digest) String() string { return fmt.Sprintf("%s/%d", d.hash(), d.size) }

func (d digest) proto() *repb.Digest { return &repb.Digest{Hash: d.hash(), SizeBytes: d.size} }

// readDigest reads what a server says. The second result is false for what is no SHA-256.
func readDigest(p *repb.Digest) (digest, bool) { return digestOfHash(p.GetHash(), p.GetSizeBytes()) }

func digestOfHash(hash string, size int64) (digest, bool) {
	d := digest{size: size}
	if len(hash) != 2*sha256.Size || size < 0 {
		return digest{}, false
	}
	_, err := hex.Decode(d.sum[:], []byte(hash))
	return d, err == nil
}

// A digestCache remembers the digests of folders, as long as somebody else has the folder:
// snapshots share the folders in which they do not differ, so a configuration costs the
// encoding of those above what it changes.
type digestCache struct {
	absolute bool // links with absolute targets may be in it

	temp *trial.Folder // for temporary files, in which each task begins beside its workspace

	mu      sync.Mutex
	digests map[weak.Pointer[trial.Folder]]digest
}

func newDigestCache(absolute bool) *digestCache {
	return &digestCache{
		absolute: absolute,
		temp:     &trial.Folder{Entries: []trial.Entry{{Name: tempName, Folder: &trial.Folder{}}}},
		digests:  map[weak.Pointer[trial.Folder]]digest{},
	}
}

// digest is that of the Directory message of a folder. Cost: what is below and was not
// asked for before is encoded and hashed, about 0.1 s for 80,000 files.
func (f *digestCache) digest(folder *trial.Folder) (digest, error) {
	key := weak.Make(folder)
	f.mu.Lock()
	d, ok := f.digests[key]
	f.mu.Unlock()
	if ok {
		return d, nil
	}
	encoded, err := f.encode(folder)
	if err != nil {
		return digest{}, err
	}
	d = digestOf(encoded)
	f.mu.Lock()
	_, ok = f.digests[key]
	f.digests[key] = d
	f.mu.Unlock()
	if !ok {
		runtime.AddCleanup(folder, f.forget, key)
	}
	return d, nil
}

func (f *digestCache) forget(key weak.Pointer[trial.Folder]) {
	f.mu.Lock()
	delete(f.digests, key)
	f.mu.Unlock()
}

// Fields of the messages Directory, FileNode, DirectoryNode, SymlinkNode and Digest.
const (
	directoryFiles, directoryDirectories, directorySymlinks = 1, 2, 3

	nodeName, nodeDigest, nodeExecutable, nodeTarget = 1, 2, 4, 2

	digestHash, digestSize = 1, 2
)

// encode writes the Directory message of a folder in its canonical form: fields by their
// number, entries by their names. It is written here and not by way of the generated
// types, which would make four objects for each of 80,000 files.
func (f *digestCache) encode(folder *trial.Folder) ([]byte, error) {
	room := 0
	for i, e := range folder.Entries {
		if err := checkName(e.Name); err != nil {
			return nil, err
		}
		if i > 0 && e.Name <= folder.Entries[i-1].Name {
			return nil, pathError{e.Name, fmt.Errorf("stands behind %q in its folder", folder.Entries[i-1].Name)}
		}
		room += len(e.Name) + len(e.Target) + 96
	}
	message := make([]byte, 0, room)
	var node []byte
	for _, field := range []protowire.Number{directoryFiles, directoryDirectories, directorySymlinks} {
		for _, e := range folder.Entries {
			if fieldOf(e) != field {
				continue
			}
			node = appendText(node[:0], nodeName, e.Name)
			switch field {
			case directoryFiles:
				node = appendDigest(node, digestOfLeaf(e.File))
				if e.File.Executable {
					node = protowire.AppendTag(node, nodeExecutable, protowire.VarintType)
					node = protowire.AppendVarint(node, 1)
				}
			case directoryDirectories:
				d, err := f.digest(e.Folder)
				if err != nil {
					return nil, below(e.Name, err)
				}
				node = appendDigest(node, d)
			case directorySymlinks:
				if err := f.checkTarget(e.Target); err != nil {
					return nil, pathError{e.Name, err}
				}
				node = appendText(node, nodeTarget, e.Target)
			}
			message = protowire.AppendTag(message, field, protowire.BytesType)
			message = protowire.AppendBytes(message, node)
		}
	}
	return message, nil
}

func fieldOf(e trial.Entry) protowire.Number {
	switch {
	case e.File != nil:
		return directoryFiles
	case e.Folder != nil:
		return directoryDirectories
	}
	return directorySymlinks
}

func appendText(b []byte, field protowire.Number, text string) []byte {
	if text == "" {
		return b // as the encoding of protocol buffers has it
	}
	b = protowire.AppendTag(b, field, protowire.BytesType)
	return protowire.AppendString(b, text)
}

func appendDigest(b []byte, d digest) []byte {
	size := 2 + 2*sha256.Size
	if d.size != 0 {
		size += 1 + protowire.SizeVarint(uint64(d.size))
	}
	b = protowire.AppendTag(b, nodeDigest, protowire.BytesType)
	b = protowire.AppendVarint(b, uint64(size))
	b = protowire.AppendTag(b, digestHash, protowire.BytesType)
	b = protowire.AppendVarint(b, 2*sha256.Size)
	b = hex.AppendEncode(b, d.sum[:])
	if d.size != 0 {
		b = protowire.AppendTag(b, digestSize, protowire.VarintType)
		b = protowire.AppendVarint(b, uint64(d.size))
	}
	return b
}

// A pathError says which entry of a tree cannot travel.
type pathError struct {
	path string
	err  error
}

func (e pathError) Error() string { return fmt.Sprintf("%q %v", e.path, e.err) }

func (e pathError) Unwrap() error { return e.err }

// below puts the name of a folder in front of what is wrong in it.
func below(name string, err error) error {
	if in, ok := errors.AsType[pathError](err); ok {
		return pathError{name + "/" + in.path, in.err}
	}
	return err
}

// noOther says what to do about a name.
const noOther = ", and the Remote Execution API has no other names; take it away by a patch (--with-patch), or run trials as jobs of Slurm (--slurm), which bring any name"

func checkName(name string) error {
	switch {
	case !utf8.ValidString(name):
		return pathError{name, errors.New("is not UTF-8" + noOther)}
	case name == "" || name == "." || name == ".." || strings.ContainsAny(name, "/\x00"):
		return pathError{name, errors.New("is no name of a file")}
	}
	return nil
}

func (f *digestCache) checkTarget(target string) error {
	switch {
	case !utf8.ValidString(target):
		return fmt.Errorf("leads to %q, which is not UTF-8%s", target, noOther)
	case strings.HasPrefix(target, "/") && !f.absolute:
		return fmt.Errorf("leads to %q, and the server refuses links with absolute targets; make it a relative one in an --overlay, or allow them on the server", target)
	}
	return nil
}

// root is the folder in which a task begins: the wrapper's script, twice, and a place for
// temporary files beside the workspace.
func (f *digestCache) root(script digest, workspace *trial.Folder) ([]byte, error) {
	if _, err := f.digest(workspace); err != nil {
		return nil, err // which names a file as the user does: from the top of the workspace
	}
	file := &trial.Leaf{Path: scriptName, Executable: true, Size: script.size, Sum: script.sum}
	return f.encode(&trial.Folder{Entries: []trial.Entry{
		{Name: scriptName, File: file},
		{Name: tempName, Folder: f.temp},
		{Name: twinName, File: file},
		{Name: topName, Folder: workspace},
	}})
}

// walk calls use with each folder of a tree and each of its files, folders before what is
// in them, until it returns an error. Where skip reports true for a folder, nothing of it
// is shown.
func (f *digestCache) walk(folder *trial.Folder, skip func(digest) bool, use func(digest, *trial.Folder, *trial.Leaf) error) error {
	d, err := f.digest(folder)
	if err != nil {
		return err
	}
	if skip(d) {
		return nil
	}
	if err := use(d, folder, nil); err != nil {
		return err
	}
	for _, e := range folder.Entries {
		switch {
		case e.File != nil:
			if err := use(digestOfLeaf(e.File), nil, e.File); err != nil {
				return err
			}
		case e.Folder != nil:
			if err := f.walk(e.Folder, skip, use); err != nil {
				return err
			}
		}
	}
	return nil
}

// sorted gives properties the order that the API wants, by name, then by value, each once.
func sorted(properties [][2]string) *repb.Platform {
	if len(properties) == 0 {
		return nil
	}
	properties = slices.Clone(properties)
	slices.SortFunc(properties, func(a, b [2]string) int {
		if c := strings.Compare(a[0], b[0]); c != 0 {
			return c
		}
		return strings.Compare(a[1], b[1])
	})
	platform := &repb.Platform{}
	for _, p := range slices.Compact(properties) {
		platform.Properties = append(platform.Properties, &repb.Platform_Property{Name: p[0], Value: p[1]})
	}
	return platform
}

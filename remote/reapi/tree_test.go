package reapi

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	repb "github.com/bazelbuild/remote-apis/build/bazel/remote/execution/v2"
	"google.golang.org/protobuf/proto"

	"github.com/gitdd/gitdd/trial"
)

// TestEncode compares what is written here with what the generated types write, on random
// trees.
func TestEncode(t *testing.T) {
	seed := rand.Uint64()
	r := rand.New(rand.NewPCG(seed, 8))
	names := []string{"a", "A", "a.b", "a-b", "ab", "é", "日本", "with space", "new\nline", "'\"$", "-rf", strings.Repeat("n", 250)}
	var random func(depth int) *trial.Folder
	random = func(depth int) *trial.Folder {
		f := &trial.Folder{}
		for _, name := range names {
			e := trial.Entry{Name: name}
			switch r.IntN(6) {
			case 0, 1:
				e.File = &trial.Leaf{Path: name, Executable: r.IntN(2) == 0, Size: int64(r.IntN(2)) * r.Int64N(1<<r.IntN(40)+1)}
				for i := range e.File.Sum {
					e.File.Sum[i] = byte(r.Uint32())
				}
			case 2:
				e.Target = names[r.IntN(len(names))]
			case 3:
				if depth == 0 {
					continue
				}
				e.Folder = random(depth - 1)
			default:
				continue
			}
			f.Entries = append(f.Entries, e)
		}
		slices.SortFunc(f.Entries, func(a, b trial.Entry) int { return strings.Compare(a.Name, b.Name) })
		return f
	}
	var message func(f *trial.Folder) []byte
	message = func(f *trial.Folder) []byte {
		d := &repb.Directory{}
		for _, e := range f.Entries {
			switch {
			case e.File != nil:
				d.Files = append(d.Files, &repb.FileNode{Name: e.Name, Digest: digestOfLeaf(e.File).proto(), IsExecutable: e.File.Executable})
			case e.Folder != nil:
				d.Directories = append(d.Directories, &repb.DirectoryNode{Name: e.Name, Digest: digestOf(message(e.Folder)).proto()})
			default:
				d.Symlinks = append(d.Symlinks, &repb.SymlinkNode{Name: e.Name, Target: e.Target})
			}
		}
		data, err := proto.MarshalOptions{Deterministic: true}.Marshal(d)
		if err != nil {
			t.Fatal(err)
		}
		return data
	}
	for range 60 {
		folder := random(3)
		got, err := newDigestCache(true).encode(folder)
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		if want := message(folder); !bytes.Equal(got, want) {
			t.Fatalf("seed %d:\n got %x\nwant %x", seed, got, want)
		}
	}
}

// TestNoTree refuses what the API has no words for, and says where it is.
func TestNoTree(t *testing.T) {
	t.Parallel()
	in := func(e ...trial.Entry) *trial.Folder {
		return &trial.Folder{Entries: []trial.Entry{{Name: "src", Folder: &trial.Folder{Entries: e}}}}
	}
	leaf := &trial.Leaf{}
	for want, folder := range map[string]*trial.Folder{
		`"src/b\xff" is not UTF-8`:                     in(trial.Entry{Name: "b\xff", File: leaf}),
		`"src/link" leads to "\xff", which is not`:     in(trial.Entry{Name: "link", Target: "\xff"}),
		`"src/link" leads to "/etc", and the server`:   in(trial.Entry{Name: "link", Target: "/etc"}),
		`"src/.." is no name`:                          in(trial.Entry{Name: "..", File: leaf}),
		`"src/a/b" is no name`:                         in(trial.Entry{Name: "a/b", File: leaf}),
		`"src/a" stands behind "b" in its folder`:      in(trial.Entry{Name: "b", File: leaf}, trial.Entry{Name: "a", Target: "b"}),
		`"src/a" stands behind "a" in its folder`:      in(trial.Entry{Name: "a", File: leaf}, trial.Entry{Name: "a", Folder: &trial.Folder{}}),
		`"src/deep/er/b\xff" is not UTF-8, and the Re`: in(trial.Entry{Name: "deep", Folder: &trial.Folder{Entries: []trial.Entry{{Name: "er", Folder: &trial.Folder{Entries: []trial.Entry{{Name: "b\xff", File: leaf}}}}}}}),
	} {
		if _, err := newDigestCache(false).digest(folder); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
	if _, err := newDigestCache(true).digest(in(trial.Entry{Name: "link", Target: "/etc"})); err != nil {
		t.Error(err)
	}
	for _, e := range []trial.Entry{{Name: "b\xff", File: leaf}, {Name: "link", Target: "\xff"}} {
		_, err := newDigestCache(true).root(digest{}, in(e))
		if err == nil || !strings.HasPrefix(err.Error(), `"src/`) || !strings.Contains(err.Error(), "--with-patch") {
			t.Errorf("%v, want the path in the workspace, and what to do", err)
		}
	}
}

func TestSubject(t *testing.T) {
	t.Parallel()
	hash := strings.Repeat("0f", 32)
	for text, ok := range map[string]bool{
		"blobs/" + hash + "/7":           true,
		"main/eu/blobs/" + hash + "/7":   true,
		"blobs/" + hash + "/-7":          false,
		"blobs/" + hash + "/x":           false,
		"blobs/" + hash[2:] + "/7":       false,
		"blobs/blake3/" + hash + "/7":    false,
		"blobs/zz" + hash[2:] + "/7":     false,
		"":                               false,
		hash + "/7":                      false,
		"uploads/" + hash + "/" + hash:   false,
		"blobs/" + strings.ToUpper(hash): false,
	} {
		if d, got := subject(text); got != ok || ok && d.String() != fmt.Sprintf("%s/7", hash) {
			t.Errorf("%s: %v, %v", text, d, got)
		}
	}
}

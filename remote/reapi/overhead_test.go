package reapi_test

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"flag"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"cloud.google.com/go/longrunning/autogen/longrunningpb"
	repb "github.com/bazelbuild/remote-apis/build/bazel/remote/execution/v2"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/durationpb"

	"github.com/gitdd/gitdd/internal/reapitest"
	"github.com/gitdd/gitdd/remote/reapi"
	"github.com/gitdd/gitdd/trial"
)

var (
	endpoint = flag.String("endpoint", "", "grpc://host:port of a server for BenchmarkRemoteOverhead; none is the one of the tests")
	instance = flag.String("instance", "", "its instance name")

	untouched = flag.Bool("untouched", false, "as with --remote-untouched")
)

// BenchmarkRemoteOverhead times trials of the command true on a server, with one changed
// file between each two; in between them what the server takes for /bin/true with such a
// change, by one upload and one call; and what it takes for the smallest action that there
// is, /bin/true in an empty directory. All of it one after the other: ms/trial, ms/action
// and ms/empty are medians, ratio is the first divided by the second; least/trial and
// least/action are the shortest, for a machine that has other things to do.
func BenchmarkRemoteOverhead(b *testing.B) {
	for _, folders := range []int{1, 10, 100} {
		b.Run(fmt.Sprintf("files=%d", 10*folders), func(b *testing.B) { benchmarkOverhead(b, folders) })
	}
}

func benchmarkOverhead(b *testing.B, folders int) {
	at := *endpoint
	if at == "" {
		at = reapitest.Start(b, reapitest.Options{}).Endpoint()
	}
	client, err := reapi.Dial(b.Context(), reapi.Options{Endpoint: at, Instance: *instance, Untouched: *untouched, Jobs: 1})
	if err != nil {
		b.Fatal(err)
	}
	defer client.Close()
	engine := newEngine(b, strings.TrimPrefix(at, "grpc://"))
	files := newForest(folders)
	dir := b.TempDir()

	var trials, actions, empties []time.Duration
	var uploaded int64
	perform := func(i int) {
		t := trial.Task{
			Name: fmt.Sprintf("gitdd-overhead-%d", i), Files: files.change(), Command: []string{"true"},
			Keep: 1 << 20, Limit: time.Minute, // all trials but the first have one
			Output: func(name string) string { return filepath.Join(dir, name) },
		}
		began := time.Now()
		r, err := client.Run(b.Context(), t)
		took := time.Since(began)
		if err != nil || r.Cached || !r.Test.Ran || r.Test.Exit != 0 {
			b.Fatalf("%+v, %v", r, err)
		}
		trials = append(trials, took)
		uploaded += r.Uploaded
	}
	perform(0) // brings the files
	trials, uploaded = nil, 0
	for i := 1; b.Loop(); i++ {
		empties = append(empties, engine.act(b, emptyRoot))
		actions = append(actions, engine.act(b, files.changeBlobs))
		perform(i)
	}
	median := func(all []time.Duration) float64 {
		slices.Sort(all)
		return all[len(all)/2].Seconds() * 1e3
	}
	b.ReportMetric(median(trials), "ms/trial")
	b.ReportMetric(median(actions), "ms/action")
	b.ReportMetric(median(empties), "ms/empty")
	b.ReportMetric(median(trials)/median(actions), "ratio")
	b.ReportMetric(trials[0].Seconds()*1e3, "least/trial") // median has sorted them
	b.ReportMetric(actions[0].Seconds()*1e3, "least/action")
	b.ReportMetric(float64(uploaded)/float64(len(trials)), "B-uploaded/trial")
}

// An engine is a server without gitdd in front of it.
type engine struct {
	storage repb.ContentAddressableStorageClient
	execute repb.ExecutionClient
	command *repb.Digest
}

func newEngine(b *testing.B, address string) *engine {
	b.Helper()
	conn, err := grpc.NewClient(address, grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { conn.Close() })
	e := &engine{storage: repb.NewContentAddressableStorageClient(conn), execute: repb.NewExecutionClient(conn)}
	command := blobOf(&repb.Command{Arguments: []string{"/bin/true"}})
	e.upload(b, command)
	e.command = command.Digest
	return e
}

// upload sends blobs in one call.
func (e *engine) upload(b *testing.B, blobs ...blob) {
	b.Helper()
	r, err := e.storage.BatchUpdateBlobs(b.Context(), &repb.BatchUpdateBlobsRequest{InstanceName: *instance, Requests: blobs})
	if err != nil {
		b.Fatal(err)
	}
	for _, one := range r.Responses {
		if one.Status.GetCode() != 0 {
			b.Fatal(one)
		}
	}
}

type blob = *repb.BatchUpdateBlobsRequest_Request

func blobOf(m proto.Message) blob {
	text, err := proto.MarshalOptions{Deterministic: true}.Marshal(m)
	if err != nil {
		panic(err) // a message that was made here
	}
	return &repb.BatchUpdateBlobsRequest_Request{Digest: digestOf(sha256.Sum256(text), int64(len(text))), Data: text}
}

func digestOf(sum [32]byte, size int64) *repb.Digest {
	return &repb.Digest{Hash: hex.EncodeToString(sum[:]), SizeBytes: size}
}

// act executes an action that nobody ever had, and returns how long that took. What input
// returns is uploaded, and the last of it is the root.
func (e *engine) act(b *testing.B, input func() []blob) time.Duration {
	b.Helper()
	blobs := input()
	began := time.Now()
	action := blobOf(&repb.Action{
		CommandDigest: e.command, InputRootDigest: blobs[len(blobs)-1].Digest,
		Salt: []byte(rand.Text()), Timeout: durationpb.New(time.Minute),
	})
	e.upload(b, append(blobs, action)...)
	stream, err := e.execute.Execute(b.Context(), &repb.ExecuteRequest{InstanceName: *instance, ActionDigest: action.Digest})
	if err != nil {
		b.Fatal(err)
	}
	var last *longrunningpb.Operation
	for {
		o, err := stream.Recv()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			b.Fatal(err)
		}
		last = o
	}
	took := time.Since(began)
	r := &repb.ExecuteResponse{}
	if err := last.GetResponse().UnmarshalTo(r); err != nil {
		b.Fatal(err)
	}
	if r.Status.GetCode() != 0 || r.Result.ExitCode != 0 || r.CachedResult {
		b.Fatal(r)
	}
	return took
}

func emptyRoot() []blob { return []blob{blobOf(&repb.Directory{})} }

// A forest is a tree of files of a kilobyte, ten in each folder.
type forest struct {
	root     *trial.Folder
	contents map[string]string // by path
}

func newForest(folders int) *forest {
	t := &forest{root: &trial.Folder{}, contents: map[string]string{}}
	for i := range folders {
		folder := &trial.Folder{}
		for j := range 10 {
			path := fmt.Sprintf("d%02d/f%d.txt", i, j)
			folder.Entries = append(folder.Entries, t.file(path, path+strings.Repeat(" line\n", 170)))
		}
		t.root.Entries = append(t.root.Entries, trial.Entry{Name: fmt.Sprintf("d%02d", i), Folder: folder})
	}
	return t
}

func (t *forest) file(path, content string) trial.Entry {
	t.contents[path] = content
	return trial.Entry{Name: filepath.Base(path), File: &trial.Leaf{
		Path: path, Size: int64(len(content)), Sum: sha256.Sum256([]byte(content))}}
}

// change makes a snapshot in which the first file differs from before.
func (t *forest) change() *trial.Snapshot {
	folder := &trial.Folder{Entries: slices.Clone(t.root.Entries[0].Folder.Entries)}
	folder.Entries[0] = t.file("d00/f0.txt", rand.Text()+strings.Repeat(" line\n", 170))
	t.root = &trial.Folder{Entries: slices.Clone(t.root.Entries)}
	t.root.Entries[0].Folder = folder
	return &trial.Snapshot{Root: t.root, Read: func(ctx context.Context, files []*trial.Leaf, use func(*trial.Leaf, io.Reader) error) error {
		for _, f := range files {
			if err := use(f, strings.NewReader(t.contents[f.Path])); err != nil {
				return err
			}
		}
		return ctx.Err()
	}}
}

// changeBlobs is change for a server without gitdd: the file, its folder, and the root.
func (t *forest) changeBlobs() []blob {
	t.change()
	file := t.root.Entries[0].Folder.Entries[0].File
	root := &repb.Directory{}
	var blobs []blob
	for i, e := range t.root.Entries {
		folder := &repb.Directory{}
		for _, f := range e.Folder.Entries {
			folder.Files = append(folder.Files, &repb.FileNode{Name: f.Name, Digest: digestOf(f.File.Sum, f.File.Size)})
		}
		b := blobOf(folder)
		if i == 0 {
			blobs = append(blobs, &repb.BatchUpdateBlobsRequest_Request{
				Digest: digestOf(file.Sum, file.Size), Data: []byte(t.contents[file.Path])}, b)
		}
		root.Directories = append(root.Directories, &repb.DirectoryNode{Name: e.Name, Digest: b.Digest})
	}
	return append(blobs, blobOf(root))
}

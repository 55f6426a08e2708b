package reapitest_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"cloud.google.com/go/longrunning/autogen/longrunningpb"
	repb "github.com/bazelbuild/remote-apis/build/bazel/remote/execution/v2"
	"github.com/google/go-cmp/cmp"
	bspb "google.golang.org/genproto/googleapis/bytestream"
	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/durationpb"

	"github.com/gitdd/gitdd/internal/reapitest"
	"github.com/gitdd/gitdd/internal/seed"
)

// A client says the words of the protocol one by one.
type client struct {
	t    *testing.T
	conn *grpc.ClientConn
}

func dial(t *testing.T, s *reapitest.Server) *client {
	t.Helper()
	conn, err := grpc.NewClient(s.Address(), grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	return &client{t, conn}
}

func digest(content []byte) *repb.Digest {
	h := sha256.Sum256(content)
	return &repb.Digest{Hash: hex.EncodeToString(h[:]), SizeBytes: int64(len(content))}
}

func (c *client) put(content []byte) *repb.Digest {
	c.t.Helper()
	d := digest(content)
	r, err := repb.NewContentAddressableStorageClient(c.conn).BatchUpdateBlobs(c.t.Context(),
		&repb.BatchUpdateBlobsRequest{Requests: []*repb.BatchUpdateBlobsRequest_Request{{Digest: d, Data: content}}})
	if err != nil {
		c.t.Fatal(err)
	}
	if s := r.Responses[0].Status; s.Code != 0 {
		c.t.Fatal(s)
	}
	return d
}

func (c *client) message(m proto.Message) *repb.Digest {
	c.t.Helper()
	b, err := proto.MarshalOptions{Deterministic: true}.Marshal(m)
	if err != nil {
		c.t.Fatal(err)
	}
	return c.put(b)
}

func (c *client) get(d *repb.Digest) string {
	c.t.Helper()
	content, err := c.read(d, 0)
	if err != nil {
		c.t.Fatal(err)
	}
	return string(content)
}

func (c *client) read(d *repb.Digest, offset int64) ([]byte, error) {
	stream, err := bspb.NewByteStreamClient(c.conn).Read(c.t.Context(),
		&bspb.ReadRequest{ResourceName: fmt.Sprintf("blobs/%s/%d", d.Hash, d.SizeBytes), ReadOffset: offset})
	if err != nil {
		return nil, err
	}
	var content []byte
	for {
		r, err := stream.Recv()
		if errors.Is(err, io.EOF) {
			return content, nil
		}
		if err != nil {
			return content, err
		}
		content = append(content, r.Data...)
	}
}

// shell is an action that runs a line of shell on an empty input, and has output "out".
func (c *client) shell(line string, more func(*repb.Action, *repb.Command)) *repb.Digest {
	c.t.Helper()
	command := &repb.Command{Arguments: []string{"/bin/sh", "-c", line}, OutputPaths: []string{"out"}}
	action := &repb.Action{InputRootDigest: c.message(&repb.Directory{})}
	if more != nil {
		more(action, command)
	}
	action.CommandDigest = c.message(command)
	return c.message(action)
}

type stream interface {
	Recv() (*longrunningpb.Operation, error)
}

// follow reads a stream to its end: nil and no error if it ended before there was a result.
func follow(s stream, stages func(*longrunningpb.Operation)) (*repb.ExecuteResponse, error) {
	var response *repb.ExecuteResponse
	for {
		o, err := s.Recv()
		if errors.Is(err, io.EOF) {
			return response, nil
		}
		if err != nil {
			return nil, err
		}
		if stages != nil {
			stages(o)
		}
		if o.Done {
			response = &repb.ExecuteResponse{}
			if err := o.GetResponse().UnmarshalTo(response); err != nil {
				return nil, err
			}
		}
	}
}

func (c *client) execute(action *repb.Digest) (*repb.ExecuteResponse, error) {
	return c.executeWith(&repb.ExecuteRequest{ActionDigest: action}, nil)
}

func (c *client) executeWith(r *repb.ExecuteRequest, stages func(*longrunningpb.Operation)) (*repb.ExecuteResponse, error) {
	s, err := repb.NewExecutionClient(c.conn).Execute(c.t.Context(), r)
	if err != nil {
		return nil, err
	}
	return follow(s, stages)
}

func (c *client) done(action *repb.Digest) *repb.ExecuteResponse {
	c.t.Helper()
	r, err := c.execute(action)
	if err != nil {
		c.t.Fatal(err)
	}
	if r == nil {
		c.t.Fatal("the stream ended without a result")
	}
	return r
}

func TestExecute(t *testing.T) {
	t.Setenv("REAPITEST_SECRET", "of the test")
	s := reapitest.Start(t, reapitest.Options{})
	c := dial(t, s)
	sub := c.message(&repb.Directory{Files: []*repb.FileNode{{Name: "deep", Digest: c.put([]byte("deep\n"))}}})
	root := c.message(&repb.Directory{
		Files: []*repb.FileNode{
			{Name: "empty", Digest: digest(nil)},
			{Name: "run", Digest: c.put([]byte("#!/bin/sh\necho ran $VAR\n")), IsExecutable: true},
			{Name: "text", Digest: c.put([]byte("text\n"))},
		},
		Directories: []*repb.DirectoryNode{{Name: "sub", Digest: sub}},
		Symlinks:    []*repb.SymlinkNode{{Name: "link", Target: "sub/deep"}},
	})
	line := `cat text link; ./run; test -f empty && ! test -s empty; test ! -x text || exit 9
		env | grep -v -e ^PWD= -e ^OLDPWD= -e ^_= -e ^SHLVL= -e ^REAPITEST_ACTION= >env
		mkdir -p tree/a && echo x >tree/a/b && ln -s b tree/a/c && ln -s text made && echo grumble >&2`
	action := c.shell(line, func(a *repb.Action, m *repb.Command) {
		a.InputRootDigest = root
		m.EnvironmentVariables = []*repb.Command_EnvironmentVariable{{Name: "VAR", Value: "a b"}}
		m.OutputPaths = []string{"env", "in/new/folder", "made", "not/made", "tree"}
	})
	var stages []repb.ExecutionStage_Value
	r, err := c.executeWith(&repb.ExecuteRequest{ActionDigest: action, InlineStdout: true, InlineOutputFiles: []string{"env"}},
		func(o *longrunningpb.Operation) {
			m := &repb.ExecuteOperationMetadata{}
			if err := o.Metadata.UnmarshalTo(m); err != nil {
				t.Error(err)
			}
			stages = append(stages, m.Stage)
		})
	if err != nil || r.Status.GetCode() != 0 || r.Result.ExitCode != 0 {
		t.Fatal(r, err)
	}
	if !slices.IsSorted(stages) || stages[len(stages)-1] != repb.ExecutionStage_COMPLETED {
		t.Errorf("stages %v", stages)
	}
	if got, want := string(r.Result.StdoutRaw), "text\ndeep\nran a b\n"; got != want {
		t.Errorf("printed %q, want %q", got, want)
	}
	if got, want := c.get(r.Result.StderrDigest), "grumble\n"; got != want {
		t.Errorf("printed %q on stderr, want %q", got, want)
	}
	if len(r.Result.OutputFiles) != 1 || len(r.Result.OutputDirectories) != 1 || len(r.Result.OutputSymlinks) != 1 {
		t.Fatalf("outputs %v", r.Result)
	}
	if got, want := string(r.Result.OutputFiles[0].Contents), "VAR=a b\n"; got != want {
		t.Errorf("the environment is %q, want %q", got, want)
	}
	tree := &repb.Tree{}
	if err := proto.Unmarshal([]byte(c.get(r.Result.OutputDirectories[0].TreeDigest)), tree); err != nil {
		t.Fatal(err)
	}
	if a := tree.Children[0]; a.Files[0].Name != "b" || a.Symlinks[0].Target != "b" || tree.Root.Directories[0].Name != "a" {
		t.Errorf("tree %v", tree)
	}
	if m := r.Result.ExecutionMetadata; !strings.HasPrefix(m.Worker, "worker-") || m.ExecutionStartTimestamp == nil ||
		m.WorkerCompletedTimestamp.AsTime().Before(m.QueuedTimestamp.AsTime()) {
		t.Errorf("metadata %v", m)
	}

	if again := c.done(action); !again.CachedResult {
		t.Error("the second time is not cached")
	}
	salted := c.shell(line, func(a *repb.Action, m *repb.Command) {
		a.InputRootDigest, a.Salt = root, []byte("salt")
		m.EnvironmentVariables = []*repb.Command_EnvironmentVariable{{Name: "VAR", Value: "a b"}}
		m.OutputPaths = []string{"env", "in/new/folder", "made", "not/made", "tree"}
	})
	if c.done(salted).CachedResult {
		t.Error("another salt is cached")
	}
	if r, err := c.executeWith(&repb.ExecuteRequest{ActionDigest: action, SkipCacheLookup: true}, nil); err != nil || r.CachedResult {
		t.Error("skip_cache_lookup looked up", err)
	}
	for line, more := range map[string]func(*repb.Action, *repb.Command){
		"exit 3": nil,
		"exit 0": func(a *repb.Action, _ *repb.Command) { a.DoNotCache = true },
	} {
		action := c.shell(line, more)
		c.done(action)
		if c.done(action).CachedResult {
			t.Errorf("%s is cached", line)
		}
	}
	if n := s.Counts(); n.Executions != 7 || n.Finished != 7 || n.Cached != 1 {
		t.Errorf("counted %+v", n)
	}
}

// TestLimit shows that the timeout of an action ends what it started, wherever that went.
func TestLimit(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("processes that leave their group are found on Linux only")
	}
	s := reapitest.Start(t, reapitest.Options{})
	c := dial(t, s)
	dir := t.TempDir()
	line := fmt.Sprintf(`cd / && setsid sh -c 'echo $$ >%s/pid.new && mv %[1]s/pid.new %[1]s/pid && exec sleep 1000' & 
		until test -f %[1]s/pid; do sleep 0.01; done; sleep 1000`, dir)
	action := c.shell(line, func(a *repb.Action, _ *repb.Command) { a.Timeout = durationpb.New(200 * time.Millisecond) })
	r := c.done(action)
	if r.Status.GetCode() != int32(codes.DeadlineExceeded) {
		t.Fatal(r)
	}
	if pid, err := os.ReadFile(filepath.Join(dir, "pid")); err == nil {
		if env, err := os.ReadFile("/proc/" + strings.TrimSpace(string(pid)) + "/environ"); err == nil && len(env) > 0 {
			t.Errorf("process %s lives", pid)
		}
	}
	if s.Running() != 0 {
		t.Error("the command runs still")
	}
}

func TestCancel(t *testing.T) {
	s := reapitest.Start(t, reapitest.Options{Workers: 1})
	c := dial(t, s)
	action := c.shell("sleep 1000", nil)
	names := make(chan string, 2)
	answers := make(chan *repb.ExecuteResponse, 2)
	for range 2 { // of the same: they share the execution
		go func() {
			told := false
			r, err := c.executeWith(&repb.ExecuteRequest{ActionDigest: action}, func(o *longrunningpb.Operation) {
				if !told {
					told = true
					names <- o.Name
				}
			})
			if err != nil {
				t.Error(err)
			}
			answers <- r
		}()
	}
	s.Await(func(n reapitest.Counts) bool { return n.Executions == 1 && n.Merged == 1 })
	for i := range 2 {
		if i == 1 && s.Running() != 1 {
			t.Error("one of two cancelled: the command ended")
		}
		if _, err := longrunningpb.NewOperationsClient(c.conn).CancelOperation(t.Context(),
			&longrunningpb.CancelOperationRequest{Name: <-names}); err != nil {
			t.Fatal(err)
		}
		if r := <-answers; r.GetStatus().GetCode() != int32(codes.Canceled) {
			t.Error(r)
		}
	}
	s.Await(func(n reapitest.Counts) bool { return n.Cancelled == 1 && s.Running() == 0 })
	if n := s.Counts(); n.Executions != 1 || n.Finished != 0 {
		t.Errorf("counted %+v", n)
	}
}

// TestAbandon shows that an action ends when its streams are closed, where that is asked.
func TestAbandon(t *testing.T) {
	s := reapitest.Start(t, reapitest.Options{NoCancel: true, Abandon: time.Millisecond})
	c := dial(t, s)
	ctx, cancel := context.WithCancel(t.Context())
	if _, err := repb.NewExecutionClient(c.conn).Execute(ctx, &repb.ExecuteRequest{ActionDigest: c.shell("sleep 1000", nil)}); err != nil {
		t.Fatal(err)
	}
	s.Await(func(n reapitest.Counts) bool { return n.Executions == 1 })
	cancel()
	s.Await(func(n reapitest.Counts) bool { return n.Cancelled == 1 && s.Running() == 0 })
	_, err := longrunningpb.NewOperationsClient(c.conn).CancelOperation(t.Context(), &longrunningpb.CancelOperationRequest{})
	if status.Code(err) != codes.Unimplemented {
		t.Error(err)
	}
}

func TestMissing(t *testing.T) {
	s := reapitest.Start(t, reapitest.Options{})
	c := dial(t, s)
	find := func(want int, d ...*repb.Digest) {
		t.Helper()
		r, err := repb.NewContentAddressableStorageClient(c.conn).FindMissingBlobs(t.Context(),
			&repb.FindMissingBlobsRequest{BlobDigests: d})
		if err != nil || len(r.MissingBlobDigests) != want {
			t.Error(r, err)
		}
	}
	here, file, folder := c.put([]byte("here")), digest([]byte("file")), digest([]byte("folder"))
	find(2, here, file, folder, file, digest(nil))
	action := c.shell("true", func(a *repb.Action, _ *repb.Command) {
		a.InputRootDigest = c.message(&repb.Directory{
			Files:       []*repb.FileNode{{Name: "file", Digest: file}, {Name: "here", Digest: here}},
			Directories: []*repb.DirectoryNode{{Name: "sub", Digest: folder}},
		})
	})
	named := func(s *status.Status) []string {
		var names []string
		for _, d := range s.Details() {
			for _, v := range d.(*errdetails.PreconditionFailure).Violations {
				names = append(names, v.Type+" "+v.Subject)
			}
		}
		return names
	}
	r := c.done(action)
	want := []string{"MISSING blobs/" + file.Hash + "/4", "MISSING blobs/" + folder.Hash + "/6"}
	if got := status.FromProto(r.Status); got.Code() != codes.FailedPrecondition || !slices.Equal(named(got), want) {
		t.Error(cmp.Diff(want, named(got)), got)
	}
	_, err := c.execute(file) // the action itself
	if got := status.Convert(err); got.Code() != codes.FailedPrecondition || !slices.Equal(named(got), want[:1]) {
		t.Error(err)
	}
}

// TestStrict shows that what the protocol forbids is noted.
func TestStrict(t *testing.T) {
	s := reapitest.Start(t, reapitest.Options{MaxBatch: 1000, NoAbsolute: true})
	c := dial(t, s)
	file := c.put([]byte("x"))
	files := func(names ...string) *repb.Directory {
		d := &repb.Directory{}
		for _, n := range names {
			d.Files = append(d.Files, &repb.FileNode{Name: n, Digest: file})
		}
		return d
	}
	with := func(root proto.Message) func() error {
		return func() error {
			r, err := c.execute(c.shell("true", func(a *repb.Action, _ *repb.Command) { a.InputRootDigest = c.message(root) }))
			if err != nil {
				return err
			}
			return status.ErrorProto(r.Status)
		}
	}
	command := func(change func(*repb.Action, *repb.Command)) func() error {
		return func() error {
			r, err := c.execute(c.shell("true", change))
			if err != nil {
				return err
			}
			return status.ErrorProto(r.Status)
		}
	}
	storage := repb.NewContentAddressableStorageClient(c.conn)
	uuid := "01234567-89ab-4def-8123-456789abcdef"
	tests := []struct {
		name, want string
		do         func() error
	}{
		{"unsorted files", `file "a" stands behind "b"`, with(files("b", "a"))},
		{"two of a name", `two entries "a"`, with(files("a", "a"))},
		{"two of a name and different kinds", `two entries "a"`, with(&repb.Directory{
			Files: files("a").Files, Symlinks: []*repb.SymlinkNode{{Name: "a", Target: "b"}}})},
		{"path as name", `file "a/b"`, with(files("a/b"))},
		{"parent as name", `file ".."`, with(files(".."))},
		{"no name", `file ""`, with(files(""))},
		{"unsorted folders", `directory "a" stands behind "b"`, with(&repb.Directory{
			Directories: []*repb.DirectoryNode{{Name: "b", Digest: file}, {Name: "a", Digest: file}}})},
		{"unsorted links", `symbolic link "a" stands behind "b"`, with(&repb.Directory{
			Symlinks: []*repb.SymlinkNode{{Name: "b", Target: "x"}, {Name: "a", Target: "x"}}})},
		{"absolute link", `absolute ones are not allowed`, with(&repb.Directory{Symlinks: []*repb.SymlinkNode{{Name: "a", Target: "/etc"}}})},
		{"no digest", `file a has no digest`, with(&repb.Directory{Files: []*repb.FileNode{{Name: "a"}}})},
		{"large digits", `is no SHA-256`, with(&repb.Directory{Files: []*repb.FileNode{
			{Name: "a", Digest: &repb.Digest{Hash: strings.ToUpper(file.Hash), SizeBytes: 1}}}})},
		{"node properties", `node properties of "a"`, with(&repb.Directory{Files: []*repb.FileNode{
			{Name: "a", Digest: file, NodeProperties: &repb.NodeProperties{}}}})},
		{"unknown fields", `fields that nobody knows`, with(&repb.ExecuteRequest{ActionDigest: file})}, // a Directory has no field 6
		{"no arguments", `a Command without arguments`, command(func(_ *repb.Action, m *repb.Command) { m.Arguments = nil })},
		{"no program", `cannot be started`, command(func(_ *repb.Action, m *repb.Command) { m.Arguments = []string{"./none"} })},
		{"unsorted variables", `environment variable "A"`, command(func(_ *repb.Action, m *repb.Command) {
			m.EnvironmentVariables = []*repb.Command_EnvironmentVariable{{Name: "B"}, {Name: "A"}}
		})},
		{"two variables", `environment variable "A"`, command(func(_ *repb.Action, m *repb.Command) {
			m.EnvironmentVariables = []*repb.Command_EnvironmentVariable{{Name: "A"}, {Name: "A", Value: "b"}}
		})},
		{"unsorted outputs", `output path "a"`, command(func(_ *repb.Action, m *repb.Command) { m.OutputPaths = []string{"b", "a"} })},
		{"output with slash", `output path "a/"`, command(func(_ *repb.Action, m *repb.Command) { m.OutputPaths = []string{"a/"} })},
		{"output outside", `output path "../a"`, command(func(_ *repb.Action, m *repb.Command) { m.OutputPaths = []string{"../a"} })},
		{"no working directory", `"a" is not in the input root`, command(func(_ *repb.Action, m *repb.Command) { m.WorkingDirectory = "a" })},
		{"unsorted properties", `platform property "a"`, command(func(a *repb.Action, _ *repb.Command) {
			a.Platform = &repb.Platform{Properties: []*repb.Platform_Property{{Name: "b"}, {Name: "a"}}}
		})},
		{"no timeout", `timeout`, command(func(a *repb.Action, _ *repb.Command) { a.Timeout = &durationpb.Duration{} })},
		{"wrong content", `holds what has digest`, func() error {
			r, err := storage.BatchUpdateBlobs(t.Context(), &repb.BatchUpdateBlobsRequest{
				Requests: []*repb.BatchUpdateBlobsRequest_Request{{Digest: file, Data: []byte("y")}}})
			if err != nil {
				return err
			}
			return status.ErrorProto(r.Responses[0].Status)
		}},
		{"large batch", `with 1001 bytes, at most 1000`, func() error {
			_, err := storage.BatchUpdateBlobs(t.Context(), &repb.BatchUpdateBlobsRequest{
				Requests: []*repb.BatchUpdateBlobsRequest_Request{{Digest: file, Data: make([]byte, 1001)}}})
			return err
		}},
		{"other digests", `digest function BLAKE3 was not announced`, func() error {
			_, err := storage.FindMissingBlobs(t.Context(), &repb.FindMissingBlobsRequest{DigestFunction: repb.DigestFunction_BLAKE3})
			return err
		}},
		{"name of a download", `is not the name of a download`, func() error {
			_, err := c.read(&repb.Digest{Hash: "x"}, 0)
			return err
		}},
		{"no UUID", `has no UUID`, func() error { return c.write("uploads/x/blobs/"+file.Hash+"/1", 0, []byte("x")) }},
		{"offset", `offset 1, but 0 bytes are there`, func() error {
			return c.write("uploads/"+uuid+"/blobs/"+digest([]byte("yy")).Hash+"/2", 1, []byte("y"))
		}},
		{"too long", `more bytes than its size`, func() error {
			return c.write("uploads/"+uuid+"/blobs/"+digest([]byte("z")).Hash+"/1", 0, []byte("zz"))
		}},
		{"wrong upload", `what came has digest`, func() error {
			return c.write("uploads/"+uuid+"/blobs/"+digest([]byte("v")).Hash+"/1", 0, []byte("w"))
		}},
	}
	for _, tt := range tests {
		err := tt.do()
		if status.Code(err) != codes.InvalidArgument {
			t.Errorf("%s: %v", tt.name, err)
		}
		if got := s.Violations(); len(got) != 1 || !strings.Contains(got[0], tt.want) {
			t.Errorf("%s: noted %q, want %q", tt.name, got, tt.want)
		}
	}
}

// write uploads by ByteStream, each part as a message.
func (c *client) write(name string, offset int64, parts ...[]byte) error {
	w, err := bspb.NewByteStreamClient(c.conn).Write(c.t.Context())
	if err != nil {
		return err
	}
	for i, p := range parts {
		r := &bspb.WriteRequest{WriteOffset: offset, Data: p, FinishWrite: i == len(parts)-1}
		if i == 0 {
			r.ResourceName = name
		}
		if w.Send(r) != nil {
			break // the answer says why
		}
		offset += int64(len(p))
	}
	_, err = w.CloseAndRecv()
	return err
}

func TestStreams(t *testing.T) {
	s := reapitest.Start(t, reapitest.Options{Instance: "main/one", Fault: reapitest.First(1, reapitest.BrokenUpload, reapitest.BrokenDownload)})
	c := dial(t, s)
	content := bytes.Repeat([]byte("0123456789"), 30_000)
	d := digest(content)
	name := fmt.Sprintf("uploads/01234567-89ab-4def-8123-456789abcdef/blobs/%s/%d", d.Hash, d.SizeBytes)
	if err := c.write(name, 0, content); status.Code(err) != codes.NotFound {
		t.Errorf("without an instance: %v", err)
	}
	name = "main/one/" + name
	query := func() (*bspb.QueryWriteStatusResponse, error) {
		return bspb.NewByteStreamClient(c.conn).QueryWriteStatus(t.Context(), &bspb.QueryWriteStatusRequest{ResourceName: name})
	}
	if _, err := query(); status.Code(err) != codes.NotFound {
		t.Error(err)
	}
	if err := c.write(name, 0, content[:100], content[100:]); status.Code(err) != codes.Unavailable {
		t.Errorf("a broken upload: %v", err)
	}
	if r, err := query(); err != nil || r.CommittedSize != 100 || r.Complete {
		t.Error(r, err)
	}
	for range 2 { // the second finds it there
		if err := c.write(name, 100, content[100:200_000], content[200_000:]); err != nil {
			t.Error(err)
		}
	}
	if r, err := query(); err != nil || r.CommittedSize != d.SizeBytes || !r.Complete {
		t.Error(r, err)
	}
	// Names of blobs have the instance before them, too.
	in := &repb.Digest{Hash: d.Hash, SizeBytes: d.SizeBytes}
	read := func(offset int64) ([]byte, error) {
		stream, err := bspb.NewByteStreamClient(c.conn).Read(t.Context(), &bspb.ReadRequest{
			ResourceName: fmt.Sprintf("main/one/blobs/%s/%d", in.Hash, in.SizeBytes), ReadOffset: offset})
		if err != nil {
			return nil, err
		}
		var got []byte
		for {
			r, err := stream.Recv()
			if err != nil {
				if errors.Is(err, io.EOF) {
					err = nil
				}
				return got, err
			}
			got = append(got, r.Data...)
		}
	}
	half, err := read(0)
	if status.Code(err) != codes.Unavailable || !bytes.Equal(half, content[:len(content)/2]) {
		t.Errorf("%d bytes, %v", len(half), err)
	}
	rest, err := read(int64(len(half)))
	if err != nil || !bytes.Equal(append(half, rest...), content) {
		t.Errorf("%d bytes, %v", len(rest), err)
	}
	if _, err := read(d.SizeBytes + 1); status.Code(err) != codes.OutOfRange {
		t.Error(err)
	}
	n := s.Counts()
	if n.Needless != 1 || n.Blobs != 1 || n.BlobBytes != d.SizeBytes || n.Methods["Write"].Calls != 4 || n.Methods["Write"].Received < d.SizeBytes {
		t.Errorf("counted %+v", n)
	}
}

// TestFaults shows what each fault of an execution looks like, that it strikes once, and
// that the action then succeeds.
func TestFaults(t *testing.T) {
	const inResponse, ended = 1 << 8, 1 << 9
	want := map[reapitest.Fault]int{
		reapitest.LostWorker:    inResponse | int(codes.Unavailable),
		reapitest.LostOperation: int(codes.Unavailable),
		reapitest.LostLater:     inResponse | int(codes.Internal),
		reapitest.Preempted:     inResponse | int(codes.Canceled),
		reapitest.Deadline:      inResponse | int(codes.DeadlineExceeded),
		reapitest.Vanished:      inResponse | int(codes.FailedPrecondition),
		reapitest.Exhausted:     int(codes.ResourceExhausted),
		reapitest.Refused:       int(codes.Unavailable),
		reapitest.BrokenExecute: int(codes.Unavailable),
		reapitest.EndedExecute:  ended,
		reapitest.Memory:        inResponse,
		reapitest.Straggler:     inResponse,
		reapitest.SlowAnswer:    inResponse,
		reapitest.LostOutput:    inResponse,
	}
	for _, f := range reapitest.Faults() {
		code, ok := want[f]
		if !ok {
			continue // of other methods than Execute
		}
		t.Run(f.String(), func(t *testing.T) {
			t.Parallel()
			var struck atomic.Bool
			s := reapitest.Start(t, reapitest.Options{
				Delay: time.Millisecond, Straggle: time.Millisecond,
				Fault: func(g reapitest.Fault, subject string, nth int) bool {
					return g == f && nth == 1 && struck.CompareAndSwap(false, true)
				}})
			c := dial(t, s)
			input := func(a *repb.Action, _ *repb.Command) {
				a.InputRootDigest = c.message(&repb.Directory{Files: []*repb.FileNode{{Name: "a", Digest: c.put([]byte("a"))}}})
			}
			action := c.shell("echo done >out", input)
			var name string
			r, err := c.executeWith(&repb.ExecuteRequest{ActionDigest: action}, func(o *longrunningpb.Operation) { name = o.Name })
			got := int(status.Code(err))
			switch {
			case err == nil && r == nil:
				got = ended
			case err == nil:
				got = inResponse | int(r.Status.GetCode())
			}
			if f == reapitest.SlowAnswer { // of the upload, which is the first to be answered
				code = inResponse
			}
			if got != code {
				t.Errorf("got %x, want %x: %v %v", got, code, r, err)
			}
			if s.Counts().Faults[f] != 1 {
				t.Errorf("counted %v", s.Counts().Faults)
			}
			switch f {
			case reapitest.Memory:
				if r.Result.ExitCode != 137 {
					t.Error(r)
				}
			case reapitest.LostOutput:
				if _, err := c.read(r.Result.OutputFiles[0].Digest, 0); status.Code(err) != codes.NotFound {
					t.Error(err)
				}
			case reapitest.BrokenExecute, reapitest.EndedExecute, reapitest.LostOperation:
				w, err := repb.NewExecutionClient(c.conn).WaitExecution(t.Context(), &repb.WaitExecutionRequest{Name: name})
				if err != nil {
					t.Fatal(err)
				}
				r, err := follow(w, nil)
				if f == reapitest.LostOperation {
					if status.Code(err) != codes.NotFound {
						t.Error(r, err)
					}
				} else if err != nil || r.Result.ExitCode != 0 {
					t.Error(r, err)
				}
			}
			c.shell("echo done >out", input) // uploads all again
			if r := c.done(action); r.Result.GetExitCode() != 0 || c.get(r.Result.OutputFiles[0].Digest) != "done\n" {
				t.Error(r)
			}
		})
	}
}

func TestQueue(t *testing.T) {
	s := reapitest.Start(t, reapitest.Options{Workers: 1, Queue: 1})
	c := dial(t, s)
	dir := t.TempDir()
	ends := make(chan error, 3)
	start := func(i int) {
		go func() {
			_, err := c.execute(c.shell(fmt.Sprintf("until test -e %s/go; do sleep 0.01; done # %d", dir, i), nil))
			ends <- err
		}()
	}
	start(1)
	s.Await(func(n reapitest.Counts) bool { return n.Executions == 1 })
	start(2)
	start(3)
	if err := <-ends; status.Code(err) != codes.ResourceExhausted {
		t.Errorf("the third: %v", err)
	}
	if err := os.WriteFile(filepath.Join(dir, "go"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := <-ends; err != nil {
			t.Error(err)
		}
	}
}

func TestWarm(t *testing.T) {
	s := reapitest.Start(t, reapitest.Options{Workers: 1, Properties: map[string][]string{
		"recycle-runner": {"true"}, "preserve-workspace": {"true"}}})
	c := dial(t, s)
	run := func(files string, line string, properties ...string) string {
		t.Helper()
		r := c.done(c.shell(line, func(a *repb.Action, m *repb.Command) {
			root := &repb.Directory{}
			for f := range strings.FieldsSeq(files) {
				root.Files = append(root.Files, &repb.FileNode{Name: f, Digest: c.put([]byte(f))})
			}
			a.InputRootDigest = c.message(root)
			a.Platform = &repb.Platform{}
			for _, p := range properties {
				a.Platform.Properties = append(a.Platform.Properties, &repb.Platform_Property{Name: p, Value: "true"})
			}
		}))
		if r.Status.GetCode() != 0 || r.Result.ExitCode != 0 {
			t.Fatal(r)
		}
		return c.get(r.Result.StdoutDigest)
	}
	warm := []string{"preserve-workspace", "recycle-runner"}
	if got := run("a b", "echo made >built; echo; echo >out; ls | tr '\\n' ' '", warm...); got != "\na b built out " {
		t.Errorf("first: %q", got)
	}
	if got := run("b c", "ls | tr '\\n' ' '", warm...); got != "b built c " {
		t.Errorf("second: %q", got)
	}
	if got := run("b", "ls | tr '\\n' ' '"); got != "b " {
		t.Errorf("cold: %q", got)
	}
	_, err := c.execute(c.shell("true", func(a *repb.Action, _ *repb.Command) {
		a.Platform = &repb.Platform{Properties: []*repb.Platform_Property{{Name: "OSFamily", Value: "vms"}}}
	}))
	if status.Code(err) != codes.FailedPrecondition || !strings.Contains(err.Error(), "no worker has OSFamily=vms") {
		t.Error(err)
	}
}

func TestAway(t *testing.T) {
	s := reapitest.Start(t, reapitest.Options{})
	c := dial(t, s)
	before := s.Address()
	blob := c.put([]byte("stays"))
	ended := make(chan error, 1)
	action := c.shell("sleep 1000", nil)
	go func() {
		_, err := c.execute(action)
		ended <- err
	}()
	s.Await(func(n reapitest.Counts) bool { return n.Executions == 1 })
	s.Leave()
	if err := <-ended; status.Code(err) != codes.Unavailable {
		t.Error(err)
	}
	if s.Running() != 0 {
		t.Error("the action goes on")
	}
	if _, err := c.execute(action); status.Code(err) != codes.Unavailable {
		t.Error(err)
	}
	s.Return()
	if s.Address() != before {
		t.Errorf("was %s, is %s", before, s.Address())
	}
	stream, err := bspb.NewByteStreamClient(c.conn).Read(t.Context(),
		&bspb.ReadRequest{ResourceName: "blobs/" + blob.Hash + "/5"}, grpc.WaitForReady(true))
	if err != nil {
		t.Fatal(err)
	}
	if r, err := stream.Recv(); err != nil || string(r.Data) != "stays" {
		t.Error(r, err)
	}
}

func TestCredentials(t *testing.T) {
	s := reapitest.Start(t, reapitest.Options{ClientCert: true, Header: [2]string{"x-api-key", "secret"}})
	cert, key := s.Client()
	strange, strangeKey := s.Stranger()
	for _, tt := range []struct {
		name, cert, key, header string
		want                    codes.Code
	}{
		{"right", cert, key, "secret", codes.OK},
		{"wrong header", cert, key, "guess", codes.Unauthenticated},
		{"no header", cert, key, "", codes.Unauthenticated},
		{"stranger", strange, strangeKey, "secret", codes.Unavailable},
		{"no certificate", "", "", "secret", codes.Unavailable},
	} {
		creds, err := credentials.NewClientTLSFromFile(s.Authority(), "")
		if err != nil {
			t.Fatal(err)
		}
		if tt.cert != "" {
			creds = withCert(t, s.Authority(), tt.cert, tt.key)
		}
		conn, err := grpc.NewClient(s.Address(), grpc.WithTransportCredentials(creds))
		if err != nil {
			t.Fatal(err)
		}
		ctx := t.Context()
		if tt.header != "" {
			ctx = metadata.AppendToOutgoingContext(ctx, "x-api-key", tt.header)
		}
		_, err = repb.NewCapabilitiesClient(conn).GetCapabilities(ctx, &repb.GetCapabilitiesRequest{})
		if status.Code(err) != tt.want {
			t.Errorf("%s: %v", tt.name, err)
		}
		conn.Close()
	}
}

// TestDraw shows that what is drawn depends on the seed, and is bounded.
func TestDraw(t *testing.T) {
	n := seed.New(t)
	a, b := reapitest.Draw(n, 0.5, 3, reapitest.Faults()...), reapitest.Draw(n, 0.5, 3, reapitest.Faults()...)
	all := 0
	for i := range 100 {
		subject, struck := fmt.Sprint(i), 0
		for nth := 1; nth <= 5; nth++ {
			for _, f := range reapitest.Faults() {
				x, y := a(f, subject, nth), b(f, subject, nth)
				if x != y {
					t.Fatal("one seed, two answers")
				}
				if x {
					struck++
				}
			}
		}
		if struck > 3 {
			t.Errorf("%d faults befell one", struck)
		}
		all += struck
	}
	if all < 200 { // 300 but for a chance of less than 10 to the -10
		t.Errorf("%d faults in all", all)
	}
}

func withCert(t *testing.T, authority, cert, key string) credentials.TransportCredentials {
	t.Helper()
	pair, err := tls.LoadX509KeyPair(cert, key)
	if err != nil {
		t.Fatal(err)
	}
	return credentials.NewTLS(&tls.Config{RootCAs: pool(t, authority), Certificates: []tls.Certificate{pair}, MinVersion: tls.VersionTLS12})
}

func pool(t *testing.T, file string) *x509.CertPool {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	p := x509.NewCertPool()
	if !p.AppendCertsFromPEM(text) {
		t.Fatalf("%s holds no certificate", file)
	}
	return p
}

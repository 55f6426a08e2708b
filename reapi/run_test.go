package reapi

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	repb "github.com/bazelbuild/remote-apis/build/bazel/remote/execution/v2"
	"github.com/bazelbuild/remote-apis/build/bazel/semver"

	"github.com/gitdd/gitdd/internal/reapitest"
	"github.com/gitdd/gitdd/trial"
)

// A tree is a snapshot in memory: contents by path. A name that ends in "*" is
// executable; one that begins with "@" in its last part is a link to its content.
type tree map[string]string

func (t tree) snapshot() *trial.Snapshot {
	var build func(prefix string) *trial.Folder
	contents := map[string]string{}
	build = func(prefix string) *trial.Folder {
		folder := &trial.Folder{}
		done := map[string]bool{}
		for _, path := range slices.Sorted(maps.Keys(t)) {
			rest, ok := strings.CutPrefix(path, prefix)
			if !ok {
				continue
			}
			name, _, inside := strings.Cut(rest, "/")
			if done[name] {
				continue
			}
			done[name] = true
			e := trial.Entry{Name: strings.Trim(name, "@*")}
			switch content := t[path]; {
			case inside:
				e.Folder = build(prefix + name + "/")
			case strings.HasPrefix(name, "@"):
				e.Target = content
			default:
				e.File = &trial.Leaf{Path: prefix + e.Name, Executable: strings.HasSuffix(name, "*"),
					Size: int64(len(content)), Sum: sha256.Sum256([]byte(content))}
				contents[e.File.Path] = content
			}
			folder.Entries = append(folder.Entries, e)
		}
		slices.SortFunc(folder.Entries, func(a, b trial.Entry) int { return strings.Compare(a.Name, b.Name) })
		return folder
	}
	return &trial.Snapshot{Root: build(""), Read: func(ctx context.Context, files []*trial.Leaf, use func(*trial.Leaf, io.Reader) error) error {
		for _, f := range files {
			if err := use(f, strings.NewReader(contents[f.Path])); err != nil {
				return err
			}
		}
		return ctx.Err()
	}}
}

// task is one for a shell command in a tree.
func task(t *testing.T, s *trial.Snapshot, command string) trial.Task {
	dir := t.TempDir()
	return trial.Task{
		Name: "gitdd-test-1", Files: s, Command: []string{"/bin/sh", "-c", command}, Keep: 1 << 20,
		Output: func(name string) string { return filepath.Join(dir, name) },
	}
}

func printed(t *testing.T, task trial.Task, name string) string {
	t.Helper()
	text, err := os.ReadFile(task.Output(name))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// dial connects to a server that is not waited for long.
func dial(t *testing.T, s *reapitest.Server, change func(*Options)) *Client {
	t.Helper()
	o := Options{Endpoint: s.Endpoint(), Jobs: 4, Patience: time.Minute, Version: "1.2", Session: "s1"}
	if change != nil {
		change(&o)
	}
	c, err := Dial(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	c.times.pause, c.times.longest = time.Millisecond, 20*time.Millisecond
	return c
}

func TestRun(t *testing.T) {
	t.Parallel()
	server := reapitest.Start(t, reapitest.Options{})
	files := tree{"a.txt": "alpha\n", "bin/do*": "#!/bin/sh\necho done\n", "@link": "a.txt", "deep/er/b.txt": "beta\n"}.snapshot()
	check := task(t, files, "cat link ../w/deep/er/b.txt; ./bin/do; echo oops >&2; exit 3")
	check.Build = "echo built; cp a.txt c.txt"
	c := dial(t, server, nil)
	var told []trial.TaskEvent
	check.Told = func(e trial.TaskEvent) { told = append(told, e) }
	r, err := c.Run(t.Context(), check)
	if err != nil {
		t.Fatal(err)
	}
	if !r.Build.Ran || r.Build.Exit != 0 || !r.Test.Ran || r.Test.Exit != 3 || r.Setup.Ran || r.Cached || r.Machine == "" || r.Uploaded == 0 {
		t.Errorf("%+v", r)
	}
	if got := printed(t, check, "out") + printed(t, check, "err") + printed(t, check, "build.out"); got != "alpha\nbeta\ndone\noops\nbuilt\n" {
		t.Errorf("printed %q", got)
	}
	if len(told) == 0 || told[0].Stage != "uploading" || told[len(told)-1].Stage != "running" {
		t.Errorf("told %v", told)
	}

	// Somebody else asks the same: nothing runs, and nothing is sent but the question.
	before := server.Counts()
	other := dial(t, server, nil)
	again := task(t, files, check.Command[2])
	again.Name, again.Build = "gitdd-other-7", check.Build
	second, err := other.Run(t.Context(), again)
	if err != nil {
		t.Fatal(err)
	}
	if !second.Cached || second.Test != r.Test || second.Build != r.Build {
		t.Errorf("%+v, and before %+v", second, r)
	}
	if printed(t, again, "out") != printed(t, check, "out") {
		t.Errorf("printed %q", printed(t, again, "out"))
	}
	after := server.Counts()
	if sent := after.Received() - before.Received() - after.Methods["GetCapabilities"].Received + before.Methods["GetCapabilities"].Received; second.Uploaded != sent {
		t.Errorf("the task says that %d bytes were sent, the server that %d came", second.Uploaded, sent)
	}
	if after.Executions != before.Executions || after.Methods["FindMissingBlobs"] != before.Methods["FindMissingBlobs"] ||
		after.Methods["BatchUpdateBlobs"] != before.Methods["BatchUpdateBlobs"] {
		t.Errorf("before %+v, after %+v", before, after)
	}

	// With another salt it is another question.
	again.Salt = "confirm"
	if third, err := other.Run(t.Context(), again); err != nil || third.Cached || server.Counts().Executions != 2 {
		t.Errorf("%+v, %v", third, err)
	}
}

// TestMended holds the client to what it mends by itself: the task is done, in one call.
func TestMended(t *testing.T) {
	t.Parallel()
	for _, f := range []reapitest.Fault{
		reapitest.LostOperation, reapitest.Vanished, reapitest.LostOutput, reapitest.Refused, reapitest.BrokenExecute,
		reapitest.EndedExecute, reapitest.BrokenFind, reapitest.BrokenBatch, reapitest.PartBatch, reapitest.BusyBatch,
		reapitest.BrokenUpload, reapitest.BrokenDownload, reapitest.SlowAnswer,
	} {
		t.Run(f.String(), func(t *testing.T) {
			t.Parallel()
			server := reapitest.Start(t, reapitest.Options{MaxBatch: 10_000, Fault: reapitest.First(1, f)})
			c := dial(t, server, nil)
			check := task(t, faulty.snapshot(), printAll)
			r, err := c.Run(t.Context(), check)
			if err != nil {
				t.Fatal(err)
			}
			expectAll(t, check, r)
			if server.Counts().Faults[f] == 0 {
				t.Error("nothing went wrong")
			}
		})
	}
}

// TestLost holds the client to what it does not mend: the task is lost, and when it is
// performed again it is done.
func TestLost(t *testing.T) {
	t.Parallel()
	for _, f := range []reapitest.Fault{
		reapitest.LostWorker, reapitest.LostLater, reapitest.Preempted, reapitest.Memory, reapitest.Deadline, reapitest.Exhausted,
	} {
		t.Run(f.String(), func(t *testing.T) {
			t.Parallel()
			server := reapitest.Start(t, reapitest.Options{MaxBatch: 10_000, Fault: reapitest.First(1, f)})
			c := dial(t, server, nil)
			check := task(t, faulty.snapshot(), printAll)
			_, err := c.Run(t.Context(), check)
			var lost *trial.LostError
			if !errors.As(err, &lost) {
				t.Fatalf("%v", err)
			}
			t.Log(err)
			if f == reapitest.Exhausted && lost.After == 0 {
				t.Error("the server said when to come again")
			}
			r, err := c.Run(t.Context(), check)
			if err != nil {
				t.Fatal(err)
			}
			expectAll(t, check, r)
		})
	}
}

// faulty has files for one message, for several, and for streams.
var faulty = tree{
	"a": "alpha\n", "b": strings.Repeat("b", 6_000), "c": strings.Repeat("c", 6_001), "large": strings.Repeat("0123456789abcdef", 150_000),
}

const printAll = "cat a large; cat b c >&2; exit 1"

func expectAll(t *testing.T, task trial.Task, r trial.TaskResult) {
	t.Helper()
	if !r.Test.Ran || r.Test.Exit != 1 {
		t.Errorf("%+v", r)
	}
	if got := printed(t, task, "err"); got != faulty["b"]+faulty["c"] {
		t.Errorf("stderr has %d bytes", len(got))
	}
	got, want := printed(t, task, "out"), faulty["a"]+faulty["large"]
	if int64(len(want)) > task.Keep {
		if r.Test.Cut == 0 || !strings.HasPrefix(got, "alpha\n0123") || !strings.HasSuffix(got, "cdef") {
			t.Errorf("stdout has %d bytes, %d cut", len(got), r.Test.Cut)
		}
	} else if got != want {
		t.Errorf("stdout has %d bytes", len(got))
	}
}

// TestNoResume uploads where a broken stream has to begin anew.
func TestNoResume(t *testing.T) {
	t.Parallel()
	server := reapitest.Start(t, reapitest.Options{NoResume: true, Fault: reapitest.First(2, reapitest.BrokenUpload)})
	c := dial(t, server, nil)
	large := tree{"large": strings.Repeat("0123456789abcdef", 400_000)}
	r, err := c.Run(t.Context(), task(t, large.snapshot(), "wc -c <large"))
	if err != nil || r.Test.Exit != 0 {
		t.Fatalf("%+v, %v", r, err)
	}
}

// TestWholeOnly finds the answers of tasks that ended early in a cache that keeps only what
// is whole.
func TestWholeOnly(t *testing.T) {
	t.Parallel()
	server := reapitest.Start(t, reapitest.Options{WholeOnly: true})
	c := dial(t, server, nil)
	for _, change := range []func(*trial.Task){
		func(*trial.Task) {},
		func(t *trial.Task) { t.Build = "echo built; exit 1" },
		func(t *trial.Task) { t.Setup, t.Build = "echo set up; exit 1", "true" },
	} {
		first := task(t, tree{"a": "alpha"}.snapshot(), "cat a")
		change(&first)
		second := first
		dir := t.TempDir()
		second.Output = func(name string) string { return filepath.Join(dir, name) }
		r, err := c.Run(t.Context(), first)
		if err != nil {
			t.Fatal(err)
		}
		again, err := c.Run(t.Context(), second)
		if err != nil || !again.Cached || again.Setup != r.Setup || again.Build != r.Build || again.Test != r.Test {
			t.Errorf("%+v, then %+v, %v", r, again, err)
		}
		for _, name := range trial.OutputNames {
			text, err := os.ReadFile(first.Output(name))
			other, gone := os.ReadFile(second.Output(name))
			if string(text) != string(other) || (err == nil) != (gone == nil) || (err == nil) != partOf(r, name).Ran {
				t.Errorf("%s: %q, then %q, %v, %v", name, text, other, err, gone)
			}
		}
	}
}

// TestOld talks to a server of the first version 2, which has other words for outputs.
func TestOld(t *testing.T) {
	t.Parallel()
	server := reapitest.Start(t, reapitest.Options{Announce: func(c *repb.ServerCapabilities) {
		c.LowApiVersion, c.HighApiVersion = &semver.SemVer{Major: 2}, &semver.SemVer{Major: 2}
	}})
	check := task(t, tree{"a": "alpha"}.snapshot(), "cat a")
	same := func(o *Options) { o.Properties = [][2]string{{"os", "linux"}, {"arch", "any"}, {"os", "linux"}} }
	if r, err := dial(t, server, same).Run(t.Context(), check); err != nil || r.Test.Exit != 0 || printed(t, check, "out") != "alpha" {
		t.Errorf("%+v, %v", r, err)
	}
}

// TestUnlimited performs tasks without a limit where servers have one.
func TestUnlimited(t *testing.T) {
	t.Parallel()
	for most, want := range map[time.Duration]int32{0: 0, 2 * time.Hour: 1, time.Minute: 2} {
		server := reapitest.Start(t, reapitest.Options{MaxTimeout: most})
		c := dial(t, server, nil)
		for range 2 {
			if r, err := c.Run(t.Context(), task(t, tree{}.snapshot(), "true")); err != nil || r.Test.Exit != 0 {
				t.Errorf("%v: %+v, %v", most, r, err)
			}
		}
		if n := server.Counts(); n.Executions != 1 || n.Methods["Execute"].Calls != int(want)+2 || c.narrowed.Load() != want {
			t.Errorf("%v: %+v", most, n)
		}
		limited := task(t, tree{}.snapshot(), "true")
		limited.Limit = 3 * time.Hour
		var lost *trial.LostError
		if _, err := c.Run(t.Context(), limited); (err != nil) != (most > 0) || errors.As(err, &lost) || err != nil && !strings.Contains(err.Error(), "--timeout") {
			t.Errorf("%v: %v", most, err)
		}
	}
}

// TestSplit uploads to a server that takes less in a message than it says.
func TestSplit(t *testing.T) {
	t.Parallel()
	server := reapitest.Start(t, reapitest.Options{MaxMessage: 900_000})
	c := dial(t, server, nil)
	files := tree{"a": strings.Repeat("a", 1_500_000), "b": strings.Repeat("b", 500_000), "c": strings.Repeat("c", 500_000)}
	check := task(t, files.snapshot(), "cat a b c | wc -c")
	if r, err := c.Run(t.Context(), check); err != nil || strings.TrimSpace(printed(t, check, "out")) != "2500000" {
		t.Fatalf("%+v, %v", r, err)
	}
	if n := server.Counts().Methods; n["Write"].Calls != 1 || n["BatchUpdateBlobs"].Calls < 4 {
		t.Errorf("%+v", n)
	}
}

// TestTogether uploads one tree from many places at once: no blob goes twice.
func TestTogether(t *testing.T) {
	t.Parallel()
	server := reapitest.Start(t, reapitest.Options{MaxBatch: 20_000, Fault: reapitest.First(1, reapitest.SlowAnswer), Delay: 2 * time.Millisecond})
	c := dial(t, server, func(o *Options) { o.Jobs = 200 })
	files := tree{}
	for i := range 300 {
		files[fmt.Sprintf("d%d/e%d/f%d", i%7, i%3, i)] = strings.Repeat(fmt.Sprint(i), 1+i*i%500)
	}
	files["large"] = strings.Repeat("x", 300_000)
	var all sync.WaitGroup
	for i := range 12 {
		files["which"] = fmt.Sprint(i / 2)
		s := files.snapshot()
		all.Go(func() {
			if i%2 == 0 {
				if err := c.Upload(t.Context(), s); err != nil {
					t.Error(err)
				}
				return
			}
			ctx, cancel := context.WithCancel(t.Context())
			if i == 5 {
				cancel() // what it had begun goes on with somebody else
			}
			defer cancel()
			if r, err := c.Run(ctx, task(t, s, "cat which")); ctx.Err() == nil && (err != nil || r.Test.Exit != 0) {
				t.Errorf("%+v, %v", r, err)
			}
		})
	}
	all.Wait()
	if n := server.Counts().Needless; n > 0 {
		t.Errorf("%d blobs went twice", n)
	}
}

func TestCancel(t *testing.T) {
	t.Parallel()
	for _, noCancel := range []bool{false, true} {
		server := reapitest.Start(t, reapitest.Options{NoCancel: noCancel, Abandon: time.Millisecond})
		c := dial(t, server, nil)
		ctx, cancel := context.WithCancel(t.Context())
		check := task(t, tree{"a": "a"}.snapshot(), "exec sleep 1000")
		check.Told = func(e trial.TaskEvent) {
			if e.Stage == "running" {
				cancel()
			}
		}
		if r, err := c.Run(ctx, check); !errors.Is(err, context.Canceled) {
			t.Errorf("%+v, %v", r, err)
		}
		server.Await(func(reapitest.Counts) bool { return server.Running() == 0 })
	}
}

// TestAway lets the server go away while tasks run, and return.
func TestAway(t *testing.T) {
	t.Parallel()
	server := reapitest.Start(t, reapitest.Options{Workers: 8})
	c := dial(t, server, nil)
	running := make(chan bool, 100)
	var all sync.WaitGroup
	for i := range 8 {
		check := task(t, tree{"a": fmt.Sprint(i)}.snapshot(), "sleep 0.3; cat a")
		check.Told = func(e trial.TaskEvent) {
			if e.Stage == "running" {
				running <- true
			}
		}
		all.Go(func() {
			r, err := c.Run(t.Context(), check)
			if lost := new(trial.LostError); errors.As(err, &lost) { // it said so when it left
				r, err = c.Run(t.Context(), check)
			}
			if err != nil || r.Test.Exit != 0 {
				t.Errorf("%+v, %v", r, err)
			}
		})
	}
	<-running
	server.Leave()
	server.Return()
	all.Wait()
}

// TestVain finds an answer in the cache whose outputs are gone.
func TestVain(t *testing.T) {
	t.Parallel()
	server := reapitest.Start(t, reapitest.Options{Careless: true})
	c := dial(t, server, nil)
	long := strings.Repeat("0123456789abcdef\n", 100)
	first := task(t, tree{"a": long}.snapshot(), "cat a")
	if _, err := c.Run(t.Context(), first); err != nil {
		t.Fatal(err)
	}
	server.Forget()
	again := task(t, first.Files, "cat a")
	r, err := c.Run(t.Context(), again)
	if err != nil || r.Test.Exit != 0 || printed(t, again, "out") != long {
		t.Errorf("%+v, %v", r, err)
	}
}

// TestChanged refuses to upload what is not what it was.
func TestChanged(t *testing.T) {
	t.Parallel()
	server := reapitest.Start(t, reapitest.Options{MaxBatch: 1000})
	for _, size := range []int{10, 5000} {
		for _, other := range []string{"", strings.Repeat("b", size), strings.Repeat("b", size+1)} {
			c := dial(t, server, nil)
			s := tree{"a": strings.Repeat("a", size)}.snapshot()
			s.Read = func(ctx context.Context, files []*trial.Leaf, use func(*trial.Leaf, io.Reader) error) error {
				for _, f := range files {
					if err := use(f, bytes.NewReader([]byte(other))); err != nil {
						return err
					}
				}
				return nil
			}
			_, err := c.Run(t.Context(), task(t, s, "true"))
			var lost *trial.LostError
			if err == nil || errors.As(err, &lost) || !strings.Contains(err.Error(), "a changed while") {
				t.Errorf("%d, %d: %v", size, len(other), err)
			}
		}
	}
}

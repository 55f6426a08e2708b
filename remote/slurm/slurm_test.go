//go:build linux

package slurm_test

import (
	"context"
	"crypto/sha256"
	"errors"
	"io"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/gitdd/gitdd/internal/seed"
	"github.com/gitdd/gitdd/internal/slurmtest"
	"github.com/gitdd/gitdd/remote/slurm"
	"github.com/gitdd/gitdd/trial"
)

// use makes a cluster that of this test's process.
func use(t *testing.T, c *slurmtest.Cluster) {
	t.Helper()
	for _, v := range c.Env() {
		name, value, _ := strings.Cut(v, "=")
		t.Setenv(name, value)
	}
}

func connect(t *testing.T, opts slurm.Options) *slurm.Cluster {
	t.Helper()
	if opts.Dir == "" {
		opts.Dir = t.TempDir()
	}
	c, err := slurm.New(t.Context(), opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return c
}

// nothing checks that nodes have nothing of a cluster any more.
func nothing(t *testing.T, cluster *slurmtest.Cluster, c *slurm.Cluster, dir string) {
	t.Helper()
	c.Close()
	cluster.Await("the nodes clean up", func() bool {
		left, err := os.ReadDir(dir)
		return err == nil && len(left) == 0
	})
}

var number int

// task is one that runs a line of shell; outputs go to a directory of the test.
func task(t *testing.T, line string) (trial.Task, func(name string) string) {
	t.Helper()
	number++
	dir := t.TempDir()
	out := func(name string) string { return filepath.Join(dir, name) }
	return trial.Task{Name: "gitdd-test-" + string(rune('a'+number)), Command: []string{"sh", "-c", line}, Output: out}, func(name string) string {
		text, err := os.ReadFile(out(name))
		if err != nil {
			t.Error(err)
		}
		return string(text)
	}
}

func TestSlurm(t *testing.T) {
	seed.SkipLong(t, 8)
	cluster := slurmtest.Start(t, append(memory, urgent...)...)
	use(t, cluster)
	t.Run("streamed", func(t *testing.T) { testStreamed(t, cluster) })
	t.Run("shared", func(t *testing.T) { testShared(t, cluster) })
	t.Run("half", func(t *testing.T) { testHalf(t, cluster) })
	t.Run("one directory", func(t *testing.T) { testOneDirectory(t, cluster) })
	t.Run("cancel", func(t *testing.T) { testCancel(t, cluster) })
	t.Run("lost", func(t *testing.T) { testLost(t, cluster) })
	t.Run("killed", func(t *testing.T) { testKilled(t, cluster) })
	t.Run("left", func(t *testing.T) { testLeft(t, cluster) })
	t.Run("refused", testRefused)
	t.Run("check", testCheck)
	t.Run("untaken", func(t *testing.T) { testUntaken(t, cluster) })
	t.Run("streams", func(t *testing.T) { testStreams(t) })
	t.Run("variables", func(t *testing.T) { testVariables(t) })
	t.Run("full", func(t *testing.T) { testFull(t, cluster) })
	t.Run("allocation", func(t *testing.T) { testAllocation(t, cluster) })
	t.Run("search", func(t *testing.T) { testSearch(t, cluster) })
	t.Run("away", func(t *testing.T) { testAway(t, cluster) })
}

// Tasks in a shared workspace end as their commands do.
func testShared(t *testing.T, cluster *slurmtest.Cluster) {
	c := connect(t, slurm.Options{Shared: true})
	top := t.TempDir()
	for _, test := range []struct {
		line string
		exit int
		out  string
	}{
		{"pwd", 0, top + "\n"}, {"exit 7", 7, ""}, {"echo $TMPDIR | grep -c gitdd; exit 125", 125, "1\n"}, {"kill -9 $$", 137, ""},
	} {
		task, read := task(t, test.line)
		var states []string
		task.Shared, task.Told = top, func(e trial.TaskEvent) { states = append(states, e.State) }
		r, err := c.Run(t.Context(), task)
		if err != nil || r.Test.Exit != test.exit || read("out") != test.out || read("err") != "" {
			t.Errorf("%s: %+v, %v, %q", test.line, r, err, read("out"))
		}
		if !strings.HasPrefix(r.Machine, "node") || r.Uploaded == 0 || r.Queued == 0 || strings.Join(states, " ") != "queued running" {
			t.Errorf("%s: %+v, states %v", test.line, r, states)
		}
	}
}

// snapshot is one of files with these contents; a content that begins with "-> " is the
// target of a symbolic link, one with "#!" executable.
func snapshot(files map[string]string) *trial.Snapshot {
	var folder func(under string) *trial.Folder
	folder = func(under string) *trial.Folder {
		f := &trial.Folder{}
		seen := map[string]bool{}
		for _, at := range slices.Sorted(maps.Keys(files)) {
			rest, ok := strings.CutPrefix(at, under)
			name, _, deep := strings.Cut(rest, "/")
			if !ok || seen[name] {
				continue
			}
			seen[name] = true
			e := trial.Entry{Name: name}
			text := files[at]
			switch target, link := strings.CutPrefix(text, "-> "); {
			case deep:
				e.Folder = folder(under + name + "/")
			case link:
				e.Target = target
			default:
				e.File = &trial.Leaf{Path: at, Executable: strings.HasPrefix(text, "#!"), Size: int64(len(text)), Sum: sha256.Sum256([]byte(text))}
			}
			f.Entries = append(f.Entries, e)
		}
		slices.SortFunc(f.Entries, func(a, b trial.Entry) int { return strings.Compare(a.Name, b.Name) })
		return f
	}
	return &trial.Snapshot{Root: folder(""), Read: func(_ context.Context, leaves []*trial.Leaf, use func(*trial.Leaf, io.Reader) error) error {
		for _, l := range leaves {
			if err := use(l, strings.NewReader(files[l.Path])); err != nil {
				return err
			}
		}
		return nil
	}}
}

// Trees that travel arrive as they are, each in a directory of its own, and what they
// have in common once on each node.
func testStreamed(t *testing.T, cluster *slurmtest.Cluster) {
	dir := t.TempDir()
	c := connect(t, slurm.Options{Dir: dir})
	defer nothing(t, cluster, c, dir)
	const look = `find . | LC_ALL=C sort | while IFS= read -r f; do
		if [ -L "$f" ]; then echo "$f -> $(readlink "$f")"; elif [ -d "$f" ]; then echo "$f/"; elif [ -x "$f" ]; then echo "$f* $(cat "$f")"; else echo "$f $(cat "$f")"; fi; done
		echo junk >junk; echo changed >same; exit 3`
	large := strings.Repeat("x", 200_000)
	trees := []map[string]string{
		{"same": "1", "dir/a": "2", "dir/deep/b": "3", "link": "-> dir", "tool": "#!/bin/sh", "odd ' name\xff": "4", "large": large},
		{"same": "1", "dir/a": "2", "dir/deep/b": "3 changed", "link": "-> dir", "tool": "#!/bin/sh", "odd ' name\xff": "4", "large": large},
		{"same": "1", "dir": "a file now", "link/x": "5", "tool": "no script", "new": "#!", "large": "-> same"},
		{},
		{"same": "1", "dir/a": "2", "dir/deep/b": "3", "link": "-> dir", "tool": "#!/bin/sh", "odd ' name\xff": "4", "large": large},
	}
	var sent []int64
	nodes := map[string]int{}
	for i, files := range trees {
		task, read := task(t, look)
		task.Files = snapshot(files)
		r, err := c.Run(t.Context(), task)
		if err != nil || r.Test.Exit != 3 {
			t.Fatalf("tree %d: %+v, %v", i, r, err)
		}
		want := []string{"./"}
		for at, text := range files {
			for dir := path.Dir(at); dir != "."; dir = path.Dir(dir) {
				want = append(want, "./"+dir+"/")
			}
			mark := " "
			if strings.HasPrefix(text, "#!") {
				mark = "* "
			}
			want = append(want, "./"+at+mark+text)
		}
		slices.Sort(want)
		got := strings.Split(strings.TrimSuffix(read("out"), "\n"), "\n")
		slices.Sort(got)
		if want = slices.Compact(want); !slices.Equal(got, want) {
			t.Errorf("tree %d: %.2000q, want %.2000q", i, got, want)
		}
		if nodes[r.Machine]++; nodes[r.Machine] > 1 && i < 4 && r.Uploaded > 100_000 {
			t.Errorf("tree %d: %d bytes were sent to %s, which has the first", i, r.Uploaded, r.Machine)
		}
		sent = append(sent, r.Uploaded)
	}
	if sent[0] < 200_000 {
		t.Errorf("%v bytes were sent", sent)
	}
}

// A task that nobody wants any more is gone when Run returns.
func testCancel(t *testing.T, cluster *slurmtest.Cluster) {
	dir := t.TempDir()
	c := connect(t, slurm.Options{Shared: true, Dir: dir})
	defer nothing(t, cluster, c, dir)
	top := t.TempDir()
	task, _ := task(t, "echo $$ >pid; sleep 3600")
	task.Shared = top
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		cluster.Await("the task begins", func() bool { _, err := os.Stat(filepath.Join(top, "pid")); return err == nil })
		cancel()
	}()
	if _, err := c.Run(ctx, task); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
	if jobs := cluster.Jobs(); len(jobs) > 0 {
		t.Errorf("%v are left", jobs)
	}
}

func testRefused(t *testing.T) {
	for _, test := range []struct {
		opts slurm.Options
		want string
	}{
		{slurm.Options{Partition: "none"}, "sinfo"},
		{slurm.Options{Args: []string{"--no-such-option"}}, "unrecognized option"},
		{slurm.Options{Args: []string{"--ntasks=2"}}, "cannot be used"},
		{slurm.Options{Args: []string{"-n2"}}, "cannot be used"},
		{slurm.Options{Args: []string{"physics"}}, "no option of srun"},
		{slurm.Options{Args: []string{"--constraint=none"}}, "sinfo"},
	} {
		c, err := slurm.New(t.Context(), test.opts)
		if err == nil {
			c.Close()
		}
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%+v: %v", test.opts, err)
		}
		t.Log(err)
	}
}

func testCheck(t *testing.T) {
	for _, f := range slurm.Check(t.Context(), slurm.Options{}) {
		t.Logf("%+v", f)
		if !f.OK {
			t.Errorf("%+v", f)
		}
	}
}

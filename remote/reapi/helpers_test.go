package reapi

import (
	"context"
	"crypto/sha256"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

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

package trial

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/gitdd/gitdd/isolate"
)

const (
	overheadFiles   = 10_000
	overheadCommits = 64 // each changes one file
)

// overheadHistory is a linear history from good to bad in a repository of
// 10,000 files in 100 directories.
func overheadHistory(b *testing.B) history {
	b.Helper()
	h := newHistory(b)
	for i := range overheadFiles {
		name := filepath.Join(h.dir, overheadName(i))
		if i%100 == 0 {
			if err := os.Mkdir(filepath.Dir(name), 0o777); err != nil {
				b.Fatal(err)
			}
		}
		if err := os.WriteFile(name, fmt.Appendf(nil, "file %d\n%s", i, strings.Repeat("line\n", 50)), 0o666); err != nil {
			b.Fatal(err)
		}
	}
	h.commit("good")
	for i := range overheadCommits {
		name := overheadName(i * overheadFiles / overheadCommits)
		h.files(name, fmt.Sprintf("changed by commit %d\n%s", i, strings.Repeat("line\n", 50)))
		h.run("commit", "--quiet", "--message=change", "--", name)
	}
	h.run("tag", "bad")
	h.run("repack", "-a", "-d", "-q")
	return h
}

func overheadName(i int) string { return fmt.Sprintf("d%02d/f%02d.txt", i/100, i%100) }

// prefix is the configuration that the first n commits make.
func (b *bench) prefix(n int) isolate.Configuration {
	var names []string
	for i := range n {
		names = append(names, overheadName(i*overheadFiles/overheadCommits))
	}
	return b.config(names...)
}

// BenchmarkTrialOverhead times a whole trial of the command true, with one
// changed file between each two, in a repository of 10,000 files; ns/command
// is what the supervisor measured for the command itself.
func BenchmarkTrialOverhead(b *testing.B) {
	h := overheadHistory(b)
	r := h.bench(func(o *Options) { o.Command = []string{"true"} })
	r.verdict(r.prefix(20)) // makes the workspace
	var commands time.Duration
	for i := 0; b.Loop(); i++ {
		r.memo = newMemo(nil, nil) // or every second question would be answered from it
		v, err := r.ask(b.Context(), r.set, r.prefix(i%2+20), Search)
		if err != nil {
			b.Fatal(err)
		}
		commands += v.Duration
	}
	b.ReportMetric(float64(commands.Nanoseconds())/float64(b.N), "ns/command")
}

// BenchmarkOverheadAgainstBisect lets git bisect and gitdd walk the same steps
// of the same history with the command true, in the same run: ms/trial and
// ms/bisect-step are whole steps, command included, and ratio is the one
// divided by the other.
func BenchmarkOverheadAgainstBisect(b *testing.B) {
	h := overheadHistory(b)
	r := h.bench(func(o *Options) { o.Command = []string{"true"} })
	if e, err := r.Ends(b.Context(), r.set); err == nil {
		b.Fatalf("true told the ends apart: %+v", e)
	}
	var ours, theirs time.Duration
	var trials, steps int
	for b.Loop() {
		visited, took := h.bisect()
		theirs += took
		steps += len(visited)

		r.memo = newMemo(nil, nil)
		began := time.Now()
		for _, n := range visited {
			if v, err := r.ask(b.Context(), r.set, r.prefix(n), Search); err != nil || v.Cached {
				b.Fatalf("%+v, %v", v, err)
			}
		}
		ours += time.Since(began)
		trials += len(visited)
	}
	perTrial, perStep := ours.Seconds()*1e3/float64(trials), theirs.Seconds()*1e3/float64(steps)
	b.ReportMetric(perTrial, "ms/trial")
	b.ReportMetric(perStep, "ms/bisect-step")
	b.ReportMetric(perTrial/perStep, "ratio")
}

// bisect runs `git bisect run true` from good to bad and returns, for each
// step, the number of commits after good, and the time of the run. That is
// without `git bisect start`, which does the first checkout.
func (h history) bisect() (visited []int, took time.Duration) {
	h.t.Helper()
	h.run("bisect", "start", "bad", "good")
	defer h.run("bisect", "reset")
	began := time.Now()
	h.run("bisect", "run", "true")
	took = time.Since(began)
	for line := range strings.Lines(h.run("bisect", "log")) {
		if id, ok := strings.CutPrefix(strings.TrimSpace(line), "git bisect good "); ok {
			n, err := strconv.Atoi(h.run("rev-list", "--count", "good.."+id))
			if err != nil {
				h.t.Fatal(err)
			}
			visited = append(visited, n)
		}
	}
	return visited, took
}

// BenchmarkInputOverhead is a trial of an input with a command that does nothing:
// all of it is what gitdd does for one.
func BenchmarkInputOverhead(b *testing.B) {
	r := reducing(b, file("in", "x"), "", func(o *InputOptions) { o.Command = []string{"false"} })
	r.begin()
	for i := 0; b.Loop(); i++ {
		r.verdict(file("in", strconv.Itoa(i)))
	}
}

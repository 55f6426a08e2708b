//go:build unix

package main

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/gitdd/gitdd/internal/outfile"
	"github.com/gitdd/gitdd/internal/seed"
	"github.com/gitdd/gitdd/reduction"
	"github.com/gitdd/gitdd/report"
	"github.com/gitdd/gitdd/trial"
)

// A shrinkage is a field with inputs to reduce: a file, a directory of four, a graph.
type shrinkage struct{ *field }

func newShrinkage(t *testing.T) *shrinkage {
	s := &shrinkage{newField(t)}
	for _, dir := range []string{"work/dir/sub", "work/dir/other"} {
		if err := os.MkdirAll(s.path(dir), 0o777); err != nil {
			t.Fatal(err)
		}
	}
	var text strings.Builder
	for i := range 24 {
		fmt.Fprintf(&text, "line %d (with [some] brackets)\n", i)
	}
	for _, name := range []string{"in.txt", "dir/a", "dir/b", "dir/sub/c", "dir/other/d"} {
		s.write("work/"+name, text.String())
	}
	s.write("check", `case $(cat "$1"/* "$1"/sub/* "$1" 2>/dev/null) in *"line 7 "*"line 19 "* | *" udiv "*" srem "*) exit 1; esac; exit 0`)
	s.write("work/in.btor", chain(24))
	return s
}

// chain is a graph in which each node is an operand of the next one.
func chain(n int) string {
	var text strings.Builder
	fmt.Fprint(&text, "1 var 4\n2 var 4\n")
	ops := []string{"add", "mul", "xor", "udiv", "sub", "and", "or", "srem"}
	for i := range n {
		fmt.Fprintf(&text, "%d %s 4 %d -%d\n", i+3, ops[i%len(ops)], i+2, 1+i/2)
	}
	fmt.Fprintf(&text, "%d redor 1 %d\n%d root 1 %d\n", n+3, n+2, n+4, n+3)
	return text.String()
}

func (s *shrinkage) write(name, text string) {
	s.t.Helper()
	if err := os.WriteFile(s.path(name), []byte(text), 0o666); err != nil {
		s.t.Fatal(err)
	}
}

// reduction runs gitdd and returns the result and the output.
func (s *shrinkage) reduction(input string, args ...string) (report.Reduction, string) {
	s.t.Helper()
	s.run("work", append([]string{"gitdd"}, args...)...)
	return s.result(input)
}

func (s *shrinkage) result(input string) (report.Reduction, string) {
	s.t.Helper()
	text, err := os.ReadFile(s.path("result.json"))
	if err != nil {
		s.t.Fatal(err)
	}
	r, err := report.ReadReduction(bytes.NewReader(text))
	if err != nil {
		s.t.Fatal(err)
	}
	return r, s.output(input)
}

func (s *shrinkage) output(input string) string {
	s.t.Helper()
	if input == "dir" {
		return s.contents("work/dir.reduced")
	}
	text, err := os.ReadFile(s.path("work/" + input + ".reduced"))
	if err != nil {
		s.t.Fatal(err)
	}
	return string(text)
}

func (s *shrinkage) args(input string, more ...string) []string {
	return append(append([]string{"reduce", input, "--json", "../result.json"}, more...), "--", "sh", s.path("check"), "{}")
}

// sameReduction says how two reductions differ in what has to be the same.
func sameReduction(a, b report.Reduction) string {
	for _, pair := range [][2]any{
		{a.Status, b.Status}, {a.Minimal, b.Minimal}, {a.Output, b.Output}, {a.Passes, b.Passes}, {a.Curve, b.Curve}, {a.Formats, b.Formats},
	} {
		if x, y := fmt.Sprint(pair[0]), fmt.Sprint(pair[1]); x != y {
			return x + "\n" + y
		}
	}
	return ""
}

// A reduction comes to the same bytes by the same path for any number of jobs; also
// when it is killed at random instants and resumed each time, and then no trial that
// had finished is repeated, and what stands at --output fails at any time.
func TestReduceKill(t *testing.T) {
	t.Parallel()
	seed.SkipLong(t, 8)
	random := rand.New(rand.NewPCG(seed.New(t), 0))
	for _, input := range []string{"in.txt", "dir", "in.btor"} {
		t.Run(input, func(t *testing.T) {
			s := newShrinkage(t)
			before := s.contents("work")
			start := time.Now()
			whole, output := s.reduction(input, s.args(input)...)
			took := time.Since(start)
			if !whole.Minimal || !strings.Contains(output, "line 7") && !strings.Contains(output, "udiv") {
				t.Fatalf("minimal %v: %q", whole.Minimal, output)
			}
			if now, again := s.reduction(input, s.args(input, "-j", "4")...); again != output || sameReduction(whole, now) != "" {
				t.Errorf("with 4 jobs: %q, else %q\n%s", again, output, sameReduction(whole, now))
			}
			s.run("work", "rm", "-r", input+".reduced")
			s.run("work", "gitdd", "clean")
			args := s.args(input, "-j", strconv.Itoa(1+random.IntN(2)))
			kills := 0
			for {
				cmd := s.command("work", append([]string{"gitdd"}, args...)...)
				var said bytes.Buffer
				cmd.Stderr = &said
				if err := cmd.Start(); err != nil {
					t.Fatal(err)
				}
				life := time.Duration(random.Int64N(int64(took)/3+1)) + time.Duration(kills)*took/20
				timer := time.AfterFunc(life, func() { cmd.Process.Kill() })
				cmd.Wait()
				timer.Stop()
				if cmd.ProcessState.Exited() {
					if !cmd.ProcessState.Success() {
						t.Fatalf("after %d kills: %v\n%s", kills, cmd.ProcessState, &said)
					}
					break
				}
				kills++
				if _, err := os.Stat(s.path("work/" + input + ".reduced")); err == nil {
					if status, _, _ := s.status("work", "sh", s.path("check"), input+".reduced"); status != 1 {
						t.Fatalf("after %d kills: what stands at --output passes", kills)
					}
				}
				var list string
				eventually(t, "the session is not running", func() bool {
					_, list, _ = s.status("work", "gitdd", "list")
					return !strings.Contains(list, "running")
				})
				// Also when it was killed after its end: else there would be a second session.
				if strings.Contains(list, "interrupted") || strings.Contains(list, "finished") {
					args = []string{"resume", "--json", "../result.json"}
				}
			}
			killed, again := s.result(input)
			t.Logf("%d kills", kills)
			if again != output || sameReduction(whole, killed) != "" {
				t.Errorf("after %d kills: %q, else %q\n%s", kills, again, output, sameReduction(whole, killed))
			}
			s.unrepeated()
			s.run("work", "rm", "-r", input+".reduced")
			s.run("work", "gitdd", "clean")
			if now := s.contents("work"); now != before {
				t.Errorf("the directory was\n%s\nand is\n%s", before, now)
			}
		})
	}
}

// unrepeated complains of a trial that two records of the journal tell of.
func (s *shrinkage) unrepeated() {
	s.t.Helper()
	journals, _ := filepath.Glob(s.path(".sessions/*/*/journal.jsonl"))
	if len(journals) != 1 {
		s.t.Fatalf("%d journals", len(journals))
	}
	session, err := trial.ReadSession(filepath.Dir(journals[0]))
	if err != nil {
		s.t.Fatal(err)
	}
	seen := map[string]int{}
	for _, r := range session.Records() {
		key := fmt.Sprint(r.Tree, r.Key, r.Purpose == trial.Confirm)
		if first, ok := seen[key]; ok {
			s.t.Errorf("trial %d repeats trial %d", r.Trial, first)
		}
		seen[key] = r.Trial
	}
}

// After Ctrl-C the best answer so far is printed and stands at --output, and resuming
// comes to the same bytes.
func TestReduceInterrupt(t *testing.T) {
	t.Parallel()
	s := newShrinkage(t)
	whole, bytesWhole := s.reduction("in.txt", s.args("in.txt")...)
	s.run("work", "gitdd", "clean")
	s.write("hang", "")
	s.write("check", `case $(cat "$1") in *"line 7 "*"line 19 "*) code=1;; *) code=0; esac
test $GITDD_TRIAL -lt 9 || while test -e `+s.path("hang")+`; do echo >`+s.path("waiting")+`; sleep 0.02; done; exit $code`)
	s.interrupt("work", append([]string{"gitdd"}, s.args("in.txt")...), "Interrupted: in.txt ", "stopped   by a signal", "gitdd resume")
	if r, _ := s.result("in.txt"); r.Status != report.Interrupted || r.Output.Bytes >= r.Input.Bytes {
		t.Errorf("%s, %d of %d bytes", r.Status, r.Output.Bytes, r.Input.Bytes)
	}
	os.Remove(s.path("hang"))
	again, resumed := s.reduction("in.txt", "resume", "--json", "../result.json")
	if resumed != bytesWhole || sameReduction(whole, again) != "" {
		t.Errorf("resumed: %q, else %q\n%s", resumed, bytesWhole, sameReduction(whole, again))
	}
}

// A session that was killed before it had its input reads it when it is resumed.
func TestReduceResumeEarly(t *testing.T) {
	seed.SkipLong(t, 4)
	t.Parallel()
	s := newShrinkage(t)
	whole, output := s.reduction("in.txt", s.args("in.txt")...)
	journals, _ := filepath.Glob(s.path(".sessions/*/*/journal.jsonl"))
	if len(journals) != 1 {
		t.Fatalf("%d journals", len(journals))
	}
	text, err := os.ReadFile(journals[0])
	if err != nil {
		t.Fatal(err)
	}
	header, _, _ := bytes.Cut(text, []byte("\n"))
	if err := os.WriteFile(journals[0], append(header, '\n'), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{reduction.OriginalFile, reduction.PassingFile, reduction.BeforeFile, reduction.OutputFile, outfile.File, "result.json"} {
		if err := os.Remove(filepath.Join(filepath.Dir(journals[0]), name)); err != nil {
			t.Fatal(err)
		}
	}
	if again, resumed := s.reduction("in.txt", "resume", "--json", "../result.json"); resumed != output || sameReduction(whole, again) != "" {
		t.Errorf("resumed: %q, else %q", resumed, output)
	}
}

//go:build unix

package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gitdd/gitdd/internal/byhand"
	"github.com/gitdd/gitdd/internal/seed"
	"github.com/gitdd/gitdd/report"
	"github.com/gitdd/gitdd/trial"
)

// A person who judges in a field goes by a check, as a command would.
type person struct {
	*field
	check string
	dir   string // the directory of configurations, relative to the field
}

// state is what the session by hand is waiting for.
func (p *person) state() (s byhand.State) {
	p.t.Helper()
	names, err := filepath.Glob(p.path(".sessions/*/*/by-hand.json"))
	if err != nil || len(names) != 1 {
		p.t.Fatalf("states %q: %v", names, err)
	}
	text, err := os.ReadFile(names[0])
	if err == nil {
		err = json.Unmarshal(text, &s)
	}
	if err != nil {
		p.t.Fatal(err)
	}
	return s
}

// looks says what the person thinks of the configuration, which has to be the one that the session names.
func (p *person) looks(tree string) string {
	p.t.Helper()
	if shown := strings.TrimSpace(p.run(p.dir, "git", "write-tree")); shown != tree {
		p.t.Errorf("the directory shows tree %s, to judge is %s", shown, tree)
	}
	if edits := p.run(p.dir, "git", "diff", "--name-only"); edits != "" {
		p.t.Errorf("files are not as the configuration has them: %s", edits)
	}
	switch status, _, _ := p.status(p.dir, "sh", "-c", p.check); status {
	case 0:
		return "good"
	case 125:
		return "skip"
	}
	return "bad"
}

// kill runs a command line and kills it at a random instant of its life, which is about as long as took.
func (p *person) kill(random *rand.Rand, took time.Duration, argv ...string) {
	p.t.Helper()
	cmd := p.command(p.dir, argv...)
	if err := cmd.Start(); err != nil {
		p.t.Fatal(err)
	}
	timer := time.AfterFunc(time.Duration(random.Int64N(int64(took))), func() { cmd.Process.Kill() })
	cmd.Wait()
	timer.Stop()
	eventually(p.t, "the session is not running", func() bool { return !strings.Contains(p.run("repo", "gitdd", "list"), "running") })
}

// By hand, a search takes as many judgements as a command takes trials, and comes to the same answer: also if
// judgements are taken back, and gitdd is killed in the middle.
func TestByHand(t *testing.T) {
	seed.Rounds(t, 20, 1, func(t *testing.T, random *rand.Rand) {
		commits := grow(random)
		var own []string
		for _, c := range commits[1:] {
			if c.own != "" {
				own = append(own, c.own)
			}
		}
		one := func() string { return own[random.IntN(len(own))] }
		p := &person{newField(t), fmt.Sprintf("test ! -e %s || test -e %s || exit 125; ! test -e %s || ! test -e %s", one(), one(), one(), one()), "judge"}
		p.imported(commits)
		p.run("repo", "gitdd", "run", "--good", "t0", "--confirm", "no", "--same-output", "status", "--json", "../run.json", "--", "sh", "-c", p.check)
		want, err := readResult(p.path("run.json"))
		if err != nil {
			t.Fatal(err)
		}
		p.run("repo", "gitdd", "clean")
		before := p.contents("repo")
		disturbed := random.IntN(2) == 0

		p.run("repo", "gitdd", "start", "t0", "main", "--into", "../judge")
		steps := 0
		for {
			s := p.state()
			if s.Tree == "" {
				break
			}
			if steps++; s.Step != steps {
				t.Errorf("step %d is called step %d", steps, s.Step)
			}
			says := p.looks(string(s.Tree))
			if disturbed && random.IntN(3) == 0 {
				p.run(p.dir, "gitdd", []string{"good", "bad", "skip"}[random.IntN(3)], "--note", "wrong")
				p.run(p.dir, "gitdd", "undo")
			}
			if disturbed && random.IntN(2) == 0 {
				p.kill(random, 200*time.Millisecond, "gitdd", says)
				p.run("repo", "gitdd", "next")
				steps = p.state().Step - 1 // the judgement came before the kill, or not
				if p.state().Tree == "" {
					break
				}
				continue
			}
			p.run(p.dir, "gitdd", says)
		}
		p.run("repo", "gitdd", "show", "--json", "../hand.json")
		got, err := readResult(p.path("hand.json"))
		if err != nil {
			t.Fatal(err)
		}
		if a, b := causeOfResult(want), causeOfResult(got); !slices.Equal(a, b) || got.Status != report.Isolated {
			t.Errorf("by hand %s, %q; by command %q; check %s", got.Status, b, a, p.check)
		}
		if got.Trials.Run != want.Trials.Run || got.ByHand != got.Trials.Run {
			t.Errorf("%d judgements, of which %d by hand; a command took %d trials", got.Trials.Run, got.ByHand, want.Trials.Run)
		}
		if now := p.contents("repo"); now != before {
			t.Errorf("the repository was\n%s\nand is\n%s", before, now)
		}
	})
}

// What is said of another moment than the one that it was said at counts for nothing: while it waits for the session, somebody else
// takes a judgement back there.
func TestByHandTwoPeople(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("needs /proc, to see that a process waits for a session")
	}
	for _, says := range []string{"undo", "good"} {
		p := card(t)
		p.run("repo", "gitdd", "start", "v1", "v2", "--into", "../judge")
		p.run("repo", "gitdd", "good")
		p.run("repo", "gitdd", "bad")
		names, err := filepath.Glob(p.path(".sessions/*/*/by-hand.json"))
		if err != nil || len(names) != 1 {
			t.Fatalf("states %q: %v", names, err)
		}
		dir := filepath.Dir(names[0])
		session, err := trial.OpenSession(dir)
		if err != nil {
			t.Fatal(err)
		}
		cmd := p.command("repo", "gitdd", says)
		var stderr bytes.Buffer
		cmd.Stderr = &stderr
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		eventually(t, "it waits for the session", func() bool {
			files, _ := filepath.Glob(fmt.Sprintf("/proc/%d/fd/*", cmd.Process.Pid))
			return slices.ContainsFunc(files, func(fd string) bool {
				name, _ := os.Readlink(fd)
				link, err := os.Lstat(fd)
				// Whoever only asks whether the session runs opens the lock to read it, not to write.
				return name == filepath.Join(dir, "lock") && err == nil && link.Mode()&0o200 != 0
			})
		})
		if err := session.Withdraw([]int{byhand.Last(session)}); err != nil {
			t.Fatal(err)
		}
		session.Close()
		_ = cmd.Wait()
		if status := cmd.ProcessState.ExitCode(); status != exitTrouble || !strings.Contains(stderr.String(), "counts for nothing; `gitdd status` says what is to be judged now") {
			t.Errorf("%s: exit status %d: %s", says, status, &stderr)
		}
		if status := p.run("repo", "gitdd", "status"); !strings.Contains(status, "judged: 1 good, 0 bad, 0 skipped; 1 taken back\n") {
			t.Errorf("after %s:\n%s", says, status)
		}
	}
}

// causeOfResult are the places of a cause.
func causeOfResult(r report.Result) (list []string) {
	for _, c := range r.Cause {
		list = append(list, fmt.Sprint(c.Kind, " ", c.Path, " ", c.NewStart))
	}
	return list
}

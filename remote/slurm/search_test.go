//go:build linux

package slurm_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gitdd/gitdd/changes"
	"github.com/gitdd/gitdd/internal/slurmtest"
	"github.com/gitdd/gitdd/isolate"
	"github.com/gitdd/gitdd/remote/slurm"
	"github.com/gitdd/gitdd/trial"
)

func TestMain(m *testing.M) {
	os.Setenv("GORACE", "atexit_sleep_ms=0")
	trial.Supervisor()
	if os.Getenv(clientMark) != "" {
		client()
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// record commits files in a repository, which it makes if there is none.
func record(t *testing.T, top string, files map[string]string) {
	t.Helper()
	for name, text := range files {
		name = filepath.Join(top, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for _, args := range [][]string{{"init", "-q"}, {"add", "-A"}, {"-c", "user.name=Ada", "-c", "user.email=ada@example.com", "commit", "-q", "-m", "next"}} {
		if text, err := exec.Command("git", append([]string{"-C", top}, args...)...).CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v: %s", args, err, text)
		}
	}
}

// A history has eight changes in two files, two of which fail together.
func history(t *testing.T) string {
	t.Helper()
	good, bad := map[string]string{}, map[string]string{}
	for f := range 2 {
		var g, b strings.Builder
		for line := range 4 {
			fmt.Fprintf(&g, "line %d\nold %d\n", line, line)
			fmt.Fprintf(&b, "line %d\nnew %d\n", line, line)
		}
		name := fmt.Sprintf("d%d/f", f)
		good[name+fmt.Sprint(f)], bad[name+fmt.Sprint(f)] = g.String(), b.String()
	}
	top := filepath.Join(t.TempDir(), "repository")
	record(t, top, good)
	record(t, top, bad)
	return top
}

// The test of the history: new 2 in f1 together with new 3 in f0 fail.
const judge = `! { grep -q "new 2" d1/f1 && grep -q "new 3" d0/f0; }`

// search isolates the cause in a history and says it, with the number of trials on the
// path. began, if not nil, hears of every trial that begins.
func search(t *testing.T, top string, jobs int, set func(*trial.Options), began func(trial.Event)) string {
	t.Helper()
	ctx := t.Context()
	repo, err := changes.Open(ctx, top)
	if err != nil {
		t.Fatal(err)
	}
	defer repo.Close()
	all, err := changes.Between(ctx, repo, "HEAD~", "HEAD", changes.Options{})
	if err != nil {
		t.Fatal(err)
	}
	command := []string{"sh", "-c", "sleep 0.1; " + judge}
	session, err := trial.CreateSession(filepath.Join(t.TempDir(), "sessions"), trial.Header{
		Started: time.Now(), Name: "test", CommonDir: repo.CommonDir(), Good: all.Good, Bad: all.Bad, Command: command,
	})
	if err != nil {
		t.Fatal(err)
	}
	defer session.Close()
	opts := trial.Options{Repo: repo, Session: session, Command: command, Jobs: jobs, Observe: began}
	set(&opts)
	runner, err := trial.New(ctx, opts)
	if err != nil {
		t.Fatal(err)
	}
	defer runner.Close()
	if _, err := runner.Ends(ctx, all); err != nil {
		t.Fatal(err)
	}
	found, err := isolate.Search(ctx, isolate.Problem{N: all.Len(), Requires: all.Requires}, runner.Test(all), isolate.Options{Jobs: jobs})
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	for i := range found.Cause.All() {
		fmt.Fprintf(&b, "%s %q ", all.Changes[i].Path, all.Changes[i].New)
	}
	if v, err := runner.Confirm(ctx, all, found.Failing, isolate.Fail); err != nil || v.Outcome != isolate.Fail {
		t.Errorf("confirm: %+v, %v", v, err)
	}
	return fmt.Sprintf("%sminimal %v, %d trials", b.String(), found.Minimal, found.Trials)
}

// A search finds on the cluster what it finds here, by the same trials, though a node
// fails and jobs are cancelled meanwhile.
func testSearch(t *testing.T, cluster *slurmtest.Cluster) {
	top := history(t)
	want := search(t, top, 1, func(*trial.Options) {}, nil)
	if !strings.Contains(want, `d1/f1 "new 2\n"`) || !strings.Contains(want, "minimal true") {
		t.Fatalf("here: %s", want)
	}
	for _, shared := range []bool{true, false} {
		t.Run(map[bool]string{true: "shared", false: "streamed"}[shared], func(t *testing.T) {
			c := connect(t, slurm.Options{Shared: shared})
			var mu sync.Mutex
			dead := ""             // the node that is killed
			machines := []string{} // of the trials that have begun, in their order
			begun := func(n int) func() bool {
				return func() bool { mu.Lock(); defer mu.Unlock(); return len(machines) >= n }
			}
			harmed := make(chan bool)
			go func() {
				defer close(harmed)
				cluster.Await("trials run", begun(5))
				if _, err := cluster.Command("scancel", "--user=root", "--state=RUNNING"); err != nil {
					t.Error(err)
				}
				if shared {
					return
				}
				cluster.Await("trials run", begun(8))
				mu.Lock()
				dead = machines[len(machines)-1]
				mu.Unlock()
				cluster.Kill(dead)
			}()
			got := search(t, top, 3, func(o *trial.Options) {
				if o.Remote, o.Shared = c.Run, shared; shared {
					o.WorkspaceRoot = t.TempDir()
				}
			}, func(e trial.Event) {
				mu.Lock()
				defer mu.Unlock()
				if e.Kind == trial.Moved && e.State == "running" {
					machines = append(machines, e.Machine)
				}
			})
			<-harmed
			if !shared {
				cluster.Boot(dead)
			}
			if got != want {
				t.Errorf("%s, and here %s", got, want)
			}
		})
	}
}

const clientMark = "GITDD_TEST_CLIENT"

// client is a gitdd that performs one task, given by its environment.
func client() {
	c, err := slurm.New(context.Background(), slurm.Options{Shared: true, Dir: os.Getenv("GITDD_TEST_DIR"), Args: strings.Fields(os.Getenv("GITDD_TEST_ARGS"))})
	if err != nil {
		fmt.Println(err)
		return
	}
	_, err = c.Run(context.Background(), trial.Task{
		Name: os.Getenv(clientMark), Shared: os.Getenv("GITDD_TEST_DIR"), Command: []string{"sleep", "3600"},
		Output: func(name string) string { return os.DevNull },
	})
	fmt.Println(err)
}

// Of a gitdd that is killed no job stays, neither one that runs nor one that waits.
func testKilled(t *testing.T, cluster *slurmtest.Cluster) {
	for _, args := range []string{"", "--begin=now+1hour"} {
		name := fmt.Sprintf("gitdd-killed-%d", len(args))
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(cmd.Environ(), clientMark+"="+name, "GITDD_TEST_ARGS="+args, "GITDD_TEST_DIR="+t.TempDir())
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		cluster.Await("the job is there", func() bool { return strings.Contains(strings.Join(cluster.Jobs(), " "), name) })
		cmd.Process.Kill()
		cmd.Wait()
		cluster.Await("the job is gone", func() bool { return len(cluster.Jobs()) == 0 })
	}
}

// What a killed gitdd has left is found by its name.
func testLeft(t *testing.T, cluster *slurmtest.Cluster) {
	for _, name := range []string{"gitdd-one-1", "gitdd-one-2", "gitdd-other-1"} {
		if out, err := cluster.Command("sbatch", "--job-name="+name, "--wrap=sleep 3600", "--output=/dev/null"); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
	}
	// It is asked again where Slurm does not do so the first time.
	scancel, err := exec.LookPath("scancel")
	if err != nil {
		t.Fatal(err)
	}
	busy := filepath.Join(t.TempDir(), "scancel")
	script := "#!/bin/sh\n[ -e \"$0.ran\" ] && exec " + scancel + " \"$@\"\ntouch \"$0.ran\"\necho 'scancel: error: Socket timed out on send/recv operation' >&2\nexit 1\n"
	if err := os.WriteFile(busy, []byte(script), 0o777); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", filepath.Dir(busy)+":"+os.Getenv("PATH"))
	if n, err := slurm.Cancel(t.Context(), "gitdd-one-"); n != 2 || err != nil {
		t.Errorf("%d, %v", n, err)
	}
	if jobs := cluster.Jobs(); len(jobs) != 1 || jobs[0] != "gitdd-other-1" {
		t.Errorf("%v are left", jobs)
	}
	if n, err := slurm.Cancel(t.Context(), "gitdd-"); n != 1 || err != nil {
		t.Errorf("%d, %v", n, err)
	}
}

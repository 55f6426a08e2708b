package process

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// roles are what this test binary can be when it is executed again: a command,
// or a gitdd that gets killed. The files for one system add theirs.
var roles = map[string]func(args []string){}

func TestMain(m *testing.M) {
	// With the race detector each process that ends would sleep for a second.
	os.Setenv("GORACE", "atexit_sleep_ms=0")
	Supervise()
	if len(os.Args) > 1 {
		if role, ok := roles[os.Args[1]]; ok {
			role(os.Args[2:])
			os.Exit(0)
		}
	}
	os.Exit(m.Run())
}

// newSupervisor starts a supervisor that ends with the test.
func newSupervisor(t testing.TB) *supervisor {
	t.Helper()
	k, err := startSupervisor()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { k.close() })
	return k
}

// shell is a process that runs a script in a directory of its own.
func shell(t testing.TB, script string) Command {
	t.Helper()
	dir := t.TempDir()
	return Command{
		Argv:   []string{"sh", "-c", script},
		Dir:    dir,
		Stdout: filepath.Join(dir, "stdout"),
		Stderr: filepath.Join(dir, "stderr"),
	}
}

func read(t testing.TB, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// eventually polls until the condition holds. Its patience is only used up when
// something is broken.
func eventually(t testing.TB, what string, condition func() bool) {
	t.Helper()
	for deadline := time.Now().Add(5 * time.Minute); !condition(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("not within five minutes: %s", what)
		}
	}
}

func TestStartSupervisorWithoutSupervisorInMain(t *testing.T) {
	t.Setenv(supervisorMark, "1") // as if main had not called Supervisor
	if k, err := startSupervisor(); err == nil {
		k.close()
		t.Fatal("a supervisor started another one")
	}
}

func TestNothingToRun(t *testing.T) {
	k := newSupervisor(t)
	for _, p := range []Command{
		{Argv: nil},
		{Argv: []string{"a\x00b"}},
		{Argv: []string{"a"}, Env: []string{"A=\x00"}},
	} {
		if _, err := k.run(t.Context(), p); err == nil || errors.Is(err, ErrGone) {
			t.Errorf("%+v: error %v", p, err)
		}
	}
}

func TestRunAfterClose(t *testing.T) {
	k := newSupervisor(t)
	if err := k.close(); err != nil {
		t.Fatal(err)
	}
	if _, err := k.run(t.Context(), shell(t, "true")); !errors.Is(err, ErrGone) {
		t.Errorf("error %v", err)
	}
	if err := k.close(); err != nil {
		t.Errorf("closed twice: %v", err)
	}
}

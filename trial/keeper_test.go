package trial

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// roles are what this test binary can be when it is executed again as a
// command, or as a gitdd that gets killed.
var roles = map[string]func(args []string){}

func TestMain(m *testing.M) {
	Keeper()
	if len(os.Args) > 1 {
		if role, ok := roles[os.Args[1]]; ok {
			role(os.Args[2:])
			os.Exit(0)
		}
	}
	os.Exit(m.Run())
}

// newKeeper starts a keeper that ends with the test.
func newKeeper(t testing.TB) *keeper {
	t.Helper()
	k, err := startKeeper()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { k.close() })
	return k
}

// shell is a process that runs a script in a directory of its own.
func shell(t testing.TB, script string) process {
	t.Helper()
	dir := t.TempDir()
	return process{
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

// eventually polls until the condition holds.
func eventually(t testing.TB, what string, condition func() bool) {
	t.Helper()
	for deadline := time.Now().Add(20 * time.Second); !condition(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("not within 20 s: %s", what)
		}
	}
}

func TestExitCodes(t *testing.T) {
	k := newKeeper(t)
	for _, code := range []int{0, 1, 125, 126, 127, 200, 255} {
		p := shell(t, fmt.Sprintf("echo out; echo err >&2; exit %d", code))
		e, err := k.run(t.Context(), p)
		if err != nil {
			t.Fatal(err)
		}
		if e.Duration <= 0 || e.Duration > time.Minute {
			t.Errorf("exit %d: duration %v", code, e.Duration)
		}
		e.Duration = 0
		if want := (exit{Code: code, Started: true}); e != want {
			t.Errorf("exit %d: got %+v", code, e)
		}
		if out, errs := read(t, p.Stdout), read(t, p.Stderr); out != "out\n" || errs != "err\n" {
			t.Errorf("exit %d: stdout %q, stderr %q", code, out, errs)
		}
	}
}

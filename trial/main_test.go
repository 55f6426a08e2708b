package trial

import (
	"os"
	"testing"
	"time"
)

// roles are what this test binary can be when it is executed again: a command,
// or a gitdd that gets killed. The files for one system add theirs.
var roles = map[string]func(args []string){}

func TestMain(m *testing.M) {
	// With the race detector each process that ends would sleep for a second.
	os.Setenv("GORACE", "atexit_sleep_ms=0")
	Supervisor()
	if len(os.Args) > 1 {
		if role, ok := roles[os.Args[1]]; ok {
			role(os.Args[2:])
			os.Exit(0)
		}
	}
	os.Exit(m.Run())
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

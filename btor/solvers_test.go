package btor

import (
	"bytes"
	"context"
	"os/exec"
	"strings"
	"testing"
	"time"
)

// sound keeps boolector from rewriting, in which version 1.5.118 makes mistakes: of 13,000
// generated graphs one was answered wrongly (cmd/gitdd/testdata/script/btor_hunt_flaw.txtar).
const sound = "-rwl0"

// solvers skips a test where one of them is not installed.
func solvers(t *testing.T, names ...string) {
	t.Helper()
	for _, name := range names {
		if _, err := exec.LookPath(name); err != nil {
			t.Skipf("%s is not on PATH: whether this is as solvers have it is not tested", name)
		}
	}
}

// run has a solver work on a text, on its standard input, with so little memory that
// nothing can go wrong: its exit status, and what it prints.
func run(t *testing.T, text []byte, command ...string) (status int, output string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	args := append([]string{"-c", `ulimit -v 2000000; exec "$@"`, "sh"}, command...)
	cmd := exec.CommandContext(ctx, "sh", args...)
	cmd.Stdin = bytes.NewReader(text)
	out, err := cmd.CombinedOutput()
	if cmd.ProcessState == nil {
		t.Errorf("%v does not run: %v", command, err)
		return -1, ""
	}
	return cmd.ProcessState.ExitCode(), strings.TrimSpace(string(out))
}

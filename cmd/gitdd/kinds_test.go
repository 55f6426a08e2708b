package main

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/gitdd/gitdd/internal/seed"
)

// A field is a directory in which commands run, away from the user's git
// configuration and sessions.
type field struct {
	t     *testing.T
	dir   string
	env   []string
	raced bool // the race detector watches every gitdd of it, not only some; see watched
}

func newField(t *testing.T) *field {
	t.Helper()
	if err := built(); err != nil {
		t.Fatal(err)
	}
	f := &field{t: t, dir: t.TempDir(), env: os.Environ()}
	for _, pair := range environment(f.dir) {
		f.env = append(f.env, pair[0]+"="+pair[1])
	}
	t.Cleanup(func() {
		if err := storiesHold(f.path(".sessions")); err != nil {
			t.Error(err)
		}
	})
	return f
}

// path names a file of the field.
func (f *field) path(name string) string { return filepath.Join(f.dir, name) }

// command is one that runs in the directory name of the field. A gitdd of it is the one
// without the race detector unless the detector has to watch it. What lists sessions and
// what removes them stands between searches thousands of times, and is never watched.
func (f *field) command(name string, argv ...string) *exec.Cmd {
	if argv[0] == "gitdd" {
		between := len(argv) == 2 && (argv[1] == "list" || argv[1] == "clean")
		if between || !f.raced && !watched(argv) {
			argv = append([]string{unraced("gitdd")}, argv[1:]...)
		}
	}
	cmd := exec.CommandContext(f.t.Context(), argv[0], argv[1:]...)
	cmd.Dir, cmd.Env = f.path(name), f.env
	return cmd
}

// run runs a command that must exit with 0 and returns what it printed.
func (f *field) run(name string, argv ...string) string {
	f.t.Helper()
	status, stdout, stderr := f.status(name, argv...)
	if status != 0 {
		f.t.Fatalf("%q: exit status %d\n%s%s", argv, status, stdout, stderr)
	}
	return stdout
}

// status runs a command and returns its exit status and what it printed.
func (f *field) status(name string, argv ...string) (status int, stdout, stderr string) {
	f.t.Helper()
	var out, errs bytes.Buffer
	cmd := f.command(name, argv...)
	cmd.Stdout, cmd.Stderr = &out, &errs
	err := cmd.Run()
	if exit := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) {
		f.t.Fatal(err)
	}
	return cmd.ProcessState.ExitCode(), out.String(), errs.String()
}

// sh runs a shell script in a directory of the field.
func (f *field) sh(name, script string) {
	f.t.Helper()
	f.run(name, "sh", "-e", "-c", script)
}

// contents lists the files below a directory of the field.
func (f *field) contents(name string) string {
	f.t.Helper()
	all, err := contents(f.path(name))
	if err != nil {
		f.t.Fatal(err)
	}
	return all
}

// Each kind of change can be the cause: it is found beside a harmless one,
// shown, kept as a patch that git applies, and taken off the working tree.
func TestKinds(t *testing.T) {
	tests := []struct {
		name       string
		good, bad  string // shell scripts: bad begins where good has ended
		check      string // passes at good
		kind, path string // of the cause
		show       string // in the text
	}{
		{"text", "echo one >f", "echo two >f", "grep -q one f", "text", "f", "\n-one\n+two\n"},
		{"created", ":", "echo new >f", "test ! -e f", "created", "f", "created"},
		{"created empty", ":", ": >f", "test ! -e f", "created", "f", "created"},
		{"copied", ":", "echo one >f", "test ! -e f", "copied", "f", "copied from other"},
		{"deleted", "echo one >f", "rm f", "test -e f", "deleted", "f", "deleted"},
		{"renamed", "seq 30 >f", "git mv f g", "test ! -e g", "renamed", "g", "renamed from f"},
		{"text in renamed", "seq 30 >f", "git mv f g; sed -i s/15/fifteen/ g", "grep -q 15 f g 2>/dev/null", "text", "g", "\n-15\n+fifteen\n"},
		{"executable", "echo one >f", "chmod +x f", "test ! -x f", "mode", "f", "100755"},
		{"symlink", "ln -s one f", "ln -sf two f", `test "$(readlink f)" = one`, "symlink", "f", "two"},
		{"binary", `printf 'one\0' >f`, `printf 'two\0' >f`, "grep -q one f", "binary", "f", "binary"},
		{"type", "echo one >f", "ln -sf other f", "test ! -L f", "type", "f", "type: file → symlink"},
		{"directory for file", "echo one >f", "rm f; mkdir f; echo new >f/g", "test ! -e f/g", "created", "f/g", "created"},
		{"CRLF", `printf 'one\ntwo\n' >f`, `printf 'one\r\ntwo\n' >f`, `! grep -q "$(printf '\r')" f`, "text", "f", "+one"},
		{"no newline at the end", "echo one >f", "printf one >f", `test "$(wc -l <f)" = 1`, "text", "f", "newline"},
		{"spaces", "echo one >'a  b'", "echo two >'a  b'", "grep -q one 'a  b'", "text", "a  b", "+two"},
		{"quotes", `echo one >'a"\b'`, `echo two >'a"\b'`, `grep -q one 'a"\b'`, "text", `a"\b`, "+two"},
		{"newline", "echo one >'a\nb'", "echo two >'a\nb'", "grep -q one 'a\nb'", "text", "a\nb", "+two"},
		{"created with newline", ":", "echo new >'a\nb'", "test ! -e 'a\nb'", "created", "a\nb", `a\nb`},
		{"dash", "echo one >-f", "echo two >-f", "grep -q one ./-f", "text", "-f", "+two"},
		{"not UTF-8", "echo one >\"$(printf 'a\\377b')\"", "echo two >\"$(printf 'a\\377b')\"", "grep -q one a?b", "text", "a\xffb", "+two"},
	}
	if runtime.GOOS == "windows" {
		t.Skip("the scripts that make the changes are for a POSIX shell")
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			seed.SkipLong(t, 6)
			t.Parallel()
			f := newField(t)
			f.run("", "git", "init", "-q", "-b", "main", "repo")
			f.sh("repo", "echo one >other; "+tt.good+"; git add -A; git commit -qm Begin; git tag v1")
			f.sh("repo", "echo two >other; "+tt.bad+"; git add -A; git commit -qm 'Go on'")

			text := f.run("repo", "gitdd", "run", "--good", "v1", "--json", "../result.json", "--patch", "../cause.patch", "--", "sh", "-c", tt.check)
			result, err := readResult(f.path("result.json"))
			if err != nil {
				t.Fatal(err)
			}
			if len(result.Cause) != 1 || !result.Minimal || !result.Verified {
				t.Fatalf("%d members of the cause, minimal %v, verified %v, want 1, true, true\n%s", len(result.Cause), result.Minimal, result.Verified, text)
			}
			c := result.Cause[0]
			path := c.Path
			if c.RawPath != nil {
				path = string(c.RawPath)
			}
			if c.Kind != tt.kind || path != tt.path {
				t.Errorf("cause: %s %q, want %s %q", c.Kind, path, tt.kind, tt.path)
			}
			if !strings.Contains(text, tt.show) {
				t.Errorf("%q is not shown in\n%s", tt.show, text)
			}

			f.run("repo", "gitdd", "checkout", "passing", "../passing")
			f.run("repo", "gitdd", "checkout", "failing", "../failing")
			f.run("passing", "git", "apply", "../cause.patch")
			if passing, failing := f.contents("passing"), f.contents("failing"); passing != failing {
				t.Errorf("the patch makes\n%s\nof the passing configuration, want\n%s", passing, failing)
			}
			f.run("repo", "gitdd", "apply", "--revert")
			f.run("repo", "sh", "-c", tt.check)
			f.run("repo", "grep", "-q", "two", "other")
		})
	}
}

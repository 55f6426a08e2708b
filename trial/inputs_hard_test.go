package trial

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/gitdd/gitdd/isolate"
	"github.com/gitdd/gitdd/testcase"
)

// TestInputChatty: a command that prints without end neither blocks nor fills the
// disk, and what it prints first is looked at.
func TestInputChatty(t *testing.T) {
	r := reducing(t, file("in", "x"), "echo bug; head -c 20000000 /dev/zero | tr '\\0' x; head -c 20000000 /dev/zero >&2; grep -q x in && exit 1; exit 0", func(o *InputOptions) {
		o.MaxOutput = 100_000
		sameOutput("^bug")(&o.Options)
	})
	v := r.begin()
	if size(v.Stdout, v.Stderr) > 300_000 {
		t.Errorf("%d bytes are kept", size(v.Stdout, v.Stderr))
	}
	if v.Signature != "bug" {
		t.Errorf("signature %q", v.Signature)
	}
}

// TestInputTimeLimit: ten times what the original took, and ten seconds at least.
func TestInputTimeLimit(t *testing.T) {
	r := reducing(t, file("in", "x"), "exit 1", nil)
	r.begin()
	if r.limits.test != 10*time.Second {
		t.Errorf("limit %v", r.limits.test)
	}
	r = reducing(t, file("in", "x"), "sleep 1.2; exit 1", nil)
	if v := r.begin(); r.limits.test != 10*v.Duration || r.limits.test < 12*time.Second {
		t.Errorf("limit %v after %v", r.limits.test, v.Duration)
	}
}

// TestInputFresh: what a command does to its candidate, and to all that lies there,
// does not reach the next trial or the caller's memory.
func TestInputFresh(t *testing.T) {
	in := tree("d/a", "1", "d/sub/b", "2", "d/l", "->sub/b", "d/dangling", "->../../nowhere")
	in.Files[0].Mode = 0o755
	want := in.Digest()
	r := reducing(t, in, `ls -lnR | sed 's/ [0-9:]* \([^ ]*\)$/ \1/'; find . -type l -exec readlink {} +
		test -x d/a && test -L d/l && test "$(cat d/a d/l)" = 12 || exit 3
		echo 3 > d/a; echo 4 > d/sub/b; : > d/new; chmod 000 d/sub; ln -s / d/root; mkfifo d/fifo; exit 1`, func(o *InputOptions) { o.Repeat = 3 })
	if v := r.begin(); v.Outcome != isolate.Fail {
		t.Fatalf("%+v", v)
	}
	if r.Stats().Run != 3 || in.Digest() != want {
		t.Errorf("%d trials; the input has changed: %t", r.Stats().Run, in.Digest() != want)
	}
	if _, err := os.Stat("/etc"); err != nil {
		t.Error(err)
	}
}

// TestInputNames: odd names arrive as they are, and what leads out of the directory
// of a trial, or through a symlink, is not written.
func TestInputNames(t *testing.T) {
	odd := []string{"a b", "-rf", "new\nline", `quote'"`, "\xff\xfe", "*", "..x", ".git", strings.Repeat("l", 255), "{}"}
	for _, name := range odd {
		in := file(name, "content")
		r := reducing(t, in, `test "$(cat -- "$1")" = content && test "$(cat -- "$GITDD_INPUT")" = content || exit 7; for f in * .[!.]* ..?*; do test -f "$f" && exit 1; done; exit 8`, func(o *InputOptions) {
			o.Command = append(o.Command, "sh", "{}")
		})
		if v := r.begin(); v.Exit != 1 {
			t.Errorf("%q: %+v", name, v)
		}
	}
	for _, name := range []string{"", ".", "..", "../x", "/x", "a/../../x", "a//b", "./a", "a/", "nul\x00"} {
		opts := InputOptions{Original: file(name, "x")}
		opts.Session, opts.Command = inputSession(t, t.TempDir()), []string{"false"}
		if _, err := NewInputs(context.Background(), opts); err == nil || !strings.HasSuffix(err.Error(), "not a name below a directory") {
			t.Errorf("%q: %v", name, err)
		}
		opts.Session.Close()
	}
	outside := t.TempDir()
	r := reducing(t, tree("d/x", "1"), "exit 1", nil)
	r.begin()
	for _, in := range []testcase.Input{
		tree("d/l", "->"+outside, "d/l/x", "escaped"),
		tree("d", "->"+outside, "d/x", "escaped"),
		tree("d/f", "a file", "d/f/x", "below it"),
		tree("d/"+strings.Repeat("n", 256), "too long"),
		{Dir: true, Files: []testcase.File{{Path: "d/x", Mode: 0o644}, {Path: "d/x", Mode: 0o644}}},
	} {
		if v := r.verdict(in); v.Outcome != isolate.Unresolved || v.Trial != 0 {
			t.Errorf("%q: %+v", in.Files, v)
		}
	}
	if left, err := os.ReadDir(outside); len(left) > 0 || err != nil {
		t.Errorf("%v was written outside: %v", left, err)
	}
	if n := r.Stats().Run; n != 1 {
		t.Errorf("%d trials, want 1", n)
	}
}

// TestInputLimits: a candidate with which the command takes too much is another
// failure, and the search goes on.
func TestInputLimits(t *testing.T) {
	r := reducing(t, file("in", "x"), "grep -q big in && head -c 5000000 /dev/zero > big; exit 1", func(o *InputOptions) { o.MaxDisk = 2 << 20 })
	r.begin()
	if v := r.verdict(file("in", "big")); v.Outcome != isolate.Unresolved || !strings.HasPrefix(v.Reason, "another failure: took more of the disk than --max-disk") {
		t.Errorf("%+v", v)
	}
	if v := r.verdict(file("in", "y")); v.Outcome != isolate.Fail {
		t.Errorf("%+v", v)
	}
}

// TestInputFlaky: different outcomes on the same candidate are told, and never
// averaged away.
func TestInputFlaky(t *testing.T) {
	start := t.TempDir()
	const script = `echo . >> "$GITDD_DIR/n"; grep -q steady in && exit 1; test $(wc -l < "$GITDD_DIR/n") -gt 2 || exit 1`
	r := reducingIn(t, inputSession(t, start), file("in", "steady"), script, nil)
	r.begin()
	loose := file("in", "loose")
	if v := r.verdict(loose); v.Outcome != isolate.Fail {
		t.Fatalf("%+v", v)
	}
	if v := r.verdict(loose); !v.Cached {
		t.Errorf("%+v", v)
	}
	var flaky *FlakyError
	if _, err := r.Confirm(context.Background(), loose); !errors.As(err, &flaky) || fmt.Sprint(flaky.Trials) != "[2 3]" {
		t.Errorf("%v, %+v", err, flaky)
	} else if want := "the test is flaky: the input of 5 bytes gave fail in trial 2 and pass in trial 3"; err.Error() != want {
		t.Errorf("got %v\nwant %s", err, want)
	}
}

// TestInputErrors: what ends a reduction before it begins.
func TestInputErrors(t *testing.T) {
	for _, test := range []struct {
		name    string
		command []string
		want    string
		hint    string
		trials  int
	}{
		{"passes", []string{"true"}, "the command does not fail on the input: exit 0", "", 1},
		{"skips", []string{"sh", "-c", "echo why; exit 125"}, `the input cannot be judged: exit 125: the test cannot judge this, output line "why"`, "", 1},
		{"not found", []string{"no-such-command"}, "the command cannot run: no-such-command: command not found in PATH (exit 127 with the input)", "it is looked for in PATH", 1},
		{"one word", []string{"exit 1"}, "the command cannot run: exit 1: command not found in PATH (exit 127 with the input)", "-- sh -c 'exit 1'", 1},
		{"no such script", []string{"./none.sh"}, `the command cannot run: "./none.sh": no such file`, "it is neither beside the input nor in /", 1},
		{"not executable", []string{"./check.sh"}, "the command cannot run: ", "chmod +x ./check.sh", 1},
		{"what it calls is missing", []string{"sh", "-c", "no-such-command {}"}, "the command cannot run: sh: 1: no-such-command: not found (exit 127 with the input)", "", 2},
		{"the input calls what is missing", []string{"sh", "{}"}, "", "", 2},
	} {
		t.Run(test.name, func(t *testing.T) {
			start := t.TempDir()
			if err := os.WriteFile(filepath.Join(start, "check.sh"), []byte("exit 1\n"), 0o644); err != nil {
				t.Fatal(err)
			}
			r := reducingIn(t, inputSession(t, start), file("in", "no-such-command\n"), "", func(o *InputOptions) { o.Command = test.command })
			_, err := r.Original(context.Background())
			if test.want == "" && err != nil || test.want != "" && (err == nil || !strings.HasPrefix(err.Error(), test.want)) {
				t.Errorf("got %v\nwant %s", err, test.want)
			}
			var command *CommandError
			if errors.As(err, &command) && !strings.Contains(command.Hint, test.hint) {
				t.Errorf("hint %q, want %q", command.Hint, test.hint)
			}
			if n := r.Stats().Run; n != test.trials {
				t.Errorf("%d trials, want %d", n, test.trials)
			}
		})
	}
}

// TestInputRoot: sessions without a repository are found and cleaned.
func TestInputRoot(t *testing.T) {
	t.Setenv(CacheVariable, t.TempDir())
	dir := t.TempDir()
	root, err := InputRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(dir, link); err != nil {
		t.Fatal(err)
	}
	if other, err := InputRoot(link); err != nil || other != root {
		t.Errorf("%s by another name: %s, %v", root, other, err)
	}
	s, err := CreateSession(root, Header{Version: "test", Started: time.Now(), Name: "reduce", Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	r := reducingIn(t, s, file("in", "x"), "exit 1", nil)
	r.begin()
	// A kill leaves the session as it is now.
	temp := r.temp
	if err := s.lock.Close(); err != nil {
		t.Fatal(err)
	}
	s.lock = nil
	list, err := Sessions(root)
	if err != nil || len(list) != 1 || list[0].State != StateInterrupted || list[0].Trials != 1 {
		t.Errorf("%+v, %v", list, err)
	}
	done, err := Clean(context.Background(), root, Cleaning{})
	if err != nil || len(done.Sessions) != 1 || len(done.Sessions[0].Places) != 1 {
		t.Errorf("%+v, %v", done, err)
	}
	for _, gone := range []string{root, temp} {
		if _, err := os.Stat(gone); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s is left: %v", gone, err)
		}
	}
	for _, w := range r.workers {
		w.close()
	}
}

// TestInputLarge: an input of many bytes and files comes through.
func TestInputLarge(t *testing.T) {
	in := testcase.Input{Dir: true}
	for i := range 300 {
		in.Files = append(in.Files, testcase.File{Path: fmt.Sprintf("d/%03d/f", i), Mode: 0o644, Content: bytes.Repeat([]byte{byte(i)}, 20_000)})
	}
	r := reducing(t, in, `test $(cat d/*/f | wc -c) = 6000000 && exit 1`, nil)
	if v := r.begin(); v.Outcome != isolate.Fail {
		t.Errorf("%+v", v)
	}
}

// TestInputOutputs: the outputs of old trials go when there are many, also those of
// an earlier process; that of the original stays.
func TestInputOutputs(t *testing.T) {
	s := inputSession(t, t.TempDir())
	kept := func() (list string) {
		for trial := range 8 {
			if _, err := os.Stat(s.Output(trial, "out")); err == nil {
				list += strconv.Itoa(trial)
			}
			if (size(s.Output(trial, "out")) == 10_000) != (size(s.Output(trial, "err")) == 5) {
				t.Errorf("trial %d: half of its output is there", trial)
			}
		}
		return list
	}
	r := reducingIn(t, s, file("in", "x"), "head -c 10000 /dev/zero; echo text >&2; exit 1", nil)
	r.history.budget = 3 * (10_005 + leastOutput)
	r.begin()
	for i := range 5 {
		r.verdict(file("in", strconv.Itoa(i)))
	}
	if got := kept(); got != "1456" {
		t.Errorf("the outputs of %s are kept", got)
	}
	r.close()
	s, err := OpenSession(s.Dir())
	if err != nil {
		t.Fatal(err)
	}
	r = reducingIn(t, s, file("in", "x"), "head -c 10000 /dev/zero; echo text >&2; exit 1", nil)
	r.history.budget = 3 * (10_005 + leastOutput)
	r.begin()
	r.verdict(file("in", "new"))
	if got := kept(); got != "1567" {
		t.Errorf("the outputs of %s are kept", got)
	}
}

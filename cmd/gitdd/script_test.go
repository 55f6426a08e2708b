package main

import (
	"crypto/sha256"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/gitdd/gitdd/internal/reapitest"
	"github.com/gitdd/gitdd/internal/seed"
	"github.com/gitdd/gitdd/trial"
)

var update = flag.Bool("update", false, "rewrite the golden files and what the scripts expect")

// patience is how long a test waits for what must come. It is only used up
// when something is broken.
const patience = 5 * time.Minute

// TestMain runs this test binary as the command when it is started as gitdd: that is
// what is on PATH until it is [built].
func TestMain(m *testing.M) {
	trial.Supervisor() // a supervisor is started from the file, whatever name it ran under
	testscript.Main(heeding{m}, map[string]func(){"gitdd": main, "git-dd": main})
}

// heeding are tests whose processes heed the signals that end a process, though who
// began the tests ignores some: a shell that is no terminal's does so for what runs in
// its background, and nohup.
type heeding struct{ *testing.M }

func (m heeding) Run() int {
	for _, s := range []os.Signal{os.Interrupt, syscall.SIGHUP, syscall.SIGTERM} {
		if signal.Ignored(s) {
			signal.Notify(make(chan os.Signal, 1), s) // as good as to ignore it, but not inherited
		}
	}
	return m.M.Run()
}

// TestScript runs the scripts, each in a directory of its own: one behaviour
// with its messages and exit status.
//
// Beside the commands of testscript they have
//
//	history REPO DIR...  a new repository with a commit and a tag for each DIR
//	status N COMMAND...  runs the command, which must exit with N
//	snapshot NAME DIR    remembers every file below DIR: name, mode and content
//	unchanged NAME DIR   they are still the same
//	schema FILE...       JSON of gitdd, or SARIF, is what docs/schema says, and no more
//	retold SESSION SESSION
//	                     two sessions tell the same story but for times; with -j also
//	                     but for the numbers of trials
//	same FILE FILE       two JSON results give the same answer, by as many trials
//	red EVENT REPO       what GitHub tells a job when main is red at HEAD of REPO
//	step N NAME...       runs a step of docs/examples/gitdd-on-red.yml, which must exit with N
//	tmpfs DIR OPTIONS    makes DIR a file system of its own, by mount -o OPTIONS
//	farm NAME [HEADER VALUE]
//	                     starts a server of the Remote Execution API, whose URL is then in
//	                     NAME, and that wants this header
//
// the variable SOURCE, the top of this source, and the conditions root, tmpfs: this
// process may mount one, file:PATH: there is one, and version:PROGRAM:VERSION: that is
// what PROGRAM -V says. Of what a script leaves behind, all JSON of gitdd's is held to its
// schema, that of the sessions included.
func TestScript(t *testing.T) { testscript.Run(t, scripts(t, "testdata/script")) }

// scripts are those of a directory, with the commands and conditions they have.
func scripts(t *testing.T, dir string) testscript.Params {
	return testscript.Params{
		Dir:                 dir,
		UpdateScripts:       *update,
		RequireUniqueNames:  true,
		RequireExplicitExec: true,
		Setup: func(env *testscript.Env) error {
			if script, ok := env.T().(testing.TB); ok && !*update && !seed.OneIn(script, 20) {
				script.Skip("takes long")
			}
			if err := built(); err != nil {
				return err
			}
			for _, pair := range environment(env.WorkDir) {
				env.Setenv(pair[0], pair[1])
			}
			raced, err := racedScript(filepath.Join(dir, strings.TrimPrefix(filepath.Base(env.WorkDir), "script-")+".txtar"))
			if err != nil {
				return err
			}
			if !raced {
				env.Setenv("PATH", plainPath())
			}
			env.Defer(func() {
				if err := storiesHold(filepath.Join(env.WorkDir, ".sessions")); err != nil {
					env.T().Fatal(err)
				}
			})
			env.Values["snapshots"] = map[string]string{}
			env.Defer(func() {
				if err := checkSchemas(env.WorkDir); err != nil {
					env.T().Fatal(err)
				}
			})
			source, err := filepath.Abs("../..")
			env.Setenv("SOURCE", source)
			return err
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"farm":      farmFor(t),
			"history":   newHistory,
			"schema":    schemaCommand,
			"red":       redMain,
			"retold":    retold,
			"same":      same,
			"status":    exits,
			"step":      workflowStepCommand,
			"snapshot":  snapshot,
			"tmpfs":     tmpfs,
			"unchanged": unchanged,
		},
		Condition: func(name string) (bool, error) {
			switch name {
			case "root":
				return os.Geteuid() == 0, nil
			case "tmpfs":
				return mountable(), nil
			}
			if path, ok := strings.CutPrefix(name, "file:"); ok {
				_, err := os.Stat(path)
				return err == nil, nil
			}
			if program, ok := strings.CutPrefix(name, "version:"); ok {
				program, version, _ := strings.Cut(program, ":")
				out, err := exec.Command(program, "-V").Output()
				return err == nil && strings.TrimSpace(string(out)) == version, nil
			}
			return false, fmt.Errorf("unknown condition %q", name)
		},
	}
}

// parsing are the scripts that show what a gitdd with the grammars of tree-sitter does
// otherwise than one without. The gitdd without the race detector has no grammars.
var parsing = []string{"reduce_formats", "run_group", "run_learn", "run_level", "run_names_the_line"}

// racedScript reports whether a script runs with the gitdd that has the race detector and
// grammars, see [built]: it is one of those for which that matters.
func racedScript(path string) (bool, error) {
	if slices.Contains(parsing, strings.TrimSuffix(filepath.Base(path), ".txtar")) {
		return true, nil
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return false, err
	}
	for line := range strings.Lines(string(text)) {
		words := strings.Fields(line)
		if len(words) > 0 && words[0] == "farm" || slices.Contains(words, "gitdd") && watched(words) {
			return true, nil
		}
	}
	return false, nil
}

// farmFor makes the command that starts a server, for the rest of the test.
func farmFor(t *testing.T) func(*testscript.TestScript, bool, []string) {
	return func(ts *testscript.TestScript, neg bool, args []string) {
		o := reapitest.Options{Workers: 8}
		switch {
		case !neg && len(args) == 1:
		case !neg && len(args) == 3:
			o.Header = [2]string{args[1], args[2]}
		default:
			ts.Fatalf("usage: farm NAME [HEADER VALUE]")
		}
		ts.Setenv(args[0], reapitest.Start(t, o).Endpoint())
	}
}

// mountable says whether this process may mount a file system.
var mountable = sync.OnceValue(func() bool {
	dir, err := os.MkdirTemp("", "mountable")
	if err != nil {
		return false
	}
	defer os.Remove(dir)
	if exec.Command("mount", "-t", "tmpfs", "none", dir).Run() != nil {
		return false
	}
	return exec.Command("umount", dir).Run() == nil
})

func tmpfs(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: tmpfs DIR OPTIONS")
	}
	dir := ts.MkAbs(args[0])
	ts.Check(os.MkdirAll(dir, 0o777))
	ts.Check(ts.Exec("mount", "-t", "tmpfs", "-o", args[1], "none", dir))
	ts.Defer(func() { exec.Command("umount", "-l", dir).Run() })
}

// environment keeps the user's git configuration and sessions away from a test
// that works below dir, and makes every commit the same.
func environment(dir string) [][2]string {
	return [][2]string{
		{"HOME", dir},
		{"GIT_CONFIG_GLOBAL", os.DevNull},
		{"GIT_CONFIG_NOSYSTEM", "1"},
		{"GIT_AUTHOR_NAME", "Ada"}, {"GIT_AUTHOR_EMAIL", "ada@example.com"}, {"GIT_AUTHOR_DATE", "2026-01-02T03:04:05Z"},
		{"GIT_COMMITTER_NAME", "Ada"}, {"GIT_COMMITTER_EMAIL", "ada@example.com"}, {"GIT_COMMITTER_DATE", "2026-01-02T03:04:05Z"},
		{"GOCACHE", buildCache()},
		{"GITDD_CACHE_DIR", filepath.Join(dir, ".sessions")},
		{"NO_COLOR", "1"},
		{"LC_ALL", "C"},
		{"GORACE", "atexit_sleep_ms=0"}, // else each process of a race build ends a second later
	}
}

// buildCache is the go command's cache of the user: for the demo to begin with
// an empty one would compile the standard library.
func buildCache() string {
	if dir := os.Getenv("GOCACHE"); dir != "" {
		return dir
	}
	dir, err := os.UserCacheDir()
	if err != nil {
		return "off"
	}
	return filepath.Join(dir, "go-build")
}

// newHistory makes the repository REPO on branch main: for each DIR a commit that
// holds just what DIR holds, with its name as subject and as tag.
func newHistory(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: history REPO DIR...")
	}
	repo := ts.MkAbs(args[0])
	ts.Check(ts.Exec("git", "init", "-q", "-b", "main", repo))
	for _, dir := range args[1:] {
		at := []string{"--git-dir=" + filepath.Join(repo, ".git"), "--work-tree=" + ts.MkAbs(dir)}
		ts.Check(ts.Exec("git", append(at, "add", "-A")...))
		ts.Check(ts.Exec("git", append(at, "commit", "-qm", dir)...))
		ts.Check(ts.Exec("git", append(at, "tag", dir)...))
	}
	ts.Check(ts.Exec("git", "-C", repo, "reset", "-q", "--hard"))
}

func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: status N COMMAND [ARG...]")
	}
	err := ts.Exec(args[1], args[2:]...)
	got := "0"
	if err != nil {
		got = strings.TrimPrefix(err.Error(), "exit status ")
	}
	if got != args[0] {
		ts.Fatalf("%s: exit status %s, want %s", strings.Join(args[1:], " "), got, args[0])
	}
}

func snapshot(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: snapshot NAME DIR")
	}
	ts.Value("snapshots").(map[string]string)[args[0]] = everything(ts, args[1])
}

func unchanged(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: unchanged NAME DIR")
	}
	before, now := ts.Value("snapshots").(map[string]string)[args[0]], everything(ts, args[1])
	if before == now {
		return
	}
	was := map[string]bool{}
	for line := range strings.SplitSeq(before, "\n") {
		was[line] = true
	}
	for line := range strings.SplitSeq(now, "\n") {
		if !was[line] {
			ts.Logf("new or changed: %s", line)
		}
		delete(was, line)
	}
	for line := range was {
		ts.Logf("gone or changed: %s", line)
	}
	ts.Fatalf("%s has changed", args[1])
}

func everything(ts *testscript.TestScript, dir string) string {
	all, err := contents(ts.MkAbs(dir))
	ts.Check(err)
	return all
}

// mostShown is how long a content is that [contents] shows as it is.
const mostShown = 200

// contents is a line for each file below dir: its name, mode and content, of which a long
// one is told from others by its hash.
func contents(dir string) (string, error) {
	var all strings.Builder
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		name, err := filepath.Rel(dir, path)
		if err != nil {
			return err
		}
		fmt.Fprintf(&all, "%q %v", name, info.Mode())
		switch {
		case info.Mode()&fs.ModeSymlink != 0:
			target, err := os.Readlink(path)
			if err != nil {
				return err
			}
			fmt.Fprintf(&all, " -> %q", target)
		case info.Mode().IsRegular():
			content, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			if len(content) > mostShown {
				fmt.Fprintf(&all, " %d bytes, SHA-256 %x", len(content), sha256.Sum256(content))
			} else {
				all.WriteString(" " + strconv.Quote(string(content)))
			}
		}
		all.WriteByte('\n')
		return nil
	})
	return all.String(), err
}

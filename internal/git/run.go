package git

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"time"
)

// place says where git runs and on what.
type place struct {
	program  string
	dir      string   // current directory
	gitDir   string   // "" = git looks for it: only while opening
	workTree string   // "" = none
	env      []string // added to the fixed environment
	fetching fetching
}

// binding lists the variables that bind git to a repository, an index or an
// object store (`git rev-parse --local-env-vars` without those that carry
// config and the user's view of history).
var binding = []string{
	"GIT_DIR", "GIT_WORK_TREE", "GIT_IMPLICIT_WORK_TREE", "GIT_COMMON_DIR",
	"GIT_INDEX_FILE", "GIT_OBJECT_DIRECTORY", "GIT_ALTERNATE_OBJECT_DIRECTORIES",
	"GIT_QUARANTINE_PATH", "GIT_SHALLOW_FILE", "GIT_NAMESPACE", "GIT_PREFIX",
	"GIT_INTERNAL_SUPER_PREFIX",
}

// steering lists the variables that would change what the commands here do.
var steering = []string{
	"GIT_EXTERNAL_DIFF", "GIT_DIFF_OPTS", "GIT_CONFIG", "LANGUAGE",
}

// settings override the repository's and the user's config. Programs that a
// config can name are switched off here or, for diffs, on the command line.
var settings = []string{
	"core.hooksPath=" + os.DevNull,
	"core.fsmonitor=false",
	// A split index would put its shared half into the user's git directory,
	// whatever GIT_INDEX_FILE says.
	"core.splitIndex=false",
	"gc.auto=0",
	"maintenance.auto=false",
	"submodule.recurse=false",
	"fetch.writeCommitGraph=false",
	// Would run gpg.program from log and show.
	"log.showSignature=false",
	"color.ui=false",
}

// Environ returns the environment of this process without the variables that
// bind git to one repository, index or object store. Commands that run inside a
// [Workspace] need it: with an inherited GIT_DIR their git would work on the
// user's checkout.
func Environ() []string { return without(os.Environ(), binding) }

// without returns env without the named variables.
func without(env, names []string) []string {
	return slices.DeleteFunc(env, func(entry string) bool {
		name, _, _ := strings.Cut(entry, "=")
		return slices.Contains(names, name)
	})
}

// discoveryEnv returns the variables that say which repository the user means.
func discoveryEnv() []string {
	var env []string
	for _, name := range []string{"GIT_DIR", "GIT_WORK_TREE"} {
		if value, ok := os.LookupEnv(name); ok {
			env = append(env, name+"="+value)
		}
	}
	return env
}

func (r *Repo) place(dir, workTree string, env ...string) place {
	if workTree == "" && r.module {
		// The config names a work tree, and git goes there even with --bare: it may
		// not exist. No command runs here that reads or writes files.
		workTree = r.gitDir
	}
	if len(r.added) > 0 {
		env = append([]string{alternates(r.added...)}, env...)
	}
	return place{program: r.program, dir: dir, gitDir: r.gitDir, workTree: workTree, env: env, fetching: r.fetching}
}

// atTop is the place of commands whose answer must not depend on the directory
// the user stands in.
func (r *Repo) atTop() place {
	if r.top == "" {
		return r.place(r.gitDir, "")
	}
	return r.place(r.top, r.top)
}

// atPrefix is the place of commands with revisions and pathspecs that the user
// wrote: `:/`, `HEAD:./x` and pathspecs are relative to where the user stands.
func (r *Repo) atPrefix() place {
	p := r.atTop()
	p.dir += "/" + r.prefix
	return p
}

// asStored makes git ignore replacement refs: an id is the hash of its bytes.
const asStored = "GIT_NO_REPLACE_OBJECTS=1"

// GitInput is [Repo.Git] with standard input; nil is empty.
func (r *Repo) GitInput(ctx context.Context, stdin io.Reader, args ...string) ([]byte, error) {
	return r.atTop().run(ctx, stdin, args...)
}

// run runs git and returns its standard output. It is the only caller of the
// program besides the long-lived cat-file, which shares command.
func (p place) run(ctx context.Context, stdin io.Reader, args ...string) ([]byte, error) {
	stdout, _, err := p.both(ctx, stdin, args...)
	return stdout, err
}

// both is run with what git wrote to standard error besides.
func (p place) both(ctx context.Context, stdin io.Reader, args ...string) (_, said []byte, _ error) {
	var stdout bytes.Buffer
	said, err := p.stream(ctx, stdin, &stdout, args...)
	if err != nil {
		return nil, nil, err
	}
	return stdout.Bytes(), said, nil
}

// stream is run with a writer that gets the standard output. It returns what git wrote to standard error.
func (p place) stream(ctx context.Context, stdin io.Reader, stdout io.Writer, args ...string) (said []byte, _ error) {
	cmd := p.command(ctx, args)
	var stderr bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = stdin, stdout, &stderr
	err := start(cmd)
	if err == nil {
		err = wait(cmd)
	}
	if ctx.Err() != nil {
		killSession(cmd)
		return nil, fmt.Errorf("%s: %w", commandLine(args), context.Cause(ctx))
	}
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		return nil, p.failed(args, exit, stderr.String())
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", commandLine(args), err)
	}
	return stderr.Bytes(), nil
}

// failed describes a git process that did not end well.
func (p place) failed(args []string, exit *exec.ExitError, stderr string) *Error {
	e := &Error{Args: args, Exit: exit.ExitCode(), Stderr: stderr}
	if strings.Contains(stderr, "promisor remote") {
		e.Hint = p.fetching.hint()
	}
	if strings.Contains(stderr, "smudge filter lfs failed") {
		e.Hint = "`git lfs fetch --all` brings the files of older revisions, or set GIT_LFS_SKIP_SMUDGE=1 to test with their pointers"
	}
	return e
}

// command prepares a git process in a session of its own: Ctrl-C on the user's
// terminal does not reach it, gitdd decides, and nothing below it can stop to
// ask questions there. When ctx ends, git gets a TERM, so that it removes its
// lock files, and after five seconds a KILL.
func (p place) command(ctx context.Context, args []string) *exec.Cmd {
	var argv []string
	for _, setting := range settings {
		argv = append(argv, "-c", setting)
	}
	if p.gitDir != "" {
		argv = append(argv, "--git-dir="+p.gitDir)
		if p.workTree != "" {
			argv = append(argv, "--work-tree="+p.workTree)
		} else {
			// Otherwise git takes the current directory for the work tree.
			argv = append(argv, "--bare")
		}
	}
	cmd := exec.CommandContext(ctx, p.program, append(argv, args...)...)
	cmd.Dir = p.dir
	cmd.Env = append(without(Environ(), steering),
		"LC_ALL=C",
		"GIT_OPTIONAL_LOCKS=0",
		"GIT_TERMINAL_PROMPT=0",
		"GIT_PAGER=cat",
		"GIT_ADVICE=0",
	)
	if os.Getenv("GIT_ALLOW_PROTOCOL") == "" {
		// Not ext:: and other helpers, whatever the repository's config allows.
		cmd.Env = append(cmd.Env, "GIT_ALLOW_PROTOCOL=file:git:http:https:ssh")
	}
	if !p.fetching.allowed() {
		cmd.Env = append(cmd.Env, "GIT_NO_LAZY_FETCH=1")
	}
	cmd.Env = append(cmd.Env, p.env...)
	ownSession(cmd)
	cmd.WaitDelay = 5 * time.Second
	return cmd
}

// running holds the ids of the git processes started here. Its lock is held
// while one starts.
var running = struct {
	sync.Mutex
	pids map[int]bool
}{pids: map[int]bool{}}

// IsRunning reports whether pid is a git process of this package that nobody
// has waited for yet. Whoever ends stray children of this process asks.
func IsRunning(pid int) bool {
	running.Lock()
	defer running.Unlock()
	return running.pids[pid]
}

func start(cmd *exec.Cmd) error {
	running.Lock()
	defer running.Unlock()
	err := cmd.Start()
	if err == nil {
		running.pids[cmd.Process.Pid] = true
	}
	return err
}

func wait(cmd *exec.Cmd) error {
	err := cmd.Wait()
	running.Lock()
	defer running.Unlock()
	delete(running.pids, cmd.Process.Pid)
	return err
}

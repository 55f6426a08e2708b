package git

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
)

// oldest is the first git release with everything used here: cat-file
// --batch-command arrived in 2.36.
var oldest = [2]int{2, 36}

// Repo is an open repository. Use [Open]; the zero value is not usable.
type Repo struct {
	version   string // of the program
	program   string
	gitDir    string
	commonDir string
	top       string
	prefix    string
	format    string
	shallow   bool
	module    bool // of a submodule, opened by Submodule
	fetching  fetching
	added     []string // the objects of other stores, see AddObjects

	store  store
	trees  sync.Map // from the ID of each commit met so far to that of its tree
	recent recentTrees

	configuring sync.Mutex
	config      []setting // guarded by configuring; nil: it was not read yet

	borrowing sync.Mutex
	borrowed  borrower // guarded by borrowing; nil: it was not read yet
}

// Open opens the repository that git finds for dir, as `git -C dir` would: dir
// may lie anywhere in the work tree, and GIT_DIR and GIT_WORK_TREE are honoured.
// It fails when there is none, when git refuses it (safe.directory,
// safe.bareRepository), and when the git program is missing or older than 2.36.
// Cost: a handful of git processes, about 10 ms.
func Open(ctx context.Context, dir string) (*Repo, error) {
	program, err := findProgram()
	if err != nil {
		return nil, err
	}
	dir, err = filepath.Abs(dir)
	if err != nil {
		return nil, fmt.Errorf("open repository: %w", err)
	}
	return open(ctx, place{program: program, dir: dir, env: discoveryEnv()}.discovering(ctx))
}

// OpenAt opens the repository whose git directory is gitDir, without looking for another one and whatever the
// environment names: for a repository that gitdd has made itself.
func OpenAt(ctx context.Context, gitDir string) (*Repo, error) {
	program, err := findProgram()
	if err != nil {
		return nil, err
	}
	if gitDir, err = filepath.Abs(gitDir); err != nil {
		return nil, fmt.Errorf("open repository: %w", err)
	}
	at := place{program: program, dir: gitDir, env: []string{"GIT_DIR=" + gitDir}}
	return open(ctx, at)
}

// open opens the repository that git finds at a place.
func open(ctx context.Context, at place) (*Repo, error) {
	dir := at.dir
	if info, err := os.Stat(dir); err != nil {
		return nil, fmt.Errorf("open repository: %w", err)
	} else if !info.IsDir() {
		return nil, fmt.Errorf("open repository: %s is not a directory", dir)
	}
	version, err := versionOf(ctx, at)
	if err != nil {
		return nil, err
	}

	r := &Repo{program: at.program, version: version}
	questions := []string{"--git-dir", "--git-common-dir", "--show-object-format", "--is-shallow-repository"}
	answers, err := at.ask(ctx, append(questions, "--show-toplevel", "--show-prefix")...)
	if refused(err) { // there is no work tree, or dir is not in it
		answers, err = at.ask(ctx, questions...)
	}
	if err != nil {
		return nil, openError(dir, err)
	}
	r.gitDir, r.commonDir, r.format = answers[0], answers[1], answers[2]
	r.shallow = answers[3] == "true"
	if inside := answers[len(questions):]; len(inside) > 0 {
		r.top, r.prefix = inside[0], strings.TrimSuffix(inside[1], "/")
	}
	if r.fetching, err = r.readFetching(ctx); err != nil {
		return nil, openError(dir, err)
	}
	if err := r.openStore(ctx); err != nil {
		return nil, openError(dir, err)
	}
	return r, nil
}

// discovering leaves GIT_DIR out where git finds the same repository without it.
// Alone it makes git take the current directory for the top of the work tree: so
// a command is misled that changes the directory in an alias in a linked worktree,
// or in a hook, for which git sets it.
func (p place) discovering(ctx context.Context) place {
	if os.Getenv("GIT_DIR") == "" || os.Getenv("GIT_WORK_TREE") != "" {
		return p
	}
	told, err := p.ask(ctx, "--git-dir")
	if err != nil {
		return p
	}
	free := p
	free.env = nil
	if found, err := free.ask(ctx, "--git-dir"); err != nil || found[0] != told[0] {
		return p
	}
	return free
}

// Oldest is the first release of git that can be used here.
func Oldest() string { return fmt.Sprintf("%d.%d", oldest[0], oldest[1]) }

// Installed returns what the git program says of itself, such as "2.47.3". It fails
// when there is none, or when it is older than Oldest.
func Installed(ctx context.Context) (string, error) {
	program, err := findProgram()
	if err != nil {
		return "", err
	}
	return versionOf(ctx, place{program: program, env: discoveryEnv()})
}

func findProgram() (string, error) {
	program, err := exec.LookPath("git")
	if err != nil {
		return "", fmt.Errorf("the git program was not found: install git %s or newer, or put it on PATH", Oldest())
	}
	return program, nil
}

// ask puts questions to rev-parse and returns one answer for each.
func (p place) ask(ctx context.Context, questions ...string) ([]string, error) {
	out, err := p.run(ctx, nil, append([]string{"rev-parse", "--path-format=absolute"}, questions...)...)
	if err != nil {
		return nil, err
	}
	text := strings.TrimSuffix(string(out), "\n")
	if len(questions) == 1 {
		return []string{text}, nil
	}
	if answers := strings.Split(text, "\n"); len(answers) == len(questions) {
		return answers, nil
	}
	// A path with a newline in it: one question at a time.
	var answers []string
	for _, question := range questions {
		answer, err := p.ask(ctx, question)
		if err != nil {
			return nil, err
		}
		answers = append(answers, answer...)
	}
	return answers, nil
}

// Close ends the processes and closes the files behind the repository. Objects
// cannot be read afterwards.
func (r *Repo) Close() error { return r.store.close() }

// GitDir returns the absolute path of the git directory: that of the linked
// worktree when the repository was opened in one.
func (r *Repo) GitDir() string { return r.gitDir }

// CommonDir returns the absolute path of the git directory that all worktrees
// share: objects, refs and config.
func (r *Repo) CommonDir() string { return r.commonDir }

// Top returns the absolute path of the work tree's root, or "" when there is
// none: a bare repository, or a directory inside .git.
func (r *Repo) Top() string { return r.top }

// Prefix returns the opened directory relative to Top, slash-separated and
// without a slash at the end; "" at the top.
func (r *Repo) Prefix() string { return r.prefix }

// ObjectFormat returns "sha1" or "sha256".
func (r *Repo) ObjectFormat() string { return r.format }

// Git runs git at the top of the work tree (in the git directory when there is
// none) and returns its standard output. A git that fails gives an [*Error].
// Commands which show diffs must carry --no-ext-diff and --no-textconv.
func (r *Repo) Git(ctx context.Context, args ...string) ([]byte, error) {
	return r.atTop().run(ctx, nil, args...)
}

// Version returns what the git program says of itself, such as "2.47.3".
func (r *Repo) Version() string { return r.version }

// versionOf refuses a git that lacks what is used here.
func versionOf(ctx context.Context, at place) (string, error) {
	out, err := at.run(ctx, nil, "version")
	if err != nil {
		return "", fmt.Errorf("the git program cannot be used: %w", err)
	}
	var major, minor int
	text := strings.TrimSpace(string(out))
	if _, err := fmt.Sscanf(text, "git version %d.%d", &major, &minor); err != nil {
		return "", fmt.Errorf("the git program %s says %q instead of its version", at.program, text)
	}
	if major < oldest[0] || major == oldest[0] && minor < oldest[1] {
		return "", fmt.Errorf("%s is %s: version %d.%d or newer is needed", at.program, text, oldest[0], oldest[1])
	}
	return strings.TrimPrefix(text, "git version "), nil
}

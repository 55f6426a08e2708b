package trial

import (
	"bytes"
	"context"
	"errors"
	"os"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/gitdd/gitdd/internal/lazyregexp"
	"github.com/gitdd/gitdd/internal/process"
)

// What a failed build prints teaches the search which changes belong together. But
// compilers stop after some messages, and make at the first target that cannot be made:
// each further message is then learned by a further trial. So a build whose output looks
// as if it was cut is run once more, with the tools asked for all that they know.
//
// The trial has its outcome by then, and nothing that the second run does changes
// anything but what [Runner.Output] returns: it works in a copy of the workspace, which
// goes afterwards.

// cheapBuild is how long a failed build may take to be run once more. What it says may
// save a trial, which takes a build at least and mostly a test, too; but it may as well
// be known already, and then of a long build much is lost. The second run may take twice
// as long: it goes on where the first one stopped.
const cheapBuild = 2 * time.Second

// allKinds are the kinds of output that the second runs of a check and of a build have.
var allKinds = []string{"check.all", "build.all"}

// A prompt is how a tool is asked for all of its messages: by a variable of its
// environment, for the command is the user's.
//
// Some need none, or have none: gcc, rustc and tsc print all they know; clang has a limit
// of 20, and a hook of its own tests at most (CCC_OVERRIDE_OPTIONS); cargo and ninja go on
// by flags only.
type prompt struct {
	variable string
	cut      func() *regexp.Regexp // what a tool prints that has more to say
	unless   func() *regexp.Regexp // in the command, its output or the variable: somebody has decided otherwise
	ask      []string              // what prints the value that counts, where it may not be in the environment
	add      func(value string, output []byte) string
}

var prompts = []prompt{
	// Go prints ten errors of each package.
	{"GOFLAGS", goCut, lazyregexp.New(`gcflags`), []string{"go", "env", "GOFLAGS"}, wholePackages},
	// Make names the target that stopped it. With -k it says more of that in the end.
	{"MAKEFLAGS", lazyregexp.New(`(?m)^\S*make(\[\d+\])?: \*\*\* `), lazyregexp.New(`not remade because of errors`), nil, goOn},
	// The last -Xmaxerrs counts, and that of the command line comes after the variable's.
	{"JDK_JAVAC_OPTIONS", lazyregexp.New(`(?m)^only showing the first \d+ errors`), lazyregexp.New(`-Xmaxerrs \d`), nil, mostErrors},
}

// goCut is the last line of a package that go has more errors of.
var goCut = lazyregexp.New(`(?m): too many errors\r?$`)

// packageName is what go writes before the errors of a package, with the test that it is
// built for, if any. The name must not end the flag that it is put into.
var packageName = lazyregexp.New(`^# ([^\s\-'"=\[][^\s'"=]*)( \[)?`)

// wholePackages asks for all errors of the packages that go has cut: only these are
// compiled anew, wherever the command is run. They are named by the line before their
// errors. If there is none, all packages below the working directory are asked.
func wholePackages(flags string, output []byte) string {
	var names []string
	name := "./..."
	for line := range bytes.Lines(output) {
		if m := packageName().FindSubmatch(line); m != nil {
			name = string(m[1])
			if m[2] != nil {
				name = strings.TrimSuffix(name, "_test") // its flags are those of the package that it tests
			}
		}
		if goCut().Match(line) && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	for _, name := range names {
		flags += " -gcflags=" + name + "=-e"
	}
	return strings.TrimSpace(flags)
}

// goOn has make go on with what does not depend on a target that failed. What make is
// given so begins with letters of flags, or with a flag or a variable.
func goOn(flags string, _ []byte) string {
	flags = strings.TrimSpace(flags)
	first, _, _ := strings.Cut(flags, " ")
	if first == "" || strings.HasPrefix(first, "-") || strings.Contains(first, "=") {
		return strings.TrimSpace("-k " + flags)
	}
	return "k" + flags
}

// mostErrors is more errors than anybody has, but not all: there is no number for that.
func mostErrors(options string, _ []byte) string {
	return strings.TrimSpace(options + " -Xmaxerrs 1000")
}

// prompted returns the prompts for a build that p has run and that printed this.
func prompted(p process.Command, line string, output []byte) (list []prompt) {
	for _, q := range prompts {
		if !q.cut().Match(output) || q.unless().Match(output) || q.unless().MatchString(line) || q.unless().MatchString(valueOf(q.variable, p.Env)) {
			continue
		}
		list = append(list, q)
	}
	return list
}

// valueOf is that of a variable, the last one of the name; "" = there is none.
func valueOf(variable string, env []string) (value string) {
	for _, pair := range env {
		if v, ok := strings.CutPrefix(pair, variable+"="); ok {
			value = v
		}
	}
	return value
}

// printAll runs a build, or a check, once more that p was and that ended as x, if its
// output was cut. What more it prints is kept beside that of the first run. The error is
// never that of the second run.
func (s site) printAll(ctx context.Context, w *worker, rec *Record, b prelude, p process.Command, x process.Exit) error {
	r := s.r
	if rec.Purpose == Confirm || !failedItself(x) || x.Duration > r.cheap { // nothing is learned from what confirms
		return nil
	}
	if r.brief.Load() || r.opts.MaxDisk > 0 || openFilesPin { // there is no copy then
		return nil
	}
	output, _ := r.session.Printed(*rec)
	list := prompted(p, b.line, output)
	if len(list) == 0 {
		return nil
	}
	if err := r.roomLeft(*rec); err != nil { // while all that the first run wrote is there
		return err
	}
	back, err := s.standIn(ctx)
	if err != nil || back == nil {
		return err
	}
	first := size(p.Stdout, p.Stderr)
	p.Stdout = r.session.Output(rec.Trial, b.name+".all")
	p.Stderr = p.Stdout
	p.Timeout = 2 * r.cheap
	x, err = w.runAll(ctx, p, list, output)
	if err := errors.Join(back(), ctx.Err()); err != nil {
		return err
	}
	if x.TimedOut { // so would be the next one
		r.brief.Store(true)
	}
	if err != nil || !failedItself(x) || size(p.Stdout) <= first {
		r.session.forgetAll(rec.Trial)
	}
	return r.freshTemp(w)
}

// failedItself reports whether a build ran to its end and said that it failed.
func failedItself(x process.Exit) bool {
	return x.Started && !x.TimedOut && x.Over == "" && x.Code != 0 && x.Code < exitSignal
}

// runAll runs p with the prompts for what it printed the first time. Without any it is
// not run.
func (w *worker) runAll(ctx context.Context, p process.Command, list []prompt, output []byte) (process.Exit, error) {
	env := slices.Clone(p.Env)
	for _, q := range list {
		value := valueOf(q.variable, p.Env)
		if q.ask != nil {
			value = w.told(ctx, p, q.ask, value)
			if q.unless().MatchString(value) {
				continue
			}
		}
		env = append(env, q.variable+"="+q.add(value, output))
	}
	if len(env) == len(p.Env) {
		return process.Exit{}, nil
	}
	p.Env = env
	return w.run(ctx, p)
}

// told is what a command prints where p is run, or else what is known without it.
func (w *worker) told(ctx context.Context, p process.Command, argv []string, known string) string {
	p.Argv, p.Stderr = argv, ""
	x, err := w.run(ctx, p)
	if err != nil || !x.Started || x.Code != 0 {
		return known
	}
	text, err := os.ReadFile(p.Stdout)
	if err != nil {
		return known
	}
	return strings.TrimSpace(string(text))
}

// forgetAll removes what a second run of the build of a trial printed, if there was one:
// it says no more than the first, or is of a process that was killed in this trial.
func (s *Session) forgetAll(trial int) {
	for _, kind := range allKinds {
		_ = os.Remove(s.Output(trial, kind)) // mostly there is none; one that stays is Output's to read
	}
}

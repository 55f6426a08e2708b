package trial

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/gitdd/gitdd/internal/disk"
	"github.com/gitdd/gitdd/internal/git"
	"github.com/gitdd/gitdd/internal/process"
	"github.com/gitdd/gitdd/internal/prose"
	"github.com/gitdd/gitdd/testcase"
)

// An Executor runs commands on files outside of any session, one at a time: each in
// a new directory, under a supervisor and with limits, as a trial, or on another machine. It judges nothing and
// remembers nothing. It may be used by one goroutine.
type Executor struct {
	limits    Limits
	dir       string // its own, absolute
	start     string // GITDD_DIR
	number    int
	processes process.Runner
	remote    *remoteExecutor // nil = commands run on this machine
}

// Limits bound one execution.
type Limits struct {
	Timeout time.Duration // 0 = none
	Memory  int64         // bytes of all its processes together; 0 = none. Linux only
	Output  int64         // bytes that are kept of each output, its begin and its end; 0 = DefaultOutput
}

// A Job is a command to execute on some files.
type Job struct {
	// Command is argv; a name with a slash is looked for where gitdd was started.
	Command []string
	// Line is run by sh if there is no Command; so is its first word.
	Line string

	// Files lie in the directory that the command runs in. The first is the input:
	// GITDD_INPUT names it.
	Files []testcase.File
	// Names are what stands in arguments for the absolute name of a file, such as
	// {}: its path in Files. In a Line it is quoted where it has to be.
	Names map[string]string

	// Again is that the job was executed before, and has to be once more: on another machine no cache answers with
	// what came of it then.
	Again bool
}

// program is the name of what the command calls, as it stands there.
func (j Job) program() string {
	if j.Command != nil {
		return j.Command[0]
	}
	first, _ := cutWord(j.Line)
	return first
}

// cutWord cuts the first word off a line of shell.
func cutWord(line string) (first, rest string) {
	line = strings.TrimLeft(line, " \t\n")
	if i := strings.IndexAny(line, " \t\n;|&<>()"); i >= 0 {
		return line[:i], line[i:]
	}
	return line, ""
}

// An Execution says how a command ended.
type Execution struct {
	Exit     int    // the exit status as a shell reports it: 0-255, or 128 plus the number of the signal that killed the command
	Signal   string // that killed the command, such as "SIGSEGV"; "" = none, or unknown because another machine reports only Exit
	TimedOut bool   // Limits.Timeout passed and the command was ended; Exit says with what status
	Swelled  bool   // the command was ended because it took more than Limits.Memory
	Missing  string // why it could not be started; "" = it was

	Stdout, Stderr []byte
	Cut            int64 // bytes of them that were left out
	Memory         int64 // bytes that its processes took at once, as far as was seen; 0 = not known
	Duration       time.Duration
}

// Outputs returns the names of the files to which the standard output and the standard error of a command
// are written while it runs. If the command runs on another machine, the files appear when it has ended.
func (e *Executor) Outputs() []string {
	return []string{filepath.Join(e.dir, "out"), filepath.Join(e.dir, "err")}
}

// NewExecutor makes an executor that has the directory dir to itself: each run empties
// it, and Close removes it. start is the directory that names of commands are relative
// to. Executors that run at the same time have different numbers (GITDD_WORKER). The
// error is that of a bound on memory where nothing can hold a command to it.
func NewExecutor(dir, start string, number int, limits Limits) (*Executor, error) {
	if limits.Memory > 0 && runtime.GOOS != "linux" {
		return nil, errors.New("the memory of commands can be bounded on Linux only")
	}
	if limits.Output == 0 {
		limits.Output = DefaultOutput
	}
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	return &Executor{limits: limits, dir: dir, start: start, number: number}, nil
}

// Run executes a command. If the command was killed, but not by gitdd, Run executes it once more, because the
// machine may have been short of memory. Run ends the processes that the command leaves behind, and removes its
// directory. An error means a problem with the machine, or that ctx ended; for a command on another machine see
// [NewRemoteExecutor]. Run itself takes about 2 ms.
func (e *Executor) Run(ctx context.Context, job Job) (Execution, error) {
	if e.remote != nil {
		return e.runRemotely(ctx, job)
	}
	x, err := e.once(ctx, job)
	if err == nil && x.Signal == "SIGKILL" && !x.TimedOut && !x.Swelled {
		x, err = e.once(ctx, job)
	}
	return x, err
}

func (e *Executor) once(ctx context.Context, job Job) (Execution, error) {
	var x Execution
	place := filepath.Join(e.dir, inputTop)
	temp := filepath.Join(e.dir, "tmp")
	if err := e.clear(); err != nil {
		return x, err
	}
	for _, dir := range []string{place, temp} {
		if err := os.MkdirAll(dir, 0o777); err != nil {
			return x, disk.Wrap("make a directory for a command", err)
		}
	}
	if err := writeInput(place, testcase.Input{Files: job.Files, Dir: true}); err != nil {
		return x, err
	}
	p := process.Command{
		Argv: job.argv(func(file string) string { return filepath.Join(place, filepath.FromSlash(file)) }, func(name string) string { return fromHere(name, e.start) }),
		Dir:  place, Keep: e.limits.Output, Memory: e.limits.Memory, Timeout: e.limits.Timeout,
		Stdout: e.Outputs()[0], Stderr: e.Outputs()[1],
		Env: append(git.Environ(), "TMPDIR="+temp, "TMP="+temp, "TEMP="+temp,
			"GITDD_WORKER="+strconv.Itoa(e.number), "GITDD_DIR="+e.start),
	}
	if len(job.Files) > 0 {
		p.Env = append(p.Env, "GITDD_INPUT="+filepath.Join(place, filepath.FromSlash(job.Files[0].Path)))
	}
	ended, err := e.processes.Run(ctx, p)
	if err != nil {
		return x, err
	}
	x = Execution{
		Exit: ended.Code, Signal: ended.Signal, TimedOut: ended.TimedOut, Swelled: ended.Over == process.OverMemory,
		Cut: ended.Cut, Memory: ended.Memory, Duration: ended.Duration,
	}
	if !ended.Started {
		x.Missing = ended.Error
	}
	if ended.Lost != "" {
		return x, fmt.Errorf("keep what a command printed: %s", ended.Lost)
	}
	if free, err := disk.Free(e.dir); err == nil && free < leastRoom {
		return x, fmt.Errorf("the disk of %s is full, so how the command ended says nothing: make room there", e.dir)
	}
	err = e.read(&x)
	return x, err
}

// read takes what a command has printed from its files, and empties the directory.
func (e *Executor) read(x *Execution) (err error) {
	for i, text := range []*[]byte{&x.Stdout, &x.Stderr} {
		if *text, err = os.ReadFile(e.Outputs()[i]); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err // of a command that did not start there may be none
		}
	}
	return e.clear()
}

// argv is the command of the job where file is the absolute name of a file, and program that of what is called.
func (j Job) argv(file, program func(name string) string) []string {
	var pairs []string
	for _, word := range slices.Sorted(maps.Keys(j.Names)) { // of two that fit the first one counts
		name := file(j.Names[word])
		if j.Command == nil {
			name = wordOf(name)
		}
		pairs = append(pairs, word, name)
	}
	names := strings.NewReplacer(pairs...)
	if j.Command == nil {
		first, rest := cutWord(j.Line)
		if named := program(first); named != first {
			first = wordOf(named)
		}
		return []string{shellProgram(), "-c", names.Replace(first + rest)}
	}
	argv := replaced(j.Command, names)
	argv[0] = program(argv[0])
	return argv
}

// wordOf is an absolute name as a word of a shell. TopDir, at its begin, is not quoted.
func wordOf(name string) string {
	below, there := strings.CutPrefix(name, TopDir)
	if !there {
		return prose.ShellWord(name)
	}
	return TopDir + prose.ShellWord(below)
}

func (e *Executor) clear() error {
	if err := disk.RemoveAll(e.dir); err != nil {
		return fmt.Errorf("remove the directory of a command: %w", err)
	}
	return nil
}

// Close ends the executor and removes its directory.
func (e *Executor) Close() error {
	return errors.Join(e.processes.Close(), e.clear())
}

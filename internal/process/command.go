package process

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// A Command is to be run by a [Runner], in a process group of its own.
type Command struct {
	// Argv is the command as execvp(3) takes it: a name without a slash is
	// looked up in the PATH of Env, any other relative path is relative to Dir.
	Argv []string
	// Dir is the working directory.
	Dir string
	// Env is the environment, nil for that of gitdd. PWD is set to Dir, or a
	// command that trusts it would write into the user's checkout. Of equal
	// names the last one counts.
	Env []string
	// Stdin is the file that it has as its standard input; "" = /dev/null.
	Stdin string
	// Stdout and Stderr are the files that are created, or emptied, for the
	// output; they may be the same one. "" discards it.
	Stdout, Stderr string
	// Keep is how many bytes of each output are kept, the head and the tail; 0
	// keeps all.
	Keep int64
	// Memory is how many bytes all processes of the command may take at a time, 0
	// for as many as they like. Linux only.
	Memory int64
	// Timeout is how long the command may take, 0 for as long as it likes.
	Timeout time.Duration
	// Grace lies between asking the processes to end (SIGTERM) and killing
	// them, on a timeout and when cancelled; 0 means two seconds.
	Grace time.Duration

	// Measure is what is measured closely: "memory" is looked at as often as at the begin, "instructions" are counted (Linux).
	// "" is neither.
	Measure string
}

// An Exit says how a command ended, or why it did not begin.
type Exit struct {
	// Code is the exit status as a shell counts it: 0-255, 128 plus the number
	// of the signal that killed it, 127 not found, 126 not executable.
	Code int
	// Signal is the name of the signal that killed the command itself, as in
	// "SIGSEGV", or "".
	Signal string
	// TimedOut reports that Timeout passed. Code still says how the command
	// answered the SIGTERM.
	TimedOut bool
	// Memory is how many bytes its processes took at once, as far as was seen: they
	// are looked at a few times a second. 0 is not known.
	Memory int64
	// CPU is the processor time that its processes took, those in the kernel included; 0 is not known.
	CPU time.Duration
	// Instructions is how many instructions they executed in user space, with Measure; 0 is not known.
	Instructions int64
	// Over is what the command took too much of and was ended for, "" if nothing.
	Over Excess
	// Cut is how many bytes of its output were left out.
	Cut int64
	// Lost says why output could not be written, "" if all was.
	Lost string
	// Started is false when the command could not be executed; then Failure
	// and Error say why.
	Started bool
	Failure failure
	Error   string
	// Duration is the time of the command itself, not of ending what it left.
	Duration time.Duration
	// Leftovers counts the processes that had to be ended after the command
	// itself had exited. Where orphans cannot be found again (not on Linux or
	// Windows) it is at most 1.
	Leftovers int
}

// The exit codes of a shell for a command that cannot be executed, and for one that is not found.
const (
	CannotRun = 126
	NotFound  = 127
)

// An Excess is something that a trial took more of than it may.
type Excess string

const (
	OverMemory Excess = "memory"
	OverDisk   Excess = "disk"
)

// A failure is a reason why a command could not be started; 0 is none.
type failure uint8

const (
	notFound      failure = iota + 1 // no such command, or no such file: code 127
	notExecutable                    // a file that cannot be executed: code 126
	noDirectory                      // Dir is not a directory: code 127
)

// CheckCounter says why this machine does not count instructions, as Command.Measure asks for; nil if it does.
func CheckCounter() error {
	c, err := newCounter()
	if err != nil {
		return err
	}
	return c.close()
}

// notStarted is the exit of a command that could not be started.
func notStarted(why failure, format string, args ...any) Exit {
	code := NotFound
	if why == notExecutable {
		code = CannotRun
	}
	return Exit{Code: code, Failure: why, Error: fmt.Sprintf(format, args...)}
}

const (
	// defaultGrace is the Grace of a process that does not say.
	defaultGrace = 2 * time.Second
	// leftoverGrace is what background processes get that the command left
	// behind. It is short, for it would be paid in every trial.
	leftoverGrace = 200 * time.Millisecond
	// killLimit is how long killed processes may take to vanish. A fork bomb of
	// 4,000 took 2.5 s; what hangs in the kernel, or belongs to another user,
	// reaches the limit.
	killLimit = 10 * time.Second
)

// complete returns p as the supervisor needs it: independent of the working
// directory and the environment of gitdd, nothing left to a default.
func (p Command) complete() (Command, error) {
	if len(p.Argv) == 0 {
		return p, errors.New("run a command: the command is empty")
	}
	for _, path := range []*string{&p.Dir, &p.Stdout, &p.Stderr} {
		if *path == "" && path != &p.Dir {
			continue
		}
		abs, err := filepath.Abs(*path)
		if err != nil {
			return p, fmt.Errorf("run %s: %w", p.Argv[0], err)
		}
		*path = abs
	}
	env := p.Env
	if env == nil {
		env = os.Environ()
	}
	for _, s := range slices.Concat(p.Argv, env) {
		if strings.ContainsRune(s, 0) {
			return p, fmt.Errorf("run %q: %q contains a NUL byte", p.Argv[0], s)
		}
	}
	// Environ drops all but the last of equal names.
	p.Env = (&exec.Cmd{Env: append(slices.Clone(env), "PWD="+p.Dir)}).Environ()
	if p.Grace == 0 {
		p.Grace = defaultGrace
	}
	return p, nil
}

// open opens the three standard files of the command, and the captures that bring
// what it writes. The caller closes the files and finishes the captures.
func (p Command) open() (files [3]*os.File, captures []*capture, err error) {
	defer func() {
		if err != nil {
			closeAll(files)
			for _, t := range captures {
				t.pipe.Close()
				t.file.Close()
			}
			files, captures = [3]*os.File{}, nil
		}
	}()
	if files[0], err = os.Open(cmp.Or(p.Stdin, os.DevNull)); err != nil {
		return files, captures, err
	}
	for i, name := range []string{p.Stdout, p.Stderr} {
		if i == 1 && name == p.Stdout {
			files[2] = files[1] // one offset, or each would overwrite the other
			break
		}
		file, err := createOutput(name)
		if err == nil && name != "" && p.Keep > 0 {
			var t *capture
			if t, files[i+1], err = newCapture(file, p.Keep); err != nil {
				file.Close()
				return files, captures, err
			}
			captures = append(captures, t)
			continue
		}
		if files[i+1] = file; err != nil {
			return files, captures, err
		}
	}
	return files, captures, nil
}

// createOutput opens an output file for appending: a script that says "> /dev/stderr"
// empties the file, and a plain offset would then leave a hole of zeros.
func createOutput(path string) (*os.File, error) {
	if path == "" {
		return os.OpenFile(os.DevNull, os.O_WRONLY, 0)
	}
	return os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_TRUNC|os.O_APPEND, 0o666)
}

func closeAll(files [3]*os.File) {
	for _, f := range files {
		f.Close() // nil is refused, a second time too: both are harmless
	}
}

package trial

import (
	"bytes"
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/gitdd/gitdd/internal/process"
)

// A Layout says where a task is performed on the machine that has it, as its wrapper
// sees it: absolute, or relative to the directory in which the wrapper is started.
type Layout struct {
	Top   string // of the workspace
	Out   string // a directory, which it makes, for outcome.json and the outputs
	State string // a directory that may be there again for the next task in this workspace: what was set up is noted there; "" = none
	Whole bool   // of the steps that the task has and that do not run there are outputs as well, empty ones

	// Two equal files, beside the workspace, in which the wrapper is started. If they are
	// one file there, or cannot be written to, the machine gives its tasks links to files
	// that all of them share, and the wrapper copies the workspace first. "" = it need not.
	Twins [2]string
	// No command writes to a file of the workspace in place: only what shares folders, too,
	// has it copied.
	Untouched bool
}

// OutcomeFile is the name, in Layout.Out, of what [ReadOutcome] reads.
const OutcomeFile = "outcome.json"

// OutputNames are the names that Task.Output is asked for, and those of the files in
// Layout.Out. Of a step that did not run there are none.
var OutputNames = []string{"setup.out", "setup.err", "check.out", "check.err", "build.out", "build.err", "out", "err"}

//go:embed wrapper.sh
var commented string

// wrapper is what a machine has to read of it: no comments, which are a quarter.
var wrapper = strings.Join(slices.DeleteFunc(strings.SplitAfter(commented, "\n"), func(line string) bool {
	return strings.HasPrefix(strings.TrimLeft(line, "\t"), "#")
}), "")

// Wrapper is a script for any POSIX shell that performs the task in a workspace that
// holds its files. It sets up, unless Layout.State has the mark of this very setup,
// builds and runs the command, each with /dev/null as its input if Stdin says no other, in a session of its
// own where the machine has setsid, and within its limit: then all of it is asked to end
// (SIGTERM), and killed two seconds later. What a step leaves behind is ended before
// the next: its group, and on Linux whatever has its environment. Outputs go to files
// in Layout.Out, cut to Keep while they grow. Where Layout.Twins tell that tasks share what
// they are given, it works in a copy of the workspace.
//
// Last of all it writes the outcome to [OutcomeFile] and exits with 0, whatever the
// outcome is. If that file is not there when the script has ended, or not whole, the
// task was lost: the script was killed, or it says on its standard error what the
// machine lacks and exits with 3. On SIGTERM it ends all that it has started and exits
// with 143.
//
// The commands find GITDD_WORKSPACE in their environment and a fresh TMPDIR, which is
// removed in the end. Who makes an empty directory tmp/tmp beside the workspace, where the
// script is started, spares it the making: that is the TMPDIR, and stays if it is empty.
//
// Equal tasks, but for Name, Files, Shared and Salt, and equal layouts give equal bytes.
// Cost beside the commands: the start of a shell, setsid, env and sleep, 2 ms; that of wc
// where something was printed, df where a command failed, grep where processes that began
// meanwhile are there, or a command took more than 20 ms.
//
// With Measure the time begins right before the command. "cpu" is that of the command and the children that it
// has waited for, as the shell counts it: to hundredths of a second by some. "memory" is the largest of these by the
// time of GNU; where there is none, it is not known.
//
// What the shell cannot do: with a dash or busybox, and without GNU env or bash, the
// commands are started with SIGINT and SIGQUIT ignored. A process on another system than
// Linux that calls setsid escapes. For a command with "=" in its name, or a "-" before
// it, variables are not set whose names no shell can have.
func (t Task) Wrapper(l Layout) []byte {
	var b bytes.Buffer
	b.WriteString("#!/bin/sh\n# gitdd: an attempt at a configuration, performed in a workspace that holds it.\n")
	head := t.Keep - min(t.Keep/2, process.MostTail)
	for _, v := range []struct{ name, value string }{
		{"top", l.Top}, {"out", l.Out}, {"state", l.State}, {"dir", t.Dir},
		{"twin", l.Twins[0]}, {"same", l.Twins[1]}, {"untouched", map[bool]string{true: "1"}[l.Untouched]},
		{"setup", t.Setup}, {"mark", t.setupMark()}, {"check", t.Check}, {"build", t.Build},
		{"check_limit", milliseconds(t.CheckLimit)},
		{"build_limit", milliseconds(t.BuildLimit)},
		{"outputs", t.outputs(l.Whole)},
		{"keep", strconv.FormatInt(t.Keep, 10)},
		{"head", strconv.FormatInt(head, 10)}, {"tail", strconv.FormatInt(t.Keep-head, 10)},
	} {
		b.WriteString("g_" + v.name + "=" + quoted(v.value) + "\n")
	}
	b.WriteString("settings() {\n\t:\n")
	var odd []string
	for _, v := range t.Env {
		name, value, _ := strings.Cut(v, "=")
		if shellName(name) {
			b.WriteString("\texport " + name + "=" + quoted(value) + "\n")
		} else {
			odd = append(odd, quoted(v))
		}
	}
	b.WriteString("}\nwith() {\n\tlaunch ")
	if len(odd) > 0 {
		b.WriteString(`"$g_odd" ` + strings.Join(odd, " ") + " ")
	}
	b.WriteString("\"$@\"\n}\nrun() {\n")
	if t.Stdin != "" {
		b.WriteString("\tg_stdin=" + quoted(TopDir+"/"+t.Stdin) + "\n")
	}
	if t.Measure != "" {
		b.WriteString("\tg_measure=" + quoted(t.Measure) + "\n")
	}
	b.WriteString("\tstep test " + milliseconds(t.Limit) + ` "$g_top/$g_dir"`)
	for _, word := range plainCommand(t.Command) {
		b.WriteString(" " + quoted(word))
	}
	b.WriteString("\n}\n\n")
	if len(odd) > 0 { // the PATH of the commands need not have it
		b.WriteString("g_odd=$(command -v env)\n")
	}
	b.WriteString(wrapper)
	return b.Bytes()
}

// outputs are the names of those that there shall be whatever runs, for the shell.
func (t Task) outputs(whole bool) string {
	var names []string
	for _, name := range OutputNames {
		if whole && t.Has(name) {
			names = append(names, name)
		}
	}
	return strings.Join(names, " ")
}

// Has reports whether the task has the step whose output is called so.
func (t Task) Has(output string) bool {
	switch step, _, _ := strings.Cut(output, "."); step {
	case "setup":
		return t.Setup != ""
	case "check":
		return t.Check != ""
	case "build":
		return t.Build != ""
	}
	return true
}

// Of returns the part that has the output called so.
func (t TaskResult) Of(output string) Part {
	switch step, _, _ := strings.Cut(output, "."); step {
	case "setup":
		return t.Setup
	case "check":
		return t.Check
	case "build":
		return t.Build
	}
	return t.Test
}

// setupMark names the file in Layout.State that says that the setup was done.
func (t Task) setupMark() string {
	sum := sha256.Sum256([]byte(t.Dir + "\x00" + t.Setup))
	return "setup-" + hex.EncodeToString(sum[:8])
}

// milliseconds is a limit as the script has it: "0" = none, and no limit is 0.
func milliseconds(d time.Duration) string {
	return strconv.FormatInt(int64((d+time.Millisecond-1)/time.Millisecond), 10)
}

// quoted is s as the wrapper reads it back: byte for byte, but for TopDir.
func quoted(s string) string {
	return "'" + strings.NewReplacer("'", `'\''`, TopDir, `'"$g_top"'`).Replace(s) + "'"
}

// theirs are variables that a shell keeps for itself: it would refuse to set them, or
// make something else of them.
var theirs = []string{"PPID", "UID", "EUID", "GROUPS", "LINENO", "OPTIND", "BASHOPTS", "SHELLOPTS", "BASHPID", "RANDOM", "SECONDS", "SRANDOM", "IFS", "_"}

// shellName reports whether a shell can export a variable of this name.
func shellName(name string) bool {
	for i, c := range []byte(name) {
		if c != '_' && (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && (i == 0 || c < '0' || c > '9') {
			return false
		}
	}
	return name != "" && !slices.Contains(theirs, name) && !strings.HasPrefix(name, "BASH_")
}

// plainCommand is a command whose name no program on the way takes for an option or
// for a variable.
func plainCommand(argv []string) []string {
	name := argv[0]
	switch {
	case !strings.HasPrefix(name, "-") && !strings.Contains(name, "="):
		return argv
	case strings.HasPrefix(name, "-") && strings.Contains(name, "/") && !strings.Contains(name, "="):
		return append([]string{"./" + name}, argv[1:]...)
	}
	const find = `case $1 in
*/*) g_f=$1 ;;
*)
	g_p=$PATH:
	while [ -n "$g_p" ]; do
		g_f=${g_p%%:*} g_p=${g_p#*:}
		g_f=${g_f:-.}/$1
		[ ! -f "$g_f" ] || [ ! -x "$g_f" ] || break
	done ;;
esac
case $g_f in /*) ;; *) g_f=./$g_f ;; esac
shift
exec "$g_f" "$@"`
	return append([]string{"/bin/sh", "-c", find, "sh"}, argv...)
}

// An outcomeFile is what the wrapper writes.
type outcomeFile struct {
	Gitdd int          `json:"gitdd"` // the version of the format
	Setup *outcomePart `json:"setup"`
	Check *outcomePart `json:"check"` // nil = the task has none
	Build *outcomePart `json:"build"`
	Test  *outcomePart `json:"test"`
}

type outcomePart struct {
	Ran      *bool `json:"ran"`
	Exit     *int  `json:"exit"`
	TimedOut bool  `json:"timed_out"`
	MS       int64 `json:"ms"`
	Cut      int64 `json:"cut"`
	CPUMS    int64 `json:"cpu_ms"`
	PeakKiB  int64 `json:"peak_kib"`
}

// ReadOutcome reads the file that a wrapper has written. What is not one, or not whole,
// is an error.
func ReadOutcome(text []byte) (TaskResult, error) {
	var file outcomeFile
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(&file); err != nil {
		return TaskResult{}, fmt.Errorf("read %s: %w", OutcomeFile, err)
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return TaskResult{}, fmt.Errorf("read %s: there is more behind its end", OutcomeFile)
	}
	if file.Gitdd != 1 {
		return TaskResult{}, fmt.Errorf("read %s: it is of version %d, not 1", OutcomeFile, file.Gitdd)
	}
	var r TaskResult
	if file.Check == nil {
		file.Check = &outcomePart{Ran: new(bool)}
	}
	for _, p := range []struct {
		name string
		from *outcomePart
		to   *Part
	}{{"setup", file.Setup, &r.Setup}, {"check", file.Check, &r.Check}, {"build", file.Build, &r.Build}, {"test", file.Test, &r.Test}} {
		var err error
		if *p.to, err = p.from.part(); err != nil {
			return TaskResult{}, fmt.Errorf("read %s: %s: %w", OutcomeFile, p.name, err)
		}
	}
	failed := false
	for _, p := range []Part{r.Setup, r.Check, r.Build, r.Test} {
		if failed && p.Ran {
			return TaskResult{}, fmt.Errorf("read %s: a step ran though the one before it failed", OutcomeFile)
		}
		failed = failed || p.failed()
	}
	if !r.Test.Ran && !failed {
		return TaskResult{}, fmt.Errorf("read %s: the command did not run, and nothing before it failed", OutcomeFile)
	}
	return r, nil
}

func (p *outcomePart) part() (Part, error) {
	switch {
	case p == nil || p.Ran == nil:
		return Part{}, errors.New("it does not say whether it ran")
	case !*p.Ran && (p.Exit != nil || p.TimedOut || p.MS != 0 || p.Cut != 0 || p.CPUMS != 0 || p.PeakKiB != 0):
		return Part{}, errors.New("it did not run, but ended")
	case !*p.Ran:
		return Part{}, nil
	case p.Exit == nil || *p.Exit < 0 || *p.Exit > 255:
		return Part{}, errors.New("no exit status from 0 to 255")
	case min(p.MS, p.Cut, p.CPUMS, p.PeakKiB) < 0 || max(p.MS, p.CPUMS) > int64(time.Duration(1<<63-1)/time.Millisecond) || p.PeakKiB > 1<<52:
		return Part{}, errors.New("a number out of range")
	}
	return Part{
		Ran: true, Exit: *p.Exit, TimedOut: p.TimedOut, Duration: time.Duration(p.MS) * time.Millisecond, Cut: p.Cut,
		CPU: time.Duration(p.CPUMS) * time.Millisecond, Memory: p.PeakKiB << 10,
	}, nil
}

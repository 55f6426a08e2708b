package hunt

import (
	"bytes"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/gitdd/gitdd/internal/lazyregexp"
	"github.com/gitdd/gitdd/internal/process"
	"github.com/gitdd/gitdd/trial"
)

// A Class is a kind of failure, as the manifest has it.
type Class string

const (
	Passed       Class = ""             // no failure: a good exit status, and no words of a crash
	Killed       Class = "killed"       // by a signal
	Caught       Class = "caught"       // it caught a signal that means a crash, and exited
	Segmentation Class = "segmentation" // it printed the word
	Assertion    Class = "assertion"    // likewise
	Memory       Class = "memory"       // it took more than it may, or said that there is no more
	Timeout      Class = "timeout"      // it took more time than it may
	Exit         Class = "exit"         // any other exit status than the good ones
	Disagreement Class = "disagreement" // two commands gave different definite answers
)

// A Failure says how a command failed.
type Failure struct {
	Class  Class  `json:"class"`
	Exit   int    `json:"exit,omitempty"`   // exit status; none when gitdd ended the command, or a signal killed it
	Signal string `json:"signal,omitempty"` // that killed it, as a shell or another machine may say by the exit status
	Seen   string `json:"seen,omitempty"`   // the words by which it was told, in lower case
	Line   string `json:"line,omitempty"`   // the first line of output that says something of it

	// Signature is what common tools print of a failure, found by trial.AutoSignature.
	Signature string `json:"signature,omitempty"`
}

// String says it in words.
func (f Failure) String() string {
	switch f.Class {
	case Passed:
		return "no failure"
	case Killed:
		return "killed by " + f.Signal
	case Caught:
		return fmt.Sprintf("caught a signal, exit %d", f.Exit)
	case Segmentation, Assertion:
		return fmt.Sprintf("printed %q, exit %d", f.Seen, f.Exit)
	case Memory:
		if f.Seen != "" {
			return fmt.Sprintf("printed %q, exit %d", f.Seen, f.Exit)
		}
		return "took more memory than --max-memory"
	case Timeout:
		return "timed out"
	case Disagreement:
		return "the answers differ: " + f.Line
	}
	return fmt.Sprintf("exit %d", f.Exit)
}

// Same reports whether two failures are equal apart from numbers and file names in
// what was printed.
func (f Failure) Same(g Failure) bool { return f.key() == g.key() }

// Alike reports whether two failures are of one class and ended in one way, whatever
// was printed; disagreements are between the same two.
func (f Failure) Alike(g Failure) bool {
	// Of what was killed manifests of earlier versions have the exit status.
	return f.Class == g.Class && (f.Exit == g.Exit || f.Class == Killed) && f.Signal == g.Signal && (f.Class != Disagreement || f.Line == g.Line)
}

func (f Failure) key() string {
	return fmt.Sprintf("%s\x00%d\x00%s\x00%s\x00%s", f.Class, f.Exit, f.Signal, f.Seen, normal(f.Line))
}

// normal leaves out of a line what differs from one run to the next: the file, and
// numbers, such as process ids, addresses and times.
func normal(line string) string {
	return numbers().ReplaceAllString(files().ReplaceAllString(line, "{}"), "N")
}

var (
	files   = lazyregexp.New(`(?:/[^\s"':,()<>` + "`" + `]*){2,}|[^\s"':,()<>` + "`" + `]*` + fileStem + `\d+(?:\.reduced)?\.(?:btor|smt2)`)
	numbers = lazyregexp.New(`0x[0-9a-fA-F]+|\d+`)
)

// Printed returns Line without the directory of the seed's file, because each run has
// another directory.
func (f Failure) Printed() string { return directories().ReplaceAllString(f.Line, "$1") }

var directories = lazyregexp.New(`[^\s"':,()<>` + "`" + `]*/(` + fileStem + `\d+(?:\.reduced)?\.(?:btor|smt2))`)

// Pattern is a regular expression for the output of what fails in the same way, ""
// where the class and the exit status have to say it: output that is there anyway, or
// was printed before a crash, says nothing.
func (f Failure) Pattern() string {
	if f.Seen != "" {
		return "(?i)" + regexp.QuoteMeta(f.Seen)
	}
	line := strings.TrimSuffix(f.Line, cutMark)
	if f.Class != Exit || line == "" || line == "unknown" || Answer(line) == Sat || Answer(line) == Unsat || strings.ContainsRune(line, '\uFFFD') {
		return ""
	}
	// Neither the text of a name nor that of a number is quoted.
	pattern := regexp.QuoteMeta(normal(strings.NewReplacer("{}", "\x01", "N", "\x02").Replace(line)))
	return strings.NewReplacer(`\{\}`, `\S*`, "N", "(0x[0-9a-fA-F]+|[0-9]+)", "\x01", `\{\}`, "\x02", "N").Replace(pattern)
}

// signalExit is what a shell adds to the number of a signal.
const signalExit = 128

// caughtSignals are those whose number is the exit status of a solver that catches
// them: SIGABRT, SIGBUS and SIGSEGV.
var caughtSignals = []int{6, 7, 11}

// The words of a failure in an output, in any case, in the order in which they count.
var words = []struct {
	text  string
	class Class
}{
	{"caught signal", Caught},
	{"segmentation", Segmentation},
	{"assertion", Assertion},
	{"out of memory", Memory},
}

// Judge says how the first of some commands failed, which were all executed on one
// file, or that two disagree. What gitdd did itself comes first, then how the command
// ended, then what it printed: the words of a crash may be those of a shell around it.
//
// labels are what the commands are called. Others than the first are there for their
// answers: how they fail is no finding.
func Judge(all []trial.Execution, good []int, labels []string) Failure {
	x := all[0]
	var f Failure
	switch {
	case x.Swelled:
		return Failure{Class: Memory}
	case x.TimedOut:
		return Failure{Class: Timeout}
	case slices.Contains(good, x.Exit):
	case x.Signal != "":
		f = Failure{Class: Killed, Signal: x.Signal}
	case x.Exit > signalExit && x.Exit < signalExit+64:
		f = Failure{Class: Killed, Signal: process.SignalName(x.Exit - signalExit)}
	case slices.Contains(caughtSignals, x.Exit):
		f = Failure{Class: Caught, Exit: x.Exit}
	}
	stdout, stderr := bytes.ToLower(x.Stdout), bytes.ToLower(x.Stderr)
	for _, w := range words {
		if f.Class != Passed && f.Class != w.class {
			continue
		}
		if said := []byte(w.text); bytes.Contains(stdout, said) || bytes.Contains(stderr, said) {
			f.Class, f.Exit, f.Seen = w.class, x.Exit, w.text
			break
		}
	}
	if f.Class == Passed && !slices.Contains(good, x.Exit) {
		f = Failure{Class: Exit, Exit: x.Exit}
	}
	if f.Class == Passed {
		return disagreement(all, labels)
	}
	f.Signature = auto.Of(x.Stdout, x.Stderr)
	f.Line = significant(f, x)
	return f
}

var auto, _ = trial.NewSignature(trial.AutoSignature)

// significant is the line of output that says most of a failure: what a known tool
// would print, the line with the words, or else the first.
func significant(f Failure, x trial.Execution) string {
	if f.Signature != "" {
		return f.Signature
	}
	if f.Seen != "" {
		if line := firstLine(x, func(line string) bool { return strings.Contains(strings.ToLower(line), f.Seen) }); line != "" {
			return line
		}
	}
	return firstOf(x)
}

// firstOf is the first line that a command printed and that is not blank, of its
// standard error if there is one.
func firstOf(x trial.Execution) string {
	return firstLine(x, func(line string) bool { return line != "" })
}

func firstLine(x trial.Execution, is func(string) bool) string {
	for _, output := range [][]byte{x.Stderr, x.Stdout} {
		for line := range bytes.Lines(output) {
			if text := trimLine(line); is(text) {
				return text
			}
		}
	}
	return ""
}

// trimLine is a line as valid UTF-8 without white space around it, cut to what fits
// into a record.
func trimLine(line []byte) string {
	text := strings.TrimSpace(strings.ToValidUTF8(string(line), "\uFFFD"))
	const most = 300
	if len(text) <= most {
		return text
	}
	cut := most
	for !utf8.RuneStart(text[cut]) {
		cut--
	}
	return text[:cut] + cutMark
}

const cutMark = "..."

// An Answer is that of a solver, "" if it gave none that is definite.
type Answer string

const (
	Unknown Answer = ""
	Sat     Answer = "sat"
	Unsat   Answer = "unsat"
)

// AnswerOf reads an answer off the exit status, 10 or 20, or off the first line of a
// command that exits with 0.
func AnswerOf(x trial.Execution) Answer {
	switch {
	case x.Swelled, x.TimedOut, x.Signal != "", x.Missing != "":
		return Unknown
	case x.Exit == 10:
		return Sat
	case x.Exit == 20:
		return Unsat
	case x.Exit != 0:
		return Unknown
	}
	first, _, _ := bytes.Cut(bytes.TrimLeft(x.Stdout, " \t\r\n"), []byte("\n"))
	switch answer := Answer(bytes.TrimSpace(first)); answer {
	case Sat, Unsat:
		return answer
	}
	return Unknown
}

// differing names the first two answers, in the order of the commands, that are definite
// and differ, with the labels of those that gave them.
func differing(answers []Answer, labels []string) (text string, differ bool) {
	for j, b := range answers {
		for i, a := range answers[:j] {
			if a != Unknown && b != Unknown && a != b {
				return fmt.Sprintf("%s %s, %s %s", labels[i], a, labels[j], b), true
			}
		}
	}
	return "", false
}

func disagreement(all []trial.Execution, labels []string) Failure {
	text, differ := differing(answersOf(all), labels)
	if !differ {
		return Failure{}
	}
	return Failure{Class: Disagreement, Line: text}
}

func answersOf(all []trial.Execution) []Answer {
	answers := make([]Answer, len(all))
	for i, x := range all {
		answers[i] = AnswerOf(x)
	}
	return answers
}

package git

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Error is a git command that failed.
type Error struct {
	Args   []string // the command, without gitdd's fixed settings
	Exit   int      // exit code; -1 when a signal ended it
	Stderr string
	Hint   string // what gitdd knows about it; "" = nothing
}

// Error shows the command and what its standard error says about the failure.
func (e *Error) Error() string {
	text := fmt.Sprintf("%s: %s (exit %d)", commandLine(e.Args), cmp.Or(e.message(), "no message"), e.Exit)
	if e.Hint != "" {
		text += ": " + e.Hint
	}
	return text
}

// DiskFull reports whether git met a full disk.
func (e *Error) DiskFull() bool {
	return e.says(
		"No space left on device",
		"Disk quota exceeded",
		"unable to write file", // git has made the file, and does not say what is in the way
	)
}

// says reports whether one of these is in the standard error.
func (e *Error) says(anyOf ...string) bool {
	return slices.ContainsFunc(anyOf, func(words string) bool { return strings.Contains(e.Stderr, words) })
}

// message returns the last two lines that begin with "fatal:" or "error:" (the
// one before the last often is the cause), or else the last line that is
// neither a hint nor blank.
func (e *Error) message() string {
	var last string
	var fatal []string
	for line := range strings.Lines(e.Stderr) {
		line = strings.TrimSpace(line)
		if text, ok := cutAnyPrefix(line, "fatal: ", "error: "); ok {
			fatal = append(fatal, text)
		} else if line != "" && !strings.HasPrefix(line, "hint:") {
			last = line
		}
	}
	if len(fatal) > 0 {
		return strings.Join(fatal[max(0, len(fatal)-2):], "; ")
	}
	return last
}

func cutAnyPrefix(s string, prefixes ...string) (string, bool) {
	for _, prefix := range prefixes {
		if rest, ok := strings.CutPrefix(s, prefix); ok {
			return rest, true
		}
	}
	return s, false
}

// commandLine returns the command for messages, cut when it is long.
func commandLine(args []string) string {
	const most = 100
	line := "git " + strings.Join(args, " ")
	if len(line) > most {
		line = strings.ToValidUTF8(line[:most], "") + "..."
	}
	return line
}

// UnknownRevisionError says that a revision names no commit and no tree.
type UnknownRevisionError struct {
	Rev    string // as asked
	Detail string // what was seen, and what to do next
}

func (e *UnknownRevisionError) Error() string {
	return fmt.Sprintf("unknown revision %q: %s", e.Rev, e.Detail)
}

// advised is in one line what git says, and which commands it says to call: those stand
// indented by a tab in lines of their own.
func advised(stderr string) string {
	var said, commands []string
	for line := range strings.Lines(stderr) {
		text := strings.TrimSpace(strings.TrimPrefix(line, "fatal: "))
		switch {
		case text == "":
		case strings.HasPrefix(line, "\t"):
			commands = append(commands, "`"+text+"`")
		default:
			if n := len(said); n > 0 && unicode.IsUpper(firstOf(text)) && !strings.ContainsAny(said[n-1][len(said[n-1])-1:], ".:;,!?") {
				said[n-1] += "." // another sentence begins
			}
			said = append(said, text)
		}
	}
	return strings.TrimSuffix(strings.Join(append(said, commands...), " "), ".")
}

func firstOf(text string) rune {
	r, _ := utf8.DecodeRuneInString(text)
	return r
}

// A PathspecError says that git cannot take a pathspec.
type PathspecError struct{ Detail string }

func (e *PathspecError) Error() string { return e.Detail }

// pathspecError returns what git says of a pathspec where it has failed for one, and err
// otherwise.
func (r *Repo) pathspecError(err error, pathspecs []string) error {
	failed, ok := errors.AsType[*Error](err)
	if len(pathspecs) == 0 || !ok {
		return err
	}
	text := failed.message()
	// "../x: '../x' is outside repository at '/top'"
	if spec, _, ok := strings.Cut(text, ": '"); ok && strings.Contains(text, "' is outside repository") {
		return &PathspecError{fmt.Sprintf("%s lies outside of the repository, whose top is %s: paths are relative to the directory that gitdd runs in", spec, cmp.Or(r.top, r.gitDir))}
	}
	about := func(spec string) bool { return strings.HasPrefix(text, spec+": ") }
	if strings.Contains(text, "pathspec") || slices.ContainsFunc(pathspecs, about) {
		return &PathspecError{text}
	}
	return err
}

// OutsideError is the error of [Open] for a directory that lies in no repository.
type OutsideError struct{ Dir string }

func (e *OutsideError) Error() string {
	return e.Dir + " is not in a git repository: go to one, or name it with -C DIR"
}

// openError turns git's refusal to open dir into a sentence for the user.
func openError(dir string, err error) error {
	failed, ok := errors.AsType[*Error](err)
	if !ok {
		return fmt.Errorf("open repository %s: %w", dir, err)
	}
	switch {
	case failed.says("dubious ownership", "cannot use bare repository"):
		return fmt.Errorf("git refuses the repository: %s", advised(failed.Stderr))
	case failed.says("not a git repository: "):
		// It was sent to one, by GIT_DIR or by a file .git.
		return fmt.Errorf("git finds no repository for %s: %s, which GIT_DIR or a file .git names", dir, strings.TrimPrefix(strings.TrimSpace(failed.Stderr), "fatal: "))
	case failed.says("not a git repository"):
		return &OutsideError{dir}
	}
	return fmt.Errorf("open repository %s: %w", dir, err)
}

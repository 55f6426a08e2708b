package failure

import (
	"bytes"
	"io"
	"os"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/gitdd/gitdd/internal/escapes"
	"github.com/gitdd/gitdd/internal/lazyregexp"
)

// Reasons and reports quote one line of what a failed command printed. Mostly it is not the last
// line: after the assertion or the error come counts, times, and messages of programs such as make,
// which only say that a command they ran has failed.

var (
	// counting are lines that have nothing but counts, times and a word such as FAILED.
	counting = lazyregexp.New(`(?i)^(?:(?:tests?|suites?|snapshots?|specs?|examples?|assertions?|files|build|result|duration|duration_ms|time|total|elapsed|finished|ran|run|took|load|generated|` +
		`completed|pass|passed|passing|passes|fail|failed|failing|fails|failures?|errors?|skipped|pending|ignored|cancelled|todo|measured|filtered|warnings?|ok|` +
		`there|was|were|are|is|in|of|out|all|and|with|to|the|following|not|by|for|s|ms|min|secs?|seconds?|\d[\d.,:]*(?:m?s)?)\b|[^\pL\d]+)+$`)
	// relaying are lines of programs that run others, which say only that one of these has
	// failed, beside those that relayed matches.
	relaying = lazyregexp.New(`(?i)\bexit(?:ed)?(?: with)?(?: status| code| value)?:? ?\d+\.?$|previous errors?(?:;.*)?$|to rerun pass|` +
		`returned \d+ exit status$|there (?:are|were) (?:\w+ )?fail\w*|while running|build failed|failed for task|elifecycle|^\S*make(?:\[\d+\])?: |^ninja: |^subprocess|^\w+:$|` +
		`^(?:\w+: *)?['"]?(?:\d+ )?(?:sub)?tests? failed\.?['"]?$`)
	// diffLegend are lines that say which lines of the difference below them are of which value.
	diffLegend = lazyregexp.New(`(?i)^(?:[-+] (?:actual|expected|received)\b.{0,12}){2}|^[-+] (?:expected|received)  [-+] \d+$`)
	// excerpt are lines of source and of data that stand below what an error says: a numbered
	// line, a line that points to a place, a field of a record, a frame of a stack.
	excerpt = lazyregexp.New(`^(?:> ?)?\d* ?\| |^[~^|\s-]*\^|^E? *\^|^[a-z]\w*: (?:'\w*'|\|-?|true,?|\w+,)$|^(?:at|in|from) |\|-$`)
	// described is the field of such a description that has the message.
	described = lazyregexp.New(`^(?:error|message): `)
	// severity is what some tools begin each line with.
	severity = lazyregexp.New(`^\[(?:ERROR|FATAL|INFO|WARN|WARNING|DEBUG)\] *|^E  +|^# `)
	// compilers is how an error of a compiler begins.
	compilers = lazyregexp.New(`^\S+\.[A-Za-z]\w*(?::\d+(?::\d+)?:|\(\d+(?:,\d+)?\):) (?:fatal )?error\b`)
	// message are lines that name an error and say what it is, and those that name the place.
	message = lazyregexp.New(`(?i)(?:error|exception|panic|assert\w*|fatal|fail\w*)\b.{0,80}?(?:: | - )\S|\bassertion\b.*\bfail|^(?:\S+: )?\S*\w\.\w+:\d+(?::\d+)?:? [^+\s]`)
)

// errorLine returns the line of outputs that best tells why a command failed: the last line that
// matches message; else the last that matches errorWords, and that does not end with a colon, as what stands
// above a list, a difference or a stack does, if there is another; else the last that has a word, in the same way. Lines
// that are noise do not count. If nothing is left, errorLine returns the last line of the first
// output that is not empty. Of lines of the same kind, one of an earlier output comes first. See withNext for a line that ends
// with a colon.
func errorLine(outputs ...[]string) string {
	kinds := []func(line string) bool{
		func(l string) bool { return message().MatchString(l) && !warning().MatchString(l) },
		func(l string) bool {
			return errorWords().MatchString(l) && !warning().MatchString(l) && !strings.HasSuffix(l, ":")
		},
		func(l string) bool { return errorWords().MatchString(l) && !warning().MatchString(l) },
		func(l string) bool { return len(wordsOf(l)) > 0 && !strings.HasSuffix(l, ":") },
		func(l string) bool { return strings.ContainsFunc(l, isLetter) },
	}
	for k := range outputs {
		outputs[k] = withMessages(outputs[k])
	}
	for _, is := range kinds {
		for _, lines := range outputs {
			for i := len(lines) - 1; i >= 0; i-- {
				if bare := severity().ReplaceAllString(lines[i], ""); is(bare) && !noise(bare) {
					return withNext(bare, lines[i+1:])
				}
			}
		}
	}
	for _, lines := range outputs {
		if len(lines) > 0 {
			return lines[len(lines)-1]
		}
	}
	return ""
}

// withMessages returns the lines of an output with each block in which the test anything protocol describes a failure cut to the message in it,
// on one line: the other fields say what the message says, too, or nothing of the failure. A block without a message stays as it is.
func withMessages(lines []string) (list []string) {
	for i := 0; i < len(lines); i++ {
		list = append(list, lines[i])
		if lines[i] != "---" {
			continue
		}
		end := slices.Index(lines[i:], "...")
		if end < 0 {
			continue
		}
		block := lines[i+1 : i+end]
		at := slices.IndexFunc(block, func(l string) bool { return described().MatchString(l) })
		if at < 0 {
			continue
		}
		text := block[at]
		if below := block[at+1:]; strings.HasSuffix(text, "|-") && len(below) > 0 {
			text = TrimLine([]byte(strings.TrimSuffix(text, "|-") + withNext(below[0], below[1:])))
		}
		list = append(list, text)
		i += end
	}
	return list
}

// withNext returns a line and, if it ends with a colon, up to two lines below it: the value that it is about.
func withNext(line string, below []string) string {
	if !strings.HasSuffix(line, ":") {
		return line
	}
	for n := 0; n < 2 && len(below) > 0; below = below[1:] {
		next := strings.TrimSpace(severity().ReplaceAllString(below[0], ""))
		if diffLegend().MatchString(next) {
			continue
		}
		if relayed().MatchString(next) || relaying().MatchString(next) || excerpt().MatchString(next) || frame().MatchString(next) {
			break
		}
		line += " " + next
		n++
	}
	return TrimLine([]byte(line))
}

// noise reports whether a line does not tell why a test failed. A line that matches counting is
// noise only if it has a digit or no small letters: "failed" may be all that a script prints.
func noise(line string) bool {
	counts := counting().MatchString(line) && (strings.ContainsAny(line, "0123456789") || line == strings.ToUpper(line))
	return counts || relayed().MatchString(line) || relaying().MatchString(line) || excerpt().MatchString(line) || frame().MatchString(line) || diffLegend().MatchString(line)
}

func isLetter(r rune) bool { return r != utf8.RuneError && unicode.IsLetter(r) }

const (
	LineBytes = 300      // kept of a line of output
	peekBytes = 64 << 10 // looked at from each end of an output
)

// FirstAndErrorLine returns the first line that is not blank of the first file that has one, and
// the line of all of them that tells best what happened: of a command that failed the one that
// says why, else the last. What says why a command failed is mostly on its standard error, so
// that comes first in the arguments.
func FirstAndErrorLine(failed bool, names ...string) (first, line string) {
	var outputs, heads [][]string
	for _, name := range names {
		f, err := os.Open(name)
		if err != nil {
			continue
		}
		head, _ := io.ReadAll(io.LimitReader(f, peekBytes))
		tail := head
		if info, err := f.Stat(); err == nil && info.Size() > peekBytes {
			tail, _ = io.ReadAll(io.NewSectionReader(f, info.Size()-peekBytes, peekBytes))
		}
		f.Close()
		lines := linesOf(head)
		if heads = append(heads, lines); first == "" && len(lines) > 0 {
			first = lines[0]
		}
		if lines := linesOf(tail); len(lines) > 0 {
			outputs = append(outputs, lines)
		}
	}
	if len(outputs) == 0 {
		return first, ""
	}
	if !failed {
		return first, outputs[0][len(outputs[0])-1]
	}
	return first, firstOfCompiler(errorLine(outputs...), heads)
}

// TellsCompileError reports whether a line is an error of a compiler, which has a place with its column or says that it is an error.
func TellsCompileError(line string) bool {
	return compilers().MatchString(line) || compiled().MatchString(line) && !warning().MatchString(line)
}

// firstOfCompiler returns the first error of a compiler if line is one, too: the later ones may follow from it.
func firstOfCompiler(line string, outputs [][]string) string {
	if compilers().MatchString(line) {
		for _, lines := range outputs {
			for _, l := range lines {
				if compilers().MatchString(l) {
					return l
				}
			}
		}
	}
	return line
}

// linesOf returns the lines of an output that are not blank, without colours.
func linesOf(output []byte) (lines []string) {
	for l := range bytes.Lines(output) {
		if text := TrimLine(escapes.Remove(l)); text != "" {
			lines = append(lines, text)
		}
	}
	return lines
}

// TrimLine returns a line as valid UTF-8 without white space around it, cut to
// LineBytes.
func TrimLine(l []byte) string {
	s := strings.TrimSpace(strings.ToValidUTF8(string(l), "\uFFFD"))
	if len(s) <= LineBytes {
		return s
	}
	s = s[:LineBytes]
	for !utf8.ValidString(s) {
		s = s[:len(s)-1]
	}
	return s + "..."
}

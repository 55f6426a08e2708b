package trial

import (
	"strings"
	"unicode"
	"unicode/utf8"

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
		`there (?:are|were) (?:\w+ )?fail\w*|while running|build failed|failed for task|elifecycle|^\S*make(?:\[\d+\])?: |^ninja: |^subprocess|^\w+:$`)
	// excerpt are lines of source and of data that stand below what an error says: a numbered
	// line, a line that points to a place, a field of a record, a frame of a stack.
	excerpt = lazyregexp.New(`^(?:> ?)?\d* ?\| |^[~^|\s-]*\^|^E? *\^|^[\w.]+: (?:'\w*'|\|-?|true,?|\w+,)$|^(?:at|in|from) |\|-$`)
	// severity is what some tools begin each line with.
	severity = lazyregexp.New(`^\[(?:ERROR|FATAL|INFO|WARN|WARNING|DEBUG)\] *|^E  +`)
	// message are lines that name an error and say what it is, and those that name the place.
	message = lazyregexp.New(`(?i)(?:error|exception|panic|assert\w*|fatal|fail\w*)\b.{0,80}?(?:: | - )\S|\bassertion\b.*\bfail|^\S*\w\.\w+:\d+(?::\d+)?:? [^+\s]`)
)

// errorLine returns the line of outputs that best tells why a command failed: the last line that
// matches message; else the last that matches errorWords; else the last that has a letter. Lines
// that are noise do not count. If nothing is left, errorLine returns the last line of the first
// output that is not empty. Of lines of the same kind, one of an earlier output comes first.
func errorLine(outputs ...[]string) string {
	kinds := []func(line string) bool{
		func(l string) bool { return message().MatchString(l) && !warning().MatchString(l) },
		func(l string) bool { return errorWords().MatchString(l) && !warning().MatchString(l) },
		func(l string) bool { return strings.ContainsFunc(l, isLetter) },
	}
	for _, is := range kinds {
		for _, lines := range outputs {
			for i := len(lines) - 1; i >= 0; i-- {
				if bare := severity().ReplaceAllString(lines[i], ""); is(bare) && !noise(bare) {
					return bare
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

// noise reports whether a line does not tell why a test failed. A line that matches counting is
// noise only if it has a digit or no small letters: "failed" may be all that a script prints.
func noise(line string) bool {
	counts := counting().MatchString(line) && (strings.ContainsAny(line, "0123456789") || line == strings.ToUpper(line))
	return counts || relayed().MatchString(line) || relaying().MatchString(line) || excerpt().MatchString(line)
}

func isLetter(r rune) bool { return r != utf8.RuneError && unicode.IsLetter(r) }

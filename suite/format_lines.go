package suite

import (
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"

	"github.com/gitdd/gitdd/isolate"
)

// statuses are the words for outcomes, in lower case. Another word is an unresolved outcome.
var statuses = map[isolate.Outcome][]string{
	isolate.Pass: {"pass", "passed", "passes", "ok", "success", "successful", "succeeded", "good", "true", "xfail", "✓", "✔", "√", "✅", "."},
	isolate.Fail: {"fail", "failed", "fails", "failure", "not ok", "error", "errored", "err", "bad", "false", "broken", "crash", "crashed",
		"timeout", "timed out", "✗", "✘", "✖", "×", "❌", "f", "e"},
	isolate.Unresolved: {"skip", "skipped", "ignored", "disabled", "pending", "todo", "not run", "unresolved", "untested", "s", "-"},
}

// statusOf returns the outcome that a word for a status names, in upper or lower case: Pass for such as "ok",
// "PASSED" and "✓", Fail for such as "FAILED", "error" and "✗", Unresolved for such as "skipped", and for a word that
// it does not know.
func statusOf(word string) isolate.Outcome {
	word = strings.ToLower(strings.TrimSpace(word))
	for outcome, words := range statuses {
		if slices.Contains(words, word) {
			return outcome
		}
	}
	return isolate.Unresolved
}

// parseExpression compiles the expression of the format lines.
func parseExpression(text string) (*regexp.Regexp, error) {
	const example = `such as lines:^(?P<status>ok|FAIL) (?P<test>.+)$`
	if text == "" {
		return nil, errors.New("a regular expression belongs behind lines:, " + example)
	}
	expression, err := regexp.Compile(text)
	if err != nil {
		return nil, err
	}
	for _, group := range []string{"test", "status"} {
		if expression.SubexpIndex(group) < 0 {
			return nil, fmt.Errorf("the regular expression has no group (?P<%s>...), %s", group, example)
		}
	}
	return expression, nil
}

// readLines reads the lines that match the expression. Such a report is incomplete only if it has no test: nothing
// says where it ends.
func readLines(f Format, b *builder, r io.Reader) {
	test, status, message := f.expression.SubexpIndex("test"), f.expression.SubexpIndex("status"), f.expression.SubexpIndex("message")
	for line := range plainLines(r) {
		m := f.expression.FindStringSubmatch(line)
		if m == nil {
			continue
		}
		result := Result{Name: m[test], Outcome: statusOf(m[status])}
		if message >= 0 {
			result.Message = m[message]
		}
		if result.Outcome == isolate.Fail && strings.TrimSpace(result.Message) == "" {
			result.Message = m[status] // such as FAIL and ERROR, which tell a failed assertion from another error
		}
		b.add(result)
	}
	if len(b.tests) == 0 {
		b.incomplete("no line matches the regular expression")
	}
}

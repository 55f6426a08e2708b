package report_test

import (
	"strings"
	"testing"
	"unicode"

	"github.com/gitdd/gitdd/internal/prose"
	"github.com/gitdd/gitdd/report"
)

// TestCommitMessage: of every result, the subject is one short line before an
// empty one, nothing is wider than git log shows or begins like a diff, no byte
// steers a terminal, and the message ends with its trailers.
func TestCommitMessage(t *testing.T) {
	for name, r := range cases() {
		if r.Status != report.Isolated {
			continue
		}
		for _, revert := range []bool{false, true} {
			text := report.CommitMessage(r, report.Message{Revert: revert, Onto: "v2\x1b[31m", Tested: "pass", Version: "v1", Command: "gitdd run\x1b[m"})
			lines := strings.Split(text, "\n")
			if len(lines) < 5 || lines[0] == "" || prose.Columns(lines[0]) > 68 || lines[1] != "" {
				t.Errorf("%s: begins %q", name, lines[:2])
			}
			for i, line := range lines {
				if prose.Columns(line) > 76 && !strings.HasPrefix(line, "Gitdd-") && !strings.Contains(line, "tree") {
					t.Errorf("%s: line %d has %d columns: %s", name, i+1, prose.Columns(line), line)
				}
				if strings.ContainsFunc(line, unicode.IsControl) {
					t.Errorf("%s: line %d: %q", name, i+1, line)
				}
				for _, sign := range []string{"diff --git", "--- ", "+++ ", "---", "@@", "#"} {
					if strings.HasPrefix(line, sign) {
						t.Errorf("%s: line %d begins like a diff, a cut or a comment: %q", name, i+1, line)
					}
				}
			}
			if trailers := strings.Split(strings.TrimSuffix(text[strings.LastIndex(text, "\n\n")+2:], "\n"), "\n"); len(trailers) != 3 {
				t.Errorf("%s: trailers %q", name, trailers)
			}
		}
	}
}

package forms

import (
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/gitdd/gitdd/report"
)

// ExplanationSchema names the shape of an explanation.
const ExplanationSchema = "gitdd.explanation/1"

// An Explanation is what explain writes as JSON.
type Explanation struct {
	Schema    string          `json:"schema"`
	Reduction json.RawMessage `json:"reduction"` // gitdd.reduction/1
	Result    json.RawMessage `json:"result"`    // gitdd.result/1, null when the reduction did not get so far
}

// WriteExplanation writes the results of both halves; the second is nil where the
// first one did not get so far.
func WriteExplanation(w io.Writer, reduced, result []byte) error {
	e := Explanation{Schema: ExplanationSchema, Reduction: reduced, Result: result}
	if result == nil {
		e.Result = json.RawMessage("null")
	}
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	return encoder.Encode(e)
}

// OfUnexplained are the forms of an explanation without its second half: the
// page of the first one, and else that there was no search.
func OfUnexplained(r report.Reduction, story func() report.Story) Forms {
	none := report.Result{
		Schema: report.Schema, Status: r.Status, Reason: r.Reason, Direction: report.Break, Command: r.Command,
	}
	if none.Status == report.Reduced || none.Status == report.NotReduced {
		none.Status = report.NotIsolated
	}
	if r.Regression != nil {
		none.Good, none.Bad = r.Regression.Good, r.Regression.Bad
	}
	f := Of(none, func() report.Story { return report.Story{Schema: report.StorySchema} })
	f.HTML = OfReduction(r, story).HTML
	f.Patch = func() ([]byte, error) { return nil, nil } // of no cause
	return f
}

// BesideName is where the page of a part of an answer goes, beside that of the answer: of the reduction that a search
// went on from, or of one cause of several. It is "" when the page of the answer is not in a file of its own.
func BesideName(html, part string) string {
	if html == "" || html == "-" {
		return ""
	}
	if info, err := os.Stat(html); err == nil && !info.Mode().IsRegular() {
		return "" // /dev/stderr, a named pipe
	}
	ext := filepath.Ext(html)
	return strings.TrimSuffix(html, ext) + "." + part + ext
}

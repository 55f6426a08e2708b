package doctor

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/gitdd/gitdd/internal/prose"
)

// Schema names the shape of a report as JSON.
const Schema = "gitdd.doctor/1"

// A Report is all that an examination has found.
type Report struct {
	Schema   string    `json:"schema"`
	Gitdd    string    `json:"gitdd"` // Options.Version
	OK       bool      `json:"ok"`    // nothing is in the way of a search
	Findings []Finding `json:"findings"`
}

// A Finding is what one check has shown.
type Finding struct {
	Check string `json:"check"` // its name, after that of the cluster if it is of one
	OK    bool   `json:"ok"`
	Saw   string `json:"saw"`
	Do    string `json:"do"` // "" = nothing
	Name  string `json:"-"`  // of the check alone
}

// JSON writes the report as JSON.
func (r Report) JSON(w io.Writer) error {
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	return encoder.Encode(r)
}

// Troubles returns the number of findings that are in the way of a search.
func (r Report) Troubles() int {
	n := 0
	for _, f := range r.Findings {
		if !f.OK {
			n++
		}
	}
	return n
}

// Text returns the finding for a screen of so many columns: in columns, or where these would be too
// narrow in paragraphs. It does not name the cluster.
func (f Finding) Text(width int) string {
	what := "ok"
	if !f.OK {
		what = "trouble"
	}
	check, saw, do := prose.Printable(f.Name), prose.Printable(f.Saw), prose.Printable(f.Do)
	if width < 60 {
		if do != "" {
			do = "\n    " + hanging("do: "+do, 4, width)
		}
		return what + ": " + check + "\n    " + hanging(saw, 4, width) + do + "\n"
	}
	const columns = "%-8s %-13s %s\n"
	text := fmt.Sprintf(columns, what, check, hanging(saw, 23, width))
	if do != "" {
		text += fmt.Sprintf(columns, "", "do:", hanging(do, 23, width))
	}
	return text
}

// hanging returns a text with lines that stand behind so many columns, and stay out of the last.
func hanging(text string, indent, width int) string {
	var b strings.Builder
	at := indent
	for i, word := range strings.Fields(text) {
		n := prose.Columns(word)
		switch {
		case i == 0:
		case at+1+n >= width:
			b.WriteString("\n" + strings.Repeat(" ", indent))
			at = indent
		default:
			b.WriteByte(' ')
			at++
		}
		b.WriteString(word)
		at += n
	}
	return b.String()
}

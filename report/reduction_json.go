package report

import (
	"bytes"
	"encoding/json"
	"io"
)

// ReductionJSON writes r indented, with a final newline. Equal results give
// equal bytes.
func ReductionJSON(w io.Writer, r Reduction) error {
	fillArrays(&r)
	return writeJSON(w, r)
}

// ReadReduction reads one result written by [ReductionJSON], of this or any later
// version: fields it does not know are ignored.
func ReadReduction(r io.Reader) (Reduction, error) {
	var res Reduction
	if err := readJSON(r, "result", &res, &res.Schema, ReductionSchema); err != nil {
		return Reduction{}, err
	}
	fillArrays(&res)
	return res, nil
}

// SchemaOf returns the schema that a JSON result names, "" if it names none.
func SchemaOf(text []byte) string {
	var head struct {
		Schema string `json:"schema"`
	}
	if json.Unmarshal(text, &head) != nil {
		return ""
	}
	return head.Schema
}

// NewExcerpt is what a result keeps of the text of a file: its first whole lines, within most
// bytes; a first line that is longer is cut there.
func NewExcerpt(path string, text []byte, most int) *Excerpt {
	x := &Excerpt{Path: valid(path), Lines: len(cut(string(text)).lines)}
	kept := text[:min(len(text), most)]
	if len(kept) < len(text) {
		if i := bytes.LastIndexByte(kept, '\n'); i >= 0 {
			kept = kept[:i+1]
		}
	}
	x.Text, x.Raw = split(kept)
	return x
}

// SetDiff enters a diff, whatever its bytes.
func (i *Isolation) SetDiff(diff []byte) { i.Diff, i.RawDiff = split(diff) }

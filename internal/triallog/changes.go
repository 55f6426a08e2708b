package triallog

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"

	"github.com/gitdd/gitdd/internal/prose"
	"github.com/gitdd/gitdd/isolate"
	"github.com/gitdd/gitdd/report"
	"github.com/gitdd/gitdd/search"
	"github.com/gitdd/gitdd/trial"
)

// mostListed is how many changes a set may have for the session to keep a list of
// them: so that gitdd log can name those of a trial. A list takes about 200 bytes
// a change.
const mostListed = 100_000

func listFile(set int) string { return fmt.Sprintf("set-%d.json", set) }

// KeepChanges keeps the names of the changes of a set, under its number in the records,
// for gitdd log. A search does not end for want of it.
func KeepChanges(session *trial.Session, set int, a search.Answer) {
	if a.Set.Len() > mostListed {
		return
	}
	text, err := json.Marshal(report.References(a.Set, a.Plan.Symbols))
	if err == nil {
		_ = session.WriteFile(listFile(set), text)
	}
}

// printApplied says which changes were in a trial: each, if they are few, or each
// that was left out, or else how many of each file.
func printApplied(out io.Writer, session *trial.Session, r trial.Record) error {
	text, err := session.ReadFile(listFile(r.Set))
	if errors.Is(err, fs.ErrNotExist) { // of an older version, or too many, or of an end before the search
		c, err := isolate.FromRuns(1<<30, r.Config)
		if err == nil {
			fmt.Fprintf(out, "changes %s\n", prose.Number(c.Len()))
		}
		return err
	}
	var all []report.Reference
	if err == nil {
		err = json.Unmarshal(text, &all)
	}
	if err != nil {
		return fmt.Errorf("read the changes of set %d: %w", r.Set, err)
	}
	c, err := isolate.FromRuns(len(all), r.Config)
	if err != nil {
		return fmt.Errorf("read the changes of trial %d: %w", r.Trial, err)
	}
	const few = 20
	in, rest := c.Len(), len(all)-c.Len()
	shown, end := c, ":"
	switch {
	case in == 0, rest == 0:
		shown, end = isolate.Empty(len(all)), ""
	case in > few && rest <= few:
		shown, end = isolate.Full(len(all)).Minus(c), ", all but:"
	}
	fmt.Fprintf(out, "changes %s of %s%s\n", prose.Number(in), prose.Number(len(all)), end)
	if shown.Len() > few {
		countFiles(out, all, c)
		return nil
	}
	for i := range shown.All() {
		fmt.Fprintf(out, "  %s\n", prose.Printable(all[i].Place()))
	}
	return nil
}

// countFiles prints of how many changes of each file a configuration consists.
func countFiles(out io.Writer, all []report.Reference, c isolate.Configuration) {
	var files []string
	in, total := map[string]int{}, map[string]int{}
	for i, r := range all {
		if total[r.Path] == 0 {
			files = append(files, r.Path)
		}
		total[r.Path]++
		if c.Has(i) {
			in[r.Path]++
		}
	}
	for _, file := range files {
		if in[file] > 0 {
			fmt.Fprintf(out, "  %s: %s of %s\n", prose.Printable(file), prose.Number(in[file]), prose.Number(total[file]))
		}
	}
}

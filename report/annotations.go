package report

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"github.com/gitdd/gitdd/internal/prose"
)

// annotationsShown is how many annotations of one level GitHub keeps of a step: the
// runner drops the ones behind it without a word (actions/runner, ExecutionContext.cs,
// _maxCountPerIssueType).
const annotationsShown = 10

// Annotations writes r as workflow commands of GitHub Actions, one a line, which
// show it beside the lines of a commit or a pull request: an error for each change of
// the cause, those shown to be needed first, then those of further causes; a notice
// for each of a fix; a warning for each suspect of a search that was cut short, if they
// are ten or fewer. GitHub shows ten of a level for a step, so the rest is counted in
// one notice. A search without an answer is a notice, one that could not go on an
// error, without a place.
//
// What has a meaning in a command is escaped as the runner takes it back (@actions/core,
// command.ts): nothing in a name or in a subject ends the line or the property, and
// control characters are written out, as for a terminal. The runner reads both streams
// of a step for commands (actions/runner, ScriptHandler.cs), so they may go to standard
// error, beside a result on standard output.
//
// Lines are those at r.Bad, as in [SARIF].
func Annotations(w io.Writer, r Result) error {
	out := bufio.NewWriter(w)
	list := annotationsOf(&r)
	if r.Status == NotIsolated || r.Status == Failed {
		list = nil
	}
	shown := list[:min(len(list), annotationsShown)]
	if len(shown) < len(list) && list[0].suspected() {
		shown = nil // ten of many suspects say nothing
	}
	for i := range shown {
		a := &shown[i]
		level := "error"
		switch {
		case a.suspected():
			level = "warning"
		case a.mends():
			level = "notice"
		}
		place := []string{"file", prose.Printable(a.c.path())}
		if start, end, ok := a.region(); ok {
			place = append(place, "line", fmt.Sprint(start), "endLine", fmt.Sprint(end))
		}
		if start, end, ok := a.columns(); ok && start < end {
			place = append(place, "col", fmt.Sprint(start), "endColumn", fmt.Sprint(end))
		}
		place = append(place, "title", "gitdd: "+a.title())
		annotate(out, level, strings.Join(a.sentences(plainly), " "), place...)
	}
	switch {
	case r.Status == Failed:
		annotate(out, "error", headline(&r), "title", "gitdd: no answer")
	case r.Status == NotIsolated:
		annotate(out, "notice", headline(&r), "title", "gitdd: not isolated")
	case r.Status != Isolated && len(shown) == 0:
		annotate(out, "notice", headline(&r)+" "+capital(stopped(&r)), "title", "gitdd: not finished")
	case len(list) > len(shown):
		text := fmt.Sprintf("%s more are not shown here. %s", prose.Number(len(list)-len(shown)), headline(&r))
		if r.Session != "" {
			text += " `gitdd show --full` lists all."
		}
		annotate(out, "notice", text, "title", "gitdd: "+prose.Count(len(list), "change"))
	}
	if err := out.Flush(); err != nil {
		return fmt.Errorf("write annotations: %w", err)
	}
	return nil
}

// annotate writes one command: properties by name and value, none of which is empty.
func annotate(w *bufio.Writer, level, text string, properties ...string) {
	fmt.Fprintf(w, "::%s", level)
	separator := " "
	for i := 0; i < len(properties); i += 2 {
		fmt.Fprintf(w, "%s%s=%s", separator, properties[i], propertyEscapes.Replace(properties[i+1]))
		separator = ","
	}
	fmt.Fprintf(w, "::%s\n", dataEscapes.Replace(prose.Printable(text)))
}

var (
	dataEscapes     = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A")
	propertyEscapes = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C")
)

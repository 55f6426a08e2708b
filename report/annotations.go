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

// Annotations writes r as workflow commands of GitHub Actions, one on each line. GitHub
// shows them beside the lines of a commit or a pull request. There is an error for each
// change of the cause, first for the changes that were shown to be needed, and then for each
// change of the further causes; a notice for each change of a fix; and a warning for each suspect
// of a search that was cut short, if there are at most ten. GitHub shows ten annotations of a level
// for a step, so one notice counts the rest. A search without an answer is a notice without a
// place, and a search that ended with an error is an error without a place.
//
// Characters that have a meaning in a command are escaped in the way in which the runner
// unescapes them (@actions/core, command.ts), so that no name or subject can end the line or
// the property. Control characters are written out, as for a terminal. The runner reads both
// output streams of a step for commands (actions/runner, ScriptHandler.cs), so the commands may
// go to standard error while a result goes to standard output.
//
// Line numbers are those at r.Bad, as in [SARIF].
func Annotations(w io.Writer, r Result) error {
	out := bufio.NewWriter(w)
	list := answered(&r, annotationsShown)
	shown := list[:min(len(list), annotationsShown)]
	for i := range shown {
		shown[i].write(out)
	}
	switch {
	case r.Status == Failed:
		annotate(out, "error", headline(&r), "title", "gitdd: no answer")
	case r.Status == NotIsolated:
		annotate(out, "notice", headline(&r), "title", "gitdd: not isolated")
	case r.Status != Isolated && len(shown) == 0:
		annotate(out, "notice", headline(&r)+" "+capital(stopped(&r)), "title", "gitdd: not finished")
	case len(list) > len(shown):
		moreAnnotations(out, len(list)-len(shown), len(list), headline(&r), r.Session)
	}
	return flushAnnotations(out)
}

// moreAnnotations says that some of all changes are not shown.
func moreAnnotations(w *bufio.Writer, more, all int, headline, session string) {
	text := fmt.Sprintf("%s more are not shown here. %s", prose.Number(more), headline)
	if session != "" {
		text += " `gitdd show --full` lists all."
	}
	annotate(w, "notice", text, "title", "gitdd: "+prose.Count(all, "change"))
}

func flushAnnotations(w *bufio.Writer) error {
	if err := w.Flush(); err != nil {
		return fmt.Errorf("write annotations: %w", err)
	}
	return nil
}

// ResultsAnnotations writes r as [Annotations] writes a result. The first change of each cause comes first, then the
// second change of each cause, and so on. A notice counts the tests without an answer and those that were not searched for.
func ResultsAnnotations(w io.Writer, r Results) error {
	r.complete()
	out := bufio.NewWriter(w)
	list := r.annotations(annotationsShown)
	shown := list[:min(len(list), annotationsShown)]
	for i := range shown {
		shown[i].write(out)
	}
	title := map[Status]string{Failed: "no answer", NotIsolated: "not isolated", Budget: "not finished", Interrupted: "not finished"}[r.Status]
	text := resultsHeadline(&r) + r.unsolved()
	if r.Status == Budget || r.Status == Interrupted {
		text += " " + capital(stopped(r.frame()))
	}
	switch {
	case r.Status == Failed:
		annotate(out, "error", text, "title", "gitdd: "+title)
	case title != "":
		annotate(out, "notice", text, "title", "gitdd: "+title)
	case len(r.Unanswered) > 0 || len(shown) == 0:
		annotate(out, "notice", text, "title", "gitdd: tests without an answer")
	}
	if more := len(list) - len(shown); more > 0 {
		moreAnnotations(out, more, len(list), resultsHeadline(&r), r.Session)
	}
	return flushAnnotations(out)
}

// annotations are those of all causes: of each cause the first one, then their second ones and so on.
func (r *Results) annotations(suspects int) (list []annotation) {
	var rest [][]annotation
	for i := range r.Causes {
		if of := answered(&r.Causes[i].Result, suspects); len(of) > 0 {
			rest = append(rest, of)
		}
	}
	for len(rest) > 0 {
		var next [][]annotation
		for _, of := range rest {
			list = append(list, of[0])
			if len(of) > 1 {
				next = append(next, of[1:])
			}
		}
		rest = next
	}
	return list
}

// unsolved is a sentence about the tests that no cause explains, with a space before it, or "".
func (r *Results) unsolved() string {
	var said []string
	if n := len(r.Unanswered); n > 0 {
		said = append(said, prose.Count(n, "test")+verb(n, " has", " have")+" no answer")
	}
	if n := len(r.Open); n > 0 {
		said = append(said, prose.Count(n, "test")+verb(n, " was", " were")+" not searched for")
	}
	if len(said) == 0 {
		return ""
	}
	return " " + strings.Join(said, ", ") + "."
}

// write writes one annotation.
func (a *annotation) write(out *bufio.Writer) {
	place := []string{"file", prose.Printable(a.c.path())}
	if start, end, ok := a.region(); ok {
		place = append(place, "line", fmt.Sprint(start), "endLine", fmt.Sprint(end))
	}
	if start, end, ok := a.columns(); ok && start < end {
		place = append(place, "col", fmt.Sprint(start), "endColumn", fmt.Sprint(end))
	}
	place = append(place, "title", "gitdd: "+a.title())
	annotate(out, a.level("notice"), strings.Join(a.sentences(plainly), " "), place...)
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

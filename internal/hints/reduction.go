package hints

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/gitdd/gitdd/internal/prose"
	"github.com/gitdd/gitdd/internal/settings"
	"github.com/gitdd/gitdd/isolate"
	"github.com/gitdd/gitdd/reduction"
	"github.com/gitdd/gitdd/testcase"
	"github.com/gitdd/gitdd/trial"
)

// OfReduction returns what the user may want to do differently after a reduction that found this and ended with
// err. varies is what to say because the command prints something else on the input from run to run; "" if
// it does not.
func OfReduction(s *settings.Reduction, session *trial.Session, found reduction.Found, varies string, err error) (list []string) {
	hint := func(text string) { list = append(list, text) }
	var ends *trial.EndsError
	var oracle *reduction.OracleError
	switch {
	case errors.As(err, &oracle):
		hint(oracleHints[oracle.Problem])
	case found.Original.TimedOut && !found.Failed:
		hint("the time limit ended the command on the input itself: choose a longer --timeout than the command takes on it")
	case found.Original.TimedOut && found.Empty:
		hint("the time limit ended the command on both: if no hang is meant, choose a longer --timeout than the command takes on the input")
	case errors.As(err, &ends) && !ends.Flaky && !found.Failed:
		v := found.Original
		switch {
		case s.Interesting && v.Outcome == isolate.Pass:
			hint("with --interesting, exit status 0 means that the input is interesting; leave --interesting out if the command fails on it as any test does")
		case v.Outcome == isolate.Pass && v.Exit == 0:
			hint("exit status 0 means that the command does not fail; where it is to say that it still does, as for creduce and picire: --interesting")
		}
		h := ""
		if v.Unmatched && len(unfound(s.Command, v)) > 0 {
			h = misplaced(s, v)
		}
		if h = cmp.Or(h, unmatched(s.Match, v)); h != "" {
			hint(h)
		}
		if !s.UsesInput() && v.Outcome != isolate.Unresolved {
			hint(fmt.Sprintf("the command names no input%s; {} in an argument is its absolute name, and GITDD_DIR is where you are now", where(s)))
		}
	case found.Empty && terminal(s.Command, found.Original) != "":
		hint(terminal(s.Command, found.Original))
	case found.Empty && misplaced(s, found.Original) != "":
		hint(misplaced(s, found.Original))
	case found.Empty && !s.UsesInput():
		hint("the command names no input" + where(s) + "; {} in an argument is its absolute name")
	case found.Empty:
		hint("--match REGEX tells the failure that is meant from that of an empty input; with --same-output status any failure will do")
	case found.Failed && found.Withheld == "" && bare(found.Result.Output) && s.Interesting:
		hint("if the input does matter, let the command look for more: it finds an empty input interesting, too")
	case found.Failed && found.Withheld == "" && bare(found.Result.Output):
		hint("if the input does matter, --match REGEX or --same-output tell the failure that is meant from the one of an empty input")
	}
	if flag := s.Flag(); flag != "" && (found.Empty || ends != nil && oracle == nil && !found.Failed) {
		hint("that is so on the cluster, whose machines have programs of their own: without " + flag + " it is seen what the command does on this one")
	}
	if found.Original.TimedOut && found.Failed && found.Withheld == "" {
		hint("what was kept is that the command does not end within the time limit: if no hang is meant, choose a longer --timeout than the command takes on the input")
	}
	if varies != "" {
		hint(varies)
	}
	if h := Flaky(err); h != "" {
		if port := Port(session, nil, s.Jobs, false); port != "" {
			hint(port)
		}
		hint(h)
	}
	return list
}

// where says where a command that names no input finds it.
func where(s *settings.Reduction) string {
	there := "in a new directory that holds nothing but " + s.Named()
	switch {
	case s.FromStdin():
		return ", and has it as its standard input"
	case len(s.Paths) == 1 && !isDir(s.Paths[0]):
		return ": it has it as its standard input, and finds it " + there
	}
	return ": it runs " + there
}

// isDir reports whether a name is that of a directory.
func isDir(name string) bool {
	info, err := os.Stat(name)
	return err == nil && info.IsDir()
}

// misplaced says where a file is that the command names and does not find, or that it is nowhere; "" = it names none such.
func misplaced(s *settings.Reduction, v trial.Verdict) string {
	name := elsewhere(s, v)
	switch {
	case name == "":
		return nowhere(s, v)
	case s.Flag() != "":
		return fmt.Sprintf("%[1]s is not in the directory that the command runs in: --overlay %[1]s brings it to the machines, and sh -c 'COMMAND \"$GITDD_DIR\"/%[1]s' finds it there", name)
	}
	abs, _ := filepath.Abs(name)
	return fmt.Sprintf("%s is not in the directory that the command runs in: name it %s", name, abs)
}

// elsewhere is a word of the command that names a file here, which is not in the directory of a trial: an
// argument, or a word of a line of shell if the output says that it is missing; "" = there is none.
func elsewhere(s *settings.Reduction, v trial.Verdict) string {
	words := append(slices.Clone(s.Command[1:]), unfound(s.Command, v).names()...)
	for _, word := range words {
		if word == "" || filepath.IsAbs(word) || slices.Contains(s.Paths, word) {
			continue
		}
		if info, err := os.Stat(word); err == nil && info.Mode().IsRegular() {
			return word
		}
	}
	return ""
}

// nowhere says that a file which the command names is missing, if the output says so and it is not here either.
func nowhere(s *settings.Reduction, v trial.Verdict) string {
	missing := unfound(s.Command, v)
	for _, name := range missing.names() {
		if _, err := os.Stat(name); err == nil || filepath.IsAbs(name) || slices.Contains(s.Paths, name) {
			continue
		}
		here, _ := filepath.Abs(".")
		return fmt.Sprintf("the command does not find %s (%s), which is neither beside the input nor in %s: is its name right?", name, prose.Quote(prose.Brief(missing[name])), here)
	}
	return ""
}

// bare reports whether nothing is left of an input, or a graph of one leaf.
func bare(in testcase.Input) bool {
	nodes, _ := reduction.GraphSize(in)
	return in.Size() == 0 || len(in.Files) == 1 && nodes == 2
}

// oracleHints say what to do if the failure of a graph is nothing to reduce it by.
var oracleHints = map[reduction.OracleProblem]string{
	reduction.Answered:  "--match REGEX tells a failure by its output; a script with --interesting may look for more; `gitdd btor compare` fails where two solvers disagree",
	reduction.NotRead:   "`gitdd btor print FILE` says whether the file is well-formed, and writes it as --format-version 2 or 3, where the solver wants the other one; if it is the parser that fails, name its message with --match",
	reduction.OnceInTwo: "choose --timeout well below the time that the command takes, or repeat trials with --confidence 0.99",
}

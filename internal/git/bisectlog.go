package git

import (
	"fmt"
	"slices"
	"strings"

	"github.com/gitdd/gitdd/internal/lazyregexp"
)

// A BisectLog is what the log of a git bisect says, as `git bisect log` shows it
// and `git bisect replay` takes it. Names are those that stand there: nothing was
// looked up in a repository.
type BisectLog struct {
	Old, New    string   // the terms: "good" and "bad" unless others were set
	Start       []string // the arguments of the last start that are no options, up to "--": the bad revision, then good ones, then paths if there is no "--"
	Paths       []string // its arguments behind "--"
	FirstParent bool
	NoCheckout  bool
	Marks       []BisectMark // behind the last start, in order
	First       ID           // the verdict, if it is one commit
	Possible    []ID         // the verdict, if only commits are left that were skipped
}

// A BisectMark is one verdict on one revision.
type BisectMark struct {
	Term string // Old, New or "skip"
	Rev  string
}

// ParseBisectLog reads the log of a bisect by the rules of `git bisect replay`
// (git 2.39, builtin/bisect--helper.c): lines that do not begin with "git bisect"
// or "git-bisect" do nothing; others begin a bisect (start), mark a revision by
// one of its two terms or skip, or show the terms. Before any term was used or
// set, good and bad or old and new will do. Of the comments, those that git ends
// a bisect with are read as well. The error names the line.
func ParseBisectLog(text []byte) (BisectLog, error) {
	l := BisectLog{Old: "good", New: "bad"}
	settled := false // the terms are
	number := 0
	for line := range strings.SplitSeq(string(text), "\n") {
		number++
		line = strings.TrimSuffix(line, "\r")
		if first := verdictLine().FindStringSubmatch(line); first != nil {
			if id := ID(first[2]); first[1] != "" {
				l.Possible = append(l.Possible, id)
			} else {
				l.First = id
			}
			continue
		}
		command := strings.TrimLeft(line, " \t")
		rest, ok := cutAnyPrefix(command, "git bisect", "git-bisect")
		if !ok || rest == "" || !strings.ContainsRune(" \t\v\f\r", rune(rest[0])) {
			continue
		}
		rest = strings.TrimLeft(rest, " \t")
		word, rest := rest, ""
		if i := strings.IndexAny(word, " \t"); i >= 0 {
			word, rest = word[:i], strings.TrimLeft(word[i:], " \t")
		}
		wrong := func(what string) error { return fmt.Errorf("line %d: %s", number, what) }
		if !settled && !slices.Contains([]string{"start", "skip", "terms"}, word) {
			for _, pair := range [][2]string{{"good", "bad"}, {"old", "new"}} {
				if word == pair[0] || word == pair[1] {
					l.Old, l.New, settled = pair[0], pair[1], true
				}
			}
		}
		switch word {
		case "start":
			args, err := unquoteAll(rest)
			if err != nil {
				return l, wrong(err.Error())
			}
			if l, err = startOf(args); err != nil {
				return l, wrong(err.Error())
			}
			settled = len(l.Start) > 0 || l.Old != "good" || l.New != "bad"
		case "terms":
		case l.Old, l.New, "skip":
			if rest == "" {
				return l, wrong(word + " names no revision")
			}
			l.Marks = append(l.Marks, BisectMark{Term: word, Rev: rest})
		default:
			return l, wrong(fmt.Sprintf("%q is neither start, skip nor one of the terms %s and %s", word, l.Old, l.New))
		}
	}
	return l, nil
}

// verdictLine is a comment by which git ends a bisect. The term in it may be any.
var verdictLine = lazyregexp.New(`^# (possible )?first \S+ commit: \[([0-9a-f]{40,64})\]`)

// startOf reads the arguments of git bisect start.
func startOf(args []string) (BisectLog, error) {
	l := BisectLog{Old: "good", New: "bad"}
	for i := 0; i < len(args); i++ {
		arg := args[i]
		if arg == "--" {
			l.Paths = args[i+1:]
			break
		}
		term, value, given := "", "", false
		if rest, ok := cutAnyPrefix(arg, "--term-good", "--term-old"); ok {
			term, value = "old", rest
		} else if rest, ok := cutAnyPrefix(arg, "--term-bad", "--term-new"); ok {
			term, value = "new", rest
		}
		if value, given = strings.CutPrefix(value, "="); term != "" && !given {
			if i++; value != "" || i >= len(args) {
				return l, fmt.Errorf("start has the option %s without a term", arg)
			}
			value = args[i]
		}
		switch {
		case term != "" && strings.TrimSpace(value) == "":
			return l, fmt.Errorf("start has the option %s without a term", arg)
		case term == "old":
			l.Old = value
		case term == "new":
			l.New = value
		case arg == "--first-parent":
			l.FirstParent = true
		case arg == "--no-checkout":
			l.NoCheckout = true
		case strings.HasPrefix(arg, "--"):
			return l, fmt.Errorf("start has the unknown option %s", arg)
		default:
			l.Start = append(l.Start, arg)
		}
	}
	if l.Old == l.New {
		return l, fmt.Errorf("both terms are %s", l.Old)
	}
	return l, nil
}

// unquoteAll undoes git's sq_quote_argv: words in single quotes, between white
// space, in which only a quote and an exclamation mark stand outside, behind a
// backslash.
func unquoteAll(text string) ([]string, error) {
	var words []string
	for text = strings.TrimLeft(text, blanks); text != ""; text = strings.TrimLeft(text, blanks) {
		var word strings.Builder
		rest, open := strings.CutPrefix(text, "'")
		if !open {
			return nil, fmt.Errorf("%.60q is not in single quotes", text)
		}
		// Invariant: rest is behind an opening quote, word is what it holds so far.
		for {
			inside, after, closed := strings.Cut(rest, "'")
			if !closed {
				return nil, fmt.Errorf("the quote before %.60q does not end", rest)
			}
			word.WriteString(inside)
			if len(after) < 3 || after[0] != '\\' || after[1] != '\'' && after[1] != '!' || after[2] != '\'' {
				text = after
				break
			}
			word.WriteByte(after[1])
			rest = after[3:]
		}
		if text != "" && !strings.ContainsRune(blanks, rune(text[0])) {
			return nil, fmt.Errorf("there is no space before %.60q", text)
		}
		words = append(words, word.String())
	}
	return words, nil
}

const blanks = " \t\n\v\f\r"

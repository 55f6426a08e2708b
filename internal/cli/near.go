package cli

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// Near returns those of names that word may have been meant for, the nearest
// first, at most three. At most (n+1)/3 of the n bytes of word, and at least one,
// are mistyped, or word has two bytes or more and the name begins with it. A name that is word itself is the only one.
func Near(word string, names []string) []string {
	if slices.Contains(names, word) {
		return []string{word}
	}
	word = strings.ToLower(word)
	type candidate struct {
		name string
		far  int
	}
	var all []candidate
	for _, name := range names {
		lower := strings.ToLower(name)
		far := mistypes(word, lower)
		switch {
		case len(word) > 1 && strings.HasPrefix(lower, word):
			far = min(far, 1)
		case far > max(1, (len(word)+1)/3):
			continue
		}
		if far < len(word) && name != "" {
			all = append(all, candidate{name, far})
		}
	}
	slices.SortStableFunc(all, func(a, b candidate) int { return cmp.Compare(a.far, b.far) })
	var meant []string
	for _, c := range all[:min(3, len(all))] {
		meant = append(meant, c.name)
	}
	return meant
}

// mistypes is how many letters of a were left out, added, exchanged for another
// or with their neighbour to make b (the optimal string alignment of Damerau,
// 1964, as restricted by Boytsov, 2011, section 2.1), in len(a)·len(b) steps.
func mistypes(a, b string) int {
	const longest = 200 // of a name that somebody types
	if len(a) > longest || len(b) > longest {
		return max(len(a), len(b))
	}
	before, last, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range last {
		last[j] = j
	}
	for i := range len(a) {
		// Invariant: last[j] makes b[:j] of a[:i], before[j] of a[:i-1].
		row[0] = i + 1
		for j := range len(b) {
			change := 1
			if a[i] == b[j] {
				change = 0
			}
			row[j+1] = min(last[j]+change, last[j+1]+1, row[j]+1)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				row[j+1] = min(row[j+1], before[j-1]+1)
			}
		}
		before, last, row = last, row, before
	}
	return last[len(b)]
}

// DidYouMean is the hint for a misspelt word; "" without a name.
func DidYouMean(names ...string) string {
	switch n := len(names); n {
	case 0:
		return ""
	case 1:
		return "did you mean " + names[0] + "?"
	default:
		return "did you mean " + strings.Join(names[:n-1], ", ") + " or " + names[n-1] + "?"
	}
}

// OneOf returns an error if the value of a flag, which takes one of some words, is not among them. The
// error names those that may have been meant.
func OneOf(flag, value string, words []string) error { return among("one", flag, value, words) }

// SomeOf is OneOf for one of the values of a flag that takes several.
func SomeOf(flag, value string, words []string) error { return among("some", flag, value, words) }

func among(many, flag, value string, words []string) error {
	if slices.Contains(words, value) {
		return nil
	}
	err := fmt.Errorf("--%s %s: want %s of %s", flag, value, many, strings.Join(words, ", "))
	if meant := DidYouMean(Near(value, words)...); meant != "" {
		err = fmt.Errorf("%w; %s", err, meant)
	}
	return err
}

// NoSuchCommand is the error for words behind a command that only has commands
// below it.
func NoSuchCommand(cmd *cobra.Command, list []string) error {
	if len(list) == 0 {
		return nil
	}
	return &UsageError{Cmd: cmd, Err: unknownWord{"command", list[0]}, Hint: DidYouMean(quoted(commandsNear(cmd, list[0]))...)}
}

// unknownWord is an error that says so of a word.
type unknownWord struct{ what, word string }

func (u unknownWord) Error() string { return "unknown " + u.what + ` "` + u.word + `"` }

// commandsNear returns the command lines that were meant with word below cmd.
func commandsNear(cmd *cobra.Command, word string) []string {
	lines := map[string]string{}
	var names []string
	add := func(name, line string) {
		if lines[name] == "" {
			lines[name] = line
			names = append(names, name)
		}
	}
	for _, sub := range cmd.Commands() {
		if slices.Contains(sub.SuggestFor, word) {
			return []string{sub.CommandPath()}
		}
		if sub.IsAvailableCommand() {
			add(sub.Name(), sub.CommandPath())
		}
	}
	for _, sub := range cmd.Commands() {
		if sub.IsAdditionalHelpTopicCommand() { // a guide
			add(sub.Name(), cmd.CommandPath()+" help "+sub.Name())
		}
	}
	found := Near(word, names)
	for below := range Commands(cmd) {
		if len(found) == 0 && below.Name() == word && below.IsAvailableCommand() {
			return []string{below.CommandPath()}
		}
	}
	for i, name := range found {
		found[i] = lines[name]
	}
	return found
}

func quoted(lines []string) []string {
	out := make([]string, len(lines))
	for i, line := range lines {
		out[i] = "`" + line + "`"
	}
	return out
}

// FlagError is the error for flags that cmd cannot read, with what was meant: a
// flag of a similar name, or a command that has one of this name.
func FlagError(cmd *cobra.Command, err error) error {
	if cmd.HasSubCommands() && cmd.Flags().NArg() > 0 {
		return NoSuchCommand(cmd, cmd.Flags().Args()) // its flags are none of ours
	}
	if taken := swallowed(cmd); taken != nil { // so that the flags of COMMAND were read as gitdd's
		return &UsageError{Cmd: cmd, Err: taken}
	}
	usage := &UsageError{Cmd: cmd, Err: valueError(err)}
	var missing *pflag.NotExistError
	if !errors.As(err, &missing) {
		return usage
	}
	name := missing.GetSpecifiedName()
	if letters := missing.GetSpecifiedShortnames(); len(letters) > 1 { // as in -good
		name, _, _ = strings.Cut(letters, "=")
	}
	var names []string
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		if !f.Hidden {
			names = append(names, f.Name)
		}
	})
	meant := Near(name, names)
	for i := range meant {
		meant[i] = "--" + meant[i]
	}
	usage.Hint = DidYouMean(meant...)
	if usage.Hint != "" {
		return usage
	}
	for other := range Commands(cmd.Root()) {
		if f := other.Flags().Lookup(name); f != nil && !f.Hidden {
			usage.Hint = "--" + name + " is a flag of `" + other.CommandPath() + "`"
			break
		}
	}
	return usage
}

// valueError says what a flag wants, where pflag tells of a value that it cannot read,
// or of none.
func valueError(err error) error {
	var invalid *pflag.InvalidValueError
	var required *pflag.ValueRequiredError
	switch {
	case errors.As(err, &required):
		name, _ := pflag.UnquoteUsage(required.GetFlag())
		return fmt.Errorf("--%s wants a value: --%s %s", required.GetFlag().Name, required.GetFlag().Name, name)
	case !errors.As(err, &invalid):
		return err
	}
	want := map[string]string{
		"int": "want a whole number", "uint64": "want a whole number, 0 or more", "float64": "want a number, such as 0.99",
		"duration": "want a time with its unit, such as 90s, 20m or 1h30m", "bool": "want true or false, or nothing",
	}[invalid.GetFlag().Value.Type()]
	if want == "" {
		return fmt.Errorf("--%s %s: %w", invalid.GetFlag().Name, invalid.GetValue(), errors.Unwrap(invalid))
	}
	return fmt.Errorf("--%s %s: %s", invalid.GetFlag().Name, invalid.GetValue(), want)
}

package cli

import (
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// A UsageError is a command line that cannot be meant.
type UsageError struct {
	Cmd  *cobra.Command
	Err  error
	Hint string // what may have been meant; ""
}

func (e *UsageError) Error() string { return e.Err.Error() }
func (e *UsageError) Unwrap() error { return e.Err }

// Commands is cmd and those below it.
func Commands(cmd *cobra.Command) iter.Seq[*cobra.Command] {
	return func(yield func(*cobra.Command) bool) {
		queue := []*cobra.Command{cmd}
		for len(queue) > 0 {
			next := queue[0]
			if !yield(next) {
				return
			}
			queue = slices.Concat(next.Commands(), queue[1:])
		}
	}
}

// Args turns cobra's complaint about positional arguments into a usage error.
func Args(check cobra.PositionalArgs) cobra.PositionalArgs {
	return func(cmd *cobra.Command, list []string) error {
		err := swallowed(cmd)
		if err == nil {
			err = check(cmd, list)
		}
		var usage *UsageError
		if err != nil && !errors.As(err, &usage) {
			return &UsageError{Cmd: cmd, Err: err}
		}
		return err
	}
}

// swallowed returns an error if a flag has taken "--" as its value, or a flag of the same command, or
// any other flag where it wants a revision. Then the value of the flag was left out.
func swallowed(cmd *cobra.Command) (err error) {
	cmd.Flags().Visit(func(f *pflag.Flag) {
		values := []string{f.Value.String()}
		if list, ok := f.Value.(pflag.SliceValue); ok {
			values = list.GetSlice()
		}
		name, _ := pflag.UnquoteUsage(f)
		for _, value := range values {
			what := "value"
			if name == "REV" {
				what = "revision"
			}
			if value != "--" && (name != "REV" || !strings.HasPrefix(value, "-")) && !isFlag(cmd, value) {
				continue
			}
			err = fmt.Errorf("--%s wants a %s, and took %s for it: --%s %s", f.Name, what, value, f.Name, name)
			if f.DefValue != "" && f.DefValue != "[]" {
				err = fmt.Errorf("%w, or leave it out for %s", err, f.DefValue)
			}
		}
	})
	return err
}

// isFlag reports whether a word is a flag of a command by its long name, with or without a value.
func isFlag(cmd *cobra.Command, word string) bool {
	name, long := strings.CutPrefix(word, "--")
	name, _, _ = strings.Cut(name, "=")
	return long && cmd.Flags().Lookup(name) != nil
}

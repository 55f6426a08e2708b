package cli

import (
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/gitdd/gitdd/internal/lazyregexp"
)

// headingOf is the annotation of a flag that has the heading before it.
const headingOf = "gitdd_heading"

// AddHeadings puts headings before flags, by their names, in the help and in the manual page of a
// command: one that has many flags wants them, for a person to find things.
func AddHeadings(flags *pflag.FlagSet, headings map[string]string) {
	flags.VisitAll(func(f *pflag.Flag) {
		if text := headings[f.Name]; text != "" {
			if f.Annotations == nil {
				f.Annotations = map[string][]string{}
			}
			f.Annotations[headingOf] = []string{text}
		}
	})
}

// heading is that before a flag, "" if there is none.
func heading(f *pflag.Flag) string {
	if f == nil {
		return ""
	}
	return strings.Join(f.Annotations[headingOf], "")
}

func init() { cobra.AddTemplateFunc("flags", flagUsages) }

// flagUsages is the usage of flags, with their headings.
func flagUsages(flags *pflag.FlagSet) string {
	var b strings.Builder
	for line := range strings.Lines(optional(flags.FlagUsagesWrapped(80))) {
		if m := flagLine().FindStringSubmatch(line); m != nil {
			if text := heading(flags.Lookup(m[1])); text != "" {
				b.WriteString("\n" + text + ":\n")
			}
		}
		b.WriteString(line)
	}
	return b.String()
}

// optional writes --flag[=VALUE] for a flag whose value may be left out.
func optional(usage string) string {
	return optionalValue().ReplaceAllStringFunc(usage, func(was string) string {
		m := optionalValue().FindStringSubmatch(was)
		now := m[1] + "[=" + m[2] + "]"
		return now + strings.Repeat(" ", max(0, len(was)-len(now)))
	})
}

var (
	// flagLine begins the usage of a flag.
	flagLine = lazyregexp.New(`^ {2,6}(?:-\w, )?--([\w-]+)`)
	// optionalValue is a flag with the value that it has when it stands alone, as pflag writes it.
	optionalValue = lazyregexp.New(`(--[\w-]+) ([A-Z]+)\[=[^\]\n]*\]`)
)

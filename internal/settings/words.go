package settings

import (
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/gitdd/gitdd/trial"
)

// flagWords returns, as --name=value, the flags whose value is not their default.
func flagWords(flags *pflag.FlagSet) []string {
	var words []string
	flags.VisitAll(func(f *pflag.Flag) {
		if list, ok := f.Value.(pflag.SliceValue); ok {
			for _, word := range list.GetSlice() {
				words = append(words, "--"+f.Name+"="+word)
			}
		} else if f.Value.String() != f.DefValue {
			words = append(words, "--"+f.Name+"="+f.Value.String())
		}
	})
	return words
}

// plainly returns the words of flagWords as people write them: a flag that is true or false without its value.
func plainly(flags *pflag.FlagSet) []string {
	var words []string
	for _, word := range flagWords(flags) {
		name, value, _ := strings.Cut(strings.TrimPrefix(word, "--"), "=")
		if f := flags.Lookup(name); f != nil && f.Value.Type() == "bool" && value == "true" {
			word = "--" + name
		}
		words = append(words, word)
	}
	return words
}

// Again returns the command lines that repeat the search of a session from its beginning. They name the ends by
// their ids, because the names may mean other revisions by then, but for uncommitted changes, which are in the session
// only. If the search began with a git bisect that knew
// more than its ends, the first of them begin such a bisect, without a checkout.
func (s *Search) Again(h trial.Header, demo bool) [][]string {
	named := *s
	named.Bisect = Bisect{}
	if h.Bad.Base == "" {
		named.Bad = string(h.Bad.ID())
	}
	if s.GoodDir != "" || len(s.With) > 0 || len(s.Inside) > 0 {
		named.Good, named.Bad = s.Good, s.Bad // the folders are named, and the ends are combined
	} else if !h.Good.IsAuto() {
		named.Good = string(h.Good.ID())
	}
	line := func(name string, add ...func(*Search, *pflag.FlagSet)) []string {
		flags := pflag.NewFlagSet("", pflag.ContinueOnError)
		var read Search
		for _, add := range add {
			add(&read, flags)
		}
		if flags.Lookup("remote") == nil {
			read.Machines.Flags(flags)
		}
		read = named
		return append([]string{"gitdd", name}, plainly(flags)...)
	}
	if s.ByHand {
		var ends []string // but for folders, which flags name
		if s.GoodDir == "" {
			ends = []string{named.Good, named.Bad}
		}
		named.Good, named.Bad = "", ""
		argv := line("start", (*Search).HandFlags)
		return [][]string{slices.Concat(argv[:2], ends, argv[2:])}
	}
	command := append([]string{"--"}, h.Command...)
	if demo {
		named.NoCommits = false // as the demo says itself
		return [][]string{line("demo", (*Search).SearchFlags, (*Search).JobsFlag)}
	}
	t := s.Bisect
	if len(t.Goods) == 0 && len(t.Skipped) == 0 && len(t.Paths) == 0 {
		return [][]string{append(line("run", (*Search).Flags), command...)}
	}
	start := []string{"git", "bisect", "start", "--no-checkout"}
	if t.FirstParent {
		start = append(start, "--first-parent")
		named.FirstParent = false // as the bisect says
	}
	if old, new, ok := strings.Cut(t.Terms, ":"); ok && (old != "good" || new != "bad") {
		start = append(start, "--term-old="+old, "--term-new="+new)
	}
	start = slices.Concat(start, []string{named.Bad, named.Good}, t.Goods)
	if len(t.Paths) > 0 {
		start = append(append(start, "--"), t.Paths...)
	}
	lines := [][]string{start}
	if len(t.Skipped) > 0 {
		lines = append(lines, append([]string{"git", "bisect", "skip"}, t.Skipped...))
	}
	take := "run"
	if t.Log != "" {
		take, named.Commits = "bisect", false
	}
	return append(lines, append(line(take, func(s *Search, flags *pflag.FlagSet) { s.MeasureFlags(flags) }, (*Search).TrialFlags, (*Search).SearchFlags), command...), []string{"git", "bisect", "reset"})
}

// Again returns the command lines that repeat the reduction of a session from its beginning.
func (s *Reduction) Again(h trial.Header) [][]string {
	read, flags := &Reduction{}, pflag.NewFlagSet("", pflag.ContinueOnError)
	read.Flags(flags)
	*read = *s
	if s.Good != "" {
		read.Good, read.bad = string(h.Good.ID()), string(h.Bad.ID())
	}
	line := []string{"gitdd", "reduce"}
	for _, name := range s.Paths {
		if strings.HasPrefix(name, "-") && name != stdinPath {
			name = "./" + name
		}
		line = append(line, name)
	}
	return [][]string{slices.Concat(line, plainly(flags), []string{"--"}, h.Command)}
}

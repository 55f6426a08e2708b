package settings

import "github.com/spf13/pflag"

// handFlags are the flags of a search that gitdd start has, too.
var handFlags = []string{"good-dir", "bad-dir", "since", "path", "first-parent", "history", "no-history", "algorithm", "goal", "all", "group", "level", "through"}

// HandFlags adds the flags of gitdd start: those that say what is searched and how far.
func (s *Search) HandFlags(flags *pflag.FlagSet) {
	all := pflag.NewFlagSet("", pflag.ContinueOnError)
	s.Flags(all)
	flags.SortFlags = false
	for _, name := range handFlags {
		flags.AddFlag(all.Lookup(name))
	}
	// A person is not asked twice, and need not look at two configurations at a time.
	s.ByHand, s.confirm, s.sameOutput = true, "no", "status"
}

// GoFlags adds the flags of gitdd go: those that say how a command judges.
func (s *Search) GoFlags(flags *pflag.FlagSet) {
	s.TrialFlags(flags)
	flags.IntVar(&s.MaxTrials, "max-trials", 0, "stop after `N` trials, those of before included (default no limit)")
	flags.DurationVar(&s.MaxTime, "max-time", 0, "stop after `TIME` from now (default no limit)")
}

// Judging returns the settings of a session by hand with those of gitdd go, which were read by GoFlags.
func (s Search) Judging(by Search) (Search, error) {
	by.Good, by.Bad, by.GoodDir, by.BadDir = s.Good, s.Bad, s.GoodDir, s.BadDir
	by.Paths, by.Each, by.tests, by.Fixed = s.Paths, "", "", false
	by.ByHand, by.Bisect, by.FirstParent, by.Commits, by.NoCommits, by.All = true, s.Bisect, s.FirstParent, s.Commits, s.NoCommits, s.All
	by.maxCost, by.algorithm, by.Goal, by.group, by.Level = noLimit, s.algorithm, s.Goal, s.group, s.Level
	by.mixtures, by.through, by.confirm, by.Into = s.mixtures, s.through, s.confirm, s.Into
	return by, by.Check()
}

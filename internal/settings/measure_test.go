package settings

import (
	"slices"
	"strings"
	"testing"

	"github.com/spf13/pflag"

	"github.com/gitdd/gitdd/trial"
)

// A session keeps what is measured, and what a difference is.
func TestMeasure(t *testing.T) {
	read := func(words ...string) (Search, error) {
		var s Search
		flags := pflag.NewFlagSet("", pflag.ContinueOnError)
		s.Flags(flags)
		if err := flags.Parse(append([]string{"--good", "v1"}, words...)); err != nil {
			return s, err
		}
		return s, s.Check()
	}
	s, err := read("--measure", "go-bench:^Parse$", "--worse", "30us", "--better", "-j", "2", "--measure-in-parallel")
	if err != nil || s.Measure.String() != "go-bench:^Parse$" || s.Worse.Amount < 29999 || s.Worse.Amount > 30001 || !s.Better {
		t.Errorf("%+v, %v", s.measuring, err)
	}
	kept, err := OfSearch(trial.Header{Args: s.Words(), Command: []string{"true"}})
	if err != nil || kept.Measure.String() != s.Measure.String() || kept.Worse != s.Worse || !kept.Better || !slices.Equal(kept.Words(), s.Words()) {
		t.Errorf("%q: kept %+v, %v", s.Words(), kept.measuring, err)
	}
	for _, test := range []struct{ words, want string }{
		{"--measure speed", "want one of time, cpu"},
		{"--worse 5%", "name it, too, such as --measure time"},
		{"--measure time --worse 3kB", `--worse: "3kB" does not fit --measure time, whose numbers are in s`},
		{"--measure time -j 2", "--measure time depends on what else the machine does, and -j 2 runs"},
		{"--measure size:x --each go", "want one of them"},
		{"--measure size:x --slurm", "--measure size:x: files that a command leaves behind are not brought back"},
		{"--measure instructions --slurm", "on this machine only"},
	} {
		if _, err := read(strings.Fields(test.words)...); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v, want %s", test.words, err, test.want)
		}
	}
	for _, words := range []string{"--measure size:x -j 2", "--measure memory -j 4", "--measure time -j 1", "--measure cpu --slurm"} {
		if _, err := read(strings.Fields(words)...); err != nil {
			t.Errorf("%s: %v", words, err)
		}
	}
}

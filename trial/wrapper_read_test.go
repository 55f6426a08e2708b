package trial

import (
	"strings"
	"testing"
	"time"
)

// TestReadOutcome: what is not whole, or cannot be, is refused.
func TestReadOutcome(t *testing.T) {
	const (
		none = `{"ran":false}`
		well = `{"ran":true,"exit":0,"timed_out":false,"ms":12,"cut":0}`
		bad  = `{"ran":true,"exit":7,"timed_out":true,"ms":1500,"cut":9}`
	)
	file := func(setup, build, test string) string {
		return `{"gitdd":1,"setup":` + setup + `,"build":` + build + `,"test":` + test + "}\n"
	}
	ok, failed := Part{Ran: true, Duration: 12 * time.Millisecond}, Part{Ran: true, Exit: 7, TimedOut: true, Duration: 1500 * time.Millisecond, Cut: 9}
	for _, test := range []struct {
		text string
		want TaskResult
		err  string // a part of it
	}{
		{file(none, none, well), TaskResult{Test: ok}, ""},
		{file(well, well, bad), TaskResult{Setup: ok, Build: ok, Test: failed}, ""},
		{file(none, bad, none), TaskResult{Build: failed}, ""},
		{file(bad, none, none), TaskResult{Setup: failed}, ""},
		{file(none, none, none), TaskResult{}, "did not run, and nothing before it failed"},
		{file(well, well, none), TaskResult{}, "did not run, and nothing before it failed"},
		{file(bad, well, none), TaskResult{}, "though the one before it failed"},
		{file(none, bad, well), TaskResult{}, "though the one before it failed"},
		{strings.TrimSuffix(file(none, none, well), "}\n"), TaskResult{}, "unexpected EOF"},
		{"", TaskResult{}, "EOF"},
		{file(none, none, well) + "{}", TaskResult{}, "more behind its end"},
		{file(none, none, well) + "x", TaskResult{}, "more behind its end"},
		{strings.Replace(file(none, none, well), "1", "2", 1), TaskResult{}, "version 2"},
		{`{"gitdd":1,"test":` + well + "}", TaskResult{}, "setup: it does not say"},
		{file(none, none, "null"), TaskResult{}, "test: it does not say"},
		{file(none, none, strings.Replace(well, `"exit":0,`, "", 1)), TaskResult{}, "no exit status"},
		{file(none, none, strings.Replace(well, `"exit":0`, `"exit":256`, 1)), TaskResult{}, "no exit status"},
		{file(none, none, strings.Replace(well, `"exit":0`, `"exit":-1`, 1)), TaskResult{}, "no exit status"},
		{file(none, none, strings.Replace(well, "12", "-12", 1)), TaskResult{}, "out of range"},
		{file(none, none, strings.Replace(well, "12", "9300000000000000", 1)), TaskResult{}, "out of range"},
		{file(none, none, strings.Replace(well, "cut", "cat", 1)), TaskResult{}, "unknown field"},
		{file(`{"ran":false,"exit":0}`, none, well), TaskResult{}, "setup: it did not run, but ended"},
		{"[1]", TaskResult{}, "cannot unmarshal"},
	} {
		got, err := ReadOutcome([]byte(test.text))
		if test.err == "" && (err != nil || got != test.want) || test.err != "" && (err == nil || !strings.Contains(err.Error(), test.err)) {
			t.Errorf("%s: %+v, %v, want %+v, %s", test.text, got, err, test.want, test.err)
		}
	}
}

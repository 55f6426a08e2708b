package hints

import (
	"strings"
	"testing"

	"github.com/gitdd/gitdd/internal/settings"
	"github.com/gitdd/gitdd/isolate"
	"github.com/gitdd/gitdd/trial"
)

// A check is offered where unresolved trials were many and slow, and nothing does the
// same already.
func TestOfferCheck(t *testing.T) {
	unresolved := func(n int, seconds float64) (list []trial.Record) {
		for range n {
			list = append(list, trial.Record{Purpose: trial.Search, Outcome: trial.Outcome(isolate.Unresolved), BuildSeconds: seconds / 2, Seconds: seconds / 2})
		}
		return list
	}
	passed := trial.Record{Purpose: trial.Search, Outcome: trial.Outcome(isolate.Pass), Seconds: 1000}
	for _, test := range []struct {
		records []trial.Record
		check   string
		build   string
		command string
		file    string
		want    string // "" = nothing is offered
	}{
		{unresolved(5, 8), "", "", "go test ./...", "go.mod", "5 unresolved trials took 8.0 s on average: --check 'go build ./...' finds"},
		{unresolved(5, 8), "", "make", "cargo test", "Cargo.toml", "--check 'cargo check'"},
		{unresolved(5, 8), "", "", "npm test", "tsconfig.json", "--check 'npx tsc --noEmit'"},
		{unresolved(5, 8), "", "", "pytest", "setup.py", "--check 'python3 -m compileall -q .'"},
		{unresolved(4, 8), "", "", "go test ./...", "go.mod", ""},
		{append(unresolved(4, 8), passed), "", "", "go test ./...", "go.mod", ""},
		{unresolved(5, 5), "", "", "go test ./...", "go.mod", ""},
		{unresolved(5, 8), "go vet", "", "go test ./...", "go.mod", ""},
		{unresolved(5, 8), "", "go build ./...", "./test.sh", "go.mod", ""},
		{unresolved(5, 8), "", "", "./test.sh", "Makefile", ""},
	} {
		s := settings.Search{Precheck: test.check, Build: test.build, Command: strings.Fields(test.command)}
		got := OfferCheck(&s, test.records, func(name string) bool { return name == test.file })
		if (got == "") != (test.want == "") || !strings.Contains(got, test.want) {
			t.Errorf("%d records, check %q, build %q, command %q, %s: %q, want %q", len(test.records), test.check, test.build, test.command, test.file, got, test.want)
		}
	}
}

package search

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gitdd/gitdd/grouping"
	"github.com/gitdd/gitdd/isolate"
)

// What mixtures said is counted by trials, and names files as the repository does, whichever workspace a
// trial was in.
func TestSaidBetween(t *testing.T) {
	const n = 3
	unresolved := []isolate.Configuration{isolate.Of(n, 0), isolate.Of(n, 1), isolate.Of(n, 0, 1)}
	read := func(c isolate.Configuration) []grouping.Message {
		where := "/cache/repo-1/s-2/17/gitdd-17-0/"
		if c == unresolved[1] {
			where = "/tmp/gitdd-17-1-2/"
		}
		return []grouping.Message{{Text: "cannot open '" + where + "a/b.c'"}, {Text: "cannot open '" + where + "a/b.c'"}, {Text: "/etc/gitdd-x/y is " + c.String()}}
	}
	result := isolate.Result{Passing: isolate.Empty(n), Failing: isolate.Of(n, 0, 1)}
	want := []Message{{Text: "cannot open 'a/b.c'", Trials: 3}, {Text: "/etc/gitdd-x/y is " + unresolved[0].String(), Trials: 1},
		{Text: "/etc/gitdd-x/y is " + unresolved[1].String(), Trials: 1}, {Text: "/etc/gitdd-x/y is " + unresolved[2].String(), Trials: 1}}
	if diff := cmp.Diff(want, saidBetween(result, unresolved, read)); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

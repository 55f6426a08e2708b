package main

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/gitdd/gitdd/fixtures"
	"github.com/gitdd/gitdd/internal/seed"
)

// How a mixture that has the change of one file and lacks that of another warns, in which it
// fails just as the regression does.
var spuriousWarnings = []string{
	"echo \"f$1.c:3:9: warning: passing argument 1 of 'get_f$2' makes pointer from integer without a cast [-Wint-conversion]\" >&2",
	"printf 'Traceback (most recent call last):\\n  File \"f%s.py\", line 3, in get\\nAttributeError: f%s has no attribute get\\n' $1 $2 >&2",
	"echo \"(node:$$) Warning: Accessing non-existent property 'get' of module exports inside circular dependency f$2\" >&2",
}

// TestSpuriousFailures: failures that only mixtures have, and that look like the regression but for
// a diagnostic, are not answered.
func TestSpuriousFailures(t *testing.T) {
	seed.SkipLong(t, 4)
	const problems = 12
	seed := seed.New(t)
	asides := 0
	for i := range problems {
		random := rand.New(rand.NewPCG(seed, uint64(i)))
		n := 6 + random.IntN(12)
		order := random.Perm(n)
		cause, order := order[:1+random.IntN(2)], order[2:]
		check := &strings.Builder{}
		fmt.Fprintf(check, "warns() { if grep -q new f$1 && grep -q old f$2; then %s; bad=1; fi; }\nbad=\n", spuriousWarnings[i%len(spuriousWarnings)])
		for range 1 + random.IntN(2) {
			fmt.Fprintf(check, "warns %d %d\n", order[0], order[1])
			order = order[2:]
		}
		check.WriteString("if ")
		for _, c := range cause {
			fmt.Fprintf(check, "grep -q new f%d && ", c)
		}
		check.WriteString("true; then bad=1; fi\n[ -z \"$bad\" ] || { echo 'FAIL: the total is wrong'; exit 1; }\n")

		f := newField(t)
		p := &past{History: fixtures.New(f.path("repo"))}
		for _, state := range []string{"old", "new"} {
			files := []string{"check", check.String()}
			for j := range n {
				files = append(files, fmt.Sprintf("f%d", j), state+"\n")
			}
			p.step("All "+state, files...)
			if state == "old" {
				p.Tag("v1")
			}
		}
		p.build(t)
		status, text, progress := f.status("repo", "gitdd", "run", "--good", "v1", "--json", "../result.json", "--", "sh", "check")
		r, err := readResult(f.path("result.json"))
		var got, want []string
		for _, c := range r.Cause {
			got = append(got, c.Path)
		}
		for _, c := range cause {
			want = append(want, fmt.Sprintf("f%d", c))
		}
		slices.Sort(want)
		if status != 0 || err != nil || !slices.Equal(got, want) {
			t.Errorf("problem %d, %d changes: status %d, %v, cause %v, want %v\n%s\n%s%s", i, n, status, err, got, want, check, text, progress)
		}
		asides += r.Others.Trials
	}
	if asides == 0 {
		t.Error("no failure was set aside, so this tested nothing")
	}
}

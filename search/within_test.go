package search

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/gitdd/gitdd/changes"
)

// TestBlocks gives the blocks of some new lines, as "first-last" of lines counted from 0.
func TestBlocks(t *testing.T) {
	for _, c := range []struct {
		name, text string
		want       []string
	}{
		{"a statement with its body, whose only block is left out", "if a {\n\tb()\n}\n", []string{"0-2"}},
		{"statements of a body", "f() {\n\ta()\n\n\tb()\n}\n", []string{"0-4", "1-1", "3-3"}},
		{"blocks of a body of one block", "def f():\n  if a:\n    b\n    c\n", []string{"0-3", "2-2", "3-3"}},
		{"no halves of eight", strings.Repeat("a\n", 8), []string{"0-0", "1-1", "2-2", "3-3", "4-4", "5-5", "6-6", "7-7"}},
		{"the halves of nine, in a block", "x = [\n" + strings.Repeat("  a,\n", 9) + "]\n",
			[]string{"0-10", "1-1", "2-2", "3-3", "4-4", "5-5", "6-6", "7-7", "8-8", "9-9", "1-4", "1-2", "3-4", "5-9", "5-6", "7-9", "8-9"}},
		{"halves with what is within, and blank lines", "a:\n  b\n\nc:\n  d\n  e\n\n" + strings.Repeat("f\n", 7),
			[]string{"0-1", "3-5", "7-7", "8-8", "9-9", "10-10", "11-11", "12-12", "13-13", "0-8", "0-5", "4-4", "5-5", "7-8", "9-13", "9-10", "11-13", "12-13"}},
		{"a half has no line that is less indented", strings.Repeat("  a,\n", 8) + "]\n", []string{"0-0", "1-1", "2-2", "3-3", "4-4", "5-5", "6-6", "7-7", "8-8"}},
		{"the arguments of a call", "a = f(b,\n      c,\n      d)\ng(\n  h,\n  i,\n)\n", []string{"0-2", "3-6", "4-4", "5-5"}},
		{"less indented", "    a\n  b\n", []string{"0-0", "1-1"}},
	} {
		var set changes.Set
		var all []int
		for i, line := range strings.SplitAfter(strings.TrimSuffix(c.text, "\n"), "\n") {
			set.Changes = append(set.Changes, changes.Change{Kind: changes.Text, Path: "a", New: []byte(line), NewStart: i + 1, NewLines: 1})
			all = append(all, i)
		}
		var got []string
		for _, b := range blocks(&set, all) {
			list := slices.Collect(b.All())
			if len(list) != list[len(list)-1]-list[0]+1 {
				t.Errorf("%s: a block of lines %v", c.name, list)
			}
			got = append(got, fmt.Sprintf("%d-%d", list[0], list[len(list)-1]))
		}
		slices.Sort(got)
		slices.Sort(c.want)
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: blocks %v, want %v", c.name, got, c.want)
		}
	}
}

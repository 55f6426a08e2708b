package grouping_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/gitdd/gitdd/changes"
	"github.com/gitdd/gitdd/grouping"
)

// TestRenamed: of each testdata/renamed/*.txtar, want has the changes within lines of each renaming. A line
// with "requires" is a prediction between such a change and one that is not of the same renaming.
func TestRenamed(t *testing.T) {
	eachDifference(t, "renamed", func(t *testing.T, s *changes.Set) (list []string) {
		s.Nodes = grouping.Nodes
		all := make([]int, s.Len())
		for i := range all {
			all[i] = i
		}
		s, _, _ = s.Split(all, changes.WithinLines)
		where := func(i int) string { return strings.TrimPrefix(s.Changes[i].String(), "text ") }
		p := plan(t, s)
		in := map[int]int{} // change -> the number of its renaming, from 1
		for k, members := range p.Renamed {
			text := ""
			for _, i := range members {
				in[i] = k + 1
				text += " " + where(i)
			}
			c := &s.Changes[members[0]]
			list = append(list, fmt.Sprintf("%s -> %s:%s", c.Old[c.Part.OldFrom:c.Part.OldTo], c.New[c.Part.NewFrom:c.Part.NewTo], text))
		}
		for i, row := range p.Predicted {
			for _, j := range row {
				if in[i] != in[j] {
					list = append(list, fmt.Sprintf("%s requires %s", where(i), where(j)))
				}
			}
		}
		return list
	})
}

package grouping_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"

	"github.com/gitdd/gitdd/changes"
	"github.com/gitdd/gitdd/grouping"
)

// TestRenamed: each testdata/renamed/*.txtar holds the files of good/ and bad/ and, in want, the
// changes within lines of each renaming. A line that begins with "requires" is a
// prediction between such a change, or the renaming, and another change.
func TestRenamed(t *testing.T) {
	files, err := filepath.Glob("testdata/renamed/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no testdata: %v", err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			archive, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			good, bad := edit{"good", map[string]string{}}, edit{"bad", map[string]string{}}
			want := ""
			for _, f := range archive.Files {
				if path, ok := strings.CutPrefix(f.Name, "good/"); ok {
					good.files[path] = string(f.Data)
				} else if path, ok := strings.CutPrefix(f.Name, "bad/"); ok {
					bad.files[path] = string(f.Data)
				} else if f.Name == "want" {
					want = string(f.Data)
				}
			}
			s := between(t, repository(t, good, bad), "r0", "r1")
			s.Nodes = grouping.Nodes
			all := make([]int, s.Len())
			for i := range all {
				all[i] = i
			}
			s, _, _ = s.Split(all, changes.WithinLines)
			p := plan(t, s)
			in := map[int]int{}
			var got []string
			for k, members := range p.Renamed {
				text := ""
				for _, i := range members {
					in[i] = k + 1
					text += " " + where(&s.Changes[i])
				}
				c := &s.Changes[members[0]]
				got = append(got, fmt.Sprintf("%s -> %s:%s", c.Old[c.Part.OldFrom:c.Part.OldTo], c.New[c.Part.NewFrom:c.Part.NewTo], text))
			}
			for i, row := range p.Predicted {
				for _, j := range row {
					if (in[i] > 0 || in[j] > 0) && in[i] != in[j] {
						got = append(got, fmt.Sprintf("%s requires %s", where(&s.Changes[i]), where(&s.Changes[j])))
					}
				}
			}
			if diff := cmp.Diff(strings.TrimSpace(want), strings.Join(got, "\n")); diff != "" {
				t.Errorf("renamed (-want +got):\n%s", diff)
			}
		})
	}
}

func where(c *changes.Change) string {
	return strings.TrimPrefix(c.String(), "text ")
}

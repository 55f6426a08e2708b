package record

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/gitdd/gitdd/changes"
	"github.com/gitdd/gitdd/grouping"
	"github.com/gitdd/gitdd/internal/seed"
	"github.com/gitdd/gitdd/isolate"
	"github.com/gitdd/gitdd/report"
)

// long is a stage of n changes, in files of a hundred, whose steps leave suspects that
// do not lie together: each other one of those before.
func long(n, steps int) *openStage {
	s := &openStage{set: &changes.Set{}, plan: &grouping.Plan{
		Levels: []grouping.Level{grouping.Directory, grouping.File, grouping.Hunk},
		Groups: [][]int{{}, {}, {}}, Names: [][]string{{}, {}, {}},
	}}
	s.Of, s.Elements = "changes", n
	for i := range n {
		file := fmt.Sprintf("dir%d/file%d.go", i/5000, i/100)
		s.set.Changes = append(s.set.Changes, changes.Change{ID: fmt.Sprint(i), Path: file, NewStart: i%100*3 + 1})
		s.plan.Order, s.place = append(s.plan.Order, i), append(s.place, i)
		for l, g := range []int{i / 5000, i / 100, i} {
			s.plan.Groups[l] = append(s.plan.Groups[l], g)
			if g == len(s.plan.Names[l]) {
				s.plan.Names[l] = append(s.plan.Names[l], []string{fmt.Sprintf("dir%d", g), file, fmt.Sprintf("%s:%d", file, i)}[l])
			}
		}
	}
	s.plan.Requires, s.plan.Predicted = make([][]int, n), make([][]int, n)
	for k := range steps {
		var left []int
		for i := 0; i < n; i += 2 + k%3 {
			left = append(left, i)
		}
		s.add(storyStep{config: isolate.Full(n)}, isolate.Of(n, left...))
	}
	return s
}

// TestStorySize: a story stays small, whatever it tells.
func TestStorySize(t *testing.T) {
	for _, test := range []struct{ n, steps, most int }{{10, 5, 10 << 10}, {5_000, 300, 3 << 20}, {100_000, 40, 5 << 20}} {
		s := long(test.n, test.steps)
		s.best.Cause, s.best.Context = isolate.Full(test.n), isolate.Empty(test.n)
		for i := range test.n - 1 {
			s.plan.Requires[i+1] = []int{i}
		}
		path := &Recorder{stages: []*openStage{s, s, s}}
		stages := path.finish()
		var text bytes.Buffer
		if err := report.StoryJSON(&text, report.Story{Schema: report.StorySchema, Stages: stages}); err != nil {
			t.Fatal(err)
		}
		groups := 0
		for i, stage := range stages {
			groups += len(stage.Groups)
			last := stage.Steps[len(stage.Steps)-1]
			if exact, err := isolate.FromRuns(test.n, last.Suspects); err != nil || exact != s.left {
				t.Errorf("%d changes, stage %d: the last suspects are not exact: %v", test.n, i, err)
			}
			if len(stage.Requires) != min(test.n-1, mostRequires) {
				t.Errorf("%d changes: %d requirements", test.n, len(stage.Requires))
			}
		}
		if groups > mostGroups || len(stages[0].Groups) == 0 || text.Len() > test.most {
			t.Errorf("%d changes, %d steps: %d groups, of the first stage %d, and %d bytes, want at most %d", test.n, test.steps, groups, len(stages[0].Groups), text.Len(), test.most)
		}
	}
}

// TestStoryGroups: the groups of a stage are nested and cover it as long as there is
// room for all, and below that are fewer, but no others.
func TestStoryGroups(t *testing.T) {
	s := long(250, 0)
	all := s.groups(1000)
	if want := 1 + 3 + 250; len(all) != want {
		t.Fatalf("%d groups, want %d: %+v", len(all), want, all[:5])
	}
	for room := range 300 {
		got := s.groups(room)
		want := map[bool]int{true: 254, false: 4}[room >= 254]
		if room < 4 {
			want = map[bool]int{true: 1}[room > 0]
		}
		if len(got) != want {
			t.Errorf("with room for %d there are %d groups, want %d", room, len(got), want)
		}
		for _, g := range got {
			if !slices.Contains(all, g) {
				t.Errorf("with room for %d there is %+v", room, g)
			}
		}
	}
}

// TestFewerRuns: what is left of a configuration in fewer runs holds it, and nothing
// that a smaller gap would have held.
func TestFewerRuns(t *testing.T) {
	seed := seed.New(t)
	for round := range uint64(200) {
		random := rand.New(rand.NewPCG(seed, round))
		n := 1 + random.IntN(200)
		var members []int
		for i := range n {
			if random.IntN(3) == 0 {
				members = append(members, i)
			}
		}
		c, most := isolate.Of(n, members...), 1+random.IntN(20)
		got, err := isolate.FromRuns(n, fewerRuns(c, most))
		if err != nil {
			t.Fatal(err)
		}
		runs := func(c isolate.Configuration) int {
			if c.IsEmpty() {
				return 0
			}
			return 1 + strings.Count(c.String(), ",")
		}
		if !got.Contains(c) || runs(got) != min(runs(c), most) || coarse(c, most) != got || inRuns(c, most) != (runs(c) <= most) {
			t.Fatalf("round %d: %d runs of %v are %v", round, most, c, got)
		}
	}
}

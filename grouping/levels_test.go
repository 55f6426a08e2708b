package grouping_test

import (
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/gitdd/gitdd/changes"
	"github.com/gitdd/gitdd/grouping"
)

// shown lists the groups of a level in order, with their changes by number.
func shown(p *grouping.Plan, l int) (list []string) {
	for k, i := range p.Order {
		if k == 0 || p.Groups[l][i] != p.Groups[l][p.Order[k-1]] {
			list = append(list, p.Names[l][p.Groups[l][i]]+":")
		}
		list[len(list)-1] += fmt.Sprintf(" %d", i)
	}
	return list
}

func function(name, body string) string {
	return fmt.Sprintf("func %s() {\n\t%s\n}\n\n", name, body)
}

// source is a Go file of some functions; body says what is in each.
func source(pkg string, names []string, body func(string) string) string {
	var b strings.Builder
	b.WriteString("package " + pkg + "\n\n")
	for _, n := range names {
		b.WriteString(function(n, body(n)))
	}
	return b.String()
}

func printing(what string) func(string) string {
	return func(name string) string {
		return fmt.Sprintf("println(%q)\n\tprint(1)\n\tprintln(%q)", name+what, what+name)
	}
}

// manyFiles is a history of three commits over nested directories.
func manyFiles() []edit {
	paths := map[string][]string{
		"lib/net/http/a.go": {"A", "B"}, "lib/net/http/b.go": {"C"}, "lib/net/tcp/a.go": {"D"},
		"lib/text/a.go": {"E", "F"}, "lib/top.go": {"G"}, "main.go": {"H"},
	}
	state := func(subject string, changed ...string) edit {
		e := edit{subject, make(map[string]string)}
		for path, names := range paths {
			e.files[path] = source("x", names, func(name string) string {
				if slices.Contains(changed, name) {
					return printing("new")(name)
				}
				return printing("old")(name)
			})
		}
		return e
	}
	return []edit{state("good"), state("first", "D", "A"), state("second", "D", "A", "B", "G", "C"), state("third", "D", "A", "B", "G", "C", "E", "F", "H")}
}

func TestLevels(t *testing.T) {
	repo := repository(t, manyFiles()...)
	s := between(t, repo, "r0", "r3")
	if err := s.Blame(t.Context(), upTo(s.Len())); err != nil {
		t.Fatal(err)
	}
	var listed []string
	for i := range s.Changes {
		listed = append(listed, s.Changes[i].String())
	}
	want := []string{"text lib/net/http/a.go:4", "text lib/net/http/a.go:6", "text lib/net/http/a.go:10", "text lib/net/http/a.go:12",
		"text lib/net/http/b.go:4", "text lib/net/http/b.go:6", "text lib/net/tcp/a.go:4", "text lib/net/tcp/a.go:6",
		"text lib/text/a.go:4", "text lib/text/a.go:6", "text lib/text/a.go:10", "text lib/text/a.go:12",
		"text lib/top.go:4", "text lib/top.go:6", "text main.go:4", "text main.go:6"}
	if diff := cmp.Diff(want, listed); diff != "" {
		t.Fatalf("the fixture changed (-want +got):\n%s", diff)
	}

	p := plan(t, s)
	if diff := cmp.Diff("[directory directory directory file symbol hunk]", fmt.Sprint(p.Levels)); diff != "" {
		t.Errorf("levels (-want +got):\n%s", diff)
	}
	tests := []struct {
		level int
		want  []string
	}{
		{0, []string{"lib: 0 1 2 3 4 5 6 7 8 9 10 11 12 13", ".: 14 15"}},
		{1, []string{"lib/net: 0 1 2 3 4 5 6 7", "lib/text: 8 9 10 11", "lib: 12 13", ".: 14 15"}},
		{2, []string{"lib/net/http: 0 1 2 3 4 5", "lib/net/tcp: 6 7", "lib/text: 8 9 10 11", "lib: 12 13", ".: 14 15"}},
		{4, []string{"A: 0 1", "B: 2 3", "C: 4 5", "D: 6 7", "E: 8 9", "F: 10 11", "G: 12 13", "H: 14 15"}},
	}
	p = plan(t, s, grouping.Directory, grouping.Symbol)
	for _, test := range tests {
		if test.level == 4 {
			test.level = len(p.Levels) - 1
		}
		if diff := cmp.Diff(test.want, shown(p, test.level)); diff != "" {
			t.Errorf("level %d (-want +got):\n%s", test.level, diff)
		}
	}
	p = plan(t, s, grouping.Commit, grouping.File)
	if diff := cmp.Diff([]string{"first: 0 1 6 7", "second: 2 3 4 5 12 13", "third: 8 9 10 11 14 15"}, shown(p, 0)); diff != "" {
		t.Errorf("commits (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"lib/net/http/a.go: 0 1", "lib/net/tcp/a.go: 6 7", "lib/net/http/a.go: 2 3", "lib/net/http/b.go: 4 5", "lib/top.go: 12 13",
		"lib/text/a.go: 8 9 10 11", "main.go: 14 15"}, shown(p, 1)); diff != "" {
		t.Errorf("files within commits (-want +got):\n%s", diff)
	}
}

func upTo(n int) (all []int) {
	for i := range n {
		all = append(all, i)
	}
	return all
}

// All combinations of levels keep what checkPlan checks, twice the same.
func TestEveryCombination(t *testing.T) {
	sets := []*changes.Set{between(t, repository(t, manyFiles()...), "r0", "r3"), between(t, repository(t, helperStory()...), "r0", "r1")}
	for n, s := range sets {
		if err := s.Blame(t.Context(), upTo(s.Len())); err != nil {
			t.Fatal(err)
		}
		for mask := range 1 << 7 {
			if n == 0 && mask%8 != 7 {
				continue // the larger one costs more
			}
			var by []grouping.Level
			for l := grouping.Commit; l <= grouping.Line; l++ {
				if mask>>l&1 == 1 {
					by = append(by, l)
				}
			}
			if mask == 0 {
				by = []grouping.Level{grouping.Line, grouping.File, grouping.Commit} // finer first is allowed
			}
			first := plan(t, s, by...)
			if mask%16 == 5 {
				before := runtime.GOMAXPROCS(1 + mask%3)
				second := plan(t, s, by...)
				runtime.GOMAXPROCS(before)
				if diff := cmp.Diff(first, second, cmpopts.IgnoreUnexported(grouping.Plan{})); diff != "" {
					t.Fatalf("by %v: not the same plan twice:\n%s", by, diff)
				}
			}
		}
	}
}

// helperStory uses in a what b and z define, so that the order must differ from
// the paths'.
func helperStory() []edit {
	good := edit{"good", map[string]string{
		"a/a.go": source("a", []string{"A", "B"}, func(string) string { return "println()" }),
		"z/z.go": source("z", []string{"Z"}, func(string) string { return "println()" }),
	}}
	bad := edit{"bad", map[string]string{
		"a/a.go": source("a", []string{"A", "B"}, func(name string) string { return map[string]string{"A": "fresh()", "B": "println(1)"}[name] }) + "func fresh() { z.Added() }\n",
		"z/z.go": source("z", []string{"Z", "Added"}, func(string) string { return "println()" }),
	}}
	for _, e := range []edit{good, bad} {
		e.files["a/a.go"] = strings.Replace(e.files["a/a.go"], "\n", "\n\nimport \"example.com/m/z\"\n", 1)
	}
	return []edit{good, bad}
}

func TestOrderPutsDefinitionsFirst(t *testing.T) {
	s := between(t, repository(t, helperStory()...), "r0", "r1")
	p := plan(t, s)
	if diff := cmp.Diff([]string{"text a/a.go:6 -> text a/a.go:13", "text a/a.go:13 -> text z/z.go:7"}, edges(s, p)); diff != "" {
		t.Errorf("predicted (-want +got):\n%s", diff)
	}
	at := make([]int, s.Len())
	for k, i := range p.Order {
		at[i] = k
	}
	for i, row := range p.Predicted {
		for _, j := range row {
			if at[j] > at[i] {
				t.Errorf("order %v puts %v before %v, which it requires", p.Order, &s.Changes[i], &s.Changes[j])
			}
		}
	}
	p = plan(t, s, grouping.Identifier)
	if diff := cmp.Diff([]string{"fresh: 3 2 0", "a/a.go:10: 1"}, shown(p, 0)); diff != "" {
		t.Errorf("identifiers (-want +got):\n%s", diff)
	}
}

// The pieces that Split made of a hunk stay one hunk.
func TestHunkLevelAfterSplit(t *testing.T) {
	var old, new strings.Builder
	for i := range 60 {
		fmt.Fprintf(&old, "old %d\n", i)
		fmt.Fprintf(&new, "new %d\n", i)
	}
	keep := "kept\n"
	s := between(t, repository(t,
		edit{"good", map[string]string{"a.txt": old.String() + keep + "x\n"}},
		edit{"bad", map[string]string{"a.txt": new.String() + keep + "y\n"}}), "r0", "r1")
	finer, starts, ok := s.Split([]int{0}, changes.LongHunks)
	if !ok {
		t.Fatal("the hunk was not cut")
	}
	p := plan(t, finer, grouping.Hunk, grouping.Line)
	if got := len(p.Names[0]); got != 2 {
		t.Errorf("%d hunks, want 2", got)
	}
	if got, want := len(p.Names[1]), finer.Len(); got != want || starts[1] != want-1 {
		t.Errorf("%d lines, want %d", got, want)
	}
}

// TestSidesAfterSplit: the lines of a hunk that are removed are one group, and those that are added are
// another one.
func TestSidesAfterSplit(t *testing.T) {
	s := between(t, repository(t,
		edit{"good", map[string]string{"a.txt": "kept\none = 1\nfirst\nsecond\nthird\nkept\n"}},
		edit{"bad", map[string]string{"a.txt": "kept\none = 2\nnew()\nnewer()\nkept\n"}}), "r0", "r1")
	finer, _, ok := s.Split([]int{0}, changes.EveryLine)
	if !ok {
		t.Fatal("the hunk was not cut")
	}
	p := plan(t, finer, grouping.Hunk)
	if diff := cmp.Diff([][]string{{"a.txt:2"}, {"a.txt:2 replaced", "a.txt:2 removed", "a.txt:2 added"}}, p.Names); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([][]int{{0, 0, 0, 0, 0, 0}, {0, 1, 1, 1, 2, 2}}, p.Groups); diff != "" {
		t.Error(diff)
	}
}

func TestNewErrors(t *testing.T) {
	s := between(t, repository(t, helperStory()...), "r0", "r1")
	if _, err := grouping.New(t.Context(), s, grouping.Options{By: []grouping.Level{99}}); err == nil || err.Error() != "group changes: no such level(99)" {
		t.Errorf("an unknown level gave %v", err)
	}
	empty := between(t, repository(t, helperStory()...), "r0", "r0")
	if p := plan(t, empty); len(p.Order) != 0 || len(p.Names[0]) != 0 {
		t.Errorf("a plan of nothing has order %v and names %v", p.Order, p.Names)
	}
}

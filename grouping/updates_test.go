package grouping_test

import (
	"fmt"
	"testing"

	"github.com/gitdd/gitdd/changes"
	"github.com/gitdd/gitdd/grouping"
)

// The changes of an update, in all its files, are one change: each requires all others, and none of another update.
func TestUpdatesAsOne(t *testing.T) {
	files := func(a, b string) map[string]string {
		sums := ""
		for _, m := range []string{"a v1." + a, "b v1." + b} {
			sums += fmt.Sprintf("example.com/%s.0 h1:x=\nexample.com/%s.0/go.mod h1:y=\n", m, m)
		}
		return map[string]string{
			"go.mod":   fmt.Sprintf("module example.com/m\n\ngo 1.21\n\nrequire (\n\texample.com/a v1.%s.0\n\texample.com/b v1.%s.0\n)\n", a, b),
			"go.sum":   sums,
			"other.go": "package m\n\nvar v = " + a + "\n",
		}
	}
	repo := repository(t, edit{"good", files("0", "0")}, edit{"bad", files("1", "2")})
	s, err := changes.Between(t.Context(), repo, "r0", "r1", changes.Options{Cut: grouping.Cut})
	if err != nil {
		t.Fatal(err)
	}
	p, err := grouping.New(t.Context(), s, grouping.Options{Modules: func(path, _ string) []byte { return []byte("module " + path + "\n") }})
	if err != nil {
		t.Fatal(err)
	}
	if len(p.Updates) != 2 {
		t.Fatalf("updates are %v, want those of a and b", p.Updates)
	}
	for _, u := range p.Updates {
		if len(u.Changes) < 3 {
			t.Errorf("%v has changes %v, want those of go.mod and go.sum", u, u.Changes)
		}
		for _, i := range u.Changes {
			if got := required(p.Requires, i); fmt.Sprint(got) != fmt.Sprint(u.Changes) {
				t.Errorf("change %d of %v requires %v, want %v", i, u, got, u.Changes)
			}
		}
	}
}

// required lists what a change requires, with itself, in increasing order.
func required(requires [][]int, i int) (list []int) {
	has := make([]bool, len(requires))
	var add func(i int)
	add = func(i int) {
		if !has[i] {
			has[i] = true
			for _, j := range requires[i] {
				add(j)
			}
		}
	}
	add(i)
	for j, there := range has {
		if there {
			list = append(list, j)
		}
	}
	return list
}

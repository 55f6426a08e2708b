package report

import (
	"slices"
	"testing"

	"github.com/gitdd/gitdd/changes"
)

func TestNearestFirst(t *testing.T) {
	set := &changes.Set{}
	for _, c := range []struct {
		path, old, new string
		start          int
	}{
		{"a/x.c", "int\nf(void)\n", "int f(void)\n", 9}, // white space beside the cause
		{"a/x.c", "", "cause();\n", 10},
		{"a/x.c", "", "int n;\n", 90},
		{"a/y.c", "a( 1 );\n", "a(1);\n", 1},
		{"a/y.c", "", "b();\n", 50},
		{"c.c", "", "c();\n", 1},
		{"a/x.c", "", "int m;\n", 8},
	} {
		set.Changes = append(set.Changes, changes.Change{
			Kind: changes.Text, Path: c.path, Old: []byte(c.old), New: []byte(c.new), NewStart: c.start, NewLines: 1,
		})
	}
	got := nearestFirst(set, slices.Values([]int{1}), slices.Values([]int{0, 2, 3, 4, 5, 6}))
	if want := []int{6, 2, 0, 4, 3, 5}; !slices.Equal(got, want) {
		t.Errorf("nearestFirst = %v, want %v", got, want)
	}
}

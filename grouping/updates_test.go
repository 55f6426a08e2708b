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
		lock, list := "", ""
		for _, p := range [][2]string{{"a", a}, {"b", b}} {
			lock += fmt.Sprintf(",\n    \"node_modules/%s\": {\n      \"version\": \"%s\"\n    }", p[0], p[1])
			list += fmt.Sprintf(",\n    \"%s\": \"%s\"", p[0], p[1])
		}
		list = "{\n" + list[2:] + "\n  }"
		return map[string]string{
			"package.json":      "{\n  \"dependencies\": " + list + "\n}\n",
			"package-lock.json": "{\n  \"lockfileVersion\": 3,\n  \"packages\": {\n    \"\": {\n      \"name\": \"x\"\n    }" + lock + "\n  }\n}\n",
			"other.js":          "var v = '" + a + "';\n",
		}
	}
	repo := repository(t, edit{"good", files("1.0.0", "1.0.0")}, edit{"bad", files("1.1.0", "1.2.0")})
	s, err := changes.Between(t.Context(), repo, "r0", "r1", changes.Options{Cut: grouping.Cut})
	if err != nil {
		t.Fatal(err)
	}
	p, err := grouping.New(t.Context(), s, grouping.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if len(p.Updates) != 2 {
		t.Fatalf("updates are %v, want those of a and b", p.Updates)
	}
	for _, u := range p.Updates {
		if len(u.Changes) != 2 {
			t.Errorf("%v has changes %v, want one of package.json and one of package-lock.json", u, u.Changes)
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

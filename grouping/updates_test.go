package grouping_test

import (
	"fmt"
	"slices"
	"strings"
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

// A manifest or a lock file that is written on one line cannot be cut, and goes with the other one.
func TestUpdatesOnOneLine(t *testing.T) {
	manifest := func(v, description string) string {
		return "{\n \"description\": \"" + description + "\",\n \"dependencies\": {\n  \"lodash\": \"^" + v + "\"\n }\n}\n"
	}
	lock := func(v string) string {
		return "{\n \"lockfileVersion\": 3,\n \"packages\": {\n  \"node_modules/lodash\": {\n   \"version\": \"" + v + "\"\n  }\n }\n}\n"
	}
	oneLine := func(text string) string { return strings.NewReplacer("\n", "", " ", "").Replace(text) + "\n" }
	for name, form := range map[string][2]func(string) string{
		"the manifest": {func(v string) string { return oneLine(manifest(v, "")) }, lock},
		"the lock":     {func(v string) string { return manifest(v, v) }, func(v string) string { return oneLine(lock(v)) }},
		"both":         {func(v string) string { return oneLine(manifest(v, "")) }, func(v string) string { return oneLine(lock(v)) }},
	} {
		files := func(v string) map[string]string {
			return map[string]string{"package.json": form[0](v), "package-lock.json": form[1](v), "other.js": "var v = '" + v + "';\n"}
		}
		repo := repository(t, edit{"good", files("4.1.0")}, edit{"bad", files("4.2.0")})
		s, err := changes.Between(t.Context(), repo, "r0", "r1", changes.Options{Cut: grouping.Cut})
		if err != nil {
			t.Fatal(err)
		}
		p, err := grouping.New(t.Context(), s, grouping.Options{})
		if err != nil {
			t.Fatal(err)
		}
		of := map[string]int{}
		for i, c := range s.Changes {
			if !strings.Contains(string(c.New), "description\": \"4") {
				of[c.Path] = i
			}
		}
		manifest, lock := of["package.json"], of["package-lock.json"]
		if with := required(p.Predicted, manifest); !slices.Contains(with, lock) || slices.Contains(with, of["other.js"]) {
			t.Errorf("%s: change %d of package.json requires %v, want %d: %s", name, manifest, with, lock, p.Note)
		}
		if with := required(p.Predicted, lock); !slices.Contains(with, manifest) {
			t.Errorf("%s: change %d of package-lock.json requires %v, want %d", name, lock, with, manifest)
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

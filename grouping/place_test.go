package grouping

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/gitdd/gitdd/changes"
)

// A line of a composed file is the line that holder says it is: random hunks,
// some applied, are composed by hand with a mark of their own in every line.
func TestHolder(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 5))
	for round := range 300 {
		var list []changes.Change
		var composed []string // what every line is
		var has []bool
		oldLine, newLine := 0, 0 // lines of either side so far
		keep := func(n int) {
			for range n {
				oldLine, newLine = oldLine+1, newLine+1
				composed = append(composed, fmt.Sprint(holding{-1, false, oldLine}))
			}
		}
		for i := range 1 + random.IntN(6) {
			if i == 0 || random.IntN(3) > 0 { // pieces of one hunk touch
				keep(random.IntN(4))
			}
			removed, added := random.IntN(4), random.IntN(4)
			if removed+added == 0 {
				added = 1
			}
			start := func(line, lines int) int {
				if lines == 0 {
					return line
				}
				return line + 1
			}
			list = append(list, changes.Change{
				Kind: changes.Text, Path: "a", OldPath: "a", OldStart: start(oldLine, removed), OldLines: removed,
				NewStart: start(newLine, added), NewLines: added,
				Old: bytes.Repeat([]byte("o\n"), removed), New: bytes.Repeat([]byte("n\n"), added),
			})
			has = append(has, random.IntN(2) == 0)
			for k := range removed {
				if !has[i] {
					composed = append(composed, fmt.Sprint(holding{i, false, oldLine + 1 + k}))
				}
			}
			for k := range added {
				if has[i] {
					composed = append(composed, fmt.Sprint(holding{i, true, newLine + 1 + k}))
				}
			}
			oldLine, newLine = oldLine+removed, newLine+added
		}
		keep(2)
		x := index{set: &changes.Set{Changes: list}, files: files(list)}
		var got []string
		for line := range composed {
			got = append(got, fmt.Sprint(x.holder(&x.files[0], has, line+1)))
		}
		if !slices.Equal(got, composed) {
			t.Fatalf("round %d: %v\nwant %v\nof %+v with %v", round, got, composed, list, has)
		}
	}
}

func TestNamed(t *testing.T) {
	list := []changes.Change{
		{Kind: changes.Text, Path: "a.go", OldPath: "a.go"},
		{Kind: changes.Text, Path: "cmd/x/a.go", OldPath: "cmd/x/a.go"},
		{Kind: changes.Text, Path: "lib/a.go", OldPath: "lib/a.go"},
		{Kind: changes.Created, Path: "lib/new.go", OldPath: "lib/new.go"},
		{Kind: changes.Deleted, Path: "lib/old.go", OldPath: "lib/old.go"},
		{Kind: changes.Renamed, Path: "lib/to.go", OldPath: "lib/from.go"},
	}
	x := index{set: &changes.Set{Changes: list}, files: files(list), byBase: map[string][]int{
		"a.go": {0, 1, 2}, "new.go": {3}, "old.go": {4}, "to.go": {5}, "from.go": {5},
	}}
	none, all := make([]bool, len(list)), []bool{true, true, true, true, true, true}
	for _, test := range []struct {
		printed, dir string
		has          []bool
		want         []int
	}{
		{"a.go", "", none, []int{0, 1, 2}}, // the top one first
		{"./a.go", "", none, []int{0, 1, 2}},
		{"lib/a.go", "", none, []int{2, 0}},
		{"/w/0/lib/a.go", "", none, []int{2, 0}},
		{"a.go", "/w/0/lib", none, []int{2, 0}},
		{"x/a.go", "", none, []int{0, 1}},
		{"../lib/a.go", "/w/0/cmd", none, []int{2, 0}},
		{`C:\w\lib\a.go`, "", none, []int{2, 0}},
		{"new.go", "", none, nil},
		{"new.go", "", all, []int{3}},
		{"lib/old.go", "", none, []int{4}},
		{"lib/old.go", "", all, nil},
		{"lib/from.go", "", none, []int{5}},
		{"lib/from.go", "", all, nil},
		{"lib/to.go", "", all, []int{5}},
		{"b.go", "", all, nil},
		{"ba.go", "", all, nil},
	} {
		var dirs []string
		if test.dir != "" {
			dirs = []string{test.dir}
		}
		if got := x.named(test.printed, dirs, test.has); !slices.Equal(got, test.want) {
			t.Errorf("%q in %q: %v, want %v", test.printed, test.dir, got, test.want)
		}
	}
}

// What classification knows of messages whose tools are not run by the tests.
func TestMessages(t *testing.T) {
	for _, test := range []struct {
		text    string
		problem problem
		of      string
		name    string // or the target
	}{
		{"error: use of undeclared identifier 'foo'", lacks, "", "foo"},
		{"error: call to undeclared function 'foo'; ISO C99 and later do not support implicit function declarations", lacks, "", "foo"},
		{"error: no member named 'x' in 'struct point'", lacks, "point", "x"},
		{"error: no member named 'area' in 'geo::Shape'", lacks, "Shape", "area"},
		{"fatal error: 'a/b.h' file not found", lacksFile, "", "a/b.h"},
		{"error C2065: 'foo': undeclared identifier", lacks, "", "foo"},
		{"ld.lld: error: undefined symbol: geo::twice(int)", lacks, "geo", "twice"},
		{"  \"_foo\", referenced from:", lacks, "", "foo"},
		{"error: too few arguments to function 'int f(int, int)'", differs, "", "f"},
		{"x.Foo undefined (type *pkg.T has no field or method Foo, but does have method foo)", lacks, "T", "Foo"},
		{"unknown field Size in struct literal of type box.Box", lacks, "Box", "Size"},
		{"cannot use t (variable of type T) as I value in return statement: T does not implement I (wrong type for method M)", implements, "T", "M"},
		{"no required module provides package example.com/x/y; to add it:", lacksFile, "", "example.com/x/y"},
		{"package m/util is not in std (/usr/local/go/src/m/util)", lacksFile, "", "m/util"},
		{"\"fmt\" imported and not used", unused, "", "fmt"},
		{"\"gopkg.in/yaml.v3\" imported as yaml3 and not used", unused, "", "yaml3"},
		{"declared and not used: total", unused, "", "total"},
		{"total declared but not used", unused, "", "total"},
		{"method T.Close already declared at a.go:7:13", twice, "", "Close"},
		{"assignment mismatch: 1 variable but shop.New returns 2 values", differs, "shop", "New"},
		{"error TS2724: '\"./a\"' has no exported member named 'foo'. Did you mean 'fou'?", lacks, "./a", "foo"},
		{"error TS2551: Property 'lenght' does not exist on type 'Box<number>'. Did you mean 'length'?", lacks, "Box", "lenght"},
		{"error TS2741: Property 'b' is missing in type 'A' but required in type 'B'.", implements, "A", "b"},
		{"E   AttributeError: 'Shelf' object has no attribute 'lamps'", lacks, "Shelf", "lamps"},
		{"AttributeError: module 'app.names' has no attribute 'second'", lacks, "app.names", "second"},
		{"TypeError: Shelf.put() got an unexpected keyword argument 'depth'", keyword, "Shelf", "put"},
		{"error[E0412]: cannot find type 'Basket' in this scope", lacks, "", "Basket"},
		{"error[E0433]: failed to resolve: use of undeclared type 'Basket'", lacks, "", "Basket"},
		{"error[E0599]: no function or associated item named 'new' found for struct 'Till' in the current scope", lacks, "Till", "new"},
		{"error[E0428]: the name 'f' is defined multiple times", twice, "", "f"},
		{"make[2]: *** No rule to make target 'src/x.c', needed by 'x.o'.  Stop.", lacksFile, "", "src/x.c"},
		{"SyntaxError: The requested module './names.js' does not provide an export named 'second'", lacks, "./names.js", "second"},
	} {
		d, ok := readMessage(test.text)
		name := d.target
		if len(d.names) > 0 {
			name = d.names[0]
		}
		if !ok || d.problem != test.problem || d.of != test.of || name != test.name {
			t.Errorf("%q: problem %d of %q: %q (%v), want %d of %q: %q", test.text, d.problem, d.of, name, ok, test.problem, test.of, test.name)
		}
	}
	for _, text := range []string{"", "ok", "error", "warning: unused variable 'x'", "done: 3 of 3", "make: *** [Makefile:3: all] Error 1"} {
		if d, ok := readMessage(text); ok {
			t.Errorf("%q was read as %+v", text, d)
		}
	}
}

package updates

import (
	"fmt"
	"slices"
	"testing"
)

// Where files are cut: each row has the texts of both sides, and of each piece what it replaces by what.
func TestCut(t *testing.T) {
	cargo := func(name, version string) string {
		return "\n[[package]]\nname = \"" + name + "\"\nversion = \"" + version + "\"\nsource = \"r\"\n"
	}
	for _, c := range []struct {
		name, file, old, new string
		want                 []string
	}{
		{"a comma goes with what comes next", "package.json", "{\n\"dependencies\": {\n\"a\": \"1\"\n}\n}\n", "{\n\"dependencies\": {\n\"a\": \"1\",\n\"b\": \"1\",\n\"c\": \"1\"\n}\n}\n",
			[]string{`"\"a\": \"1\"\n" > "\"a\": \"1\",\n\"b\": \"1\",\n"`, `"" > "\"c\": \"1\"\n"`}},
		{"a comma goes with what came next", "package.json", "{\n\"dependencies\": {\n\"a\": \"1\",\n\"b\": \"1\"\n}\n}\n", "{\n\"dependencies\": {\n\"a\": \"1\"\n}\n}\n",
			[]string{`"\"a\": \"1\",\n\"b\": \"1\"\n" > "\"a\": \"1\"\n"`}},
		{"the last block of a file has no blank line behind it", "Cargo.lock", "version = 3\n" + cargo("a", "1"), "version = 3\n" + cargo("a", "1") + cargo("b", "1") + cargo("c", "1"),
			[]string{fmt.Sprintf("%q > %q", "", cargo("b", "1")), fmt.Sprintf("%q > %q", "", cargo("c", "1"))}},
		{"what goes and what comes are apart", "go.sum", "a v1 h1:a\nb v1 h1:b\n", "a v2 h1:A\nb v2 h1:B\n",
			[]string{`"a v1 h1:a\nb v1 h1:b\n" > ""`, `"" > "a v2 h1:A\nb v2 h1:B\n"`}},
		{"neighbours are apart", "requirements.txt", "a==1\nb==1\n", "a==2\nb==2\n", []string{`"a==1\n" > "a==2\n"`, `"b==1\n" > "b==2\n"`}},
		{"a lock file of an unknown version", "Cargo.lock", "version = 9\n" + cargo("a", "1"), "version = 9\n" + cargo("a", "2"), nil},
		{"a broken manifest", "go.mod", "module m\n\nrequire (\n", "module m\n", nil},
		{"two entries of a line", "package.json", "{\"dependencies\": {\"a\": \"1\", \"b\": \"1\"}}", "{\"dependencies\": {\"a\": \"1\", \"b\": \"2\"}}", nil},
		{"another file", "a.json", "{}\n", "{\n}\n", nil},
	} {
		pieces, _ := Cut(c.file, []byte(c.old), []byte(c.new))
		var got []string
		for _, p := range pieces {
			got = append(got, fmt.Sprintf("%q > %q", c.old[p.OldOff:p.OldEnd], c.new[p.NewOff:p.NewEnd]))
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: got\n%q, want\n%q", c.name, got, c.want)
		}
	}
	found := Find([]File{{Path: "Cargo.lock", Old: []byte("version = 9\n"), New: []byte("version = 9\n\n")}}, nil, nil)
	if len(found.Notes) != 1 || found.Read["Cargo.lock"] {
		t.Errorf("of an unknown version: %+v", found)
	}
}

// Where node looks for a package (nodejs.org/api/modules.html, "Loading from node_modules folders").
func TestLocations(t *testing.T) {
	for _, c := range []struct {
		from string
		want []string
	}{
		{"", []string{"node_modules/x"}},
		{"packages/p", []string{"packages/p/node_modules/x", "packages/node_modules/x", "node_modules/x"}},
		{"node_modules/a", []string{"node_modules/a/node_modules/x", "node_modules/x"}},
		{"node_modules/@s/a/node_modules/b", []string{"node_modules/@s/a/node_modules/b/node_modules/x", "node_modules/@s/a/node_modules/x", "node_modules/x"}},
	} {
		var want []string
		for _, location := range c.want {
			want = append(want, locationKey(location))
		}
		if got := locations(c.from, "x"); !slices.Equal(got, want) {
			t.Errorf("from %q: %q, want %q", c.from, got, want)
		}
	}
}

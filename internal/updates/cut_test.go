package updates

import (
	"fmt"
	"slices"
	"strings"
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
}

// A note says on which side a file cannot be read, where and why, and how it is cut then.
func TestCutByLines(t *testing.T) {
	for _, c := range []struct{ file, old, new, want string }{
		{"Cargo.lock", "version = 3\n", "# by hand\nversion = 9\n", "all of it goes together, and with the manifest: at bad, line 2: version 9 is not known: 1 to 4 are"},
		{"Cargo.lock", "version = 3\n", "version = 3\n[[package]\n", "at bad, line 2: "},
		{"a/package-lock.json", "{\n \"lockfileVersion\": 9\n}\n", "{}", "at good, line 2: lockfileVersion 9 is not known: 1 to 3 are"},
		{"package-lock.json", "{\n}\n", "{}", "at good, it has no lockfileVersion"},
		{"package-lock.json", "{\n \"lockfileVersion\": 3,\n}\n", "{}", "at good, line 3: invalid character '}'"},
		{"package-lock.json", "[]\n", "{}", "at good, line 1: want an object"},
		{"package.json", "{\n}\n{", "{}", "what it says of packages of a lock file goes with that: at good, line 3: there is more behind the end of the object"},
		{"package.json", "{\n}\n", "{\n \"dependencies\": {\n  \"a\": \"1\", \"b\": \"1\"\n }\n}\n", "at bad, line 3: a shares it with something else"},
		{"go.mod", "module m\n", "module m\n\nrequire (\n", "at bad, line 4: syntax error"},
		{"package.json", "{\n \"a\": \"1\n\"\n}\n", "{}", "at good, line 2: invalid character '\\n' in string literal"},
		{"package.json", "{\n \"a\": [\n1\n2]\n}\n", "{}", "at good, line 4: invalid character '2'"},
		{"package.json", "{\n \"a\":\n", "{}", "at good, line 2: unexpected EOF"},
		{"go.mod", "module m\n\nrequire e.org/m one\n", "module m\n", "at good, line 3: "},
		{"go.sum", "e.org/m v1.0.0 h1:x\n<<<<<<< ours\n", "e.org/m v1.0.0 h1:x\n", "at good, line 2: want a module, a version and a checksum"},
		{"yarn.lock", "# yarn lockfile v1\n\n\"a@1\":\n", "__metadata:\n", "at bad, line 1: want # yarn lockfile v1"},
		{"yarn.lock", "# yarn lockfile v1\n\na:\n", "# yarn lockfile v1\n", "at good, line 3: want NAME@RANGE, and there is \"a\""},
		{"pnpm-lock.yaml", "\nlockfileVersion: 4\n", "lockfileVersion: '9.0'\n", "at good, line 2: lockfileVersion \"4\" is not known: 5, 6 and 9 are"},
		{"pnpm-lock.yaml", "a: 1\n b: 2\n", "lockfileVersion: '9.0'\n", "at good, yaml: line 2: "},
		{"flake.lock", "{\n \"version\": 1\n}", "{}", "at good, line 2: version 1 is not known: 5 to 7 are"},
		{"package.json", "{\n}\n", "{}", ""}, // there is nothing to say
	} {
		found := Find([]File{{Path: c.file, Old: []byte(c.old), New: []byte(c.new)}}, nil, nil)
		got := strings.Join(found.Notes, "; ")
		if (c.want == "") != (got == "") || !strings.Contains(got, c.want) || c.want != "" && !strings.HasPrefix(got, c.file+" is cut by lines, and ") || found.Read[c.file] {
			t.Errorf("%s: got\n%s, want\n%s", c.file, got, c.want)
		}
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

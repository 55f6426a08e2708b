package dependency

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/mod/modfile"

	"github.com/gitdd/gitdd/internal/seed"
)

// names says of each update what it is, and where.
func names(list []Update) (all []string) {
	for _, u := range list {
		text := u.String()
		if u.Required != "" && u.Required != u.Name {
			text += " for " + u.Required
		}
		if u.From != [2]string{} {
			text += " from " + u.From[0] + " and " + u.From[1]
		}
		if u.Refused != "" {
			text += ": " + u.Refused
		}
		all = append(all, strings.Join(append([]string{text}, u.At...), " at "))
	}
	return all
}

func TestBetween(t *testing.T) {
	for name, test := range map[string]struct {
		file, old, new string
		want           []string
	}{
		"go": {"go.mod",
			"module m\nrequire (\n\ta.org/a v1.0.0\n\tb.org/b v1.0.0 // indirect\n\tc.org/c v1.0.0\n)\n",
			"module m\nrequire a.org/a v1.1.0\nrequire b.org/b v1.0.1-0.20200102030405-abcdefabcdef\nrequire d.org/d v1.0.0\n",
			[]string{"a.org/a v1.0.0 → v1.1.0", "b.org/b v1.0.0 → v1.0.1-0.20200102030405-abcdefabcdef"}},
		"replace": {"go.mod",
			"module m\nrequire a.org/a v1.0.0\nrequire b.org/b v1.0.0\nreplace a.org/a => f.org/a v1.0.0\nreplace b.org/b v0.9.0 => f.org/b v1.0.0\n",
			"module m\nrequire a.org/a v1.0.0\nrequire b.org/b v1.0.0\nreplace a.org/a => f.org/a v1.2.0\nreplace b.org/b v0.9.0 => f.org/b v1.1.0\n",
			[]string{"f.org/a v1.0.0 → v1.2.0 for a.org/a"}},
		"forked": {"go.mod", "module m\nrequire a.org/a v1.0.0\n", "module m\nrequire a.org/a v1.0.0\nreplace a.org/a => f.org/a v1.0.0\n",
			[]string{"f.org/a v1.0.0 → v1.0.0 for a.org/a: it is a.org/a before and f.org/a after"}},
		"npm 3": {"package-lock.json",
			`{"lockfileVersion": 3, "packages": {"": {"version": "1.0.0"}, "node_modules/a": {"version": "1.0.0"}, "node_modules/b": {"version": "1.0.0"},
				"node_modules/b/node_modules/a": {"version": "1.0.0"}, "node_modules/@s/c": {"version": "1.0.0"}, "node_modules/d": {"name": "real", "version": "1.0.0"},
				"node_modules/l": {"link": true}, "node_modules/g": {"version": "1.0.0", "resolved": "git+ssh://x#1"}}}`,
			`{"lockfileVersion": 3, "packages": {"": {"version": "2.0.0"}, "node_modules/a": {"version": "1.1.0"}, "node_modules/b": {"version": "1.0.0"},
				"node_modules/b/node_modules/a": {"version": "1.1.0"}, "node_modules/@s/c": {"version": "1.2.0"}, "node_modules/d": {"name": "real", "version": "1.1.0"},
				"node_modules/l": {"link": true}, "node_modules/g": {"version": "1.1.0", "resolved": "git+ssh://x#2"}, "node_modules/n": {"version": "1.0.0"}}}`,
			[]string{"@s/c 1.0.0 → 1.2.0 at node_modules/@s/c", "a 1.0.0 → 1.1.0 at node_modules/a at node_modules/b/node_modules/a",
				"g 1.0.0 → 1.1.0: it comes from a git repository, git+ssh://x#1: clone that, and name the clone by --with g=DIR at node_modules/g", "real 1.0.0 → 1.1.0 at node_modules/d"}},
		"a package of the project": {"package-lock.json",
			`{"lockfileVersion": 3, "packages": {"packages/a": {"version": "1.0.0"}, "node_modules/a": {"resolved": "packages/a", "link": true}}}`,
			`{"lockfileVersion": 3, "packages": {"packages/a": {"version": "1.1.0"}, "node_modules/a": {"resolved": "packages/a", "link": true}}}`,
			nil},
		"npm, no names": {"package-lock.json",
			`{"lockfileVersion": 3, "packages": {"node_modules/a": {"name": "file:../a", "version": "1.0.0"}, "node_modules/--b": {"version": "1.0.0"}, "node_modules/c": {"version": "1.0.0"}}}`,
			`{"lockfileVersion": 3, "packages": {"node_modules/a": {"name": "file:../a", "version": "1.1.0"}, "node_modules/--b": {"version": "1.1.0"}, "node_modules/c": {"version": "../c"}}}`,
			[]string{"--b 1.0.0 → 1.1.0 at node_modules/--b", `c 1.0.0 → ../c: "../c" is not a version at node_modules/c`,
				`file:../a 1.0.0 → 1.1.0: "file:../a" is not the name of a package at node_modules/a`}},
		"npm, another package of an alias": {"package-lock.json",
			`{"lockfileVersion": 3, "packages": {"node_modules/a": {"name": "b", "version": "1.0.0"}}}`, `{"lockfileVersion": 3, "packages": {"node_modules/a": {"name": "c", "version": "2.0.0"}}}`,
			[]string{"c 1.0.0 → 2.0.0: it is b before and c after at node_modules/a"}},
		"npm, addresses": {"package-lock.json",
			`{"lockfileVersion": 3, "packages": {"node_modules/a": {"version": "1.0.0", "resolved": "https://x/a.tgz", "integrity": "sha512-a"}, "node_modules/b": {"version": "1.0.0", "resolved": "http://x/b.tgz"},
				"node_modules/c": {"version": "1.0.0", "resolved": "https://x/c.tgz", "integrity": "md5-c"}, "node_modules/d": {"version": "1.0.0", "resolved": "file:d.tgz", "integrity": "sha512-d"}}}`,
			`{"lockfileVersion": 3, "packages": {"node_modules/a": {"version": "1.1.0", "resolved": "https://x/a2.tgz", "integrity": "sha512-b"}, "node_modules/b": {"version": "1.1.0"},
				"node_modules/c": {"version": "1.1.0", "resolved": "https://x/c2.tgz", "integrity": "sha1-c"}, "node_modules/d": {"version": "1.1.0", "resolved": "file:d2.tgz", "integrity": "sha512-e"}}}`,
			[]string{"a 1.0.0 → 1.1.0 from https://x/a.tgz and https://x/a2.tgz at node_modules/a",
				"b 1.0.0 → 1.1.0 from http://x/b.tgz and : the lock file has no checksum of http://x/b.tgz that is known, so that another file may be there now: clone its repository, and name the clone by --with b=DIR at node_modules/b",
				"c 1.0.0 → 1.1.0 from https://x/c.tgz and https://x/c2.tgz: the lock file has no checksum of https://x/c.tgz that is known, so that another file may be there now: clone its repository, and name the clone by --with c=DIR at node_modules/c",
				"d 1.0.0 → 1.1.0: it comes from file:d.tgz, a file that only the project has: name a clone of its repository by --with d=DIR at node_modules/d"}},
		"npm 1, addresses": {"package-lock.json",
			`{"lockfileVersion": 1, "dependencies": {"a": {"version": "https://x/a.tgz", "integrity": "sha512-a"}}}`, `{"lockfileVersion": 1, "dependencies": {"a": {"version": "https://x/b.tgz", "integrity": "sha512-b"}}}`,
			[]string{"a https://x/a.tgz → https://x/b.tgz from https://x/a.tgz and https://x/b.tgz at node_modules/a"}},
		"npm 1": {"sub/npm-shrinkwrap.json",
			`{"lockfileVersion": 1, "dependencies": {"a": {"version": "1.0.0"}, "b": {"version": "1.0.0", "dependencies": {"a": {"version": "0.1.0"}}}}}`,
			`{"lockfileVersion": 1, "dependencies": {"a": {"version": "1.0.0"}, "b": {"version": "1.0.0", "dependencies": {"a": {"version": "0.2.0"}}}}}`,
			[]string{"a 0.1.0 → 0.2.0 at node_modules/b/node_modules/a"}},
	} {
		got := names(Between(test.file, written(test.file, test.old), written(test.file, test.new), [2][]byte{}))
		if !slices.Equal(got, test.want) || !Manifest(test.file) {
			t.Errorf("%s: got %q, want %q", name, got, test.want)
		}
	}
	for file, text := range map[string]string{"go.mod": "module m\nrequire a.org/a one\n", "package-lock.json": `{"packages": 1}`} {
		if got := Between(file, []byte(text), []byte(text), [2][]byte{}); got != nil {
			t.Errorf("%s: got %v of what cannot be read", file, got)
		}
	}
}

// written is a text as npm writes it, one value on a line.
func written(file, text string) []byte {
	var out bytes.Buffer
	if strings.HasSuffix(file, ".json") && json.Indent(&out, []byte(text), "", "  ") == nil {
		return append(out.Bytes(), '\n')
	}
	return []byte(text)
}

// What differs between two drawn sets of versions is what Between finds, in each form in which they can be written.
func TestBetweenDrawn(t *testing.T) {
	r := rand.New(rand.NewPCG(seed.New(t), 0))
	draw := func() map[string]string {
		m := map[string]string{}
		for i := range r.IntN(8) {
			m[fmt.Sprintf("e.org/m%d", (i+r.IntN(4))%8)] = fmt.Sprintf("v1.%d.0", r.IntN(3))
		}
		return m
	}
	forms := map[string]func(map[string]string) string{
		"go.mod": func(m map[string]string) string {
			text := "module m\n"
			for name, v := range m {
				text += "require " + name + " " + v + "\n"
			}
			return text
		},
		"package-lock.json": func(m map[string]string) string {
			lock := map[string]any{}
			for name, v := range m {
				lock["node_modules/"+name] = map[string]string{"version": v}
			}
			text, _ := json.Marshal(map[string]any{"lockfileVersion": 3, "packages": lock})
			return string(text)
		},
		"npm-shrinkwrap.json": func(m map[string]string) string {
			lock := map[string]any{}
			for name, v := range m {
				lock[name] = map[string]string{"version": v}
			}
			text, _ := json.Marshal(map[string]any{"lockfileVersion": 1, "dependencies": lock})
			return string(text)
		},
	}
	for range 300 {
		old, new := draw(), draw()
		var want []string
		for _, name := range slices.Sorted(maps.Keys(new)) {
			if had, ok := old[name]; ok && had != new[name] {
				want = append(want, name+" "+had+" → "+new[name])
			}
		}
		for file, form := range forms {
			var got []string
			for _, u := range Between(file, written(file, form(old)), written(file, form(new)), [2][]byte{}) {
				got = append(got, u.String())
			}
			if !slices.Equal(got, want) {
				t.Fatalf("%s of %v and %v: got %q, want %q", file, old, new, got, want)
			}
		}
	}
}

func TestReplaceModules(t *testing.T) {
	const text = "module m\n\ngo 1.20\n\nrequire (\n\ta.org/a v1.0.0\n\tb.org/b v1.0.0\n)\n\nreplace a.org/a v1.0.0 => f.org/a v1.0.0\n\nreplace b.org/b => ../b\n"
	got, err := ReplaceModules([]byte(text), map[string]string{"a.org/a": "a.org/a"})
	if err != nil {
		t.Fatal(err)
	}
	f, err := modfile.Parse("go.mod", got, nil)
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	for _, r := range f.Replace {
		lines = append(lines, strings.TrimSpace(r.Old.String()+" => "+r.New.Path))
	}
	slices.Sort(lines)
	if want := []string{"a.org/a => ./a.org/a", "b.org/b => ../b"}; !slices.Equal(lines, want) || len(f.Require) != 2 {
		t.Errorf("got %q, want %q:\n%s", lines, want, got)
	}
}

func TestUnitedSums(t *testing.T) {
	if got, want := string(UnitedSums([]byte("b v1 h1:b=\na v1 h1:a=\n"), []byte("c v1 h1:c=\na v1 h1:a="))), "a v1 h1:a=\nb v1 h1:b=\nc v1 h1:c=\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got := UnitedSums(nil, nil); got != nil {
		t.Errorf("got %q of nothing", got)
	}
}

func TestRevisions(t *testing.T) {
	for _, test := range []struct {
		u       Update
		version string
		want    string
	}{
		{Update{Manager: Npm, Name: "a"}, "1.0.0", "v1.0.0 1.0.0 a@1.0.0"},
		{Update{Manager: Go, Name: "e.org/x/net"}, "v0.1.0", "net/v0.1.0:net x/net/v0.1.0:x/net v0.1.0 0.1.0"},
		{Update{Manager: Go, Name: "e.org/x/sub/v2"}, "v2.1.0+incompatible", "sub/v2.1.0:sub x/sub/v2.1.0:x/sub v2.1.0 2.1.0"},
		{Update{Manager: Go, Name: "e.org/x"}, "v0.0.0-20200102030405-abcdefabcdef", "abcdefabcdef:x abcdefabcdef"},
	} {
		var got []string
		for _, r := range Revisions(test.u, test.version) {
			name := strings.TrimPrefix(r.Name, "refs/tags/")
			if r.Dir != "" {
				name += ":" + r.Dir
			}
			got = append(got, name)
		}
		if strings.Join(got, " ") != test.want {
			t.Errorf("%v %s: got %q, want %q", test.u, test.version, got, test.want)
		}
	}
}

func TestHolds(t *testing.T) {
	for _, test := range []struct {
		u        Update
		dir      string
		manifest string // "" = none
		want     bool
	}{
		{Update{Manager: Go, Name: "e.org/x/v2"}, "", "module e.org/x/v2\n", true},
		{Update{Manager: Go, Name: "e.org/x/v2"}, "", "module e.org/x\n", false},
		{Update{Manager: Go, Name: "e.org/x/sub"}, "", "module e.org/x\n", false},
		{Update{Manager: Go, Name: "e.org/x"}, "", "", true},
		{Update{Manager: Go, Name: "e.org/x/sub"}, "sub", "", false},
		{Update{Manager: Npm, Name: "@s/a"}, "", `{"name": "@s/a"}`, true},
		{Update{Manager: Npm, Name: "@s/a"}, "", `{"name": "monorepo"}`, false},
		{Update{Manager: Npm, Name: "a"}, "", "", false},
	} {
		var manifest []byte
		if test.manifest != "" {
			manifest = []byte(test.manifest)
		}
		if got := Holds(test.u, test.dir, manifest); got != test.want {
			t.Errorf("%v in %q with %q: %v, want %v", test.u, test.dir, test.manifest, got, test.want)
		}
	}
}

func TestNames(t *testing.T) {
	for _, test := range []struct {
		u    Update
		want []string
	}{
		{Update{Manager: Go, Name: "github.com/a/lib/v2"}, []string{"github.com-a-lib-v2", "v2", "lib"}},
		{Update{Manager: Go, Name: "gopkg.in/yaml.v2"}, []string{"gopkg.in-yaml.v2", "yaml.v2", "yaml"}},
		{Update{Manager: Npm, Name: "@s/a"}, []string{"s-a", "a"}},
	} {
		if got := test.u.Names(); !slices.Equal(got, test.want) {
			t.Errorf("%s: %q, want %q", test.u.Name, got, test.want)
		}
	}
}

// The script puts the files of a folder in the place of an installed package, and nothing else.
func TestInstallScript(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) {
		name = filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"it's/new", "it's/.dot", "it's/sub/x", "p/node_modules/@s/a/old", "p/node_modules/@s/a/.old", "p/node_modules/@s/a/sub/old", "p/node_modules/@s/a/node_modules/b/own", "p/node_modules/other/file"} {
		write(name, name)
	}
	write("it's/cli", "")
	if err := os.MkdirAll(filepath.Join(dir, "p/node_modules/.bin"), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("../@s/a/cli", filepath.Join(dir, "p/node_modules/.bin/cli")); err != nil {
		t.Skip(err)
	}
	run := func(at ...string) (string, error) {
		cmd := exec.Command("sh", "-c", InstallScript("it's", "p", at))
		cmd.Env = append(os.Environ(), "GITDD_WORKSPACE="+dir)
		out, err := cmd.CombinedOutput()
		return string(out), err
	}
	if out, err := run("node_modules/@s/a"); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	var got []string
	err := filepath.WalkDir(filepath.Join(dir, "p"), func(path string, d os.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			rel, _ := filepath.Rel(filepath.Join(dir, "p/node_modules"), path)
			got = append(got, rel)
		}
		return err
	})
	want := []string{".bin/cli", "@s/a/.dot", "@s/a/cli", "@s/a/new", "@s/a/node_modules/b/own", "@s/a/sub/x", "other/file"}
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("got %q, %v; want %q", got, err, want)
	}
	if info, err := os.Stat(filepath.Join(dir, "p/node_modules/@s/a/cli")); err != nil || info.Mode()&0o100 == 0 {
		t.Errorf("the program cannot be run: %v", err)
	}
	if err := os.Symlink("@s/a", filepath.Join(dir, "p/node_modules/link")); err != nil {
		t.Fatal(err)
	}
	outside := t.TempDir()
	if err := os.MkdirAll(filepath.Join(outside, "a"), 0o777); err != nil {
		t.Fatal(err)
	}
	for link, to := range map[string]string{"p/linked": outside, "p/node_modules/.bin/other": filepath.Join(outside, "program")} {
		if err := os.Symlink(to, filepath.Join(dir, link)); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(outside, "program"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if out, err := run("node_modules/@s/a"); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	if info, err := os.Stat(filepath.Join(outside, "program")); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("a file outside was changed: %v %v", info, err)
	}
	for _, at := range []string{"node_modules/none", "node_modules/link", "linked/a"} {
		if out, err := run(at); err == nil || !strings.Contains(out, "no package is installed in p/"+at) {
			t.Errorf("%s: %v, %s", at, err, out)
		}
	}
}

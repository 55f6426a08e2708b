package updates

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/mod/module"
	"golang.org/x/mod/zip"

	"github.com/gitdd/gitdd/internal/seed"
)

// made are the modules that a proxy of this test has: by path and version, what each requires.
var made = map[string][]string{
	"example.com/a v1.0.0": {"example.com/c v1.0.0"},
	"example.com/a v1.1.0": {"example.com/c v1.1.0", "example.com/e v1.0.0"},
	"example.com/b v1.0.0": {"example.com/c v1.0.0"},
	"example.com/b v1.1.0": {"example.com/c v1.2.0"},
	"example.com/c v1.0.0": nil,
	"example.com/c v1.1.0": nil,
	"example.com/c v1.2.0": nil,
	"example.com/d v1.0.0": {"example.com/b v1.0.0"},
	"example.com/e v1.0.0": nil,
	"example.com/g v1.0.0": {"example.com/e v1.0.0"},
}

// The go command accepts the mixtures of two revisions that it made itself.
func TestGoCommand(t *testing.T) {
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip("there is no go command")
	}
	dir := t.TempDir()
	proxy, cache := filepath.Join(dir, "proxy"), filepath.Join(dir, "cache")
	for name, requires := range made {
		makeModule(t, proxy, name, requires)
	}
	work := func(name string, command ...string) error {
		c := exec.Command("go", command...)
		c.Dir = filepath.Join(dir, name)
		c.Env = append(os.Environ(), "GOPROXY=file://"+filepath.ToSlash(proxy), "GONOSUMDB=*", "GONOSUMCHECK=1", "GOFLAGS=-modcacherw", "GOMODCACHE="+cache, "GOTOOLCHAIN=local", "GOWORK=off")
		if out, err := c.CombinedOutput(); err != nil {
			return fmt.Errorf("go %v: %v\n%s", command, err, out)
		}
		return nil
	}
	write := func(name, file string, text []byte) {
		if err := os.MkdirAll(filepath.Join(dir, name), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name, file), text, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for name, requires := range map[string]string{"old": "a v1.0.0 b v1.0.0 g v1.0.0", "new": "a v1.1.0 b v1.1.0 d v1.0.0"} {
		mod := "module example.com/m\n\ngo 1.21\n\nrequire (\n"
		words := strings.Fields(requires)
		for i := 0; i < len(words); i += 2 {
			mod += "\texample.com/" + words[i] + " " + words[i+1] + "\n"
		}
		source := "package m\n\nimport (\n"
		for i := 0; i < len(words); i += 2 {
			source += "\t_ \"example.com/" + words[i] + "\"\n"
		}
		write(name, "go.mod", []byte(mod+")\n"))
		write(name, "m.go", []byte(source+")\n"))
		if err := work(name, "mod", "tidy"); err != nil {
			t.Fatal(err)
		}
	}
	p := pairOf(t, []string{"go.mod", "go.sum"}, [2]string{filepath.Join(dir, "old"), filepath.Join(dir, "new")})
	x := mix(t, p)
	x.found = Find(x.files, nil, func(path, version string) []byte {
		text, err := os.ReadFile(filepath.Join(cache, "cache", "download", path, "@v", version+".mod"))
		if err != nil {
			return nil
		}
		return text
	})
	if len(x.found.Notes) > 0 {
		t.Errorf("notes %q", x.found.Notes)
	}
	// What both revisions import, so that only the files of the two ends can be at fault.
	write("mixture", "m.go", []byte("package m\n\nimport (\n\t_ \"example.com/a\"\n\t_ \"example.com/b\"\n)\n"))
	random := rand.New(rand.NewPCG(seed.New(t), 3))
	seen := make(map[string]bool)
	for range 60 {
		has := make([]bool, x.n)
		for i := range has {
			has[i] = random.IntN(max(2, i)) == 0 // the first ones are of go.mod
		}
		x.close(has)
		if seen[fmt.Sprint(has)] || len(seen) == 8 {
			continue
		}
		seen[fmt.Sprint(has)] = true
		for k, f := range x.files {
			write("mixture", f.Path, x.compose(k, has))
		}
		if err := work("mixture", "list", "-mod=readonly", "-deps", "./..."); err != nil {
			t.Errorf("%v: %v\n%s", has, err, x.compose(0, has))
		}
	}
	if len(seen) < 4 {
		t.Errorf("only %d mixtures: %v", len(seen), x.found.Ties)
	}
}

// makeModule puts a module into a proxy that is a directory (go.dev/ref/mod, "GOPROXY protocol").
func makeModule(t *testing.T, proxy, name string, requires []string) {
	t.Helper()
	path, version, _ := strings.Cut(name, " ")
	mod := "module " + path + "\n\ngo 1.21\n"
	source := "package x\n"
	for _, r := range requires {
		mod += "\nrequire " + r + "\n"
		required, _, _ := strings.Cut(r, " ")
		source += "\nimport _ \"" + required + "\"\n"
	}
	dir := filepath.Join(proxy, path, "@v")
	if err := os.MkdirAll(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	var packed bytes.Buffer
	files := []zip.File{member{"go.mod", mod}, member{"x.go", source}}
	if err := zip.Create(&packed, module.Version{Path: path, Version: version}, files); err != nil {
		t.Fatal(err)
	}
	for ending, text := range map[string][]byte{".mod": []byte(mod), ".zip": packed.Bytes(), ".info": []byte(`{"Version": "` + version + `"}`)} {
		if err := os.WriteFile(filepath.Join(dir, version+ending), text, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	list, _ := os.ReadFile(filepath.Join(dir, "list"))
	versions := append(strings.Fields(string(list)), version)
	slices.Sort(versions)
	if err := os.WriteFile(filepath.Join(dir, "list"), []byte(strings.Join(versions, "\n")+"\n"), 0o666); err != nil {
		t.Fatal(err)
	}
}

package updates

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"flag"
	"fmt"
	"go/build"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/mod/module"

	"github.com/gitdd/gitdd/internal/seed"
)

var (
	managers = flag.String("managers", "", "ask package managers about mixtures of lock files: go, npm and cargo, with commas")
	most     = flag.Int("pairs", 40, "pairs of lock files for each manager")
	chosen   = flag.String("only", "", "only pairs with this in their names")
	each     = flag.Int("subsets", 20, "mixtures of each pair")
)

// A manager makes pairs of files and judges mixtures of them.
type manager struct {
	name  string
	pairs func(t *testing.T, random *rand.Rand, n int) []managed // n or more, of which some may be of no use
	check [][]string                                             // commands that have to succeed
	once  []string                                               // a command for one mixture of each pair
}

// A managed pair is two revisions of the files of a project: prepare makes them in two directories.
type managed struct {
	name    string
	files   []string
	prepare func(old, new string) error
}

var (
	askedGo    = manager{"go", goPairs, [][]string{{"go", "list", "-mod=readonly", "-deps", "./..."}}, []string{"go", "mod", "verify"}}
	askedNpm   = manager{"npm", npmPairs, [][]string{{"npm", "ci", "--dry-run", "--ignore-scripts", "--no-audit", "--no-fund", "--prefer-offline"}}, nil}
	askedCargo = manager{"cargo", cargoPairs, [][]string{{"cargo", "metadata", "--locked", "--offline", "--format-version=1", "--quiet"}}, nil}
)

// Mixtures of lock files, closed under the ties, are accepted by the package managers, if they accept both revisions. It needs the
// network.
func TestManagers(t *testing.T) {
	if *managers == "" {
		t.Skip("-managers was not given")
	}
	random := rand.New(rand.NewPCG(seed.New(t), 2))
	fmt.Printf("| manager | pairs | changes, median | updates, median | mixtures | accepted | not closed as they were drawn |\n|---|---|---|---|---|---|---|\n")
	for _, m := range []manager{askedGo, askedNpm, askedCargo} {
		if slices.Contains(strings.Split(*managers, ","), m.name) {
			fmt.Println(m.ask(t, random, *most, *each))
		}
	}
}

// Cargo is asked about a few mixtures of what it made itself, where it is here; that needs no network.
func TestCargo(t *testing.T) {
	seed.SkipLong(t, 4)
	if _, err := exec.LookPath("cargo"); err != nil {
		t.Skip("there is no cargo")
	}
	askedCargo.ask(t, rand.New(rand.NewPCG(seed.New(t), 4)), 3, 6)
}

// ask asks the manager about mixtures of pairs, and returns a row of the table. A refused mixture is an error.
func (m manager) ask(t *testing.T, random *rand.Rand, pairs, subsets int) string {
	var used, mixtures, accepted, open int
	var changed, updated []int
	for _, pair := range m.pairs(t, random, pairs) {
		if used == pairs {
			break
		}
		if !strings.Contains(pair.name, *chosen) {
			continue
		}
		dir := t.TempDir()
		ends := [2]string{filepath.Join(dir, "old"), filepath.Join(dir, "new")}
		if err := pair.prepare(ends[good], ends[bad]); err != nil {
			t.Logf("%s: %v", pair.name, err)
			continue
		}
		usable := true
		for _, end := range ends {
			if said, ok := asked(end, m.check...); !ok {
				t.Logf("%s: an end is not accepted: %s", pair.name, said)
				usable = false
				break
			}
		}
		if !usable {
			continue
		}
		p := pairOf(t, pair.files, ends)
		x := mix(t, p)
		if m.name == "go" {
			x.found = Find(x.files, nil, cached(t))
		}
		if x.n < 2 {
			continue
		}
		used++
		changed, updated = append(changed, x.n), append(updated, len(x.found.Updates))
		seen := make(map[string]bool)
		for round := 0; len(seen) < subsets && round < 20*subsets; round++ {
			has := make([]bool, x.n)
			share := random.Float64()
			for i := range has {
				has[i] = random.Float64() < share
			}
			drawn := slices.Clone(has)
			x.close(has)
			if key := fmt.Sprint(has); seen[key] {
				continue
			} else {
				seen[key] = true
			}
			if !slices.Equal(has, drawn) {
				open++
			}
			for k, f := range x.files {
				if err := os.WriteFile(filepath.Join(ends[good], f.Path), x.compose(k, has), 0o666); err != nil {
					t.Fatal(err)
				}
			}
			mixtures++
			commands := m.check
			if len(seen) == 1 && m.once != nil {
				commands = append(slices.Clone(commands), m.once)
			}
			said, ok := asked(ends[good], commands...)
			if ok {
				accepted++
				continue
			}
			t.Errorf("%s: %s", pair.name, said)
			for k := range x.files {
				t.Logf("%s", x.compose(k, has))
			}
		}
		fmt.Fprintf(os.Stderr, "%s %s: %d changes, %d updates, notes %v; so far %d of %d\n", m.name, pair.name, x.n, len(x.found.Updates), x.found.Notes, accepted, mixtures)
	}
	return fmt.Sprintf("| %s | %d | %d | %d | %d | %d | %d |", m.name, used, median(changed), median(updated), mixtures, accepted, open)
}

func median(list []int) int {
	if len(list) == 0 {
		return 0
	}
	slices.Sort(list)
	return list[len(list)/2]
}

// asked runs commands in a directory until one fails, and returns what that one said.
func asked(dir string, commands ...[]string) (said string, ok bool) {
	for _, words := range commands {
		c := exec.Command(words[0], words[1:]...)
		c.Dir, c.WaitDelay = dir, time.Minute
		c.Env = append(os.Environ(), "GOFLAGS=-buildvcs=false", "GOWORK=off", "GOTOOLCHAIN=local")
		if out, err := c.CombinedOutput(); err != nil {
			lines := strings.Split(strings.TrimSpace(string(out)), "\n")
			return fmt.Sprintf("%s: %v: %s", words, err, strings.Join(lines[:min(len(lines), 5)], " / ")), false
		}
	}
	return "", true
}

func pairOf(t *testing.T, files []string, ends [2]string) pair {
	t.Helper()
	p := pair{paths: files, text: make(map[string][2][]byte)}
	for _, name := range files {
		var texts [2][]byte
		for which, end := range ends {
			text, err := os.ReadFile(filepath.Join(end, name))
			if err != nil {
				t.Fatal(err)
			}
			texts[which] = text
		}
		p.text[name] = texts
	}
	return p
}

// cached reads go.mod files of the module cache.
func cached(t *testing.T) Modules {
	out, err := exec.Command("go", "env", "GOMODCACHE").Output()
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(strings.TrimSpace(string(out)), "cache", "download")
	return func(path, version string) []byte {
		path, err := module.EscapePath(path)
		if err != nil {
			return nil
		}
		text, err := os.ReadFile(filepath.Join(dir, path, "@v", version+".mod"))
		if err != nil {
			return nil
		}
		return text
	}
}

// goModules are modules with a go.sum and some requirements.
var goModules = strings.Fields(`github.com/spf13/viper github.com/gin-gonic/gin github.com/labstack/echo/v4 github.com/go-git/go-git/v5
	github.com/prometheus/client_golang github.com/prometheus/common github.com/gofiber/fiber/v2 github.com/nats-io/nats.go
	github.com/charmbracelet/bubbletea github.com/charmbracelet/glamour github.com/hashicorp/vault/api github.com/redis/go-redis/v9
	github.com/jackc/pgx/v5 github.com/rs/zerolog github.com/segmentio/kafka-go github.com/IBM/sarama google.golang.org/grpc
	github.com/grpc-ecosystem/grpc-gateway/v2 go.opentelemetry.io/otel/sdk github.com/minio/minio-go/v7 github.com/dgraph-io/badger/v4
	github.com/blevesearch/bleve/v2 github.com/go-playground/validator/v10 github.com/swaggo/swag github.com/quic-go/quic-go
	github.com/pion/webrtc/v4 github.com/go-resty/resty/v2 github.com/gorilla/websocket github.com/sirupsen/logrus github.com/stretchr/testify
	github.com/urfave/cli/v2 github.com/hashicorp/raft github.com/hashicorp/memberlist github.com/elastic/go-elasticsearch/v8 github.com/mattn/go-colorable
	github.com/tdewolff/minify/v2 github.com/gohugoio/locales github.com/alecthomas/chroma/v2 github.com/ory/dockertest/v3 github.com/go-redsync/redsync/v4
	github.com/casbin/casbin/v2 github.com/beego/beego/v2 github.com/cloudwego/hertz github.com/zeromicro/go-zero github.com/nats-io/nats-server/v2`)

// goPairs are releases of the modules. In the place of their source code there is one file that imports what both
// releases import.
func goPairs(t *testing.T, random *rand.Rand, _ int) (list []managed) {
	for _, module := range goModules {
		out, err := exec.Command("go", "list", "-m", "-f", `{{join .Versions "\n"}}`, "-versions", module+"@latest").Output()
		if err != nil {
			t.Logf("%s: %v", module, err)
			continue
		}
		versions := slices.DeleteFunc(strings.Fields(string(out)), func(v string) bool { return strings.Contains(v, "-") })
		versions = versions[max(0, len(versions)-25):]
		for i := len(versions) - 1; i >= 3; i -= 3 {
			old, new := versions[i-3], versions[i]
			list = append(list, managed{module + " " + old + " " + new, []string{"go.mod", "go.sum"}, func(a, b string) error {
				return prepareGo(module, [2]string{old, new}, [2]string{a, b})
			}})
		}
	}
	random.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
	return list
}

func prepareGo(module string, versions, ends [2]string) error {
	var imports [2][]string
	for which, version := range versions {
		out, err := exec.Command("go", "mod", "download", "-json", module+"@"+version).Output()
		if err != nil {
			return err
		}
		var at struct{ Dir string }
		if err := json.Unmarshal(out, &at); err != nil {
			return err
		}
		if err := os.MkdirAll(ends[which], 0o777); err != nil {
			return err
		}
		for _, name := range []string{"go.mod", "go.sum"} {
			text, err := os.ReadFile(filepath.Join(at.Dir, name))
			if err != nil {
				return err
			}
			if err := os.WriteFile(filepath.Join(ends[which], name), text, 0o666); err != nil {
				return err
			}
		}
		err = filepath.WalkDir(at.Dir, func(path string, d fs.DirEntry, err error) error {
			if err != nil || !d.IsDir() {
				return err
			}
			if _, err := os.Stat(filepath.Join(path, "go.mod")); path != at.Dir && (err == nil || strings.HasPrefix(d.Name(), "_") || d.Name() == "testdata") {
				return filepath.SkipDir
			}
			if p, err := build.ImportDir(path, 0); err == nil && p.Name != "main" {
				imports[which] = append(imports[which], p.Imports...)
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	source := bytes.NewBufferString("package x\n\n")
	slices.Sort(imports[good])
	for _, path := range slices.Compact(imports[good]) {
		first, _, _ := strings.Cut(path, "/")
		if slices.Contains(imports[bad], path) && strings.Contains(first, ".") && path != module && !strings.HasPrefix(path, module+"/") && !strings.Contains(path, "internal") {
			fmt.Fprintf(source, "import _ %q\n", path)
		}
	}
	for _, end := range ends {
		if err := os.WriteFile(filepath.Join(end, "x.go"), source.Bytes(), 0o666); err != nil {
			return err
		}
	}
	return nil
}

// npmPackages are packages that many others are built on.
var npmPackages = strings.Fields(`express lodash react webpack typescript eslint jest mocha axios commander chalk debug async request
	yargs glob rimraf semver ws koa fastify body-parser winston pino prettier rollup postcss vue handlebars marked cheerio node-fetch
	inquirer execa rxjs ajv redux @babel/core @types/node supertest`)

// npmPairs are made by npm: what it chooses for older and for newer releases of some packages.
func npmPairs(t *testing.T, random *rand.Rand, pairs int) (list []managed) {
	released := make(map[string][]string)
	for _, name := range npmPackages {
		var versions []string
		out, err := exec.Command("npm", "view", "--json", name, "versions").Output()
		if err == nil {
			err = json.Unmarshal(out, &versions)
		}
		versions = slices.DeleteFunc(versions, func(v string) bool { return strings.Contains(v, "-") })
		if err != nil || len(versions) < 20 {
			t.Logf("%s: %d releases, %v", name, len(versions), err)
			continue
		}
		released[name] = versions
	}
	names := slices.Sorted(maps.Keys(released))
	for n := range 2 * pairs {
		var old, new []string
		for range 2 + random.IntN(4) {
			name := names[random.IntN(len(names))]
			versions := released[name]
			i := len(versions)/2 + random.IntN(len(versions)/2)
			j := i + random.IntN(len(versions)-i)
			old, new = append(old, name+"@"+versions[i]), append(new, name+"@"+versions[j])
		}
		if n%2 == 0 { // the last one is added
			old = old[:len(old)-1]
		}
		version := 2 + n%2 // of version 1, npm asks the registry about every package
		list = append(list, managed{fmt.Sprint(old, new, version), []string{"package.json", "package-lock.json"}, func(a, b string) error {
			for dir, wanted := range map[string][]string{a: old, b: new} {
				if err := os.MkdirAll(dir, 0o777); err != nil {
					return err
				}
				if err := os.WriteFile(filepath.Join(dir, "package.json"), []byte("{\n  \"name\": \"m\",\n  \"version\": \"1.0.0\"\n}\n"), 0o666); err != nil {
					return err
				}
				command := append([]string{"npm", "install", "--package-lock-only", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error",
					"--prefer-offline", fmt.Sprint("--lockfile-version=", version)}, wanted...)
				if said, ok := asked(dir, command); !ok {
					return fmt.Errorf("%s", said)
				}
			}
			return nil
		}})
	}
	return list
}

// cargoPairs are made by cargo, of crates that are made up: their names, versions and requirements are drawn. The registry is a directory
// of crates ("Source Replacement" in the Cargo book), so that no network is needed.
func cargoPairs(t *testing.T, random *rand.Rand, pairs int) (list []managed) {
	for n := range 2 * pairs {
		dir := t.TempDir()
		registry := drawCrates(t, random, dir)
		var both [2]string // the dependencies in Cargo.toml
		for _, i := range random.Perm(len(registry))[:3+random.IntN(3)] {
			c := registry[i]
			old, new := c.versions[random.IntN(c.early)], c.versions[random.IntN(len(c.versions))]
			switch random.IntN(6) {
			case 0: // added
			case 1: // removed
				new = ""
				fallthrough
			default:
				both[good] += fmt.Sprintf("%s = %q\n", c.name, old)
			}
			if new != "" {
				both[bad] += fmt.Sprintf("%s = %q\n", c.name, new)
			}
		}
		all := random.IntN(2) == 0 // crates are updated that need not be
		list = append(list, managed{fmt.Sprint(n), []string{"Cargo.toml", "Cargo.lock"}, func(a, b string) error {
			for which, end := range []string{a, b} {
				for _, d := range []string{"src", ".cargo"} {
					if err := os.MkdirAll(filepath.Join(end, d), 0o777); err != nil {
						return err
					}
				}
				write := func(name, text string) {
					if err := os.WriteFile(filepath.Join(end, name), []byte(text), 0o666); err != nil {
						t.Fatal(err)
					}
				}
				config := func(crates string) {
					write(".cargo/config.toml", fmt.Sprintf("[source.crates-io]\nreplace-with = \"made\"\n\n[source.made]\ndirectory = %q\n", filepath.Join(dir, crates)))
				}
				write("src/lib.rs", "")
				write("Cargo.toml", "[package]\nname = \"m\"\nversion = \"0.1.0\"\nedition = \"2021\"\n\n[dependencies]\n"+both[which])
				commands := [][]string{{"cargo", "generate-lockfile", "--offline", "--quiet"}}
				config([]string{"early", "all"}[which])
				if which == bad && !all {
					text, err := os.ReadFile(filepath.Join(a, "Cargo.lock"))
					if err != nil {
						return err
					}
					write("Cargo.lock", string(text))
					commands = [][]string{{"cargo", "update", "--workspace", "--offline", "--quiet"}}
				}
				if said, ok := asked(end, commands...); !ok {
					return fmt.Errorf("%s", said)
				}
				config("all")
			}
			return nil
		}})
	}
	return list
}

// A drawn crate has versions, of which the early ones come first.
type drawn struct {
	name     string
	versions []string
	early    int
}

// drawCrates makes crates, each in some versions that require later crates, in the directories all and, of the early versions, early.
func drawCrates(t *testing.T, random *rand.Rand, dir string) (list []drawn) {
	for i := range 12 {
		c := drawn{name: fmt.Sprintf("crate-%c", 'a'+i)}
		for _, v := range []string{"0.1.0", "0.1.1", "0.2.0", "0.2.3", "1.0.0", "1.1.0", "2.0.0"} {
			if random.IntN(2) == 0 {
				c.versions = append(c.versions, v)
			}
		}
		if c.versions == nil {
			c.versions = []string{"1.0.0"}
		}
		c.early = 1 + random.IntN(len(c.versions))
		list = append(list, c)
	}
	for i, c := range list {
		for k, version := range c.versions {
			text := fmt.Sprintf("[package]\nname = %q\nversion = %q\nedition = \"2021\"\n", c.name, version)
			for _, to := range list[i+1:] {
				if random.IntN(4) > 0 {
					continue
				}
				known := to.versions
				if k < c.early {
					known = known[:to.early]
				}
				kind := []string{"dependencies", "dependencies", "build-dependencies", "target.'cfg(windows)'.dependencies"}[random.IntN(4)]
				text += fmt.Sprintf("\n[%s.%s]\nversion = %q\n", kind, to.name, known[random.IntN(len(known))])
			}
			for _, registry := range []string{"all", "early"} {
				if registry == "early" && k >= c.early {
					continue
				}
				at := filepath.Join(dir, registry, c.name+"-"+version)
				for name, text := range map[string]string{
					"Cargo.toml": text, "src/lib.rs": "",
					".cargo-checksum.json": fmt.Sprintf(`{"files": {}, "package": "%x"}`, sha256.Sum256([]byte(text))),
				} {
					name = filepath.Join(at, name)
					if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
						t.Fatal(err)
					}
					if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
						t.Fatal(err)
					}
				}
			}
		}
	}
	return list
}

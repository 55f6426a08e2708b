package updates

import (
	"bytes"
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
	managers = flag.String("managers", "", "ask package managers about mixtures of real lock files: go, npm or both, with a comma")
	most     = flag.Int("pairs", 40, "pairs of lock files for each manager")
	chosen   = flag.String("only", "", "only pairs with this in their names")
	each     = flag.Int("subsets", 20, "mixtures of each pair")
)

// A manager makes pairs of files and judges mixtures of them.
type manager struct {
	name  string
	pairs func(t *testing.T, random *rand.Rand) []managed
	check [][]string // commands that have to succeed
	once  []string   // a command for one mixture of each pair
}

// A managed pair is two revisions of the files of a project: prepare makes them in two directories.
type managed struct {
	name    string
	files   []string
	prepare func(old, new string) error
}

// Mixtures of real lock files, closed under the ties, are accepted by the package managers, if they accept both
// revisions. It needs the network.
func TestManagers(t *testing.T) {
	if *managers == "" {
		t.Skip("-managers was not given")
	}
	random := rand.New(rand.NewPCG(seed.New(t), 2))
	fmt.Printf("| manager | pairs | changes, median | updates, median | mixtures | accepted | not closed as they were drawn |\n|---|---|---|---|---|---|---|\n")
	for _, m := range []manager{
		{"go", goPairs, [][]string{{"go", "list", "-mod=readonly", "-deps", "./..."}}, []string{"go", "mod", "verify"}},
		{"npm", npmPairs, [][]string{{"npm", "ci", "--dry-run", "--ignore-scripts", "--no-audit", "--no-fund", "--prefer-offline"}}, nil},
	} {
		if !slices.Contains(strings.Split(*managers, ","), m.name) {
			continue
		}
		var used, mixtures, accepted, open int
		var changed, updated []int
		for _, pair := range m.pairs(t, random) {
			if used == *most {
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
			for round := 0; len(seen) < *each && round < 20**each; round++ {
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
				if said, ok := asked(ends[good], commands...); ok {
					accepted++
				} else {
					t.Logf("%s: %s\n%s", pair.name, said, x.compose(0, has))
				}
			}
			fmt.Fprintf(os.Stderr, "%s %s: %d changes, %d updates, notes %v; so far %d of %d\n", m.name, pair.name, x.n, len(x.found.Updates), x.found.Notes, accepted, mixtures)
		}
		fmt.Printf("| %s | %d | %d | %d | %d | %d | %d |\n", m.name, used, median(changed), median(updated), mixtures, accepted, open)
		if accepted < mixtures {
			t.Errorf("%s refuses %d of %d mixtures", m.name, mixtures-accepted, mixtures)
		}
	}
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
func goPairs(t *testing.T, random *rand.Rand) (list []managed) {
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
func npmPairs(t *testing.T, random *rand.Rand) (list []managed) {
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
	for n := range 2 * *most {
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

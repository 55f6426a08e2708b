package gitdd_test

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime/debug"
	"slices"
	"strings"
	"testing"

	"github.com/gitdd/gitdd/internal/seed"
)

// program is a program in a document: its text, and behind it what it prints.
var program = regexp.MustCompile("(?s)```go\n(package main\n.*?)```\n.*?```text\n(.*?)```\n")

// TestLibrary builds the programs of docs/library.md in a module of their own, which
// sees no more of this one than any other does, runs them and compares what they
// print.
func TestLibrary(t *testing.T) {
	seed.SkipLong(t, 4)
	text, err := os.ReadFile(filepath.Join("docs", "library.md"))
	if err != nil {
		t.Fatal(err)
	}
	programs := program.FindAllStringSubmatch(string(text), -1)
	uses := []struct {
		setup func(t *testing.T, dir string)
		args  []string
	}{
		{prices, []string{"v1", "HEAD", "sh", "test.sh"}},
		{menu, []string{"menu.json", "sh", "-c", "! grep -q soup {}"}},
	}
	if len(programs) != len(uses) {
		t.Fatalf("%d programs in the document, want %d", len(programs), len(uses))
	}
	module := outside(t)
	// As this test was built: then what they import is compiled already.
	build := []string{"build"}
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, flag := range []string{"-race", "-trimpath"} {
			if slices.Contains(info.Settings, debug.BuildSetting{Key: flag, Value: "true"}) {
				build = append(build, flag)
			}
		}
	}
	for i, use := range uses {
		dir := filepath.Join(module, "program", string('a'+rune(i)))
		write(t, dir, map[string]string{"main.go": programs[i][1]})
		binary := filepath.Join(dir, "program")
		run(t, module, nil, "go", append(build, "-o", binary, "./program/"+filepath.Base(dir))...)
		work := t.TempDir()
		use.setup(t, work)
		if got := run(t, work, isolated(t), binary, use.args...); got != programs[i][2] {
			t.Errorf("docs/library.md: program %d prints\n%s\nand not, as the document says,\n%s", i+1, got, programs[i][2])
		}
		programs[i][0] = binary
	}
	gitdd := filepath.Join(t.TempDir(), "gitdd")
	run(t, ".", nil, "go", append(build, "-o", gitdd, "./cmd/gitdd")...)
	searchesAlike(t, programs[0][0], gitdd)
	reducesAlike(t, programs[1][0], gitdd)
}

// isolated is an environment in which no other session is seen.
func isolated(t *testing.T) []string {
	return []string{"GITDD_CACHE_DIR=" + t.TempDir(), "GORACE=atexit_sleep_ms=0"}
}

// reducesAlike compares the answers and the trials of the program that reduces with those of gitdd reduce.
func reducesAlike(t *testing.T, program, gitdd string) {
	for name, c := range map[string]struct {
		content string
		script  string
	}{
		"menu.json": {`{"menu": ["fish", {"name": "soup", "price": 4}], "open": true}`, `! grep -q soup {} || { echo "no soup"; exit 3; }`},
		"sums.c": {"int one(void) { return 1; }\nint two(void) { int a = one(); return a + one(); }\nint main(void) { return two() - 2; }\n",
			`test "$(grep -c one {})" -lt 2`},
		"list.txt": {"alpha\nbeta\ngamma\ndelta\nepsilon\nzeta\neta\ntheta\n", `grep -q beta {} && grep -q eta {} && exit 1; true`},
	} {
		work := t.TempDir()
		write(t, work, map[string]string{name: c.content})
		got := run(t, work, isolated(t), program, name, "sh", "-c", c.script)
		text := run(t, work, isolated(t), gitdd, "reduce", "-q", "--json", "-", name, "--", "sh", "-c", c.script)
		var result struct {
			Minimal, Verified bool
			Format            string
			Shown             struct{ Text string }
			Trials            struct{ Run int }
		}
		if err := json.Unmarshal([]byte(text), &result); err != nil {
			t.Fatal(err)
		}
		want := fmt.Sprintf("%s\n%s, minimal: %v, verified: %v, %d trials\n", result.Shown.Text, result.Format, result.Minimal, result.Verified, result.Trials.Run)
		if got != want || result.Trials.Run < 5 || len(result.Shown.Text) >= len(c.content) {
			t.Errorf("%s: the program of docs/library.md prints\n%s\nbut gitdd reduce found\n%s", name, got, want)
		}
	}
}

// searchesAlike compares the answers and the trials of the program that searches with those of gitdd run.
func searchesAlike(t *testing.T, program, gitdd string) {
	for name, c := range map[string]struct {
		setup   func(t *testing.T, dir string)
		command []string
	}{
		"prices":   {prices, []string{"sh", "test.sh"}},
		"squashed": {squashed, []string{"sh", "test.sh"}},
		"mended":   {mended, []string{"sh", "test.sh"}},
	} {
		work := t.TempDir()
		c.setup(t, work)
		got := run(t, work, isolated(t), program, append([]string{"v1", "HEAD"}, c.command...)...)
		text := run(t, work, isolated(t), gitdd, append([]string{"run", "-q", "--json", "-", "v1", "HEAD", "--"}, c.command...)...)
		var result struct {
			Verified bool
			Cause    []struct {
				ID, Path, Symbol, Old, New string
				NewStart                   int `json:"new_start"`
			}
			Trials  struct{ Run int }
			History struct {
				Suspects []struct{ Subject string }
			}
		}
		if err := json.Unmarshal([]byte(text), &result); err != nil {
			t.Fatal(err)
		}
		var want strings.Builder
		for _, m := range result.Cause {
			fmt.Fprintf(&want, "%s %s:%d: %s\n-%s+%s", m.ID, m.Path, m.NewStart, m.Symbol, m.Old, m.New)
		}
		if len(result.Cause) == 0 || len(result.History.Suspects) != 1 {
			t.Fatalf("%s: gitdd run names no commit and cause:\n%s", name, text)
		}
		fmt.Fprintf(&want, "commit %q, verified: %v, %d trials\n", result.History.Suspects[0].Subject, result.Verified, result.Trials.Run)
		if got != want.String() {
			t.Errorf("%s: the program of docs/library.md prints\n%s\nbut gitdd run found\n%s", name, got, want.String())
		}
	}
}

// outside makes a module that requires this one and, by what stands in the go.mod
// of this one, nothing that would have to be fetched.
func outside(t *testing.T) string {
	t.Helper()
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	own, err := os.ReadFile("go.mod")
	if err != nil {
		t.Fatal(err)
	}
	sums, err := os.ReadFile("go.sum")
	if err != nil {
		t.Fatal(err)
	}
	rest := regexp.MustCompile(`(?m)^(module|tool) .*\n`).ReplaceAllString(string(own), "")
	dir := t.TempDir()
	write(t, dir, map[string]string{
		"go.mod": "module example.com/outside\n\nrequire github.com/gitdd/gitdd v0.0.0\n\nreplace github.com/gitdd/gitdd => " + here + "\n" + rest,
		"go.sum": string(sums),
	})
	return dir
}

// commit makes a repository in dir of commits of files, of which the first one is v1.
func commit(t *testing.T, dir string, commits ...map[string]string) {
	git := func(args ...string) {
		run(t, dir, nil, "git", append([]string{"-c", "user.name=Ada", "-c", "user.email=ada@example.com"}, args...)...)
	}
	git("init", "-q")
	for i, files := range commits {
		write(t, dir, files)
		git("add", "-A")
		git("commit", "-q", "-m", []string{"first", "second", "third"}[i])
		if i == 0 {
			git("tag", "v1")
		}
	}
}

// prices is a repository in which of six edits one, with what it needs, breaks the
// test.
func prices(t *testing.T, dir string) {
	commit(t, dir, map[string]string{
		"price.sh": "net=100\n\ntax=20\n\nname=tea\n\nsum=$((net + tax))\n\nunit=g\n\nshop=main\n",
		"test.sh":  ". ./price.sh\ntest \"$sum\" -eq 120\n",
	}, map[string]string{
		"price.sh": "net=80\n\ntax=40\n\nname=coffee\n\nsum=$((net + tax + 0))\n\nunit=kg\n\nshop=north\n",
	}, map[string]string{
		"price.sh": "net=80\n\ntax=40\n\nname=coffee\n\nsum=$((net + tax - 7))\n\nunit=kg\n\nshop=north\n",
	})
}

// squashed is a repository with a single commit behind v1, in which a call and what it calls come together:
// a mixture of the two cannot be judged.
func squashed(t *testing.T, dir string) {
	commit(t, dir, map[string]string{
		"price.sh":  "net=100\n\ntax=20\n\nname=tea\n\nsum=$((net + tax))\n\nunit=g\n",
		"test.sh":   ". ./price.sh || exit 125\ntest -n \"$sum\" || exit 125\ntest \"$sum\" -ge 100 && test \"$sum\" -lt 200\n",
		"readme.md": "one\n",
	}, map[string]string{
		"price.sh":  "net=90\n\ntax=30\n\nname=cocoa\n\nsum=$(add \"$net\" \"$tax\")\n\nunit=kg\n",
		"test.sh":   "test ! -e sum.sh || . ./sum.sh\n. ./price.sh || exit 125\ntest -n \"$sum\" || exit 125\ntest \"$sum\" -ge 100 && test \"$sum\" -lt 200\n",
		"sum.sh":    "add() {\n\techo $(($1 + $2 * 10))\n}\n",
		"readme.md": "one\n\ntwo\n",
	})
}

// mended is a repository whose newer end passes.
func mended(t *testing.T, dir string) {
	commit(t, dir, map[string]string{
		"price.sh": "net=100\n\ntax=20\n\nname=tea\n\nsum=$((net - tax))\n\nunit=g\n",
		"test.sh":  ". ./price.sh\ntest \"$sum\" -eq 120\n",
	}, map[string]string{
		"price.sh": "net=100\n\ntax=20\n\nname=coffee\n\nsum=$((net + tax))\n\nunit=kg\n",
	})
}

func menu(t *testing.T, dir string) {
	write(t, dir, map[string]string{"menu.json": `{"menu": ["fish", {"name": "soup"}]}`})
}

func write(t *testing.T, dir string, files map[string]string) {
	t.Helper()
	for name, content := range files {
		name = filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(content), 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

// run runs a program and returns what it printed on standard output.
func run(t *testing.T, dir string, env []string, name string, args ...string) string {
	t.Helper()
	cmd := exec.Command(name, args...)
	cmd.Dir = dir
	cmd.Env = append(append(os.Environ(), "GOFLAGS=-mod=mod", "GOPROXY=off", "GOWORK=off", "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_NOSYSTEM=1"), env...)
	var errs strings.Builder
	cmd.Stderr = &errs
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s %s: %v\n%s", name, strings.Join(args, " "), err, errs.String())
	}
	return string(out)
}

package main

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/gitdd/gitdd/internal/seed"
	"github.com/gitdd/gitdd/internal/settings"
	"github.com/gitdd/gitdd/isolate"
)

// edits makes a repository repo of files of lines, in which random lines are replaced in each commit. One commit adds
// a line BUG. The first commit has the tag v1.
func (f *field) edits(random *rand.Rand) {
	f.run("", "git", "init", "-q", "-b", "main", "repo")
	texts := make([][]string, 1+random.IntN(3))
	for n := range texts {
		for i := range 5 + random.IntN(25) {
			texts[n] = append(texts[n], fmt.Sprintf("file %d line %d", n, i))
		}
	}
	commits := 1 + random.IntN(5)
	for c, culprit := 0, 1+random.IntN(commits); c <= commits; c++ {
		for range min(c, 1+random.IntN(3)) {
			n := random.IntN(len(texts))
			from := random.IntN(len(texts[n]) + 1)
			to := min(len(texts[n]), from+random.IntN(13))
			var lines []string
			for i := range random.IntN(13) {
				lines = append(lines, fmt.Sprintf("commit %d line %d of %d", c, i, random.IntN(100)))
			}
			if c == culprit && !slices.Contains(slices.Concat(texts...), "BUG") {
				lines = slices.Insert(lines, random.IntN(len(lines)+1), "BUG")
			}
			if !slices.Contains(texts[n][from:to], "BUG") {
				texts[n] = slices.Replace(texts[n], from, to, lines...)
			}
		}
		if c == commits && !slices.Contains(slices.Concat(texts...), "BUG") {
			texts[0] = append(texts[0], "BUG")
		}
		for n, text := range texts {
			if err := os.WriteFile(f.path(fmt.Sprintf("repo/file%d.txt", n)), []byte(strings.Join(text, "\n")+"\n"), 0o666); err != nil {
				f.t.Fatal(err)
			}
		}
		f.run("repo", "git", "add", "-A")
		f.run("repo", "git", "commit", "-q", "--allow-empty", "-m", fmt.Sprint("commit ", c))
		if c == 0 {
			f.run("repo", "git", "tag", "v1")
		}
	}
}

// TestGoalsRandom searches random histories for one line with random goals, levels, algorithms and groups: the answer has
// that line, both ends of it are what they are said to be, and cut into lines nothing else is in the cause.
func TestGoalsRandom(t *testing.T) {
	seed.Rounds(t, 60, 2, func(t *testing.T, random *rand.Rand) {
		f := newField(t)
		f.edits(random)
		choose := func(flag string, list []string) []string {
			return []string{flag, list[random.IntN(len(list))]}
		}
		level := choose("--level", settings.Choices["level"])
		args := slices.Concat([]string{"gitdd", "run", "--good", "v1", "--json", "../result.json"}, level, choose("--goal", settings.Choices["goal"]))
		if random.IntN(2) == 0 {
			args = append(args, choose("--algorithm", isolate.Algorithms())...)
		}
		if random.IntN(3) == 0 {
			args = append(args, choose("--group", settings.Choices["group"])...)
		}
		for _, flag := range []string{"--no-history", "--rounds", "--clean", "-j=3", "--through=always"} {
			if random.IntN(4) == 0 {
				args = append(args, flag)
			}
		}
		text := f.run("repo", append(args, "--", "sh", "-c", "! grep -x BUG *")...)
		r, err := readResult(f.path("result.json"))
		if err != nil {
			t.Fatal(err)
		}
		var lines []string
		for _, c := range r.Cause {
			lines = append(lines, strings.Split(strings.TrimSuffix(c.New, "\n"), "\n")...)
		}
		if !slices.Contains(lines, "BUG") || !r.Verified || !r.Minimal {
			t.Errorf("%q: the lines %q\n%s", args, lines, text)
		}
		if level[1] == "line" && len(lines) > 1 {
			t.Errorf("%q: more than a line: %q\n%s", args, lines, text)
		}
		for end, fails := range map[string]bool{"passing": false, "failing": true} {
			f.run("repo", "gitdd", "checkout", end, "../"+end)
			files, err := filepath.Glob(f.path(end + "/*"))
			if err != nil || len(files) == 0 {
				t.Fatalf("%d files, %v", len(files), err)
			}
			found := false
			for _, name := range files {
				text, err := os.ReadFile(name)
				if err != nil {
					t.Fatal(err)
				}
				found = found || strings.Contains("\n"+string(text), "\nBUG\n")
			}
			if found != fails {
				t.Errorf("%q: %s has the line: %v\n%s", args, end, found, text)
			}
		}
	})
}

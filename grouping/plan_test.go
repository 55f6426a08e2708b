package grouping_test

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/gitdd/gitdd/changes"
	"github.com/gitdd/gitdd/grouping"
	"github.com/gitdd/gitdd/internal/git"
)

// An edit is the state of a repository after one commit: path -> content.
type edit struct {
	subject string
	files   map[string]string
}

// repository makes a repository with one commit per edit.
func repository(t testing.TB, edits ...edit) *git.Repo {
	t.Helper()
	dir := t.TempDir()
	run := func(in []byte, args ...string) {
		cmd := exec.CommandContext(t.Context(), "git", args...)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=/dev/null", "LC_ALL=C")
		cmd.Stdin = bytes.NewReader(in)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %s: %v\n%s", strings.Join(args, " "), err, out)
		}
	}
	run(nil, "init", "-q", "--bare", ".")
	var in bytes.Buffer
	for i, e := range edits {
		fmt.Fprintf(&in, "commit refs/heads/main\nmark :%d\ncommitter c <c@example.org> %d +0000\ndata %d\n%s\ndeleteall\n", i+1, 1700000000+i, len(e.subject), e.subject)
		for path, content := range e.files {
			fmt.Fprintf(&in, "M 100644 inline %s\ndata %d\n%s\n", path, len(content), content)
		}
		fmt.Fprintf(&in, "reset refs/tags/r%d\nfrom :%d\n\n", i, i+1)
	}
	run(in.Bytes(), "fast-import", "--quiet")
	repo, err := git.Open(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { repo.Close() })
	return repo
}

func between(t testing.TB, repo *git.Repo, good, bad string) *changes.Set {
	t.Helper()
	s, err := changes.Between(t.Context(), repo, good, bad, changes.Options{})
	if err != nil {
		t.Fatal(err)
	}
	s.Declarations = grouping.Declarations
	return s
}

func plan(t testing.TB, s *changes.Set, by ...grouping.Level) *grouping.Plan {
	t.Helper()
	p, err := grouping.New(t.Context(), s, grouping.Options{By: by})
	if err != nil {
		t.Fatal(err)
	}
	checkPlan(t, s, p)
	return p
}

// checkPlan holds what every plan promises.
func checkPlan(t testing.TB, s *changes.Set, p *grouping.Plan) {
	t.Helper()
	n := s.Len()
	sorted := slices.Sorted(slices.Values(p.Order))
	for i, j := range sorted {
		if i != j {
			t.Fatalf("order %v is no permutation", p.Order)
		}
	}
	if len(sorted) != n || len(p.Predicted) != n || len(p.Symbols) != n || len(p.Groups) != len(p.Levels) || len(p.Names) != len(p.Levels) {
		t.Fatalf("plan of %d changes has order %d, predicted %d, symbols %d, levels %d, groups %d, names %d",
			n, len(p.Order), len(p.Predicted), len(p.Symbols), len(p.Levels), len(p.Groups), len(p.Names))
	}
	for l, group := range p.Groups {
		if len(group) != n {
			t.Fatalf("level %d groups %d of %d changes", l, len(group), n)
		}
		last := -1
		for k, i := range p.Order {
			switch {
			case group[i] == last+1:
				last++
			case group[i] != last:
				t.Fatalf("level %d: group %d is not contiguous in the order, or numbered out of it", l, group[i])
			}
			if l > 0 && k > 0 {
				before := p.Order[k-1]
				if group[i] == group[before] && p.Groups[l-1][i] != p.Groups[l-1][before] {
					t.Fatalf("level %d does not refine the level above", l)
				}
			}
		}
		if len(p.Names[l]) != last+1 {
			t.Fatalf("level %d has %d groups and %d names", l, last+1, len(p.Names[l]))
		}
	}
	for i, row := range p.Predicted {
		if !slices.IsSorted(row) || len(slices.Compact(slices.Clone(row))) != len(row) {
			t.Errorf("predicted %d: %v is not increasing", i, row)
		}
		for _, j := range row {
			if j < 0 || j >= n || j == i || s.Requires != nil && slices.Contains(s.Requires[i], j) {
				t.Errorf("predicted %d: %d is out of range, itself or structural", i, j)
			}
		}
	}
}

// edges names the predicted requirements by the changes' places.
func edges(s *changes.Set, p *grouping.Plan) (list []string) {
	for i, row := range p.Predicted {
		for _, j := range row {
			list = append(list, fmt.Sprintf("%v -> %v", &s.Changes[i], &s.Changes[j]))
		}
	}
	return list
}

// withGrammars reports whether a variable is seen, as only a grammar does.
func withGrammars() bool { return grouping.Declarations("a.py", []byte("x = 1\n")) != nil }

// Each testdata/predict/*.txtar holds the files of good/ and bad/ and, in want,
// the requirements that the difference predicts. Where a lexical
// reading cannot know as much, want.nocgo says what it finds.
func TestPredicted(t *testing.T) {
	eachDifference(t, "predict", func(t *testing.T, s *changes.Set) []string { return edges(s, plan(t, s)) })
}

// eachDifference compares what list says of the difference in each testdata/dir/*.txtar, from the files of good/ to those of
// bad/, with want; with want.nocgo, if there is one, where there are no grammars.
func eachDifference(t *testing.T, dir string, list func(*testing.T, *changes.Set) []string) {
	files, err := filepath.Glob(filepath.Join("testdata", dir, "*.txtar"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no testdata: %v", err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			archive, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			good, bad := edit{"good", map[string]string{}}, edit{"bad", map[string]string{}}
			want := ""
			for _, f := range archive.Files {
				if path, ok := strings.CutPrefix(f.Name, "good/"); ok {
					good.files[path] = string(f.Data)
				} else if path, ok := strings.CutPrefix(f.Name, "bad/"); ok {
					bad.files[path] = string(f.Data)
				} else if f.Name == "want" || f.Name == "want.nocgo" && !withGrammars() {
					want = string(f.Data)
				}
			}
			s := between(t, repository(t, good, bad), "r0", "r1")
			got := strings.Join(list(t, s), "\n")
			if diff := cmp.Diff(strings.TrimSpace(want), got); diff != "" {
				var all []string
				for i := range s.Changes {
					all = append(all, s.Changes[i].String())
				}
				t.Errorf("the difference has (-want +got):\n%s\nof %q", diff, all)
			}
		})
	}
}

// The hunks of a declaration in a file that a program made are one change, those of other files are not.
func TestGenerated(t *testing.T) {
	function := func(name string, value int) string {
		return fmt.Sprintf("int %s(void)\n{\n  x = %d;\n  f();\n  y = %d;\n}\n\n", name, value, value)
	}
	text := func(value int) string {
		return function("one", value) + function("two", value) + fmt.Sprintf("#if %d\nint z = 1;\n#endif\n#if %d\nint u = 1;\n#endif\n", value, value)
	}
	files := func(value int) map[string]string {
		return map[string]string{"hand.c": text(value), "lex.c": "/* A lexical scanner generated by flex */\n" + text(value)}
	}
	s := between(t, repository(t, edit{"good", files(0)}, edit{"bad", files(1)}), "r0", "r1")
	p := plan(t, s)
	want := [][]int{{6, 7}, {8, 9}}
	if diff := cmp.Diff(want, p.Generated); diff != "" {
		t.Errorf("generated (-want +got):\n%s\nof %v", diff, s.Changes)
	}
	for _, unit := range want {
		for k, i := range unit {
			if !slices.Contains(p.Requires[i], unit[1-k]) || p.Symbols[i] != p.Symbols[unit[0]] {
				t.Errorf("%v requires %v, want %d", &s.Changes[i], p.Requires[i], unit[1-k])
			}
		}
	}
	for _, i := range []int{0, 1, 2, 3, 4, 5, 10, 11} {
		if len(p.Requires[i]) > 0 {
			t.Errorf("%v requires %v, want nothing", &s.Changes[i], p.Requires[i])
		}
	}
	apart, err := grouping.New(t.Context(), s, grouping.Options{Apart: true})
	if err != nil {
		t.Fatal(err)
	}
	if apart.Generated != nil || !slices.Contains(apart.Predicted[6], 7) || slices.ContainsFunc(apart.Requires, func(row []int) bool { return len(row) > 0 }) {
		t.Errorf("with Apart: generated %v, requires %v, predicted %v", apart.Generated, apart.Requires, apart.Predicted)
	}
}

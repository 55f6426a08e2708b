package grouping_test

import (
	"flag"
	"fmt"
	"maps"
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
)

var record = flag.Bool("record", false, "run the tools again and record what they print in testdata/learn")

// place is where the recorded tools seem to have run.
const place = "/home/me/.cache/gitdd/sessions/1/tree/0"

// write puts a composed tree into a directory.
func write(t testing.TB, s *changes.Set, good map[string]string, dir string, applied []int) {
	t.Helper()
	all := maps.Clone(good)
	tree, err := s.Compose(slices.Values(applied))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range tree.Files {
		delete(all, f.Path)
		if f.Mode != 0 {
			content, err := s.Content(f)
			if err != nil {
				t.Fatal(err)
			}
			all[f.Path] = string(content)
		}
	}
	writeAll(t, all, dir)
}

func writeAll(t testing.TB, all map[string]string, dir string) {
	t.Helper()
	for path, content := range all {
		path = filepath.Join(dir, filepath.FromSlash(path))
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

// Each testdata/learn/*.txtar holds a difference, the files of good/ and bad/,
// and cases: in NAME/applied the changes that are applied, in NAME/run a line of
// shell, in NAME/log what it really printed, and in NAME/want the requirements
// that this teaches. A log without a command is from a tool's documentation.
// With -record, the commands are run again, and what is learned becomes what is
// wanted: read the difference.
func TestLearn(t *testing.T) {
	archives, err := filepath.Glob("testdata/learn/*.txtar")
	if err != nil || len(archives) == 0 {
		t.Fatalf("no testdata: %v", err)
	}
	for _, file := range archives {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) { learnArchive(t, file) })
	}
}

func learnArchive(t *testing.T, file string) {
	archive, err := txtar.ParseFile(file)
	if err != nil {
		t.Fatal(err)
	}
	good, bad := edit{"good", map[string]string{}}, edit{"bad", map[string]string{}}
	cases := map[string]map[string]string{}
	var names []string
	for _, f := range archive.Files {
		top, rest, _ := strings.Cut(f.Name, "/")
		switch top {
		case "good":
			good.files[rest] = string(f.Data)
		case "bad":
			bad.files[rest] = string(f.Data)
		default:
			if cases[top] == nil {
				cases[top] = map[string]string{}
				names = append(names, top)
			}
			cases[top][rest] = string(f.Data)
		}
	}
	s := between(t, repository(t, good, bad), "r0", "r1")
	p := plan(t, s)
	for _, name := range names {
		t.Run(name, func(t *testing.T) {
			c := cases[name]
			applied := changesNamed(t, s, c["applied"])
			if *record && c["run"] != "" {
				c["log"] = run(t, s, good.files, applied, c["run"])
			}
			want := c["want"]
			if alone, ok := c["want.nocgo"]; ok && !withGrammars() {
				want = alone
			}
			got := taught(s, p.Learn(slices.Values(applied), []byte(c["log"])))
			if *record {
				want = got
				for i := range archive.Files {
					switch archive.Files[i].Name {
					case name + "/log":
						archive.Files[i].Data = []byte(c["log"])
					case name + "/want":
						archive.Files[i].Data = []byte(got + "\n")
					}
				}
			}
			if diff := cmp.Diff(strings.TrimSpace(want), got); diff != "" {
				t.Errorf("learned (-want +got):\n%s\nfrom\n%s", diff, c["log"])
			}
			// As a tool writes to a terminal, and on Windows.
			colored := strings.ReplaceAll("\x1b[1m"+strings.ReplaceAll(c["log"], "error", "\x1b[0;1;31merror\x1b[0m\x1b[1m"), "\n", "\x1b[m\r\n")
			if again := taught(s, p.Learn(slices.Values(applied), []byte(colored))); again != got {
				t.Errorf("learned\n%s\nin color, else\n%s", again, got)
			}
		})
	}
	if *record {
		if err := os.WriteFile(file, txtar.Format(archive), 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

// changesNamed returns the changes of the given lines; "all" is all of them, a
// line with "-" takes one away.
func changesNamed(t *testing.T, s *changes.Set, text string) (list []int) {
	t.Helper()
	named := make(map[string]int)
	for i := range s.Changes {
		named[s.Changes[i].String()] = i
	}
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		name, less := strings.CutPrefix(line, "-")
		switch i, ok := named[name]; {
		case line == "all":
			list = upTo(s.Len())
		case line == "":
		case !ok:
			t.Fatalf("no change %q, only %q", name, slices.Sorted(maps.Keys(named)))
		case less:
			list = slices.DeleteFunc(list, func(j int) bool { return i == j })
		default:
			list = append(list, i)
		}
	}
	return list
}

func taught(s *changes.Set, list []grouping.Requirement) string {
	var lines []string
	for _, r := range list {
		lines = append(lines, fmt.Sprintf("%v -> %v", &s.Changes[r.Change], &s.Changes[r.Requires]))
	}
	return strings.Join(lines, "\n")
}

// run runs a command where the changes are applied and returns what it prints.
func run(t *testing.T, s *changes.Set, good map[string]string, applied []int, command string) string {
	dir := t.TempDir()
	write(t, s, good, dir, applied)
	cmd := exec.CommandContext(t.Context(), "sh", "-c", command)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "PWD="+dir, "LC_ALL=C.UTF-8", "PYTHONDONTWRITEBYTECODE=1", "GOFLAGS=-mod=mod", "GOPROXY=off")
	out, err := cmd.CombinedOutput()
	if err == nil {
		t.Errorf("%q went through:\n%s", command, out)
	}
	return strings.ReplaceAll(string(out), dir, place)
}

package btor

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Listings written by hand, with comments, gaps and all kinds of nodes, are read,
// printed and read again as the same graph. Their first lines say what a solver says,
// and it says the same of what is printed.
func TestListings(t *testing.T) {
	_, noSolver := exec.LookPath("boolector")
	for _, row := range []struct {
		name           string
		version        int
		lines, printed int
		uses           []string
	}{
		{"memory", 3, 14, 14, []string{"write", "read"}},
		{"choice", 3, 11, 11, []string{"acond", "cond", "ne"}},
		{"order", 3, 13, 13, []string{"write", "implies"}},
		{"constants", 3, 21, 21, []string{"const", "constd", "consth", "zero", "one", "ones"}},
		{"negations", 3, 22, 22, []string{"not", "neg", "inc", "dec", "proxy", "nand"}},
		{"old", 2, 19, 20, []string{"write", "acond", "eq", "const"}},
	} {
		text, err := os.ReadFile(filepath.Join("testdata", row.name+".btor"))
		if err != nil {
			t.Fatal(err)
		}
		file, err := Read(text)
		if err != nil {
			t.Errorf("%s: %v", row.name, err)
			continue
		}
		if lines := bytes.Count(text, []byte("\n")) - 1; lines != row.lines || file.Version != row.version || len(file.Warnings) > 0 {
			t.Errorf("%s: %d lines, version %d, %v", row.name, lines, file.Version, file.Warnings)
		}
		if err := SingleRoot(file.Graph); err != nil {
			t.Errorf("%s: %v", row.name, err)
		}
		g := file.Graph.Canonical()
		if len(g.Nodes) != row.printed {
			t.Errorf("%s: %d nodes are printed, not %d", row.name, len(g.Nodes), row.printed)
		}
		used := map[string]bool{}
		for _, n := range g.Nodes {
			used[n.Op] = true
		}
		for _, op := range row.uses {
			if !used[op] {
				t.Errorf("%s: no %s", row.name, op)
			}
		}
		printed := map[int][]byte{}
		for version := 2; version <= 3; version++ {
			if printed[version], err = Write(g, version); err != nil {
				t.Fatal(err)
			}
			again, err := Read(printed[version])
			if err != nil {
				t.Fatalf("%s: %v", row.name, err)
			}
			if diff := cmp.Diff(normal(g), normal(again.Graph)); diff != "" {
				t.Errorf("%s, by version %d: %s", row.name, version, diff)
			}
		}
		if noSolver != nil {
			continue
		}
		want, _, _ := strings.Cut(strings.TrimPrefix(string(text), "; "), ":")
		want, _, _ = strings.Cut(want, ",")
		texts := [][]byte{printed[3]}
		if row.version == 3 {
			texts = append(texts, text)
		}
		for _, text := range texts {
			if _, got := run(t, text, "boolector", "--btor"); got != want {
				t.Errorf("%s: %s, not %s:\n%s", row.name, got, want, text)
			}
		}
	}
}

package reduce

import (
	"encoding/csv"
	"fmt"
	"slices"
	"strings"
	"testing"
)

// TestReduceFormats reduces a small text of each format, in a number of trials that
// is a bound: what they are is up to the passes, too.
func TestReduceFormats(t *testing.T) {
	var table, log, settings, script, numbered strings.Builder
	table.WriteString("id,name,city,note\n")
	for i := range 40 {
		fmt.Fprintf(&table, "%d,name %d,\"city, %d\",note%d\n", i, i, i%7, i)
		fmt.Fprintf(&log, "12:%02d request %d\n  at handler (line %d)\n  at server\n", i, i, i)
		fmt.Fprintf(&settings, "[section %d]\n; of %d\nkey = %d\nother = a b c\n\n", i, i, i)
		fmt.Fprintf(&script, "CREATE TABLE t%d (id INT, x TEXT);\nINSERT INTO t%d VALUES (%d, 'a;b');\n", i, i, i)
	}
	for i := range 30 {
		fmt.Fprintln(&numbered, i+1)
	}
	for _, c := range []struct {
		name, text string
		fails      func(text string) bool
		want       string
		format     string
		trials     int
	}{
		{"a.csv", table.String(), func(text string) bool {
			rows, err := csv.NewReader(strings.NewReader(text)).ReadAll()
			return err == nil && slices.ContainsFunc(rows, func(row []string) bool { return slices.Contains(row, "city, 3") && slices.Contains(row, "note17") })
		}, "\"city, 3\",note17", "csv", 50},
		{"a.log", log.String(), func(text string) bool { return strings.Contains(text, "request 23\n  at") }, "request 23\n  at", "indent", 55},
		{"a.ini", settings.String(), func(text string) bool {
			return judgeINI([]byte(text)) == nil && strings.Contains(text, "[section 7]\n") && strings.Contains(text, "other =")
		}, "[section 7]\nother =", "ini", 45},
		{"a.sql", script.String(), func(text string) bool {
			return strings.Contains(text, "INSERT INTO t31") && strings.Contains(text, "'a;b'") && strings.Count(text, "(") == strings.Count(text, ")")
		}, "INSERT INTO t31'a;b'", "sql", 65},
		{"a.smt2", "(set-logic QF_LIA)\n(declare-fun x () Int)\n(declare-fun y () Int)\n(assert (and (< x 5) (or (= y 1) (> (* x y) 3)) (not (= x y))))\n(assert (> x 0))\n(check-sat)\n(exit)\n", func(text string) bool {
			tree, err := parseSMT([]byte(text))
			return err == nil && strings.Contains(text, "(declare-fun x () Int)") && strings.Contains(text, "(check-sat)") && slices.ContainsFunc(tree.Root.Children, func(n *Node) bool {
				command := text[n.From:n.To]
				return strings.HasPrefix(command, "(assert ") && strings.Contains(command, "(* x ") && len(n.Children) == 4
			})
		}, "(declare-fun x () Int)(assert (* x x))(check-sat)", "smtlib", 130},
		{"a.patch", "From me\n\n" + onePatch + "diff --git a/w b/w\n--- a/w\n+++ b/w\n@@ -10,3 +10,5 @@\n 10\n+bug\n+more\n 11\n 12\n@@ -20,3 +22,3 @@\n-20\n+20a\n 21\n 22\n", func(text string) bool {
			if _, err := parsePatch([]byte(text)); err != nil {
				return false
			}
			files := map[string]string{"x.c": "a\nb\nd\n", "w": numbered.String()}
			patched, err := strictly(files, []byte(text))
			return err == nil && strings.Contains(patched["w"], "bug\n") && strings.Contains(text, "diff --git a/w b/w\n--- a/w\n+++ b/w\n@@")
		}, "diff --git a/w b/w\n--- a/w\n+++ b/w\n@@ -10,3 +10,4 @@\n 10\n+bug\n 11\n 12\n", "patch", 20},
	} {
		result, err := Reduce(t.Context(), oneFile(c.name, c.text), contentFails(c.fails), Options{})
		if err != nil {
			t.Fatal(err)
		}
		if got := string(result.Output.Files[0].Content); got != c.want || result.Formats[0] != c.format || !result.Minimal {
			t.Errorf("%s: %q as %s, minimal %v; not %q", c.name, got, result.Formats[0], result.Minimal, c.want)
		}
		if result.Trials > c.trials || len(result.Notes) > 0 {
			t.Errorf("%s: %d trials, more than %d, %q %+v", c.name, result.Trials, c.trials, result.Notes, result.Passes)
		}
	}
}

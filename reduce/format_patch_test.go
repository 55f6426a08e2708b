package reduce

import (
	"bytes"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/gitdd/gitdd/internal/seed"
)

const onePatch = `diff --git a/x.c b/x.c
index 1111111..2222222 100644
--- a/x.c
+++ b/x.c
@@ -1,3 +1,4 @@ int f
 a
-b
+B
+C
 d
diff --git a/y b/z
similarity index 100%
rename from y
rename to z
`

const mails = `From 0123456789012345678901234567890123456789 Mon Sep 17 00:00:00 2001
From: A <a@b>
Date: Mon, 1 Jan 2024 00:00:00 +0000
X-Other: 1
Subject: [PATCH 1/2] one
 two

text
---
 x | 2 +-

diff --git a/x b/x
--- a/x
+++ b/x
@@ -1 +1 @@
-a
\ No newline at end of file
+b
-- 
2.39.5

From 1123456789012345678901234567890123456789 Mon Sep 17 00:00:00 2001
From: A <a@b>
Subject: [PATCH 2/2] two

diff --git a/w b/w
new file mode 100755
index 0000000..1111111
--- /dev/null
+++ b/w
@@ -0,0 +1,2 @@
+a
+b
-- 
2.39.5

`

// TestPatchApplies takes random elements out of patches that git made: what is left
// applies, by git, by patch, and where the headers of the hunks say.
func TestPatchApplies(t *testing.T) {
	rng := rand.New(rand.NewPCG(seed.New(t), 2))
	dir := t.TempDir()
	rounds := 12
	for round := range rounds {
		root := filepath.Join(dir, strconv.Itoa(round))
		old, changed := map[string]string{}, map[string]string{}
		for _, name := range []string{"kept", "x y", "z", "sub/w"} {
			lines := 1 + rng.IntN(30)
			o := randomLines(rng, lines)
			old[name], changed[name] = joined(rng, o), joined(rng, mutated(rng, o))
		}
		changed["new"] = joined(rng, randomLines(rng, 4))
		old["gone"] = joined(rng, randomLines(rng, 4))
		writeFiles(t, filepath.Join(root, "a"), old)
		writeFiles(t, filepath.Join(root, "b"), changed)
		context := "-U" + strconv.Itoa(rng.IntN(6))
		patch := output(t, root, 1, "git", "diff", "--no-index", "--no-renames", "--no-prefix", context, "a", "b")
		if len(patch) == 0 {
			continue
		}
		tree, err := parsePatch(patch)
		if err != nil {
			t.Fatalf("%v\n%s", err, patch)
		}
		checkTree(t, tree, patch)
		elements := elementsOf(tree.Root)
		for range 4 {
			edits := Edits{}
			most := 1 + rng.IntN(4)
			for _, n := range elements {
				if rng.IntN(4) < most {
					edits[n] = Removal(n)
				}
			}
			left, formed := tree.Render(edits)
			if !formed {
				t.Errorf("not well-formed: %s", left)
			}
			if !bytes.Contains(left, []byte("diff --git")) {
				if len(left) > 0 {
					t.Errorf("no file is left, but %q", left)
				}
				continue
			}
			at := filepath.Join(root, "at")
			if err := os.RemoveAll(at); err != nil {
				t.Fatal(err)
			}
			writeFiles(t, at, old)
			want, err := strictly(old, left)
			if err != nil {
				t.Fatalf("%s\nof\n%s\n%v", left, patch, err)
			}
			file := filepath.Join(root, "left.patch")
			if err := os.WriteFile(file, left, 0o600); err != nil {
				t.Fatal(err)
			}
			args := []string{"apply"}
			if context == "-U0" {
				args = append(args, "--unidiff-zero")
			}
			output(t, at, 0, "git", append(args, file)...)
			for name := range changed {
				got, _ := os.ReadFile(filepath.Join(at, name))
				// Without context git takes a last line without newline for an equal one before it.
				if string(got) != want[name] && context != "-U0" {
					t.Fatalf("%s becomes\n%s\nnot\n%s\nby\n%s", name, got, want[name], left)
				}
			}
			if _, err := exec.LookPath("patch"); err == nil && context != "-U0" {
				if err := os.RemoveAll(at); err != nil {
					t.Fatal(err)
				}
				writeFiles(t, at, old)
				output(t, at, 0, "patch", "-p1", "--batch", "--fuzz=0", "-i", file)
			}
		}
	}
}

// TestMailApplies takes elements out of a series of mails: git am takes the rest.
func TestMailApplies(t *testing.T) {
	rng := rand.New(rand.NewPCG(seed.New(t), 3))
	dir := t.TempDir()
	git := func(args ...string) []byte {
		return output(t, dir, 0, "git", append([]string{"-c", "user.name=a", "-c", "user.email=a@b", "-c", "commit.gpgsign=false"}, args...)...)
	}
	git("init", "-q", "-b", "main")
	writeFiles(t, dir, map[string]string{"a": "1\n2\n3\n4\n", "b": "x\ny"})
	git("add", ".")
	git("commit", "-q", "-m", "begin")
	for i, files := range []map[string]string{{"a": "1\n2a\n3\n4\n5\n"}, {"b": "x\nz\n", "c": "new\nfile\n"}, {"d": "more\n"}} {
		writeFiles(t, dir, files)
		git("add", ".")
		git("commit", "-q", "-m", "step "+strconv.Itoa(i)+"\n\nText of it\n--- no file\n")
	}
	patch := git("format-patch", "--stdout", "HEAD~3")
	git("checkout", "-q", "--detach", "HEAD~3")
	tree, err := parsePatch(patch)
	if err != nil {
		t.Fatal(err)
	}
	checkTree(t, tree, patch)
	if n := len(tree.Root.Children); n != 3 {
		t.Fatalf("%d commits: %s", n, outline(tree))
	}
	elements := elementsOf(tree.Root)
	for range 8 {
		edits := Edits{}
		for _, n := range elements {
			if rng.IntN(3) == 0 {
				edits[n] = Removal(n)
			}
		}
		left, _ := tree.Render(edits)
		if len(left) == 0 {
			continue
		}
		if err := os.WriteFile(filepath.Join(dir, ".git", "left"), left, 0o600); err != nil {
			t.Fatal(err)
		}
		git("am", "-q", filepath.Join(dir, ".git", "left"))
		git("reset", "-q", "--hard", "main~3")
	}
}

// What a hunk is after lines were taken out of it: its context is no longer than
// before, and where too much lies between it is two.
func TestHunkRepair(t *testing.T) {
	const source = "--- a\n+++ b\n@@ -1,10 +1,11 @@ f()\n 1\n-2\n+2a\n+2b\n 3\n 4\n-5\n 6\n 7\n-8\n+8a\n+8b\n 9\n 10\n@@ -20,4 +21,5 @@\n 20\n 21\n+21a\n 22\n 23\n"
	for _, c := range []struct{ without, want string }{
		{"2 2a 2b", "--- a\n+++ b\n@@ -3,8 +3,8 @@ f()\n 3\n 4\n-5\n 6\n 7\n-8\n+8a\n+8b\n 9\n 10\n@@ -20,4 +20,5 @@\n 20\n 21\n+21a\n 22\n 23\n"},
		{"5", "--- a\n+++ b\n@@ -1,10 +1,12 @@ f()\n 1\n-2\n+2a\n+2b\n 3\n 4\n 5\n 6\n 7\n-8\n+8a\n+8b\n 9\n 10\n@@ -20,4 +22,5 @@\n 20\n 21\n+21a\n 22\n 23\n"},
		{"2 2a 2b 5 8 8a 8b", "--- a\n+++ b\n@@ -20,4 +20,5 @@\n 20\n 21\n+21a\n 22\n 23\n"},
		{"2a 2b 5 8 8a 8b 21a", "--- a\n+++ b\n@@ -1,4 +1,3 @@ f()\n 1\n-2\n 3\n 4\n"},
		{"2 2a 2b 5 8 8a 8b 21a", ""},
	} {
		tree, err := parsePatch([]byte(source))
		if err != nil {
			t.Fatal(err)
		}
		edits := Edits{}
		for _, n := range elementsOf(tree.Root) {
			text := strings.TrimSpace(source[n.From:n.To])
			if n.Kind == "line" && slices.Contains(strings.Fields(c.without), text[1:]) {
				edits[n] = Removal(n)
			}
		}
		if got, _ := tree.Render(edits); string(got) != c.want {
			t.Errorf("without %s:\n%s\nnot\n%s", c.without, got, c.want)
		}
	}
}

// Far apart, two changes are two hunks.
func TestHunkSplits(t *testing.T) {
	var b strings.Builder
	b.WriteString("--- a\n+++ b\n@@ -5,42 +5,42 @@\n")
	for i := range 42 {
		if i == 3 || i == 20 || i == 38 {
			fmt.Fprintf(&b, "-line %d\n+new %d\n", i, i)
		} else {
			fmt.Fprintf(&b, " line %d\n", i)
		}
	}
	tree, err := parsePatch([]byte(b.String()))
	if err != nil {
		t.Fatal(err)
	}
	edits := Edits{}
	for _, n := range elementsOf(tree.Root) {
		if n.Kind == "change" && strings.HasPrefix(b.String()[n.From:], "-line 20\n") {
			edits[n] = Removal(n)
		}
	}
	got, _ := tree.Render(edits)
	want := "--- a\n+++ b\n@@ -5,7 +5,7 @@\n line 0\n line 1\n line 2\n-line 3\n+new 3\n line 4\n line 5\n line 6\n" +
		"@@ -40,7 +40,7 @@\n line 35\n line 36\n line 37\n-line 38\n+new 38\n line 39\n line 40\n line 41\n"
	if string(got) != want {
		t.Errorf("%s\nnot\n%s", got, want)
	}
}

func randomLines(rng *rand.Rand, n int) []string {
	lines := make([]string, n)
	for i := range lines {
		lines[i] = []string{"a", "b", "", "- c", "+ d", "-- e", "@@ f", " g", "\tg", "x\r", "\xff"}[rng.IntN(11)]
	}
	return lines
}

func mutated(rng *rand.Rand, lines []string) []string {
	var out []string
	for _, line := range lines {
		switch rng.IntN(6) {
		case 0:
		case 1:
			out = append(out, line, "new")
		case 2:
			out = append(out, "changed")
		default:
			out = append(out, line)
		}
	}
	return out
}

// joined are lines, the last of which may have no end.
func joined(rng *rand.Rand, lines []string) string {
	text := strings.Join(lines, "\n")
	if rng.IntN(3) > 0 && len(lines) > 0 {
		text += "\n"
	}
	return text
}

func writeFiles(t *testing.T, dir string, files map[string]string) {
	t.Helper()
	for name, text := range files {
		file := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// output runs a program and returns what it prints; another exit status than 0 or
// the given one fails.
func output(t *testing.T, dir string, status int, name string, args ...string) []byte {
	t.Helper()
	cmd := exec.Command(name, args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CEILING_DIRECTORIES="+filepath.Dir(dir))
	var out, errors bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errors
	if err := cmd.Run(); err != nil && cmd.ProcessState.ExitCode() != status {
		left, _ := os.ReadFile(args[len(args)-1])
		t.Fatalf("%s %s: %v\n%s%s\n%s", name, args, err, out.Bytes(), errors.Bytes(), left)
	}
	return out.Bytes()
}

// strictly applies a patch exactly where its hunks say.
func strictly(files map[string]string, patch []byte) (map[string]string, error) {
	result := map[string]string{}
	maps.Copy(result, files)
	for _, part := range bytes.Split(patch, []byte("diff --git "))[1:] {
		var out, lines []string
		name, at, old, new, before := "", 0, 0, 0, byte(0)
		for line := range bytes.Lines(part) {
			text := string(line)
			switch {
			case text[0] == '\\':
				if before == '+' && len(out) > 0 {
					out[len(out)-1] = strings.TrimSuffix(out[len(out)-1], "\n")
				}
			case old+new == 0 && strings.HasPrefix(text, "--- a/"), old+new == 0 && strings.HasPrefix(text, "+++ b/"):
				name = strings.TrimRight(text[6:], "\t\n")
				lines = slices.Collect(strings.Lines(files[name]))
			case old+new == 0 && strings.HasPrefix(text, "@@ "):
				m := hunkHeader().FindStringSubmatch(text)
				if m == nil || name == "" {
					return nil, fmt.Errorf("the hunk %q", text)
				}
				number := func(s string) int {
					n, err := strconv.Atoi(s)
					if err != nil {
						return 1
					}
					return n
				}
				begin := number(m[1]) - 1
				if old, new = number(m[2]), number(m[4]); old == 0 {
					begin++
				}
				if begin < at || begin > len(lines) {
					return nil, fmt.Errorf("%s: %s begins behind the text, or before line %d", name, text, at)
				}
				out = append(out, lines[at:begin]...)
				at = begin
				start := number(m[3]) - 1
				if new == 0 {
					start++
				}
				if start != len(out) {
					return nil, fmt.Errorf("%s: %s begins at line %d of the new text", name, text, len(out))
				}
			case old+new > 0 && text[0] != '+':
				if at == len(lines) || strings.TrimRight(lines[at], "\n") != text[1:len(text)-1] {
					return nil, fmt.Errorf("%s: line %d is not %q", name, at, text)
				}
				if old--; text[0] == ' ' {
					new--
					out = append(out, lines[at])
				}
				at++
			case old+new > 0:
				new--
				out = append(out, text[1:])
			}
			before = text[0]
		}
		if name != "" {
			result[name] = strings.Join(append(out, lines[min(at, len(lines)):]...), "")
		}
	}
	return result, nil
}

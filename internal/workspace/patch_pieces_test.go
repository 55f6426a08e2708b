package workspace

import (
	"bytes"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// patchOf has what stands in patches that people send: a letter around them, a
// section without hunks, one of diff -u, an empty line without its space.
const patchOf = `From: Ada
Subject: a letter with --- in it

--- not a section
@@ -1 +1 @@ neither
diff --git a/one b/one
index 1..2 100644
--- a/one
+++ b/one
@@ -1,3 +1,2 @@
 a

-- the removed line begins with two signs
@@ -9 +8,2 @@ with a word
-b
+c
+++ d
\ No newline at end of file
--- two	2024-05-06
+++ two	2024-05-07
@@ -1 +1 @@
-x
+y
--- /dev/null
+++ b/three
@@ -0,0 +1 @@
+z
diff --git a/mode b/mode
old mode 100644
new mode 100755
-- ` + `
2.39.5
`

func TestSections(t *testing.T) {
	all, err := sections([]byte(patchOf))
	if err != nil {
		t.Fatal(err)
	}
	type want struct {
		Begin string
		Lines int
		Parts int
		Grows bool
	}
	var got []want
	for _, s := range all {
		first, _, _ := strings.Cut(string(s.text), "\n")
		got = append(got, want{first, bytes.Count(s.text, []byte{'\n'}), len(s.parts), s.grows})
	}
	if diff := cmp.Diff([]want{
		{"diff --git a/one b/one", 13, 2, false},
		{"--- two\t2024-05-06", 5, 0, false},
		{"--- /dev/null", 4, 0, true},
		{"diff --git a/mode b/mode", 5, 0, false},
	}, got); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]bool{false, true}, all[0].grow); diff != "" {
		t.Error(diff)
	}
	for cut, what := range map[string]string{
		"\n\n-- the removed line begins with two signs": "a hunk has \"@@",
		"+c\n+++ d\n\\ No newline at end of file\n":     "a hunk has more",
	} {
		_, err := sections([]byte(strings.Replace(patchOf, cut, "", 1)))
		if err == nil || !strings.Contains(err.Error(), what) {
			t.Errorf("without %q: %v", cut, err)
		}
	}
}

// FuzzSections: what is cut out of a patch is of it, in its order.
func FuzzSections(f *testing.F) {
	f.Add([]byte(patchOf))
	f.Add([]byte("diff --git \n@@ -1 +1 @@\n-a"))
	f.Fuzz(func(t *testing.T, patch []byte) {
		all, err := sections(patch)
		if err != nil {
			return
		}
		at := 0
		for _, s := range all {
			for line := range bytes.Lines(s.text) {
				i := bytes.Index(patch[at:], line)
				if i < 0 {
					t.Fatalf("%q is not behind byte %d of %q", line, at, patch)
				}
				at += i + len(line)
			}
			if len(s.parts) == 1 || len(s.parts) != len(s.grow) {
				t.Fatalf("%d parts, %d known to grow", len(s.parts), len(s.grow))
			}
		}
	})
}

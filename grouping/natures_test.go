package grouping_test

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/gitdd/gitdd/changes"
	"github.com/gitdd/gitdd/grouping"
)

// TestNatures judges causes between configurations: what counts is the file
// before and after, not the hunk.
func TestNatures(t *testing.T) {
	long := "int a(void) { return 1; }\nint b(void) { return 2; }\nint c(void) { return 3; }\nint d(void) { return 4; }\n"
	repo := repository(t, edit{"good", map[string]string{
		"a.go":    "package a\n\n// F is one.\nfunc F() int { return 1 }\n\nvar x = 1\n\n// G is two.\nfunc G() int { return 2 }\n",
		"hide.c":  "int f(void)\n{\n\tg();\n\treturn 1;\n}\n",
		"old.c":   "/* The file. */\n" + long + long,
		"read.md": "one\n",
	}}, edit{"bad", map[string]string{
		"a.go":    "package a\n\n// F is 1.\nfunc F() int { return 1 }\n\nvar x = 2\n\n// G is 2.\nfunc G() int { return 2 }\n",
		"hide.c":  "int f(void)\n{\n/*\n\tg();\n*/\n\treturn 1;\n}\n",
		"new.c":   "/* The new file. */\n" + long + long,
		"read.md": "two\n",
		"doc.md":  "new\n",
		"new.go":  "// Package a is new.\npackage a\n",
	}})
	s := between(t, repo, "r0", "r1")
	find := func(word string) int {
		t.Helper()
		at := slices.IndexFunc(s.Changes, func(c changes.Change) bool {
			return c.Kind == changes.Text && bytes.Contains(c.New, []byte(word)) || c.Kind != changes.Text && c.Kind.String()+" "+c.Path == word
		})
		if at < 0 {
			t.Fatalf("no change with %q among %v", word, s.Changes)
		}
		return at
	}
	tests := []struct {
		name          string
		cause, beside string // words to find the changes by
		want          []grouping.Nature
	}{
		{"a comment", "F is 1", "", []grouping.Nature{grouping.Comments}},
		{"a comment beside code", "F is 1", "x = 2|G is 2", []grouping.Nature{grouping.Comments}},
		{"two comments", "F is 1|G is 2", "x = 2", []grouping.Nature{grouping.Comments, grouping.Comments}},
		{"a comment and code of one file", "F is 1|x = 2", "", []grouping.Nature{grouping.Code, grouping.Code}},
		{"a comment and code elsewhere", "F is 1|/*\n", "", []grouping.Nature{grouping.Comments, grouping.Code}},
		{"the two ends of a comment", "/*\n|*/\n", "", []grouping.Nature{grouping.Code, grouping.Code}},
		{"the end of a comment", "*/\n", "/*\n", []grouping.Nature{grouping.Code}},
		{"a comment of a renamed file", "The new file", "renamed new.c", []grouping.Nature{grouping.Comments}},
		{"a comment of a file not renamed yet", "The new file", "", []grouping.Nature{grouping.Comments}},
		{"a rename and a comment", "renamed new.c|The new file", "", []grouping.Nature{grouping.Code, grouping.Code}},
		{"a document", "two\n", "", []grouping.Nature{grouping.Documentation}},
		{"a new document", "created doc.md", "", []grouping.Nature{grouping.Documentation}},
		{"a new file", "created new.go", "", []grouping.Nature{grouping.Code}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			pick := func(words string) (ids []int) {
				for word := range strings.SplitSeq(words, "|") {
					if word != "" {
						ids = append(ids, find(word))
					}
				}
				return ids
			}
			cause, beside := pick(tt.cause), pick(tt.beside)
			without, err := s.Compose(slices.Values(beside))
			if err != nil {
				t.Fatal(err)
			}
			with, err := s.Compose(slices.Values(append(slices.Clone(beside), cause...)))
			if err != nil {
				t.Fatal(err)
			}
			got, err := grouping.Natures(s, without, with, cause)
			if err != nil || !slices.Equal(got, tt.want) {
				t.Errorf("got %v, %v; want %v", got, err, tt.want)
			}
		})
	}
}

func TestIsTest(t *testing.T) {
	for _, name := range []string{
		"a_test.go", "pkg/a_test.go", "pkg/testdata/x.json", "tests/conftest.py", "test_a.py", "a_test.py", "src/a.test.ts", "src/a.spec.jsx",
		"src/__tests__/a.js", "src/test/java/A.java", "FooTest.java", "FooTests.cs", "spec/a_spec.rb", "a.bats", "t/basic.t", "test/a.sh", "a-test.c", "test.py", "src/tests.rs",
	} {
		if !grouping.IsTest(name) {
			t.Errorf("%s: no test", name)
		}
	}
	for _, name := range []string{
		"a.go", "latest.go", "attest/a.go", "contest.py", "testing.go", "protest_a.py", "src/Testimony.java", "latest/a.rb", "inspect/a.py", "test.sh/../a", "Makefile", "detest.c",
	} {
		if grouping.IsTest(name) {
			t.Errorf("%s: a test", name)
		}
	}
}

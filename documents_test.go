package gitdd_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"
)

var (
	link    = regexp.MustCompile(`\[[^\]]*\]\(([^)\s]+)\)|src="([^"]+)"`)
	heading = regexp.MustCompile("^#+ +(.*)$")
	// path is a file of this module, or more of them: cmd/gitdd/faults_*_test.go.
	path         = regexp.MustCompile("`((?:[a-z_]+/)+[A-Za-z0-9_.*-]+\\.[a-z]+|[A-Za-z0-9_-]+\\.md)`")
	testFunction = regexp.MustCompile(`(?m)^func (Test[A-Z]\w*)\(`)
	namedTest    = regexp.MustCompile(`\bTest[A-Z]\w*\b`)
)

// TestLinks follows every link of the documents that stays within this module, to
// the heading, and every path that they name.
func TestLinks(t *testing.T) {
	followed := 0
	for _, name := range documents(t) {
		text := prose(t, name)
		for i, line := range text {
			for _, m := range link.FindAllStringSubmatch(line, -1) {
				target, anchor, _ := strings.Cut(m[1]+m[2], "#")
				if strings.Contains(target, "://") || strings.HasPrefix(target, "mailto:") {
					continue
				}
				followed++
				to := name
				if target != "" {
					to = filepath.Join(filepath.Dir(name), target)
				}
				if _, err := os.Stat(to); err != nil {
					t.Errorf("%s:%d: the link leads nowhere: %s", name, i+1, m[0])
				} else if anchor != "" && !slices.Contains(anchors(prose(t, to)), anchor) {
					t.Errorf("%s:%d: %s has no heading for #%s, of %q", name, i+1, to, anchor, anchors(prose(t, to)))
				}
			}
			if name == "CHANGELOG.md" {
				continue // it may name what was there once
			}
			for _, m := range path.FindAllStringSubmatch(line, -1) {
				if strings.Contains(m[1], "NAME") {
					continue // to be filled in
				}
				near, _ := filepath.Glob(filepath.Join(filepath.Dir(name), m[1]))
				there, err := filepath.Glob(m[1])
				if err != nil || len(there)+len(near) == 0 {
					t.Errorf("%s:%d: there is no %s", name, i+1, m[1])
				}
			}
		}
	}
	if followed < 5 {
		t.Errorf("followed %d links only: are they no longer found?", followed)
	}
}

// TestNamedTests holds the documents to the tests that they name.
func TestNamedTests(t *testing.T) {
	there := map[string]bool{}
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, "_test.go") {
			return err
		}
		text, err := os.ReadFile(path)
		for _, m := range testFunction.FindAllStringSubmatch(string(text), -1) {
			there[m[1]] = true
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range documents(t) {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, test := range namedTest.FindAllString(string(text), -1) {
			if !there[test] {
				t.Errorf("%s: there is no %s", name, test)
			}
		}
	}
}

func documents(t *testing.T) (names []string) {
	for _, pattern := range []string{"*.md", "docs/*.md", "docs/*/*.md"} {
		some, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		names = append(names, some...)
	}
	return names
}

// prose is the lines of a document, those of blocks of code empty.
func prose(t *testing.T, name string) []string {
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(string(text), "\n")
	fenced := false
	for i, line := range lines {
		if strings.HasPrefix(line, "```") {
			fenced = !fenced
		}
		if fenced || strings.HasPrefix(line, "    ") {
			lines[i] = ""
		}
	}
	return lines
}

// anchors are the names that a forge gives to the headings of a document.
func anchors(lines []string) (names []string) {
	for _, line := range lines {
		m := heading.FindStringSubmatch(line)
		if m == nil {
			continue
		}
		names = append(names, strings.Map(func(r rune) rune {
			switch {
			case r == ' ':
				return '-'
			case r == '-' || r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r):
				return unicode.ToLower(r)
			}
			return -1
		}, m[1]))
	}
	return names
}

func TestAnchors(t *testing.T) {
	got := anchors([]string{"# Flaky tests", "no heading", "## What `--all` does, and why", "### 2.1 Wrong answers"})
	want := []string{"flaky-tests", "what---all-does-and-why", "21-wrong-answers"}
	if !slices.Equal(got, want) {
		t.Errorf("anchors %q, want %q", got, want)
	}
}

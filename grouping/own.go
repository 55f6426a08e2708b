package grouping

import (
	"path"
	"slices"
	"strings"

	"github.com/gitdd/gitdd/internal/lazyregexp"
)

// OwnTest returns a function that reports whether a file, named by its path from the top of the
// repository, belongs to the test that command runs: it is the script that command runs, directly or
// with a shell, or a file that command names and that is a test by its name. A word of command names
// a file by its path, by a test in it (a_test.py::TestA, a_spec.rb:12), as a module of python -m, as
// a test of cargo, as a package of go test, or by a directory of tests that contains it. Any other
// file that command names is what it tests (./prog input, grep x file). prefix is the directory,
// below the top of the repository, in which command runs.
func OwnTest(command []string, prefix string) func(file string) bool {
	words := wordsOf(command)
	return func(file string) bool { return namesFile(words, prefix, file) }
}

// Named returns a function that reports whether command names a file, by its path from the top of the repository. prefix is
// as in OwnTest.
func Named(command []string, prefix string) func(file string) bool {
	words := wordsOf(command)
	return func(file string) bool {
		return slices.ContainsFunc(words, func(w word) bool { return path.Join(prefix, w.text) == file })
	}
}

// A word is one of a command.
type word struct {
	text string
	runs bool // as a program, or as a shell's script
}

// wordsOf are the words of a command, and those of a shell's script in it.
func wordsOf(argv []string) (words []word) {
	program, shell := true, false // which comes next
	for i, text := range argv {
		switch {
		case i > 0 && argv[i-1] == "-c" && shell:
			for _, simple := range strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune("\n;&|()`{}", r) }) {
				var fields []string
				for _, f := range strings.Fields(simple) {
					fields = append(fields, strings.Trim(f, `"'<>`))
				}
				words = append(words, wordsOf(fields)...)
			}
			continue
		case program && (leading[text] || assignment().MatchString(text)), shell && strings.HasPrefix(text, "-"):
			words = append(words, word{text: text})
			continue
		}
		words = append(words, word{text: text, runs: program || shell})
		program, shell = false, program && shells[path.Base(text)]
	}
	return words
}

var (
	shells = map[string]bool{"sh": true, "bash": true, "dash": true, "zsh": true, "ksh": true, ".": true, "source": true}
	// leading has the words after which the name of a program may follow.
	leading    = map[string]bool{"!": true, "exec": true, "env": true, "time": true, "nice": true, "nohup": true, "if": true, "then": true, "else": true, "elif": true, "while": true, "do": true}
	assignment = lazyregexp.New(`^\w+=`)
)

// testLike matches the base names of what is written to test something.
var testLike = lazyregexp.New(`(?i)test|check|repro|verify`)

// namesFile reports whether the words name the file as a test.
func namesFile(words []word, prefix, name string) bool {
	test := IsTest(name) || testLike().MatchString(path.Base(name))
	program := func(base string) bool {
		return slices.ContainsFunc(words, func(w word) bool { return strings.HasPrefix(path.Base(w.text), base) })
	}
	for i, w := range words {
		text := w.text
		if strings.HasPrefix(text, "-") {
			_, text, _ = strings.Cut(text, "=")
		}
		text, _, _ = strings.Cut(text, "::")
		text = lineNumber().ReplaceAllString(text, "")
		if text == "" || path.IsAbs(text) || !w.runs && !test {
			continue
		}
		at := path.Join(prefix, text)
		switch {
		case at == name:
			return true
		case strings.HasPrefix(name, at+"/") && IsTest(path.Join(at, "x")) && IsTest(name):
			return true
		case i > 0 && words[i-1].text == "--test" && program("cargo") && path.Join(prefix, "tests", text+".rs") == name:
			return true
		case module().MatchString(text) && program("py") && modulePath(prefix, text, name):
			return true
		}
	}
	return goTests(words, prefix, name)
}

var (
	lineNumber = lazyregexp.New(`(:\d+)+$`)
	module     = lazyregexp.New(`^[A-Za-z_]\w*(\.\w+)*$`)
)

// modulePath reports whether a dotted name is that of a Python test, or of what
// is in it.
func modulePath(prefix, dotted, name string) bool {
	if !IsTest(name) {
		return false
	}
	for {
		if path.Join(prefix, strings.ReplaceAll(dotted, ".", "/")+".py") == name {
			return true
		}
		end := strings.LastIndexByte(dotted, '.')
		if end < 0 {
			return false
		}
		dotted = dotted[:end]
	}
}

// CompilesTests reports whether a command compiles the sources of tests of Go, as far as its words say so.
func CompilesTests(command []string) bool {
	words := wordsOf(command)
	for i, w := range words[min(1, len(words)):] {
		if (w.text == "test" || w.text == "vet") && path.Base(words[i].text) == "go" {
			return true
		}
	}
	return false
}

// goTests reports whether go test runs the file, or its tests read it, as far as
// the packages say that it is told.
func goTests(words []word, prefix, name string) bool {
	at := slices.IndexFunc(words, func(w word) bool { return w.text == "test" })
	if at < 1 || path.Base(words[at-1].text) != "go" {
		return false
	}
	dir, data := path.Dir(name), false
	if i := strings.Index("/"+name, "/testdata/"); i >= 0 {
		dir, data = path.Clean("./"+name[:max(i-1, 0)]), true
	}
	if !data && !strings.HasSuffix(name, "_test.go") {
		return false
	}
	var patterns []string
	for _, w := range words[at+1:] {
		if w.text == "." || strings.HasPrefix(w.text, "./") || strings.HasPrefix(w.text, "../") {
			patterns = append(patterns, w.text)
		}
	}
	if len(patterns) == 0 {
		patterns = []string{"."}
	}
	for _, p := range patterns {
		root, below := strings.CutSuffix(p, "...")
		root = path.Join(prefix, root, ".")
		if root == dir || below && (root == "." || root == "" || strings.HasPrefix(dir, root+"/")) {
			return true
		}
	}
	return false
}

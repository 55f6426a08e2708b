package suite

import (
	"regexp"
	"slices"
	"strings"

	"github.com/gitdd/gitdd/internal/lazyregexp"
)

// Select returns arguments that make the runner of the format run at least the tests of some names. They may make it
// run others, too. It reports false if names is empty, or if there are no such arguments.
//
//	go        -run PATTERN PACKAGE..., or PACKAGE... if a name is that of a package; subtests run with all of their function
//	cargo     --exact NAME..., which belong behind -- of cargo test
//	jest      -t PATTERN, of the titles
//	pytest    the node ids
//	unittest  the names, without __main__
//	others    the names
func (f Format) Select(names []string) ([]string, bool) {
	if len(names) == 0 || f.row == nil || f.row.selects == nil {
		return nil, false
	}
	return f.row.selects(names)
}

// Found returns the format that auto has found in a report. Other formats return themselves.
func (f Format) Found(r Report) Format {
	at := slices.IndexFunc(rows, func(known row) bool { return known.name == r.Format })
	if f.row == nil || f.row.name != auto || at < 0 {
		return f
	}
	return Format{row: &rows[at]}
}

// Whole returns arguments that make the runner of the format run all tests: ./... of go, and none of others. Nothing tells
// auto before the suite has run what its format is: there a command with the words "go test" is taken for one of go.
func (f Format) Whole(command []string) []string {
	if f.row == nil {
		return nil
	}
	if f.row.name == "go" || f.row.name == auto && goCommand().MatchString(strings.Join(command, " ")) {
		return []string{"./..."}
	}
	return nil
}

var goCommand = lazyregexp.New(`(?:^|[\s/;&|(])go test\s`)

func selectNames(names []string) ([]string, bool) { return slices.Clone(names), true }

// unique returns words in their order, each once.
func unique(words []string) []string {
	seen := map[string]bool{}
	return slices.DeleteFunc(slices.Clone(words), func(word string) bool {
		was := seen[word]
		seen[word] = true
		return was
	})
}

// alternatives is a regular expression that matches one of some words.
func alternatives(words []string) string {
	var quoted []string
	for _, word := range words {
		quoted = append(quoted, regexp.QuoteMeta(word))
	}
	return strings.Join(quoted, "|")
}

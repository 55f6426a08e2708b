package btor

import (
	"os"
	"strings"
	"testing"
)

// gitdd btor --help names every operator.
func TestHelpNamesOperators(t *testing.T) {
	source, err := os.ReadFile("../cmd/gitdd/btor.go")
	if err != nil {
		t.Fatal(err)
	}
	words := map[string]bool{}
	for _, word := range strings.FieldsFunc(string(source), func(r rune) bool { return strings.ContainsRune(" \n\t,:()", r) }) {
		words[word] = true
	}
	for op := range operators {
		if !words[op] {
			t.Errorf("the help of gitdd btor does not name %s", op)
		}
	}
}

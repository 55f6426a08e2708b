package main

import (
	"strings"
	"testing"
	"unicode/utf8"
)

// TestLacks: each system and build says what it lacks, and what to do, within 80
// columns; Linux with all parsers lacks nothing.
func TestLacks(t *testing.T) {
	if list := lacks("linux", true); len(list) != 0 {
		t.Errorf("on Linux: %q", list)
	}
	for _, row := range []struct {
		system  string
		parsers bool
		want    string
	}{
		{"linux", false, "`make install`"}, {"windows", true, "sh"}, {"windows", false, "killed"},
		{"darwin", true, "daemon"}, {"freebsd", true, "process group"},
	} {
		text := strings.Join(lacks(row.system, row.parsers), "")
		if !strings.Contains(text, row.want) || !strings.HasPrefix(text, "\n") || !strings.HasSuffix(text, ".\n") {
			t.Errorf("%s, %v: %q", row.system, row.parsers, text)
		}
		for line := range strings.Lines(text) {
			if n := utf8.RuneCountInString(strings.TrimSuffix(line, "\n")); n > 80 {
				t.Errorf("%d columns: %s", n, line)
			}
		}
	}
}

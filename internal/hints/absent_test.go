package hints

import "testing"

// A word of a command without a dot and a slash is missing only if a line says so of it: programs begin lines with
// their own name, and end them with advice.
func TestNamesAlone(t *testing.T) {
	for _, tt := range []struct {
		line, word string
		want       bool
	}{
		{"npm error code ENOENT", "npm", false},
		{"sh: 0: cannot open t.sh: No such file", "sh", false},
		{"npm error enoent Could not read package.json: Error: ENOENT: no such file or directory", "npm", false},
		{"go: go.mod file not found in current directory or any parent directory; see 'go help modules'", "go", false},
		{"make: *** No rule to make target 'test'.  Stop.", "test", true},
		{"make: *** No rule to make target 'test'.  Stop.", "make", false},
		{"sh: 1: chek: not found", "chek", true},
		{"bash: chek: command not found", "chek", true},
		{"grep: flie: No such file or directory", "flie", true},
		{"/usr/bin/python3: No module named pytset", "pytset", true},
	} {
		if got := namesAlone(tt.line, tt.word); got != tt.want {
			t.Errorf("%s: %s: %v", tt.line, tt.word, got)
		}
	}
}

package grouping_test

import (
	"strings"
	"testing"

	"github.com/gitdd/gitdd/grouping"
)

func TestOwnTest(t *testing.T) {
	tests := []struct {
		command, prefix, name string
		want                  bool
	}{
		{"./check.sh", "", "check.sh", true},
		{"./check.sh", "sub", "check.sh", false},
		{"./check.sh", "sub", "sub/check.sh", true},
		{"../check.sh", "sub", "check.sh", true},
		{"sh check", "", "check", true},
		{"sh -e judge", "", "judge", true},
		{"check", "", "check", true},
		{"env A=b ./judge", "", "judge", true},
		{"./prog input.txt", "", "input.txt", false},
		{"grep -q x notes", "", "notes", false},
		{"python3 app.py", "", "app.py", false},
		{"python3 check_app.py", "", "check_app.py", true},
		{"sh|-c|grep -q x notes", "", "notes", false},
		{"sh|-c|test -e a && ! bash judge a", "", "judge", true},
		{"sh|-c|. ./lib.sh; f", "", "lib.sh", true},
		{"sh|-c|cd x && ./run.sh|tests/all", "", "run.sh", true},
		{"sh|-c|(./a;./b.sh)", "", "b.sh", true},
		{"./with blank", "", "with blank", true},
		{"runner --spec=conf/a_test.ini", "", "conf/a_test.ini", true},
		{"pytest tests/test_a.py::TestA::test_b", "", "tests/test_a.py", true},
		{"pytest tests", "", "tests/unit/test_a.py", true},
		{"pytest tests/", "", "tests/unit/test_a.py", true},
		{"pytest tests", "", "src/test_a.py", false},
		{"python -m pytest src", "", "src/lib.py", false},
		{"make -C src test", "", "src/a_test.c", false},
		{"rspec spec/a_spec.rb:12:4", "", "spec/a_spec.rb", true},
		{"python3 -m unittest tests.test_a.T.test_b", "", "tests/test_a.py", true},
		{"python3 -m unittest tests.test_a", "", "tests/test_b.py", false},
		{"python3 -m tool.main", "", "tool/main.py", false},
		{"cargo test --test cli", "", "tests/cli.rs", true},
		{"cargo test --test cli", "crate", "crate/tests/cli.rs", true},
		{"cargo test", "", "tests/cli.rs", false},
		{"go test", "", "a_test.go", true},
		{"go test", "", "a.go", false},
		{"go test", "", "pkg/a_test.go", false},
		{"go test ./...", "", "pkg/deep/a_test.go", true},
		{"go test ./pkg/...", "", "pkg/deep/a_test.go", true},
		{"go test ./pkg/...", "", "pkgs/a_test.go", false},
		{"go test -run TestA ./pkg", "", "pkg/a_test.go", true},
		{"go test ./pkg", "", "pkg/testdata/x.txt", true},
		{"go test ./pkg", "", "pkg/deep/a_test.go", false},
		{"go test ./pkg", "sub", "sub/pkg/a_test.go", true},
		{"go vet ./...", "", "a_test.go", false},
		{"make test", "", "test/a.sh", true},
		{"make test", "", "Makefile", false},
		{"/usr/bin/env true", "", "usr/bin/env", false},
	}
	for _, tt := range tests {
		split := strings.Fields
		if strings.Contains(tt.command, "|") {
			split = func(s string) []string { return strings.Split(s, "|") }
		} else if strings.Contains(tt.command, "blank") {
			split = func(s string) []string { return []string{s} }
		}
		own := grouping.OwnTest(split(tt.command), tt.prefix)
		if got := own(tt.name); got != tt.want || own("other") {
			t.Errorf("%s in %q: %s: got %v", tt.command, tt.prefix, tt.name, got)
		}
	}
}

// A script of an interpreter is named, though it need be no test.
func TestNamed(t *testing.T) {
	for _, tt := range []struct {
		command []string
		prefix  string
		want    bool
	}{
		{[]string{"node", "t.js"}, "", true},
		{[]string{"node", "./t.js", "x"}, "", true},
		{[]string{"node", "t.js"}, "sub", false},
		{[]string{"sh", "-c", "cd lib && node ../t.js; node t.js"}, "", true},
		{[]string{"node", "other.js"}, "", false},
	} {
		if got := grouping.Named(tt.command, tt.prefix)("t.js"); got != tt.want {
			t.Errorf("%q in %q: got %v", tt.command, tt.prefix, got)
		}
	}
}

package settings

import (
	"os/exec"
	"strings"
	"testing"
)

// A script behind a build runs if the build succeeds, and a set -e in the build counts, as it does without the script.
func TestAfter(t *testing.T) {
	for _, test := range []struct{ build, output, status string }{
		{"", "one\ntwo\n", ""},
		{"echo built", "built\none\ntwo\n", ""},
		{"exit 3", "", "exit status 3"},
		{"set -e; false; echo built", "", "exit status 1"},
		{"false # fails", "", "exit status 1"},
	} {
		out, err := exec.Command("sh", "-c", after(after(test.build, "set -e\necho one\n"), "set -e\necho two\n")).Output()
		status := ""
		if err != nil {
			status = err.Error()
		}
		if string(out) != test.output || status != test.status {
			t.Errorf("%s: %q, %s", test.build, out, status)
		}
	}
	script := after(after("", "set -e\nfalse\necho one\n"), "echo two\n")
	if out, err := exec.Command("sh", "-c", script).Output(); err == nil || strings.Contains(string(out), "o") {
		t.Errorf("a script goes on after what failed: %q", out)
	}
}

// Of the dependencies that one go.mod replaces, the last one alone prepares the project.
func TestBuildInside(t *testing.T) {
	first := Inside{Name: "a", Manifest: "go.mod", Before: "first\n"}
	for _, test := range []struct {
		list []Inside
		want string
	}{
		{nil, "make"},
		{[]Inside{first}, "first\nmake"},
		{[]Inside{first, {Name: "b", Manifest: "go.mod", Before: "second\n"}}, "second\nmake"},
		{[]Inside{first, {Name: "b", Manifest: "go.mod"}}, "make"},
		{[]Inside{first, {Name: "b", Manifest: "sub/go.mod", Before: "sub\n"}}, "sub\nfirst\nmake"},
	} {
		if got := buildInside(test.list, "make"); got != test.want {
			t.Errorf("%+v: %q, want %q", test.list, got, test.want)
		}
	}
}

package settings

import (
	"strings"
	"testing"
)

func TestParseWith(t *testing.T) {
	for _, test := range []struct {
		text string
		want With
	}{
		{"lib=../lib:v1..v2", With{"lib", "../lib", "v1", "v2"}},
		{"lib=C:/lib:v1..HEAD~2", With{"lib", "C:/lib", "v1", "HEAD~2"}},
		{"lib=../lib", With{Name: "lib", Dir: "../lib"}},
		{"lib=../a=b:v1..v2", With{"lib", "../a=b", "v1", "v2"}},
		{"lib=C:/lib", With{Name: "lib", Dir: "C:/lib"}},
	} {
		if got, err := ParseWith(test.text); err != nil || got != test.want {
			t.Errorf("%s: %v, %v; want %v", test.text, got, err, test.want)
		}
	}
}

func TestCheckWith(t *testing.T) {
	for _, test := range []struct {
		with []string
		good string
		want string
	}{
		{[]string{"lib=../lib:v1..v2"}, "v1", ""},
		{[]string{"lib=../lib:v1..v2", "x-y=../x:v1..v2"}, "v1", ""},
		{[]string{"lib"}, "v1", "want NAME=DIR:GOOD..BAD"},
		{[]string{"lib=:v1..v2"}, "v1", "want NAME=DIR:GOOD..BAD"},
		{[]string{"lib=../lib"}, "v1", "which revisions?"},
		{[]string{"lib=../lib:v1.."}, "v1", "with two revisions and two dots"},
		{[]string{"lib=../lib:v1...v2"}, "v1", "with two revisions and two dots"},
		{[]string{"a/b=../lib:v1..v2"}, "v1", `"a/b" is no plain name`},
		{[]string{"=../lib:v1..v2"}, "v1", `"" is no plain name`},
		{[]string{"..=../lib:v1..v2"}, "v1", `".." is no plain name`},
		{[]string{".Git=../lib:v1..v2"}, "v1", "is no plain name"},
		{[]string{".gitmodules=../lib:v1..v2"}, "v1", "is no plain name"},
		{[]string{"workspace=../lib:v1..v2"}, "v1", "GITDD_WORKSPACE has another meaning"},
		{[]string{"a.b=../lib:v1..v2", "a_b=../lib:v1..v2"}, "v1", "both would be GITDD_A_B: give one of them another name"},
		{[]string{"lib=../lib:v1..v2", "lib=../lib:v1..v2"}, "v1", "both would be GITDD_LIB"},
		{[]string{"lib=../lib:v1..v2"}, "auto", "takes the good revision of each repository from you"},
	} {
		s := Default()
		s.Good, s.With = test.good, test.with
		err := s.Check()
		if (err == nil) != (test.want == "") || err != nil && !strings.Contains(err.Error(), test.want) {
			t.Errorf("%v: %v, want %q", test.with, err, test.want)
		}
	}
}

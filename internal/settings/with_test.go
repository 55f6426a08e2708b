package settings

import (
	"strings"
	"testing"

	"github.com/spf13/pflag"
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

// A session that is resumed can be told where a clone for --into is, and no other repository.
func TestRenewWith(t *testing.T) {
	for _, test := range []struct {
		had, with, inside []string
		into              string
		want              string // of --with afterwards, or the error
	}{
		{nil, []string{"lib=/lib"}, nil, "always", "lib=/lib"},
		{[]string{"lib=/old", "x=/x:v1..v2"}, []string{"lib=/lib", "y=/y"}, nil, "always", "x=/x:v1..v2 lib=/lib y=/y"},
		{nil, []string{"lib=/lib"}, nil, "auto", "which revisions?"},
		{nil, []string{"lib=/lib:v1..v2"}, nil, "always", "session s has both ends of its search: want NAME=DIR"},
		{nil, []string{"lib"}, nil, "always", "want NAME=DIR"},
		{[]string{"x=/x:v1..v2"}, []string{"x=/x"}, nil, "always", "both would be GITDD_X"},
		{nil, []string{"lib=/lib"}, []string{Inside{Name: "e.org/lib", Session: "first"}.Word()}, "always", "session s is inside e.org/lib already"},
	} {
		s := Default()
		s.Good, s.With, s.Inside = "v1", test.had, test.inside
		var r Renewed
		flags := pflag.NewFlagSet("", pflag.ContinueOnError)
		r.Flags(flags)
		args := []string{"--into=" + test.into}
		for _, text := range test.with {
			args = append(args, "--with="+text)
		}
		if err := flags.Parse(args); err != nil {
			t.Fatal(err)
		}
		err := s.Renew(&r, "s")
		if got := strings.Join(s.With, " "); err == nil && got != test.want || err != nil && !strings.Contains(err.Error(), test.want) {
			t.Errorf("%v and %v: %s, %v; want %q", test.had, test.with, got, err, test.want)
		}
	}
}

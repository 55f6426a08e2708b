package cli

import (
	"slices"
	"testing"
)

func TestNear(t *testing.T) {
	names := []string{"run", "reduce", "resume", "bisect", "btor", "v1.16.0", "main", "main-line", "release/1.16", "Python"}
	tests := []struct {
		word string
		want []string
	}{
		{"rnu", []string{"run"}},
		{"resmue", []string{"resume"}}, // two neighbours exchanged are one mistake
		{"redcue", []string{"reduce"}},
		{"reesume", []string{"resume"}},
		{"v1.61.0", []string{"v1.16.0"}},
		{"rele", []string{"release/1.16"}},
		{"v1", []string{"v1.16.0"}},
		{"pyton", []string{"Python"}},
		{"main", []string{"main"}}, // and not main-line
		{"x", nil},                 // nothing of it would be left
		{"xyzzy", nil},
		{"", nil},
	}
	for _, test := range tests {
		if got := Near(test.word, names); !slices.Equal(got, test.want) {
			t.Errorf("near %q: %q, want %q", test.word, got, test.want)
		}
	}
	for _, test := range []struct {
		a, b string
		want int
	}{{"", "", 0}, {"", "ab", 2}, {"ab", "ba", 1}, {"kitten", "sitting", 3}, {"abc", "abc", 0}, {"abcd", "acbd", 1}} {
		if got, back := mistypes(test.a, test.b), mistypes(test.b, test.a); got != test.want || back != test.want {
			t.Errorf("%q and %q: %d and %d mistakes, want %d", test.a, test.b, got, back, test.want)
		}
	}
}

func TestOneOf(t *testing.T) {
	words := []string{"strict", "lenient"}
	if err := OneOf("mixtures", "lenient", words); err != nil {
		t.Error(err)
	}
	for _, test := range []struct {
		err  error
		want string
	}{
		{OneOf("mixtures", "lenent", words), "--mixtures lenent: want one of strict, lenient; did you mean lenient?"},
		{SomeOf("mixtures", "other", words), "--mixtures other: want some of strict, lenient"},
	} {
		if test.err == nil || test.err.Error() != test.want {
			t.Errorf("got %v, want %s", test.err, test.want)
		}
	}
}

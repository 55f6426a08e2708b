package grouping_test

import (
	"strings"
	"testing"

	"github.com/gitdd/gitdd/grouping"
)

func TestNames(t *testing.T) {
	tests := []struct{ name, output, want string }{
		{"nothing", "", ""},
		{"words", "the test has failed at the end", ""},
		{"names of code", "parseKey: no max_size in _cache of HTTPServer", "parseKey max_size _cache HTTPServer"},
		{"literals", `got "a b", want 'c1', for ` + "`d e`", "a b|c1|d e"},
		{"numbers", "want 42, got 7 after 0.12s at 12:30", "42"},
		{"places", "shop_test.go:117: want 94", "94"},
		{"each once", "max_size max_size", "max_size"},
		{"what passes, too", "setting_up 17", ""},
		{"no end of a quotation", `it's "open`, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			want := strings.Fields(tt.want)
			if strings.Contains(tt.want, "|") {
				want = strings.Split(tt.want, "|")
			}
			if got := grouping.Names([]byte(tt.output), []byte("setting_up 5\n")); strings.Join(got, "|") != strings.Join(want, "|") {
				t.Errorf("got %q, want %q", got, want)
			}
		})
	}
}

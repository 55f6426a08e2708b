package prose

import (
	"slices"
	"testing"
)

func TestWrap(t *testing.T) {
	for _, row := range []struct {
		text string
		want []string
	}{
		{"", []string{""}},
		{" a  few words that are wrapped ", []string{"a  few words", "that are", "wrapped"}},
		{"lines\nof a\n  text", []string{"lines of a", "text"}},
		{"it took 50 %, or 5 % of", []string{"it took", "50 %, or 5 %", "of"}},
		{"got '1  2     3'", []string{"got '1  2", "3'"}},
		{"incomprehensible", []string{"incomprehens", "ible"}},
		{"日本語 日本語 日本", []string{"日本語", "日本語 日本"}},
	} {
		if got := Wrap(row.text, 12); !slices.Equal(got, row.want) {
			t.Errorf("%q: %q, want %q", row.text, got, row.want)
		}
	}
}

package prose_test

import (
	"strings"
	"testing"
	"time"

	"github.com/gitdd/gitdd/internal/prose"
)

func TestLineAdd(t *testing.T) {
	tests := []struct{ in, plain, styled string }{
		{"", "", ""},
		{"plain", "plain", "\x1b[31mplain\x1b[m"},
		{"\x1b[2J", `\x1b[2J`, "\x1b[31;7m\\x1b\x1b[m\x1b[31m[2J\x1b[m"},
		{"a\tb\r\n", `a\tb\r\n`, "\x1b[31ma\x1b[m\x1b[31;7m\\t\x1b[m\x1b[31mb\x1b[m\x1b[31;7m\\r\\n\x1b[m"},
		{"\xe9\xff", `\xe9\xff`, "\x1b[31;7m\\xe9\\xff\x1b[m"},
		{"\u009b\u202e\u200b\u00ad\ufeff\U000e0041", `\u009b\u202e\u200b\u00ad\ufeff\U000e0041`, "\x1b[31;7m\\u009b\\u202e\\u200b\\u00ad\\ufeff\\U000e0041\x1b[m"},
		{"\ufffd é 漢 🎉\u3000", "\ufffd é 漢 🎉\u3000", "\x1b[31m\ufffd é 漢 🎉\u3000\x1b[m"},
	}
	for _, tt := range tests {
		l := (&prose.Line{}).Add(prose.Removed, tt.in)
		if got := l.Render(false); got != tt.plain {
			t.Errorf("%q without colour: got %q, want %q", tt.in, got, tt.plain)
		}
		if got := l.Render(true); got != tt.styled {
			t.Errorf("%q in colour: got %q, want %q", tt.in, got, tt.styled)
		}
	}
}

func TestLineCut(t *testing.T) {
	tests := []struct {
		in    string
		width int
		want  string
	}{
		{"abc", 3, "abc"},
		{"abcd", 3, "ab…"},
		{"abcd", 1, "…"},
		{"漢字", 4, "漢字"},
		{"漢字か", 4, "漢…"},
		{"漢字か", 5, "漢字…"},
		{"e\u0301e\u0301e\u0301", 3, "e\u0301e\u0301e\u0301"},
		{"e\u0301e\u0301e\u0301", 2, "e\u0301…"},
		{"\x1b\x1b", 5, `\x1b…`},
	}
	for _, tt := range tests {
		l := (&prose.Line{}).Add(prose.Plain, tt.in).Cut(tt.width)
		if got := l.Render(false); got != tt.want || l.Columns() > tt.width {
			t.Errorf("%q in %d columns: got %q of %d, want %q", tt.in, tt.width, got, l.Columns(), tt.want)
		}
	}
	l := (&prose.Line{}).Add(prose.Removed, "abc").Add(prose.Plain, "def").Add(prose.Added, "ghi").Cut(5)
	if got, want := l.Render(true), "\x1b[31mabc\x1b[md…"; got != want {
		t.Errorf("styles: got %q, want %q", got, want)
	}
}

func TestColumns(t *testing.T) {
	for text, want := range map[string]int{
		"": 0, "abc": 3, "é": 1, "e\u0301": 1, "漢": 2, "ｶ": 1, "Ａ": 2, "한": 2, "✅": 2, "→": 1, "…": 1, "█": 1, "🎉": 2, "𠀀": 2, "\u1100": 2,
	} {
		if got := prose.Columns(text); got != want {
			t.Errorf("%q: got %d columns, want %d", text, got, want)
		}
	}
}

func TestCount(t *testing.T) {
	for _, tt := range []struct {
		n    int
		noun string
		want string
	}{
		{0, "change", "0 changes"}, {1, "change", "1 change"},
		{999, "change", "999 changes"}, {1000, "change", "1,000 changes"}, {1234567, "day", "1,234,567 days"}, {-1000, "change", "-1,000 changes"},
	} {
		if got := prose.Count(tt.n, tt.noun); got != tt.want {
			t.Errorf("got %q, want %q", got, tt.want)
		}
	}
}

func TestDuration(t *testing.T) {
	for d, want := range map[time.Duration]string{
		0:                          "0.0 s",
		40 * time.Millisecond:      "0.0 s",
		420 * time.Millisecond:     "0.4 s",
		12500 * time.Millisecond:   "12.5 s",
		59940 * time.Millisecond:   "59.9 s",
		59960 * time.Millisecond:   "1 min",
		125 * time.Second:          "2 min 5 s",
		3599600 * time.Millisecond: "1 h",
		3780 * time.Second:         "1 h 3 min",
		50 * time.Hour:             "50 h",
	} {
		if got := prose.Duration(d); got != want {
			t.Errorf("%v: got %q, want %q", d, got, want)
		}
	}
}

func TestQuote(t *testing.T) {
	for line, want := range map[string]string{
		`Invalid \escape: line 82`: `"Invalid \escape: line 82"`,
		`want "a", got 'b'`:        `"want "a", got 'b'"`,
		`want "\d"`:                `'want "\d"'`,
		"\x1b[2J":                  `"\x1b[2J"`,
	} {
		if got := prose.Quote(line); got != want {
			t.Errorf("%q: %s, want %s", line, got, want)
		}
	}
}

func TestBriefApart(t *testing.T) {
	long := strings.Repeat("long ", 20)
	for _, c := range []struct{ a, b, wantA, wantB string }{
		{"short", "other", "short", "other"},
		{long, long, prose.Brief(long), prose.Brief(long)},
		{"a" + long, "b" + long, prose.Brief("a" + long), prose.Brief("b" + long)},
		{long + "one", long + "two", "…long long long long one", "…long long long long two"},
		{long + "ä" + long, long + "ö" + long, "…" + prose.Brief("long long long long ä"+long), "…" + prose.Brief("long long long long ö"+long)},
		{long, long + "end", "…long long long long", "…long long long long end"},
	} {
		if a, b := prose.BriefApart(c.a, c.b); a != c.wantA || b != c.wantB {
			t.Errorf("%q and %q: got %q and %q, want %q and %q", c.a, c.b, a, b, c.wantA, c.wantB)
		}
	}
}

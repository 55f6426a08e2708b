package measure_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/gitdd/gitdd/internal/measure"
)

func TestParse(t *testing.T) {
	for _, test := range []struct {
		text, unit           string
		deterministic, clock bool
	}{
		{"time", "s", false, true},
		{"cpu", "s", false, true},
		{"memory", "bytes", false, false},
		{"size:bin/tool", "bytes", true, false},
		{"regex:a:b ([0-9]+)", "", false, false},
		{"json:-:/a", "", false, false},
		{"json:c:d.json:/a:/b", "", false, false},
		{"go-bench", "ns/op", false, true},
		{"go-bench:Parse/size:10", "ns/op", false, true},
		{"go-bench:Parse:B/op", "B/op", false, true},
		{"hyperfine:out.json", "s", false, true},
		{"instructions", "instructions", false, false},
	} {
		w := what(t, test.text)
		if w.String() != test.text || w.Unit() != test.unit || w.Deterministic() != test.deterministic || w.Clock() != test.clock || w.IsZero() {
			t.Errorf("%s: %q, unit %q, deterministic %v, clock %v", test.text, w, w.Unit(), w.Deterministic(), w.Clock())
		}
	}
	var zero measure.What
	if !zero.IsZero() || zero.String() != "" || zero.Clock() || zero.Deterministic() {
		t.Error("the zero What is not none")
	}
	for _, test := range []struct{ text, want string }{
		{"", "want one of time, cpu"},
		{"speed", "want one of time, cpu"},
		{"Time", "want one of time, cpu"},
		{"time:x", "time takes no argument"},
		{"time:", "time takes no argument"},
		{"size", "size lacks its argument: want size:PATH"},
		{"size:", "size lacks its argument"},
		{"size:/etc/passwd", "want a path below"},
		{"size:../x", "want a path below"},
		{"size:a/../../x", "want a path below"},
		{"size:a\x00b", "want a path below"},
		{"regex:(", "missing closing )"},
		{"json:a.json", "want json:FILE:POINTER"},
		{"json::/a", "want json:FILE:POINTER"},
		{"json:a.json:b", "want json:FILE:POINTER"},
		{"json:../a.json:/b", "want a path below"},
		{"json:-:/a~2", "has a ~ without"},
		{"go-bench:", "go-bench lacks its argument: want go-bench:NAME[:UNIT]"},
		{"go-bench:(:B/op", "missing closing )"},
		{"hyperfine:/tmp/x.json", "want a path below"},
	} {
		if w, err := measure.Parse(test.text); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("Parse(%q) = %v, %v, want %s", test.text, w, err, test.want)
		}
	}
	for _, k := range measure.Kinds() {
		if k.About == "" || strings.Contains(k.Name, ":") {
			t.Errorf("kind %+v", k)
		}
	}
}

func TestFormat(t *testing.T) {
	for _, test := range []struct {
		value float64
		unit  string
		want  string
	}{
		{1.24, "s", "1.24 s"}, {12.34, "s", "12.3 s"}, {0.0352, "s", "35.2 ms"}, {0.000004, "s", "4.00 µs"}, {0, "s", "0.00 s"}, {5e-11, "s", "0.05 ns"},
		{0.9999, "s", "1.00 s"}, {90000, "s", "90000.0 s"}, {5e6, "s", "5,000,000 s"}, {-1.5, "s", "-1.50 s"},
		{312412, "bytes", "312.4 kB"}, {99_999, "bytes", "99,999 B"}, {100_000, "bytes", "100.0 kB"}, {980, "bytes", "980 B"}, {0, "bytes", "0 B"}, {3 << 30, "bytes", "3.22 GB"}, {999_960, "bytes", "1.00 MB"},
		{14203, "", "14,203"}, {0.123456789, "", "0.123457"}, {123456.7, "", "123,457"}, {1e300, "", "1e+300"}, {-14203, "", "-14,203"},
		{14203, "instructions", "14,203"}, {120.5, "ns/op", "120.5 ns/op"}, {1234567, "ns/op", "1,234,567 ns/op"}, {900, "ms", "900 ms"},
	} {
		if got := measure.Format(test.value, test.unit); got != test.want {
			t.Errorf("Format(%v, %q) = %q, want %q", test.value, test.unit, got, test.want)
		}
	}
	if got := what(t, "size:x").Format(2000); got != "2,000 B" {
		t.Errorf("size: %q", got)
	}
}

func TestParseWorse(t *testing.T) {
	for _, test := range []struct {
		what, text    string
		share, amount float64
		at10          float64
	}{
		{"time", "5%", 0.05, 0, 0.5},
		{"time", "0.5 %", 0.005, 0, 0.05},
		{"time", "30ms", 0, 0.03, 0.03},
		{"time", "0.2", 0, 0.2, 0.2},
		{"memory", "300kB", 0, 300e3, 300e3},
		{"size:x", "1 MiB", 0, 1 << 20, 1 << 20},
		{"go-bench", "30ns", 0, 30, 30},
		{"go-bench", "1us", 0, 1000, 1000},
		{"go-bench:A:allocs/op", "2", 0, 2, 2},
		{"regex:x", "1e3", 0, 1000, 1000},
	} {
		w, err := measure.ParseWorse(test.text, what(t, test.what))
		if err != nil || !near(w.Share, test.share) || !near(w.Amount, test.amount) || !near(w.At(10), test.at10) || !near(w.At(-10), test.at10) || w.String() != test.text || w.IsZero() {
			t.Errorf("%s --worse %s: %+v, %v", test.what, test.text, w, err)
		}
	}
	for _, test := range []struct{ what, text, want string }{
		{"time", "", "want digits"},
		{"time", "0%", "more than 0"},
		{"time", "-3ms", "more than 0"},
		{"time", "0", "more than 0"},
		{"time", "NaN%", "no percentage"},
		{"time", "1e999", "out of range"},
		{"time", "3 kB", "whose numbers are in s: want a time"},
		{"memory", "3ms", "whose numbers are in bytes: want a size"},
		{"regex:x", "3ms", "have no unit that is known before: want a number"},
		{"instructions", "3ms", "are in instructions"},
		{"time", "5 per cent", "want digits"},
		{"time", "14,203", "one number or another"},
	} {
		if w, err := measure.ParseWorse(test.text, what(t, test.what)); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s --worse %q: %+v, %v, want %s", test.what, test.text, w, err, test.want)
		}
	}
}

func near(a, b float64) bool { return slices.Max([]float64{a - b, b - a}) <= 1e-12*max(1, a, b) }

// What is hostile gives a finite number or a reason, and no panic.
func FuzzNumber(f *testing.F) {
	whats := []string{"regex:([-+0-9.e,]+)", `regex:\S+`, "json:-:/a/0", "json:-:", "go-bench", "go-bench:A:B/op", "hyperfine:-"}
	for _, seed := range []string{"took 1.5e3 ms\n", `{"a":[1e3,{"b":null}]}`, "BenchmarkA-8 100 3.5 ns/op 4 B/op\n", `{"results":[{"median":1}]}`, "\x1b[1m1\r2\r\n", "1m30s", "1,5", "\xff\x00"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, name := range whats {
			n, err := what(t, name).Number(printed(text, ""))
			if err == nil && (n.Value-n.Value != 0) {
				t.Errorf("%s: %v", name, n)
			}
		}
	})
}

package measure

import (
	"bytes"
	"cmp"
	"slices"
	"strings"

	"golang.org/x/perf/benchfmt"
)

// bench is the median of all results of the one benchmark in the output whose name matches.
func (w What) bench(run Run) (float64, error) {
	var values []float64
	var name, another, wrong, without string
	pkg := ""
	reader := new(benchfmt.Reader)
	_, err := run.lines(func(line []byte) bool {
		if rest, ok := bytes.CutPrefix(line, []byte("pkg: ")); ok {
			pkg = string(bytes.Clone(rest[:min(len(rest), 1000)])) + "."
		}
		const longest = 32 << 10 // half of what the reader takes
		if !bytes.HasPrefix(line, []byte("Benchmark")) || len(line) > longest {
			return true
		}
		full, _, _ := bytes.Cut(line, []byte(" "))
		full, _, _ = bytes.Cut(full, []byte("\t"))
		if !w.isNamed(full) {
			return true
		}
		reader.Reset(bytes.NewReader(line), "")
		if !reader.Scan() {
			return true // go test -v prints the name when it begins
		}
		result, ok := reader.Result().(*benchfmt.Result)
		if !ok {
			if err, bad := reader.Result().(*benchfmt.SyntaxError); bad && !strings.Contains(err.Msg, "iteration count") {
				wrong = cmp.Or(wrong, string(full)+": "+err.Msg)
			}
			return wrong == ""
		}
		value, ok := valueOf(result, w.unit)
		switch this := pkg + string(full); {
		case !ok:
			without = cmp.Or(without, string(full))
			return true
		case finite(value) != nil:
			wrong = string(full) + ": its number is not finite"
		case name == "":
			name = this
		case name != this:
			another = this
		}
		values = append(values, value)
		return another == "" && wrong == ""
	})
	switch {
	case err != nil:
		return 0, err
	case wrong != "":
		return 0, absent("the output has a benchmark that cannot be read, %s", brief([]byte(wrong)))
	case another != "":
		return 0, absent("the output has several benchmarks that match, %s and %s: want one, as go-bench:^Name$", brief([]byte(name)), brief([]byte(another)))
	case len(values) == 0 && without != "":
		return 0, absent("%s has no %s: go test -benchmem reports memory", brief([]byte(without)), w.unit)
	case len(values) == 0 && w.expression != nil:
		return 0, absent("the output has no result of a benchmark that matches %s", w.expression)
	case len(values) == 0:
		return 0, absent("the output has no result of a benchmark: want that of go test -bench")
	}
	return Median(values), nil
}

// isNamed reports whether a benchmark is meant: by its name without the word Benchmark, with and without the number of
// processors at its end.
func (w What) isNamed(full []byte) bool {
	if w.expression == nil {
		return true
	}
	name := benchfmt.Name(bytes.TrimPrefix(full, []byte("Benchmark")))
	if w.expression.Match(name) || w.expression.Match(full) {
		return true
	}
	_, parts := name.Parts()
	if len(parts) == 0 || !bytes.HasPrefix(parts[len(parts)-1], []byte("-")) {
		return false
	}
	return w.expression.Match(name[:len(name)-len(parts[len(parts)-1])])
}

// valueOf is the number of a result that has a unit, as it was printed.
func valueOf(result *benchfmt.Result, unit string) (float64, bool) {
	for _, v := range result.Values {
		switch unit {
		case v.OrigUnit:
			return v.OrigValue, true
		case v.Unit:
			return v.Value, true
		}
	}
	return 0, false
}

// Median is the middle of some numbers, of which there is one at least, or that between the two in the middle.
func Median(values []float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	n := len(sorted)
	return sorted[(n-1)/2]/2 + sorted[n/2]/2
}

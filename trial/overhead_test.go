package trial

import (
	"strconv"
	"testing"
)

// BenchmarkInputOverhead is a trial of an input with a command that does nothing:
// all of it is what gitdd does for one.
func BenchmarkInputOverhead(b *testing.B) {
	r := reducing(b, file("in", "x"), "", func(o *InputOptions) { o.Command = []string{"false"} })
	r.begin()
	for i := 0; b.Loop(); i++ {
		r.verdict(file("in", strconv.Itoa(i)))
	}
}

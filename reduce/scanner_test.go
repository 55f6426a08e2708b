package reduce

import (
	"strings"
	"testing"

	"github.com/gitdd/gitdd/internal/lexical"
)

// TestCutHostile cuts texts in which much is opened and nothing closed: what looks
// for each end anew takes minutes.
func TestCutHostile(t *testing.T) {
	for _, c := range [][2]string{{"c", "/*"}, {"c", "`\\"}, {"c", `'\`}, {"json", `"\`}, {"xml", "<!--"}, {"lisp", "#|"}} {
		source := []byte("x" + strings.Repeat(c[1], 100_000))
		at := 0
		for _, p := range cutPieces(source, lexical.RulesOf("."+c[0])) {
			if p.from != at || p.to <= at {
				t.Fatalf("%s of %q: piece %d..%d behind %d", c[0], c[1], p.from, p.to, at)
			}
			at = p.to
		}
		if at != len(source) {
			t.Errorf("%s of %q: cut up to %d of %d", c[0], c[1], at, len(source))
		}
	}
}

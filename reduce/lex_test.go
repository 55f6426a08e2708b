package reduce

import (
	"strings"
	"testing"
)

// TestCutHostile cuts texts in which much is opened and nothing closed: what looks
// for each end anew takes minutes.
func TestCutHostile(t *testing.T) {
	for name, s := range styles {
		for _, text := range []string{"/*", "<!--", "#|", `"""`, `'''`, "`\\", `'\`, `"\`, "\r", "é"} {
			source := []byte("x" + strings.Repeat(text, 200_000))
			at := 0
			for _, p := range s.cut(source) {
				if p.from != at || p.to <= at {
					t.Fatalf("%s of %q: piece %d..%d behind %d", name, text, p.from, p.to, at)
				}
				at = p.to
			}
			if at != len(source) {
				t.Errorf("%s of %q: cut up to %d of %d", name, text, at, len(source))
			}
		}
	}
}

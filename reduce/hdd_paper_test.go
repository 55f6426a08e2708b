//go:build cgo

package reduce

import (
	"regexp"
	"strings"
	"testing"

	"github.com/gitdd/gitdd/internal/syntax"
)

// bugC is the program that the paper of HDD takes from the one of ddmin: the optimiser
// of GCC 2.95.2 crashes on the loop in mult.
const bugC = `#define SIZE 20

double mult(double z[], int n)
{
  int i, j;

  i = 0;
  for (j = 0; j < n; j++) {
    i = i + j + 1;
    z[i] = z[i] * (z[0] + 1.0);
  }
  return z[n];
}

void copy(double to[], double from[], int count)
{
  int n = (count + 7) / 8;
  switch (count % 8) do {
    case 0: *to++ = *from++;
    case 7: *to++ = *from++;
    case 6: *to++ = *from++;
    case 5: *to++ = *from++;
    case 4: *to++ = *from++;
    case 3: *to++ = *from++;
    case 2: *to++ = *from++;
    case 1: *to++ = *from++;
  } while (--n > 0);
  return mult(to, 2);
}

int main(int argc, char *argv[])
{
  double x[SIZE], y[SIZE];
  double *px = x;

  while (px < x + SIZE)
    *px++ = (px - x) * (SIZE + 1.0);
  return copy(y, x, SIZE);
}
`

// crashing is what the paper leaves of it, and so what the compiler is taken to crash on.
var crashing = regexp.MustCompile(`double z\[\][^{]*\{\s*int i, j;.*for \([^;)]*;[^;)]*;[^)]*\)\s*\{\s*i = i \+ j \+ 1;\s*z\[i\] = z\[i\] \* \(z\[0\] \+ 1.0\);\s*\}`)

// The example of Misherghi and Su (ICSE 2006): of bugC HDD leaves, in 86 tests, the loop
// and what declares its variables, where ddmin takes 680 tests of characters. The parser
// here makes another tree than theirs, which takes 65 trials.
func TestHDDOfThePaper(t *testing.T) {
	r, err := Reduce(t.Context(), oneFile("bug.c", bugC), contentFails(func(text string) bool {
		return crashing.MatchString(strings.ReplaceAll(text, "\n", " ")) && faults(t, syntax.Of("bug.c", nil), []byte(text)) == 0
	}), Options{Algorithm: "hdd", Passes: []string{"structure"}, Fast: true})
	if err != nil {
		t.Fatal(err)
	}
	left := strings.Join(strings.Fields(string(r.Output.Files[0].Content)), " ")
	const want = "a mult(double z[]) { int i, j; for (;;) { i = i + j + 1; z[i] = z[i] * (z[0] + 1.0); } }"
	if left != want || r.Trials != 65 {
		t.Errorf("%q after %d trials, want %q after 65", left, r.Trials, want)
	}
}

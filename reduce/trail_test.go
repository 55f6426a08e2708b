package reduce_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/gitdd/gitdd/internal/seed"
	"github.com/gitdd/gitdd/isolate"
	"github.com/gitdd/gitdd/reduce"
	"github.com/gitdd/gitdd/testcase"
)

// left is a text with what a trail has kept of it between brackets.
func left(text string, kept [][2]int) string {
	var b strings.Builder
	at := 0
	for _, run := range kept {
		fmt.Fprintf(&b, "%s[%s]", text[at:run[0]], text[run[0]:run[1]])
		at = run[1]
	}
	return b.String() + text[at:]
}

func TestTrail(t *testing.T) {
	for _, test := range []struct {
		steps []string
		want  string
	}{
		{[]string{"a b c"}, "[a b c]"},
		{[]string{"a b c", ""}, "a b c"},
		{[]string{"a b c", "a c"}, "[a ]b [c]"},
		{[]string{"one\ntwo\nthree\nfour\nfive\n", "two\nfour\n"}, "one\n[two\n]three\n[four\n]five\n"},
		{[]string{"one\ntwo\nthree\n", "one\nthree\n", "one"}, "[one]\ntwo\nthree\n"},
		// Names that are made shorter, here and there.
		{[]string{"int customer; f(customer, 2);", "int a; f(a, 2);", "int a;f(a);"}, "[int customer;] [f(customer], 2[);]"},
		// A line of two.
		{[]string{"a;\nb;\nc;\n", "a;\nc;\n", "a;c;"}, "[a;]\nb;\n[c;]\n"},
		// Equal statements: what stands beside each other stayed.
		{[]string{"x(1);y();x(2);z();x(3);", "x(2);z();"}, "x(1);y();[x(2);z();]x(3);"},
		// What is new has no place.
		{[]string{"a + b", "a - 17 - b"}, "[a ]+[ b]"},
		{[]string{"caf\xe9 au lait", "caf\xe9 lait"}, "[caf\xe9 ]au [lait]"},
	} {
		trail := reduce.NewTrail([]byte(test.steps[0]))
		for _, next := range test.steps[1:] {
			trail.Follow([]byte(next))
		}
		if got := left(test.steps[0], trail.Kept()); got != test.want {
			t.Errorf("%q: %s, want %s", test.steps, got, test.want)
		}
	}
}

// Where parts are taken out of different words, the trail knows which; where words are
// equal, it names some in order.
func TestTrailAtRandom(t *testing.T) {
	rnd := rand.New(rand.NewPCG(seed.New(t), 0))
	for range 100 {
		n := 1 + rnd.IntN(60)
		alphabet := 1 + rnd.IntN(2*n)
		var list []int
		var texts []string
		for i := range n {
			name := fmt.Sprintf("w%d%s", rnd.IntN(alphabet), []string{" ", "\n", ";"}[rnd.IntN(3)])
			if alphabet > n {
				name = fmt.Sprintf("u%d ", i) // all different
			}
			texts = append(texts, name)
			list = append(list, i)
		}
		join := func(list []int) string {
			var b strings.Builder
			for _, i := range list {
				b.WriteString(texts[i])
			}
			return b.String()
		}
		whole := join(list)
		trail := reduce.NewTrail([]byte(whole))
		for len(list) > 0 && rnd.IntN(6) > 0 {
			drop := rnd.IntN(3)
			list = slices.DeleteFunc(slices.Clone(list), func(int) bool { return rnd.IntN(3) <= drop/2 })
			trail.Follow([]byte(join(list)))
		}
		var kept strings.Builder
		end := -1
		for _, run := range trail.Kept() {
			if run[0] <= end || run[1] <= run[0] || run[1] > len(whole) {
				t.Fatalf("of %q it kept %v", whole, trail.Kept())
			}
			end = run[1]
			kept.WriteString(whole[run[0]:run[1]])
		}
		if got, want := kept.String(), join(list); alphabet > n && got != want {
			t.Fatalf("of %q it kept %q, but %q is left", whole, got, want)
		}
	}
}

// Of a text that is too long to compare all with all, it still knows what was taken out
// of two places.
func TestTrailOfLongText(t *testing.T) {
	for _, end := range []string{"\n", " "} { // many lines, one line
		var b strings.Builder
		for i := range 20_000 {
			fmt.Fprintf(&b, "word%d%s", i, end)
		}
		whole := b.String()
		cut := func(text, begin, end string) string {
			from, to := strings.Index(text, begin), strings.Index(text, end)
			return text[:from] + text[to:]
		}
		trail := reduce.NewTrail([]byte(whole))
		rest := cut(cut(whole, "word500"+end, "word600"+end), "word15000"+end, "word19000"+end)
		trail.Follow([]byte(rest))
		var kept strings.Builder
		for _, run := range trail.Kept() {
			kept.WriteString(whole[run[0]:run[1]])
		}
		if kept.String() != rest || len(trail.Kept()) != 3 {
			t.Errorf("it kept %d runs with %d bytes of %d", len(trail.Kept()), kept.Len(), len(rest))
		}
	}
}

// A reduction tells all that a trail needs.
func TestTrailOfReduction(t *testing.T) {
	text := "int unused;\nint f(int a)\n{\n\tint b = 2;\n\treturn a / 0;\n}\nint g(void) { return 1 / 1; }\n"
	in := testcase.Input{Files: []testcase.File{{Path: "x.c", Content: []byte(text)}}}
	trail := reduce.NewTrail([]byte(text))
	result, err := reduce.Reduce(context.Background(), in, func(_ context.Context, in testcase.Input) (isolate.Outcome, error) {
		if strings.Contains(string(in.Files[0].Content), "/ 0") {
			return isolate.Fail, nil
		}
		return isolate.Pass, nil
	}, reduce.Options{Improved: func(in testcase.Input) error {
		trail.Follow(in.Files[0].Content)
		return nil
	}})
	if err != nil {
		t.Fatal(err)
	}
	var kept []string
	for _, run := range trail.Kept() {
		kept = append(kept, text[run[0]:run[1]])
	}
	if got := strings.Join(kept, ""); got != string(result.Output.Files[0].Content) {
		t.Errorf("kept %q of %q, which is not %q", got, text, result.Output.Files[0].Content)
	}
}

package reduce

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/gitdd/gitdd/internal/seed"
	"github.com/gitdd/gitdd/isolate"
	"github.com/gitdd/gitdd/testcase"
)

// failsWith fails with all of the words, and passes without one.
func failsWith(words ...string) Test {
	return func(_ context.Context, in testcase.Input) (isolate.Outcome, error) {
		all := ""
		for _, f := range in.Files {
			all += f.Path + "\n" + string(f.Content)
		}
		for _, w := range words {
			if !strings.Contains(all, w) {
				return isolate.Pass, nil
			}
		}
		return isolate.Fail, nil
	}
}

func TestIsolate(t *testing.T) {
	var good, bad strings.Builder
	for i := range 1000 {
		fmt.Fprintf(&good, "%d: alpha beta gamma\n", i)
		switch {
		case i == 700:
			fmt.Fprintf(&bad, "%d: alpha BUG gamma delta\n", i)
		case i%3 == 0:
			fmt.Fprintf(&bad, "%d: alpha other gamma\n", i)
		default:
			fmt.Fprintf(&bad, "%d: alpha beta gamma\n", i)
		}
	}
	d, err := Isolate(t.Context(), oneFile("good", good.String()), oneFile("bad", bad.String()), failsWith("BUG"), DifferenceOptions{Format: "tokens"})
	if err != nil {
		t.Fatal(err)
	}
	if d.Units != "tokens" || d.Total != 335 || d.Left != 1 || !d.Minimal || d.Failing.Files[0].Path != "bad" {
		t.Errorf("%s: %d of %d, minimal %v, %s", d.Units, d.Left, d.Total, d.Minimal, d.Failing.Files[0].Path)
	}
	passing := strings.Split(string(d.Passing.Files[0].Content), "\n")
	failing := strings.Split(string(d.Failing.Files[0].Content), "\n")
	if passing[700] != "700: alpha beta gamma delta" && passing[700] != "700: alpha beta gamma" || !strings.HasPrefix(failing[700], "700: alpha BUG gamma") {
		t.Errorf("passes with %q, fails with %q", passing[700], failing[700])
	}
	if d.Trials > 20 {
		t.Errorf("%d trials for 1 of %d", d.Trials, d.Total)
	}
	bytes, err := Isolate(t.Context(), oneFile("x", "value = 10\n"), oneFile("x", "value = 19\n"), failsWith("9"), DifferenceOptions{Format: "bytes"})
	if err != nil || bytes.Units != "bytes" || bytes.Left != 1 {
		t.Errorf("%+v, %v", bytes, err)
	}
}

func TestIsolateFiles(t *testing.T) {
	dir := func(pairs ...string) testcase.Input {
		in := testcase.Input{Dir: true}
		for i := 0; i < len(pairs); i += 2 {
			in.Files = append(in.Files, testcase.File{Path: "d/" + pairs[i], Mode: 0o644, Content: []byte(pairs[i+1])})
		}
		return in
	}
	good := dir("a", "one\ntwo\n", "b", "same\n", "gone", "x\n")
	bad := dir("a", "one\nTWO\n", "b", "same\n", "new", "y\n", "other", "z\n")
	d, err := Isolate(t.Context(), good, bad, failsWith("TWO", "d/new"), DifferenceOptions{Format: "lines"})
	if err != nil {
		t.Fatal(err)
	}
	if d.Total != 4 || d.Left != 2 || !d.Minimal {
		t.Errorf("%d of %d, minimal %v", d.Left, d.Total, d.Minimal)
	}
	if _, err := Isolate(t.Context(), good, good, failsWith("TWO"), DifferenceOptions{}); err == nil {
		t.Error("two equal inputs have a difference")
	}
	var ends *isolate.EndsError
	if _, err := Isolate(t.Context(), bad, good, failsWith("TWO"), DifferenceOptions{}); !errors.As(err, &ends) {
		t.Errorf("swapped: %v", err)
	}
	d, err = Isolate(t.Context(), good, bad, failsWith("TWO", "d/new"), DifferenceOptions{MaxTrials: 3})
	if !errors.Is(err, isolate.ErrBudget) || d.Trials > 3 || d.Minimal {
		t.Errorf("%d trials, minimal %v: %v", d.Trials, d.Minimal, err)
	}
}

// Random inputs and random words that it takes to fail: what is found passes and
// fails, each difference that is left is needed, and it is the same for any number
// of jobs.
func TestIsolateRandom(t *testing.T) {
	random := rand.New(rand.NewPCG(seed.New(t), 0))
	for range 60 {
		var good, bad strings.Builder
		var words []string
		for i := range 5 + random.IntN(40) {
			line := fmt.Sprintf("w%d. x%d.;", i, random.IntN(3))
			switch random.IntN(4) {
			case 0:
				good.WriteString(line + "\n")
			case 1:
				word := fmt.Sprintf("bad%dx", i)
				fmt.Fprintf(&bad, "%s %s\n", line, word)
				if random.IntN(3) == 0 {
					words = append(words, word)
				}
			default:
				good.WriteString(line + "\n")
				bad.WriteString(line + "\n")
			}
		}
		if len(words) == 0 {
			continue
		}
		test := failsWith(words...)
		format := []string{"", "lines", "tokens"}[random.IntN(3)]
		var first Difference
		for _, jobs := range []int{1, 3} {
			d, err := Isolate(t.Context(), oneFile("x", good.String()), oneFile("x", bad.String()), test, DifferenceOptions{Format: format, Jobs: jobs})
			if err != nil {
				t.Fatal(err)
			}
			p, _ := test(t.Context(), d.Passing)
			f, _ := test(t.Context(), d.Failing)
			if p != isolate.Pass || f != isolate.Fail || !d.Minimal || d.Left != len(words) {
				t.Errorf("%v and %v, minimal %v, %d differences for %d words", p, f, d.Minimal, d.Left, len(words))
			}
			if jobs == 1 {
				first = d
			} else if d.Passing.Digest() != first.Passing.Digest() || d.Failing.Digest() != first.Failing.Digest() || d.Trials != first.Trials {
				t.Errorf("with %d jobs it is another answer, by %d trials instead of %d", jobs, d.Trials, first.Trials)
			}
		}
	}
}

// TestLargestNodes cuts a tree of many nodes at many places: to look through all
// nodes for each takes minutes.
func TestLargestNodes(t *testing.T) {
	const n = 100_000
	nodes := []nodeRange{{0, 2 * n}}
	for i := range n { // pairs of leaves
		nodes = append(nodes, nodeRange{2 * i, 2*i + 2}, nodeRange{2 * i, 2*i + 1}, nodeRange{2*i + 1, 2*i + 2})
	}
	for i := range n - 1 {
		// The second leaf of a pair, and all of the next one.
		if got := largestNodes(nodes, 2*i+1, 2*i+4); !slices.Equal(got, [][2]int{{2*i + 1, 2*i + 2}, {2*i + 2, 2*i + 4}}) {
			t.Fatalf("leaves %d..%d are cut into %v", 2*i+1, 2*i+4, got)
		}
	}
	if got := largestNodes(nodes, 0, 2*n); !slices.Equal(got, [][2]int{{0, 2 * n}}) {
		t.Errorf("the whole is cut into %v", got)
	}
}

package reduce

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/gitdd/gitdd/internal/seed"
	"github.com/gitdd/gitdd/isolate"
	"github.com/gitdd/gitdd/testcase"
)

// oneFile is an input of one file.
func oneFile(name, content string) testcase.Input {
	return testcase.Input{Files: []testcase.File{{Path: name, Mode: 0o644, Content: []byte(content)}}}
}

// directory is an input of files, given as path and content in turn.
func directory(files ...string) testcase.Input {
	in := testcase.Input{Dir: true}
	for i := 0; i < len(files); i += 2 {
		in.Files = append(in.Files, testcase.File{Path: files[i], Mode: 0o644, Content: []byte(files[i+1])})
	}
	return in
}

// fails is a test that fails for the inputs that a function finds interesting.
func fails(interesting func(in testcase.Input) bool) Test {
	return func(_ context.Context, in testcase.Input) (isolate.Outcome, error) {
		if interesting(in) {
			return isolate.Fail, nil
		}
		return isolate.Pass, nil
	}
}

// contentFails is one for the contents of inputs of one file.
func contentFails(interesting func(content string) bool) Test {
	return fails(func(in testcase.Input) bool { return interesting(string(in.Files[0].Content)) })
}

func contents(in testcase.Input) string {
	var all []string
	for _, f := range in.Files {
		all = append(all, f.Path+"="+string(f.Content))
	}
	return strings.Join(all, " ")
}

// TestReduce holds every reduction to what it promises, on random texts and
// random tests, monotone or not: what it says of each trial, that the result
// fails and is the last that was reported, that it is no larger, that nothing can
// be taken out if it says so, and that nothing depends on the number of jobs.
func TestReduce(t *testing.T) {
	r := rand.New(rand.NewPCG(seed.New(t), 0))
	words := []string{"a", "bb = 17;", "\n", "\r\n", "f(x, y)", "{", "}", "\"str\"", " ", "\x00", "\xff", "/* c */", "// d", "12.5e3", "é", "<k>", "'"}
	for n := range 40 {
		var text strings.Builder
		for range r.IntN(25) {
			text.WriteString(words[r.IntN(len(words))])
		}
		need := []string{words[r.IntN(len(words))], words[r.IntN(len(words))]}
		odd := r.IntN(3) == 0
		original := text.String()
		interesting := func(content string) bool {
			if content == original {
				return true
			}
			for _, w := range need {
				if strings.Contains(original, w) && !strings.Contains(content, w) {
					return false
				}
			}
			return !odd || len(content)%3 == len(original)%3
		}
		type path struct {
			steps    []Step
			improved []string
			result   Result
		}
		reduced := func(jobs, most int) path {
			var p path
			opts := Options{Jobs: jobs, MaxTrials: most, Format: []string{"", "lines", "bytes"}[n%3]}
			opts.Observe = func(s Step) { p.steps = append(p.steps, s) }
			opts.Improved = func(in testcase.Input) error { p.improved = append(p.improved, contents(in)); return nil }
			var err error
			p.result, err = Reduce(t.Context(), oneFile("x", original), contentFails(interesting), opts)
			if spent := errors.Is(err, isolate.ErrBudget); err != nil && !spent || spent && p.result.Trials != most {
				t.Fatalf("%q needing %q, at most %d trials: %v after %d", original, need, most, err, p.result.Trials)
			}
			return p
		}
		p := reduced(1, 0)
		output := string(p.result.Output.Files[0].Content)
		if !interesting(output) {
			t.Fatalf("%q needing %q: reduced to %q, which does not fail", original, need, output)
		}
		if len(p.improved) > 0 && p.improved[len(p.improved)-1] != contents(p.result.Output) {
			t.Fatalf("%q: the last improvement is %q, the result %q", original, p.improved[len(p.improved)-1], contents(p.result.Output))
		}
		if !p.result.Minimal {
			t.Fatalf("%q: not minimal", original)
		}
		trials, removed := 0, int64(0)
		for _, pass := range p.result.Passes {
			trials, removed = trials+pass.Trials, removed+pass.Removed
		}
		if trials != p.result.Trials || int(removed) != len(original)-len(output) {
			t.Fatalf("%q: passes sum up to %d trials and %d bytes, not %d and %d", original, trials, removed, p.result.Trials, len(original)-len(output))
		}
		tree, _, _, err := kinds(nil).parseText("x", []byte(output), p.result.Formats[0])
		if err != nil {
			t.Fatal(err)
		}
		for _, element := range everyNode(tree.Root) {
			if text, formed := tree.Render(Edits{element: Removal(element)}); formed && len(text) < len(output) && interesting(string(text)) {
				t.Fatalf("%q needing %q: %q is called minimal, and %q fails, too", original, need, output, text)
			}
		}
		if again := reduced(3, 0); fmt.Sprint(again) != fmt.Sprint(p) {
			t.Fatalf("%q needing %q: with 3 jobs\n%v\nwith one\n%v", original, need, again, p)
		}
		if p.result.Trials > 1 {
			most := 1 + r.IntN(p.result.Trials-1)
			some, more := reduced(1, most), reduced(4, most)
			if fmt.Sprint(some) != fmt.Sprint(more) {
				t.Fatalf("%q needing %q, %d trials: with 4 jobs\n%v\nwith one\n%v", original, need, most, more, some)
			}
			if !slices.Equal(some.improved, p.improved[:len(some.improved)]) {
				t.Fatalf("%q: %d trials lead another way", original, most)
			}
		}
	}
}

// everyNode lists the elements of a tree.
func everyNode(n *Node) []*Node {
	var list []*Node
	for _, c := range n.Children {
		if !c.Fixed && !c.Separator && !c.Joint {
			list = append(list, c)
		}
		list = append(list, everyNode(c)...)
	}
	return list
}

func TestReduceTrivial(t *testing.T) {
	in := oneFile("x.txt", "some\ntext\n")
	result, err := Reduce(t.Context(), in, contentFails(func(string) bool { return true }), Options{})
	if err != nil || len(result.Output.Files[0].Content) != 0 || result.Trials != 1 || !result.Minimal {
		t.Errorf("what always fails is reduced to %q in %d trials, %v", contents(result.Output), result.Trials, err)
	}
	if want := []string{"the command fails the same way on an empty file: what it fails on is not in the input"}; !slices.Equal(result.Notes, want) {
		t.Errorf("notes: %q", result.Notes)
	}
	for _, text := range []string{"", "\n", "x", "some\ntext"} {
		result, err = Reduce(t.Context(), oneFile("x", text), contentFails(func(c string) bool { return c == text }), Options{})
		if err != nil || contents(result.Output) != "x="+text || !result.Minimal {
			t.Errorf("%q is reduced to %q, %v", text, contents(result.Output), err)
		}
	}
}

func TestReduceEnds(t *testing.T) {
	text := strings.Repeat("line\n", 50) + "x\ny\n"
	trouble := errors.New("trouble")
	interesting := func(c string) bool { return strings.Contains(c, "x\n") && strings.Contains(c, "y\n") }
	for _, jobs := range []int{1, 4} {
		for _, last := range []int64{1, 5, 12} {
			var n atomic.Int64
			var best string
			result, err := Reduce(t.Context(), oneFile("a", text), func(ctx context.Context, in testcase.Input) (isolate.Outcome, error) {
				if n.Add(1) > last {
					return isolate.Unresolved, trouble
				}
				return contentFails(interesting)(ctx, in)
			}, Options{Jobs: jobs, Improved: func(in testcase.Input) error { best = contents(in); return nil }})
			if !errors.Is(err, trouble) || result.Minimal || best != "" && best != contents(result.Output) || !interesting(contents(result.Output)+"\n") {
				t.Errorf("trouble after %d trials, %d jobs: %v, %q", last, jobs, err, contents(result.Output))
			}
		}
		ctx, cancel := context.WithCancel(t.Context())
		result, err := Reduce(ctx, oneFile("a", text), contentFails(interesting), Options{Jobs: jobs, Improved: func(testcase.Input) error { cancel(); return nil }})
		if !errors.Is(err, context.Canceled) || result.Output.Size() >= int64(len(text)) || !interesting(contents(result.Output)) {
			t.Errorf("cancelled at the first success, %d jobs: %v, %q", jobs, err, contents(result.Output))
		}
		if _, err = Reduce(t.Context(), oneFile("a", text), contentFails(interesting), Options{Jobs: jobs, Improved: func(testcase.Input) error { return trouble }}); !errors.Is(err, trouble) {
			t.Errorf("Improved fails, %d jobs: %v", jobs, err)
		}
	}
	for _, opts := range []Options{{Format: "none"}, {Algorithm: "none"}, {Passes: []string{"none"}}} {
		if _, err := Reduce(t.Context(), oneFile("a", text), nil, opts); err == nil {
			t.Errorf("%+v is no error", opts)
		}
	}
}

func TestReduceKeep(t *testing.T) {
	in := directory("a.c", "int main() {}\n/* keep 1 */\nint x;\n", "b.c", "int y; /* keep 2 */\n/* keep 2 */\n", "c.c", "int z;\nint bug;\n")
	result, err := Reduce(t.Context(), in, fails(func(in testcase.Input) bool { return strings.Contains(contents(in), "bug") }), Options{Keep: regexp.MustCompile(`keep \d`)})
	if err != nil {
		t.Fatal(err)
	}
	// The files that it matched in stay, with what it matched.
	for _, f := range result.Output.Files {
		want := map[string][]string{"a.c": {"keep 1"}, "b.c": {"keep 2", "keep 2"}, "c.c": nil}[f.Path]
		var got []string
		for _, m := range regexp.MustCompile(`keep \d`).FindAll(f.Content, -1) {
			got = append(got, string(m))
		}
		if !slices.Equal(got, want) || bytes.Contains(f.Content, []byte("int ")) {
			t.Errorf("%s: %q", f.Path, f.Content)
		}
	}
	if len(result.Output.Files) != 3 || len(result.Notes) > 0 {
		t.Errorf("%s, notes %q", contents(result.Output), result.Notes)
	}
	result, err = Reduce(t.Context(), in, fails(func(testcase.Input) bool { return true }), Options{Keep: regexp.MustCompile(`nowhere`)})
	if err != nil || len(result.Output.Files) > 0 || len(result.Notes) != 2 {
		t.Errorf("%s, notes %q, %v", contents(result.Output), result.Notes, err)
	}
}

func TestReduceDirectory(t *testing.T) {
	var files []string
	for d := range 10 {
		for f := range 20 {
			files = append(files, fmt.Sprintf("top/dir%d/file%02d", d, f), fmt.Sprintf("one\ntwo %d\nthree\n", f))
		}
	}
	in := directory(files...)
	result, err := Reduce(t.Context(), in, fails(func(in testcase.Input) bool {
		all := contents(in)
		return strings.Contains(all, "dir3/file07=") && strings.Contains(all, "two 7") && strings.Contains(all, "dir8/file19=")
	}), Options{Jobs: 2})
	if err != nil {
		t.Fatal(err)
	}
	if got := contents(result.Output); got != "top/dir3/file07=two 7 top/dir8/file19=" && got != "top/dir3/file07= top/dir8/file19=two 7" {
		t.Errorf("reduced to %q", got)
	}
	if !result.Minimal || result.Trials > 150 {
		t.Errorf("minimal %v in %d trials", result.Minimal, result.Trials)
	}
	if len(result.Formats) != 2 {
		t.Errorf("formats %q", result.Formats)
	}
}

// TestMinimal: it is said only where each single element was asked about.
func TestMinimal(t *testing.T) {
	file, dir := oneFile("a", "x\ny\n"), directory("d/a", "x\ny\n", "d/b", "z\n")
	for _, c := range []struct {
		in   testcase.Input
		opts Options
		want bool
	}{
		{file, Options{}, true},
		{file, Options{Fast: true}, false},
		{file, Options{Passes: []string{"structure"}}, true},
		{file, Options{Passes: []string{"spaces"}}, false},
		{dir, Options{}, true},
		{dir, Options{Passes: []string{"structure"}}, false},
		{dir, Options{Passes: []string{"files"}}, false},
		{dir, Options{Passes: []string{"files", "structure"}}, true},
	} {
		result, err := Reduce(t.Context(), c.in, fails(func(in testcase.Input) bool { return strings.Contains(contents(in), "y") }), c.opts)
		if err != nil || result.Minimal != c.want {
			t.Errorf("%d files, %+v: minimal %v, %v", len(c.in.Files), c.opts, result.Minimal, err)
		}
	}
}

// While nothing goes, the questions that a pass has still before it count down, and the
// last list of a reduction, which certifies that it is minimal, has an end.
func TestStepLeft(t *testing.T) {
	var steps []Step
	text := "a b c d e f g h i j k l m n o p q r s t u v w x y z\n"
	in := testcase.Input{Files: []testcase.File{{Path: "in", Mode: 0o644, Content: []byte(text)}}}
	test := func(_ context.Context, in testcase.Input) (isolate.Outcome, error) {
		if text := string(in.Files[0].Content); strings.Contains(text, "c") && strings.Contains(text, "m") && strings.Contains(text, "x") {
			return isolate.Fail, nil
		}
		return isolate.Pass, nil
	}
	for _, jobs := range []int{1, 3} {
		var now []Step
		if _, err := Reduce(t.Context(), in, test, Options{Jobs: jobs, Observe: func(s Step) { now = append(now, s) }}); err != nil {
			t.Fatal(err)
		}
		if steps != nil && !slices.Equal(steps, now) {
			t.Errorf("with %d jobs the steps are\n%v\nand were\n%v", jobs, now, steps)
		}
		steps = now
	}
	known := 0
	for k, s := range steps {
		if s.Left < 0 || s.Left > len(text) {
			t.Errorf("step %d: %d questions are left", k, s.Left)
		}
		if s.Left == 0 {
			continue
		}
		known++
		if next := steps[k+1]; next.Outcome == isolate.Pass && next.Pass == s.Pass && next.Left > 0 && steps[k].Left > 1 && next.Left >= s.Left && next.Size == s.Size {
			t.Errorf("step %d: %d questions are left, and then %d", k, s.Left, next.Left)
		}
	}
	if known == 0 || steps[len(steps)-1].Left != 0 {
		t.Errorf("of %d steps %d say what is left, the last one %d", len(steps), known, steps[len(steps)-1].Left)
	}
}

// TestNumbersFirst: a formula in which all numbers can be the same loses its clauses in few trials. Without
// that question before all others, which takes two trials, these took 700 to 900.
func TestNumbersFirst(t *testing.T) {
	seed := seed.New(t)
	for i := range uint64(5) {
		r := rand.New(rand.NewPCG(seed, i))
		const variables = 10
		var formula strings.Builder
		for range 100 {
			for _, v := range r.Perm(variables)[:3] {
				fmt.Fprintf(&formula, "%d ", (v+1)*(1-2*r.IntN(2)))
			}
			formula.WriteString("0\n")
		}
		// A formula of clauses of three literals each that no assignment satisfies.
		unsatisfiable := func(content string) bool {
			var clauses [][3]int
			for line := range strings.Lines(content) {
				var c [3]int
				if n, err := fmt.Sscanf(line, "%d %d %d 0", &c[0], &c[1], &c[2]); n != 3 || err != nil || slices.Contains(c[:], 0) {
					return false
				}
				clauses = append(clauses, c)
			}
			for assigned := range 1 << variables {
				if !slices.ContainsFunc(clauses, func(c [3]int) bool {
					return !slices.ContainsFunc(c[:], func(l int) bool { return (assigned>>(max(l, -l)-1)&1 == 1) == (l > 0) })
				}) {
					return false
				}
			}
			return true
		}
		if !unsatisfiable(formula.String()) {
			continue
		}
		result, err := Reduce(t.Context(), oneFile("a.cnf", formula.String()), contentFails(unsatisfiable), Options{})
		if err != nil || !result.Minimal || result.Trials > 150 || !unsatisfiable(string(result.Output.Files[0].Content)) {
			t.Errorf("formula %d: %d trials, minimal %v, %v\n%s", i, result.Trials, result.Minimal, err, result.Output.Files[0].Content)
		}
	}
}

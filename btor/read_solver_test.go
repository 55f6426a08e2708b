package btor

import (
	"maps"
	"math/rand/v2"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// takes says whether boolector takes a text, and what it says if not.
func takes(t *testing.T, text string) (bool, string) {
	t.Helper()
	status, says := run(t, []byte(text), "boolector", "--btor", "-de")
	return status == 0, strings.TrimPrefix(says, "<stdin>")
}

// Where a text of the rejections is one that boolector rejects, it names the same
// line, and begins with the same words.
func TestRejectionsOfSolver(t *testing.T) {
	solvers(t, "boolector")
	compared := 0
	for _, row := range rejections {
		if beyond(row.text) != "" {
			continue
		}
		ok, says := takes(t, row.text)
		if ok {
			t.Errorf("%q: boolector takes it; gitdd says line %d: %s", row.text, row.line, row.message)
			continue
		}
		compared++
		m := sayings.FindStringSubmatch(says)
		if m == nil {
			t.Errorf("%q: boolector says %s", row.text, says)
			continue
		}
		if line, _ := strconv.Atoi(m[1]); line != row.line {
			t.Errorf("%q: boolector says line %d, gitdd %d: %s", row.text, line, row.line, row.message)
		}
		if words := m[2]; !strings.HasPrefix(row.message, words) && !slices.Contains(ours, words) {
			t.Errorf("%q:\nboolector %s\n    gitdd %s", row.text, words, row.message)
		}
	}
	if compared < len(rejections)*2/3 {
		t.Errorf("only %d of %d rejections were compared", compared, len(rejections))
	}
}

var sayings = regexp.MustCompile(`^:(\d+): (.*)`)

// ours are words of the solver's for which there are better ones.
var ours = []string{
	"binary constant '1' exceeds bit width 2",
	"binary constant '" + strings.Repeat("01", 30) + "' exceeds bit width 4",
	"invalid operator 'f\xffo\x1b'",
	"binary constant '' exceeds bit width 4",
	"binary constant '011' exceeds bit width 4",
}

// beyond says why boolector and gitdd may differ about a text; "" = they may not.
func beyond(text string) string {
	r := newReader([]byte(text))
	for r.begin() && r.definition() && r.end() {
	}
	for _, n := range r.nodes {
		if n.Sort.Width > 1<<16 || n.Sort.Index > 1<<16 {
			return "it is too large for the solver"
		}
	}
	for _, id := range r.file.IDs {
		if id > 1<<20 {
			return "the solver counts up to the number"
		}
	}
	switch {
	case len(r.file.Warnings) > 0:
		return "an array is complemented, which solvers do not check"
	case r.file.Version == 2:
		return "version 2 is gone"
	case r.err == nil:
		return ""
	}
	for _, words := range []string{"carriage return", "lower case", "too large", "NUL", "reduction operator returns", "expected hexadecimal digit", "unsupported", "next", "version", "arrays with different index width"} {
		if strings.Contains(r.err.Message, words) {
			return words
		}
	}
	return ""
}

// A text that was changed at random is one that boolector takes, if and only if it is
// one that is read.
func TestReadAsSolver(t *testing.T) {
	solvers(t, "boolector")
	r := randomly(t)
	files := 300
	if testing.Short() {
		files = 100
	}
	taken := 0
	for n := 0; n < files; {
		text := mutated(r, sample(r))
		if beyond(text) != "" {
			continue
		}
		n++
		ok, says := takes(t, text)
		_, err := Read([]byte(text))
		if ok != (err == nil) {
			t.Fatalf("boolector: %v %s\ngitdd: %v\n%q", ok, says, err, text)
		}
		if ok {
			taken++
		} else if m := sayings.FindStringSubmatch(says); m == nil {
			t.Fatalf("boolector says %s of\n%s", says, text)
		}
	}
	if taken < files/20 || taken > files*19/20 {
		t.Errorf("%d of %d texts are taken: that compares little", taken, files)
	}
}

// sample is a text to change.
func sample(r *rand.Rand) string {
	if r.IntN(3) == 0 {
		return leaves + "5 not 4 3\n6 add 4 3 -5\n7 eq 1 5 6\n8 read 4 1 2\n9 slice 2 8 2 1\n10 sll 4 8 9\n11 acond 4 2 7 1 1\n12 root 1 7\n"
	}
	return string(Text(graphOf(r, 1+r.IntN(20), 1+r.IntN(6))))
}

// mutated changes a text in up to three places.
func mutated(r *rand.Rand, text string) string {
	const letters = " \t\n;-0123456789ax"
	for range 1 + r.IntN(3) {
		lines := strings.SplitAfter(text, "\n")
		i, j := r.IntN(len(lines)), r.IntN(len(lines))
		words := strings.Split(strings.TrimSuffix(lines[i], "\n"), " ")
		k := r.IntN(len(words))
		switch r.IntN(12) {
		case 0:
			lines[i] = ""
		case 1:
			lines[i], lines[j] = lines[j], lines[i]
		case 2:
			lines[i] += lines[j]
		case 3, 4:
			words = append(words[:k], words[k+1:]...)
		case 5:
			words[k] += " " + words[r.IntN(len(words))]
		case 6:
			words[k] = strconv.Itoa(r.IntN(12) - 3)
		case 7:
			if x, err := strconv.Atoi(words[k]); err == nil {
				words[k] = strconv.Itoa([]int{-x, x + 1, x - 1, 2 * x}[r.IntN(4)])
			}
		case 8:
			if k = min(1, len(words)-1); k == 1 {
				words[k] = operatorWords[r.IntN(len(operatorWords))]
			}
		case 9:
			if at := r.IntN(len(text) + 1); at >= 0 {
				text = text[:at] + string(letters[r.IntN(len(letters))]) + text[at:]
				continue
			}
		case 10:
			if len(text) > 0 {
				at := r.IntN(len(text))
				text = text[:at] + text[at+1:]
				continue
			}
		case 11:
			words = append(words, []string{"; note", "a", ";", "1", ""}[r.IntN(5)])
		}
		if lines[i] != "" && words != nil {
			if changed := strings.Join(words, " "); changed != strings.TrimSuffix(lines[i], "\n") {
				lines[i] = changed + "\n"
			}
		}
		text = strings.Join(lines, "")
	}
	return text
}

// operatorWords is all words of operators, and some that are none, in order.
var operatorWords = append(slices.Sorted(maps.Keys(operators)), "zeros", "lambda", "Add")

package changes

import (
	"bytes"
	"fmt"
	"hash/crc32"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// someConstructs are any lines, the same ones for the same content.
func someConstructs(_ string, content []byte) (list [][2]int) {
	rng := rand.New(rand.NewPCG(uint64(crc32.ChecksumIEEE(content)), 0))
	n := len(lines(content))
	for range rng.IntN(n + 1) {
		from := rng.IntN(n)
		list = append(list, [2]int{from, from + 1 + rng.IntN(n-from)})
	}
	return list
}

// braced are the lines from one with an opening brace, and those with a mark right before it, to the closing brace.
func braced(_ string, content []byte) (list [][2]int) {
	var open []int
	marked := -1
	for i, l := range lines(content) {
		if marked < 0 {
			marked = i
		}
		switch l := bytes.TrimSpace(l); {
		case bytes.HasSuffix(l, []byte("{")):
			open, marked = append(open, marked), -1
		case bytes.HasPrefix(l, []byte("}")):
			list, open, marked = append(list, [2]int{open[len(open)-1], i + 1}), open[:len(open)-1], -1
		case !bytes.HasPrefix(l, []byte("@")):
			marked = -1
		}
	}
	return list
}

func TestPlaceByConstructs(t *testing.T) {
	// Words are lines.
	of := func(words string) string { return strings.ReplaceAll(words, " ", "\n") + "\n" }
	for _, c := range []struct {
		name, old, new string
		want           []string
	}{
		{"behind a body that was replaced", "a{ x }", "a{ y } b{ z }", []string{"-2,1 +2,1 x|y", "-3,0 +4,3 |b{ z }"}},
		{"before a body that was replaced", "a{ x }", "b{ x } a{ y }", []string{"-0,0 +1,3 |b{ x }", "-2,1 +5,1 x|y"}},
		{"what is removed", "a{ y } b{ z }", "a{ x }", []string{"-2,1 +2,1 y|x", "-4,3 +3,0 b{ z }|"}},
		{"with the mark before it", "@m a{ x }", "@m b{ z } @m a{ x }", []string{"-0,0 +1,4 |@m b{ z }"}},
		{"with the mark before it, where another one is", "@m a{ x } @m c{ x }", "@m a{ x } @m b{ z } @m c{ x }", []string{"-4,0 +5,4 |@m b{ z }"}},
		{"two", "a{ x }", "a{ y } b{ z } c{ z }", []string{"-2,1 +2,1 x|y", "-3,0 +4,6 |b{ z } c{ z }"}},
		{"cut alike on both sides", "a{ x }", "b{ y }", []string{"-1,2 +1,2 a{ x|b{ y"}},
		{"no line would be left before the next hunk", "a{ x } w", "a{ y } b{ z } v", []string{"-2,1 +2,4 x|y } b{ z", "-4,1 +7,1 w|v"}},
		{"the whole of another", "a{ x } c{ x }", "a{ x } b{ x } c{ x }", []string{"-3,0 +4,3 |b{ x }"}},
	} {
		old, new := of(c.old), of(c.new)
		hunks := cut([]byte(old), []byte(new))
		hunks = placeByConstructs(hunks, newLineText("", []byte(old), braced), newLineText("", []byte(new), braced))
		checkHunks(t, hunks, old, new)
		var got []string
		for _, h := range hunks {
			k := h.change([]byte(old), []byte(new))
			words := func(text []byte) string { return strings.Join(strings.Fields(string(text)), " ") }
			got = append(got, fmt.Sprintf("-%d,%d +%d,%d %s|%s", k.OldStart, k.OldLines, k.NewStart, k.NewLines, words(k.Old), words(k.New)))
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, diff)
		}
	}
}

// The syntax is asked for where something can be elsewhere, and not beyond constructBytes.
func TestConstructsAreRead(t *testing.T) {
	filler := strings.Repeat("a line of some length that many others are like\n", constructBytes/2/48+1)
	good, bad := tree{}, tree{}
	for i, name := range []string{"a", "b", "c", "d"} {
		good[name], bad[name] = text(filler+"a{\nx\n}\n"), text(filler+"a{\ny\n}\nb{\nz\n}\n")
		if i == 0 {
			bad[name] = text(filler + "a{\ny\n}\n")
		}
	}
	repo, revs := repository(t, "sha1", good, bad)
	asked := make(chan string, 100)
	s, err := Between(t.Context(), repo, revs[0], revs[1], Options{Constructs: func(path string, content []byte) [][2]int {
		asked <- path
		return braced(path, content)
	}})
	if err != nil {
		t.Fatal(err)
	}
	close(asked)
	got := map[string]int{}
	for path := range asked {
		got[path]++
	}
	if diff := cmp.Diff(map[string]int{"b": 2}, got); diff != "" {
		t.Errorf("read (-want +got):\n%s", diff)
	}
	checkEndsOf(t, s)
	if len(s.Changes) != 5 {
		t.Errorf("%q, want two changes of b", describe(s))
	}
}

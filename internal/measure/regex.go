package measure

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/gitdd/gitdd/internal/lazyregexp"
	"github.com/gitdd/gitdd/internal/prose"
)

// match finds the one number in the output that the expression matches: its first group, or all of the match.
func (w What) match(run Run) (n Number, err error) {
	var first, again []byte // the line of the first match, and the second match
	var at []int
	long, err := run.lines(func(line []byte) bool {
		for _, m := range w.expression.FindAllSubmatchIndex(line, 2) {
			if at == nil {
				first, at = bytes.Clone(line), m
				continue
			}
			again = append([]byte{}, line[m[0]:m[1]]...) // not nil, even if it is empty
			return false
		}
		return true
	})
	switch {
	case err != nil:
		return n, err
	case at == nil && long > 0:
		return n, absent("no line of the output matches %s, and %s of more than %s were left out", w.expression, prose.Count(long, "line"), prose.Size(longestLine))
	case at == nil:
		return n, absent("no line of the output matches %s", w.expression)
	case again != nil:
		return n, absent("the output has more than one match of %s: %s and %s", w.expression, brief(first[at[0]:at[1]]), brief(again))
	}
	return numberIn(first, at)
}

// brief is a text of the output for a message.
func brief(text []byte) string {
	return prose.Quote(prose.Brief(strings.ToValidUTF8(string(text), "\uFFFD")))
}

// numberIn is the number of a match on a line.
func numberIn(line []byte, match []int) (n Number, err error) {
	from, to := match[0], match[1]
	if len(match) > 2 {
		if from, to = match[2], match[3]; from < 0 {
			return n, absent("the first group took no part in the match %s", brief(line[match[0]:match[1]]))
		}
	}
	text := bytes.TrimSpace(line[from:to])
	if n.Value, n.Unit, err = parseQuantity(string(text)); err != nil {
		return n, absent("the match %s is not a number: %v", brief(text), err)
	}
	if longer := surrounding(line, from, to, match); longer != "" {
		return n, absent("the match %s is only a part of %s: let the expression match what stands around the number", brief(text), brief([]byte(longer)))
	}
	if n.Unit == "" {
		if unit := unitBehind().FindSubmatch(line[to:]); unit != nil {
			n.Unit = string(unit[1])
		}
	}
	return n, nil
}

// unitBehind matches a unit that stands behind a number.
var unitBehind = lazyregexp.New(`^[ \t]?(ns|us|µs|μs|ms|s|B|kB|KB|KiB|MB|MiB|GB|GiB|TB|TiB)(?:[^\pL\pN_/]|$)`)

// before and behind match what makes a number a part of a longer one: digits, separators and signs.
var (
	before = lazyregexp.New(`(?:[0-9]|(?:^|[0-9 \t])\.|[0-9](?:[,:'_]|\x{a0}|\x{2009}|\x{202f})|(?:^|[\s=:(\[])-)$`)
	behind = lazyregexp.New(`^(?:[0-9]|(?:[.,:'_]|\x{a0}|\x{2009}|\x{202f})[0-9]|[eE][+-]?[0-9])`)
)

// surrounding returns the longer number that line[from:to] is a part of, "" if it is none. What the match has of the
// line around the number is meant so.
func surrounding(line []byte, from, to int, match []int) string {
	const piece = 64 // of the line is enough
	left, right := line[max(0, from-piece):from], line[to:min(len(line), to+piece)]
	if (match[0] < from || !before().Match(left)) && (match[1] > to || !behind().Match(right)) {
		return ""
	}
	const parts = "0123456789.,:'_+-eE\u00a0\u2009\u202f"
	left = left[len(bytes.TrimRight(left, parts)):]
	right = right[:len(right)-len(bytes.TrimLeft(right, parts))]
	return fmt.Sprintf("%s%s%s", left, line[from:to], right)
}

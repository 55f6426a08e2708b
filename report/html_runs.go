package report

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// A run is elements from From to To-1.
type run struct{ From, To int }

// parseRuns reads what isolate.Configuration prints: "0-3,7". What is not of that
// kind, or beyond n, ends it: a story may be of another hand.
func parseRuns(text string, n int) []run {
	var runs []run
	if text == "" {
		return nil
	}
	next := 0
	for part := range strings.SplitSeq(text, ",") {
		a, b, ranged := strings.Cut(part, "-")
		from, err := strconv.Atoi(a)
		to := from
		if ranged && err == nil {
			to, err = strconv.Atoi(b)
		}
		if err != nil || from < next || to < from || to >= n {
			break
		}
		runs = append(runs, run{from, to + 1})
		next = to + 1
	}
	return runs
}

// The picture of a line of elements is barWidth wide, and of at most mostRuns runs.
const (
	barWidth = 1000
	mostRuns = 60
)

// barPath draws runs of n elements as a line to be stroked. A run is never too thin
// to be seen; where there are very many they are drawn as cells of a grid.
func barPath(runs []run, n int) string {
	const thinnest = 4
	if n == 0 || len(runs) == 0 {
		return ""
	}
	at := func(i int) int { return int(math.Round(float64(i) * barWidth / float64(n))) }
	type stroke struct{ from, to int }
	var strokes []stroke
	for _, r := range runs {
		from, to := at(r.From), at(r.To)
		if len(runs) > mostRuns {
			const cell = barWidth / (2 * mostRuns)
			from, to = from/cell*cell, (to+cell-1)/cell*cell
		}
		to = min(max(to, from+thinnest), barWidth)
		from = min(from, to-thinnest)
		if k := len(strokes) - 1; k >= 0 && from <= strokes[k].to {
			strokes[k].to = max(strokes[k].to, to)
			continue
		}
		strokes = append(strokes, stroke{from, to})
	}
	var b strings.Builder
	pen := 0
	for i, s := range strokes {
		if i == 0 {
			fmt.Fprintf(&b, "M%d 5h%d", s.from, s.to-s.from)
		} else {
			fmt.Fprintf(&b, "m%d 0h%d", s.from-pen, s.to-s.from)
		}
		pen = s.to
	}
	return b.String()
}

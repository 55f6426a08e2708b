package report

import (
	"math"
	"strings"
)

// curveRows and curveColumns are the extent of a curve, without its labels.
const (
	curveRows    = 4
	curveColumns = 56
)

// size is what a curve is about: nodes, where the input is a graph.
func (p Point) size(nodes bool) int64 {
	if nodes {
		return int64(p.Nodes)
	}
	return p.Bytes
}

// curve draws how the size went down over the trials, as an area under its line
// with sizes on a logarithmic scale: the lines, top first, none if there is
// nothing to see. In plain the area is of ASCII characters.
func curve(points []Point, nodes bool, trials, columns int, plain bool) []string {
	if len(points) < 2 || columns < 8 {
		return nil
	}
	trials = max(trials, points[len(points)-1].Trial)
	high, low := points[0].size(nodes), points[len(points)-1].size(nodes)
	if high <= low {
		return nil
	}
	across, down := 2, 4 // dots of a character
	if plain {
		across, down = 1, 2
	}
	columns = min(columns, max(4, (trials+across)/across))
	width, height := columns*across, curveRows*down
	logHigh, logLow := math.Log(float64(high)), math.Log(float64(max(low, 1)))
	levels := make([]int, width) // of dots, from below
	at := 0
	for x := range levels {
		// Where a column is several trials, it shows the last of them.
		trial := (x + 1) * trials / width
		for at+1 < len(points) && points[at+1].Trial <= trial {
			at++
		}
		share := (math.Log(float64(max(points[at].size(nodes), 1))) - logLow) / (logHigh - logLow)
		levels[x] = max(1, int(math.Round(share*float64(height))))
	}
	levels[0] = height // from where it came, however short that was
	lines := make([]string, curveRows)
	for row := range lines {
		var b strings.Builder
		for c := range columns {
			b.WriteRune(cell(levels[c*across:(c+1)*across], (curveRows-1-row)*down, plain))
		}
		lines[row] = strings.TrimRight(b.String(), " ")
	}
	return lines
}

// cell is the character for columns of dots, of which base are below it.
func cell(levels []int, base int, plain bool) rune {
	if plain {
		return rune(" .#"[min(max(levels[0]-base, 0), 2)])
	}
	// The dots of a Braille character, from below: Unicode 15, section 21.1.
	dots := [2][4]rune{{0x40, 0x04, 0x02, 0x01}, {0x80, 0x20, 0x10, 0x08}}
	sum := rune(0)
	for i, level := range levels {
		for d := range min(max(level-base, 0), 4) {
			sum += dots[i][d]
		}
	}
	if sum == 0 {
		return ' '
	}
	return 0x2800 + sum
}

package report

import (
	"slices"
	"strings"
)

// placeWeight is how much the line that the command failed at tells, and nameWeight how much a name that
// stands in no other line does.
const (
	placeWeight = 1 << 20
	nameWeight  = 1 << 10
)

// weights returns how much each line of a side tells of the failure: the line that the command failed at,
// of index place, and lines with names that the failing configuration printed. A name that stands in several lines
// says less of each.
func (p *page) weights(s *side, place int) []int {
	weights := make([]int, len(s.lines))
	if place >= 0 && place < len(weights) {
		weights[place] = placeWeight
	}
	names := p.r.Printed
	if at := p.r.Place; at != nil && at.Name != "" {
		names = append(slices.Clip(names), at.Name)
	}
	for _, name := range names {
		var in []int
		for i, line := range s.lines {
			if hasName(line, name) {
				in = append(in, i)
			}
		}
		for _, i := range in {
			weights[i] += nameWeight / len(in)
		}
	}
	return weights
}

// hasName reports whether a name stands in a line, and not within a longer name.
func hasName(line, name string) bool {
	for from := 0; ; from++ {
		i := strings.Index(line[from:], name)
		if i < 0 {
			return false
		}
		if from += i; !withinName(line, from) && !withinName(line, from+len(name)) {
			return true
		}
	}
}

// withinName reports whether a place in a line is between two letters or digits.
func withinName(line string, at int) bool {
	return at > 0 && at < len(line) && ofName(line[at-1]) && ofName(line[at])
}

func ofName(b byte) bool {
	return b == '_' || b >= '0' && b <= '9' || b >= 'A' && b <= 'Z' || b >= 'a' && b <= 'z' || b >= 0x80
}

// window returns the range of at most limit lines with the largest sum of weights, the first one of several,
// or all lines if fewer than hidden would be left out.
func window(weights []int, limit, hidden int) (from, to int) {
	if len(weights)-limit < hidden {
		return 0, len(weights)
	}
	sum := 0
	for _, w := range weights[:limit] {
		sum += w
	}
	most, last := sum, 0
	for i := 1; i+limit <= len(weights); i++ {
		sum += weights[i+limit-1] - weights[i-1]
		if sum > most {
			most, from, last = sum, i, i
		} else if sum == most && from > 0 && last == i-1 {
			last = i
		}
	}
	from = (from + last) / 2 // with lines before and behind those that tell
	to = from + limit
	if from < hidden { // to hide these few lines saves nothing
		from = 0
	}
	if len(weights)-to < hidden {
		to = len(weights)
	}
	return from, to
}

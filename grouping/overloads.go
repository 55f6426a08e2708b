package grouping

import (
	"slices"
	"sort"
	"strconv"

	"github.com/gitdd/gitdd/changes"
)

// overloads returns the declarations of both sides, in which those of one symbol, such as overloaded functions, have symbols of
// their own. One in good and one in bad have the same if no other has more lines that stay in common with that in good.
// Cost: the lines of such declarations, times the logarithm of the hunks.
func (f *file) overloads(list []changes.Change, sides [2]side) (apart [2][]declaration) {
	var of [2]map[string][]int // symbol -> its declarations
	several := false
	for which := range of {
		of[which] = map[string][]int{}
		apart[which] = slices.Clone(sides[which].declarations)
		for i, d := range apart[which] {
			if d.symbol != "" && d.end > d.start {
				of[which][d.symbol] = append(of[which][d.symbol], i)
				several = several || len(of[which][d.symbol]) > 1
			}
		}
	}
	if !several {
		return apart
	}
	name := func(d *declaration, which int) string {
		return d.symbol + "#" + strconv.Itoa(which) + "." + strconv.Itoa(d.start)
	}
	for symbol, olds := range of[good] {
		news := of[bad][symbol]
		if !apartOf(olds, news) {
			continue
		}
		for _, i := range olds {
			d := &apart[good][i]
			inCommon := map[string]int{}
			for line := d.start; line <= d.end; line++ {
				at := f.stays(list, line)
				for _, j := range news {
					if n := sides[bad].declarations[j]; at >= n.start && at <= n.end {
						inCommon[name(&n, bad)]++
					}
				}
			}
			called := name(d, good)
			for _, j := range news {
				if n := name(&sides[bad].declarations[j], bad); inCommon[n] > inCommon[called] {
					called = n
				}
			}
			d.symbol = called
		}
	}
	for symbol, news := range of[bad] {
		if apartOf(of[good][symbol], news) {
			for _, j := range news {
				apart[bad][j].symbol = name(&sides[bad].declarations[j], bad)
			}
		}
	}
	return apart
}

// mostOverloads bounds how many pairs of declarations of one symbol are compared.
const mostOverloads = 4096

// apartOf reports whether the declarations of a symbol on both sides are told apart.
func apartOf(olds, news []int) bool {
	return max(len(olds), len(news)) > 1 && len(olds)*len(news) <= mostOverloads
}

// stays returns where a line of good stands in bad; 0 if a hunk replaces it.
func (f *file) stays(list []changes.Change, line int) int {
	k := sort.Search(len(f.text), func(k int) bool { // the first hunk that begins behind the line
		c := &list[f.text[k]]
		return before(c.OldStart, c.OldLines) > line-1
	})
	if k == 0 {
		return line
	}
	c := &list[f.text[k-1]]
	if end := after(c.OldStart, c.OldLines); line-1 >= end {
		return line + after(c.NewStart, c.NewLines) - end
	}
	return 0
}

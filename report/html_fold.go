package report

import (
	"slices"
	"strings"

	"github.com/gitdd/gitdd/internal/prose"
)

// How many rows are seen before some are folded.
const (
	seenRows  = 60
	endRows   = 12  // of attempts, which clear nothing
	foldRows  = 100 // in one fold
	stillRows = 4   // that cleared nothing, in a row
)

// fold puts rows into blocks. Of a long search the trials that cleared nothing are
// folded, and if that is not enough all but the first and the last.
func fold(rows []htmlRow, bars bool) []htmlBlock {
	var blocks []htmlBlock
	add := func(rows []htmlRow, summary string) {
		if n := len(blocks) - 1; summary == "" && n >= 0 && blocks[n].Summary == "" {
			blocks[n].Rows = append(blocks[n].Rows, rows...)
		} else if len(rows) > 0 {
			b := htmlBlock{Summary: summary, Rows: slices.Clip(rows), Bars: bars}
			if summary != "" && bars {
				b.Bar = rows[len(rows)-1].Bar
				if moved := slices.IndexFunc(rows, func(r htmlRow) bool { return r.Before != "" }); moved >= 0 {
					b.Before = rows[moved].Before
				}
			}
			blocks = append(blocks, b)
		}
	}
	seen := seenRows
	if !bars {
		seen = endRows
	}
	if len(rows) <= seen {
		add(rows, "")
	} else {
		ends := seen / 4
		add(rows[:ends], "")
		middle := rows[ends : len(rows)-ends]
		moved := 0
		for i := range middle {
			if middle[i].Before != "" {
				moved++
			}
		}
		if bars && moved <= seenRows {
			for i := 0; i < len(middle); {
				j := i
				for j < len(middle) && middle[j].Before == "" {
					j++
				}
				if j-i >= stillRows {
					add(middle[i:j], countRows(middle[i:j])+", cleared nothing")
					i = j
					continue
				}
				j = min(j+1, len(middle))
				add(middle[i:j], "")
				i = j
			}
		} else {
			for part := range slices.Chunk(middle, foldRows) {
				text := countRows(part)
				if bars {
					text += ": " + prose.Count(part[len(part)-1].count, "suspect") + " left"
				}
				add(part, text)
			}
		}
		add(rows[len(rows)-ends:], "")
	}
	if len(blocks) > 0 {
		blocks[0].First = true
	}
	return blocks
}

// countRows says how many rows there are, by outcome.
func countRows(rows []htmlRow) string {
	count := map[string]int{}
	for i := range rows {
		count[rows[i].Outcome]++
	}
	var parts []string
	for _, o := range []string{"pass", "fail", "unresolved"} {
		if count[o] > 0 {
			parts = append(parts, prose.Number(count[o])+" "+o)
		}
	}
	return prose.Count(len(rows), "trial") + " (" + strings.Join(parts, ", ") + ")"
}

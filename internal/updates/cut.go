package updates

import (
	"bytes"
	"slices"
	"strings"

	"github.com/gitdd/gitdd/changes"
	"github.com/gitdd/gitdd/internal/sequence"
)

// Cut is a changes.Cutter: it cuts a file of a known format so that no piece is about the entries of two
// packages. It cuts no other file.
//
// Entries are paired by their IDs, by an alignment of both texts in which an entry is one element, and
// any other line is one. An entry that differs is a piece; one that only one side has is a piece; what lies
// between entries is a piece if its lines differ, and Split may cut it further.
//
// Cost: that of reading both texts, and of comparing two lists of as many elements as they have lines.
func Cut(name string, old, new []byte) ([]changes.Piece, func([]byte) []byte) {
	f := formatOf(name)
	if f == nil {
		return nil, nil
	}
	s, err := f.sides(f.below(f.home(name), name), old, new)
	if err != nil {
		return nil, nil
	}
	c := cutting{json: f.json, sums: strings.HasSuffix(name, ".sum")}
	for which, text := range [][]byte{old, new} {
		c.text[which], c.starts[which] = text, lineStarts(text)
		c.elements[which] = elements(s[which], rows(text), f.json)
	}
	repair := repairCommas
	if !f.json {
		repair = nil
	}
	return c.pieces(), repair
}

// An element is an entry, or a line that is in none.
type element struct {
	key      string
	from, to int // lines
	entry    bool
}

func elements(entries []Entry, lines [][]byte, json bool) (list []element) {
	between := func(from, to int) {
		for n := from; n < to; n++ {
			list = append(list, element{key: "\x00" + string(bare(lines[n], json)), from: n, to: n + 1})
		}
	}
	at := 0
	for _, e := range entries {
		between(at, e.From)
		list = append(list, element{key: e.ID, from: e.From, to: e.To, entry: true})
		at = e.To
	}
	between(at, len(lines))
	return list
}

// bare is a text without the comma behind it, which is there only because of what comes next.
func bare(text []byte, json bool) []byte {
	if json {
		text = bytes.TrimRight(text, "\r\n")
		text = bytes.TrimSuffix(text, []byte(","))
	}
	return text
}

// A cutting has the elements of both sides of a file.
type cutting struct {
	json     bool
	sums     bool // lines of a go.sum, which come together and go together: see relateSums
	text     [2][]byte
	starts   [2][]int
	elements [2][]element
	list     []changes.Piece
	commas   []bool // by piece: only the comma behind it differs
}

// pieces aligns the elements of both sides.
func (c *cutting) pieces() []changes.Piece {
	var keys [2][]string
	for which, list := range c.elements {
		for _, e := range list {
			keys[which] = append(keys[which], e.key)
		}
	}
	a, b := 0, 0
	paired := func(until int) {
		for ; a < until; a, b = a+1, b+1 {
			c.pair(c.elements[good][a], c.elements[bad][b])
		}
	}
	for _, k := range sequence.Blocks(keys[good], keys[bad]) {
		paired(k.A0)
		c.block(k)
		a, b = k.A1, k.B1
	}
	paired(len(c.elements[good]))
	return c.withoutCommas()
}

// pair adds the piece of an element that both sides have, if it differs.
func (c *cutting) pair(a, b element) {
	old, new := c.bytes(good, a), c.bytes(bad, b)
	if !bytes.Equal(old, new) {
		c.add(a.from, a.to, b.from, b.to, a.entry, bytes.Equal(bare(old, c.json), bare(new, c.json)))
	}
}

func (c *cutting) bytes(which int, e element) []byte {
	return c.text[which][c.starts[which][e.from]:c.starts[which][e.to]]
}

// block adds the pieces of a stretch in which no element of one side has its like on the other: each
// entry by itself, and the lines between entries together.
func (c *cutting) block(k sequence.Block) {
	old, new := c.elements[good][k.A0:k.A1], c.elements[bad][k.B0:k.B1]
	if lines(old) && lines(new) {
		c.add(old[0].from, old[len(old)-1].to, new[0].from, new[len(new)-1].to, false, false)
		return
	}
	at, place := c.line(good, k.A0), c.line(bad, k.B0)
	for _, run := range runs(old, c.sums) {
		c.add(at, run.to, place, place, run.entry, false)
		at = run.to
	}
	for _, run := range runs(new, c.sums) {
		c.add(at, at, place, run.to, run.entry, false)
		place = run.to
	}
}

// line is the line at which an element of a side starts, or would start behind the last one.
func (c *cutting) line(which, n int) int {
	if list := c.elements[which]; n < len(list) {
		return list[n].from
	}
	return len(c.starts[which]) - 1
}

// lines reports whether the elements are lines that are in no entry.
func lines(list []element) bool {
	return len(list) > 0 && !slices.ContainsFunc(list, func(e element) bool { return e.entry })
}

// runs joins the lines between entries, or all.
func runs(list []element, all bool) (out []element) {
	for _, e := range list {
		if n := len(out) - 1; n >= 0 && (all || !e.entry && !out[n].entry) {
			out[n].to = e.to
		} else {
			out = append(out, e)
		}
	}
	return out
}

func (c *cutting) add(oldFrom, oldTo, newFrom, newTo int, whole, comma bool) {
	p := changes.Piece{
		OldOff: c.starts[good][oldFrom], OldEnd: c.starts[good][oldTo],
		NewOff: c.starts[bad][newFrom], NewEnd: c.starts[bad][newTo],
		Whole: whole,
	}
	c.list, c.commas = append(c.list, p), append(c.commas, comma)
}

// withoutCommas makes each piece that only adds or removes a comma a part of the piece behind it: the
// comma is there because of what stands next.
func (c *cutting) withoutCommas() []changes.Piece {
	var list []changes.Piece
	comma := false // of the last piece of list
	for i, p := range c.list {
		if n := len(list) - 1; comma && list[n].OldEnd == p.OldOff && list[n].NewEnd == p.NewOff {
			p.OldOff, p.NewOff = list[n].OldOff, list[n].NewOff
			list = list[:n]
		}
		list, comma = append(list, p), c.commas[i]
	}
	return list
}

package report

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/gitdd/gitdd/internal/prose"
)

// What a drawing of requirements may hold; more of them are a list.
const (
	drawnNodes = 24
	drawnEdges = 48
	listed     = 300
)

// htmlRequires are the requirements around a cause, as a drawing and as a list.
type htmlRequires struct {
	Width, Height int  // of the drawing in pixels; 0 = there is none
	Wide          bool // it does not fit on paper
	Nodes         []htmlRequiresNode
	Edges         []htmlRequiresEdge
	Rows          []htmlRequiresRow
	More          string
	Kinds         []string
}

// An htmlRequiresNode is a change, drawn as a box.
type htmlRequiresNode struct {
	X, Y, Width, Height int
	Kind                string // "cause", "context", "other"
	Whole               string
	Place, Symbol       string // shortened
}

// An htmlRequiresEdge is drawn from what requires to what is required.
type htmlRequiresEdge struct {
	Kind, Path, Whole string
	Both              bool // each requires the other
}

type htmlRequiresRow struct {
	From, To, Kind string
	Cause          bool
}

// newHTMLRequires collects the requirements of all stages and those that were
// learned; nil when there are none.
func newHTMLRequires(r *Result, s *Story) *htmlRequires {
	var edges []Edge
	seen := map[[2]string]bool{}
	add := func(e Edge) {
		key := [2]string{e.From.ID, e.To.ID}
		if !seen[key] && e.From.ID != e.To.ID {
			seen[key] = true
			edges = append(edges, e)
		}
	}
	for _, l := range r.Learned {
		add(Edge{From: l.Change, To: l.Requires, Kind: "learned"})
	}
	for i := range s.Stages {
		for _, e := range s.Stages[i].Requires {
			add(e)
		}
	}
	if len(edges) == 0 {
		return nil
	}
	role := map[string]string{}
	for _, id := range r.Context {
		role[id] = "context"
	}
	for i := range r.Cause {
		role[r.Cause[i].ID] = "cause"
	}
	for _, f := range r.Further {
		for i := range f.Cause {
			role[f.Cause[i].ID] = "cause"
		}
	}
	h := &htmlRequires{}
	for _, e := range edges {
		if kind := prose.Printable(e.Kind); !slices.Contains(h.Kinds, kind) {
			h.Kinds = append(h.Kinds, kind)
		}
	}
	slices.Sort(h.Kinds)
	for _, e := range edges[:min(len(edges), listed)] {
		h.Rows = append(h.Rows, htmlRequiresRow{From: prose.Printable(e.From.Place()), To: prose.Printable(e.To.Place()), Kind: prose.Printable(e.Kind), Cause: role[e.From.ID] == "cause"})
	}
	if more := len(edges) - listed; more > 0 {
		h.More = "… " + prose.Count(more, "more requirement")
	}
	h.draw(edges, role)
	return h
}

// draw lays the changes out in layers, so that what requires stands left of what it
// requires: by the longest way to what requires nothing, and in each layer by the
// mean of the neighbours' places (Sugiyama, Tagawa and Toda, 1981). Requirements
// that go round in a circle do not count for the layers.
func (h *htmlRequires) draw(edges []Edge, role map[string]string) {
	var refs []Reference
	index := map[string]int{}
	node := func(r Reference) int {
		i, ok := index[r.ID]
		if !ok {
			i = len(refs)
			index[r.ID] = i
			refs = append(refs, r)
		}
		return i
	}
	type arc struct{ from, to int }
	var arcs []arc
	for _, e := range edges {
		arcs = append(arcs, arc{node(e.From), node(e.To)})
	}
	if len(refs) > drawnNodes || len(edges) > drawnEdges {
		return
	}
	out := make([][]int, len(refs))
	for _, a := range arcs {
		out[a.from] = append(out[a.from], a.to)
	}
	// depth is how many layers lie right of a node; the state of one that is on the path marks a circle.
	depth := make([]int, len(refs))
	state := make([]byte, len(refs)) // 0 new, 1 on the path, 2 done
	var visit func(i int)
	visit = func(i int) {
		state[i] = 1
		for _, j := range out[i] {
			if state[j] == 0 {
				visit(j)
			}
			if state[j] == 2 {
				depth[i] = max(depth[i], depth[j]+1)
			}
		}
		state[i] = 2
	}
	for i := range refs {
		if state[i] == 0 {
			visit(i)
		}
	}
	deepest := slices.Max(depth)
	layer := make([]int, len(refs), 2*len(refs))
	for i, d := range depth {
		layer[i] = deepest - d
	}
	// A requirement that goes over layers goes through a gap in each of them, such
	// that it crosses no box: gaps are numbered behind the changes.
	ways := make([][]int, len(arcs)) // what an arc goes through, its ends included
	for k, a := range arcs {
		ways[k] = []int{a.from}
		step := 1
		if layer[a.to] < layer[a.from] {
			step = -1
		}
		for at := layer[a.from] + step; at != layer[a.to] && layer[a.from] != layer[a.to]; at += step {
			ways[k] = append(ways[k], len(layer))
			layer = append(layer, at)
		}
		ways[k] = append(ways[k], a.to)
	}
	layers := make([][]int, deepest+1)
	for i, l := range layer {
		layers[l] = append(layers[l], i)
	}
	near := make([][]int, len(layer))
	for _, way := range ways {
		for k := range way[1:] {
			near[way[k]] = append(near[way[k]], way[k+1])
			near[way[k+1]] = append(near[way[k+1]], way[k])
		}
	}
	place := make([]float64, len(layer))
	settle := func() {
		for _, list := range layers {
			for k, i := range list {
				place[i] = float64(k) - float64(len(list)-1)/2
			}
		}
	}
	settle()
	for range 4 {
		for _, list := range layers {
			mean := func(i int) float64 {
				sum := 0.0
				for _, j := range near[i] {
					sum += place[j]
				}
				return sum / float64(max(1, len(near[i])))
			}
			slices.SortStableFunc(list, func(a, b int) int { return cmp.Compare(mean(a), mean(b)) })
			settle()
		}
	}
	const width, height, gapX, gapY, through, margin, letters = 216, 44, 70, 16, 8, 6, 26
	tall := func(list []int) int {
		sum := (len(list) - 1) * gapY
		for _, i := range list {
			if i < len(refs) {
				sum += height
			} else {
				sum += through
			}
		}
		return sum
	}
	for _, list := range layers {
		h.Height = max(h.Height, tall(list)+2*margin)
	}
	const tallest = 1600
	if h.Height > tallest {
		h.Height = 0
		return
	}
	h.Width = 2*margin + len(layers)*width + (len(layers)-1)*gapX
	h.Wide = h.Width > 700
	boxes := make([]htmlRequiresNode, len(layer))
	for x, list := range layers {
		y := (h.Height - tall(list)) / 2
		for _, i := range list {
			box := htmlRequiresNode{X: margin + x*(width+gapX), Y: y, Width: width, Height: through}
			if i < len(refs) {
				box.Height = height
				box.name(refs[i], role, letters)
			}
			boxes[i] = box
			y += box.Height + gapY
		}
	}
	h.Nodes = boxes[:len(refs)]
	said := map[arc]bool{}
	for k, a := range arcs {
		if said[arc{a.to, a.from}] {
			continue
		}
		said[a] = true
		e := htmlRequiresEdge{Kind: prose.Printable(edges[k].Kind), Both: slices.Contains(arcs, arc{a.to, a.from})}
		e.Whole = prose.Printable(edges[k].From.Place()) + " requires " + prose.Printable(edges[k].To.Place()) + " (" + e.Kind + ")"
		e.Path = route(boxes, ways[k])
		h.Edges = append(h.Edges, e)
	}
}

// name writes a change on a box.
func (n *htmlRequiresNode) name(ref Reference, role map[string]string, letters int) {
	file := path.Base(prose.Printable(ref.Path))
	if ref.Line > 0 {
		file += ":" + strconv.Itoa(ref.Line)
	}
	n.Kind, n.Whole = cmp.Or(role[ref.ID], "other"), prose.Printable(ref.Place())
	n.Place = prose.Tail(file, letters)
	below := ref.Symbol
	if dir := path.Dir(ref.Path); below == "" && dir != "." {
		below = dir + "/"
	}
	n.Symbol = prose.Tail(prose.Printable(cmp.Or(below, ref.Kind)), letters)
}

// route draws the way of a requirement: out of the first box, along the middle of
// the gaps, and into the last.
func route(boxes []htmlRequiresNode, way []int) string {
	const arrow = 5 // before the box
	var p strings.Builder
	from, to := boxes[way[0]], boxes[way[len(way)-1]]
	if from.X == to.X { // within a layer: around the right side
		x, bend := from.X+from.Width, 60
		fmt.Fprintf(&p, "M%d %dC%d %d %d %d %d %d", x, from.middle(), x+bend, from.middle(), x+bend, to.middle(), x+arrow, to.middle())
		return p.String()
	}
	right := to.X > from.X
	out, in := func(n htmlRequiresNode) int { return n.X + n.Width }, func(n htmlRequiresNode) int { return n.X }
	last := -arrow
	if !right {
		out, in = in, out
		last = arrow
	}
	fmt.Fprintf(&p, "M%d %d", out(from), from.middle())
	for k, i := range way[1:] {
		a, b := boxes[way[k]], boxes[i]
		x1, x2 := out(a), in(b)
		if k == len(way)-2 {
			x2 += last
		}
		half := (x1 + x2) / 2
		fmt.Fprintf(&p, "C%d %d %d %d %d %d", half, a.middle(), half, b.middle(), x2, b.middle())
		if k < len(way)-2 {
			fmt.Fprintf(&p, "H%d", out(b))
		}
	}
	return p.String()
}

func (n htmlRequiresNode) middle() int { return n.Y + n.Height/2 }

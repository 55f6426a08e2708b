package report

import (
	"cmp"
	"path"
	"slices"
	"strconv"
	"strings"
)

// What a drawing of requirements may hold; more of them are a list.
const (
	drawnNodes = 24
	drawnEdges = 48
	listed     = 300
)

// htmlRequires are the requirements around a cause, as a drawing and as a list.
type htmlRequires struct {
	Width, Height int // of the drawing in pixels; 0 = there is none
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
		if kind := clean(e.Kind); !slices.Contains(h.Kinds, kind) {
			h.Kinds = append(h.Kinds, kind)
		}
	}
	slices.Sort(h.Kinds)
	for _, e := range edges[:min(len(edges), listed)] {
		h.Rows = append(h.Rows, htmlRequiresRow{From: clean(e.From.Place()), To: clean(e.To.Place()), Kind: clean(e.Kind), Cause: role[e.From.ID] == "cause"})
	}
	if more := len(edges) - listed; more > 0 {
		h.More = "… " + Count(more, "more requirement")
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
	// depth is how many layers lie right of a node; onPath marks a circle.
	depth := make([]int, len(refs))
	state := make([]byte, len(refs)) // 0 new, 1 on the path, 2 done
	back := map[arc]bool{}
	var visit func(i int)
	visit = func(i int) {
		state[i] = 1
		for _, j := range out[i] {
			if state[j] == 1 {
				back[arc{i, j}] = true
				continue
			}
			if state[j] == 0 {
				visit(j)
			}
			depth[i] = max(depth[i], depth[j]+1)
		}
		state[i] = 2
	}
	for i := range refs {
		if state[i] == 0 {
			visit(i)
		}
	}
	deepest := slices.Max(depth)
	layers := make([][]int, deepest+1)
	for i, d := range depth {
		layers[deepest-d] = append(layers[deepest-d], i)
	}
	place := make([]float64, len(refs))
	settle := func() {
		for _, layer := range layers {
			for k, i := range layer {
				place[i] = float64(k) - float64(len(layer)-1)/2
			}
		}
	}
	settle()
	near := make([][]int, len(refs))
	for _, a := range arcs {
		near[a.from] = append(near[a.from], a.to)
		near[a.to] = append(near[a.to], a.from)
	}
	for range 4 {
		for _, layer := range layers {
			mean := func(i int) float64 {
				sum := 0.0
				for _, j := range near[i] {
					sum += place[j]
				}
				return sum / float64(max(1, len(near[i])))
			}
			slices.SortStableFunc(layer, func(a, b int) int { return cmp.Compare(mean(a), mean(b)) })
			settle()
		}
	}
	const width, height, gapX, gapY, margin, letters = 216, 44, 70, 16, 6, 26
	most := 0
	for _, layer := range layers {
		most = max(most, len(layer))
	}
	h.Width = 2*margin + len(layers)*width + (len(layers)-1)*gapX
	h.Height = 2*margin + most*height + (most-1)*gapY
	h.Nodes = make([]htmlRequiresNode, len(refs))
	for x, layer := range layers {
		top := (h.Height - len(layer)*height - (len(layer)-1)*gapY) / 2
		for k, i := range layer {
			ref := refs[i]
			file := path.Base(clean(ref.Path))
			if ref.Line > 0 {
				file += ":" + strconv.Itoa(ref.Line)
			}
			symbol := clean(ref.Symbol)
			if symbol == "" {
				symbol = clean(ref.Kind)
			}
			h.Nodes[i] = htmlRequiresNode{
				X: margin + x*(width+gapX), Y: top + k*(height+gapY), Width: width, Height: height,
				Kind: or(role[ref.ID], "other"), Whole: clean(ref.Place()),
				Place: tail(file, letters), Symbol: tail(symbol, letters),
			}
		}
	}
	said := map[arc]bool{}
	for i, a := range arcs {
		if said[arc{a.to, a.from}] {
			continue
		}
		said[a] = true
		from, to := h.Nodes[a.from], h.Nodes[a.to]
		e := htmlRequiresEdge{Kind: clean(edges[i].Kind), Both: slices.Contains(arcs, arc{a.to, a.from})}
		e.Whole = clean(edges[i].From.Place()) + " requires " + clean(edges[i].To.Place()) + " (" + e.Kind + ")"
		e.Path = from.wayTo(to)
		h.Edges = append(h.Edges, e)
	}
}

// wayTo is the way from one box to another, which mostly lies right of it.
func (from htmlRequiresNode) wayTo(to htmlRequiresNode) string {
	const arrow = 5 // before the box
	x1, y1 := from.X+from.Width, from.Y+from.Height/2
	x2, y2 := to.X-arrow, to.Y+to.Height/2
	var p strings.Builder
	put := func(text string, numbers ...int) {
		p.WriteString(text)
		for i, n := range numbers {
			if i > 0 {
				p.WriteByte(' ')
			}
			p.WriteString(strconv.Itoa(n))
		}
	}
	bend := max(30, (x2-x1)/2)
	switch {
	case from.X == to.X: // within a layer: around the right side
		x2 = to.X + to.Width + arrow
		put("M", x1, y1)
		put("C", x1+bend, y1, x2+bend, y2, x2, y2)
	case to.X < from.X: // back
		x1, x2 = from.X, to.X+to.Width+arrow
		bend = max(30, (x1-x2)/2)
		put("M", x1, y1)
		put("C", x1-bend, y1, x2+bend, y2, x2, y2)
	default:
		put("M", x1, y1)
		put("C", x1+bend, y1, x2-bend, y2, x2, y2)
	}
	return p.String()
}

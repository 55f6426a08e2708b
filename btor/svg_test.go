package btor

import (
	"encoding/xml"
	"errors"
	"io"
	"os/exec"
	"strconv"
	"strings"
	"testing"

	"github.com/gitdd/gitdd/graph"
)

// checkSVG reads a picture as a browser would: it is well-formed, every number lies
// inside of it, and no two boxes overlap.
func checkSVG(t *testing.T, d *Drawing) {
	t.Helper()
	text := d.SVG()
	var width, height float64
	var boxes [][4]float64
	var nodes int
	decoder := xml.NewDecoder(strings.NewReader(string(text)))
	inside := func(what string, x, y float64) {
		if x < 0 || y < 0 || x > width || y > height {
			t.Errorf("%s: %v, %v is outside of %v × %v", what, x, y, width, height)
		}
	}
	var open []string
	var where [2]float64
	for {
		token, err := decoder.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		switch e := token.(type) {
		case xml.StartElement:
			open = append(open, e.Name.Local)
			at := map[string]string{}
			for _, a := range e.Attr {
				at[a.Name.Local] = a.Value
			}
			number := func(name string) float64 {
				x, err := strconv.ParseFloat(at[name], 64)
				if err != nil {
					t.Fatalf("%s of %s: %v", name, e.Name.Local, err)
				}
				return x
			}
			switch e.Name.Local {
			case "svg":
				width, height = number("width"), number("height")
				if want := "0 0 " + at["width"] + " " + at["height"]; at["viewBox"] != want {
					t.Errorf("the view is %s, not %s", at["viewBox"], want)
				}
			case "g":
				if strings.HasPrefix(at["class"], "n ") {
					nodes++
				}
			case "rect":
				if at["class"] == "box" {
					x, y := number("x"), number("y")
					inside("box", x, y)
					inside("box", x+number("width"), y+number("height"))
					boxes = append(boxes, [4]float64{x, y, x + number("width"), y + number("height")})
				}
			case "circle":
				inside("ring", number("cx")-number("r"), number("cy")-number("r"))
				inside("ring", number("cx")+number("r"), number("cy")+number("r"))
			case "path":
				x, y, last := pathOf(t, at["d"], inside)
				if at["class"] == "box" {
					boxes = append(boxes, [4]float64{x, y, last[0], last[1]})
				}
			case "text":
				where = [2]float64{number("x"), number("y")}
			case "title", "style":
			default:
				t.Errorf("there is a %s", e.Name.Local)
			}
			for name := range at {
				if strings.HasPrefix(name, "on") || name == "href" {
					t.Errorf("%s has %s", e.Name.Local, name)
				}
			}
		case xml.EndElement:
			open = open[:len(open)-1]
		case xml.CharData:
			if len(open) > 0 && open[len(open)-1] == "text" {
				size := labelCell * float64(room(string(e)))
				left := where[0] - size/2
				if nodes == 0 { // the head and the legend, whose texts begin there
					left = where[0]
				}
				inside("text "+string(e), left, where[1]-8)
				inside("text "+string(e), left+size, where[1]+2)
			}
		}
	}
	if nodes != len(d.nodes) {
		t.Errorf("%d nodes are drawn, not %d", nodes, len(d.nodes))
	}
	for i, a := range boxes {
		for _, b := range boxes[:i] {
			if a[0] < b[2] && b[0] < a[2] && a[1] < b[3] && b[1] < a[3] {
				t.Errorf("boxes %v and %v overlap", a, b)
			}
		}
	}
}

// pathOf holds all points of a path to be inside, and returns its box.
func pathOf(t *testing.T, path string, inside func(string, float64, float64)) (left, top float64, end [2]float64) {
	t.Helper()
	left, top = 1e9, 1e9
	var x, y float64
	point := func() {
		inside("path "+path, x, y)
		left, top, end[0], end[1] = min(left, x), min(top, y), max(end[0], x), max(end[1], y)
	}
	for path != "" {
		command := path[0]
		rest := strings.IndexAny(path[1:], "MLHVCZ")
		if rest < 0 {
			rest = len(path) - 1
		}
		var list []float64
		for _, field := range strings.Fields(path[1 : rest+1]) {
			number, err := strconv.ParseFloat(field, 64)
			if err != nil {
				t.Fatalf("path %s: %v", path, err)
			}
			list = append(list, number)
		}
		path = path[rest+1:]
		want := map[byte]int{'M': 2, 'L': 2, 'H': 1, 'V': 1, 'C': 6, 'Z': 0}[command]
		if len(list) != want {
			t.Fatalf("%c with %v", command, list)
		}
		switch command {
		case 'H':
			x = list[0]
			point()
		case 'V':
			y = list[0]
			point()
		default:
			for ; len(list) > 0; list = list[2:] {
				x, y = list[0], list[1]
				point()
			}
		}
	}
	return left, top, end
}

// Hostile names are text in a picture: escaped, seen, and not wider than their box.
const hostile = "1 var 4 <script>&\"'\n2 var 4 \\N\\\"]\n3 array 4 2 \x01\x7f\xff\n4 var 4 ]]>--><![CDATA[\n" +
	"5 var 4 \u202e\uffff\u6f22\u5b57\u6f22\u5b57\u6f22\u5b57\n6 var 4 &lt;&#34;\n" +
	"7 add 4 1 -2\n8 add 4 -4 5\n10 slice 2 7 3 2\n9 read 4 3 10\n11 add 4 8 9\n12 sub 4 11 6\n13 root 4 12\n"

func TestSVG(t *testing.T) {
	d := Draw(read(t, hostile))
	checkSVG(t, d)
	text := string(d.SVG())
	for _, want := range []string{
		`<title>13 nodes</title>`,
		`<title>1 var: 4 bits &lt;script&gt;&amp;&#34;&#39;</title>`,
		`<title>10 slice: 2 bits, 7 add 3 2</title>`,
		`<title>7 add: 4 bits, 1 var, -2 var</title>`,
		`>array \x01\x7…</text>`, `>3: 2^2 × 4 bits</text>`, `>slice 3:2</text>`, `complemented`,
		`@media (prefers-color-scheme:dark)`,
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %s", want)
		}
	}
	for _, no := range []string{"<script", "\x01", "\x7f", "\u202e", ">removed<", ">new<"} {
		if strings.Contains(text, no) {
			t.Errorf("there is a %q", no)
		}
	}
	d = Compare(read(t, "1 var 8 x\n2 neg 8 1\n3 root 8 2\n"), read(t, "1 var 2 x\n2 one 2\n3 root 2 2\n"))
	checkSVG(t, d)
	text = string(d.SVG())
	for _, want := range []string{
		`<g class="n var removed"><title>1 var: 8 bits x (removed)</title>`, `<g class="n const new"><title>2 one: 2 bits (new)</title>`,
		`<title>3 root: 8→2 bits, removed 2 neg, new 2 one</title>`, `>removed</text>`, `>new</text>`,
		`class="removed edge"`, `class="new edge"`,
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %s in\n%s", want, text)
		}
	}
	text = string(Draw(read(t, "1 var 4\n3 nego 1 1\n5 root 1 3\n")).SVG())
	for _, want := range []string{"<title>no line const: 4 bits 1000</title>", "<title>3 eq: 1 bit, 1 var, no line const</title>"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %s in\n%s", want, text)
		}
	}
	checkSVG(t, Draw(read(t, "")))
	checkSVG(t, Draw(read(t, "1 var 1\n")))
}

// A thousand layers and edges across all of them: stubs name their ends.
func TestSVGStubs(t *testing.T) {
	g := &graph.Graph{Nodes: []graph.Node{{Op: "var", Sort: graph.Sort{Width: 2}}}}
	for i := range 1000 {
		g.Nodes = append(g.Nodes, graph.Node{Op: "add", Sort: graph.Sort{Width: 2}, Args: []graph.Ref{{To: i}, {To: i / 2, Not: i%2 == 0}}})
	}
	d := Draw(&File{Graph: g})
	checkSVG(t, d)
	if text := string(d.SVG()); !strings.Contains(text, `<g class="stub"><title>to 401 add: 2 bits, 400 add, 200 add</title>`) {
		t.Error("no stub to node 401")
	}
}

func TestDOT(t *testing.T) {
	text := string(Draw(read(t, hostile)).DOT())
	for _, want := range []string{
		"digraph btor {\n\tlabel=\"13 nodes\"\n",
		`	n1 [label="var <script>&amp;…\n1: 4 bits", tooltip="1 var: 4 bits <script>&amp;\"'", shape=ellipse, fillcolor="#d3ecfa"]` + "\n",
		`label="var \\N\\\"]\n2: 4 bits"`, `label="var &amp;lt;&amp;#34;\n6: 4 bits"`, ", shape=box3d,",
		"\tn7 -> n1 [dir=forward]\n\tn7 -> n2 [dir=both, arrowtail=odot]\n",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %s in\n%s", want, text)
		}
	}
	compared := string(Compare(read(t, "1 var 8 x\n2 root 8 1\n"), read(t, "1 one 8\n2 root 8 1\n")).DOT())
	for _, want := range []string{
		`	label="2 nodes before, 2 after: 1 kept, 1 removed, 1 new"`, `style="filled,dashed"`,
		"\tn2 -> n1 [dir=forward, style=dashed, color=\"#a0a0a0\"]\n", "\tn2 -> n3 [dir=forward, penwidth=2, color=\"#d55e00\"]\n",
	} {
		if !strings.Contains(compared, want) {
			t.Errorf("no %s in\n%s", want, compared)
		}
	}
	if _, err := exec.LookPath("dot"); err != nil {
		t.Skip("dot is not on PATH: whether it reads what is written is not tested")
	}
	for _, text := range []string{text, compared} {
		cmd := exec.CommandContext(t.Context(), "dot", "-Tsvg")
		cmd.Stdin = strings.NewReader(text)
		out, err := cmd.CombinedOutput()
		if err != nil || !strings.Contains(string(out), "</svg>") || strings.Contains(string(out), "Warning") {
			t.Errorf("dot: %v: %.500s", err, out)
		}
	}
}

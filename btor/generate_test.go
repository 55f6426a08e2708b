package btor

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/gitdd/gitdd/graph"
	"github.com/gitdd/gitdd/internal/seed"
)

// with are the defaults but for what change changes.
func with(change func(*Options)) Options {
	o := Defaults()
	change(&o)
	return o
}

// generated generates, and holds the graph to what holds for each: well-formed,
// read as it was written, one root of one bit, all in reach.
func generated(t *testing.T, o Options) *graph.Graph {
	t.Helper()
	g, text, err := Generate(o)
	if err != nil {
		t.Fatalf("%s: %v", o.Comment(), err)
	}
	if err := Check(g); err != nil {
		t.Fatalf("%s: %v", o.Comment(), err)
	}
	if !bytes.HasPrefix(text, []byte(o.Comment()+"\n1 ")) {
		t.Fatalf("%s: not on the first line: %.300s", o.Comment(), text)
	}
	file, err := Read(text)
	if err != nil {
		t.Fatalf("%s: %v", o.Comment(), err)
	}
	if len(file.Warnings) > 0 {
		t.Errorf("%s: %v", o.Comment(), file.Warnings)
	}
	if again, err := Write(file.Graph, o.version()); err != nil || !bytes.Equal([]byte(o.Comment()+"\n"+string(again)), text) {
		t.Fatalf("%s: written again it is another text (%v)", o.Comment(), err)
	}
	if err := SingleRoot(g); err != nil {
		t.Errorf("%s: %v", o.Comment(), err)
	}
	if root := g.Nodes[g.Roots[0]]; root.Op != "root" || root.Sort.Width != 1 {
		t.Errorf("%s: the root is %v", o.Comment(), root)
	}
	for n, depth := range g.Depths() {
		if depth < 0 {
			t.Errorf("%s: node %d is out of reach", o.Comment(), n+1)
		}
	}
	return g
}

// mixed draws options of all kinds.
func mixed(r *random) Options {
	o := Defaults()
	o.Seed = r.next()
	o.Count = r.between(1, 120)
	o.Vars, o.Arrays, o.Writes = r.between(1, 12), r.below(4), r.below(6)
	o.MaxWidth = r.between(1, 9)
	o.MinWidth = r.between(1, o.MaxWidth)
	o.ArrMaxWidth = r.between(1, 5)
	o.DAG, o.Neg = r.below(101), r.below(101)
	o.All, o.NoArrays, o.NewFormat = r.percent(20), r.percent(20), r.percent(80)
	o.CNF, o.CNFOnly, o.Clauses = r.percent(10), r.percent(5), float64(r.below(50))/10
	o.Next = o.NewFormat && r.percent(10)
	if r.percent(20) {
		o.Depth = r.between(1, 20)
	}
	if r.percent(20) {
		o.LayerMax = r.between(1, 12)
	}
	return o
}

func TestGenerate(t *testing.T) {
	r := random{seed.New(t)}
	for range 200 {
		generated(t, mixed(&r))
	}
}

// A seed gives these bytes for ever. Where a change is meant, it needs another
// DrawOrder.
func TestGenerateBytes(t *testing.T) {
	for _, c := range []struct {
		name   string
		o      Options
		digest string
	}{
		{"defaults", Defaults(), "016ad3a0d0a44d90"},
		{"seed", with(func(o *Options) { o.Seed = math.MaxUint64 }), "94ea7a4b170e8bef"},
		{"large", with(func(o *Options) { o.Seed, o.Count, o.MinWidth, o.MaxWidth = 1, 2000, 5, 70 }), "28d934088cebb3d9"},
		{"all", with(func(o *Options) { o.All, o.Count, o.Depth = true, 400, 12 }), "083388ae41a43b55"},
		{"noarrays", with(func(o *Options) { o.NoArrays, o.DAG, o.Neg = true, 0, 0 }), "da5bc48a9d5a73e9"},
		{"version 2", with(func(o *Options) { o.NewFormat, o.All = false, true }), "db896befc632b778"},
		{"cnf", with(func(o *Options) { o.CNF, o.Clauses = true, 2.5 }), "57ebd674d18c528f"},
		{"cnfonly", with(func(o *Options) { o.CNFOnly, o.Vars = true, 50 }), "bd1f4e64eb3f8245"},
		{"next", with(func(o *Options) { o.Next, o.Arrays, o.Writes, o.ArrMaxWidth = true, 5, 9, 7 }), "5d1878d9d98fe9b9"},
		{"layers", with(func(o *Options) { o.LayerMax, o.DAG = 4, 100 }), "b9fb40462a224abb"},
	} {
		_, text, err := Generate(c.o)
		if err != nil {
			t.Fatal(err)
		}
		if digest := fmt.Sprintf("%x", sha256.Sum256(text))[:16]; digest != c.digest {
			t.Errorf("%s: digest %s, want %s", c.name, digest, c.digest)
		}
	}
}

func TestGenerateComment(t *testing.T) {
	o := with(func(o *Options) { o.Seed, o.Clauses, o.CNF, o.LayerMax = 7, 4.26, true, 9 })
	const want = "; gitdd btor generate, draw order 1: -s 7 -n 100 -d 9999 --vars 10 --arrays 3 --writes 5" +
		" --minwidth 1 --maxwidth 4 --arrmaxwidth 4 --dag 50 --neg 25 --all=false --noarrays=false --newformat=true" +
		" --cnf=true --clauses 4.26 --cnfonly=false --next=false --layer-max 9"
	if got := o.Comment(); got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
}

func TestGenerateOptions(t *testing.T) {
	for _, c := range []struct {
		change func(*Options)
		want   string
	}{
		{func(o *Options) { o.Count = 0 }, "-n 0: want at least 1"},
		{func(o *Options) { o.Count = 1 << 30 }, "-n 1073741824: want at most 16777216"},
		{func(o *Options) { o.Depth = 0 }, "-d 0: want at least 1"},
		{func(o *Options) { o.Vars = 0 }, "--vars 0: want at least 1"},
		{func(o *Options) { o.Arrays = -1 }, "--arrays -1: want at least 0"},
		{func(o *Options) { o.Writes = -1 }, "--writes -1: want at least 0"},
		{func(o *Options) { o.MinWidth = 0 }, "--minwidth 0: want at least 1"},
		{func(o *Options) { o.MaxWidth = 1 << 20 }, "--maxwidth 1048576: want at most 65536"},
		{func(o *Options) { o.MinWidth, o.MaxWidth = 5, 4 }, "--minwidth 5 is above --maxwidth 4: no width lies between"},
		{func(o *Options) { o.ArrMaxWidth = 0 }, "--arrmaxwidth 0: want at least 1"},
		{func(o *Options) { o.DAG = 101 }, "--dag 101: want at most 100"},
		{func(o *Options) { o.Neg = -1 }, "--neg -1: want at least 0"},
		{func(o *Options) { o.LayerMax = -1 }, "--layer-max -1: want at least 0"},
		{func(o *Options) { o.Clauses = -1 }, "--clauses -1: want a number of clauses per variable, from 0 to 1000"},
		{func(o *Options) { o.Clauses = math.NaN() }, "--clauses NaN: want a number of clauses per variable, from 0 to 1000"},
		{func(o *Options) { o.CNFOnly, o.Vars, o.Clauses = true, 1e6, 20 }, "--clauses 20 for each of --vars 1000000: want at most 16777216 clauses"},
		{func(o *Options) { o.CNF, o.Count, o.Clauses = true, 1e6, 20 }, "--clauses 20 with -n 1000000: want a product of at most 16777216"},
		{func(o *Options) { o.CNF, o.Count, o.Vars, o.Clauses = true, 1, 1e6, 20 }, "--clauses 20 with 1000008 --vars, --arrays and --writes: want a product of at most 16777216"},
		{func(o *Options) { o.Next, o.NewFormat = true, false }, "--next: version 2 of the format has no successor states; leave --newformat on"},
	} {
		if _, _, err := Generate(with(c.change)); err == nil || err.Error() != c.want {
			t.Errorf("%v, want %s", err, c.want)
		}
	}
	if err := Defaults().Check(); err != nil {
		t.Error(err)
	}
}

// Everything that is drawn exceeds the count a little; what joins it, by what
// section 6 of the specification has seen.
func TestGenerateSize(t *testing.T) {
	for _, c := range []struct{ count, mean, most int }{{100, 135, 150}, {500, 610, 650}, {1000, 1210, 1300}, {2000, 2400, 2500}} {
		sum := 0
		for s := range uint64(10) {
			o := with(func(o *Options) { o.Seed, o.Count = s, c.count })
			drawn := newGenerator(o)
			drawn.leaves()
			drawn.draw()
			if n := len(drawn.Nodes); n < c.count || n > c.count+3 { // the last one may need operands of its own
				t.Errorf("-n %d: %d are drawn", c.count, n)
			}
			g, _, err := Generate(o)
			if err != nil {
				t.Fatal(err)
			}
			sum += len(g.Nodes)
			if n := len(g.Nodes); n > c.most {
				t.Errorf("-n %d: %d nodes, want at most %d", c.count, n, c.most)
			}
		}
		if mean := sum / 10; mean < c.mean*9/10 || mean > c.mean*11/10 {
			t.Errorf("-n %d: %d nodes on average, want about %d", c.count, mean, c.mean)
		}
	}
}

func TestGenerateDepth(t *testing.T) {
	for s := range uint64(20) {
		g := newGenerator(with(func(o *Options) { o.Seed, o.Count, o.Depth, o.Writes = s, 5000, 8, 0 }))
		g.leaves()
		g.draw()
		// The last node may stand on one that adapts the width of its operand.
		if g.deepest < 8 || g.deepest > 9 || len(g.Nodes) >= 5000 {
			t.Errorf("seed %d: -d 8 stops at depth %d with %d nodes", s, g.deepest, len(g.Nodes))
		}
	}
}

// What joins n nodes is n-1 nodes of two operands.
func TestGenerateMerge(t *testing.T) {
	r := random{seed.New(t)}
	for range 50 {
		o := mixed(&r)
		o.CNF, o.CNFOnly, o.Next = false, false, false
		g := newGenerator(o)
		g.grow()
		open := g.parentless()
		for _, n := range open {
			if s := g.Nodes[n].Sort; s != bit() {
				t.Errorf("%s: nothing refers to node %d of sort %v", o.Comment(), n+1, s)
			}
		}
		whole := generated(t, o)
		if got, want := len(whole.Nodes), len(g.Nodes)+len(open)-1+1; got != want {
			t.Errorf("%s: %d nodes, want %d and a root", o.Comment(), got, want-1)
		}
		for _, n := range whole.Nodes[len(g.Nodes) : len(whole.Nodes)-1] {
			if !slices.Contains(joining, n.Op) {
				t.Errorf("%s: %s joins", o.Comment(), n.Op)
			}
		}
	}
}

// countOperators counts the nodes of each.
func countOperators(g *graph.Graph) map[string]int {
	count := map[string]int{}
	for _, n := range g.Nodes {
		op := n.Op
		if (op == "eq" || op == "ne") && g.Nodes[n.Args[0].To].Sort.Array() {
			op += ofArrays
		}
		count[op]++
	}
	return count
}

func TestGenerateAll(t *testing.T) {
	const every = "zero,one,ones,const,constd,consth,not,neg,inc,dec,proxy,redor,redand,redxor," +
		"add,sub,mul,udiv,urem,sdiv,srem,smod,and,or,xor,nand,nor,xnor,implies,iff," +
		"ult,ulte,ugt,ugte,slt,slte,sgt,sgte,uaddo,saddo,usubo,ssubo,umulo,smulo,sdivo,eq,ne,eq arrays,ne arrays," +
		"sll,srl,sra,rol,ror,concat,slice,uext,sext,cond,acond,read,write"
	for _, c := range []struct {
		name    string
		change  func(*Options)
		without string
	}{
		{"defaults", func(o *Options) {}, ""},
		{"in narrow layers", func(o *Options) { o.LayerMax = 1 }, ""},
		{"version 2", func(o *Options) { o.NewFormat = false }, "inc,dec,eq arrays,ne arrays"},
		{"no arrays", func(o *Options) { o.NoArrays = true }, "eq arrays,ne arrays,acond,read,write"},
		{"none to begin with", func(o *Options) { o.Arrays = 0 }, "eq arrays,ne arrays,acond,read,write"},
		{"one bit", func(o *Options) { o.MaxWidth, o.ArrMaxWidth = 1, 1 }, "redor,redand,redxor,sll,srl,sra,rol,ror,concat"},
		{"no power of two", func(o *Options) { o.MinWidth, o.MaxWidth, o.NoArrays = 5, 7, true }, "eq arrays,ne arrays,acond,read,write,sll,srl,sra,rol,ror,concat"},
	} {
		o := with(c.change)
		o.All, o.Count = true, 1
		groups, all := groupsFor(o), 0
		for _, group := range groups {
			all += len(group.ops)
		}
		count := countOperators(generated(t, o))
		without := strings.Split(c.without, ",")
		for _, op := range strings.Split(every, ",") {
			if want := !slices.Contains(without, op); want && count[op] == 0 {
				t.Errorf("%s: no %s", c.name, op)
			} else if want {
				all--
			}
		}
		if all != 0 {
			t.Errorf("%s: %d operators that this test does not know", c.name, all)
		}
	}
	if n := len(groupsFor(Defaults())); n != 16 {
		t.Errorf("%d groups", n)
	}
}

// Without --all each group still comes, about as often as the others.
func TestGenerateGroups(t *testing.T) {
	g := newGenerator(with(func(o *Options) { o.Count = 4000 }))
	g.leaves()
	g.draw()
	count := countOperators(&g.Graph)
	for _, group := range groupsFor(g.Options) {
		sum := 0
		for _, op := range group.ops {
			sum += count[op]
		}
		if sum < 180 || sum > 700 { // 4000/16 = 250; slices and extensions are made for operands as well
			t.Errorf("%v: %d of 4000", group.ops, sum)
		}
	}
}

func TestGenerateWidths(t *testing.T) {
	// Of three to six bits are all but what an index of one to five, or the amount of
	// a shift, needs, and what has one bit by its operator.
	o := with(func(o *Options) { o.Count, o.MinWidth, o.MaxWidth, o.ArrMaxWidth = 1000, 3, 6, 5 })
	g := generated(t, o)
	var seen [10]int
	for _, n := range g.Nodes {
		w := n.Sort.Width
		seen[w]++
		adapts := n.Op == "slice" || n.Op == "uext" || n.Op == "sext" || n.Op == "var"
		if w > 6 || w < 3 && w != 1 && !adapts {
			t.Errorf("%s of width %d", n.Op, w)
		}
		if n.Sort.Array() && (w < 3 || n.Sort.Index > 5) {
			t.Errorf("%s of %v", n.Op, n.Sort)
		}
	}
	for w := 1; w <= 6; w++ {
		if seen[w] == 0 {
			t.Errorf("no width %d", w)
		}
	}
}

// edges counts the operands that are bit-vectors, and those of them that are
// complemented.
func edges(g *graph.Graph) (all, negated int) {
	for _, n := range g.Nodes {
		for _, arg := range n.Args {
			if !g.Nodes[arg.To].Sort.Array() {
				all++
			}
			if arg.Not {
				negated++
			}
		}
	}
	return all, negated
}

func TestGenerateNegations(t *testing.T) {
	for _, neg := range []int{0, 25, 60, 100} {
		all, negated := edges(generated(t, with(func(o *Options) { o.Count, o.Neg = 2000, neg })))
		if share := 100 * negated / all; share < neg-3 || share > neg+3 {
			t.Errorf("--neg %d: %d of %d operands are", neg, negated, all)
		}
	}
}

// The rarer operands are drawn from all nodes, the fewer are left that nothing refers
// to, and have to be joined. (That few nodes have several parents it cannot mean: most
// operators have more than one operand.)
func TestGenerateSharing(t *testing.T) {
	var free [3]int
	for i, dag := range []int{0, 50, 100} {
		for s := range uint64(5) {
			g := newGenerator(with(func(o *Options) { o.Seed, o.Count, o.DAG = s, 1000, dag }))
			g.leaves()
			g.draw()
			free[i] += len(g.parentless())
		}
	}
	t.Log(free)
	if free[0]*4 > free[1] || free[1]*2 > free[2] {
		t.Errorf("--dag 0, 50, 100 leave %v nodes of 5000 without parents", free)
	}
}

func TestGenerateNoArrays(t *testing.T) {
	for _, o := range []Options{with(func(o *Options) { o.NoArrays = true }), with(func(o *Options) { o.Arrays = 0 })} {
		for _, n := range generated(t, o).Nodes {
			if n.Sort.Array() {
				t.Errorf("%s: %s", o.Comment(), n.Op)
			}
		}
	}
}

func TestGenerateNext(t *testing.T) {
	for s := range uint64(20) {
		g := generated(t, with(func(o *Options) { o.Seed, o.Next, o.Vars = s, true, int(1+s%4) }))
		of := map[int]bool{}
		for _, root := range g.Roots[1:] {
			n := g.Nodes[root]
			leaf := map[string]string{"next": "var", "anext": "array"}[n.Op]
			if of[n.Args[0].To] || g.Nodes[n.Args[0].To].Op != leaf {
				t.Errorf("seed %d: %v of %v", s, n, g.Nodes[n.Args[0].To])
			}
			of[n.Args[0].To] = true
		}
		if !of[0] {
			t.Errorf("seed %d: the first variable has no next state", s)
		}
	}
}

func TestGenerateLayers(t *testing.T) {
	r := random{seed.New(t)}
	for range 50 {
		o := mixed(&r)
		o.Count, o.Depth, o.LayerMax = 400, 9999, r.between(1, 8)
		g := newGenerator(o)
		g.CNFOnly = false
		g.leaves()
		g.draw()
		for depth, layer := range g.layers[1:] {
			if len(layer) > o.LayerMax {
				t.Errorf("%s: %d nodes of depth %d", o.Comment(), len(layer), depth+1)
			}
		}
		if len(g.layers) < 100/o.LayerMax {
			t.Errorf("%s: %d layers for %d nodes", o.Comment(), len(g.layers), len(g.Nodes))
		}
	}
}

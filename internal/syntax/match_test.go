//go:build cgo

package syntax

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
)

// TestMatchesAll: every node of a sample of each language follows its rule.
func TestMatchesAll(t *testing.T) {
	archive, err := txtar.ParseFile(filepath.Join("..", "..", "reduce", "testdata", "grammar.txtar"))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range archive.Files {
		l := Of(strings.TrimSuffix(f.Name, ".txt"), nil)
		tree, err := Parse(l, f.Data)
		if err != nil {
			t.Fatal(f.Name, err)
		}
		if bytes, missing := tree.Faults(); bytes+missing > 0 {
			t.Errorf("%s: %d bytes are not read, %d nodes are missing", f.Name, bytes, missing)
		}
		m := NewMatcher(tree)
		matched := 0
		for i, n := range tree.Nodes {
			if i > 0 {
				if p := tree.Nodes[n.Parent]; n.From < p.From || n.To > p.To || int(n.End) > int(p.End) || int(n.End) <= i {
					t.Fatalf("%s: node %d is not within its parent: %+v in %+v", f.Name, i, n, p)
				}
			}
			var children []int32
			for _, c := range tree.Children(int32(i)) {
				if !tree.Nodes[c].Extra {
					children = append(children, c)
				}
			}
			if len(children) == 0 {
				continue
			}
			parts, ok := m.Match(int32(i), children)
			if !ok {
				t.Errorf("%s: %s %q does not follow its rule", f.Name, n.Kind, f.Data[n.From:n.To])
				continue
			}
			matched++
			if got := childrenOf(parts); fmt.Sprint(got) != fmt.Sprint(children) {
				t.Errorf("%s: %s has the children %v, its parts %v", f.Name, n.Kind, children, got)
			}
		}
		if matched < 10 {
			t.Errorf("%s: %d nodes with children", f.Name, matched)
		}
	}
}

func childrenOf(parts []Part) (list []int32) {
	for _, p := range parts {
		if p.Child >= 0 {
			list = append(list, p.Child)
		}
		list = append(list, childrenOf(p.Parts)...)
	}
	return list
}

// TestParts: what a node's children are to its rule. The text in brackets of a
// part is what may stand in its place, "!" = nothing is known; { } is a list, +
// one that keeps an element, | a separator.
func TestParts(t *testing.T) {
	for _, c := range []struct {
		language         Language
		text, kind, want string
	}{
		{JSON, `[1, 2]`, "array", `"[[[] {number[] |,[] number[]}[] "][]]`},
		{JSON, `{"a": 1}`, "pair", `string[""] ":[:] number[0]`},
		{C, `int f(void) { if (1) a(); else b(); }`, "if_statement", `"if[if] parenthesized_expression[(0)] expression_statement[;] else_clause[]`},
		{C, `int x = 1, y;`, "declaration", `primitive_type[a] {init_declarator[] |,[] identifier[]}+[a] ";[;]`},
		{Go, "package a\nfunc f(a, b int) {}", "parameter_declaration", `{identifier[] |,[] identifier[]}[] type_identifier[a]`},
		{Python, "def f(): pass\n", "block", `{{pass_statement[]}+[0]}+[0]`},
		{Python, "a = 1\n", "assignment", `identifier[a] ("=[=] integer[0])[]`},
		{XML, `<a><b/>c</a>`, "element", `(STag[<a>] content[] ETag[</a>])[<a/>]`},
		{XML, `<a x="1" y="2"/>`, "EmptyElemTag", `"<[<] Name[a] {Attribute[] Attribute[]}[] "/>[/>]`},
		{YAML, "a: 1\nb: 2\n", "block_mapping", `{block_mapping_pair[] block_mapping_pair[]}+[:]`},
		{TOML, "[a]\nb = 1\n", "table", `"[[[] bare_key[a] "][]] {pair[]}[]`},
	} {
		tree, err := Parse(c.language, []byte(c.text))
		if err != nil {
			t.Fatal(err)
		}
		m, got := NewMatcher(tree), ""
		for i, n := range tree.Nodes {
			if n.Kind == c.kind && n.Named && got == "" {
				parts, ok := m.Match(int32(i), tree.Children(int32(i)))
				if !ok {
					t.Fatalf("%s: no match", c.text)
				}
				got = written(tree, parts)
			}
		}
		if got != c.want {
			t.Errorf("%s in %s is\n%s, not\n%s", c.kind, c.text, got, c.want)
		}
	}
}

func written(tree *Tree, parts []Part) string {
	var words []string
	for _, p := range parts {
		word := ""
		switch {
		case p.Child >= 0:
			word = tree.Nodes[p.Child].Key()
		case p.List:
			word = "{" + written(tree, p.Parts) + "}"
			if p.Plus {
				word += "+"
			}
		case p.Separator:
			word = "|" + strings.Trim(written(tree, p.Parts[:1]), `"[]`)
			word = word[:2]
		case len(p.Parts) == 1:
			word = written(tree, p.Parts)
			if p.Parts[0].Child >= 0 {
				word = word[:strings.LastIndexByte(word, '[')]
			}
			if p.Least == "" && p.Parts[0].List {
				words = append(words, word)
				continue
			}
		default:
			word = "(" + written(tree, p.Parts) + ")"
		}
		if p.Never {
			word += "[!]"
		} else {
			word += "[" + p.Least + "]"
		}
		words = append(words, word)
	}
	return strings.Join(words, " ")
}

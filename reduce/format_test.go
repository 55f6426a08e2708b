package reduce

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/gitdd/gitdd/internal/seed"
)

// texts are read as every format there is.
var texts = map[string]string{
	"empty":      "",
	"newline":    "\n",
	"no end":     "a b",
	"crlf":       "int f(int a) {\r\n\tg(a, 'x');\r\n\r\n}\r\n",
	"nul":        "a\x00b\n\x00(\x00)\n",
	"not utf-8":  "\xff\xfe(\x80 a\xc3)\n\xe2\x82",
	"bom":        "\ufeffa,b\n\"c\",d\n",
	"space":      " \t\n\v\f\r\n  ",
	"quotes":     "don't \"a (\\\" b\" 'c' \"open ( \n`x\ny` '''\n[\"]\"]",
	"brackets":   "f(a, b; [c} d) ] { x\n} ( [ ) ]",
	"comments":   "a/* ( */b // ) \nc # [\n-- {\n/* open",
	"c":          "#include <a.h>\nint a[] = {1, 2, 3,};\n\nstatic int f(char *s)\n{\n\tif (s[0] == '}') {\n\t\treturn \"(\"[0];\n\t} else\n\t\tfor (;;) ;\n\treturn 0x1p-3 + 1'000;\n}\n",
	"python":     "import os\n\ndef f(a,\n      b):\n    '''doc (\n    '''\n    if a:\n\treturn 1\n\n    else:\n        return [b,\n          2]\nf(1, 2)\n",
	"shell":      "if [ -f x ]; then\n  echo \"a $(b 'c') d\"\nfi\nfor i in 1 2; do\n  x\n\ndone\n",
	"lisp":       ";; (\n(defun f (x) '(a . b) `(c ,@d #\\( ))\n(f |a b| \"s\\\"\")",
	"smt":        "(set-logic QF_LIA)\n(declare-fun x () Int)\n(assert (let ((y (+ x 1)) (z 2)) (and (not (< y z)) (= |a)b| \"\"\"\") (p (_ bv1 2)))))\n(check-sat)\n",
	"json":       "{\"a\": [1, -2.5e3, \"x\\\"y\", null, {}, []],\n \"b\": {\"c\": true}}\n",
	"json lines": "{\"a\":1}\n{\"a\":2}\n3",
	"xml":        "<?xml version=\"1.0\"?>\n<!DOCTYPE a [<!ENTITY b \"c>\">]>\n<a x=\"1\" y='&lt;'><b/>t u &amp; <c z = \"2\" >v</c ><![CDATA[<d>]]><!-- <e> --></a>\n",
	"html":       "<!doctype html><html><body class=x hidden><p>a<p>b<br><img src=\"a\"/><script>if (a<b) '</p>'</script></body></html>",
	"csv":        "a,b,c\n1,\"x, \"\"y\"\"\nz\",3\n\n,,\n4,5,6",
	"semicolons": "a;b\r\n\"1;\";2\r\n",
	"ini":        "a = 1\n[s]\n; c\nb: x y\n  more\n\n[t]\nc = \"1\n2\"\nd = a\\\n  b\n",
	"toml":       "a = 1\n[t.u]\nb = [1,\n  {x = \"]\"},\n]\nc = \"\"\"\n]\n\"\"\"\n[[v]]\nd = 2020-01-01\n",
	"yaml":       "---\na:\n- b: 1\n  c: [1, 2]\n- d\ne: |\n  text\n\n  more\n",
	"log":        "12:00 start\n12:01 error: a\n  at b (c:1)\n  at d\n12:02 end\n",
	"patch":      onePatch,
	"mail":       mails,
}

// check fails unless the nodes of a tree are in order, within their parents, and
// the root is the whole text, and the tree without edits is its source.
func checkTree(t testing.TB, tree *Tree, source []byte) {
	t.Helper()
	if err := tree.check(source); err != nil {
		t.Fatal(err)
	}
	if text, formed := tree.Render(nil); !formed || !bytes.Equal(text, source) {
		t.Fatalf("without edits it is %q, formed %v, not %q", text, formed, source)
	}
}

// nodesOf lists a node and all below it, parents first, without recursion.
func nodesOf(root *Node) []*Node {
	list := []*Node{root}
	for i := 0; i < len(list); i++ {
		list = append(list, list[i].Children...)
	}
	return list
}

// elementsOf lists what may be taken out alone.
func elementsOf(root *Node) []*Node {
	var list []*Node
	for _, n := range nodesOf(root)[1:] {
		if !n.Fixed && !n.Separator && !n.Joint {
			list = append(list, n)
		}
	}
	return list
}

func TestRoundTrip(t *testing.T) {
	for _, f := range ownFormats() {
		parsed := 0
		for name, text := range texts {
			tree, err := f.cut("x", []byte(text))
			if err != nil {
				if f.speak != nil || f.name == "lines" || f.name == "bytes" {
					t.Errorf("%s: %s: %v", f.name, name, err)
				}
				continue
			}
			t.Run(f.name+"/"+name, func(t *testing.T) { checkTree(t, tree, []byte(text)) })
			parsed++
		}
		if parsed == 0 {
			t.Errorf("%s parses none of the texts", f.name)
		}
	}
}

// What is taken out leaves the bytes of the rest that are not white space, in
// their order, but for separators and what stands in the place of a node.
func TestTakenOut(t *testing.T) {
	rng := rand.New(rand.NewPCG(seed.New(t), 1))
	for _, f := range ownFormats() {
		for name, text := range texts {
			tree, err := f.cut("x", []byte(text))
			if err != nil {
				continue
			}
			elements := elementsOf(tree.Root)
			for range 20 {
				edits := Edits{}
				for _, n := range elements {
					if rng.IntN(len(elements)) < 3 {
						edits[n] = Removal(n)
					}
				}
				got, _ := tree.Render(edits)
				rest := []byte(text)
				for _, c := range got {
					if isSpace(c) || f.name == "patch" || bytes.IndexByte([]byte("0<a/>"), c) >= 0 {
						continue
					}
					i := bytes.IndexByte(rest, c)
					if i < 0 {
						t.Fatalf("%s of %s: %q is not made of what is left of %q", f.name, name, got, text)
					}
					rest = rest[i+1:]
				}
			}
		}
	}
}

// TestDeep nests 200,000 deep, or 10,000 of what a quadratic parser would take long for.
func TestDeep(t *testing.T) {
	seed.SkipLong(t, 4)
	times := func(text string) string { return strings.Repeat(text, 10_000) }
	for _, c := range []struct{ format, text string }{
		{"brackets", strings.Repeat("[", 200_000) + strings.Repeat("]", 200_000)},
		{"brackets", times("[")},
		{"brackets", times("]")},
		{"brackets", times("([") + times(")")},
		{"brackets", times("'") + times("\"\\")},
		{"brackets", times("/*") + times("{-")},
		{"lisp", times("(a ") + times(")")},
		{"smtlib", "(assert " + times("(_ ") + times(")") + ")"},
		{"smtlib", "(assert " + times("(let ((x ") + "1" + times(")))") + ")"},
		{"json", times("[") + times("]")},
		{"json", times(`{"a":`) + "1" + times("}")},
		{"xml", times("<a>") + times("</a>")},
		{"html", times("<a>")},
		{"html", times("<a>") + times("</b>")},
		{"html", times("<script>") + times("<!--") + times("<a b='")},
		{"indent", func() string {
			var b strings.Builder
			for i := range 2000 {
				b.WriteString(strings.Repeat(" ", i) + "x\n")
			}
			return b.String()
		}()},
		{"indent", times("a\n") + times("}\n")},
		{"ini", times("a=\"\n") + times("b=1\n c\n")},
		{"toml", times("a=[\n") + times("b='\"\"\"\n")},
		{"csv", times("a,") + "\n" + times("b\n")},
		{"patch", "--- a\n+++ b\n" + times("@@ -1 +1 @@\n-a\n+b\n")},
		{"yaml", times("- ") + "\n" + times("a:\n")},
		{"sql", times("select 1;\n")},
		{"tokens", times("a ")},
	} {
		f := mustOwn(t, c.format)
		tree, err := f.cut("x", []byte(c.text))
		if err != nil {
			t.Errorf("%s of %.10q: %v", c.format, c.text, err)
			continue
		}
		if text, _ := tree.Render(nil); string(text) != c.text {
			t.Errorf("%s of %.10q: without edits it is another text", c.format, c.text)
		}
	}
}

func mustOwn(t testing.TB, name string) format {
	t.Helper()
	for _, f := range ownFormats() {
		if f.name == name {
			return f
		}
	}
	t.Fatalf("no format %s", name)
	return format{}
}

// TestLongLine reads a line of up to 10 MB.
func TestLongLine(t *testing.T) {
	seed.SkipLong(t, 4)
	for name, size := range map[string]int{"brackets": 1 << 18, "indent": 1 << 18, "csv": 1 << 18, "lines": 10 << 20, "bytes": 2 << 20} {
		text := []byte(strings.Repeat("f(a, b) + [1];  ", size/16))
		f := mustOwn(t, name)
		tree, err := f.cut("x", text)
		if err != nil {
			t.Fatal(err)
		}
		if got, _ := tree.Render(nil); !bytes.Equal(got, text) {
			t.Errorf("%s: without edits it is another text", name)
		}
		if name == "bytes" && len(tree.Root.Children) > byteElements {
			t.Errorf("%d elements of bytes", len(tree.Root.Children))
		}
	}
}

func TestGuess(t *testing.T) {
	for _, c := range []struct{ name, content, want string }{
		{"a.json", "", "json"},
		{"a.JSON", "{}", "json"},
		{"crash-1", `{"a": 1}`, "json"},
		{"crash-2", "[1, 2]", "json"},
		{"crash-2", "[section]\nkey = 1\n", "ini"},
		{"x", "<a><b/></a>\n", "xml"},
		{"x", "<?xml version='1.0'?><a/>", "xml"},
		{"x", "<!DOCTYPE html>\n<p>", "html"},
		{"x", onePatch, "patch"},
		{"x", mails, "patch"},
		{"a.diff", "", "patch"},
		{"x", "(set-logic ALL)\n(check-sat)\n", "smtlib"},
		{"a.smt2", "", "smtlib"},
		{"x", "; hello\n(define (f x) x)\n", "lisp"},
		{"x", "CREATE TABLE t (a INT);\nselect 1;\n", "sql"},
		{"x", "a,b\n1,2\n3,4\n", "csv"},
		{"a.tsv", "", "tsv"},
		{".env", "A=1\nB=2\n", "ini"},
		{"x", "A=1\nB=2\n", "ini"},
		{"a.toml", "", "toml"},
		{"a.yml", "", "yaml"},
		{"x", "---\na: 1\n", "yaml"},
		{"x", "\x00\x01\x02", "bytes"},
		{"x", "", "indent"},
		{"x", "some words, and more\nof them (here)\n", "indent"},
		{"x", "f {\n  a;\n}\ng {\n  b;\n}\n", "brackets"},
		{"x.lua", "f()\n", "indent"},
		{"x.kt", "f()\n", "brackets"},
		{"a,b", "select this or that\n", "indent"},
		{"x.txt", "from here, to there\nand back, again\n", "indent"},
		{"x", "#!/usr/bin/guile -s\n!#\n(display 1)\n", "lisp"},
	} {
		if got := guessFormat(c.name, []byte(c.content)).name; got != c.want {
			t.Errorf("%s with %.20q is taken for %s, not %s", c.name, c.content, got, c.want)
		}
	}
}

// Which language a first line names; with a grammar for it that is the format.
func TestShebang(t *testing.T) {
	for line, want := range map[string]string{
		"#!/bin/sh -e\n":                       "bash",
		"#!/usr/bin/env python3.11\n":          "python",
		"#! /usr/bin/env -S A=1 node --x\nfoo": "javascript",
		"#!":                                   "",
		"#!/usr/bin/unknown":                   "",
		"x":                                    "",
	} {
		if got := shebang([]byte(line)); got != want {
			t.Errorf("%q names %q, not %q", line, got, want)
		}
	}
}

func TestDoesNotParse(t *testing.T) {
	for _, c := range []struct{ name, want, content, took, note string }{
		{"dir/a.xml", "", "<a>\n <b></c>\n</a>\n", "indent", "a.xml does not parse as xml (line 2, column 5: </c> where <b> is open): taken as blocks by indentation, lines and words"},
		{"a", "csv", "a,\"b\nc", "indent", "a does not parse as csv (line 1, column 3: a quote that nothing closes): taken as blocks by indentation, lines and words"},
		{"a", "patch", "--- a\n+++ b\n@@ -1,2 +1 @@\n a\n", "indent", "a does not parse as patch (line 5, column 1: the text ends within a hunk, 1 and 0 lines early): taken as blocks by indentation, lines and words"},
		{"a", "smtlib", "(a (b\n", "indent", "a does not parse as smtlib (line 1, column 4: \"(\" without its other bracket): taken as blocks by indentation, lines and words"},
		{"a", "ini", "f(x) {\n  äö {\n  }\n}\n", "brackets", "a does not parse as ini (line 1, column 1: neither a section, a comment nor KEY=VALUE): taken as text with brackets"},
		{"a", "xml", "ä <\n", "indent", "a does not parse as xml (line 1, column 3: < without a name): taken as blocks by indentation, lines and words"},
	} {
		tree, took, notes, err := kinds(nil).parseText(c.name, []byte(c.content), c.want)
		if err != nil {
			t.Fatal(err)
		}
		checkTree(t, tree, []byte(c.content))
		if took != c.took || len(notes) != 1 || notes[0] != c.note {
			t.Errorf("%q is taken for %s, %q", c.content, took, notes)
		}
	}
	if _, err := mustOwn(t, "json").cut("", []byte("{\"a\": 1,\n \"b\" 2}")); err == nil || !strings.HasPrefix(err.Error(), "line 2, column 6: ") {
		t.Errorf("json: %v", err)
	}
	if _, _, _, err := kinds(nil).parseText("a", nil, "word"); err == nil || !strings.Contains(err.Error(), `there is no format "word"; there are `) {
		t.Errorf("an unknown format: %v", err)
	}
}

func TestTokens(t *testing.T) {
	for text, want := range map[string]int{
		"":                                      0,
		" \n\t":                                 0,
		"int x = a[1] + 0x1f.8p-3;":             10,
		`f("a b\"c", 'd') // e f`:               9,
		"don't":                                 3,
		"ä += größe\n":                          3,
		"\xff\xfe a":                            3,
		"(assert (not |a b|))":                  10,
		"a<<=b->c::d...e":                       9,
		"\"open\nnext\"":                        4,
		strings.Repeat("x ", 1000) + "\"" + "y": 1002,
	} {
		if got := Tokens([]byte(text)); got != want {
			t.Errorf("%.40q has %d tokens, not %d", text, got, want)
		}
	}
}

// outline writes a tree with its leaves: (…) around the children of a node, ! behind
// what is fixed, ~ behind separators.
func outline(tree *Tree) string {
	var b strings.Builder
	var walk func(n *Node)
	walk = func(n *Node) {
		if len(n.Children) == 0 {
			fmt.Fprintf(&b, "%s", tree.Source[n.From:n.To])
		} else {
			b.WriteString("‹")
			for i, c := range n.Children {
				if i > 0 {
					b.WriteByte('|')
				}
				walk(c)
			}
			b.WriteString("›")
		}
		if n.Fixed {
			b.WriteByte('!')
		}
		if n.Separator {
			b.WriteByte('~')
		}
	}
	walk(tree.Root)
	return b.String()
}

func TestShapes(t *testing.T) {
	for _, c := range []struct{ format, name, text, want string }{
		{"brackets", "a.c", "f(a, b + c);\ng();", "‹‹f|‹(!|a|,~|‹b|+|c›|)!›|;›|‹g|‹(!|)!›|;››"},
		{"brackets", "a.c", "int f() { a; b(\"(\"); } // x\nint c;", "‹‹int|f|‹(!|)!›|‹{!|‹a|;›|‹b|‹(!|\"(\"|)!›|;›|}!›|// x›|‹int|c|;››"},
		{"brackets", "a.go", "func f() {\n\ta, b := 1, 2\n\tg(a)\n}\n", "‹func|f|‹(!|)!›|‹{!|‹a|,|b|:=|1|,|2›|‹g|‹(!|a|)!››|}!››"},
		{"brackets", "x", "{a: 1, b: [2,],}", "‹‹{!|‹a|:|1›|,~|‹b|:|‹[!|2|,~|]!››|,~|}!››"},
		{"brackets", "x", "( [ )", "‹‹(!|[|)!››"},
		{"brackets", "x", "[, a,, b,]", "‹‹[!|,|a|,~|,|b|,~|]!››"},
		{"lisp", "", "(f '(a b) c)", "‹‹(!|f|‹'|‹(!|a|b|)!››|c|)!››"},
		{"smtlib", "", "(assert (not x))", "‹‹(!|assert!|‹(!|not!|x!|)!›!|)!››"},
		{"indent", "a.py", "if x:\n  y\n\n  z\nw\n", "‹‹‹if|x|:›!|‹y›|\n|‹z››|‹w››"},
		{"indent", "a.lua", "f\n  x\n\nend\ny\n", "‹‹‹f›!|‹x›|\n|‹end›!›|‹y››"},
		{"yaml", "", "a:\n- b\n- c\n", "‹‹‹a|:›!|‹-|b›|‹-|c›››"},
		{"ini", "", "[s]\nk = v w\n", "‹‹[s]\n!|‹k =!|‹v|w››››"},
		{"csv", "", "a,\"b c\"\n,1\n", "‹‹‹a›|,~|‹‹\"!|b|c|\"!››|\n!›|‹|,~|‹1›|\n!››"},
		{"json", "", "{\"a\": [1, {}]}", "‹‹{!|‹\"a\"!|‹[!|1|,~|‹{!|}!›|]!››|}!››"},
		{"xml", "", "<a b=\"c\"><d/>e f</a>", "‹‹‹<a!|‹b=\"!|c|\"!›|>!›!|‹<d!|/>!›|e|f|</a>!››"},
		{"html", "", "<p>a<br>", "‹‹<p!|>!›|a|‹<br!|>!››"},
		{"sql", "", "select a, 'x;' from t; drop t;", "‹‹select|a|,|'x;'|from|t|;›|‹drop|t|;››"},
		{"tokens", "a.c", "a+/*x*/b", "‹a|+|/*x*/|b›"},
		{"lines", "", "a\r\n\nb", "‹a\r\n|\n|b›"},
		{"bytes", "", "ä", "‹\xc3|\xa4›"},
	} {
		tree, err := mustOwn(t, c.format).cut(c.name, []byte(c.text))
		if err != nil {
			t.Errorf("%s: %v", c.format, err)
			continue
		}
		if got := outline(tree); got != c.want {
			t.Errorf("%s of %q is\n%s\nnot\n%s", c.format, c.text, got, c.want)
		}
	}
}

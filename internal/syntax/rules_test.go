package syntax

import "testing"

// TestTablesRead reads all tables; the shortest texts of some rules.
func TestTablesRead(t *testing.T) {
	for l := range Languages {
		if tableNames[l] != "" && len(rulesOf(l).rules) < 10 {
			t.Errorf("%s has %d rules", tableNames[l], len(rulesOf(l).rules))
		}
	}
	for _, c := range []struct {
		language   Language
		rule, want string
	}{
		{C, "expression", "0"}, {C, "statement", ";"}, {C, "_declarator", "a"}, {C, "if_statement", "if(0);"}, {C, "return_statement", "return;"},
		{JSON, "_value", "0"}, {JSON, "pair", `"":0`}, {JSON, "object", "{}"},
		{XML, "element", "<a/>"}, {XML, "Attribute", `a=""`},
		{Python, "_statement", "0"}, {Python, "if_statement", "if 0:0"},
		{Go, "_statement", "0"}, {Go, "function_declaration", "func a()"},
		{JavaScript, "statement", ";"}, {Java, "method_declaration", "a a();"}, {Rust, "_expression", "0"},
		{TOML, "pair", "a=0\n"}, {YAML, "_r_flw_seq", "[]"}, {Ruby, "_statement", "0"}, {HTML, "element", "<a/>"},
	} {
		e := rulesOf(c.language).rules[c.rule]
		if e == nil || e.never || e.least != c.want {
			t.Errorf("%s %s: %+v, not %q", tableNames[c.language], c.rule, e, c.want)
		}
	}
	for _, text := range []string{"a", "a = ", `a = "b`, "a = (b", "a = b)", "a = b |", "a = ?"} {
		if _, err := readRules(text); err == nil {
			t.Errorf("%q is read", text)
		}
	}
}

// TestLists: how lists are written in grammars.
func TestLists(t *testing.T) {
	for text, want := range map[string]op{
		`x ("," x)*`:         list,
		`x ("," x)* ","?`:    list,
		`(x ",")* x`:         list,
		`(x ",")* x?`:        optional,
		`x y ("," x y)*`:     list,
		`x ("," x)+`:         list,
		`x x*`:               repeat,
		`x ("," y)*`:         sequence,
		`(~"a" x)* ~"a"`:     sequence,
		`x (("," | ";") x)*`: list,
		`x ("," x ";" x)*`:   list,
		`"(" x ("," x)* ")"`: sequence,
	} {
		r, err := readRules("r = " + text + "\nx = \"x\" \"y\"\ny = \"y\"\n")
		if err != nil {
			t.Fatal(err)
		}
		if got := r.rules["r"].op; got != want {
			t.Errorf("%s is %d, not %d", text, got, want)
		}
	}
}

// TestShortestMatch: of patterns as the grammars have them.
func TestShortestMatch(t *testing.T) {
	for pattern, want := range map[string]string{
		`[a-zA-Z_]\w*`: "a", `\d+(\.\d+)?`: "0", `[^"\\\n]+`: "a", `0[xX][0-9a-fA-F]+`: "0Xa", `(\p{XID_Start}|_)*b`: "b",
		`\\u\{[0-9a-f]{4}\}`: `\u{aaaa}`, `[ \t]+`: " ", `a|bc|`: "", `\r?\n`: "\n", `[A-Z]`: "A", `\u{200B}x`: "\u200bx",
	} {
		if got := shortestMatch(pattern); got != want {
			t.Errorf("%s: %q, not %q", pattern, got, want)
		}
	}
}

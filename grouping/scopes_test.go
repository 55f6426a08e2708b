package grouping

import (
	"maps"
	"slices"
	"strings"
	"testing"
)

// What a text uses and does not declare, what it declares twice, and its first jump or "try" at a wrong place.
func TestScopes(t *testing.T) {
	for _, c := range []struct {
		path, text  string
		free, twice string // names
		stray       int
	}{
		{"a.js", "function f(a) {\n  let b = a, c;\n  return b + d(c);\n}\n", "d return", "", 0},
		{"a.js", "const { a, b: c, ...d } = x, [e = y] = z;\nfunction f() {\n  g(a, b, c, d, e);\n}\n", "b g x y z", "", 0},
		{"a.js", "function f() {\n  let i, l;\n  let l;\n  for (let i = 0;;) { let l; }\n  var i;\n}\n", "", "l", 0},
		{"a.js", "function f() {\n  while (g()) continue;\n  for (;;) { if (a) { break; } }\n  b.forEach(() => { continue; });\n}\n", "b.forEach", "", 4},
		{"a.js", "class A {\n  f() {\n    switch (a) { case 1: break; }\n  }\n  g() {\n    switch (a) { case 1: continue; }\n  }\n}\n", "", "", 6},
		{"a.js", "function f() {\n  try { g(); } // 1\n  catch (e) { }\n  try { h(); } finally { i(); }\n  try { g(); }\n  g();\n}\n", "", "", 6},
		{"a.java", "class A {\n  void f() {\n    try (B b = c()) {\n    }\n    d();\n  }\n}\n", "", "", 0},
		{"a.c", "static int f(int a)\n{\n\tint b = a;\n\tint c, b;\n\t{ int b; }\n\treturn b + d;\n}\n", "d", "b", 0},
		{"a.c", "static int f(int a)\n{\n\tdo { if (a) break; } while (a);\n\tif (a)\n\t\tbreak;\n\treturn 0;\n}\n", "", "", 5},
		{"a.c", "static int f(int a)\n{\n\tif (a) {\n\t\tint b = 1;\n\t\tg(b);\n\t} else {\n\t\tg(b);\n\t}\n\tfor (int c = 0; c < a; c++)\n\t\th(c + d);\n\tint d = 0;\n\treturn d;\n}\n", "b d", "", 0},
		{"a.js", "function f(a) {\n  if (a) { let b = 1; var c = b; }\n  for (const d of a) { g(() => b + c + d); }\n}\n", "b", "", 0},
		{"a.js", "const r = {\n  a: /x/,\n  b: { c: 1, d() {} },\n};\nr.e = f(r.e);\nr.g = r.a + r.b.c + r.b.d() + r.h + r.g;\nr.i = { j: 2 };\nr.i.j = r.k.l;\n", "r.e r.g r.h r.k r.k.l", "", 0},
		{"a.js", "class A {\n  constructor() {\n    this.a = 1;\n  }\n  b() {\n    return this.a + this.b() + this.c;\n  }\n}\n", "this.c", "", 0},
		{"a.py", "class A:\n    def __init__(self):\n        self.a = 1\n\n    def b(self):\n        return self.a + self.b() + self.c\n", "self.c", "", 0},
		{"a.java", "class A {\n  int f(int a) {\n    for (int b : c) { int d = b; }\n    for (int b : c) { int d = b; }\n    return e;\n  }\n}\n", "c e", "", 0},
	} {
		s := readScopes(languageOf(c.path, nil), c.path, []byte(c.text))
		var free, twice []string
		for p := range s.free {
			if slices.Contains(strings.Fields(c.free), p.name) || strings.Contains(p.name, ".") {
				free = append(free, p.name)
			}
		}
		for p := range maps.Keys(s.twice) {
			twice = append(twice, p.name)
		}
		slices.Sort(free)
		slices.Sort(twice)
		if f, w := strings.Join(slices.Compact(free), " "), strings.Join(twice, " "); f != c.free || w != c.twice || s.stray != c.stray {
			t.Errorf("%s:\n%snot declared %q, twice %q, misplaced at %d; want %q, %q, %d", c.path, c.text, f, w, s.stray, c.free, c.twice, c.stray)
		}
	}
}

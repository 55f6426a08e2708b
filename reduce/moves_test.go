//go:build cgo

package reduce

import (
	"testing"
)

// TestMoves shows what the passes do in one step that a person would do: each text becomes the other one,
// while nothing between them fails.
func TestMoves(t *testing.T) {
	for _, c := range []struct {
		pass, file, from, to string
		trials               int // at most
	}{
		{"inline", "alias.c", "typedef int T;\nT a;\nT b(T c) { return c; }\n", "int a;\nint b(int c) { return c; }\n", 6},
		{"inline", "alias.go", "package p\n\ntype t = []int\n\nvar a, b t\n", "package p\n\nvar a, b []int\n", 4},
		{"inline", "value.c", "int f(void) { int a = 2; g(); return a + 1; }\n", "int f(void) { g(); return 2 + 1; }\n", 6},
		{"inline", "value.py", "a = b[1]\nprint(a)\n", "print(b[1])\n", 4},
		{"inline", "value.js", "const limit = 7;\nfor (let i = 0; i < limit; i++) f(i);\n", "for (let i = 0; i < 7; i++) f(i);\n", 8},
		{"inline", "call.c", "int half(int a) { return a / 2; }\nint b(int a) { return half(a) + 1; }\n", "int b(int a) { return a / 2 + 1; }\n", 8},
		{"inline", "assigned.c", "int f(int b) { int a; a = 7 / b; return a; }\n", "int f(int b) { int a; return 7 / b; }\n", 12},
		{"inline", "macro.c", "#define SIZE 10\nint a[SIZE];\n", "int a[10];\n", 4},
		{"inline", "view.sql", "CREATE VIEW v AS SELECT 1 AS a;\nSELECT a FROM v;\n", "SELECT a FROM (SELECT 1 AS a);\n", 4},
		{"inline", "generic.go", "package p\n\nfunc f[T comparable](a T) T { return a }\n\nvar b = f(1)\n\nvar c int\n", "package p\n\nfunc f(a int) int { return a }\n\nvar b = f(1)\n\nvar c int\n", 12},
		{"beside", "array.c", "int a[2][3];\nint f(void) { return a[1][0] + a[0][2]; }\n", "int a[2];\nint f(void) { return a[1] + a[0]; }\n", 8},
		{"beside", "array.c", "int a[2];\nint f(void) { return a[1] + a[0]; }\n", "int a;\nint f(void) { return a + a; }\n", 4},
		{"beside", "pointer.c", "int f(int *p) { return *p; }\n", "int f(int p) { return p; }\n", 4},
		{"beside", "member.c", "int f(void) { return s.x + s.x; }\n", "int f(void) { return s + s; }\n", 4},
		{"beside", "generic.java", "class A { List<Integer> a; List<Integer> b() { return a; } }\n", "class A { List a; List b() { return a; } }\n", 4},
		{"members", "point.c", "struct s { int x; };\nstruct s a;\nint f(struct s *b) { return a.x + b->x; }\n", "\nint a;\nint f(int *b) { return a + b; }\n", 4},
		{"members", "declared.c", "struct { int x; } a;\nint f(void) { return a.x; }\n", "int a;\nint f(void) { return a; }\n", 4},
		{"members", "point.go", "package p\n\ntype s struct{ x int }\n\nfunc f(a s) int { return a.x }\n", "package p\n\nfunc f(a int) int { return a }\n", 4},
		{"results", "vet.go", "package a\n\nfunc a() int {\n\tb()\n\treturn 0\n}\n", "package a\n\nfunc a() {\n\tb()\n}\n", 2},
		{"results", "sum.rs", "fn a() -> u8 { b(); return 1; }\n", "fn a() { b(); }\n", 2},
		{"join", "two.c", "int a;\nint *b;\n", "int a,*b;\n", 4},
		{"join", "key.json", `{"a":{"b":1},"a":{"c":2}}`, `{"a":{"b":1,"c":2}}`, 4},
		{"join", "list.xml", "<l><i>a</i><i><b/></i></l>", "<l><i>a<b/></i></l>", 4},
		{"join", "rows.sql", "INSERT INTO t VALUES(1,2);\nINSERT INTO t VALUES(3,4);\n", "INSERT INTO t VALUES(1,2),(3,4);\n", 4},
		{"merge", "twice.sql", "CREATE TABLE c(d);CREATE TABLE e(d);SELECT d FROM c JOIN e;\n", "CREATE TABLE c(d);SELECT d FROM c JOIN c;\n", 8},
		{"arguments", "column.sql", "CREATE TABLE t(a,b,c);\nINSERT INTO t VALUES(1,2,3);\nINSERT INTO t VALUES(4,5,6);\n", "CREATE TABLE t(a,c);\nINSERT INTO t VALUES(1,3);\nINSERT INTO t VALUES(4,6);\n", 8},
		{"arguments", "named.sql", "CREATE TABLE t(a,b);\nINSERT INTO t(a,b) VALUES(1,2);\nSELECT a,b FROM t;\n", "CREATE TABLE t(b);\nINSERT INTO t(b) VALUES(2);\nSELECT b FROM t;\n", 14},
		{"constants", "empty.xml", "<a><b c=\"1\"></b></a>", "<a><b c=\"1\"/></a>", 8},
		{"names", "reference.xml", "<ref id=\"1\"/>", "<b a=\"1\"/>", 4},
	} {
		fails := func(content string) bool { return content == c.from || content == c.to }
		result, err := Reduce(t.Context(), oneFile(c.file, c.from), contentFails(fails), Options{Passes: []string{c.pass}})
		if err != nil {
			t.Fatal(c.pass, err)
		}
		if got := string(result.Output.Files[0].Content); got != c.to || result.Trials > c.trials+1 { // one for the empty file
			t.Errorf("%s: %q becomes\n%q after %d trials, not\n%q after %d", c.pass, c.from, got, result.Trials-1, c.to, c.trials)
		}
	}
}

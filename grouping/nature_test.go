package grouping

import (
	"fmt"
	"strings"
	"testing"
)

// TestNature judges pairs of contents. Each row says what a build with grammars
// must find, and the fallback must find the same or Code or Layout: it may miss
// a comment, but not invent one.
func TestNature(t *testing.T) {
	const c = "int f(int a)\n{\n\treturn a; /* the\n\tsame */\n}\n"
	const goFile = "package p\n\n// F adds.\nfunc F(a int) string {\n\treturn `x\n  y` // end\n}\n"
	const py = "# A module.\ndef f(a):\n    \"\"\"Doc.\"\"\"\n    return [a,\n            1]  # one\n"
	const js = "// top\nexport function f(a) {\n  return a /* b */ + `t ${a}`\n}\n"
	const rs = "/// Adds.\npub fn f(a: u8) -> u8 {\n    a + 1 // one\n}\n"
	const sh = "#!/bin/sh\n# prints\nf() {\n  echo \"a # b\" # say\n}\ncat <<E\n# not a comment\nE\n"
	tests := []struct {
		name, file    string
		before, after string
		want          Nature
	}{
		{"comment at the end", "a.c", c, strings.Replace(c, "the\n\tsame", "another", 1), Comments},
		{"line in a block comment", "a.c", c, strings.Replace(c, "\tsame", "\tsame, or\n\tnot", 1), Comments},
		{"new comment lines", "a.c", c, "// f returns a.\n" + c, Comments},
		{"a comment that hides code", "a.c", "f();\ng();\nh();\n", "f();\n/*\ng();\n*/\nh();\n", Code},
		{"half of a comment", "a.c", "f();\n/* a */\ng();\n", "f();\n/* a\ng();\n*/", Code},
		{"code beside a comment", "a.c", c, strings.Replace(c, "return a; /* the", "return -a; /* a", 1), Code},
		{"indentation of C", "a.c", c, strings.ReplaceAll(c, "\t", "    "), Space},
		{"spaces in C", "a.c", "int f(int a){return a+1;}\n", "int f( int a ) {return a + 1;}\n", Space},
		{"tokens that part", "a.c", "x = a+ +b;\n", "x = a++b;\n", Layout},
		{"a macro that takes arguments now", "a.c", "#define f (x)\n", "#define f(x)\n", Layout},
		{"a comment in a macro", "a.c", "#define A \\\n  1\nint b;\n", "#define A \\\n  1\n// b\nint b;\n", Comments},
		{"a string of C", "a.c", "char *s = \"a b\";\n", "char *s = \"a  b\";\n", Layout},
		{"no comment in a string", "a.c", "char *s = \"/* a */\";\n", "char *s = \"/* b */\";\n", Code},
		{"fall through", "a.c", "switch (a) {\ncase 1: f(); /* fall through */\ncase 2: g();\n}\n", "switch (a) {\ncase 1: f();\ncase 2: g();\n}\n", Code},
		{"C that no grammar reads", "a.c", "BEGIN(\n// a\nint f(\n", "BEGIN(\n// b\nint f(\n", Comments},
		{"C++", "a.cc", "auto s = R\"(// a)\"; // b\n", "auto s = R\"(// a)\"; // c\n", Comments},
		{"a raw string of C++", "a.cc", "auto s = R\"(// a)\";\n", "auto s = R\"(// b)\";\n", Code},

		{"Go, doc comment", "a.go", goFile, strings.Replace(goFile, "adds", "adds one", 1), Comments},
		{"Go, comment at the end", "a.go", goFile, strings.Replace(goFile, " // end", "", 1), Comments},
		{"Go, build constraint", "a.go", goFile, "//go:build linux\n\n" + goFile, Code},
		{"Go, embed", "a.go", "package p\n\n//go:embed a.txt\nvar s string\n", "package p\n\n//go:embed b.txt\nvar s string\n", Code},
		{"Go, cgo", "a.go", "package p\n\n// int f(void);\nimport \"C\"\n", "package p\n\n// int g(void);\nimport \"C\"\n", Code},
		{"Go, output of an example", "a_test.go", "package p\n\nfunc Example() {\n\tf()\n\t// Output:\n\t// 1\n}\n", "package p\n\nfunc Example() {\n\tf()\n\t// Output:\n\t// 2\n}\n", Code},
		{"Go, raw string", "a.go", goFile, strings.Replace(goFile, "  y", " y", 1), Layout},
		{"Go, joined lines", "a.go", "package p\n\nvar a = f(\n\t1,\n)\n", "package p\n\nvar a = f(1)\n", Code},
		{"Go, carriage returns", "a.go", goFile, strings.ReplaceAll(strings.ReplaceAll(goFile, "x\n  y", "x"), "\n", "\r\n"), Code},
		{"Go, carriage returns only", "a.go", "package p\n\n// a\nvar b int\n", "package p\r\n\r\n// a\r\nvar b int\r\n", Space},
		{"Go that does not scan", "a.go", "package p\n// a\nvar s = \"\n", "package p\n// b\nvar s = \"\n", Code},

		{"Python, comment", "a.py", py, strings.Replace(py, "# one", "# two", 1), Comments},
		{"Python, docstring", "a.py", py, strings.Replace(py, "Doc.", "Docs.", 1), Code},
		{"Python, indentation", "a.py", "if a:\n    b\n    c\n", "if a:\n    b\nc\n", Layout},
		{"Python, empty lines", "a.py", "if a:\n    b\nc\n", "if a:\n    b\n\n\nc\n", Space},
		{"Python, type comment", "a.py", "a = []  # type: list\n", "a = []  # type: dict\n", Code},
		{"Python, coding", "a.py", "# -*- coding: utf-8 -*-\na = 1\n", "# -*- coding: latin-1 -*-\na = 1\n", Code},
		{"Python, interpreter", "a.py", "#!/usr/bin/python2\na = 1\n", "#!/usr/bin/python3\na = 1\n", Code},
		{"Python, string that looks like a comment", "a.py", "a = '''\n# one\n'''\n", "a = '''\n# two\n'''\n", Code},
		{"Python, statement made a comment", "a.py", "f()\ng()\n", "f()\n# g()\n", Code},

		{"JavaScript, comment", "a.js", js, strings.Replace(js, "/* b */ ", "", 1), Comments},
		{"JavaScript, JSDoc", "a.js", js, "/** @param a the number */\n" + js, Comments},
		{"JavaScript, template", "a.js", js, strings.Replace(js, "`t $", "`t  $", 1), Layout},
		{"JavaScript, a semicolon by a line feed", "a.js", "function f() {\n  return 1\n}\n", "function f() {\n  return\n  1\n}\n", Code},
		{"JavaScript, regular expression", "a.js", "a = b.match(/[/*]/)\nc() // d */\n", "a = b.match(/[/*]/)\nc() // e */\n", Comments},
		{"JavaScript, in a regular expression", "a.js", "a = /[/*] a/; b(); // */\n", "a = /[/*] b/; b(); // */\n", Code},
		{"JavaScript, jest environment", "a.test.js", "/**\n * @jest-environment node\n */\nf()\n", "/**\n * @jest-environment jsdom\n */\nf()\n", Code},
		{"TypeScript, expected error", "a.ts", "// @ts-ignore\nlet a: number = ''\n", "let a: number = ''\n", Code},
		{"TypeScript, comment", "a.ts", "let a: number = 1 // one\n", "let a: number = 1 // the one\n", Comments},

		{"Rust, comment", "a.rs", rs, strings.Replace(rs, "// one", "// the one", 1), Comments},
		{"Rust, doc comment", "a.rs", rs, strings.Replace(rs, "Adds.", "Adds one.", 1), Comments},
		{"Rust, doc test", "a.rs", "/// ```\n/// assert!(f(1) == 2);\n/// ```\n" + rs, "/// ```\n/// assert!(f(1) == 3);\n/// ```\n" + rs, Code},
		{"Rust, lifetime", "a.rs", "fn f<'a>(x: &'a u8) -> &'a u8 { x } // y\n", "fn f<'a>(x: &'a u8) -> &'a u8 { x } // z\n", Comments},
		{"Rust, raw string", "a.rs", "const A: &str = r#\"// a\"#;\n", "const A: &str = r#\"// b\"#;\n", Code},

		{"shell, comment", "a.sh", sh, strings.Replace(sh, "# prints", "# prints it", 1), Comments},
		{"shell, comment away from the first line", "a.sh", "#!/bin/sh\n\n# prints\necho a\n", "#!/bin/sh\n\n# prints it\necho a\n", Comments},
		{"shell, comment at the end", "a.sh", sh, strings.Replace(sh, "# say", "# print", 1), Comments},
		{"shell, here document", "a.sh", sh, strings.Replace(sh, "# not a", "# no", 1), Code},
		{"shell, string", "a.sh", sh, strings.Replace(sh, "a # b", "a # c", 1), Code},
		{"shell, blanks", "a.sh", "[ $a = b ]\n", "[ $a=b ]\n", Layout},
		{"shell, string over lines", "a.sh", "echo 'a\n# b\n'\n", "echo 'a\n# c\n'\n", Code},

		{"Markdown", "docs/a.md", "# A\n", "# B\n", Documentation},
		{"README", "README", "a\n", "b\n", Documentation},
		{"text of no language", "data.txt", "a b\n", "a  b\n", Layout},
		{"text of no language, other words", "data.txt", "a # b\n", "a # c\n", Code},
		{"requirements", "requirements.txt", "a==1\n", "a==2\n", Code},
		{"make, comment", "Makefile", "# build\nall:\n\tcc a.c\n", "# build it\nall:\n\tcc a.c\n", Comments},
		{"make, recipe", "Makefile", "all:\n\techo '# a'\n", "all:\n\techo '# b'\n", Code},
		{"make, tab", "Makefile", "all:\n\tcc a.c\n", "all:\n        cc a.c\n", Layout},
		{"CMake, comment", "CMakeLists.txt", "# a\nproject(b)\n", "# b\nproject(b)\n", Comments},
		{"CMake, string", "CMakeLists.txt", "check(\"\n#include <a.h>\n\")\n", "check(\"\n#include <b.h>\n\")\n", Code},
		{"YAML, comment", "a.yaml", "a: 1 # one\nb: 2\n", "a: 1\n# two\nb: 2\n", Comments},
		{"YAML, block scalar", "a.yml", "run: |\n  a\n  # b\n", "run: |\n  a\n  # c\n", Code},
		{"YAML, indentation", "a.yml", "a:\n  b: 1\n  c: 2\n", "a:\n  b: 1\nc: 2\n", Layout},
		{"TOML", "a.toml", "a = 1 # one\n", "a = 1 # two\n", Comments},
		{"CSS", "a.css", "a { b: c } /* d */\n", "a { b: c } /* e */\n", Comments},
		{"Java", "A.java", "/** Doc. */\nclass A { int a = 1; }\n", "/** Docs. */\nclass A { int a = 1; }\n", Comments},
		{"C#", "A.cs", "// a\nclass A { int a = 1; }\n", "// b\nclass A { int a = 1; }\n", Comments},
		{"PHP", "a.php", "<?php\n// a\nf();\n?>\n# text\n", "<?php\n// b\nf();\n?>\n# text\n", Comments},
		{"PHP, text", "a.php", "<?php\nf();\n?>\n# text\n", "<?php\nf();\n?>\n# texts\n", Code},
		{"PHP, annotation", "a.php", "<?php\n/** @dataProvider a */\nfunction f() {}\n", "<?php\n/** @dataProvider b */\nfunction f() {}\n", Code},
		{"Ruby", "a.rb", "def f\n  1 # one\nend\n", "def f\n  1 # two\nend\n", Comments},
		{"Ruby, frozen strings", "a.rb", "# frozen_string_literal: true\nf\n", "# frozen_string_literal: false\nf\n", Code},
		{"HTML", "a.html", "<p>a</p><!-- b -->\n", "<p>a</p><!-- c -->\n", Comments},
		{"XML", "a.xml", "<a><!-- b --><c/></a>\n", "<a><!-- d --><c/></a>\n", Comments},
		{"JSON", "a.json", "{\"a\": 1}\n", "{\n  \"a\": 1\n}\n", Code},
		{"binary", "a.c", "// a\x00\n", "// b\x00\n", Code},
		{"all of it goes", "a.c", "// a\n", "", Code},
	}
	p := newParsers()
	defer p.close()
	for _, tt := range tests {
		got := natureOf(p, tt.file, tt.before, tt.after)
		ok := got == tt.want
		if !grammarsBuiltIn() {
			ok = ok || (got == Code || got == Layout) && tt.want != Code
		}
		if !ok {
			t.Errorf("%s: got %v, want %v", tt.name, got, tt.want)
		}
		if back := natureOf(p, tt.file, tt.after, tt.before); back != got {
			t.Errorf("%s: got %v, the other way round %v", tt.name, got, back)
		}
	}
}

func TestDocuments(t *testing.T) {
	for _, name := range []string{"README.md", "readme", "LICENSE", "doc/a.rst", "docs/a.html", "docs/deep/notes.txt", "man/gitdd.1", "CHANGELOG", "NEWS.txt"} {
		if !documents(name) {
			t.Errorf("%s: no document", name)
		}
	}
	for _, name := range []string{"docs/conf.py", "docs/Makefile", "history.go", "install.sh", "notes.txt", "a.html", "lib.1", "requirements.txt", "docs/requirements.txt", "doc.go"} {
		if documents(name) {
			t.Errorf("%s: a document", name)
		}
	}
}

func natureOf(p *parsers, file, before, after string) Nature {
	if documents(file) {
		return Documentation
	}
	return p.nature(file, []byte(before), []byte(after))
}

func grammarsBuiltIn() bool { return grammarsFor(python) }

func grammarsFor(l language) bool { return newParsers().reads(l) }

// The nature of any two texts is found without a panic, and of equal ones is Space.
func FuzzNature(f *testing.F) {
	f.Add("a.c", "// a\nint b;\n", "// c\nint b;\n")
	f.Add("a.go", "package p // `\n", "package p\r\n")
	f.Add("a.py", "'''#", "\"# \\")
	f.Add("a.rs", "/* /* */", "'a'//")
	f.Add("CMakeLists.txt", "\"\n#", "#[[")
	f.Fuzz(func(t *testing.T, name, before, after string) {
		p := newParsers()
		defer p.close()
		p.nature(name, []byte(before), []byte(after))
		if got := p.nature(name, []byte(before), []byte(before)); got != Space && got != Layout && got != Code {
			t.Errorf("%s: equal texts: %v", fmt.Sprintf("%q", before), got)
		}
	})
}

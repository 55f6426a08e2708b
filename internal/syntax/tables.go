package syntax

import "embed"

//go:generate go test . -run TestTables -update

// The tables hold the grammars' rules, one a line: a name, "=", and an
// expression.
//
//	"x"     the text x, which has a node
//	~"x"    a token that has none, or one that is all of its rule; x is the shortest text it matches
//	name    another rule. It has a node unless its name begins with _ or stands in the first line
//	e@name  e has a node of this name instead of its own; in quotes: a node as of a text
//	e? e* e+ e|f ()   as everywhere; () is nothing
//	!       what is never made up: a token whose text depends on what stands around it
//
//go:embed tables
var tables embed.FS

var tableNames = [Languages]string{
	Go: "go.txt", C: "c.txt", CPP: "cpp.txt", Python: "python.txt", JavaScript: "javascript.txt", TypeScript: "typescript.txt", TSX: "tsx.txt",
	Java: "java.txt", Rust: "rust.txt", Ruby: "ruby.txt", PHP: "php.txt", CSharp: "csharp.txt", Bash: "bash.txt", CSS: "css.txt", HTML: "html.txt",
	JSON: "json.txt", YAML: "yaml.txt", TOML: "toml.txt", XML: "xml.txt",
}

// shorter reports whether a is to be preferred to b where either may stand:
// by length, then numbers before names before signs.
func shorter(a, b string) bool {
	if len(a) != len(b) {
		return len(a) < len(b)
	}
	for i := range len(a) {
		if x, y := rank(a[i]), rank(b[i]); x != y {
			return x < y
		}
	}
	return a < b
}

func rank(c byte) int {
	switch {
	case c >= '0' && c <= '9':
		return 0
	case c >= 'a' && c <= 'z':
		return 1
	case c >= 'A' && c <= 'Z':
		return 2
	}
	return 3
}

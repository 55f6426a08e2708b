package grouping

import "bytes"

// A localNames recognises names that code declares with a type before them, as C, Java and C# do it:
// "const char *s = x, **t;", "for (Map<K, V> m : list)", "catch (Error e)". It knows no types. At the beginning of a
// statement, a name is declared if nothing but names, and what may stand within types, comes before it, and behind
// it comes what may follow a declared name. Within brackets, where "(a * b)" is a product, nothing but names may come before
// it. A name in brackets of its own, as in "int (*f)(void)", is not recognised.
type localNames struct {
	names     int  // before this place, of those that may be a type
	angles    int  // brackets of type arguments that are open
	broken    bool // something else came before this place
	inside    bool // the statement, or argument, began within brackets
	directive bool // in a line of the preprocessor
	brackets  int  // that are open
	declaring int  // brackets that were open where the statement declared a name, plus one; 0 = it has declared none
}

// begin begins a statement or an argument.
func (d *localNames) begin(inside bool) {
	d.names, d.angles, d.broken, d.inside = 0, 0, false, inside
}

// name takes in a name, behind which rest comes, and reports whether the code declares it.
func (d *localNames) name(text, rest []byte) bool {
	if d.broken || d.directive {
		return false
	}
	declared := d.names > 0 && d.angles == 0 && !basicTypes[string(text)] && followsDeclared(rest)
	switch {
	case declared:
		d.declaring, d.broken = d.brackets+1, true
	case string(text) == "else" || string(text) == "do":
		d.begin(false)
	case notTypes[string(text)]:
		d.broken = true
	case !qualifiers[string(text)]:
		d.names++
	}
	return declared
}

// code takes in what is no name: a character, '"' for a string and '0' for a number. rest comes behind it.
func (d *localNames) code(c byte, rest []byte) {
	switch c {
	case ';', '{', '}':
		d.begin(false)
		d.declaring = 0
	case '(':
		d.brackets++
		d.begin(true)
	case '[':
		d.brackets++
		d.broken = d.broken || !bytes.HasPrefix(rest, []byte("]"))
	case ')':
		d.brackets = max(0, d.brackets-1)
		d.broken = true
	case ']':
		d.brackets = max(0, d.brackets-1)
	case ',':
		switch {
		case d.angles > 0:
		case d.declaring == d.brackets+1:
			d.begin(false)
			d.names = 1 // the type that was given before
		default:
			d.begin(d.brackets > 0)
		}
	case ':':
		if bytes.HasPrefix(rest, []byte(":")) {
			d.broken = d.broken || d.inside
		} else {
			d.begin(false)
		}
	case '<':
		d.angles++
		d.broken = d.broken || d.inside
	case '>':
		d.angles = max(0, d.angles-1)
	case '*', '&', '@':
		d.broken = d.broken || d.inside
	case '#':
		d.directive = true
	default:
		d.broken = true
	}
}

// line takes in the end of a line.
func (d *localNames) line(continued bool) {
	if d.directive && !continued {
		d.directive = false
		d.begin(false)
	}
}

// followsDeclared reports whether rest may come behind a name that is declared.
func followsDeclared(rest []byte) bool {
	rest = bytes.TrimLeft(rest, " \t\r\n")
	if len(rest) == 0 {
		return false
	}
	switch rest[0] {
	case ';', ',', '[', ')':
		return true
	case '=':
		return !bytes.HasPrefix(rest, []byte("=="))
	case ':':
		return !bytes.HasPrefix(rest, []byte("::"))
	}
	return false
}

func setOf(words ...string) map[string]bool {
	set := make(map[string]bool, len(words))
	for _, w := range words {
		set[w] = true
	}
	return set
}

var (
	// basicTypes are no names that code can declare.
	basicTypes = setOf("int", "char", "long", "short", "unsigned", "signed", "float", "double", "void", "bool", "boolean", "byte", "string", "object", "auto",
		"const", "volatile", "static", "this", "null", "true", "false")
	// qualifiers are no types.
	qualifiers = setOf("const", "volatile", "static", "register", "extern", "inline", "final", "readonly", "struct", "union", "enum", "class", "typename",
		"ref", "out", "params")
	// notTypes begin statements and expressions that declare nothing by a type.
	notTypes = setOf("return", "goto", "throw", "new", "delete", "sizeof", "break", "continue", "case", "package", "import", "using", "namespace", "assert",
		"await", "yield", "in", "typedef", "instanceof", "is", "as", "operator", "co_return", "co_await", "co_yield")
)

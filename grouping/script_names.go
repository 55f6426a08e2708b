package grouping

import "bytes"

// A scriptNames recognises the variables that JavaScript declares by "let", "const" and "var": several in one
// statement, as in "let a = f(1, 2), b;", and those in a pattern, as in "const { a, b: [c, ...d], e = 1 } = x;".
type scriptNames struct {
	depth   int  // brackets that are open
	list    int  // brackets that were open where the list of declarators began, plus one; 0 = there is none
	pattern int  // brackets of a pattern that are open
	next    bool // a name that is declared, or a pattern, may come
	once    bool // the list is of "let" or "const": no block declares one of its names twice
}

// name takes in a name, behind which rest comes, and reports whether the code declares it.
func (d *scriptNames) name(text, rest []byte) bool {
	switch string(text) {
	case "let", "const", "var":
		d.list, d.pattern, d.next, d.once = d.depth+1, 0, true, string(text) != "var"
		return false
	case "if", "return", "throw", "while", "switch", "try":
		if d.list == d.depth+1 && d.pattern == 0 && !d.next {
			d.list = 0 // a statement that ends without ";" is before it
		}
	}
	declares := d.next && d.list > 0
	d.next = false
	if declares && d.pattern > 0 && bytes.HasPrefix(bytes.TrimLeft(rest, " \t\r\n"), []byte(":")) {
		return false // a key, behind which comes what is declared
	}
	return declares
}

// code takes in what is no name.
func (d *scriptNames) code(c byte) {
	switch c {
	case '(', '[', '{':
		d.depth++
		if d.next && c != '(' && d.list > 0 {
			d.pattern++
			return
		}
		d.next = false
	case ')', ']', '}':
		d.depth = max(0, d.depth-1)
		d.next = false
		if d.pattern > 0 && d.depth < d.list-1+d.pattern {
			d.pattern--
		}
		if d.depth < d.list-1 {
			d.list, d.pattern = 0, 0
		}
	case ',':
		d.next = d.list > 0 && d.depth == d.list-1+d.pattern
	case ':':
		d.next = d.pattern > 0 && d.depth == d.list-1+d.pattern
	case '.': // of "..."
	case ';':
		if d.depth == d.list-1 {
			d.list = 0
		}
		d.next = false
	default:
		d.next = false
	}
}

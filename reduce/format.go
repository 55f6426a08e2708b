package reduce

// A format cuts texts of one kind into a tree. Every byte of the text is within
// the root; bytes that are not UTF-8, CR, NUL and a missing last newline are
// bytes like any other. A parser that meets what is not of its kind returns an
// error that says where, and the next format in line is tried.
type format struct {
	name  string
	fits  func(name string, content []byte) bool // guesses, by file name and content
	parse func(content []byte) (*Node, error)
}

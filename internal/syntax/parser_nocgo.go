//go:build !cgo

package syntax

import "errors"

// Parses reports whether this build can parse l: it cannot, tree-sitter needs
// cgo.
func Parses(Language) bool { return false }

// Parse says that it cannot.
func Parse(Language, []byte) (*Tree, error) {
	return nil, errors.New("this gitdd was built without cgo, which parsing needs")
}

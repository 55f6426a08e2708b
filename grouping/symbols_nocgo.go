//go:build !cgo

package grouping

// Parser says how this build reads source code.
const Parser = "go/parser; other languages than Go by a lexical scanner, for want of cgo"

// Grammars says whether this build has the parsers of all languages.
const Grammars = false

// parsers reads nothing: tree-sitter needs cgo. Every language but Go then
// goes the lexical way.
type parsers struct{}

func newParsers() *parsers { return &parsers{} }

func (p *parsers) close() {}

func (p *parsers) declarations(language, []byte) ([]declaration, bool) { return nil, false }

func (p *parsers) reads(language) bool { return false }

func (p *parsers) clean(language, []byte) bool { return false }

func (p *parsers) extents(language, []byte) ([]extent, bool) { return nil, false }

func (p *parsers) nodes(language, []byte) ([]int, bool) { return nil, false }

func (p *parsers) constructs(language, []byte) ([][2]int, []declaration) { return nil, nil }

func (p *parsers) faults(language, []byte) []int { return nil }

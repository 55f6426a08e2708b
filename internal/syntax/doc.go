// Package syntax reads source code for those who group changes and those who reduce
// inputs: which language a file is of, its tree by tree-sitter, and what its grammar
// allows, by tables made from the grammars' own files. It is pure; without cgo it
// says that it cannot parse.
package syntax

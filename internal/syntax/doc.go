// Package syntax reads source code for those who group changes and those who reduce
// inputs: which language a file is of, its tree by tree-sitter, and what its grammar
// allows, by tables made from the grammars' own files; and which files are [Manifests]. It is pure; without cgo it
// says that it cannot parse.
//
// [Of] names the language of a file (language.go); [Parse] copies the tree that
// tree-sitter makes of a text into a flat [Tree] (parser.go, tree.go).
//
// A tree says what stands in a text, not what may stand there. That is what the
// rules of a language say, of which tables/ holds one a line. A [Matcher] matches
// the children of a node with its rule, as a regular expression is matched: the
// [Part]s say which of them may go, come several times, or be replaced, and by what
// shortest text. That is the idea of Sun and others, Perses: Syntax-Guided Program
// Reduction (ICSE 2018); but they rewrite the grammar and parse with it, and here
// the tree stays that of tree-sitter.
package syntax

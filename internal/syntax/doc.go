// Package syntax reads source code: its language, its tree by tree-sitter, and what a grammar allows.
package syntax

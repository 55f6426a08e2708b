// Package graph is directed acyclic graphs whose nodes have sorts, and what can be
// done to them whatever their language: a node replaced, an edge laid to another
// node, what is out of reach dropped.
//
// It knows no operators. What it has to know of a language, a [Language] says.
package graph

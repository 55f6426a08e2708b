// Package components finds the nodes of a directed graph that lead to each other.
package components

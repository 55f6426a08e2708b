// Package doubt gives reasons why the answer of a search may be wrong. It is pure: it reads changes and
// results, and runs nothing.
package doubt

// Package changes cuts the difference of two revisions into changes and
// composes any subset of them back into a tree.
package changes

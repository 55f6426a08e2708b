// Package sequence compares two sequences of texts, such as lines or tokens, and says
// where they differ. It is pure: what it says depends on the two sequences alone, so
// that it is the same on every machine.
package sequence

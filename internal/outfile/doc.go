// Package outfile writes the smallest input so far, as gitdd reduce does after each success.
//
// A [Place] is a file, a directory or standard output. What stands at its name is replaced in one step,
// where the system can do that: a reader finds the last input or the one before, and nothing between them.
// The session of a reduction says what was written, so that a later one may replace it.
//
// Invariants: a file that is read by the reduction is never written; a directory is replaced only if it
// holds just what a session has written.
package outfile

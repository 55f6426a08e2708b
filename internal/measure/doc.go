// Package measure makes a number of one execution of a command: how long it took, how much memory, what a file
// that it made weighs, or what it printed.
//
// A [What] says which number is meant, as --measure names it. [What.Number] reads it from a [Run], which is what is
// left of a command that has ended with status 0. Where there is no number, or more than one, the error is an
// [AbsentError] that says what was seen: nothing is guessed. What a command prints is hostile: it is read line by
// line, in bounded memory, and a number is taken as it stands or not at all. "14,203" is none, because half of the
// world reads it as 14.203, and neither is the 203 of it that an expression may have matched.
//
// The package runs nothing. Who runs the command, package trial, measures its time, memory and instructions.
//
// Begin with what.go and number.go.
package measure

// Package testcase has the inputs that a reduction makes smaller: a file, or the files of a directory,
// on which a command fails.
package testcase

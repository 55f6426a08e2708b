// Package snapshot holds the files of a configuration as a tree of values that do not change: what a
// trial on another machine works on. It reads such a tree from a directory, and makes one from another
// by edits, which costs only the folders that change.
package snapshot

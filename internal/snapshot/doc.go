// Package snapshot is the files of a configuration as a tree of values, which do not change: what a
// trial on another machine works on. It reads such a tree from a directory, and makes one from another
// by edits, which costs only the folders that change.
package snapshot

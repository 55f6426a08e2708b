// Package updates reads manifests and lock files of package managers as entries, each about one package:
// the lines that it has, the name and version of the package, and what it requires. By the entries of two
// revisions it says where to cut the texts of a file ([Cut]), which changes are one update, and which of
// them need each other for the files to be consistent ([Find]).
//
// A format is a row of the table in format.go and a reader: a function from a text to entries. All that
// follows from the entries is the same for every format. A text that a reader refuses, such as a lock file
// of an unknown version, has no entries; it is cut by lines then, like any other.
//
// The package is pure. It knows no git, no search and no network; what the go.mod files of modules say
// comes from a function.
package updates

// Package bisect takes a search over from a git bisect in progress, and writes the verdict into the bisect.
//
// [Take] reads the ends and all else that the bisect knows into a [State], which a session keeps: the bisect
// may be over when the search is resumed. [State.Finish] writes the verdict of the search into the bisect,
// unless it is another bisect by then, or has gone on.
//
// Begin with state.go.
package bisect

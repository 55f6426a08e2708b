// Package apply puts the cause that a session has isolated onto the user's files, takes it off them,
// or makes of it a branch or a directory beside them, for the commands gitdd apply and gitdd checkout.
// [Fits] tells a report beforehand whether that will be possible.
//
// Guarantees: nothing of the user's is overwritten. [Files] writes all files of the cause or none,
// and none with local edits, but for those that it has made itself; it never writes the index or
// HEAD. [Branch] makes a branch whose name is free, and touches nothing else. [Directory] writes to
// an empty directory only.
//
// Begin with files.go.
package apply

// Package apply puts the cause that a session has isolated onto the user's files, takes it off them,
// or makes of it a branch or a directory beside them, for the commands gitdd apply and gitdd checkout.
// [Fits] tells a report beforehand whether that will be possible.
//
// Of an answer with several causes it takes all of them, or one that is chosen; [Patch] names the patch of the session that does so.
//
// Guarantees: [Files] writes all files of these causes or none. It writes a file only if it is as in HEAD, as in
// the checkout that the session recorded as an end, or as an earlier call of Files left it; other
// uncommitted edits are an error. It never writes the index or HEAD. [Branch] makes a branch whose name is free, and touches nothing else. [Directory] writes to
// an empty directory only.
//
// Begin with files.go.
package apply

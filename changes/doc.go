// Package changes cuts the difference between two revisions into changes and
// composes any subset of them back into a tree.
//
// A change is a piece of the difference that can be applied by itself: a hunk
// of text without context lines, a file that is created, deleted, renamed or
// copied, a mode bit, the target of a symbolic link, binary content, the pin of
// a submodule, or a path that becomes another type of entry. Good is the tree
// with no change applied, and bad is the tree with all changes applied. Change
// a requires change b if no tree can have a without b, because the text of a
// would have no file, or because two entries would have the same name.
//
// The package guarantees, for any two trees of any repository:
//
//	G1  the empty subset composes to the tree id of good, and the full subset
//	    to that of bad
//	G2  every subset that is closed under Requires composes to the same tree,
//	    in whatever order its members are given
//
// Composing works with byte offsets into the files of good and never searches
// for the place of a hunk. So line endings, missing final newlines, NUL bytes,
// text in an unknown encoding and unusual path names are preserved byte for
// byte. A composed tree never has two entries with the same name, or a name such
// as ".git" or "..": [Between] refuses revisions that have these.
//
// [Between] reads each changed file once: git inflates the files ahead, in
// order, while the processors check and cut them. It keeps the texts of the
// hunks, and the first 32 MB of the files, because callers usually need them
// next. [Set.Compose] takes time in proportion to the directories and the partly
// changed files of the subset, reads at most those files, and writes nothing.
//
// The package does not know what a test is, or which changes belong together.
package changes

// Package changes cuts the difference of two revisions into changes and
// composes any subset of them back into a tree.
//
// A change is one elementary, separately applicable piece of the difference:
// a text hunk without context lines, a file that is created, deleted, renamed
// or copied, a mode bit, a symlink's target, binary content, a submodule's pin,
// or a path that becomes another type of thing. Good is the tree with no change
// applied, bad the tree with all of them. A requires b when no tree has a
// without b: the text has no file to stand in, or two things would need one
// name.
//
// Guarantees, for any two trees of any repository:
//
//	G1  composing nothing gives good's tree id, composing everything bad's
//	G2  every subset closed under Requires composes, whatever the order its
//	    members are named in, to the same tree
//
// Composing works with byte offsets into good's files and never searches for a
// place to put a hunk, so line endings, missing final newlines, NUL bytes,
// text in no encoding and odd path names survive byte for byte. A composed tree
// never holds two entries of one name, nor a name such as ".git" or "..":
// revisions that do are refused by [Between].
//
// The cost of [Between] is that of reading the changed files once: git inflates
// them ahead in order, while the processors check and cut them. It keeps the
// texts of the hunks, and of the files the first 32 MB, for whoever asks for
// these next. [Set.Compose] takes time in proportion to the directories and the
// partly changed files of the subset, reads at most those files, and writes
// nothing.
//
// The package does not know what a test is, nor which changes belong together.
package changes

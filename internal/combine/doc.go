// Package combine makes of several repositories two revisions of one, so that everything that works with two revisions of
// a repository works with the changes of all of them.
//
// The revisions have the tree of the main repository, and in a folder each the tree of another one. Nothing is written to
// any of these: the new trees and commits go into a store that a session has of its own, and all else is borrowed.
//
// The commits in between make one line: first those of the main repository, with the others as they are at good, and then
// those of each other one after another. Each has the author, the date and the message of the commit that it stands for,
// and its merges are merges, too. What is no line from good to bad, such as the difference of two trees, is one commit.
//
// Begin with Ends in ends.go.
package combine

// Package folders stores two folders, or archives of folders, as the trees of a repository that a session has of
// its own, so that everything that works with two revisions of a repository works with them.
//
// What is stored is what the folder has: the bytes of each file, which of them can be executed, and symbolic links
// as links, wherever they lead. Ignored files are files as all others, and no line end is converted. Not stored are
// .git directories and empty directories, because git has none in a tree; it is noted if there are any. What git could
// not check out, or is no file, is refused by its name.
//
// Nothing is written but the repository. An archive is read as a stream and never unpacked, so that the names in it never become
// paths of this machine, and how much is taken of it is bounded.
//
// Begin with store.go; folder.go reads a folder, archive.go an archive.
package folders

// Package workspace shows configurations: it keeps a directory that holds one configuration after
// the other, each as git would check it out, with an overlay, patches, kept files and submodules if
// these are asked for.
//
// A [Workspace] is a repository that borrows the objects of the user's. From one configuration to the
// next only the paths that differ are written, with a new modification time; everything else stays as
// the last test left it, what builds have made included. What a test has altered at a path that
// configurations can differ in is written again. Nothing is written outside of the workspace, whatever
// names a tree has and whatever links a test has left behind.
//
// A [Source] makes the workspaces of a session. A [Snapshotter] gives the files of configurations as
// values, for trials on other machines, and writes nothing where these are known.
package workspace

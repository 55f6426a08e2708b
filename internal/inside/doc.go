// Package inside makes the ends of a search in the files of a dependency whose update is the cause of a failure. Both ends are the
// failing configuration of the answer, with the old and with the new files of the dependency.
//
// [Of] says which updates an answer makes (updates.go). [Project.Ends] brings the files of both versions, or finds them in a clone, in a
// folder vendor or in the repository of a submodule, and combines them with the project (ends.go, files.go). Nothing is written
// but what the caller gives: a store, and a directory for what is brought.
package inside

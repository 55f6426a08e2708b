// Package listing writes the changes between two revisions below their groups, as gitdd changes shows them:
// for people, and as JSON of the schema "gitdd.changes/1".
//
// Begin with listing.go.
package listing

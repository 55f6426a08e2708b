// Package grouping says which changes belong together and which require
// which.
//
// A group is a set of changes that are tried together. The levels of groups,
// from coarse to fine, are commit, directory, file, symbol, identifier, hunk and
// line. They include the four groupings of Zeller, "Yesterday, my program worked. Today,
// it does not. Why?" (ESEC/FSE 1999, section 4): by time ([Commit]), by place
// ([Directory], [File]), by identifier ([Identifier]) and by syntax
// ([Symbol]).
//
// A requirement "a requires b" is structural if the text or the tree of a
// would not exist without b; package changes computes these. It is predicted if
// a uses a name that b introduces, if a removes a name whose uses b removes, if
// a does not parse without b, if b changes the type that a adapts to, or if
// b is the part of a manifest that a needs. Predicted requirements are advice:
// names are only matched, and types are compared as they are written.
// Predictions favour precision over recall: a wrong requirement excludes a
// configuration that would have built, but a missing one only costs an
// unresolved trial.
//
// The output of a configuration that does not build tells more. [Plan.Learn]
// knows the messages of some compilers and interpreters, and matches their
// places and names with the changes. [Diagnosis] knows no particular tool. For
// any message it says which pairs of an applied and a missing change may be the
// reason, and how likely each pair is. The output of the failing end says where
// to look first ([Plan.Prior]). Once there is an answer, it also says how the
// place of the failure is connected with the cause ([Plan.Place]).
//
// Without a trial, [Wellformed] says which configurations do not parse or use
// names that nothing declares, and [Plan.Affinity] which changes have rare names in common.
//
// [Natures] distinguishes comments, white space and documents from code. An
// answer that consists only of the former is doubtful.
//
// The package is pure: it reads contents through the set that it is given,
// starts no process, and makes the same plan of the same set on any number of
// processors. The amount that it reads and parses is bounded in bytes, never in
// time. It does not know what a test is.
package grouping

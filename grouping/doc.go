// Package grouping says which changes belong together and which require
// which.
//
// A group is a set of changes that are tried together; the levels, coarse to
// fine, are commit, directory, file, symbol, identifier, hunk and line. They
// contain the four groupings of Zeller, "Yesterday, my program worked. Today,
// it does not. Why?" (ESEC/FSE 1999, section 4): by time ([Commit]), by place
// ([Directory], [File]), by identifier ([Identifier]) and by syntax
// ([Symbol]).
//
// A requirement "a requires b" is structural when the text or the tree of a
// would not exist without b (package changes knows these), and predicted when
// a uses a name that b introduces, or removes a name whose uses b removes, when
// a does not parse without b, when b changes the type that a adapts to, or when
// b is the part of a manifest that a needs. Predictions are advice: names are
// matched, types are compared as they are written. They
// favour precision over recall, because a false edge costs the search a
// configuration that would have built, and a missed edge only an unresolved
// trial.
//
// What a configuration that does not build prints says more. [Plan.Learn] knows the
// messages of some compilers and interpreters, and matches their places and names to
// the changes. [Diagnosis] knows no tool: of any message it says which pairs of an
// applied change and one that is not may be the reason, and how likely each is. And what
// the failing end prints says where to look: [Plan.Prior]; and, once there is an answer, how the
// place of the failure is connected with the cause: [Plan.Place].
//
// Without a trial, [Wellformed] tells which configurations do not parse, and
// [Plan.Affinity] which changes have rare names in common.
//
// What changes consist of may be a reason to doubt that they do anything:
// [Natures] tells comments, white space and documents from code.
//
// The package is pure: it reads contents through the set it is given, starts
// no process, and the same set gives the same plan on any number of cores.
// What it may read and parse is bounded in bytes, never in time. It does not
// know what a test is.
package grouping

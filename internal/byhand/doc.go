// Package byhand lets a person judge the configurations of a search, one command line after the other.
//
// Nothing runs between two command lines. Each of them performs the search again from its beginning: the session's
// journal has what was judged, so the search comes to the first configuration that has no outcome, and ends there
// with a [PendingError], see [Judge]. That configuration is put into a directory that stays, see [Put], and the session
// remembers which one it is, see [State]. [Open] and the methods of [Session] are what command lines are made of.
//
// Begin with judge.go and session.go.
package byhand

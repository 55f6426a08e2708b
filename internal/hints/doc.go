// Package hints says what may help if a search came to no answer, or came to it slowly: what trials lack
// that the user's checkout has, a limit that is too short, a terminal or a port that the command wants, a
// check that would save time.
//
// It reads what the trials printed, with regular expressions for what programs usually say; a hint names
// the line that it follows from. None of the hints changes how a search goes, but for --keep auto, which
// the user has asked for.
//
// Begin with ends.go, for ends that have the same outcome, and missing.go, for files of the checkout that trials lack;
// earlier.go is about commits that fail with another message than bad, absent.go about what the command names and nothing
// has, beside.go about scripts that do not find what both ends have, built.go about programs that are built, match.go about
// patterns that match nothing; checkout.go about paths that lead out of a trial into the checkout; submodules.go is about what
// submodules lack in a workspace, and about searches inside them.
package hints

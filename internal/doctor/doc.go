// Package doctor looks at what a search needs, and says what to do where something is in its way.
//
// [Examine] goes through these checks, the cheap ones first:
//
//	git, the repository, its submodules and filters        repository.go
//	places and room for workspaces, locks, processes       trial.Examine
//	trials of true, false and the command of the user      trials.go
//	the cluster, its clock, and the same trials there      trials.go
//
// What a check says is a [Finding], which is passed on as soon as it is known. If a check fails, the
// checks that depend on it are not made.
//
// Guarantee: the trials run in sessions that are removed, so that nothing of an examination stays.
package doctor

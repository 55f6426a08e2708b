// Package dependency goes from the update of a dependency to its files: it says which updates lie between two versions of a
// project's manifests, brings both versions of a dependency, and says what lets a project use a folder in the place of one.
//
// Versions come from the cache of the package manager, and by the package manager where they are missing, which knows
// proxies, registries and passwords. What is brought goes where the package manager keeps it, or into a directory of
// the caller's.
//
// Begin with Between in update.go; fetch.go brings versions, place.go puts them into a project.
package dependency

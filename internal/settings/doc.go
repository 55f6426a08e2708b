// Package settings has what a search and a reduction are started with: the flags, the checks of their
// values, the words by which a session keeps them, and the options that they become for the packages that
// perform the search or the reduction.
//
// The values of flags are read into a [Search] or a [Reduction]. A session keeps the flags that differ from
// their defaults, and [OfSearch] and [OfReduction] read them again, so that a resumed session has the
// settings that it was begun with, but for those of [Renewed]. The package runs no trial.
package settings

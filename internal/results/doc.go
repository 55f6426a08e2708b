// Package results makes of what a search or a reduction has found the result that package report writes.
//
// For a search: [Facts] says what the search, its runner and its journal know beside the answer, [Weigh]
// what its failing trials say against the answer, and [Of] composes both ends of the answer, keeps their
// trees and patches in the session, and returns the [report.Result]. For a reduction: [Reduction].
//
// Invariant: nothing that is found here changes which changes are the answer; it can only withhold an
// answer that trials contradict.
//
// Begin with answer.go and facts.go.
package results

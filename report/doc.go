// Package report turns a result into text, JSON, a page, SARIF, JUnit XML, Markdown,
// annotations or places for editors.
//
// A [Result] is everything that a search has found out, in the form of the
// schema gitdd.result/1. [JSON] writes it and [ReadJSON] reads it. [Text] uses
// nothing but the Result, so a result that is shown again later reads the same.
// [New] makes a Result from the changes, from the answer of the search, and from
// the [Facts] that only the caller knows.
//
// The package guarantees that equal results give equal bytes, and that no output
// depends on the time, on the order of a map or on the environment. Text from a
// repository (paths, authors, subjects, contents) never reaches a terminal as a
// control sequence, because every line passes through a [Line].
//
// The package makes no decisions, and knows nothing of git, files or processes.
package report

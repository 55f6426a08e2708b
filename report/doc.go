// Package report turns a result into text, JSON, a page, SARIF, JUnit XML, Markdown,
// annotations or places for editors.
//
// A [Result] is all that was found out, in the shape of schema
// gitdd.result/1: it is what [JSON] writes and [ReadJSON] reads, and the only
// thing [Text] looks at, so a result shown again next week reads the same.
// [New] makes it from the changes, the answer of the search and the [Facts]
// that only the caller knows.
//
// Guarantees: equal results give equal bytes; no output depends on the clock,
// on map order or on the environment; text taken from a repository (paths,
// authors, subjects, contents) never reaches a terminal as a control
// sequence, because every line passes through a [Line].
//
// The package decides nothing: it knows no git, no files and no processes.
package report

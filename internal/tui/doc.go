// Package tui shows on a terminal how a search, a reduction or a hunt goes on, while it does.
//
// It knows the stream of a search (package events), the events of package reduction, with those of its
// trials, and of package hunt, and the characters and keys of terminals. A view learns of what it shows
// only by events and by its options. Of a search it knows nothing that the stream does not tell other
// programs. It knows no command line: the caller decides on which stream a view is shown,
// whether in color, and whether keys are read.
//
// [NewSearch], [NewReduction] and [NewHunt] return a view. On a terminal that accepts escape sequences
// it is drawn again and again in place; elsewhere it writes lines that stay. [IsTerminal],
// [AcceptsEscapes] and [Width] tell the caller what a stream is.
//
// For each there is a model, which holds what the events so far have told (searchModel,
// reductionModel, huntModel), and nothing of the screen. A canvas draws a model on the screen, with the
// end of what a running trial prints below it, and reads the keys.
//
// Invariants:
//
//   - The lines of a view that is not drawn are in the order of the path. They are the same for any
//     number of workers, but for the numbers of trials.
//   - No line reaches the last column of the terminal, and no text of a trial acts on it.
//   - A view that is drawn leaves one line, its summary, and the notes. Nothing is drawn while the
//     process is in the background.
//   - The settings of the terminal are as they were whenever the process stops or ends, unless it is
//     killed, and from an interruption on.
//   - What a view costs is bounded: ten frames a second, one look a second at the files that trials
//     print to, of which it holds 64 KiB each at most. No event waits for a file.
//
// Begin with search.go, search_model.go and canvas.go.
package tui

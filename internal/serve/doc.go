// Package serve shows a session as a page of a web server on this machine, while its search goes on and
// afterwards.
//
// A [Server] reads the files of the session. What it shows of a search is what the events tell (package events), and what the
// trials that these name have printed. It reads the journal only for what they do not tell: where the search began, which is its
// header; the judgements of a person, each of which may be taken back; and a result and its story, when the search has ended. What a commit that is tested
// has beyond good it knows by [Server.Compare]. So it needs no process of its own to run there, and an ended session looks as it does in the page of gitdd show --html. With
// [Server.Control] the page has buttons, each of which is a command line of gitdd, or a signal. The drawing is
// that of package report, see [report.LiveParts]; the page asks for the parts that have changed, and puts them in.
//
// Invariants:
//
//   - Nobody is answered but who knows the token in the address, from a page of this server, under a name of this machine.
//   - Nothing that is asked changes anything, and nothing is asked of a network, but for the buttons of Control.
//   - A button is heard only from the page itself, and only about the moment that the page shows.
//   - The command of a session that came with a file is not run.
//   - What is sent at once is bounded, and so is how often: a session with hundreds of trials a second, or with
//     thousands of changes, takes no more than a fraction of a processor.
//
// Begin with server.go, watch.go and control.go.
package serve

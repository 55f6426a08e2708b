// Command gitdd names the lines that broke a test.
//
//	gitdd run --good v1 --bad HEAD -- make test
//
// The difference of a passing and a failing revision is cut into changes,
// grouped by file and identifier, and searched by delta debugging until the
// failure-inducing changes stand alone. The user's checkout, index, refs and
// configuration stay as they are: every trial runs in a workspace of its own.
//
// Exit status: 0 isolated; 1 nothing to isolate or not trustworthy; 2 usage;
// 3 budget spent, best answer printed; 4 trouble with the repository or the
// machine; 130 interrupted, best answer printed, resumable.
package main

import (
	"context"
	"os"
	"os/signal"
	"slices"
	"syscall"
	"time"

	"github.com/gitdd/gitdd/trial"
)

func main() {
	trial.Supervisor()
	ctx, stop := untilSignal(os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	// The first Ctrl-C asks the search for its best answer; the next one is
	// the default again and ends the process at once.
	context.AfterFunc(ctx, stop)
	// A reader that goes away, as in `gitdd run ... | head`, must not end a
	// search before it has put its workspaces away.
	signal.Ignore(syscall.SIGPIPE)
	a := &app{stdout: os.Stdout, stderr: os.Stderr, now: time.Now}
	os.Exit(a.main(ctx, os.Args))
}

// untilSignal is a context that ends with the first of the signals. Those that were ignored
// when the process began stay so: by nohup a search outlives its terminal.
func untilSignal(signals ...os.Signal) (ctx context.Context, stop context.CancelFunc) {
	signals = slices.DeleteFunc(signals, signal.Ignored)
	if len(signals) == 0 { // which would mean all there are
		return context.WithCancel(context.Background())
	}
	return signal.NotifyContext(context.Background(), signals...)
}

package hunt_test

import (
	"context"
	"log"
	"os"
	"time"

	"github.com/gitdd/gitdd/btor"
	"github.com/gitdd/gitdd/btor/hunt"
	"github.com/gitdd/gitdd/trial"
)

// This program hunts in the directory "crashes" for three graphs that boolector fails on,
// two at a time, and prints what is left of them. Started again it goes on.
func ExampleSearch() {
	trial.Supervisor() // this program runs itself to watch over its commands
	o := hunt.Options{
		Solving: hunt.Solving{
			Command: []string{"boolector", "{}"},
			Limits:  trial.Limits{Timeout: 10 * time.Second},
		},
		Generator: btor.Defaults(),
		Dir:       "crashes",
		Findings:  3,
		Jobs:      2,
		Observe: func(e hunt.Event) {
			if e.Kind == hunt.Counted && e.Run.Failure != nil {
				log.Printf("seed %d: %v", e.Seed, e.Run.Failure)
			}
		},
	}
	found, err := hunt.Search(context.Background(), o)
	if err != nil {
		log.Fatal(err)
	}
	if err := found.Text(os.Stdout, o, false, hunt.TextOptions{}); err != nil {
		log.Fatal(err)
	}
}

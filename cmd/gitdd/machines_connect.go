package main

import (
	"context"
	"fmt"

	"github.com/gitdd/gitdd/trial"
)

// A cluster is where trials run, if that is not here. The nil one is this machine.
type cluster struct {
	run   trial.Remote
	check func(context.Context) []trial.Finding
	close func() error
}

// connect reaches the machines that the settings name, for so many trials at a time;
// nil where trials run here.
func (m *machines) connect(context.Context, int, string) (*cluster, error) {
	if flag := m.away(); flag != "" {
		return nil, fmt.Errorf("%s: this version does not reach other machines yet", flag)
	}
	return nil, nil
}

// done lets go of the cluster: nothing runs there any more.
func (c *cluster) done() {
	if c != nil {
		_ = c.close()
	}
}

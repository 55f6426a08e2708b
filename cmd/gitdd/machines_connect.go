package main

import (
	"context"
	"fmt"

	"github.com/gitdd/gitdd/report"
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

// tell says in the facts of a report what the machines have done.
func (m *machines) tell(facts *report.Facts, records []trial.Record) {
	if facts.Remote = m.remoteOf(); facts.Remote == nil {
		return
	}
	seen := map[string]bool{}
	for _, r := range records {
		if r.Remote == nil {
			continue
		}
		if r.Remote.Machine != "" {
			seen[r.Remote.Machine] = true
		}
		facts.Remote.Lost += r.Remote.Lost
		facts.Remote.Uploaded += r.Remote.Uploaded
		if r.Remote.Cached {
			facts.Remote.Cached++
		}
		if r.Remote.GaveUp {
			facts.Remote.GaveUp++
		}
	}
	facts.Remote.Machines = len(seen)
}

// remoteOf names the cluster; nil where trials run here.
func (m *machines) remoteOf() *report.Remote {
	switch m.away() {
	case byRemote:
		return &report.Remote{Engine: "reapi", Endpoint: m.remote, Instance: m.instance}
	case bySlurm:
		return &report.Remote{Engine: "slurm", Endpoint: m.slurm.name, Shared: m.shared}
	}
	return nil
}

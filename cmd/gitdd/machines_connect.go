package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/gitdd/gitdd/reapi"
	"github.com/gitdd/gitdd/report"
	"github.com/gitdd/gitdd/trial"
)

// A cluster is where trials run, if that is not here. The nil one is this machine.
type cluster struct {
	run    trial.Remote
	upload func(context.Context, *trial.Snapshot) error // nil = nothing is sent ahead
	shared string                                       // the directory in which workspaces are made; "" = machines have their own
	close  func() error
}

// connect reaches the machines that the settings name, for so many trials of a session at
// a time; nil where trials run here.
func (m *machines) connect(ctx context.Context, jobs int, session string) (*cluster, error) {
	switch m.away() {
	case byRemote:
		o, err := m.reapi(jobs, session)
		if err != nil {
			return nil, err
		}
		client, err := reapi.Dial(ctx, o)
		if err != nil {
			return nil, fmt.Errorf("--remote: %w", err)
		}
		return &cluster{run: client.Run, upload: client.Upload, close: client.Close}, nil
	case bySlurm:
		return nil, errors.New("--slurm: this version does not reach Slurm yet")
	}
	return nil, nil
}

// reapi are the options of a server of the Remote Execution API.
func (m *machines) reapi(jobs int, session string) (reapi.Options, error) {
	o := reapi.Options{
		Endpoint: m.remote, Instance: m.instance, CA: m.ca, Cert: m.cert, Key: m.key,
		Jobs: jobs, Version: released(), Session: session,
	}
	for _, p := range m.properties {
		name, value, _ := strings.Cut(p, "=")
		o.Properties = append(o.Properties, [2]string{name, value})
	}
	var err error
	o.Headers, err = m.headers.read()
	return o, err
}

// findings are what a look at the cluster shows.
func (m *machines) findings(ctx context.Context, jobs int) []trial.Finding {
	switch m.away() {
	case byRemote:
		o, err := m.reapi(jobs, "doctor")
		if err != nil {
			return []trial.Finding{{Check: "headers", Saw: err.Error()}}
		}
		return reapi.Doctor(ctx, o)
	}
	return nil
}

// set lets trials run on the cluster.
func (c *cluster) set(o *trial.Options) {
	if c == nil {
		return
	}
	o.Remote, o.Upload = c.run, c.upload
	if c.shared != "" {
		o.Shared, o.WorkspaceRoot = true, c.shared
	}
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

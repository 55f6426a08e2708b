package main

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/gitdd/gitdd/reapi"
	"github.com/gitdd/gitdd/report"
	"github.com/gitdd/gitdd/slurm"
	"github.com/gitdd/gitdd/trial"
)

// A cluster is where trials run, if that is not here. The nil one is this machine.
type cluster struct {
	run    trial.Remote
	upload func(context.Context, *trial.Snapshot) error // nil = nothing is sent ahead
	shared string                                       // the directory in which workspaces are made; "" = machines have their own
	close  func() error

	patience time.Duration // see trial.Options
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
		return &cluster{run: client.Run, upload: client.Upload, close: client.Close, patience: m.patience}, nil
	case bySlurm:
		dir := ""
		if m.shared != "" {
			var err error
			if dir, err = filepath.Abs(m.shared); err != nil {
				return nil, fmt.Errorf("--slurm-shared: %w", err)
			}
		}
		nodes, err := slurm.New(ctx, m.srun(jobs, session))
		if err != nil {
			return nil, fmt.Errorf("--slurm: %w", err)
		}
		return &cluster{run: nodes.Run, shared: dir, close: nodes.Close}, nil
	}
	return nil, nil
}

// reapi are the options of a server of the Remote Execution API.
func (m *machines) reapi(jobs int, session string) (reapi.Options, error) {
	o := reapi.Options{
		Endpoint: m.remote, Storage: m.storage, Instance: m.instance, Patience: m.patience / trial.MostLosses,
		CA: m.ca, Cert: m.cert, Key: m.key,
		Untouched: m.untouched, Jobs: jobs, Version: released(), Session: session,
	}
	for _, p := range m.properties {
		name, value, _ := strings.Cut(p, "=")
		o.Properties = append(o.Properties, [2]string{name, value})
	}
	var err error
	o.Headers, err = m.headers.read()
	return o, err
}

// srun are the options of a Slurm cluster.
func (m *machines) srun(jobs int, session string) slurm.Options {
	return slurm.Options{Partition: m.slurm.name, Args: m.options, Shared: m.shared != "", Jobs: jobs, Name: jobsOf(session)}
}

// jobsOf is how the names of the jobs of a session begin.
func jobsOf(session string) string { return "gitdd-" + session + "-" }

// recall cancels the jobs that a killed process of a session has left in Slurm.
func (m *machines) recall(ctx context.Context, session string) (int, error) {
	if m.away() != bySlurm {
		return 0, nil
	}
	return slurm.Cancel(ctx, jobsOf(session))
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
	case bySlurm:
		o := m.srun(jobs, "doctor")
		o.Dir = m.shared // that nodes can write there
		return slurm.Check(ctx, o)
	}
	return nil
}

// set lets trials run on the cluster.
func (c *cluster) set(o *trial.Options) {
	if c == nil {
		return
	}
	o.Remote, o.Upload, o.Patience = c.run, c.upload, c.patience
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
		if r.Remote.Cached && !r.Rejected {
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
		return &report.Remote{Engine: "reapi", Endpoint: m.remote, Storage: m.storage, Instance: m.instance}
	case bySlurm:
		return &report.Remote{Engine: "slurm", Endpoint: m.slurm.name, Shared: m.shared}
	}
	return nil
}

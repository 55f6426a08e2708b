package cluster

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/gitdd/gitdd/remote/reapi"
	"github.com/gitdd/gitdd/remote/slurm"
	"github.com/gitdd/gitdd/report"
	"github.com/gitdd/gitdd/trial"
)

// A Cluster is where trials run, if that is not on this machine. The nil one is this machine.
type Cluster struct {
	run    trial.Remote
	upload func(context.Context, *trial.Snapshot) error // nil = nothing is sent ahead
	shared string                                       // the directory in which workspaces are made; "" = machines have their own
	close  func() error

	patience time.Duration // see trial.Options
}

// Connect reaches the cluster that the options name, for so many trials of a session at
// a time; nil where trials run on this machine.
func Connect(ctx context.Context, o Options, jobs int, session string) (*Cluster, error) {
	switch o.Flag() {
	case byRemote:
		r, err := o.reapi(jobs, session)
		if err != nil {
			return nil, err
		}
		client, err := reapi.Dial(ctx, r)
		if err != nil {
			return nil, fmt.Errorf("--remote: %w", err)
		}
		return &Cluster{run: client.Run, upload: client.Upload, close: client.Close, patience: o.Patience}, nil
	case bySlurm:
		dir := ""
		if o.Shared != "" {
			var err error
			if dir, err = filepath.Abs(o.Shared); err != nil {
				return nil, fmt.Errorf("--slurm-shared: %w", err)
			}
		}
		nodes, err := slurm.New(ctx, o.srun(jobs, session))
		if err != nil {
			return nil, fmt.Errorf("--slurm: %w", err)
		}
		return &Cluster{run: nodes.Run, shared: dir, close: nodes.Close}, nil
	}
	return nil, nil
}

// reapi are the options of a server of the Remote Execution API.
func (o *Options) reapi(jobs int, session string) (reapi.Options, error) {
	r := reapi.Options{
		Endpoint: o.Remote, Storage: o.Storage, Instance: o.Instance, Patience: o.Patience / trial.MostLosses,
		CA: o.CA, Cert: o.Cert, Key: o.Key,
		Untouched: o.Untouched, Jobs: jobs, Version: o.Version, Session: session,
	}
	for _, p := range o.Properties {
		name, value, _ := strings.Cut(p, "=")
		r.Properties = append(r.Properties, [2]string{name, value})
	}
	var err error
	r.Headers, err = o.Headers.read()
	return r, err
}

// srun are the options of a Slurm cluster.
func (o *Options) srun(jobs int, session string) slurm.Options {
	return slurm.Options{Partition: o.Slurm.Name, Args: o.SlurmOptions, Shared: o.Shared != "", Jobs: jobs, Name: jobsOf(session)}
}

// jobsOf is how the names of the jobs of a session begin.
func jobsOf(session string) string { return "gitdd-" + session + "-" }

// Recall cancels the jobs that a killed process of a session has left in Slurm.
func (o *Options) Recall(ctx context.Context, session string) (int, error) {
	if o.Flag() != bySlurm {
		return 0, nil
	}
	return slurm.Cancel(ctx, jobsOf(session))
}

// Findings checks the cluster and returns what it found.
func (o *Options) Findings(ctx context.Context, jobs int) []trial.Finding {
	switch o.Flag() {
	case byRemote:
		r, err := o.reapi(jobs, "doctor")
		if err != nil {
			return []trial.Finding{{Check: "headers", Saw: err.Error()}}
		}
		return reapi.Doctor(ctx, r)
	case bySlurm:
		s := o.srun(jobs, "doctor")
		s.Dir = o.Shared // that nodes can write there
		return slurm.Check(ctx, s)
	}
	return nil
}

// Set lets trials run on the cluster.
func (c *Cluster) Set(o *trial.Options) {
	if c == nil {
		return
	}
	o.Remote, o.Upload, o.Patience = c.run, c.upload, c.patience
	if c.shared != "" {
		o.Shared, o.WorkspaceRoot = true, c.shared
	}
}

// Close lets go of the cluster: nothing runs there any more.
func (c *Cluster) Close() {
	if c != nil {
		_ = c.close()
	}
}

// Report names the cluster as reports do, and says what its machines have done in the trials of some
// records; nil where trials run on this machine.
func (o *Options) Report(records []trial.Record) *report.Remote {
	var r *report.Remote
	switch o.Flag() {
	case byRemote:
		r = &report.Remote{Engine: "reapi", Endpoint: o.Remote, Storage: o.Storage, Instance: o.Instance}
	case bySlurm:
		r = &report.Remote{Engine: "slurm", Endpoint: o.Slurm.Name, Shared: o.Shared}
	default:
		return nil
	}
	seen := map[string]bool{}
	for _, one := range records {
		if one.Remote == nil {
			continue
		}
		if one.Remote.Machine != "" {
			seen[one.Remote.Machine] = true
		}
		r.Lost += one.Remote.Lost
		r.Uploaded += one.Remote.Uploaded
		if one.Remote.Cached && !one.Rejected {
			r.Cached++
		}
		if one.Remote.GaveUp {
			r.GaveUp++
		}
	}
	r.Machines = len(seen)
	return r
}

package report

import (
	"fmt"
	"strings"

	"github.com/gitdd/gitdd/internal/prose"
)

// Surroundings say what lay on every configuration beside its own files, and what
// the trials took of the machine.
type Surroundings struct {
	Patches []string `json:"patches"` // files of --with-patch; the answer and its trees are without
	Overlay []string `json:"overlay"` // of --overlay, likewise

	Memory int64 `json:"peak_memory"` // bytes, of the trial that took most at once; 0 = not known
	Disk   int64 `json:"disk"`        // bytes, of workspaces, temporary files and outputs in the end; 0 = not known
}

// Remote says on which machines trials ran, if not on this one.
type Remote struct {
	Engine   string `json:"engine"`   // "reapi" or "slurm"
	Endpoint string `json:"endpoint"` // the URL of --remote, or the partition of --slurm, "" for the default one
	Storage  string `json:"storage"`  // the URL of --remote-cache; "" = that of --remote
	Instance string `json:"instance"` // of --remote-instance
	Shared   string `json:"shared"`   // the directory of --slurm-shared
	Machines int    `json:"machines"` // that are known to have run a trial
	Cached   int    `json:"cached"`   // outcomes that the cluster's cache had; they count in Trials.Cached
	Lost     int    `json:"lost"`     // how often a trial was lost, and begun again
	GaveUp   int    `json:"gave_up"`  // trials that were lost until nobody tried again, and are unresolved
	Uploaded int64  `json:"uploaded"` // bytes
}

// String names the cluster: "grpc://farm:8980", "Slurm, partition debug".
func (r *Remote) String() string {
	switch {
	case r.Engine != "slurm" && r.Instance != "":
		return r.Endpoint + ", instance " + r.Instance
	case r.Engine != "slurm":
		return r.Endpoint
	case r.Endpoint != "":
		return "Slurm, partition " + r.Endpoint
	}
	return "Slurm"
}

// Executed is how many numbers were given: to the trials that ran, to those that the cache
// of a cluster answered, and to the configurations that a check rejected.
func (r *Result) Executed() int {
	return r.Trials.Run + r.Checks.Rejected + r.Remote.cached()
}

// cached is how many outcomes the cache of a cluster had.
func (r *Remote) cached() int {
	if r == nil {
		return 0
	}
	return r.Cached
}

// checks says what a check did before trials.
func (p *page) checks() {
	c := p.r.Checks
	if c.Run+c.Rejected == 0 {
		return
	}
	text := prose.Number(c.Run) + " run: " + prose.Count(c.Rejected, "configuration") + " rejected without a trial"
	if c.Dropped {
		text += "; dropped, for it rejected one after the other"
	}
	p.item("checks", text)
}

// machines says where trials ran, and what became of them there.
func (p *sheet) machines(r *Remote) {
	if r == nil {
		return
	}
	text := r.String()
	if r.Machines > 0 {
		text = prose.Number(r.Machines) + " of " + text
	}
	var parts []string
	add := func(n int, format, what string) {
		if n > 0 {
			parts = append(parts, fmt.Sprintf(format, prose.Count(n, what)))
		}
	}
	add(r.Cached, "%s from its cache", "outcome")
	add(r.Lost, "trials lost %s and begun again", "time")
	add(r.GaveUp, "%s lost for good", "trial")
	if r.Uploaded > 0 {
		parts = append(parts, prose.Size(r.Uploaded)+" sent")
	}
	if len(parts) > 0 {
		text += ": " + strings.Join(parts, ", ")
	}
	p.item("machines", text)
}

// aheadWorth is from how many workers on a reader is told how much was run ahead.
const aheadWorth = 8

// ahead says how many of the trials speculation has spent.
func (p *page) ahead() {
	if n := p.r.Beyond; n > 0 && (p.full || p.r.Jobs > aheadWorth) {
		p.item("ahead", prose.Number(n)+" of the trials ran ahead of the search, which did not come to them")
	}
}

// timeouts says how many of the trials were ended by a limit, and by which.
func (p *page) timeouts() {
	t := p.r.Timeouts
	if t.Trials == 0 {
		return
	}
	text := prose.Count(t.Trials, "trial") + " ended by the time limit"
	switch {
	case t.Longest == 0: // of an older version
	case t.Shortest == t.Longest:
		text += " of " + words(t.Longest)
	default:
		text += " of " + words(t.Shortest) + " to " + words(t.Longest)
	}
	p.item("limit", text)
}

// surroundings names what an answer rests on that is not in it, and the cost.
func (p *page) surroundings() {
	s := p.r.Around
	if len(s.Patches) > 0 {
		one := "it is"
		if len(s.Patches) > 1 {
			one = "they are"
		}
		p.item("with", prose.List(s.Patches, len(s.Patches))+" put on every configuration; "+one+" in none of the files and patches of the answer")
	}
	if len(s.Overlay) > 0 && p.full {
		p.item("overlay", prose.List(s.Overlay, len(s.Overlay))+" laid over every configuration")
	}
	const worth = 1 << 20 // telling
	var used []string
	if s.Memory >= worth {
		used = append(used, prose.Size(s.Memory)+" of memory at most in a trial")
	}
	if s.Disk >= worth {
		used = append(used, prose.Size(s.Disk)+" of disk")
	}
	if len(used) > 0 {
		p.item("used", strings.Join(used, ", "))
	}
}

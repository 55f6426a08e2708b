package doctor

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/gitdd/gitdd/changes"
	"github.com/gitdd/gitdd/internal/git"
	"github.com/gitdd/gitdd/internal/prose"
	"github.com/gitdd/gitdd/isolate"
	"github.com/gitdd/gitdd/trial"
)

// trials tries commands here and on the cluster.
func (d *examination) trials(ctx context.Context) {
	if d.repo == nil || d.head.Tree == "" || ctx.Err() != nil {
		return
	}
	root, err := trial.Root(d.repo)
	if err == nil {
		undo, _ := trial.MakeDir(root) // if it cannot be made, a session says so
		defer undo()
	}
	here := d.tryAll(ctx, nil)
	if d.Cluster == nil || ctx.Err() != nil {
		return
	}
	d.on = d.Cluster.Name + " "
	clock := false
	for _, f := range d.Cluster.Look(ctx) {
		isClock := f.Check == "clock"
		clock = clock || isClock
		d.found(f)
		if !f.OK && !isClock && f.Check != "headers" {
			return // it would be in the way of what comes, too
		}
	}
	away, done, err := d.Cluster.Connect(ctx)
	if err != nil {
		d.found(trial.Finding{Check: "cluster", Saw: err.Error(), Do: "`gitdd help remote` tells how clusters are reached"})
		return
	}
	defer done()
	if !clock {
		d.clocks(ctx, away)
	}
	there := d.tryAll(ctx, away)
	if here.outcome != there.outcome && here.ran && there.ran {
		d.found(trial.Finding{
			Check: "difference", Saw: fmt.Sprintf("COMMAND has another outcome on the cluster (%v) than here (%v)", there.outcome, here.outcome),
			Do: "compare what the machines have installed: a search needs a failure that they show, too",
		})
	}
}

// A tried is what a trial came to.
type tried struct {
	ran     bool
	outcome isolate.Outcome
	record  trial.Record
	output  []byte
}

// tryAll tries commands whose outcomes are known, and then that of the user, which it
// returns. away lets a trial run on the cluster; nil = it runs on this machine.
func (d *examination) tryAll(ctx context.Context, away func(*trial.Options)) tried {
	for _, known := range []struct {
		name string
		want isolate.Outcome
	}{{"true", isolate.Pass}, {"false", isolate.Fail}} {
		began := time.Now()
		it, err := d.try(ctx, away, known.name == "true", known.name, began.Format(time.RFC3339Nano)) // no cache knows it
		if ctx.Err() != nil {
			return tried{}
		}
		f := trial.Finding{Check: known.name, OK: err == nil && it.outcome == known.want}
		switch {
		case err != nil:
			f.Saw, f.Do = err.Error(), "mend this first: a search begins the same way"
		case !f.OK:
			f.Saw, f.Do = fmt.Sprintf("is %v, not %v: %s", it.outcome, known.want, it.record.Reason), "look what is wrong with "+known.name+" there"
		case known.want == isolate.Pass:
			f.Saw = fmt.Sprintf("passes at HEAD%s, %s with making the workspace", on(it.record), prose.Duration(time.Since(began)))
		default:
			f.Saw = "fails" + on(it.record) + ", as it should"
		}
		d.found(f)
		if err != nil {
			return tried{}
		}
	}
	if len(d.Command) == 0 {
		return tried{}
	}
	it, err := d.try(ctx, away, true, d.Command...)
	f := trial.Finding{Check: "COMMAND", OK: true}
	switch {
	case err != nil:
		f.OK, f.Saw, f.Do = false, err.Error(), "mend this first: a search begins the same way"
	case it.record.Missing || it.record.Exit == 126 || it.record.Exit == 127:
		f.OK, f.Saw = false, "cannot be run: "+it.record.Reason
		f.Do = "it is no line of shell: want sh -c 'LINE' for one; files that no revision has come by --overlay or --keep"
	default:
		f.Saw = fmt.Sprintf("%s at HEAD%s in %s: %s", does[it.outcome], on(it.record), prose.Duration(time.Duration(it.record.Seconds*float64(time.Second))), it.record.Reason)
		if last := strings.TrimSpace(it.record.Last); last != "" {
			f.Saw += "; it prints " + last
		}
		it.ran = true
	}
	d.found(f)
	return it
}

// does says of a command what comes of it.
var does = map[isolate.Outcome]string{isolate.Pass: "passes", isolate.Fail: "fails", isolate.Unresolved: "is unresolved"}

// on says where a trial ran, if that was not here.
func on(r trial.Record) string {
	if r.Remote == nil || r.Remote.Machine == "" {
		return ""
	}
	return " on " + r.Remote.Machine
}

// clocks compares the cluster's with ours: a trial prints the time.
func (d *examination) clocks(ctx context.Context, away func(*trial.Options)) {
	before := time.Now()
	it, err := d.try(ctx, away, false, "sh", "-c", "date +%s", before.Format(time.RFC3339Nano))
	after := time.Now()
	f := trial.Finding{Check: "clock"}
	var there int64
	if err == nil {
		_, err = fmt.Sscan(string(it.output), &there)
	}
	if err != nil {
		f.Saw, f.Do = fmt.Sprintf("`date +%%s` does not tell the time: %v", err), "see that machines have the commands of POSIX"
		d.found(f)
		return
	}
	const limit = 2 * time.Second
	at := time.Unix(there, 0)
	off := max(before.Sub(at)-time.Second, at.Sub(after)) // it is cut to the second
	f.OK = off <= limit
	f.Saw = "agrees with this machine's, to the second"
	if !f.OK {
		f.Saw = fmt.Sprintf("is %s from this machine's", off.Round(time.Second))
		f.Do = "set the clocks (NTP): builds that go by the times of files take old ones for new"
	}
	d.found(f)
}

// try runs a command once: in a workspace of HEAD, or in an empty one.
func (d *examination) try(ctx context.Context, away func(*trial.Options), full bool, command ...string) (it tried, err error) {
	rev := d.head
	if !full {
		empty := d.repo.HashObject("tree", nil)
		rev = git.Revision{Rev: "nothing", Tree: empty}
	}
	name := string(rev.Commit)
	if name == "" {
		name = string(rev.Tree)
	}
	set, err := changes.Between(ctx, d.repo, name, name, changes.Options{Whole: true})
	if err != nil {
		return it, err
	}
	options, err := d.Begin(ctx, d.repo, rev, command)
	if err != nil {
		return it, err
	}
	session := options.Session
	defer func() { err = errors.Join(err, session.Discard()) }()
	options.WorkspaceRoot = d.WorkspaceRoot
	if away != nil {
		away(&options)
	}
	if !full {
		options.Dir = ""
	}
	runner, err := trial.New(ctx, options)
	if err != nil {
		return it, err
	}
	defer func() { err = errors.Join(err, runner.Close()) }()
	if it.outcome, err = runner.Test(set)(ctx, isolate.Empty(set.Len())); err != nil {
		return it, err
	}
	records := session.Records()
	if len(records) == 0 {
		return it, fmt.Errorf("nothing could be run: the workspace of HEAD has no directory %s", d.repo.Prefix())
	}
	it.record = records[len(records)-1]
	it.output, err = os.ReadFile(session.Output(it.record.Trial, "out"))
	return it, err
}

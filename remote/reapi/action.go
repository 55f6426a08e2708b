package reapi

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	repb "github.com/bazelbuild/remote-apis/build/bazel/remote/execution/v2"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/durationpb"

	"github.com/gitdd/gitdd/trial"
)

// What lies in the directory in which a task begins, and what it leaves there.
const (
	scriptName = "run.sh"
	twinName   = "twin.sh" // equal: see trial.Layout.Twins
	topName    = "w"
	outName    = "out"
	stateName  = "state"
	tempName   = "tmp" // holds an empty folder of the same name: the script's temporary files

	outcomeName = trial.OutcomeFile
)

// outputPaths are what the server shall keep of a task, sorted by their bytes: the outcome
// and the outputs of the steps that it has.
func outputPaths(t trial.Task) []string {
	paths := []string{outName + "/" + outcomeName}
	for _, name := range trial.OutputNames {
		if !t.Has(name) {
			continue
		}
		paths = append(paths, outName+"/"+name)
	}
	slices.Sort(paths)
	return paths
}

// slack is what a task may take beside the limits of its commands, which the wrapper
// enforces: the server's own limit is for the case that the wrapper is stuck.
const slack = time.Minute

// unlimited is the limit of a task that has none of its own. There are servers for which
// none is zero (mettle), and servers that refuse what is longer than theirs (Buildbarn,
// often an hour): then the next is tried, and kept for all tasks of the session.
var unlimited = []time.Duration{24 * time.Hour, time.Hour, 0}

// An action is a task in the words of the API. Tasks with equal keys are equal actions,
// whoever asks: nothing of the session, the user or the time is in it.
type action struct {
	digest
	blobs []blob // that the server has to have beside the snapshot

	outputs []string // their paths

	open     bool  // it has no limit of its own
	narrowed int32 // so it has this one of unlimited
}

// action makes the messages of a task.
func (c *Client) action(t trial.Task) (*action, error) {
	if t.Files == nil {
		return nil, errors.New("the server needs the files of a workspace; a directory that is shared with it is of no use (this is a bug in gitdd)")
	}
	// There are servers that keep no answer that lacks one of its outputs (mettle).
	script := t.Wrapper(trial.Layout{Top: topName, Out: outName, State: stateName, Whole: true, Twins: [2]string{scriptName, twinName}, Untouched: c.opts.Untouched})
	root, err := c.trees.root(digestOf(script), t.Files.Root)
	if err != nil {
		return nil, c.odd(err)
	}
	temp, err := c.trees.encode(c.trees.temp)
	if err != nil {
		return nil, err
	}
	platform := sorted(c.propertiesFor(t))
	outputs := outputPaths(t)
	command := &repb.Command{
		Arguments: []string{"/bin/sh", scriptName},
		Platform:  platform, // where servers before 2.2 look for it
	}
	if c.limits.outputPaths {
		command.OutputPaths = outputs
	} else {
		command.OutputFiles = outputs //lint:ignore SA1019 servers before 2.1 know no other
	}
	order, err := encode(command)
	if err != nil {
		return nil, err
	}
	what := &repb.Action{
		CommandDigest:   digestOf(order).proto(),
		InputRootDigest: digestOf(root).proto(),
		Platform:        platform,
		Salt:            []byte(t.Salt),
	}
	limit, narrowed := limitOf(t), c.narrowed.Load()
	open := limit == 0
	if open {
		limit = unlimited[narrowed]
	}
	if limit > 0 {
		what.Timeout = durationpb.New(limit)
	}
	message, err := encode(what)
	if err != nil {
		return nil, err
	}
	a := &action{digest: digestOf(message), outputs: outputs, open: open, narrowed: narrowed}
	for _, data := range [][]byte{script, temp, root, order, message} {
		a.blobs = append(a.blobs, blob{digest: digestOf(data), data: data})
	}
	return a, nil
}

// warming are the properties by which a worker keeps its directory for the next action, as
// BuildBuddy calls them, in any case; the last is an older name of the first.
var warming = []string{"recycle-runner", "preserve-workspace", "dockerreuse"}

// propertiesFor are those of the user, but that nothing is kept for what confirms an answer:
// it shall not rest on what another trial has built.
func (c *Client) propertiesFor(t trial.Task) [][2]string {
	if !t.Fresh {
		return c.opts.Properties
	}
	return slices.DeleteFunc(slices.Clone(c.opts.Properties), func(p [2]string) bool { return slices.Contains(warming, strings.ToLower(p[0])) })
}

func encode(m proto.Message) ([]byte, error) {
	data, err := proto.MarshalOptions{Deterministic: true}.Marshal(m)
	if err != nil {
		return nil, fmt.Errorf("a platform property is not UTF-8: %w", err)
	}
	return data, nil
}

// limitOf is how long a whole task may take; 0 = any time, since one of its parts may.
func limitOf(t trial.Task) time.Duration {
	if t.Setup != "" || t.Limit <= 0 || t.Build != "" && t.BuildLimit <= 0 {
		return 0
	}
	limit := t.Limit + slack
	if t.Build != "" {
		limit += t.BuildLimit
	}
	return limit
}

// odd is the error for a tree that the API cannot carry.
func (c *Client) odd(err error) error {
	return fmt.Errorf("%s: the tree cannot be sent there: %w", c.opts.Endpoint, err)
}

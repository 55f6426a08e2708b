package reapi

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	repb "github.com/bazelbuild/remote-apis/build/bazel/remote/execution/v2"
	"github.com/bazelbuild/remote-apis/build/bazel/semver"

	"github.com/gitdd/gitdd/trial"
)

// Doctor looks at everything that trials need of a server, one thing after another, and
// ends with the first without which the next cannot be looked at. Unlike Dial it says
// what is in order, too.
func Doctor(ctx context.Context, o Options) []trial.Finding {
	c, err := connect(o)
	if err != nil {
		return []trial.Finding{{Check: "server", Saw: err.Error(), Do: "mend the options"}}
	}
	defer c.Close()
	return c.check(ctx)
}

// check looks at the server, and has it perform two tasks, one that passes and one that
// fails, whose answers no cache has.
func (c *Client) check(ctx context.Context) []trial.Finding {
	begun := time.Now()
	caps, err := c.capabilities(ctx)
	if err != nil {
		f := trial.Finding{Check: "server", Saw: err.Error(), Do: doReach(err)}
		if known, ok := errors.AsType[*advised](err); ok {
			f.Saw, f.Do = known.saw.Error(), known.do
		}
		return []trial.Finding{f}
	}
	c.heed(caps)
	answers := "answers"
	if c.storage != c.exec {
		answers = "answer"
	}
	findings := []trial.Finding{{Check: "server", OK: true,
		Saw: fmt.Sprintf("%s %s, in %v", c.addresses(), answers, time.Since(begun).Round(time.Millisecond))}}
	if c.inTheClear(c.exec) || c.inTheClear(c.storage) {
		findings = append(findings, trial.Finding{Check: secretCheck, Saw: "headers are sent without TLS, for everybody on the way to read",
			Do: "write grpcs:// if the server has TLS"})
	}
	findings = append(findings, c.examine(caps)...)
	findings = append(findings, c.noted(caps)...)
	if slices.ContainsFunc(findings, func(f trial.Finding) bool { return !f.OK && f.Check != clockCheck && f.Check != secretCheck }) {
		return findings
	}
	return append(findings, c.tryOut(ctx)...)
}

const (
	clockCheck  = "clock"
	secretCheck = "headers"
)

// inTheClear reports whether keys go to p so that everybody on the way can read them.
func (c *Client) inTheClear(p *peer) bool {
	host, secure, err := address(p.endpoint)
	return err == nil && !secure && len(c.opts.Headers) > 0 &&
		!strings.HasPrefix(host, "localhost:") && !strings.HasPrefix(host, "127.") && !strings.HasPrefix(host, "[::1]")
}

// examine says whether a server can do what trials cannot be without.
func (c *Client) examine(caps *repb.ServerCapabilities) []trial.Finding {
	low, high := caps.GetLowApiVersion(), caps.GetHighApiVersion()
	version := trial.Finding{Check: "protocol", OK: true, Saw: "Remote Execution API " + span(low, high)}
	if high != nil && high.GetMajor() < 2 || low.GetMajor() > 2 {
		version.OK = false
		version.Do = "use a server that speaks version 2 of it"
	}
	cache, exec := caps.GetCacheCapabilities(), caps.GetExecutionCapabilities()
	execution := trial.Finding{Check: "execution", OK: true, Saw: "the server executes actions"}
	if !exec.GetExecEnabled() {
		execution = trial.Finding{Check: "execution", Saw: "the server executes no actions for " + c.instance() + ", it only stores",
			Do: "give the address and the instance (--remote-instance) of one that does; the address of what stores is --remote-cache"}
	}
	digests := trial.Finding{Check: "digests", OK: true, Saw: "SHA-256"}
	functions := exec.GetDigestFunctions()
	if len(functions) == 0 && exec.GetDigestFunction() != repb.DigestFunction_UNKNOWN {
		functions = []repb.DigestFunction_Value{exec.GetDigestFunction()}
	}
	for _, names := range [][]repb.DigestFunction_Value{functions, cache.GetDigestFunctions()} {
		if len(names) > 0 && !slices.Contains(names, repb.DigestFunction_SHA256) {
			digests = trial.Finding{Check: "digests", Saw: "the server names files by " + list(names) + ", and gitdd by SHA-256",
				Do: "let the server take SHA256, too"}
		}
	}
	storage := trial.Finding{Check: "storage", OK: true, Saw: "messages with up to " + bytesText(c.limits.batch) + " of files"}
	if most := c.limits.blob; most > 0 {
		storage.Saw += ", files of up to " + bytesText(most)
	}
	if cache == nil {
		storage = trial.Finding{Check: "storage", Saw: "the server stores nothing for " + c.instance(),
			Do: "give the address of one that does by --remote-cache"}
	}
	return []trial.Finding{version, execution, digests, storage}
}

// noted says what else a user wants to know of a server.
func (c *Client) noted(caps *repb.ServerCapabilities) []trial.Finding {
	cache := caps.GetCacheCapabilities()
	answers := "the server keeps what actions gave, whoever runs them"
	if cache.GetActionCacheUpdateCapabilities().GetUpdateEnabled() {
		answers += "; these keys may write there, too"
	}
	links := "links with absolute targets are allowed"
	switch cache.GetSymlinkAbsolutePathStrategy() {
	case repb.SymlinkAbsolutePathStrategy_DISALLOWED:
		links = "links with absolute targets are refused: a tree that has one cannot be sent"
	case repb.SymlinkAbsolutePathStrategy_UNKNOWN:
		links = "the server does not say whether it allows links with absolute targets"
	}
	return []trial.Finding{{Check: "answers", OK: true, Saw: answers}, {Check: "links", OK: true, Saw: links}}
}

func span(low, high *semver.SemVer) string {
	text := func(v *semver.SemVer) string {
		if v.GetPrerelease() != "" {
			return fmt.Sprintf("%d.%d.%d-%s", v.GetMajor(), v.GetMinor(), v.GetPatch(), v.GetPrerelease())
		}
		return fmt.Sprintf("%d.%d", v.GetMajor(), v.GetMinor())
	}
	switch {
	case high == nil:
		return "of a version that the server does not say"
	case low == nil || text(low) == text(high):
		return text(high)
	}
	return text(low) + " to " + text(high)
}

func list(names []repb.DigestFunction_Value) string {
	var texts []string
	for _, n := range names {
		texts = append(texts, n.String())
	}
	return strings.Join(texts, ", ")
}

func bytesText(n int64) string {
	switch {
	case n >= 1<<30:
		return fmt.Sprintf("%.1f GiB", float64(n)/(1<<30))
	case n >= 1<<20:
		return fmt.Sprintf("%.1f MiB", float64(n)/(1<<20))
	}
	return fmt.Sprintf("%.1f KiB", float64(n)/(1<<10))
}

// skewed is a difference of clocks that is worth a word.
const skewed = 30 * time.Second

// tryOut has two tasks performed, as trials are.
func (c *Client) tryOut(ctx context.Context) []trial.Finding {
	dir, err := os.MkdirTemp("", "gitdd-doctor-")
	if err != nil {
		return []trial.Finding{{Check: "trial", Saw: err.Error(), Do: "make room for temporary files here"}}
	}
	defer os.RemoveAll(dir)
	var once [8]byte
	rand.Read(once[:])
	var findings []trial.Finding
	for _, try := range []struct {
		command string
		exit    int
	}{{"true", 0}, {"false", 1}} {
		name := "trial: " + try.command
		begun := time.Now()
		wait, stop := context.WithTimeout(ctx, c.times.patience) // a queue may be for machines that nobody has
		var state atomic.Value
		r, about, err := c.perform(wait, trial.Task{
			Name:    "doctor-" + try.command + "-" + hex.EncodeToString(once[:]),
			Files:   &trial.Snapshot{Root: &trial.Folder{}},
			Command: []string{try.command},
			Limit:   time.Minute,
			Keep:    1 << 10,
			Salt:    "doctor " + hex.EncodeToString(once[:]),
			Output:  func(name string) string { return filepath.Join(dir, name) },
			Told:    func(e trial.TaskEvent) { state.Store(e.State) },
		})
		late := wait.Err() != nil
		stop()
		took := time.Since(begun)
		switch {
		case err != nil && late:
			findings = append(findings, trial.Finding{Check: name, Saw: fmt.Sprintf("it did not end within %v, and was %v at last", c.times.patience, state.Load()),
				Do: "see whether a worker is free, and whether there are any with these properties (--remote-property): else a server may keep a trial in its queue for ever"})
		case err != nil:
			findings = append(findings, trial.Finding{Check: name, Saw: err.Error(),
				Do: "see that a worker is there that has /bin/sh and fits the properties (--remote-property); what the server logs tells more"})
		case !r.Test.Ran || r.Test.Exit != try.exit:
			findings = append(findings, trial.Finding{Check: name,
				Saw: fmt.Sprintf("exit code %d instead of %d", r.Test.Exit, try.exit), Do: "see what is odd about /bin/sh or " + try.command + " on the workers"})
		default:
			f := trial.Finding{Check: name, OK: true, Saw: fmt.Sprintf("exit code %d, in %v", try.exit, took.Round(time.Millisecond))}
			if r.Machine != "" {
				f.Saw += ", on " + r.Machine
			}
			findings = append(findings, f)
			if try.exit == 0 {
				findings = append(findings, clock(about, begun, begun.Add(took))...)
			}
		}
		if err != nil {
			break // the other would say the same
		}
	}
	return findings
}

// clock compares the worker's clock with the one here, between sending and the answer.
func clock(about *repb.ExecutedActionMetadata, begun, ended time.Time) []trial.Finding {
	if about.GetWorkerStartTimestamp() == nil || about.GetWorkerCompletedTimestamp() == nil {
		return nil
	}
	var off time.Duration
	if ahead := about.GetWorkerCompletedTimestamp().AsTime().Sub(ended); ahead > 0 {
		off = ahead
	} else if behind := begun.Sub(about.GetWorkerStartTimestamp().AsTime()); behind > 0 {
		off = -behind
	}
	switch {
	case off > skewed:
		return []trial.Finding{{Check: clockCheck, Saw: fmt.Sprintf("the worker's clock is %v ahead of the one here", off.Round(time.Second)),
			Do: "set both by NTP; builds that compare times may go wrong, gitdd's answers do not"}}
	case off < -skewed:
		return []trial.Finding{{Check: clockCheck, Saw: fmt.Sprintf("the worker's clock is %v behind the one here", -off.Round(time.Second)),
			Do: "set both by NTP; builds that compare times may go wrong, gitdd's answers do not"}}
	}
	return []trial.Finding{{Check: clockCheck, OK: true, Saw: "the worker's clock agrees with the one here"}}
}

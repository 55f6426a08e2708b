//go:build unix

package serve

import (
	"fmt"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"syscall"
	"testing"
	"time"

	"github.com/gitdd/gitdd/internal/chromium"
	"github.com/gitdd/gitdd/internal/events"
	"github.com/gitdd/gitdd/internal/git"
	"github.com/gitdd/gitdd/internal/jsonlog"
	"github.com/gitdd/gitdd/internal/prose"
	"github.com/gitdd/gitdd/trial"
)

// BenchmarkLivePage looks with Chromium for ten seconds at the page of a search that runs 200 trials a second among
// 10,000 changes, after 2,000 trials. server% is the share of a processor that this process takes, which writes the events and the
// journal, too. ms/frame is the longest time between two frames of the page, median-ms/frame the median, and updates/s how
// often the page changes. In the end it has to show what the last trial has left.
func BenchmarkLivePage(b *testing.B) {
	const changes, before, rate, length = 10_000, 2_000, 200, 10 * time.Second
	browser := chromium.Start(b)
	session, err := trial.CreateSession(filepath.Join(b.TempDir(), "sessions"), trial.Header{Started: time.Now(), Good: git.Revision{Rev: "v1"}, Bad: git.Revision{Rev: "v2"}, Command: []string{"make", "test"}})
	if err != nil {
		b.Fatal(err)
	}
	defer session.Close()
	stream, err := os.Create(filepath.Join(session.Dir(), events.File))
	if err != nil {
		b.Fatal(err)
	}
	defer stream.Close()
	journal, err := os.OpenFile(filepath.Join(session.Dir(), "journal.jsonl"), os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		b.Fatal(err)
	}
	defer journal.Close()
	start, trials := time.Now(), 0
	tell := func(e *events.Event) {
		e.Schema, e.Seconds = events.Schema, time.Since(start).Seconds()
		if _, err := stream.Write(events.Line(e)); err != nil {
			b.Error(err)
		}
	}
	plan := &events.Plan{Stage: 1, Of: "changes", Elements: changes}
	for i := range changes {
		plan.Changes = append(plan.Changes, events.Change{
			ID: strconv.Itoa(i), Kind: "text", Path: fmt.Sprintf("src/part%02d/file%02d.c", i/1000, i/50%20), OldStart: 10 * i, OldLines: 1, NewStart: 10 * i, NewLines: 1,
			Old: fmt.Sprintf("\tx = old(%d);\n", i), New: fmt.Sprintf("\tx = new(%d);\n", i),
		})
	}
	tell(&events.Event{Event: "begun", Begun: &events.Begun{Session: session.Name(), Dir: session.Dir(), Good: events.Revision{Rev: "v1"}, Bad: events.Revision{Rev: "v2"}, Command: []string{"make", "test"}, Jobs: 4, Changes: changes}})
	tell(&events.Event{Event: "ends", Ends: &events.Ends{Direction: "break", Good: events.End{Trial: 1, Outcome: "pass"}, Bad: events.End{Trial: 2, Outcome: "fail"}}})
	tell(&events.Event{Event: "plan", Plan: plan})
	random := rand.New(rand.NewPCG(1, 2))
	run := func() {
		trials++
		from := random.IntN(changes)
		to := from + random.IntN(changes-from)
		config, outcome := fmt.Sprintf("0-%d,%d-%d", from/2, from, to), []string{"pass", "fail", "unresolved"}[trials%3]
		applied := from/2 + 1 + to - from + 1
		tell(&events.Event{Event: "trial_started", TrialStarted: &events.TrialStarted{Trial: trials, Attempt: 1, Worker: trials % 4, Purpose: "search", Applied: applied, Config: config}})
		tell(&events.Event{Event: "trial_ended", TrialEnded: &events.TrialEnded{Trial: trials, Worker: trials % 4, Outcome: outcome, Reason: "exit 1", Seconds: 0.01, Last: "FAIL: a line of output"}})
		record := trial.Record{Trial: trials, Key: "key", Purpose: trial.Search, Tree: git.ID(fmt.Sprintf("%040x", trials)), Config: config, Exit: 1, Reason: "exit 1", Seconds: 0.01}
		if err := record.Outcome.UnmarshalText([]byte(outcome)); err != nil {
			b.Fatal(err)
		}
		line, err := jsonlog.Encode("record", record)
		if err == nil {
			_, err = journal.Write(line)
		}
		if err != nil {
			b.Fatal(err)
		}
		tell(&events.Event{Event: "step", Step: &events.Step{Stage: 1, Trial: trials, Outcome: outcome, Applied: applied, Suspects: max(1, changes-trials), Cleared: strconv.Itoa(trials % changes)}})
	}
	for range before {
		run()
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		b.Fatal(err)
	}
	server := New(session.Dir(), listener.Addr().(*net.TCPAddr).Port)
	go func() { _ = http.Serve(listener, server) }() // until the listener is closed
	defer listener.Close()
	browser.Visit(server.URL())
	for b.Loop() {
		browser.Run(`() => {
  window.gaps = []; window.updates = 0; let last = performance.now();
  const frame = (now) => { gaps.push(now - last); last = now; requestAnimationFrame(frame); };
  requestAnimationFrame(frame);
  new MutationObserver(() => updates++).observe(document.body, {subtree: true, childList: true, characterData: true});
  return [];
}`)
		used := processor(b)
		for begun := time.Now(); time.Since(begun) < length; {
			for due := int(time.Since(begun).Seconds() * rate); due > 0 && trials-before < due; {
				run()
			}
			time.Sleep(5 * time.Millisecond)
		}
		b.ReportMetric(100*(processor(b)-used).Seconds()/length.Seconds(), "server%")
		for i, said := range browser.Run(`() => { gaps.sort((a, b) => a - b); return [gaps.at(-1), gaps[gaps.length >> 1], updates / 10].map(String); }`) {
			value, err := strconv.ParseFloat(said, 64)
			if err != nil {
				b.Fatal(err)
			}
			b.ReportMetric(value, []string{"ms/frame", "median-ms/frame", "updates/s"}[i])
		}
	}
	browser.Await(fmt.Sprintf("() => document.body.innerText.includes('%s of 10,000 changes are suspects')", prose.Number(changes-trials)))
}

// processor is how much of a processor this process has taken.
func processor(b *testing.B) time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

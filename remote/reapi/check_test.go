package reapi

import (
	"strings"
	"testing"
	"time"

	repb "github.com/bazelbuild/remote-apis/build/bazel/remote/execution/v2"
	"google.golang.org/protobuf/types/known/timestamppb"

	"github.com/gitdd/gitdd/internal/reapitest"
)

func TestDoctor(t *testing.T) {
	t.Parallel()
	whole := reapitest.Start(t, reapitest.Options{})
	cache := reapitest.Start(t, reapitest.Options{NoExecution: true})
	picky := reapitest.Start(t, reapitest.Options{NoAbsolute: true, MaxBatch: 1 << 20, Properties: map[string][]string{"os": {"linux"}}})
	locked := reapitest.Start(t, reapitest.Options{Header: [2]string{"x-key", "secret"}})
	busy := reapitest.Start(t, reapitest.Options{Fault: reapitest.First(9, reapitest.Straggler), Straggle: time.Hour})
	lossy := reapitest.Start(t, reapitest.Options{Fault: reapitest.First(9, reapitest.LostWorker)})
	for name, c := range map[string]struct {
		o    Options
		want []string // in this order; those that are not OK begin with "!"
	}{
		"whole": {Options{Endpoint: whole.Endpoint()}, []string{
			"server: grpc://127.0.0.1:", "protocol: Remote Execution API 2.", "execution: the server executes actions",
			"digests: SHA-256", "storage: messages with up to 3.8 MiB of files", "answers: ", "links: links with absolute targets are allowed",
			"trial: true: exit code 0, in ", "clock: the worker's clock agrees", "trial: false: exit code 1, in ",
		}},
		"cache": {Options{Endpoint: cache.Endpoint()}, []string{
			"server", "protocol", "!execution: the server executes no actions for an instance without a name", "digests", "storage", "answers", "links",
		}},
		"picky": {Options{Endpoint: picky.Endpoint(), Properties: [][2]string{{"os", "plan9"}}}, []string{
			"server", "protocol", "execution", "digests", "storage: messages with up to 1.0 MiB of files", "answers",
			"links: links with absolute targets are refused", "!trial: true: ",
		}},
		"fits": {Options{Endpoint: picky.Endpoint(), Properties: [][2]string{{"os", "linux"}}}, []string{
			"server", "protocol", "execution", "digests", "storage", "answers", "links", "trial: true", "clock", "trial: false",
		}},
		"lossy": {Options{Endpoint: lossy.Endpoint()}, []string{
			"server", "protocol", "execution", "digests", "storage", "answers", "links",
			"!trial: true: the server could not finish the task: unavailable: reapitest: the worker was lost",
		}},
		"locked": {Options{Endpoint: locked.Endpoint()}, []string{"!server: ask for the capabilities of " + locked.Endpoint() + ": unauthenticated: no x-key in the request do: the server does not know who you are; give a key"}},
		"busy": {Options{Endpoint: busy.Endpoint(), Patience: 3 * time.Second}, []string{
			"server", "protocol", "execution", "digests", "storage", "answers", "links",
			"!trial: true: it did not end within 3s, and was running at last do: see whether a worker is free",
		}},
		"nobody": {Options{Endpoint: "grpc://127.0.0.1:1", Patience: 200 * time.Millisecond}, []string{
			"!server: grpc://127.0.0.1:1 does not answer: ask for the capabilities: ",
		}},
		"nonsense": {Options{Endpoint: "http://127.0.0.1:1"}, []string{`!server: "http://127.0.0.1:1" is no address of a remote execution server`}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := Doctor(t.Context(), c.o)
			for i, f := range got {
				text := f.Check + ": " + f.Saw
				if !f.OK {
					text = "!" + text + " do: " + f.Do
				}
				if i >= len(c.want) || !strings.HasPrefix(text, c.want[i]) {
					t.Errorf("found %s", text)
				}
				if f.OK != (f.Do == "") {
					t.Errorf("%s: do %q", text, f.Do)
				}
			}
			if len(got) < len(c.want) {
				t.Errorf("only %d findings", len(got))
			}
		})
	}
}

func TestClock(t *testing.T) {
	t.Parallel()
	begun := time.Date(2026, 11, 22, 13, 0, 0, 0, time.UTC)
	for off, want := range map[time.Duration]string{
		0: "agrees", 20 * time.Second: "agrees", time.Hour: "59m59s ahead", -2 * time.Minute: "2m0s behind",
	} {
		about := &repb.ExecutedActionMetadata{
			WorkerStartTimestamp: timestamppb.New(begun.Add(off)), WorkerCompletedTimestamp: timestamppb.New(begun.Add(off + time.Second)),
		}
		got := clock(about, begun, begun.Add(2*time.Second))
		if len(got) != 1 || !strings.Contains(got[0].Saw, want) || got[0].OK != (want == "agrees") {
			t.Errorf("%v: %+v", off, got)
		}
	}
	if got := clock(nil, begun, begun); got != nil {
		t.Errorf("%+v", got)
	}
}

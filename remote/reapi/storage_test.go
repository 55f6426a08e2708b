package reapi

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/gitdd/gitdd/internal/reapitest"
	"github.com/gitdd/gitdd/trial"
)

// TestStorage speaks to execution and storage at two addresses.
func TestStorage(t *testing.T) {
	t.Parallel()
	storage := reapitest.Start(t, reapitest.Options{NoExecution: true, MaxBatch: 10_000, TLS: true})
	server := reapitest.Start(t, reapitest.Options{Storage: storage})
	both := func(o *Options) { o.Storage, o.CA = storage.Endpoint(), storage.Authority() }
	c := dial(t, server, both)
	for _, cached := range []bool{false, true} {
		check := task(t, faulty.snapshot(), printAll)
		r, err := c.Run(t.Context(), check)
		if err != nil || r.Cached != cached {
			t.Fatalf("%+v, %v", r, err)
		}
		expectAll(t, check, r)
	}
	there, here := server.Counts(), storage.Counts()
	if there.Executions != 1 || here.Methods["FindMissingBlobs"].Calls == 0 || here.Methods["BatchUpdateBlobs"].Calls == 0 ||
		here.Methods["Write"].Calls == 0 || here.Methods["BatchReadBlobs"].Calls+here.Methods["Read"].Calls == 0 || here.Methods["Execute"].Calls > 0 {
		t.Errorf("the server did %+v, the storage %+v", there, here)
	}
	for method, n := range there.Methods {
		if method != "Execute" && method != "GetCapabilities" && method != "WaitExecution" {
			t.Errorf("%s of the server: %+v", method, n)
		}
	}

	o := Options{Endpoint: server.Endpoint(), Patience: time.Minute}
	both(&o)
	for _, f := range Doctor(t.Context(), o) {
		if !f.OK || f.Check == "server" && !strings.HasPrefix(f.Saw, server.Endpoint()+" and "+storage.Endpoint()+" answer, in") {
			t.Errorf("%+v", f)
		}
	}

	// Each is asked whether it can do its part, and named if it cannot be reached.
	for _, row := range []struct {
		endpoint, storage string
		want              string
	}{
		{server.Endpoint(), "", "the server stores nothing for an instance without a name; give the address of one that does by --remote-cache"},
		{storage.Endpoint(), server.Endpoint(), "it only stores; give the address and the instance (--remote-instance) of one that does"},
		{server.Endpoint(), "grpc://127.0.0.1", "grpc://127.0.0.1 has no port"},
	} {
		o := Options{Endpoint: row.endpoint, Storage: row.storage, Patience: time.Minute}
		if row.endpoint == storage.Endpoint() {
			o.CA = storage.Authority()
		}
		_, err := Dial(t.Context(), o)
		if err == nil || !strings.Contains(err.Error(), row.want) {
			t.Errorf("%s, %s: %v", row.endpoint, row.storage, err)
		}
	}

	// Of a call that failed the address is named that was called.
	c.times.patience, c.times.dial = 200*time.Millisecond, 200*time.Millisecond
	storage.Leave()
	if _, err := c.capabilities(t.Context()); err == nil || !strings.Contains(err.Error(), storage.Endpoint()+" does not answer") {
		t.Errorf("%v", err)
	}
	var lost *trial.LostError
	if err := c.Upload(t.Context(), tree{"a": "new"}.snapshot()); !errors.As(err, &lost) || !lost.Away {
		t.Errorf("%v", err)
	}
	storage.Return()
}

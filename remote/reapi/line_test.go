package reapi

import (
	"cmp"
	"context"
	"errors"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	repb "github.com/bazelbuild/remote-apis/build/bazel/remote/execution/v2"

	"github.com/gitdd/gitdd/internal/reapitest"
	"github.com/gitdd/gitdd/trial"
)

// TestDial meets servers that cannot be used, and options that are wrong: each error says
// what is the matter and what to do.
func TestDial(t *testing.T) {
	t.Parallel()
	plain := reapitest.Start(t, reapitest.Options{Header: [2]string{"x-key", "secret"}, Instance: "main"})
	secure := reapitest.Start(t, reapitest.Options{ClientCert: true})
	cache := reapitest.Start(t, reapitest.Options{NoExecution: true})
	old := reapitest.Start(t, reapitest.Options{Announce: func(c *repb.ServerCapabilities) {
		c.ExecutionCapabilities.DigestFunctions = []repb.DigestFunction_Value{repb.DigestFunction_SHA1, repb.DigestFunction_MD5}
		c.ExecutionCapabilities.DigestFunction = repb.DigestFunction_SHA1
	}})
	cert, key := secure.Client()
	strangerCert, strangerKey := secure.Stranger()
	nothing := filepath.Join(t.TempDir(), "nothing")
	noPEM := filepath.Join(t.TempDir(), "pem")
	if err := os.WriteFile(noPEM, []byte("text"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		o    Options
		want string // "" = it works
	}{
		{Options{Endpoint: plain.Endpoint(), Instance: "main", Headers: [][2]string{{"X-Key", "secret"}}}, ""},
		{Options{Endpoint: plain.Endpoint(), Instance: "main"}, "unauthenticated: no x-key in the request; the server does not know who you are; give a key by --remote-header"},
		{Options{Endpoint: plain.Endpoint(), Instance: "other", Headers: [][2]string{{"x-key", "secret"}}}, `the server does not know the instance "other"; give it by --remote-instance`},
		{Options{Endpoint: secure.Endpoint(), CA: secure.Authority(), Cert: cert, Key: key}, ""},
		{Options{Endpoint: secure.Endpoint(), CA: secure.Authority(), Cert: strangerCert, Key: strangerKey}, "; see what --remote-ca, --remote-cert and --remote-key name"},
		{Options{Endpoint: secure.Endpoint(), Cert: cert, Key: key}, "certificate signed by unknown authority"},
		{Options{Endpoint: secure.Endpoint(), CA: secure.Authority(), Cert: cert}, "a client certificate needs its key"},
		{Options{Endpoint: "grpc://" + secure.Address(), Patience: time.Second}, "write grpcs:// if the server has TLS"},
		{Options{Endpoint: secure.Endpoint(), CA: nothing}, "certificates to trust: open"},
		{Options{Endpoint: secure.Endpoint(), CA: noPEM}, "holds none; it has to be PEM"},
		{Options{Endpoint: cache.Endpoint()}, "the server executes no actions for an instance without a name, it only stores; give the address"},
		{Options{Endpoint: old.Endpoint()}, "the server names files by SHA1, MD5, and gitdd by SHA-256; let the server take SHA256, too"},
		{Options{Endpoint: plain.Address()}, "is no address of a remote execution server; write grpc://HOST:PORT"},
		{Options{Endpoint: "https://me:secret@host"}, `"...@host" is no address`},
		{Options{Endpoint: "me:secret@host:1"}, `"...@host:1" is no address`},
		{Options{Endpoint: "grpc://me:secret@host:1"}, "has more than host and port"},
		{Options{Endpoint: "grpc://host"}, "has no port"},
		{Options{Endpoint: "grpc://host:1/main"}, "give the instance name by --remote-instance"},
		{Options{Endpoint: plain.Endpoint(), CA: noPEM}, "has no TLS"},
		{Options{Endpoint: plain.Endpoint(), Headers: [][2]string{{"x key", "secret"}}}, `header "x key": names have letters`},
		{Options{Endpoint: plain.Endpoint(), Headers: [][2]string{{"x-key", "secret\n"}}}, "header x-key: its value has a character that no header may have (number 7"},
	} {
		c.o.Patience = cmp.Or(c.o.Patience, time.Minute)
		client, err := Dial(t.Context(), c.o)
		if err == nil {
			client.Close()
		}
		switch {
		case c.want == "" && err != nil, c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)):
			t.Errorf("%+v: %v", c.o, err)
		case err != nil && strings.Contains(err.Error(), "secret"):
			t.Errorf("the error tells the secret: %v", err)
		}
	}
}

// A wire stands between client and server, and can fall silent: what is sent from then on
// over the connections that there are is lost, and nobody is told.
type wire struct {
	listener net.Listener
	all      sync.WaitGroup

	mu    sync.Mutex
	ends  []net.Conn
	muted int // of them, the first so many
}

func newWire(t *testing.T, to string) *wire {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	w := &wire{listener: l}
	w.all.Go(func() {
		for {
			in, err := l.Accept()
			if err != nil {
				return
			}
			out, err := net.Dial("tcp", to)
			if err != nil {
				in.Close()
				continue
			}
			w.mu.Lock()
			n := len(w.ends)
			w.ends = append(w.ends, in, out)
			w.mu.Unlock()
			w.all.Go(func() { w.carry(in, out, n) })
			w.all.Go(func() { w.carry(out, in, n) })
		}
	})
	t.Cleanup(func() {
		l.Close()
		w.mu.Lock()
		for _, c := range w.ends {
			c.Close()
		}
		w.mu.Unlock()
		w.all.Wait()
	})
	return w
}

func (w *wire) mute() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.muted = len(w.ends)
}

func (w *wire) carry(from, to net.Conn, n int) {
	buffer := make([]byte, 32<<10)
	for {
		some, err := from.Read(buffer)
		w.mu.Lock()
		silent := n < w.muted
		w.mu.Unlock()
		switch {
		case err != nil && !silent:
			to.Close()
			return
		case err != nil:
			return
		case !silent:
			if _, err := to.Write(buffer[:some]); err != nil {
				from.Close()
				return
			}
		}
	}
}

// TestSilence waits for a server behind a connection that is dead without a word: it is
// found out, and the task goes on over another connection.
func TestSilence(t *testing.T) {
	t.Parallel()
	server := reapitest.Start(t, reapitest.Options{})
	w := newWire(t, server.Address())
	c := dial(t, server, func(o *Options) { o.Endpoint = "grpc://" + w.listener.Addr().String() })
	c.times.pulse, c.times.answer = 20*time.Millisecond, time.Second // a stream that lives so long counts, also where all is slow
	goOn := filepath.Join(t.TempDir(), "go-on")
	check := task(t, tree{"a": "alpha"}.snapshot(), "while ! test -e '"+goOn+"'; do sleep 0.02; done; cat a")
	muted := false
	check.Told = func(e trial.TaskEvent) {
		if e.State == "running" && !muted {
			muted = true
			w.mute()
			if err := os.WriteFile(goOn, nil, 0o600); err != nil {
				t.Error(err)
			}
		}
	}
	if r, err := c.Run(t.Context(), check); err != nil || r.Test.Exit != 0 || printed(t, check, "out") != "alpha" {
		t.Errorf("%+v, %v", r, err)
	}
	if server.Counts().Methods["WaitExecution"].Calls == 0 || server.Counts().Executions != 1 {
		t.Errorf("%+v", server.Counts())
	}
}

// TestSilentUpload is the same for uploads, in messages and as a stream.
func TestSilentUpload(t *testing.T) {
	t.Parallel()
	server := reapitest.Start(t, reapitest.Options{})
	w := newWire(t, server.Address())
	c := dial(t, server, func(o *Options) { o.Endpoint = "grpc://" + w.listener.Addr().String() })
	c.times.attempt = 300 * time.Millisecond
	w.mute()
	if err := c.Upload(t.Context(), tree{"a": "alpha"}.snapshot()); err != nil {
		t.Fatal(err)
	}
	large := tree{"large": strings.Repeat("0123456789abcdef", 100_000)}.snapshot()
	read, muted := large.Read, false
	large.Read = func(ctx context.Context, files []*trial.Leaf, use func(*trial.Leaf, io.Reader) error) error {
		if !muted {
			muted = true
			w.mute()
		}
		return read(ctx, files, use)
	}
	if err := c.Upload(t.Context(), large); err != nil {
		t.Fatal(err)
	}
	if n := server.Counts(); n.BlobBytes < 1_600_000 {
		t.Errorf("%+v", n)
	}
}

// TestDead waits for a server that does not come back as long as patience lasts.
func TestDead(t *testing.T) {
	t.Parallel()
	server := reapitest.Start(t, reapitest.Options{})
	c := dial(t, server, nil)
	check := task(t, tree{"a": "alpha"}.snapshot(), "sleep 1000")
	left := make(chan bool)
	check.Told = func(e trial.TaskEvent) {
		if e.State == "running" {
			c.times.patience = 500 * time.Millisecond
			go func() {
				server.Leave()
				close(left)
			}()
		}
	}
	_, err := c.Run(t.Context(), check)
	var lost *trial.LostError
	if !errors.As(err, &lost) {
		t.Errorf("%v", err)
	}
	<-left
	if err := c.Upload(t.Context(), tree{"a": "beta"}.snapshot()); !errors.As(err, &lost) {
		t.Errorf("%v", err)
	}
}

// TestLines spreads many tasks over few connections.
func TestLines(t *testing.T) {
	t.Parallel()
	for jobs, want := range map[int]int{0: 1, 1: 1, 48: 1, 49: 2, 500: 11, 1 << 20: 32} {
		if got := linesFor(jobs); got != want {
			t.Errorf("%d jobs: %d connections", jobs, got)
		}
	}
	server := reapitest.Start(t, reapitest.Options{})
	c := dial(t, server, func(o *Options) { o.Jobs = 100 })
	var taken []*line
	for range 96 {
		taken = append(taken, c.wait())
	}
	for _, l := range c.exec.lines {
		if l.waiting != 32 {
			t.Errorf("%d tasks on a connection", l.waiting)
		}
	}
	for _, l := range taken {
		l.leave()
	}
}

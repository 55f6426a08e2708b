package reapi

import (
	"cmp"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	repb "github.com/bazelbuild/remote-apis/build/bazel/remote/execution/v2"
	"google.golang.org/grpc"
	"google.golang.org/grpc/backoff"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/stats"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"
)

// Each task that waits has a stream of its own, and many servers and all proxies allow a
// hundred on a connection; what else is called needs some, too.
const (
	tasksPerLine = 48
	mostLines    = 32
)

func linesFor(jobs int) int { return min(max(1, (jobs+tasksPerLine-1)/tasksPerLine), mostLines) }

// A line is one connection, made again when it is found to be dead.
type line struct {
	dial  func() (*grpc.ClientConn, error)
	heard atomic.Int64 // when something came, in nanoseconds since 1970

	mu      sync.Mutex
	current *grpc.ClientConn
	waiting int                // tasks that have a stream here
	rest    context.CancelFunc // ends the watch over them
}

func newLine(dial func() (*grpc.ClientConn, error)) (*line, error) {
	cc, err := dial()
	if err != nil {
		return nil, err
	}
	return &line{dial: dial, current: cc}, nil
}

func (l *line) conn() *grpc.ClientConn {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.current
}

// redial gives up a connection, unless that was done before: the calls on it end.
func (l *line) redial(dead *grpc.ClientConn) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.current != dead {
		return
	}
	if cc, err := l.dial(); err == nil {
		l.current = cc
		dead.Close()
	}
}

func (l *line) close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.current.Close()
}

func (l *line) note() { l.heard.Store(time.Now().UnixNano()) }

// A peer is an address that is spoken to, over one line or several.
type peer struct {
	endpoint string
	lines    []*line
	turn     atomic.Uint32 // where the next look for a line begins
	choosing sync.Mutex    // a line for a task
}

// peer makes one; nothing is sent yet.
func (o Options) peer(endpoint string) (*peer, error) {
	dial, err := o.dialer(endpoint)
	if err != nil {
		return nil, err
	}
	p := &peer{endpoint: endpoint}
	for range linesFor(o.Jobs) {
		l, err := newLine(dial)
		if err != nil {
			_ = p.close()
			return nil, fmt.Errorf("%s: %w", endpoint, err)
		}
		p.lines = append(p.lines, l)
	}
	return p, nil
}

func (p *peer) close() error {
	var errs []error
	for _, l := range p.lines {
		errs = append(errs, l.close())
	}
	return errors.Join(errs...)
}

// quiet is a line that the fewest tasks wait on, of several each in its turn.
func (p *peer) quiet() *line {
	var best *line
	least, turn := -1, int(p.turn.Add(1))
	for i := range p.lines {
		l := p.lines[(turn+i)%len(p.lines)]
		l.mu.Lock()
		n := l.waiting
		l.mu.Unlock()
		if least < 0 || n < least {
			best, least = l, n
		}
	}
	return best
}

// wait takes a line for a task that is going to wait on it, until it is left.
func (c *Client) wait() *line {
	c.exec.choosing.Lock() // so that many that begin at once spread
	l := c.exec.quiet()
	l.mu.Lock()
	l.waiting++
	if l.waiting == 1 {
		var ctx context.Context
		ctx, l.rest = context.WithCancel(context.Background())
		l.note()
		go c.watch(ctx, l)
	}
	l.mu.Unlock()
	c.exec.choosing.Unlock()
	return l
}

func (l *line) leave() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.waiting--
	if l.waiting == 0 {
		l.rest()
	}
}

// watch sees to it that tasks do not wait for a server that is dead, or behind a
// connection that is: a line on which nothing comes is asked for something small. The
// pings of HTTP/2 are not used for that: servers on grpc-go end a connection that sends
// them more often than every five minutes.
func (c *Client) watch(ctx context.Context, l *line) {
	tick := time.NewTicker(c.times.pulse)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		if time.Since(time.Unix(0, l.heard.Load())) < c.times.pulse {
			continue
		}
		cc := l.conn()
		ask, done := context.WithTimeout(c.outgoing(ctx, ""), c.times.answer)
		_, err := repb.NewCapabilitiesClient(cc).GetCapabilities(ask, &repb.GetCapabilitiesRequest{InstanceName: c.opts.Instance})
		done()
		switch {
		case ctx.Err() != nil:
			return
		case status.Code(err) == codes.DeadlineExceeded:
			l.redial(cc)
		default:
			l.note() // any answer is a sign of life; a broken connection has ended its streams itself
		}
	}
}

// outgoing gives a context what the server shall know about the calls made with it.
func (c *Client) outgoing(ctx context.Context, action string) context.Context {
	about, err := proto.Marshal(&repb.RequestMetadata{
		ToolDetails:             &repb.ToolDetails{ToolName: "gitdd", ToolVersion: c.opts.Version},
		ActionId:                action,
		ToolInvocationId:        c.opts.Session,
		CorrelatedInvocationsId: c.opts.Session,
		ActionMnemonic:          "Trial",
	})
	md := metadata.MD{}
	if err == nil { // else a name is not UTF-8; it is only for the server's records
		md.Set("build.bazel.remote.execution.v2.requestmetadata-bin", string(about))
	}
	for _, h := range c.opts.Headers {
		md.Append(h[0], h[1])
	}
	return metadata.NewOutgoingContext(ctx, md)
}

// dialer checks what the options say about the connection, and reads the files.
func (o Options) dialer(endpoint string) (func() (*grpc.ClientConn, error), error) {
	host, secure, err := address(endpoint)
	if err != nil {
		return nil, err
	}
	creds := insecure.NewCredentials()
	if secure {
		config, err := o.tls()
		if err != nil {
			return nil, err
		}
		creds = credentials.NewTLS(config)
	} else if (o.CA != "" || o.Cert != "" || o.Key != "") && !strings.HasPrefix(o.Endpoint, "grpcs:") && !strings.HasPrefix(o.Storage, "grpcs:") {
		return nil, fmt.Errorf("%s has no TLS, so certificates are of no use; write grpcs:// if the server has TLS", endpoint)
	}
	agent := "gitdd"
	if o.Version != "" {
		agent += "/" + o.Version
	}
	for _, h := range o.Headers {
		if err := checkHeader(h[0], h[1]); err != nil {
			return nil, err
		}
	}
	return func() (*grpc.ClientConn, error) {
		return grpc.NewClient(host,
			grpc.WithTransportCredentials(creds),
			grpc.WithUserAgent(agent),
			grpc.WithDisableServiceConfig(),
			grpc.WithStatsHandler(counting{}),
			grpc.WithDefaultCallOptions(grpc.MaxCallRecvMsgSize(cmp.Or(o.received, mostReceived))),
			grpc.WithConnectParams(grpc.ConnectParams{
				Backoff:           backoff.Config{BaseDelay: 100 * time.Millisecond, Multiplier: 1.6, Jitter: 0.2, MaxDelay: 5 * time.Second},
				MinConnectTimeout: 10 * time.Second,
			}))
	}, nil
}

// mostReceived bounds a message: servers may write all outputs of a task into one. Where they
// have more, the outputs are asked for one by one.
const mostReceived = 64 << 20

// address is what an endpoint names, as host:port, and whether TLS is spoken there.
func address(endpoint string) (host string, secure bool, err error) {
	u, err := url.Parse(endpoint)
	if err != nil || (u.Scheme != "grpc" && u.Scheme != "grpcs") || u.Hostname() == "" {
		shown := endpoint
		if i := strings.LastIndexByte(shown, '@'); i >= 0 {
			shown = "..." + shown[i:] // before it may be a password
		}
		return "", false, fmt.Errorf("%q is no address of a remote execution server; write grpc://HOST:PORT, or grpcs://HOST:PORT with TLS", shown)
	}
	if strings.Trim(u.Path, "/") != "" || u.RawQuery != "" || u.User != nil {
		return "", false, fmt.Errorf("%s has more than host and port; give the instance name by --remote-instance and keys by --remote-header", u.Redacted())
	}
	secure = u.Scheme == "grpcs"
	port := u.Port()
	switch {
	case port == "" && secure:
		port = "443"
	case port == "":
		return "", false, fmt.Errorf("%s has no port; write grpc://HOST:PORT", endpoint)
	}
	return net.JoinHostPort(u.Hostname(), port), secure, nil
}

func (o Options) tls() (*tls.Config, error) {
	config := &tls.Config{MinVersion: tls.VersionTLS12}
	if o.CA != "" {
		pem, err := os.ReadFile(o.CA)
		if err != nil {
			return nil, fmt.Errorf("certificates to trust: %w", err)
		}
		pool, err := x509.SystemCertPool()
		if err != nil {
			pool = x509.NewCertPool()
		}
		if !pool.AppendCertsFromPEM(pem) {
			return nil, fmt.Errorf("certificates to trust: %s holds none; it has to be PEM, with lines of BEGIN CERTIFICATE", o.CA)
		}
		config.RootCAs = pool
	}
	if o.Cert != "" || o.Key != "" {
		if o.Cert == "" || o.Key == "" {
			return nil, errors.New("a client certificate needs its key, and a key its certificate; give both")
		}
		pair, err := tls.LoadX509KeyPair(o.Cert, o.Key)
		if err != nil {
			return nil, fmt.Errorf("client certificate: %w", err)
		}
		config.Certificates = []tls.Certificate{pair}
	}
	return config, nil
}

// checkHeader refuses what HTTP/2 would: such calls fail one by one, with words that lead
// nowhere. The value is not shown, as it may be a secret.
func checkHeader(name, value string) error {
	other := func(r rune) bool { return !strings.ContainsRune("abcdefghijklmnopqrstuvwxyz0123456789-_.", r) }
	if strings.ContainsFunc(strings.ToLower(name), other) {
		return fmt.Errorf("header %q: names have letters, digits, - _ and . only", name)
	}
	if name == "" || strings.HasPrefix(strings.ToLower(name), "grpc-") {
		return fmt.Errorf("header %q: the name is not free to be used", name)
	}
	if strings.HasSuffix(strings.ToLower(name), "-bin") {
		return nil
	}
	for i := range len(value) {
		if value[i] < 0x20 || value[i] > 0x7e {
			return fmt.Errorf("header %s: its value has a character that no header may have (number %d, perhaps a newline at its end)", name, i+1)
		}
	}
	return nil
}

// counting adds what is sent for a call to the counter in its context.
type counting struct{}

type counterKey struct{}

func counted(ctx context.Context, n *atomic.Int64) context.Context {
	return context.WithValue(ctx, counterKey{}, n)
}

func (counting) TagRPC(ctx context.Context, _ *stats.RPCTagInfo) context.Context { return ctx }

func (counting) HandleRPC(ctx context.Context, s stats.RPCStats) {
	if out, ok := s.(*stats.OutPayload); ok {
		if n, ok := ctx.Value(counterKey{}).(*atomic.Int64); ok {
			n.Add(int64(out.WireLength))
		}
	}
}

func (counting) TagConn(ctx context.Context, _ *stats.ConnTagInfo) context.Context { return ctx }

func (counting) HandleConn(context.Context, stats.ConnStats) {}

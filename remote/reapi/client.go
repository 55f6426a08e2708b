package reapi

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	repb "github.com/bazelbuild/remote-apis/build/bazel/remote/execution/v2"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"

	"github.com/gitdd/gitdd/trial"
)

// Options say which server, and how.
type Options struct {
	Endpoint   string        // grpc://host:port or grpcs://host:port
	Storage    string        // likewise, of the files and of the cache of actions; "" = Endpoint
	Instance   string        // instance name; "" is a common one
	Properties [][2]string   // platform properties, name and value
	Headers    [][2]string   // sent with each request, such as an API key
	CA         string        // file with certificates (PEM) to trust beside the system's; "" = none
	Cert, Key  string        // files of a client certificate; "" = none
	Untouched  bool          // tasks write to none of their files in place, so those that a worker shares need no copy
	Jobs       int           // tasks at once
	Patience   time.Duration // how long a server is waited for that is silent or not there, before a task is lost; 0 = two minutes

	Version string // of gitdd, for the server's records
	Session string // that the tasks are of, likewise

	received int // bytes of a message that is taken, for tests; 0 = mostReceived
}

const patience = trial.DefaultPatience / trial.MostLosses

// A Client performs tasks on one server. All its methods can be called by many goroutines
// at once.
type Client struct {
	opts    Options
	exec    *peer
	storage *peer // the same where there is one address
	limits  limits
	trees   *digestCache
	store   *store
	small   memory
	times   times

	sending chan struct{} // a place for each message with blobs that is on its way

	noLookup atomic.Bool // the server shows nobody its cache of actions
	noCancel atomic.Bool // it has no operations to cancel

	performed atomic.Bool // it has performed a task

	narrowed atomic.Int32 // which of unlimited it takes

	farewells sync.WaitGroup // of tasks that are being cancelled
}

// times are how long things are waited for.
type times struct {
	patience time.Duration // see Options
	attempt  time.Duration // that a call is given, and a stream on which nothing moves
	pause    time.Duration // before the first repetition of a call; doubles
	longest  time.Duration // that such a pause gets
	pulse    time.Duration // between two looks whether a silent server lives
	answer   time.Duration // which it has to answer in
	farewell time.Duration // for cancelling a task
	dial     time.Duration // for a server that is asked what it can do
}

func timesFor(o Options) times {
	t := times{patience: o.Patience, pause: 50 * time.Millisecond}
	if t.patience <= 0 {
		t.patience = patience
	}
	t.longest = min(5*time.Second, t.patience/8)
	t.dial = min(10*time.Second, trial.MostLosses*t.patience)
	t.attempt = t.patience / 2
	t.pulse, t.answer = min(30*time.Second, t.patience/2), min(time.Minute, t.patience)
	t.farewell = min(5*time.Second, t.patience)
	return t
}

// Dial reaches a server and sees whether it can do what trials need: API version 2,
// SHA-256, execution, and uploads. An error says what is missing and what to do.
func Dial(ctx context.Context, o Options) (*Client, error) {
	c, err := connect(o)
	if err != nil {
		return nil, err
	}
	caps, err := c.capabilities(ctx)
	if lost := (*trial.LostError)(nil); errors.As(err, &lost) {
		err = fmt.Errorf("%w; %s", err, doReach(err))
	}
	if err == nil {
		c.heed(caps)
		for _, f := range c.examine(caps) {
			if !f.OK {
				err = fmt.Errorf("%s: %s; %s", c.addresses(), f.Saw, f.Do)
				break
			}
		}
	}
	if err != nil {
		c.Close()
		return nil, err
	}
	return c, nil
}

// connect prepares a client; nothing is sent yet.
func connect(o Options) (*Client, error) {
	c := &Client{opts: o, times: timesFor(o), limits: limitsOf(nil), sending: make(chan struct{}, batches)}
	var err error
	if c.exec, err = o.peer(o.Endpoint); err != nil {
		return nil, err
	}
	c.storage = c.exec
	if o.Storage != "" && o.Storage != o.Endpoint {
		if c.storage, err = o.peer(o.Storage); err != nil {
			_ = c.exec.close()
			return nil, err
		}
	}
	c.trees = newDigestCache(true)
	c.store = newStore()
	return c, nil
}

// Close ends the connections. No task may be under way.
func (c *Client) Close() error {
	c.farewells.Wait()
	err := c.exec.close()
	if c.storage != c.exec {
		err = errors.Join(err, c.storage.close())
	}
	return err
}

// addresses names the server, as a user knows it.
func (c *Client) addresses() string {
	if c.storage == c.exec {
		return c.exec.endpoint
	}
	return c.exec.endpoint + " and " + c.storage.endpoint
}

// limits are what a server said about itself.
type limits struct {
	batch       int64 // bytes of blobs that go into one message
	blob        int64 // bytes of the largest blob; 0 = any
	outputPaths bool  // it knows Command.output_paths (2.1), not only output_files
	absolute    bool  // links with absolute targets are allowed
}

// What a message may hold: servers take 4 MiB unless they are told otherwise, and a digest
// has about 80 bytes.
const (
	messageRoom = 4<<20 - 64<<10
	entryRoom   = 160
)

func limitsOf(caps *repb.ServerCapabilities) limits {
	cache := caps.GetCacheCapabilities()
	l := limits{batch: messageRoom, blob: cache.GetMaxCasBlobSizeBytes(), outputPaths: true, absolute: true}
	if most := cache.GetMaxBatchTotalSizeBytes(); most > 0 {
		l.batch = min(l.batch, most)
	}
	if high := caps.GetHighApiVersion(); high.GetMajor() == 2 && high.GetMinor() < 1 {
		l.outputPaths = false
	}
	l.absolute = cache.GetSymlinkAbsolutePathStrategy() != repb.SymlinkAbsolutePathStrategy_DISALLOWED
	return l
}

// heed keeps in mind what uploads and tasks have to keep to, before there are any.
func (c *Client) heed(caps *repb.ServerCapabilities) {
	c.limits = limitsOf(caps)
	c.trees.absolute = c.limits.absolute
}

// capabilities asks the server what it can do. Of two addresses, what one says of
// executing counts, and what the other says of storing; one for storage that says nothing
// at all is taken for what the first says.
func (c *Client) capabilities(ctx context.Context) (*repb.ServerCapabilities, error) {
	caps, err := c.capabilitiesOf(ctx, c.exec)
	if err != nil || c.storage == c.exec {
		return caps, err
	}
	more, err := c.capabilitiesOf(ctx, c.storage)
	if code(err) == codes.Unimplemented {
		return caps, nil
	}
	if err != nil {
		return nil, err
	}
	caps.CacheCapabilities = more.GetCacheCapabilities()
	return caps, nil
}

func (c *Client) capabilitiesOf(ctx context.Context, p *peer) (*repb.ServerCapabilities, error) {
	var caps *repb.ServerCapabilities
	err := c.callFor(c.outgoing(ctx, ""), p, c.times.dial, "ask for the capabilities", func(ctx context.Context, conn *grpc.ClientConn) error {
		var err error
		caps, err = repb.NewCapabilitiesClient(conn).GetCapabilities(ctx, &repb.GetCapabilitiesRequest{InstanceName: c.opts.Instance})
		return err
	})
	if lost := (*trial.LostError)(nil); errors.As(err, &lost) {
		err = fmt.Errorf("%s does not answer: %w", p.endpoint, err)
	}
	return caps, err
}

func cas(conn *grpc.ClientConn) repb.ContentAddressableStorageClient {
	return repb.NewContentAddressableStorageClient(conn)
}

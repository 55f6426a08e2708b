package reapi

import (
	"time"

	_ "github.com/bazelbuild/remote-apis/build/bazel/remote/execution/v2" // the protocol
	_ "google.golang.org/genproto/googleapis/bytestream"                  // and that of its streams
	_ "google.golang.org/grpc"
)

// Options say which server, and how.
type Options struct {
	Endpoint   string      // grpc://host:port or grpcs://host:port
	Instance   string      // instance name; "" is a common one
	Properties [][2]string // platform properties, name and value
	Headers    [][2]string // sent with each request, such as an API key
	CA         string      // file with certificates (PEM) to trust beside the system's; "" = none
	Cert, Key  string      // files of a client certificate; "" = none
	Jobs       int         // tasks at once
	Patience   time.Duration
}

// Package reapitest is a server of the Remote Execution API, version 2, for tests. It
// really executes actions, in clean directories and without the environment of the test.
//
// It is an instrument: where a client does what the protocol forbids, the test that
// started the server fails, however lenient other servers are there. And it fails as it
// is told: see Fault. What of the protocol nobody here needs, compressed blobs and blobs
// in pieces, it does not announce and does not have.
package reapitest

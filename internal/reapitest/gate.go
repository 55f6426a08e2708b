package reapitest

import (
	"net"
	"sync"
)

// A gate keeps one port for a server that comes and goes: while it is shut, connections
// are closed as soon as they are made. A port that was given back could be another's when
// the server returns.
type gate struct {
	listener net.Listener
	done     chan struct{} // the gate accepts no more

	mu   sync.Mutex
	room *room // of the server behind it; nil = shut
}

func newGate(listener net.Listener) *gate {
	g := &gate{listener: listener, done: make(chan struct{})}
	go g.accept()
	return g
}

func (g *gate) accept() {
	defer close(g.done)
	for {
		c, err := g.listener.Accept()
		if err != nil {
			return // closed
		}
		g.mu.Lock()
		r := g.room
		g.mu.Unlock()
		if r == nil || !r.enter(c) {
			c.Close()
		}
	}
}

// open returns a listener for a new server.
func (g *gate) open() net.Listener {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.room = &room{address: g.listener.Addr(), guests: make(chan net.Conn), closed: make(chan struct{})}
	return g.room
}

func (g *gate) shut() {
	g.mu.Lock()
	r := g.room
	g.room = nil
	g.mu.Unlock()
	if r != nil {
		r.Close()
	}
}

func (g *gate) close() {
	g.shut()
	g.listener.Close()
	<-g.done
}

// A room is the listener of one server behind the gate.
type room struct {
	address net.Addr
	guests  chan net.Conn
	closed  chan struct{}
	once    sync.Once
}

// enter reports whether the server took the connection.
func (r *room) enter(c net.Conn) bool {
	select {
	case r.guests <- c:
		return true
	case <-r.closed:
		return false
	}
}

func (r *room) Accept() (net.Conn, error) {
	select {
	case c := <-r.guests:
		return c, nil
	case <-r.closed:
		return nil, net.ErrClosed
	}
}

func (r *room) Close() error {
	r.once.Do(func() { close(r.closed) })
	return nil
}

func (r *room) Addr() net.Addr { return r.address }

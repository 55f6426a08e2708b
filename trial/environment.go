package trial

import (
	"fmt"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"sync"

	"github.com/gitdd/gitdd/internal/disk"
)

// An environment is what a worker's commands have to themselves, beside the
// workspace: a directory for temporary files and a block of ports.
type environment struct {
	temp  string // "" until it is made
	ports *ports // nil: none was found, or not looked for yet
	asked bool   // it was looked for
	waits bool   // for room on the disk; guarded by the Runner's mutex
	disk  int64  // bytes of the workspace that it keeps and temp, as last measured; guarded by the Runner's mutex
}

// longestTemp bounds the directory in which temporary directories are made. A
// Unix socket has at most 107 bytes of path (103 elsewhere than on Linux), of
// which "/gitdd-", eight digits and "/N/" take up to 20: this leaves a test at
// least 30. Longer than this, and the system's own directory is used instead.
const longestTemp = 50

// tempParent is the user's directory for temporary files, if sockets fit below it.
func tempParent() string {
	dir := os.TempDir()
	if abs, err := filepath.Abs(dir); err == nil {
		dir = abs
	}
	if len(dir) > longestTemp && runtime.GOOS != "windows" {
		return "/tmp"
	}
	return dir
}

// freshTemp makes sure that the worker's directory for temporary files is there
// and empty, if anything of it runs here.
func (r *pool) freshTemp(w *worker) error {
	if r.opts.Remote != nil || r.noCommand {
		return nil
	}
	if w.own.temp == "" {
		r.mu.Lock()
		defer r.mu.Unlock()
		if r.temp == "" {
			place, err := r.session.newPlace(tempParent())
			if err != nil {
				return fmt.Errorf("make a directory for temporary files: %w; set TMPDIR to one that can be written", err)
			}
			r.temp = place
		}
		w.own.temp = filepath.Join(r.temp, strconv.Itoa(w.number))
	}
	if entries, err := os.ReadDir(w.own.temp); err == nil && len(entries) == 0 {
		return nil
	}
	if err := disk.RemoveAll(w.own.temp); err != nil {
		return fmt.Errorf("empty the directory for temporary files: %w", err)
	}
	if err := os.Mkdir(w.own.temp, 0o700); err != nil {
		return disk.Wrap("make a directory for temporary files", err)
	}
	return nil
}

// variables are what a command of the worker finds in its environment of these.
func (w *worker) variables() []string {
	list := []string{"TMPDIR=" + w.own.temp, "TMP=" + w.own.temp, "TEMP=" + w.own.temp}
	if !w.own.asked {
		w.own.ports, w.own.asked = takePorts(), true
	}
	if w.own.ports != nil {
		list = append(list, "GITDD_PORT="+strconv.Itoa(w.own.ports.first))
	}
	return list
}

func (w *worker) closePorts() {
	if w.own.ports != nil {
		w.own.ports.lock.Close()
	}
	w.own.ports, w.own.asked = nil, false
}

const (
	// PortBlock is how many ports a worker has, from GITDD_PORT on.
	PortBlock = 10
	// The ports lie below those that systems give to outgoing connections
	// (from 32768 on Linux, from 49152 by RFC 6335).
	firstPort, endPorts = 20000, 32760
)

// Ports are a block that no other gitdd on this machine has. The lock is a UDP
// socket on the port before the first: it needs no file, holds between all users
// and containers that share the ports, and goes with the process.
type ports struct {
	first int
	lock  net.PacketConn
}

// taken keeps the workers of one process from looking at the same block at the
// same time: while one looks, its ports seem to be in use.
var taken sync.Mutex

// takePorts returns the first free block, or nil: there may be no network at all.
func takePorts() *ports {
	taken.Lock()
	defer taken.Unlock()
	for first := firstPort + 1; first+PortBlock <= endPorts; first += PortBlock + 1 {
		lock, err := net.ListenPacket("udp4", "127.0.0.1:"+strconv.Itoa(first-1))
		if err != nil {
			continue
		}
		if freePorts(first) {
			return &ports{first, lock}
		}
		lock.Close()
	}
	return nil
}

// freePorts reports whether nobody listens on the ports of a block.
func freePorts(first int) bool {
	for port := first; port < first+PortBlock; port++ {
		at := ":" + strconv.Itoa(port)
		tcp, err := net.Listen("tcp", at)
		if err != nil {
			return false
		}
		tcp.Close()
		udp, err := net.ListenPacket("udp", at)
		if err != nil {
			return false
		}
		udp.Close()
	}
	return true
}

package trial

import (
	"net"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// TestPorts: blocks of one time do not overlap, and no port of them is in use.
func TestPorts(t *testing.T) {
	first := takePorts()
	if first == nil {
		t.Skip("no network here")
	}
	defer first.lock.Close()
	// Somebody listens within what would be the next block.
	used, err := net.Listen("tcp", ":"+strconv.Itoa(first.first+PortBlock+1+3))
	if err == nil {
		defer used.Close()
	}
	second := takePorts()
	if second == nil {
		t.Fatal("no second block")
	}
	defer second.lock.Close()
	if second.first < first.first+2*(PortBlock+1) {
		t.Errorf("blocks from %d and from %d, with port %d in use", first.first, second.first, first.first+PortBlock+1+3)
	}
	for port := second.first; port < second.first+PortBlock; port++ {
		l, err := net.Listen("tcp", ":"+strconv.Itoa(port))
		if err != nil {
			t.Errorf("port %d: %v", port, err)
			continue
		}
		l.Close()
	}
}

// TestTempParent: a Unix socket with a name of 30 bytes fits below the directory
// of any worker, however long the user's directory is.
func TestTempParent(t *testing.T) {
	for _, dir := range []string{"/tmp", "/" + strings.Repeat("d", longestTemp-1), "/" + strings.Repeat("d", longestTemp), "/" + strings.Repeat("d", 200)} {
		t.Setenv("TMPDIR", dir)
		got := tempParent()
		if len(dir) <= longestTemp && got != dir {
			t.Errorf("%d bytes: %s", len(dir), got)
		}
		socket := filepath.Join(got, "gitdd-12345678", "999", strings.Repeat("s", 30))
		if len(socket) > 103 {
			t.Errorf("%d bytes: a socket has %d", len(dir), len(socket))
		}
	}
}

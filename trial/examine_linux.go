package trial

import (
	"os"
	"strconv"

	"github.com/gitdd/gitdd/internal/lazyregexp"
	"golang.org/x/sys/unix"
)

// networks are file systems whose files lie on another machine, by the numbers that
// statfs(2) has for them.
var networks = map[uint32]string{
	unix.NFS_SUPER_MAGIC: "NFS", unix.SMB_SUPER_MAGIC: "SMB", unix.SMB2_SUPER_MAGIC: "SMB", unix.CIFS_SUPER_MAGIC: "SMB",
	unix.AFS_SUPER_MAGIC: "AFS", unix.AFS_FS_MAGIC: "AFS", unix.CEPH_SUPER_MAGIC: "Ceph", unix.CODA_SUPER_MAGIC: "Coda",
	unix.V9FS_MAGIC: "9P", 0x0bd00bd0: "Lustre", 0x47504653: "GPFS", 0x19830326: "BeeGFS", 0x01161970: "GFS2", 0x7461636f: "OCFS2",
}

// networkName names the network file system that dir is on; "" = it is on none that
// is known.
func networkName(dir string) string {
	var st unix.Statfs_t
	if unix.Statfs(dir, &st) != nil {
		return ""
	}
	return networks[uint32(st.Type)]
}

var memAvailable = lazyregexp.New(`(?m)^MemAvailable:\s+(\d+) kB$`)

// freeMemory is how many bytes processes can still take; 0 = not known.
func freeMemory() int64 {
	text, err := os.ReadFile("/proc/meminfo")
	if err != nil {
		return 0
	}
	m := memAvailable().FindSubmatch(text)
	if m == nil {
		return 0
	}
	kilobytes, _ := strconv.ParseInt(string(m[1]), 10, 64)
	return kilobytes << 10
}

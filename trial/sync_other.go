//go:build !linux

package trial

import "os"

// datasync puts the content of f on the disk.
func datasync(f *os.File) error { return f.Sync() }

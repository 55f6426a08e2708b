//go:build !linux

package disk

import "os"

// SyncData puts the content of f on the disk.
func SyncData(f *os.File) error { return f.Sync() }

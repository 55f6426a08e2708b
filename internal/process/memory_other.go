//go:build !linux

package process

// SeesMemory reports whether the memory of a command is seen: it is on Linux only.
func SeesMemory() bool { return false }

func (f *family) largest() int64 { return 0 }

func (f *family) memory(int64) int64 { return 0 }

//go:build !linux

package trial

// networkName is not known here.
func networkName(string) string { return "" }

func freeMemory() int64 { return 0 }

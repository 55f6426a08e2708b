//go:build linux

package process

import "testing"

// FuzzStat reads any line as one of /proc/PID/stat, in which a process may write
// its own name.
func FuzzStat(f *testing.F) {
	f.Add([]byte("1 (a) S 0 1 1 0 -1 4194560 1 1 1 1 1 1 1 1 20 0 1 0 5 1 1"))
	f.Add([]byte("1 (a) b) c) Z 0 1 1 0 -1 4194560 1 1 1 1 1 1 1 1 20 0 1 0 5 1 1"))
	f.Add([]byte(")("))
	f.Fuzz(func(t *testing.T, line []byte) {
		s, ok := parseStat(7, line)
		if ok && (s.pid != 7 || s.state == 0) || !ok && s.pid != 0 {
			t.Errorf("%+v, %v", s, ok)
		}
	})
}
